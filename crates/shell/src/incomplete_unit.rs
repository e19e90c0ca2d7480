//! What a unit that is read line by line cannot end without.

use hookshell_syntax::ast::Unit;
use hookshell_syntax::{SyntaxError, SyntaxErrorCause};

/// What the rest of a unit must hold. A line without it need not be looked at: a long function or here-document that
/// comes from standard input is not parsed again with each of its lines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum IncompleteUnit {
    /// Nothing in particular: each line is tried.
    Anything,
    /// One of these texts, somewhere in a line.
    Text(&'static [&'static str]),
    /// A `}` where a reserved word can stand.
    Brace,
    /// The end of a here-document: the line without its leading tabs.
    Line(Vec<u8>),
}

impl IncompleteUnit {
    /// By the error that the text so far has come to, and that more text can cure.
    pub(crate) fn after(error: &SyntaxError) -> Self {
        let opened: &[u8] = match &error.cause {
            SyntaxErrorCause::UnexpectedEnd { opened: Some((opened, _)), .. } => opened,
            SyntaxErrorCause::Unclosed { closer, .. } => {
                return match *closer {
                    "'" => Self::Text(&["'"]),
                    "\"" => Self::Text(&["\""]),
                    "`" => Self::Text(&["`"]),
                    "}" => Self::Text(&["}"]),
                    ")" => Self::Text(&[")"]),
                    "]" => Self::Text(&["]"]),
                    _ => Self::Anything,
                };
            }
            _ => return Self::Anything,
        };
        match opened {
            b"{" => Self::Brace,
            b"(" | b"$(" => Self::Text(&[")"]),
            b"if" => Self::Text(&["fi"]),
            b"case" => Self::Text(&["esac"]),
            b"while" | b"until" => Self::Text(&["done"]),
            // bash: braces may stand in the place of `do` and `done`.
            b"for" | b"select" => Self::Text(&["done", "}"]),
            b"[[" => Self::Text(&["]]"]),
            _ => Self::Anything,
        }
    }

    /// By a unit that is whole but for a here-document.
    pub(crate) fn end_of(unit: &Unit) -> Self {
        let mut cut = unit.cut_here_documents();
        match (cut.next(), cut.next()) {
            (Some(cut), None) if !cut.delimiter.contains(&b'\n') => Self::Line(cut.delimiter.to_vec()),
            _ => Self::Anything,
        }
    }

    /// Can the text end with its last line, which begins at `start`?
    pub(crate) fn may_be_in(&self, text: &[u8], start: usize) -> bool {
        let (before, line) = text.split_at(start.min(text.len()));
        // What is awaited may stand on two lines.
        if before.ends_with(b"\\\n") || line.ends_with(b"\\\n") {
            return true;
        }
        match self {
            Self::Anything => true,
            Self::Text(texts) => texts.iter().any(|text| memchr::memmem::find(line, text.as_bytes()).is_some()),
            Self::Brace => memchr::memchr_iter(b'}', line).any(|at| {
                at.checked_sub(1)
                    .and_then(|before| line.get(before))
                    .is_none_or(|before| b" \t;&|(){}`".contains(before))
            }),
            Self::Line(delimiter) => {
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                let tabs = line.iter().take_while(|&&byte| byte == b'\t').count();
                line == &**delimiter || line.get(tabs..) == Some(delimiter)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str) -> IncompleteUnit {
        let options = hookshell_syntax::ParseOptions::default();
        let mut parser = hookshell_syntax::Parser::at(text.as_bytes(), 0, 1);
        match parser.next_unit(&options, None) {
            Ok(Some(unit)) => IncompleteUnit::end_of(&unit),
            Ok(None) => IncompleteUnit::Anything,
            Err(error) => IncompleteUnit::after(&error),
        }
    }

    #[test]
    fn an_open_construct_says_what_it_waits_for() {
        for (text, expected) in [
            ("f() {\n", IncompleteUnit::Brace),
            ("f()\n", IncompleteUnit::Anything),
            ("if a; then {\n", IncompleteUnit::Brace),
            ("{ if a; then b\n", IncompleteUnit::Text(&["fi"])),
            ("for i in 1\n", IncompleteUnit::Text(&["done", "}"])),
            ("case x in\n", IncompleteUnit::Text(&["esac"])),
            ("echo \"a\n", IncompleteUnit::Text(&["\""])),
            ("x=$(a\n", IncompleteUnit::Text(&[")"])),
            ("x=(a\n", IncompleteUnit::Text(&[")"])),
            ("cat <<E\na\n", IncompleteUnit::Line(b"E".to_vec())),
        ] {
            assert_eq!(after(text), expected, "{text}");
        }
    }

    #[test]
    fn a_line_is_tried_where_it_may_be_the_last() {
        for (text, line, expected) in [
            ("{\n", "a\n", false),
            ("{\n", "echo ${x}\n", false),
            ("{\n", "}\n", true),
            ("{\n", "a; }\n", true),
            ("if x\n", "then\n", false),
            ("if x\n", "then y; fi\n", true),
            ("if x\n", "a \\\n", true),
            ("if x; then a\\\n", "b\n", true),
            ("cat <<E\n", " E\n", false),
            ("cat <<E\n", "\tE\n", true),
            ("cat <<E\n", "E\n", true),
        ] {
            let whole = [text, line].concat();
            assert_eq!(after(text).may_be_in(whole.as_bytes(), text.len()), expected, "{whole}");
        }
    }
}
