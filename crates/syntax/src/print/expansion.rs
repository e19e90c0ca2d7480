//! Expansions.

use super::Printer;
use super::word::Context;
use crate::ast::{
    Arithmetic, CaseChange, Check, Command, CommandSubstitution, Compound, List, MatchLength, Parameter,
    ParameterExpansion, ParameterOperation, ReplaceScope, Subscript, Word, WordPart,
};

impl Printer {
    /// `braces`: `$x` would swallow what follows.
    pub(super) fn parameter(&mut self, expansion: &ParameterExpansion, context: Context, braces: bool) {
        let plain = matches!(expansion.operation, ParameterOperation::None)
            && !expansion.indirect
            && !expansion.braced
            && match expansion.parameter {
                Parameter::Variable(_) => !braces,
                Parameter::Element(..) => false,
                Parameter::Positional(number) => number < 10,
                _ => true,
            };
        if plain {
            self.text("$");
            self.parameter_name(&expansion.parameter);
            return;
        }
        if let ParameterOperation::Bad(text) = &expansion.operation {
            self.text(text);
            return;
        }
        self.text("${");
        if matches!(expansion.operation, ParameterOperation::Length) {
            self.text("#");
        }
        if expansion.indirect
            || matches!(expansion.operation, ParameterOperation::Names { .. } | ParameterOperation::Keys)
        {
            self.text("!");
        }
        self.parameter_name(&expansion.parameter);
        let operand = match context {
            Context::Unquoted => Context::Unquoted,
            _ => Context::DoubleOperand,
        };
        self.operation(&expansion.operation, operand);
        self.text("}");
    }

    fn parameter_name(&mut self, parameter: &Parameter) {
        match parameter {
            Parameter::Variable(name) => self.text(name.as_bytes()),
            Parameter::Element(name, subscript) => {
                self.text(name.as_bytes());
                self.subscript(subscript);
            }
            Parameter::Positional(number) => self.text(number.to_string()),
            Parameter::At => self.text("@"),
            Parameter::Star => self.text("*"),
            Parameter::Count => self.text("#"),
            Parameter::Status => self.text("?"),
            Parameter::Options => self.text("-"),
            Parameter::ProcessId => self.text("$"),
            Parameter::BackgroundId => self.text("!"),
            Parameter::Zero => self.text("0"),
        }
    }

    fn operation(&mut self, operation: &ParameterOperation, operand: Context) {
        match operation {
            ParameterOperation::None
            | ParameterOperation::Length
            | ParameterOperation::Keys
            | ParameterOperation::Bad(_) => {}
            ParameterOperation::UseDefault(check, word) => {
                self.checked(*check, "-", Some(word), operand);
            }
            ParameterOperation::AssignDefault(check, word) => {
                self.checked(*check, "=", Some(word), operand);
            }
            ParameterOperation::ErrorIfUnset(check, word) => {
                self.checked(*check, "?", word.as_deref(), operand);
            }
            ParameterOperation::UseAlternative(check, word) => {
                self.checked(*check, "+", Some(word), operand);
            }
            ParameterOperation::RemovePrefix(length, pattern) => {
                self.text(match length {
                    MatchLength::Shortest => "#",
                    MatchLength::Longest => "##",
                });
                self.word(pattern);
            }
            ParameterOperation::RemoveSuffix(length, pattern) => {
                self.text(match length {
                    MatchLength::Shortest => "%",
                    MatchLength::Longest => "%%",
                });
                self.word(pattern);
            }
            ParameterOperation::Substring(offset, length) => {
                self.text(":");
                self.operand_arithmetic(offset);
                if let Some(length) = length {
                    self.text(":");
                    self.operand_arithmetic(length);
                }
            }
            ParameterOperation::Replace(scope, pattern, replacement) => {
                self.text(match scope {
                    ReplaceScope::First => "/",
                    ReplaceScope::All => "//",
                    ReplaceScope::Prefix => "/#",
                    ReplaceScope::Suffix => "/%",
                });
                self.word(pattern);
                if let Some(replacement) = replacement {
                    self.text("/");
                    self.word(replacement);
                }
            }
            ParameterOperation::ChangeCase(change, pattern) => {
                self.text(match change {
                    CaseChange::UpperFirst => "^",
                    CaseChange::UpperAll => "^^",
                    CaseChange::LowerFirst => ",",
                    CaseChange::LowerAll => ",,",
                    CaseChange::ToggleFirst => "~",
                    CaseChange::ToggleAll => "~~",
                });
                if let Some(pattern) = pattern {
                    self.word(pattern);
                }
            }
            ParameterOperation::Transform(letter) => self.text([b'@', *letter]),
            ParameterOperation::Names { star } => self.text(if *star { "*" } else { "@" }),
        }
    }

