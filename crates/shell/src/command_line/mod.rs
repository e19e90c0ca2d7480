//! The command line of `sh`: one grammar for everything that reads one.
//!
//! It is XCU `sh`, OPTIONS, with the options of bash 5.2 (`shell.c`: `parse_long_options`, `parse_shell_options`). `hookshell sh`, the
//! in-process shell that stands in for one that is not installed, and what looks at commands before they run (`check`, the scan of what
//! is trusted) read it here, so that they cannot disagree about what is an option, what is code and which word is the script.
//!
//! What differs from bash on purpose: long options may also stand after letters, `-i` makes no interactive shell and `-l` reads no
//! profile, because there is nobody to ask and nothing to read. Options of bash for which there is nothing here are refused with their
//! name ([`CommandLineError::NotSupported`]).

use hookshell_syntax::Dialect;
use thiserror::Error;

use crate::options::{self, Opt};

/// Whose command line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// A shell's: bash's options, of which those of POSIX's `sh` are a part.
    Shell,
    /// That of `hookshell sh`, which has [options of its own](OwnOption) besides, and for which `--posix` is POSIX's language.
    Hookshell,
}

/// An option that only `hookshell sh` has. It takes a value: the next word, or what follows a `=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnOption {
    /// `--limit NAME=VALUE`
    Limit,
    /// `--utilities WHICH`
    Utilities,
    /// `--missing-shell WHICH`
    MissingShell,
}

impl OwnOption {
    const ALL: [Self; 3] = [Self::Limit, Self::Utilities, Self::MissingShell];

    /// How it is spelled.
    pub fn name(self) -> &'static str {
        match self {
            Self::Limit => "--limit",
            Self::Utilities => "--utilities",
            Self::MissingShell => "--missing-shell",
        }
    }
}

/// A long option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LongOption {
    /// It changes nothing here: what it is about (start-up files, line editing) is not here.
    Ignored,
    /// The same, and the next word is its value.
    IgnoredFile,
    Login,
    Posix,
    Verbose,
    Restricted,
    Help,
    Version,
    Own(OwnOption),
    /// bash has it, and why it is not here.
    NotSupported(&'static str),
}

const NO_DEBUGGER: &str = "there is no debugger";
const NO_TRANSLATIONS: &str = "strings for translation are not listed";
const NO_PRINTER: &str = "scripts are not printed";

/// bash's long options, without the hyphens.
const LONG_OPTIONS: &[(&str, LongOption)] = &[
    ("debug", LongOption::NotSupported(NO_DEBUGGER)),
    ("debugger", LongOption::NotSupported(NO_DEBUGGER)),
    ("dump-po-strings", LongOption::NotSupported(NO_TRANSLATIONS)),
    ("dump-strings", LongOption::NotSupported(NO_TRANSLATIONS)),
    ("help", LongOption::Help),
    ("init-file", LongOption::IgnoredFile),
    ("login", LongOption::Login),
    ("noediting", LongOption::Ignored),
    ("noprofile", LongOption::Ignored),
    ("norc", LongOption::Ignored),
    ("posix", LongOption::Posix),
    ("pretty-print", LongOption::NotSupported(NO_PRINTER)),
    ("rcfile", LongOption::IgnoredFile),
    ("restricted", LongOption::Restricted),
    ("verbose", LongOption::Verbose),
    ("version", LongOption::Version),
];

/// What the words are, one after the other, as long as options may follow.
#[derive(Debug, Clone)]
pub struct OptionReader {
    grammar: Grammar,
    /// Letters have been read: bash knows long options with one hyphen (`-rcfile x`) only before them.
    has_letters: bool,
}

