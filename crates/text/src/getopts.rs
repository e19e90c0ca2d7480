//! The `getopts` utility (POSIX XCU getopts) as a function from a position to the next option.

/// Where the next option is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// The index of the next word, counted from 1: OPTIND.
    pub index: usize,
    /// The letters of that word that were already given; 0 at the start of a word. A script that assigns OPTIND
    /// resets it.
    pub letters: usize,
}

impl Default for State {
    fn default() -> Self {
        Self { index: 1, letters: 0 }
    }
}

/// What `getopts` found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// An option of the option string, with its argument if it takes one.
    Option(u8, Option<&'a [u8]>),
    /// A letter that is not in the option string.
    Unknown(u8),
    /// The argument of this option is missing.
    MissingArgument(u8),
    /// No further option; the exit status is 1.
    End,
}

/// What the utility assigns and prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report<'a> {
    /// The value for the name operand.
    pub name: u8,
    /// The value for OPTARG; `None` unsets it.
    pub argument: Option<Argument<'a>>,
    /// The text to write to standard error after `$0: ` when OPTERR is not 0, and the letter to put after it.
    pub message: Option<(&'static str, u8)>,
}

/// A value for OPTARG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument<'a> {
    /// The option's argument.
    Word(&'a [u8]),
    /// The letter that was wrong, when the option string starts with a colon.
    Letter(u8),
}

/// Finds the next option among `arguments` (the positional parameters or the operands) and moves the state.
pub fn next<'a>(options: &[u8], arguments: &[&'a [u8]], state: &mut State) -> Step<'a> {
    state.index = state.index.max(1);
    if state.letters == 0 {
        match arguments.get(state.index - 1).copied() {
            Some(b"--") => {
                state.index += 1;
                return Step::End;
            }
            Some([b'-', _, ..]) => state.letters = 1,
            Some(_) => return Step::End,
            None => {
                state.index = arguments.len() + 1;
                return Step::End;
            }
        }
    }
    // The word may have been replaced between two calls.
    let word = arguments.get(state.index - 1).copied().unwrap_or_default();
    let Some(&letter) = word.get(state.letters) else {
        state.index += 1;
        state.letters = 0;
        return next(options, arguments, state);
    };
    state.letters += 1;
    let rest = &word[state.letters..];
    let known = if letter == b':' { None } else { options.iter().position(|&option| option == letter) };
    let step_over = |state: &mut State| {
        state.index += 1;
        state.letters = 0;
    };
    if rest.is_empty() {
        step_over(state);
    }
    let Some(place) = known else {
        return Step::Unknown(letter);
    };
    if options.get(place + 1) != Some(&b':') {
        return Step::Option(letter, None);
    }
    if !rest.is_empty() {
        step_over(state);
        return Step::Option(letter, Some(rest));
    }
    match arguments.get(state.index - 1) {
        Some(argument) => {
            state.index += 1;
            Step::Option(letter, Some(argument))
        }
        None => Step::MissingArgument(letter),
    }
}

impl<'a> Step<'a> {
    /// What the utility does about this step; `options` is the option string, whose leading colon makes it silent.
    #[must_use]
    pub fn report(self, options: &[u8]) -> Report<'a> {
        let silent = options.first() == Some(&b':');
        match self {
            Self::Option(letter, argument) => {
                Report { name: letter, argument: argument.map(Argument::Word), message: None }
            }
            Self::Unknown(letter) if silent => {
                Report { name: b'?', argument: Some(Argument::Letter(letter)), message: None }
            }
            Self::Unknown(letter) => {
                Report { name: b'?', argument: None, message: Some(("illegal option -- ", letter)) }
            }
            Self::MissingArgument(letter) if silent => {
                Report { name: b':', argument: Some(Argument::Letter(letter)), message: None }
            }
            Self::MissingArgument(letter) => {
                Report { name: b'?', argument: None, message: Some(("option requires an argument -- ", letter)) }
            }
            Self::End => Report { name: b'?', argument: None, message: None },
        }
    }
}
