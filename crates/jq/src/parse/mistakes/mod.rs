//! What is wrong with a program that is not valid, in jq's words.
//!
//! jq's messages name the words that could stand in the place of a wrong one (`, expecting ';' or ')'`), and after a mistake it reads
//! on and may find more. Both follow from the states of bison's automaton. So a program that the parser rejects is read once
//! more, by the automaton itself.

mod tables;
mod words;

use self::tables::{ACTIONS, CHECK, DEFAULT_GOTOS, DEFAULTS, GOTOS, LEFT_SIDES, LENGTHS, NAMES, TABLE};
use self::words::{END, Kind, Word, Words};
use super::Mistake;

/// The symbol that stands for what was passed over.
const ERROR: Kind = 1;

/// A part of the table that is empty: only the state's default counts.
const NO_ACTIONS: i16 = -157;

/// A place of the table where the word is wrong, whatever the default.
const WRONG: i16 = -156;

/// The state in which a whole program has been read.
const FINAL: usize = 30;

/// bison's YYMAXDEPTH: so many states are kept at most.
const MAX_STATES: usize = 10_000;

/// More words than these are not named as expected.
const MAX_EXPECTED: usize = 4;

/// So many words have to be read without a mistake until the next one is told.
const WORDS_TO_RECOVER: u8 = 3;

/// The rules that read on after a mistake and tell more about it.
const TELLING_RULES: [(usize, &str); 7] = [
    (16, "Possibly unterminated 'if' statement"),
    (19, "Possibly unterminated 'try' statement"),
    (75, "break requires a label to break to"),
    (84, "try .[\"field\"] instead of .field for unusually named fields"),
    (85, "try .[\"field\"] instead of .field for unusually named fields"),
    (136, "May need parentheses around object key expression"),
    (169, "May need parentheses around object key expression"),
];

/// A state of the automaton, and where what it was entered by begins and ends.
type State = (usize, [usize; 2]);

fn number<T: Copy + Into<i64>>(table: &[T], at: usize) -> i64 {
    table.get(at).map_or(0, |number| (*number).into())
}

fn index(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// What the table has at a place, if that is the part of `owner`.
fn entry(begin: i64, owner: usize, offset: usize) -> Option<i64> {
    let at = usize::try_from(begin + i64::try_from(offset).ok()?).ok()?;
    let is_own = CHECK.get(at).is_some_and(|own| i64::from(*own) == i64::try_from(owner).unwrap_or(-1));
    is_own.then(|| number(&TABLE, at))
}

/// What a state does with a word; `None`: its default.
fn action(state: usize, word: Kind) -> Option<i64> {
    let begin = number(&ACTIONS, state);
    if begin == i64::from(NO_ACTIONS) { None } else { entry(begin, word, word) }
}

/// The message of a word that cannot stand where this state is.
fn unexpected(state: usize, word: Kind) -> String {
    let name = |kind: Kind| NAMES.get(kind).copied().unwrap_or_default();
    let is_expected =
        |kind: &Kind| *kind != ERROR && action(state, *kind).is_some_and(|action| action != i64::from(WRONG));
    let expected: Vec<_> = (0..NAMES.len()).filter(is_expected).map(name).collect();
    let mut message = format!("syntax error, unexpected {}", name(word));
    if !expected.is_empty() && expected.len() <= MAX_EXPECTED {
        message.push_str(", expecting ");
        message.push_str(&expected.join(" or "));
    }
    message.push_str(" (Unix shell quoting issues?)");
    message
}

/// jq's message of escapes in a string that say no text: it reads them as a JSON text of their own.
fn text_fault(fault: &str, escapes: &[u8]) -> String {
    let line = memchr::memchr_iter(b'\n', escapes).count() + 1;
    let (quote, before) = (1, memchr::memrchr(b'\n', escapes).map(|at| escapes.len() - at - 1));
    let column = before.unwrap_or(quote + escapes.len()) + quote;
    let text = String::from_utf8_lossy(escapes);
    format!("{fault} at line {line}, column {column} (while parsing '\"{text}\"')")
}

/// All mistakes of a program; none if jq 1.7.1's grammar has it.
pub(super) fn mistakes(source: &[u8]) -> Vec<Mistake> {
    let mut automaton = Automaton {
        source,
        words: Words::new(source),
        ahead: None,
        states: Vec::new(),
        mistakes: Vec::new(),
        quiet: 0,
    };
    automaton.run();
    automaton.mistakes
}

struct Automaton<'a> {
    source: &'a [u8],
    words: Words<'a>,
    /// The word that was read and not yet used.
    ahead: Option<(Kind, [usize; 2])>,
    states: Vec<State>,
    mistakes: Vec<Mistake>,
    /// How many words have to be read until the next mistake is told.
    quiet: u8,
}