/// What a word is where an option may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionWord<'w> {
    kind: WordKind<'w>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordKind<'w> {
    /// The first operand: no option follows.
    Operand,
    /// `--`, `-`: what follows are operands.
    End,
    /// A long option, and what follows its `=`.
    Long(LongOption, Option<&'w [u8]>),
    /// One that nobody knows.
    Unknown,
    /// `-eux`, `+e`
    Letters { on: bool, letters: &'w [u8] },
}

impl OptionWord<'_> {
    /// Is it the first operand?
    pub fn is_operand(&self) -> bool {
        self.kind == WordKind::Operand
    }

    /// Does it end the options, so that the next word is the first operand?
    pub fn ends_options(&self) -> bool {
        self.kind == WordKind::End
    }

    /// Is it `-c` (`-ec`, `+c`): the first operand is code?
    pub fn is_command(&self) -> bool {
        self.has(b'c')
    }

    /// Is it `-s`: the commands come from standard input?
    pub fn is_stdin(&self) -> bool {
        self.has(b's')
    }

    /// Is it an option that this grammar has?
    pub fn is_known(&self) -> bool {
        match self.kind {
            WordKind::Unknown | WordKind::Long(LongOption::NotSupported(_), _) => false,
            WordKind::Letters { letters, .. } => {
                letters.iter().all(|letter| b"cilosrO".contains(letter) || options::by_letter(*letter).is_some())
            }
            _ => true,
        }
    }

    /// Is it a long option of bash or of hookshell, with one hyphen or with two?
    pub fn is_long(&self) -> bool {
        matches!(self.kind, WordKind::Long(..))
    }

    /// Is its value a start-up file (`--rcfile`), which an interactive shell runs?
    pub fn names_startup_file(&self) -> bool {
        matches!(self.kind, WordKind::Long(LongOption::IgnoredFile, _))
    }

    /// How many of the next words are values of this one.
    pub fn values(&self) -> usize {
        match self.kind {
            WordKind::Letters { letters, .. } => letters.iter().filter(|letter| matches!(letter, b'o' | b'O')).count(),
            WordKind::Long(LongOption::IgnoredFile, _) | WordKind::Long(LongOption::Own(_), None) => 1,
            _ => 0,
        }
    }

    fn has(&self, letter: u8) -> bool {
        matches!(self.kind, WordKind::Letters { letters, .. } if letters.contains(&letter))
    }
}

impl OptionReader {
    /// Before the first word.
    pub fn new(grammar: Grammar) -> Self {
        Self { grammar, has_letters: false }
    }

    /// What the next word is. The [values](OptionWord::values) of an option are not to be given.
    pub fn read<'w>(&mut self, word: &'w [u8]) -> OptionWord<'w> {
        let kind = match word {
            b"--" | b"-" => WordKind::End,
            [b'-', b'-', name @ ..] => self.long(name),
            [b'-', name @ ..] if !self.has_letters && long_option(name).is_some() => {
                long_option(name).map_or(WordKind::Unknown, |option| WordKind::Long(option, None))
            }
            [sign @ (b'-' | b'+'), letters @ ..] => {
                self.has_letters = true;
                WordKind::Letters { on: *sign == b'-', letters }
            }
            _ => WordKind::Operand,
        };
        OptionWord { kind }
    }

    fn long<'w>(&self, name: &'w [u8]) -> WordKind<'w> {
        if let Some(option) = long_option(name) {
            return WordKind::Long(option, None);
        }
        let end = name.iter().position(|byte| *byte == b'=').unwrap_or(name.len());
        let (before, value) = (name.get(..end).unwrap_or_default(), name.get(end + 1..));
        let is_it = |own: &OwnOption| own.name().as_bytes().get(2..) == Some(before);
        match OwnOption::ALL.into_iter().find(is_it) {
            Some(own) if self.grammar == Grammar::Hookshell => WordKind::Long(LongOption::Own(own), value),
            _ => WordKind::Unknown,
        }
    }
}

fn long_option(name: &[u8]) -> Option<LongOption> {
    LONG_OPTIONS.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, option)| *option)
}

/// A command line that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// What its options make of the shell.
    pub setup: Setup,
    /// Which language is read.
    pub dialect: Dialect,
    /// hookshell's own options and their values, in their order.
    pub own: Vec<(OwnOption, Vec<u8>)>,
    /// Where the commands come from.
    pub input: Input,
    /// `$1` and so on.
    pub args: Vec<Vec<u8>>,
}

/// Where the commands come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// `-c`: this text.
    Command {
        /// The commands.
        text: Vec<u8>,
        /// `$0`, where an operand gives it.
        name: Option<Vec<u8>>,
    },
    /// A script file, which is `$0` too.
    File(Vec<u8>),
    /// Standard input.
    Stdin,
    /// Nowhere: this text is printed (`--version`, `--help`).
    Print(&'static str),
}