    fn checked(&mut self, check: Check, operator: &str, word: Option<&Word>, operand: Context) {
        if check == Check::UnsetOrNull {
            self.text(":");
        }
        self.text(operator);
        if let Some(word) = word {
            self.parts(&word.parts, operand);
        }
    }

    pub(super) fn subscript(&mut self, subscript: &Subscript) {
        self.text("[");
        match subscript {
            Subscript::All => self.text("@"),
            Subscript::Star => self.text("*"),
            Subscript::Index(index) => self.word(&index.key),
        }
        self.text("]");
    }

    fn backquoted(&mut self, text: &[u8]) {
        self.text("`");
        for &byte in text {
            if matches!(byte, b'`' | b'\\') {
                self.text("\\");
            }
            self.text([byte]);
        }
        self.text("`");
    }

    pub(super) fn command_substitution(&mut self, substitution: &CommandSubstitution) {
        match &substitution.body {
            Ok(list) if !substitution.backquoted => {
                self.text("$(");
                self.substituted(list);
                self.text(")");
            }
            Ok(list) => {
                let mut inner = Self { inline: true, one_line: self.shown, shown: self.shown, ..Self::default() };
                inner.list(list);
                self.backquoted(&inner.finish());
            }
            Err(broken) => self.backquoted(&broken.text),
        }
    }

    /// A list inside `( )`; the here-documents outside wait until it is over.
    pub(super) fn substituted(&mut self, list: &List) {
        let outer = std::mem::take(&mut self.pending);
        let ended = std::mem::take(&mut self.ended);
        // `((` would begin arithmetic.
        let parenthesis = list.items.first().is_some_and(|item| {
            let first = item.and_or.first.stages.first().map(|stage| &stage.command);
            !item.and_or.first.negated
                && item.and_or.first.time.is_none()
                && matches!(first, Some(Command::Compound(compound))
                    if matches!(compound.kind, Compound::Subshell(_) | Compound::Arithmetic(_)))
        });
        if parenthesis {
            self.text(" ");
        }
        let inline = std::mem::replace(&mut self.inline, true);
        let one_line = std::mem::replace(&mut self.one_line, self.shown);
        // bash has the text from when it read the substitution.
        let indentation = std::mem::take(&mut self.indentation);
        self.list(list);
        self.close_line();
        self.inline = inline;
        self.one_line = one_line;
        self.indentation = indentation;
        self.pending = outer;
        self.ended = ended;
    }

    /// An expression as it is written.
    pub(super) fn arithmetic(&mut self, arithmetic: &Arithmetic) {
        match &arithmetic.source {
            Some(source) => self.text(source),
            None => self.arithmetic_text(arithmetic),
        }
    }

    /// The text of an expression. What would end it too early goes between double quotes, which are dropped again.
    pub(super) fn arithmetic_text(&mut self, arithmetic: &Arithmetic) {
        self.expression(arithmetic, false);
    }

    /// An offset or a length, where `:`, `}` and a first `-` have meanings of their own.
    fn operand_arithmetic(&mut self, arithmetic: &Arithmetic) {
        match &arithmetic.source {
            Some(source) => self.text(source),
            None => self.expression(arithmetic, true),
        }
    }

    fn expression(&mut self, arithmetic: &Arithmetic, operand: bool) {
        for part in &arithmetic.text.parts {
            let WordPart::DoubleQuoted(parts) = part else {
                continue;
            };
            let quotes = !reads_back(parts, operand, self.shown);
            if quotes {
                self.text("\"");
            }
            self.parts(parts, Context::Double);
            if quotes {
                self.text("\"");
            }
        }
    }
}

/// Does the text of an expression end where it should if it stands there as it is? `shown`: single quotes and semicolons stay
/// as they are, as bash shows them.
fn reads_back(parts: &[WordPart], operand: bool, shown: bool) -> bool {
    if operand && parts.is_empty() {
        return false;
    }
    let mut parentheses = 0_i32;
    let mut brackets = 0_i32;
    for (i, part) in parts.iter().enumerate() {
        let WordPart::Literal(text) = part else {
            continue;
        };
        for (j, &byte) in text.iter().enumerate() {
            match byte {
                b'\'' | b';' if !shown => return false,
                b'"' => return false,
                // After a backslash, which is printed as it is there, they open and close nothing.
                b'(' | b')' | b'[' | b']' if j > 0 && text[j - 1] == b'\\' => {}
                b'(' => parentheses += 1,
                b')' => parentheses -= 1,
                b'[' => brackets += 1,
                b']' => brackets -= 1,
                b'?' | b':' | b'}' if operand => return false,
                b'-' | b'=' | b'+' if operand && i == 0 && j == 0 => return false,
                _ => {}
            }
            if parentheses < 0 || brackets < 0 {
                return false;
            }
        }
    }
    parentheses == 0 && brackets == 0
}
