//! Words as glibc's `getopt_long` and `getopt_long_only` read them.

/// A long option that may be given.
#[derive(Debug, Clone, Copy)]
pub(super) struct LongOption<'a> {
    pub(super) name: &'a [u8],
    pub(super) has_value: HasValue,
}

/// Does an option take a value?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HasValue {
    Never,
    Always,
    Maybe,
}

/// What comes next among the words.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item<'a> {
    /// `-x`, with its value (empty where it may be missing and is) where it takes one.
    Letter(u8, Option<&'a [u8]>),
    /// `--name`, the same.
    Long(&'a [u8], Option<&'a [u8]>),
    /// An operand in its place, for an OPTSTRING that begins with `-`.
    Operand(&'a [u8]),
    /// The message.
    Wrong(Vec<u8>),
}

/// Where operands stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Anywhere: they are put after the options.
    Any,
    /// `+`, or POSIXLY_CORRECT: the first one ends the options.
    First,
    /// `-`: each is told in its place.
    Kept,
}

/// A pass over the words.
pub(super) struct Scanner<'s, 'a> {
    words: &'s [&'a [u8]],
    at: usize,
    /// The rest of a word of letters.
    letters: &'a [u8],
    optstring: &'a [u8],
    long: &'s [LongOption<'a>],
    alternative: bool,
    order: Order,
    operands: Vec<&'a [u8]>,
}

impl<'s, 'a> Scanner<'s, 'a> {
    pub(super) fn new(
        words: &'s [&'a [u8]],
        optstring: &'a [u8],
        long: &'s [LongOption<'a>],
        alternative: bool,
        stops_at_operand: bool,
    ) -> Self {
        let (order, optstring) = match optstring {
            [b'-', rest @ ..] => (Order::Kept, rest),
            [b'+', rest @ ..] => (Order::First, rest),
            all if stops_at_operand => (Order::First, all),
            all => (Order::Any, all),
        };
        Self { words, at: 0, letters: b"", optstring, long, alternative, order, operands: Vec::new() }
    }

    /// Does the OPTSTRING say that errors are not told?
    pub(super) fn is_quiet(&self) -> bool {
        self.optstring.first() == Some(&b':')
    }

    /// The operands, after the last item.
    pub(super) fn operands(self) -> impl Iterator<Item = &'a [u8]> {
        let rest = self.words.get(self.at..).unwrap_or_default();
        self.operands.into_iter().chain(rest.iter().copied())
    }

    /// The next item; `None`: only operands are left.
    pub(super) fn item(&mut self) -> Option<Item<'a>> {
        if !self.letters.is_empty() {
            return Some(self.letter());
        }
        loop {
            let word = *self.words.get(self.at)?;
            match word {
                b"--" => {
                    self.at += 1;
                    return None;
                }
                [b'-', _, ..] => break,
                operand => match self.order {
                    Order::First => return None,
                    Order::Kept => {
                        self.at += 1;
                        return Some(Item::Operand(operand));
                    }
                    Order::Any => {
                        self.at += 1;
                        self.operands.push(operand);
                    }
                },
            }
        }
        let word = *self.words.get(self.at)?;
        self.at += 1;
        if let Some(long) = word.strip_prefix(b"--") {
            return self.long(long, b"--");
        }
        let letters = word.get(1..).unwrap_or_default();
        let is_letter = |byte: &u8| self.optstring.contains(byte);
        if self.alternative
            && (letters.len() > 1 || !letters.first().is_some_and(is_letter))
            && let Some(item) = self.long(letters, b"-")
        {
            return Some(item);
        }
        self.letters = letters;
        Some(self.letter())
    }

    /// The first of the letters, which are not empty.
    fn letter(&mut self) -> Item<'a> {
        let (&letter, rest) = match self.letters.split_first() {
            Some(split) => split,
            None => return Item::Wrong(Vec::new()),
        };
        self.letters = rest;
        let at = self.optstring.iter().position(|known| *known == letter);
        let Some(after) = at.filter(|_| !matches!(letter, b':' | b';')).and_then(|at| self.optstring.get(at + 1..))
        else {
            return Item::Wrong([b"invalid option -- '", &[letter][..], b"'"].concat());
        };
        match after {
            [b':', b':', ..] => Item::Letter(letter, Some(std::mem::take(&mut self.letters))),
            [b':', ..] if !rest.is_empty() => Item::Letter(letter, Some(std::mem::take(&mut self.letters))),
            [b':', ..] => match self.words.get(self.at) {
                Some(given) => {
                    self.at += 1;
                    Item::Letter(letter, Some(given))
                }
                None => Item::Wrong([b"option requires an argument -- '", &[letter][..], b"'"].concat()),
            },
            _ => Item::Letter(letter, None),
        }
    }

    /// A long option after its dashes; `None`: it is a word of letters (`-a` only).
    fn long(&mut self, text: &'a [u8], dashes: &[u8]) -> Option<Item<'a>> {
        let (name, given) = match text.iter().position(|byte| *byte == b'=') {
            Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..)),
            None => (text, None),
        };
        let exact = self.long.iter().find(|option| option.name == name);
        let found = match exact {
            Some(exact) => exact,
            None => {
                let beginnings: Vec<&LongOption<'_>> =
                    self.long.iter().filter(|option| option.name.starts_with(name)).collect();
                match beginnings[..] {
                    [] => {
                        let is_letter = text.first().is_some_and(|first| self.optstring.contains(first));
                        if dashes == b"-" && is_letter {
                            return None;
                        }
                        return Some(Item::Wrong([b"unrecognized option '", dashes, text, b"'"].concat()));
                    }
                    [one] => one,
                    ref several => {
                        let mut message = [b"option '", dashes, text, b"' is ambiguous; possibilities:"].concat();
                        for option in several {
                            message.extend_from_slice(&[b" '", dashes, option.name, b"'"].concat());
                        }
                        return Some(Item::Wrong(message));
                    }
                }
            }
        };
        let wrong = |what: &[u8]| Item::Wrong([b"option '", dashes, found.name, b"' ", what].concat());
        Some(match (found.has_value, given) {
            (HasValue::Never, None) => Item::Long(found.name, None),
            (HasValue::Never, Some(_)) => wrong(b"doesn't allow an argument"),
            (_, Some(given)) => Item::Long(found.name, Some(given)),
            (HasValue::Maybe, None) => Item::Long(found.name, Some(b"")),
            (HasValue::Always, None) => match self.words.get(self.at) {
                Some(given) => {
                    self.at += 1;
                    Item::Long(found.name, Some(given))
                }
                None => wrong(b"requires an argument"),
            },
        })
    }
}