impl Input {
    /// Is it this script file?
    pub fn is_file(&self, file: &[u8]) -> bool {
        matches!(self, Self::File(found) if found == file)
    }
}

/// What the options of a command line make of a shell that has not begun to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Setup {
    /// In the order in which they were given.
    pub(crate) settings: Vec<(Opt, bool)>,
    pub(crate) restricted: bool,
    /// Called `bash` and not interactive: the file that `BASH_ENV` names runs first.
    pub(crate) reads_bash_env: bool,
}

impl Setup {
    /// The shell is a restricted one, whatever the options say.
    pub fn restrict(&mut self) {
        self.restricted = true;
    }

    /// Is it a restricted shell?
    pub fn is_restricted(&self) -> bool {
        self.restricted
    }

    /// Is the shell as it is without options?
    pub fn is_plain(&self) -> bool {
        self.settings.is_empty() && !self.restricted
    }
}

/// Why a command line is not run. The text is what follows the shell's name in a message.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandLineError {
    /// No such option.
    #[error("{0}: invalid option")]
    InvalidOption(String),
    /// The next word should be its value, and there is none.
    #[error("{0}: option requires an argument")]
    MissingArgument(String),
    /// `-o NAME`, and `set` has no such option.
    #[error("{0}: invalid option name")]
    InvalidName(String),
    /// `-O NAME`, and `shopt` has no such option.
    #[error("{0}: invalid shell option name")]
    InvalidShoptName(String),
    /// bash has it.
    #[error("{option}: not supported: {reason}")]
    NotSupported {
        /// The option.
        option: String,
        /// Why not.
        reason: &'static str,
    },
}

/// What `--version` prints.
const VERSION: &str = concat!("hookshell ", env!("CARGO_PKG_VERSION"), ", a POSIX shell (bash dialect)\n");

/// What `--help` prints where a shell's name is all that is there of it.
const HELP: &str = "\
Usage: sh [OPTION]... [-c SCRIPT [NAME [ARG]...] | FILE [ARG]... | -s [ARG]...]
  -c                      run the first operand; the next one is $0
  -s                      read the commands from standard input (also without FILE)
  -abefhkmnptuvxBCEHPT    set an option of `set`; + in place of - unsets it
  -o NAME, +o NAME        the same by name
  -O NAME, +O NAME        set or unset an option of `shopt`
  -r, --restricted        the restricted shell
  -i -l --login --noediting --noprofile --norc --init-file FILE --rcfile FILE
                          as in bash; start-up files are read under the name `bash` only
  --posix --verbose       the same as -o posix, -o verbose
  --help --version        print this, or the version
";

impl CommandLine {
    /// Reads the words that follow the shell's name. The name counts too: `rbash` is restricted.
    ///
    /// # Errors
    /// A shell would not run it, or this one does not; nothing was run.
    pub fn parse<W: AsRef<[u8]>>(name: &[u8], words: &[W], grammar: Grammar) -> Result<Self, CommandLineError> {
        let mut line = Self {
            setup: Setup::default(),
            dialect: Dialect::Bash,
            own: Vec::new(),
            input: Input::Stdin,
            args: Vec::new(),
        };
        let (mut is_command, mut is_stdin, mut is_interactive) = (false, false, false);
        let mut reader = OptionReader::new(grammar);
        let mut rest = words.iter().map(AsRef::as_ref);
        let mut operands = rest.clone();
        while let Some(word) = rest.next() {
            let read = reader.read(word);
            if read.is_operand() {
                break;
            }
            match read.kind {
                WordKind::Operand | WordKind::End => {}
                WordKind::Unknown => return Err(CommandLineError::InvalidOption(lossy(word))),
                WordKind::Long(LongOption::Help, _) => return Ok(Self { input: Input::Print(HELP), ..line }),
                WordKind::Long(LongOption::Version, _) => return Ok(Self { input: Input::Print(VERSION), ..line }),
                WordKind::Long(option, joined) => {
                    let value = match (read.values(), joined) {
                        (0, joined) => joined,
                        _ => Some(rest.next().ok_or_else(|| CommandLineError::MissingArgument(lossy(word)))?),
                    };
                    line.long_option(option, word, value.unwrap_or_default(), grammar)?;
                }
                WordKind::Letters { on, letters } => {
                    is_command |= read.is_command();
                    is_stdin |= read.is_stdin();
                    is_interactive |= on && letters.contains(&b'i');
                    for &letter in letters {
                        line.letter(letter, on, &mut rest)?;
                    }
                }
            }
            operands = rest.clone();
            if read.ends_options() {
                break;
            }
        }
        let base = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
        let base = base.strip_prefix(b"-").unwrap_or(base);
        if KnownShell::named(base).is_some_and(KnownShell::is_restricted) {
            line.setup.restrict();
        }
        if is_interactive {
            // Before what `-O` says of it, wherever that stands.
            line.setup.settings.insert(0, (Opt::ExpandAliases, true));
        }
        line.setup.reads_bash_env = matches!(base, b"bash" | b"rbash") && !is_interactive;
        if is_command {
            let text = operands.next().ok_or_else(|| CommandLineError::MissingArgument("-c".to_owned()))?;
            line.input = Input::Command { text: text.to_vec(), name: operands.next().map(<[u8]>::to_vec) };
        } else if !is_stdin && let Some(file) = operands.next() {
            line.input = Input::File(file.to_vec());
        }
        line.args = operands.map(<[u8]>::to_vec).collect();
        Ok(line)
    }

