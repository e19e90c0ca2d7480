//! Words as they may be after their expansion.

use hookshell_syntax::ast::{
    BraceExpansion, Parameter, ParameterExpansion, ParameterOperation, Subscript, Word as Tree, WordPart,
};

/// Stands for text that is only known when the command runs. No argument holds a NUL.
pub(in crate::condition) const HOLE: u8 = 0;

/// How many words come of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::condition) enum Fields {
    One,
    /// Any number, each of which looks as the text says: a pattern of files.
    Alike,
    /// Any number of any words.
    Any,
}

/// A word: its text, with a [`HOLE`] for each expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::condition) struct Word {
    pub(in crate::condition) text: Vec<u8>,
    pub(in crate::condition) fields: Fields,
    /// Quotes stand in it, or backslashes.
    pub(in crate::condition) is_quoted: bool,
}

impl Word {
    pub(in crate::condition) fn known(text: &[u8]) -> Self {
        Self { text: text.to_vec(), fields: Fields::One, is_quoted: false }
    }

    /// Any words.
    pub(super) fn any() -> Self {
        Self { text: vec![HOLE], fields: Fields::Any, is_quoted: false }
    }

    pub(super) fn new(word: &Tree) -> Self {
        let mut new = Self { text: Vec::new(), fields: Fields::One, is_quoted: false };
        match &word.parts[..] {
            // The command of that name, and no pattern.
            [WordPart::Literal(text)] if text.as_slice() == b"[" => new.text.push(b'['),
            parts => new.push_parts(parts, false),
        }
        new
    }

    /// The text, where it is known.
    pub(super) fn text(&self) -> Option<&[u8]> {
        (self.fields == Fields::One && !self.text.contains(&HOLE)).then_some(self.text.as_slice())
    }

    pub(super) fn has_hole(&self) -> bool {
        self.fields == Fields::Any || self.text.contains(&HOLE)
    }

    fn push_hole(&mut self) {
        if self.text.last() != Some(&HOLE) {
            self.text.push(HOLE);
        }
    }

    fn push_parts(&mut self, parts: &[WordPart], quoted: bool) {
        for part in parts {
            match part {
                WordPart::Literal(text) if quoted => self.text.extend_from_slice(text),
                WordPart::Literal(text) => {
                    // What stands in an extended pattern is no text of its own.
                    let is_extended = text.contains(&b'(');
                    let mut in_set = false;
                    for byte in text.iter() {
                        match byte {
                            _ if is_extended => {
                                self.push_hole();
                                self.fields = Fields::Any;
                            }
                            b'[' => {
                                in_set = true;
                                self.push_hole();
                                self.widen(Fields::Alike);
                            }
                            b']' if in_set => in_set = false,
                            _ if in_set => {}
                            b'*' | b'?' => {
                                self.push_hole();
                                self.widen(Fields::Alike);
                            }
                            other => self.text.push(*other),
                        }
                    }
                }
                WordPart::Quoted(text) => {
                    self.is_quoted = true;
                    self.text.extend_from_slice(text);
                }
                WordPart::DoubleQuoted(parts) => {
                    self.is_quoted = true;
                    self.push_parts(parts, true);
                }
                WordPart::QuotedParameter(expansion) => self.push_parameter(expansion, true),
                WordPart::Parameter(expansion) => self.push_parameter(expansion, quoted),
                WordPart::CommandSubstitution(_) => {
                    self.push_hole();
                    if !quoted {
                        self.fields = Fields::Any;
                    }
                }
                WordPart::Arithmetic(_) | WordPart::Tilde(_) => self.push_hole(),
                WordPart::ProcessSubstitution(_) => {
                    self.text.extend_from_slice(b"/dev/fd/");
                    self.push_hole();
                }
                WordPart::Brace(brace) => {
                    match &**brace {
                        BraceExpansion::Integers { .. } => self.widen(Fields::Alike),
                        _ => self.fields = Fields::Any,
                    }
                    self.push_hole();
                }
            }
        }
    }

    fn widen(&mut self, fields: Fields) {
        if self.fields == Fields::One {
            self.fields = fields;
        }
    }

    fn push_parameter(&mut self, expansion: &ParameterExpansion, quoted: bool) {
        self.push_hole();
        let is_one = quoted
            && !matches!(expansion.parameter, Parameter::At | Parameter::Element(_, Subscript::All))
            && !expansion.indirect
            && match &expansion.operation {
                ParameterOperation::UseDefault(_, word)
                | ParameterOperation::AssignDefault(_, word)
                | ParameterOperation::UseAlternative(_, word) => {
                    Self::new(word).fields != Fields::Any || !has_all(word)
                }
                ParameterOperation::Names { .. } | ParameterOperation::Keys | ParameterOperation::Bad(_) => false,
                _ => true,
            };
        if !is_one {
            self.fields = Fields::Any;
        }
    }
}

/// May `"$@"` stand in it?
fn has_all(word: &Tree) -> bool {
    fn part_has_all(part: &WordPart) -> bool {
        match part {
            WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Arithmetic(_) | WordPart::Tilde(_) => false,
            WordPart::DoubleQuoted(parts) => parts.iter().any(part_has_all),
            WordPart::Parameter(expansion) | WordPart::QuotedParameter(expansion) => {
                !matches!(expansion.operation, ParameterOperation::None)
                    || expansion.indirect
                    || matches!(expansion.parameter, Parameter::At | Parameter::Element(_, Subscript::All))
            }
            WordPart::CommandSubstitution(_) => false,
            _ => true,
        }
    }
    word.parts.iter().any(part_has_all)
}
