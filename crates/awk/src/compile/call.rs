//! What calls: built-in functions, `getline`, and the regular expressions among their arguments.

use super::Compiler;
use crate::ast::{Builtin, Expr, GetlineSource};
use crate::code::{GetlineFrom, Operation};
use crate::lexer::Complaint;
use crate::regex;

/// Each awk says something else of it.
const WRONG_EXPRESSION: Option<&str> = Some("a string that is no regular expression");

impl Compiler {
    /// A regular expression as an operand: of its own, or a value that is taken for one.
    pub(super) fn with_regex(
        &mut self,
        regex: &Expr,
        constant: impl FnOnce(u32) -> Operation,
        dynamic: Operation,
    ) -> Result<(), Complaint> {
        match regex {
            Expr::Regex(source) => {
                let at = self.regex(source)?;
                self.emit(constant(at));
            }
            Expr::String(source) => match self.regex(source) {
                // A string that is always the same is compiled once too.
                Ok(at) => {
                    self.emit(constant(at));
                }
                // One that is no expression is a mistake when it is used.
                Err(_) => {
                    self.note_differing(WRONG_EXPRESSION);
                    self.value(regex)?;
                    self.emit(dynamic);
                }
            },
            other => {
                self.value(other)?;
                self.emit(dynamic);
            }
        }
        Ok(())
    }

    pub(super) fn getline(&mut self, from: &GetlineSource, into: Option<&Expr>) -> Result<(), Complaint> {
        let place = into.map(|into| self.place(into)).transpose()?;
        let from = match from {
            GetlineSource::Input => GetlineFrom::Input,
            GetlineSource::File(name) => {
                self.value(name)?;
                GetlineFrom::File
            }
            GetlineSource::Command(command) => {
                self.value(command)?;
                GetlineFrom::Command
            }
        };
        self.emit(Operation::Getline { from, to_record: place.is_none() });
        if let Some(place) = place {
            self.emit(Operation::StoreRead(place));
        }
        Ok(())
    }

    /// An expression that is always the same; `None`: its value is left on the stack, and is compiled when it is used.
    fn constant_regex(&mut self, regex: &Expr) -> Result<Option<u32>, Complaint> {
        match regex {
            Expr::Regex(source) => return self.regex(source).map(Some),
            Expr::String(source) => match self.regex(source) {
                Ok(at) => return Ok(Some(at)),
                Err(_) => self.note_differing(WRONG_EXPRESSION),
            },
            _ => {}
        }
        self.value(regex)?;
        Ok(None)
    }

    /// A NUL ends a format and a replacement in mawk and BWK's awk, but not in gawk.
    pub(super) fn note_nul(&mut self, text: &Expr) {
        if let Expr::String(text) = text
            && text.contains(&0)
        {
            self.note_differing(Some("a NUL in a format or in a replacement"));
        }
    }

    pub(super) fn builtin(&mut self, builtin: Builtin, arguments: &[Expr]) -> Result<(), Complaint> {
        match (builtin, arguments) {
            (Builtin::Length, [Expr::Variable(variable)]) if self.is_array(*variable) => {
                let array = self.array(*variable);
                self.emit(Operation::LengthOfArray(array));
            }
            (Builtin::Split, [text, Expr::Variable(array), rest @ ..]) => {
                self.value(text)?;
                let array = self.array(*array);
                match rest {
                    [] => {
                        self.emit(Operation::SplitByFs(array));
                    }
                    [Expr::Regex(source), ..] => {
                        let at = self.regex(source)?;
                        self.emit(Operation::SplitByRegex(array, at));
                    }
                    [separator, ..] => {
                        if let Expr::String(separator) = separator {
                            self.note_differing(regex::differing_separator(separator));
                        }
                        self.value(separator)?;
                        self.emit(Operation::SplitByValue(array));
                    }
                }
            }
            (Builtin::Match, [text, regex]) => {
                self.value(text)?;
                self.with_regex(regex, Operation::MatchAt, Operation::MatchAtDynamic)?;
            }
            (Builtin::Match, [text, regex, Expr::Variable(array)]) => {
                self.value(text)?;
                let regex = self.constant_regex(regex)?;
                let array = self.array(*array);
                self.emit(Operation::MatchInto { array, regex });
            }
            (Builtin::Asort | Builtin::Asorti, [Expr::Variable(from), to @ ..]) => {
                let from = self.array(*from);
                let to = match to {
                    [Expr::Variable(to), ..] => self.array(*to),
                    _ => from,
                };
                self.emit(Operation::Sort { from, to, by_index: builtin == Builtin::Asorti });
            }
            (Builtin::Sub | Builtin::Gsub, [regex, replacement, target @ ..]) => {
                let record = Expr::Field(Box::new(Expr::Number(0.0)));
                let place = self.place(target.first().unwrap_or(&record))?;
                let regex = self.constant_regex(regex)?;
                self.note_nul(replacement);
                self.value(replacement)?;
                self.emit(Operation::Substitute { place, regex, all: builtin == Builtin::Gsub });
            }
            (Builtin::Gensub, [regex, replacement, how, target @ ..]) => {
                let regex = self.constant_regex(regex)?;
                self.value(replacement)?;
                self.value(how)?;
                match target.first() {
                    Some(target) => self.value(target)?,
                    None => {
                        self.emit(Operation::FieldAt(0));
                    }
                }
                self.emit(Operation::Gensub { regex });
            }
            (builtin, arguments) => {
                if let (Builtin::Sprintf, [format, ..]) = (builtin, arguments) {
                    self.note_nul(format);
                }
                self.values(arguments)?;
                self.emit(Operation::Builtin { builtin, arguments: arguments.len() as u32 });
            }
        }
        Ok(())
    }
}
