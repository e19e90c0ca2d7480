//! Every escape that `printf`, `echo -e`, `$'…'` and `${x@E}` know, or do not: as in bash, by one run of each for a table of rows.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test's helpers fail the test so")]

use std::process::Command;

use hookshell_test_support::{MAX_WAIT, has, run_bytes};

/// `\` with what follows it. A NUL cannot stand in a script.
fn escapes() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = (1..127).map(|byte| vec![b'\\', byte]).collect();
    for code in
        (0..=255_u8).filter(|code| code % 7 == 0 || code.is_ascii_punctuation() || [1, 9, 10, 127].contains(code))
    {
        for text in [
            format!("\\{code:o}"),
            format!("\\{code:03o}"),
            format!("\\0{code:o}"),
            format!("\\0{code:03o}"),
            format!("\\x{code:x}"),
            format!("\\x{code:02X}"),
            format!("\\x{{{code:x}}}"),
            format!("\\u{code:x}"),
            format!("\\u{code:04x}"),
            format!("\\U{code:08X}"),
            format!("\\u{{{code:x}}}"),
        ] {
            all.push(text.into_bytes());
        }
    }
    all.extend(b"!$*/0?@AZ[]^_`az{|}~\"\\".iter().map(|byte| vec![b'\\', b'c', *byte]));
    let more = "\\1b \\12 \\7z \\08 \\8 \\400 \\777 \\1777 \\x \\xg \\x4 \\x4g \\x414 \\x263a \\x{41 \\x{} \\x{ \\x{g} \\u41 \\u263a \\u00e9 \
                \\ud83d\\ude00 \\ud83d \\U0001F600 \\U110000 \\u \\U \\ug \\U41g \\d65 \\c \\c\\\\ \\\\a \\\\\\\\ \\e[m \\E[m \\a\\b\\f\\n\\r\\t\\v \
                \\0 \\00 \\000 \\0000 \\01234 \\xff\\xfe \\xe2\\x98\\xba \\%d \\% \\%% \\x00a \\u0000a \\0a b\\cfoo\\n a\\x41\\x42 a\\c é\\é";
    all.extend(more.split(' ').map(|text| text.as_bytes().to_vec()));
    all
}

fn quoted(text: &[u8]) -> Vec<u8> {
    let inner = text.iter().flat_map(|byte| if *byte == b'\'' { b"'\\''".to_vec() } else { vec![*byte] });
    std::iter::once(b'\'').chain(inner).chain(*b"'").collect()
}

/// What a shell prints for each command, its status included.
fn rows(program: &str, arguments: &[&str], commands: &[Vec<u8>]) -> Vec<String> {
    const END: &[u8] = b"; printf '<%s>\\036end\\n' $?\n";
    let script: Vec<u8> = commands.iter().flat_map(|command| [command, END].concat()).collect();
    let mut shell = Command::new(program);
    shell.args(arguments).env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8");
    let ran = run_bytes(shell, &script, MAX_WAIT);
    // Some rows print the character itself.
    ran.stdout.escape_ascii().to_string().split("\\x1eend\\n").map(str::to_owned).collect()
}

/// A name, and the command that has an escape in it.
type Place = (&'static str, fn(&[u8]) -> Vec<u8>);

#[test]
fn escapes_mean_what_they_mean_to_bash() {
    let places: [Place; 6] = [
        ("printf", |escape| [b"printf ", &quoted(&[b"[", escape, b"]\\n"].concat())[..]].concat()),
        ("printf %b", |escape| [b"printf '<%b|%b>\\n' ", &quoted(escape)[..], b" x"].concat()),
        ("printf -v", |escape| [b"printf -v x %b ", &quoted(escape)[..], b"; echo \"[$x]\""].concat()),
        ("echo -e", |escape| [b"echo -e ", &quoted(escape)[..], b" b"].concat()),
        // A quote ends it, or is escaped.
        ("$'", |escape| match escape {
            b"\\'" => b"echo $'[\\']'".to_vec(),
            b"\\\\" | b"\\c" | b"\\c\\" | b"a\\c" => [b"echo $'", escape, b"]'"].concat(),
            _ => [b"echo \"[\"$'", escape, b"'\"]\""].concat(),
        }),
        ("@E", |escape| [b"x=", &quoted(escape)[..], b"; echo \"[${x@E}]\""].concat()),
    ];
    if !has("bash") {
        return;
    }
    let mut wrong = Vec::new();
    for (name, place) in places {
        // bash's own marks: it keeps them twice there.
        let escapes: Vec<_> = escapes().into_iter().filter(|escape| name != "$'" || escape != b"\\\x01").collect();
        let commands: Vec<_> = escapes.iter().map(|escape| place(escape)).collect();
        let expected = rows("bash", &["--norc", "-s"], &commands);
        let ours = rows(env!("CARGO_BIN_EXE_hookshell"), &["sh", "-s"], &commands);
        assert_eq!(expected.len(), commands.len() + 1, "{name}");
        for (escape, (expected, ours)) in escapes.iter().zip(expected.iter().zip(&ours)) {
            if expected != ours {
                wrong.push(format!("{name}\t{}\n\tbash {expected}\n\tours {ours}", escape.escape_ascii()));
            }
        }
        assert_eq!(expected.len(), ours.len(), "{name}: {}", wrong.join("\n"));
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
