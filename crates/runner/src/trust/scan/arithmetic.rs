//! Arithmetic: bash evaluates the value of each variable in it, and runs what stands in a subscript there.

use hookshell_syntax::ast::{Arithmetic, Parameter, ParameterOperation, Subscript, WordPart};

use super::source::Source;
use super::word::{NUMBER, Values, or_unknown};

/// How many variables that name each other are followed.
const DEPTH: usize = 4;

impl Source<'_, '_> {
    pub(super) fn arithmetic(&mut self, arithmetic: &Arithmetic) {
        self.inside(&arithmetic.text);
        self.arithmetic_parts(&arithmetic.text.parts);
    }

    fn arithmetic_parts(&mut self, parts: &[WordPart]) {
        for part in parts {
            match part {
                WordPart::DoubleQuoted(parts) => self.arithmetic_parts(parts),
                WordPart::Literal(text) | WordPart::Quoted(text) => self.evaluated_text(text, 0),
                WordPart::Parameter(expansion) | WordPart::QuotedParameter(expansion) => {
                    let name = match &expansion.parameter {
                        Parameter::Variable(name) | Parameter::Element(name, _) => {
                            format!("${}", String::from_utf8_lossy(name.as_bytes()))
                        }
                        Parameter::Positional(index) => format!("${index}"),
                        _ => "a parameter".to_owned(),
                    };
                    // A variable that nothing sets is empty; what else has no value is not known.
                    let is_plain = !expansion.indirect && matches!(expansion.operation, ParameterOperation::None);
                    let values = self.part(part, true);
                    let values = if is_plain { values } else { or_unknown(values) };
                    self.evaluated(&values, &name, 0);
                }
                WordPart::CommandSubstitution(_) => {
                    let values = or_unknown(self.part(part, true));
                    self.evaluated(&values, "the output of a command", 0);
                }
                _ => {}
            }
        }
    }

    /// Values that are evaluated: where one is not known, it may hold a command in a subscript.
    pub(super) fn evaluated(&mut self, values: &Values, shown: &str, depth: usize) {
        for value in values {
            self.scan.pass.evaluations += 1;
            if self.scan.pass.evaluations > super::EVALUATIONS_LIMIT {
                return self.scan.uncertain("what else is evaluated (too many values)".to_owned());
            }
            let known: Vec<u8> = value
                .split(|byte| *byte == 0)
                .enumerate()
                .flat_map(|(index, piece)| match index {
                    0 => piece.to_vec(),
                    _ if piece.starts_with(b"#") => [b"0", piece.get(1..).unwrap_or_default()].concat(),
                    // Unknown, and no number.
                    _ => [b"\0", piece].concat(),
                })
                .collect();
            if known.contains(&0) {
                let place = self.scripts.first().map(|path| format!(" in {}", path.display())).unwrap_or_default();
                self.scan.uncertain(format!("{shown} as arithmetic{place}"));
            } else {
                self.evaluated_text(&known, depth);
            }
        }
    }

    fn evaluated_text(&mut self, text: &[u8], depth: usize) {
        if text.iter().any(|byte| b"$`".contains(byte)) {
            self.expanded(text);
        }
        if text.iter().all(|byte| !byte.is_ascii_alphabetic() && *byte != b'_') {
            return;
        }
        let assigns = text.windows(2).any(|pair| pair == b"++" || pair == b"--")
            || text.iter().enumerate().any(|(at, byte)| {
                let before = at.checked_sub(1).and_then(|at| text.get(at));
                *byte == b'=' && text.get(at + 1) != Some(&b'=') && !matches!(before, Some(b'=' | b'!'))
            });
        let names = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        let names: Vec<&[u8]> = names
            .filter(|name| name.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_'))
            .collect();
        for name in names {
            if depth < DEPTH {
                let values = self.variable(name);
                self.evaluated(&values, &String::from_utf8_lossy(name), depth + 1);
            } else {
                self.scan.uncertain(format!("{} as arithmetic", String::from_utf8_lossy(name)));
            }
            if assigns {
                self.scan.set(name, &[NUMBER.to_vec()]);
            }
        }
    }

    pub(super) fn subscript(&mut self, subscript: Option<&Subscript>) {
        if let Some(Subscript::Index(index)) = subscript {
            self.inside(&index.key);
            self.arithmetic(&index.arithmetic);
        }
    }
}
