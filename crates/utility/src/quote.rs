//! Names in messages, as GNU's quotearg writes them in its `shell-escape` styles (a UTF-8 locale).

/// Quoted only where a shell would need it: `x: No such file or directory`.
pub fn if_needed(name: &[u8]) -> Vec<u8> {
    if name.is_empty() || needs_quotes(name) { always(name) } else { name.to_vec() }
}

/// Always quoted: `cannot remove 'x'`.
pub fn always(name: &[u8]) -> Vec<u8> {
    if name.contains(&b'\'') && fits_double_quotes(name) {
        return [b"\"", name, b"\""].concat();
    }
    let mut out = b"'".to_vec();
    // Within `$'…'`.
    let mut escaped = false;
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let bytes = character.encode_utf8(&mut buffer).as_bytes();
            if character.is_control() {
                begin_escape(&mut out, &mut escaped);
                for byte in bytes {
                    push_escape(&mut out, *byte);
                }
                continue;
            }
            let was_escaped = std::mem::take(&mut escaped);
            if character == '\'' {
                // This ends `$'…'` too.
                out.extend_from_slice(b"'\\''");
                continue;
            }
            if was_escaped {
                out.extend_from_slice(b"''");
            }
            out.extend_from_slice(bytes);
        }
        for byte in chunk.invalid() {
            begin_escape(&mut out, &mut escaped);
            push_escape(&mut out, *byte);
        }
    }
    out.push(b'\'');
    out
}

/// In quotes with C's escapes, as gnulib's `quote` does it in the C locale: `invalid date 'x'`.
pub fn locale(name: &[u8]) -> Vec<u8> {
    let mut out = b"'".to_vec();
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let bytes = character.encode_utf8(&mut buffer).as_bytes();
            match character {
                '\'' | '\\' => out.extend_from_slice(&[b'\\', bytes.first().copied().unwrap_or_default()]),
                _ if character.is_control() => bytes.iter().for_each(|byte| push_escape(&mut out, *byte)),
                _ => out.extend_from_slice(bytes),
            }
        }
        chunk.invalid().iter().for_each(|byte| push_escape(&mut out, *byte));
    }
    out.push(b'\'');
    out
}

fn begin_escape(out: &mut Vec<u8>, escaped: &mut bool) {
    if !*escaped {
        out.extend_from_slice(b"'$'");
        *escaped = true;
    }
}

fn push_escape(out: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        0x07 => b'a',
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x0b => b'v',
        _ => {
            out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
            return;
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

fn needs_quotes(name: &[u8]) -> bool {
    if name == b"{" || name == b"}" || matches!(name.first(), Some(b'#' | b'~')) {
        return true;
    }
    name.utf8_chunks().any(|chunk| {
        !chunk.invalid().is_empty()
            || chunk
                .valid()
                .chars()
                .any(|character| character.is_control() || " !\"$&()*;<=>?[\\^`|'".contains(character))
    })
}

fn fits_double_quotes(name: &[u8]) -> bool {
    name.utf8_chunks().all(|chunk| {
        chunk.invalid().is_empty()
            && chunk.valid().chars().all(|character| {
                !character.is_control()
                    && (!character.is_ascii() || character.is_ascii_alphanumeric() || "%+,-./:]_ '".contains(character))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::{always, if_needed};

    #[test]
    fn names_are_quoted_as_gnu_does() {
        let cases: &[(&[u8], &str, &str)] = &[
            (b"x", "'x'", "x"),
            (b"", "''", "''"),
            (b"a b", "'a b'", "'a b'"),
            (b"it's", "\"it's\"", "\"it's\""),
            (b"it's $x", "'it'\\''s $x'", "'it'\\''s $x'"),
            (b"a\nb", "'a'$'\\n''b'", "'a'$'\\n''b'"),
            (b"a\n'b", "'a'$'\\n'\\''b'", "'a'$'\\n'\\''b'"),
            (b"\xff", "''$'\\377'", "''$'\\377'"),
            (b"a#", "'a#'", "a#"),
            (b"#a", "'#a'", "'#a'"),
            (b"{}", "'{}'", "{}"),
            (b"\xc3\xa9", "'\u{e9}'", "\u{e9}"),
        ];
        for (name, quoted, bare) in cases {
            assert_eq!(String::from_utf8(always(name)).unwrap(), *quoted);
            assert_eq!(String::from_utf8(if_needed(name)).unwrap(), *bare);
        }
    }
}
