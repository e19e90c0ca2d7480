//! `${x^^}` and `${x@Q}` (bash).

use std::ops::ControlFlow;

use hookshell_syntax::ast::CaseChange;
use hookshell_text::case::{self, Case, Scope};
use hookshell_text::pattern::Pattern;
use hookshell_text::quote;

use crate::flow::Flow;
use crate::interpreter::reference::Reference;
use crate::shell::Shell;
use crate::vars::{Fetched, SlotId, Value};

/// Changes the case of the first or of all characters that match the pattern; nothing comes when `stopped` says so.
pub(super) fn change_case(
    text: &[u8],
    change: CaseChange,
    pattern: Option<&Pattern>,
    bytes: bool,
    stopped: &dyn Fn() -> bool,
) -> Vec<u8> {
    let (case, scope) = match change {
        CaseChange::UpperFirst => (Case::Upper, Scope::First),
        CaseChange::UpperAll => (Case::Upper, Scope::All),
        CaseChange::LowerFirst => (Case::Lower, Scope::First),
        CaseChange::LowerAll => (Case::Lower, Scope::All),
        CaseChange::ToggleFirst => (Case::Toggle, Scope::First),
        CaseChange::ToggleAll => (Case::Toggle, Scope::All),
    };
    let mut result = Vec::with_capacity(text.len());
    let mut select = |character: &[u8]| pattern.is_none_or(|p| p.matches(character));
    if scope == Scope::First {
        case::convert(text, case, scope, bytes, &mut select, &mut result);
        return result;
    }
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(super::piece_end(rest));
        case::convert(piece, case, scope, bytes, &mut select, &mut result);
        if !after.is_empty() && stopped() {
            return Vec::new();
        }
        rest = after;
    }
    result
}

/// One of the quoting forms as a value.
fn in_form(text: &[u8], bytes: bool, form: fn(&[u8], bool, &mut Vec<u8>)) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len() + 2);
    form(text, bytes, &mut result);
    result
}

impl Shell {
    /// `${x@operator}`, within double quotes or not; `None` if there is no such operator.
    pub(super) fn transform(
        &mut self,
        operator: u8,
        reference: &Reference,
        value: Fetched,
        quoted: bool,
    ) -> Flow<Option<Fetched>> {
        let id = match reference {
            Reference::Variable(id) | Reference::Index(id, _) | Reference::Key(id, _) | Reference::All(id, _) => {
                Some(*id)
            }
            // bash looks at the element once more for these.
            Reference::OutOfRange(id, _) if matches!(operator, b'A' | b'a') => {
                let _ = self.unreadable(*id);
                Some(*id)
            }
            _ => None,
        };
        let bytes = self.env.bytes;
        let stopped = || self.is_stopping();
        let mapped = match operator {
            b'Q' => map_texts(value, |text| in_form(&text, bytes, quote::transform)),
            b'U' => map_texts(value, |text| change_case(&text, CaseChange::UpperAll, None, bytes, &stopped)),
            b'u' => map_texts(value, |text| change_case(&text, CaseChange::UpperFirst, None, bytes, &stopped)),
            b'L' => map_texts(value, |text| change_case(&text, CaseChange::LowerAll, None, bytes, &stopped)),
            b'E' => map_texts(value, |text| hookshell_syntax::decode_dollar_single(&text)),
            b'P' => {
                let items = match value {
                    Fetched::Unset => return ControlFlow::Continue(Some(Fetched::Unset)),
                    Fetched::One(text) => Fetched::One(self.expand_prompt(&text)?),
                    Fetched::Many { items, star } => {
                        let mut expanded = Vec::new();
                        for item in items {
                            expanded.push(self.expand_prompt(&item)?);
                        }
                        Fetched::Many { items: expanded, star }
                    }
                };
                return ControlFlow::Continue(Some(items));
            }
            b'a' => {
                let flags = id.map(|id| self.attribute_letters(id)).unwrap_or_default();
                let is_declared = id.and_then(|id| self.vars.get(id)).is_some_and(|variable| !variable.has_value());
                match value {
                    // bash: what was only declared has its attributes once.
                    Fetched::Many { items, .. } if items.is_empty() && is_declared => Fetched::One(flags),
                    Fetched::Many { items, star } => {
                        Fetched::Many { items: items.iter().map(|_| flags.clone()).collect(), star }
                    }
                    _ if flags.is_empty() => Fetched::One(Vec::new()),
                    _ => Fetched::One(flags),
                }
            }
            b'A' => match (id, reference) {
                (Some(id), Reference::All(_, star))
                    if self.vars.computed(id).is_some_and(|s| s.is_computed_array()) =>
                {
                    match self.declaration_of(id, true).filter(|_| self.has_listed_value(id)) {
                        Some(text) => self.as_words(vec![text], *star, quoted),
                        None => Fetched::Unset,
                    }
                }
                (Some(id), Reference::All(_, star)) if self.vars.get(id).is_some_and(|v| v.value.is_array()) => {
                    self.declaration(id).map_or(Fetched::Unset, |text| self.as_words(vec![text], *star, quoted))
                }
                (Some(id), Reference::All(..)) if self.vars.get(id).is_none_or(|v| v.value == Value::Unset) => {
                    self.assignment_text(id, &Fetched::Unset)
                }
                (Some(id), _) => self.assignment_text(id, &value),
                // Without parameters it is nothing.
                (None, Reference::Parameters(_)) => match value {
                    Fetched::Many { mut items, star } if !items.is_empty() => {
                        items.iter_mut().for_each(|item| *item = in_form(item, bytes, quote::transform));
                        items[0].splice(0..0, *b"set -- ");
                        self.as_words(items, star, quoted)
                    }
                    value => value,
                },
                _ => Fetched::Unset,
            },
            b'K' | b'k' => {
                let is_associative = id.is_some_and(|id| self.is_associative(id));
                let pairs = match id.and_then(|id| self.vars.get(id)).map(|v| &v.value) {
                    Some(Value::Indexed(array)) => Some(
                        array.iter().map(|(i, text)| (i.to_string().into_bytes(), text.to_vec())).collect::<Vec<_>>(),
                    ),
                    Some(Value::Associative(array)) => {
                        Some(array.iter().map(|(key, text)| (key.to_vec(), text.to_vec())).collect())
                    }
                    _ => None,
                };
                match (pairs, &value) {
                    (Some(pairs), Fetched::Many { star, .. }) if operator == b'k' => Fetched::Many {
                        items: pairs.into_iter().flat_map(|(key, text)| [key, text]).collect(),
                        star: *star,
                    },
                    (Some(pairs), Fetched::Many { .. }) => {
                        let texts: Vec<Vec<u8>> = pairs
                            .into_iter()
                            .map(|(key, text)| {
                                [
                                    &*in_form(&key, bytes, quote::subscript),
                                    b" ",
                                    &*in_form(&text, bytes, quote::declaration),
                                ]
                                .concat()
                            })
                            .collect();
                        let mut text = texts.join(&b' ');
                        if is_associative && !text.is_empty() {
                            text.push(b' ');
                        }
                        Fetched::One(text)
                    }
                    _ => map_texts(value, |text| in_form(&text, bytes, quote::transform)),
                }
            }
            _ => return ControlFlow::Continue(None),
        };
        ControlFlow::Continue(Some(mapped))
    }