    fn long_option(
        &mut self,
        option: LongOption,
        word: &[u8],
        value: &[u8],
        grammar: Grammar,
    ) -> Result<(), CommandLineError> {
        match option {
            // Help and the version end the reading.
            LongOption::Ignored | LongOption::IgnoredFile | LongOption::Help | LongOption::Version => {}
            LongOption::Login => self.setup.settings.push((Opt::LoginShell, true)),
            LongOption::Posix if grammar == Grammar::Hookshell => self.dialect = Dialect::Posix,
            LongOption::Posix => self.setup.settings.push((Opt::Posix, true)),
            LongOption::Verbose => self.setup.settings.push((Opt::Verbose, true)),
            LongOption::Restricted => self.setup.restricted = true,
            LongOption::Own(own) => self.own.push((own, value.to_vec())),
            LongOption::NotSupported(reason) => {
                return Err(CommandLineError::NotSupported { option: lossy(word), reason });
            }
        }
        Ok(())
    }

    /// One letter; what it takes is the next of the words.
    fn letter<'w>(
        &mut self,
        letter: u8,
        on: bool,
        words: &mut impl Iterator<Item = &'w [u8]>,
    ) -> Result<(), CommandLineError> {
        let spelled = || format!("{}{}", if on { '-' } else { '+' }, char::from(letter));
        let setting = match letter {
            // Whatever the sign, as in bash.
            b'c' | b's' => return Ok(()),
            // Nobody is asked anything: it is in `$-`.
            b'i' if on => (Opt::Interactive, true),
            b'i' => return Ok(()),
            // A login shell says that it is one.
            b'l' => (Opt::LoginShell, true),
            b'r' if on => {
                self.setup.restricted = true;
                return Ok(());
            }
            // A restricted shell stays one.
            b'r' if self.setup.restricted => return Err(CommandLineError::InvalidOption(spelled())),
            b'r' => return Ok(()),
            b'D' => return Err(CommandLineError::NotSupported { option: spelled(), reason: NO_TRANSLATIONS }),
            b'o' | b'O' => {
                let name = words.next().ok_or_else(|| CommandLineError::MissingArgument(spelled()))?;
                let found = if letter == b'o' { options::by_name(name) } else { options::shopt_by_name(name) };
                match found {
                    // It says how the shell was started.
                    Some(Opt::RestrictedShell) => return Ok(()),
                    Some(opt) => (opt, on),
                    None if letter == b'o' => return Err(CommandLineError::InvalidName(lossy(name))),
                    None => return Err(CommandLineError::InvalidShoptName(lossy(name))),
                }
            }
            letter => match options::by_letter(letter) {
                Some(opt) => (opt, on),
                None => return Err(CommandLineError::InvalidOption(spelled())),
            },
        };
        self.setup.settings.push(setting);
        Ok(())
    }
}

fn lossy(word: &[u8]) -> String {
    String::from_utf8_lossy(word).into_owned()
}

mod known_shell;
#[cfg(test)]
mod tests;

pub use self::known_shell::KnownShell;
