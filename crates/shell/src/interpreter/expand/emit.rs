//! How the elements of `$*`, `$@` and arrays become text and fields (XCU 2.5.2).

use super::Context;
use super::parameter::ListKind;
use super::sink::Sink;
use crate::shell::Shell;
use crate::vars::Fetched;

/// What the elements are that an expansion gives, as far as it matters how they are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Elements {
    /// `$*`
    Parameters,
    /// `${array[*]}`
    Array,
    /// What `#`, `%`, `:`, `@` make of them, and the keys of an array.
    Changed,
    /// What `/`, `^`, `,`, `~` make of them, and names.
    Rewritten,
}

impl Shell {
    /// Gives a value, or all the elements of one, to the sink.
    pub(super) fn emit_fetched<S: Sink>(&mut self, value: Fetched, elements: Elements, context: Context, sink: &mut S) {
        match value {
            Fetched::Unset => self.emit(b"", context, sink),
            Fetched::One(text) => self.emit(&text, context, sink),
            Fetched::Many { items, star: false } => self.emit_list(items.iter().map(Vec::as_slice), context, sink),
            Fetched::Many { items, .. } => self.emit_star(&items, elements, context, sink),
        }
    }

    /// Gives the elements of `$@` to the sink.
    pub(super) fn emit_list<'i, S: Sink>(&self, items: impl Iterator<Item = &'i [u8]>, context: Context, sink: &mut S) {
        // In the word of `${x-$@}`, unquoted, bash puts spaces between the elements where it does not split at them.
        let spaced = S::FIELDS
            && context.operand
            && !context.quoted
            && self.env.inherited.ifs.joiner().first().is_some_and(|&first| first != b' ');
        for (index, item) in items.enumerate() {
            if index > 0 && spaced {
                sink.expansion(b" ", &self.env.inherited.ifs);
            } else if index > 0 {
                sink.boundary(context.quoted, &self.env.inherited.ifs);
            }
            if context.quoted || spaced {
                sink.text(item, true);
            } else {
                self.split(item, sink);
            }
        }
    }

    /// Gives the elements of `$*` to the sink.
    fn emit_star<S: Sink>(&self, items: &[Vec<u8>], elements: Elements, context: Context, sink: &mut S) {
        let joiner = self.env.inherited.ifs.joiner();
        // Where bash joins with spaces whatever IFS is.
        let spaced = match elements {
            Elements::Parameters | Elements::Changed if context.here => true,
            Elements::Parameters if joiner.is_empty() && !context.quoted => {
                S::DECLARATION || S::ASSIGNMENT && context.operand
            }
            Elements::Changed => joiner.is_empty() && !context.quoted && S::DECLARATION,
            _ => false,
        };
        let joiner = if spaced { b" " } else { joiner };
        if context.quoted && context.list > ListKind::None && !joiner.is_empty() {
            match elements {
                Elements::Changed | Elements::Rewritten if S::FIELDS => {
                    for (index, item) in items.iter().enumerate() {
                        if index > 0 {
                            sink.separator(self.env.inherited.ifs.joiner_delimits());
                        }
                        if !item.is_empty() {
                            sink.text(item, true);
                        }
                    }
                    return;
                }
                // Elements that are all empty are something, too, where they are not changed.
                _ if S::FIELDS && !items.is_empty() => return sink.text(&items.join(joiner), true),
                Elements::Parameters | Elements::Changed | Elements::Rewritten if context.here => {
                    return self.emit(&self.collapsed(items, elements), context, sink);
                }
                _ => {}
            }
        }
        if context.quoted || !S::FIELDS {
            return self.emit(&items.join(joiner), context, sink);
        }
        self.emit_list(items.iter().map(Vec::as_slice), Context { operand: false, ..context }, sink);
    }

    /// bash: `$*` in a here-document beside a list: what separates is one space, the elements themselves are split
    /// where they are those of `$*` as it is.
    fn collapsed(&self, items: &[Vec<u8>], elements: Elements) -> Vec<u8> {
        let changed = elements != Elements::Parameters;
        let splits = self.env.inherited.ifs.separator(b" ") > 0;
        let mut result = Vec::new();
        let mut separated = false;
        for (index, item) in items.iter().enumerate() {
            if index > 0 && !(splits && separated) {
                result.push(b' ');
                separated = true;
            }
            let mut rest = item.as_slice();
            while !rest.is_empty() {
                let length = if changed { 0 } else { self.env.inherited.ifs.separator(rest) };
                if length == 0 {
                    let (run, after) =
                        rest.split_at(if changed { rest.len() } else { self.env.inherited.ifs.run(rest) });
                    result.extend_from_slice(run);
                    rest = after;
                    separated = false;
                    continue;
                }
                rest = &rest[length..];
                if !separated {
                    result.push(b' ');
                    separated = true;
                }
            }
        }
        result
    }
}
