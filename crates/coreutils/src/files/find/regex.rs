//! `-regex`.

use hookshell_regex::{Builder, Regex, Subject, Syntax};
use hookshell_utility::Unsupported;

/// The grammars that `-regextype` names, as far as they are done here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `findutils-default`: Emacs's.
    Default,
    /// The same, but that a `.` is no newline.
    Emacs,
    Basic,
    Grep,
    Extended,
    Egrep,
}

impl Kind {
    /// The grammar of this name.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"findutils-default" => Some(Self::Default),
            b"emacs" => Some(Self::Emacs),
            b"ed" | b"sed" | b"posix-basic" => Some(Self::Basic),
            b"grep" => Some(Self::Grep),
            b"posix-extended" => Some(Self::Extended),
            b"egrep" | b"posix-egrep" => Some(Self::Egrep),
            _ => None,
        }
    }
}

/// A pattern for whole paths.
#[derive(Debug)]
pub(super) struct PathRegex {
    regex: Regex,
}

impl PathRegex {
    /// Compiles a pattern; what is refused is named.
    pub(super) fn new(pattern: &[u8], kind: Kind, nocase: bool, bytes: bool) -> Result<Self, Unsupported> {
        let refused = || Unsupported::new(format!("the regular expression {}", pattern.escape_ascii()));
        if pattern.contains(&b'\n') || (nocase && !pattern.is_ascii()) || pattern.is_empty() {
            return Err(refused());
        }
        let (syntax, text) = match kind {
            Kind::Default => (Syntax::SedExtended, translated(pattern).ok_or_else(refused)?),
            Kind::Emacs if pattern.contains(&b'.') => {
                let lines = Builder::new(Syntax::SedExtended).ignore_case(nocase).bytes(bytes).newline(true);
                let regex = lines.build(&translated(pattern).ok_or_else(refused)?).map_err(|_| refused())?;
                return Ok(Self { regex });
            }
            Kind::Emacs => (Syntax::SedExtended, translated(pattern).ok_or_else(refused)?),
            Kind::Grep => (Syntax::Grep, pattern.to_vec()),
            Kind::Egrep => (Syntax::Egrep, pattern.to_vec()),
            Kind::Basic => (Syntax::SedBasic, pattern.to_vec()),
            Kind::Extended => (Syntax::SedExtended, pattern.to_vec()),
        };
        let regex = Builder::new(syntax).ignore_case(nocase).bytes(bytes).build(&text).map_err(|_| refused())?;
        Ok(Self { regex })
    }

    /// Is the whole path one?
    pub(super) fn matches(&self, path: &[u8]) -> bool {
        self.regex.find(&Subject::new(path)) == Ok(Some((0, path.len())))
    }
}

/// An expression in Emacs's grammar, whose `^` and `$` are the ends of lines; `None`: it is not supported.
pub(crate) fn emacs_lines(pattern: &[u8], bytes: bool) -> Option<Regex> {
    if pattern.is_empty() {
        return None;
    }
    Builder::new(Syntax::SedExtended).bytes(bytes).newline(true).build(&translated(pattern)?).ok()
}

/// Emacs's grammar as an ERE: groups, alternatives and repetitions have their backslashes the other way round. `None`: what
/// Emacs has rules of its own for.
fn translated(pattern: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut at = 0;
    // Where a repetition would have nothing to repeat.
    let mut at_start = true;
    let mut is_repeated = false;
    while let Some(&byte) = pattern.get(at) {
        at += 1;
        let was_repeated = std::mem::take(&mut is_repeated);
        let was_start = std::mem::take(&mut at_start);
        match byte {
            b'\\' => {
                let next = *pattern.get(at)?;
                at += 1;
                match next {
                    b'(' | b'|' => {
                        out.push(next);
                        at_start = true;
                    }
                    b')' => out.push(next),
                    b'w' | b'W' | b's' | b'S' | b'b' | b'B' | b'<' | b'>' => out.extend_from_slice(&[b'\\', next]),
                    b'.' | b'*' | b'+' | b'?' | b'[' | b']' | b'^' | b'$' | b'\\' | b'/' => {
                        out.extend_from_slice(&[b'\\', next]);
                    }
                    b'-' | b'_' | b' ' | b',' | b'=' | b'@' | b'%' | b'#' | b'~' | b'!' | b':' => out.push(next),
                    _ => return None,
                }
            }
            b'*' | b'+' | b'?' => {
                if was_start || was_repeated {
                    return None;
                }
                out.push(byte);
                is_repeated = true;
            }
            b'(' | b')' | b'|' | b'{' | b'}' => out.extend_from_slice(&[b'\\', byte]),
            b'^' => {
                if at != 1 {
                    return None;
                }
                out.push(byte);
                at_start = true;
            }
            b'$' => {
                if at != pattern.len() {
                    return None;
                }
                out.push(byte);
            }
            b'[' => {
                let start = at - 1;
                at += usize::from(pattern.get(at) == Some(&b'^'));
                at += usize::from(pattern.get(at) == Some(&b']'));
                let length = pattern.get(at..)?.iter().position(|byte| *byte == b']')?;
                let inner = pattern.get(start..at + length)?;
                // There are no classes of characters.
                let body = inner.get(1..)?;
                if [&b"[:"[..], b"[.", b"[="].iter().any(|class| memchr::memmem::find(body, class).is_some()) {
                    return None;
                }
                at += length + 1;
                out.extend_from_slice(pattern.get(start..at)?);
            }
            _ => out.push(byte),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{Kind, PathRegex, translated};

    #[test]
    fn emacs_expressions_become_extended_ones() {
        for (pattern, expected) in [
            (r".*\.\(js\|ts\)", Some(r".*\.(js|ts)")),
            (r"a{2}(b)|c", Some(r"a\{2\}\(b\)\|c")),
            (r"[^]a]+x?", Some(r"[^]a]+x?")),
            (r"*a", None),
            (r"a**", None),
            (r"\(a\)\1", None),
            (r"[[:alpha:]]", None),
            (r"[a", None),
            ("a\\", None),
        ] {
            let text = translated(pattern.as_bytes()).map(|text| String::from_utf8(text).unwrap());
            assert_eq!(text.as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn a_whole_path_must_match() {
        let regex = |pattern: &[u8], kind| PathRegex::new(pattern, kind, false, false).unwrap();
        assert!(regex(br".*\(b\|ab\)", Kind::Default).matches(b"./xab"));
        assert!(!regex(b"x", Kind::Default).matches(b"./x"));
        assert!(regex(b"(a|ab)(c|bcd)", Kind::Extended).matches(b"abcd"));
        assert!(PathRegex::new(b"\\(a", Kind::Basic, false, false).is_err());
    }
}