    /// `declare -a name=(…)` and `set -- …` of an expansion that is a list. bash protects the values alone, so that the
    /// words before them are words of their own, where IFS has a space or is null and it is no `"${x[*]@A}"`.
    fn as_words(&self, mut items: Vec<Vec<u8>>, star: bool, quoted: bool) -> Fetched {
        let is_null = self.env.inherited.ifs.joiner().is_empty();
        if (is_null || self.env.inherited.ifs.separator(b" ") > 0) && !(star && quoted) && !items.is_empty() {
            let first = items.remove(0);
            items.splice(0..0, first.splitn(3, |&byte| byte == b' ').map(<[u8]>::to_vec));
        }
        Fetched::Many { items, star: star && (quoted || !is_null) }
    }

    /// `${x@A}` of a string: the assignment, or the declaration where it has attributes, that makes it again.
    fn assignment_text(&self, id: SlotId, value: &Fetched) -> Fetched {
        let letters = self.attribute_letters(id);
        let mut text = Vec::new();
        if !letters.is_empty() {
            text = [b"declare -", &*letters, b" "].concat();
        }
        text.extend_from_slice(&self.vars.name(id));
        let value = match value {
            Fetched::Unset if letters.is_empty() => return Fetched::Unset,
            Fetched::Unset => return Fetched::One(text),
            Fetched::One(value) => value.clone(),
            Fetched::Many { items, .. } => items.join(&b' '),
        };
        text.push(b'=');
        text.extend_from_slice(&in_form(&value, self.env.bytes, quote::transform));
        Fetched::One(text)
    }
}

fn map_texts(value: Fetched, change: impl FnMut(Vec<u8>) -> Vec<u8>) -> Fetched {
    match value {
        Fetched::Unset => Fetched::Unset,
        Fetched::One(text) => Fetched::One(std::iter::once(text).map(change).next().unwrap_or_default()),
        Fetched::Many { items, star } => Fetched::Many { items: items.into_iter().map(change).collect(), star },
    }
}