impl Automaton<'_> {
    fn tell(&mut self, message: String, place: usize) {
        self.mistakes.push(Mistake { message, place });
    }

    fn state(&self) -> State {
        self.states.last().copied().unwrap_or_default()
    }

    fn peek(&mut self) -> (Kind, [usize; 2]) {
        if let Some(ahead) = self.ahead {
            return ahead;
        }
        let Word { kind, start, end, fault } = self.words.next();
        if let Some(fault) = fault {
            let text = self.source.get(start..end).unwrap_or_default();
            self.tell(text_fault(fault, text), start);
        }
        *self.ahead.insert((kind, [start, end]))
    }

    fn run(&mut self) {
        self.states.push((0, [0, 0]));
        // bison's names: `yynewstate`, `yybackup`, `yydefault` and `yyreduce`, `yyerrlab`.
        while self.states.len() < MAX_STATES {
            let (state, _) = self.state();
            if state == FINAL {
                return;
            }
            let action = if number(&ACTIONS, state) == i64::from(NO_ACTIONS) {
                None
            } else {
                let (word, _) = self.peek();
                action(state, word)
            };
            let rule = match action {
                Some(next) if next > 0 => {
                    self.shift(index(next));
                    continue;
                }
                Some(wrong) if wrong == i64::from(WRONG) => 0,
                Some(rule) => index(-rule),
                None => index(number(&DEFAULTS, state)),
            };
            let can_continue = if rule == 0 { self.recover() } else { self.reduce(rule) };
            if !can_continue {
                return;
            }
        }
        let (_, [place, _]) = self.peek();
        self.tell("memory exhausted".to_owned(), place);
    }

    fn shift(&mut self, state: usize) {
        self.quiet = self.quiet.saturating_sub(1);
        if let Some((_, place)) = self.ahead.take() {
            self.states.push((state, place));
        }
    }

    fn reduce(&mut self, rule: usize) -> bool {
        let length = index(number(&LENGTHS, rule));
        let Some(rest) = self.states.len().checked_sub(length).filter(|rest| *rest > 0) else { return false };
        let parts = self.states.split_off(rest);
        let (below, [_, end_below]) = self.state();
        let place = match (parts.first(), parts.last()) {
            (Some((_, [start, _])), Some((_, [_, end]))) => [*start, *end],
            _ => [end_below, end_below],
        };
        if let Some((_, message)) = TELLING_RULES.iter().find(|(own, _)| *own == rule) {
            self.tell((*message).to_owned(), place[0]);
        }
        let made = index(number(&LEFT_SIDES, rule)).saturating_sub(NAMES.len());
        let next = entry(number(&GOTOS, made), below, below).unwrap_or_else(|| number(&DEFAULT_GOTOS, made));
        self.states.push((index(next), place));
        true
    }

    /// Passes over what is wrong, to a state that can read on; `false`: there is none.
    fn recover(&mut self) -> bool {
        let (word, place) = self.peek();
        if self.quiet == 0 {
            let message = unexpected(self.state().0, word);
            self.tell(message, place[0]);
        }
        let mut start = place[0];
        if self.quiet == WORDS_TO_RECOVER {
            if word == END {
                return false;
            }
            self.ahead = None;
        }
        self.quiet = WORDS_TO_RECOVER;
        loop {
            let (state, own) = self.state();
            if let Some(next) = action(state, ERROR).filter(|next| *next > 0) {
                self.states.push((index(next), [start, place[1]]));
                return true;
            }
            if self.states.len() <= 1 {
                return false;
            }
            start = own[0];
            self.states.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::mistakes;

    fn messages(program: &str) -> Vec<(String, usize)> {
        mistakes(program.as_bytes()).into_iter().map(|mistake| (mistake.message, mistake.place)).collect()
    }

    #[test]
    fn a_valid_program_has_no_mistake() {
        for program in
            [".", "", "def f(g; $x): g + $x; f(1; 2)", "\"a\\(1 + \"b\")c\"", "# text\n{a: [1, 2]} | .a[0:1]?"]
        {
            assert_eq!(messages(program), [], "{program}");
        }
    }

    #[test]
    fn a_mistake_names_what_was_expected() {
        let expected = "syntax error, unexpected end of file, expecting ';' or ')' (Unix shell quoting issues?)";
        assert_eq!(messages("limit(1 "), [(expected.to_owned(), 7)]);
    }

    #[test]
    fn reading_can_continue_after_a_mistake() {
        let expected = [
            ("syntax error, unexpected LITERAL (Unix shell quoting issues?)".to_owned(), 1),
            ("May need parentheses around object key expression".to_owned(), 1),
        ];
        assert_eq!(messages("{1:2}"), expected);
    }
}
