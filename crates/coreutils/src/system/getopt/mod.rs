//! `getopt`: a script's options in their usual order.

mod scan;

use hookshell_utility::Profile;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, parse_leading, value};
use hookshell_utility::prepare;
use hookshell_utility::{Args, Prepared, Stopped, Unsupported, Utility, UtilityCall};

use scan::{HasValue, Item, LongOption, Scanner};

/// `getopt OPTSTRING [WORD]…`, `getopt [-aqQTu] [-l NAMES]… [-n NAME] [-s SHELL] -o OPTSTRING -- [WORD]…` (util-linux): the words
/// as glibc's `getopt_long` reads them.
pub(crate) struct Getopt;

const OPTIONS: &[OptionSpec] = &[
    flag(b'a', "alternative"),
    value(b'l', "longoptions"),
    value(b'n', "name"),
    value(b'o', "options"),
    flag(b'q', "quiet"),
    flag(b'Q', "quiet-output"),
    value(b's', "shell"),
    flag(b'T', "test"),
    flag(b'u', "unquoted"),
    // What a shortened name may mean, too.
    flag(HELP, "help"),
    flag(HELP, "version"),
];

const HELP: u8 = LONG_ONLY;

/// The words have an error.
const WRONG_WORDS: u8 = 1;
/// `getopt` itself was called wrongly.
const WRONG_CALL: u8 = 2;
/// `-T`: this is the enhanced one.
const ENHANCED: u8 = 4;

/// How operands are quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoting {
    None,
    Posix,
    /// For csh, too.
    Tcsh,
}

/// What the command line says.
enum Command<'a> {
    Test,
    /// The message.
    Wrong(&'static str),
    Scan(Scan<'a>),
}

struct Scan<'a> {
    optstring: &'a [u8],
    long: Vec<LongOption<'a>>,
    name: &'a [u8],
    words: Vec<&'a [u8]>,
    /// `-foo` may be `--foo`.
    alternative: bool,
    quiet: bool,
    quiet_output: bool,
    quoting: Quoting,
    stops_at_operand: bool,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let is_set = |name: &str| call.env.iter().any(|(known, _)| known == name);
    let stops_at_operand = is_set("POSIXLY_CORRECT");
    let compatible = is_set("GETOPT_COMPATIBLE");
    let argv: &'a Args = call.argv;
    let Some(first) = argv.iter_from(1).next() else {
        return Ok(match compatible {
            true => Command::Scan(old(b"", Vec::new(), stops_at_operand)),
            false => Command::Wrong("missing optstring argument"),
        });
    };
    if compatible || first.first() != Some(&b'-') {
        let marks = first.iter().take_while(|byte| matches!(byte, b'-' | b'+')).count();
        let optstring = first.get(marks..).unwrap_or_default();
        return checked(old(optstring, argv.iter_from(2).collect(), stops_at_operand));
    }
    let parsed = parse_leading(argv, OPTIONS)?;
    if parsed.has(HELP) {
        return Err(Unsupported::new("--help"));
    }
    let mut long = Vec::new();
    let mut quoting = Quoting::Posix;
    let mut unquoted = false;
    for (letter, given) in &parsed.options {
        match letter {
            b'l' => match long_options(given) {
                Ok(several) => long.extend(several),
                Err(message) => return Ok(Command::Wrong(message)),
            },
            b's' => match *given {
                b"sh" | b"bash" => quoting = Quoting::Posix,
                b"csh" | b"tcsh" => quoting = Quoting::Tcsh,
                _ => return Ok(Command::Wrong("unknown shell after -s or --shell argument")),
            },
            b'T' => return Ok(Command::Test),
            b'u' => unquoted = true,
            _ => {}
        }
    }
    let mut words = parsed.operands.iter().copied();
    let optstring = match parsed.last(b'o').or_else(|| words.next()) {
        Some(optstring) => optstring,
        None => return Ok(Command::Wrong("missing optstring argument")),
    };
    checked(Scan {
        optstring,
        long,
        name: parsed.last(b'n').unwrap_or(b"getopt"),
        words: words.collect(),
        alternative: parsed.has(b'a'),
        quiet: parsed.has(b'q'),
        quiet_output: parsed.has(b'Q'),
        quoting: if unquoted { Quoting::None } else { quoting },
        stops_at_operand,
    })
}

/// The traditional form.
fn old<'a>(optstring: &'a [u8], words: Vec<&'a [u8]>, stops_at_operand: bool) -> Scan<'a> {
    Scan {
        optstring,
        long: Vec::new(),
        name: b"getopt",
        words,
        alternative: false,
        quiet: false,
        quiet_output: false,
        quoting: Quoting::None,
        stops_at_operand,
    }
}

fn checked(scan: Scan<'_>) -> Result<Command<'_>, Unsupported> {
    if scan.optstring.windows(2).any(|two| two == b"W;") {
        return Err(Unsupported::new("W; among the options"));
    }
    Ok(Command::Scan(scan))
}

/// `long,with-value:,with-optional-value::`.
fn long_options(text: &[u8]) -> Result<Vec<LongOption<'_>>, &'static str> {
    let names = text.split(|byte| matches!(byte, b',' | b' ' | b'\t' | b'\n')).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let (name, has_value) = match (name.strip_suffix(b"::"), name.strip_suffix(b":")) {
                (Some(name), _) => (name, HasValue::Maybe),
                (None, Some(name)) => (name, HasValue::Always),
                (None, None) => (name, HasValue::Never),
            };
            match name {
                [] => Err("empty long option after -l or --long argument"),
                name => Ok(LongOption { name, has_value }),
            }
        })
        .collect()
}

impl Utility for Getopt {
    fn name(&self) -> &'static str {
        "getopt"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(Profile::new(self.name()).usage(2), call, read, run)
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let scan = match command {
        Command::Test => return Ok(ENHANCED),
        Command::Wrong(message) => {
            running.usage(message.as_bytes())?;
            return Ok(WRONG_CALL);
        }
        Command::Scan(scan) => scan,
    };
    let mut status = 0;
    let mut out = Vec::new();
    let mut scanner = Scanner::new(&scan.words, scan.optstring, &scan.long, scan.alternative, scan.stops_at_operand);
    while let Some(item) = scanner.item() {
        match item {
            Item::Letter(letter, given) => {
                out.extend_from_slice(&[b' ', b'-', letter]);
                if let Some(given) = given {
                    push_quoted(&mut out, given, scan.quoting);
                }
            }
            Item::Long(name, given) => {
                out.extend_from_slice(b" --");
                out.extend_from_slice(name);
                if let Some(given) = given {
                    push_quoted(&mut out, given, scan.quoting);
                }
            }
            Item::Operand(operand) => push_quoted(&mut out, operand, scan.quoting),
            Item::Wrong(message) => {
                status = WRONG_WORDS;
                if !scan.quiet && !scanner.is_quiet() {
                    say(running, &[scan.name, b": ", &message, b"\n"].concat())?;
                }
            }
        }
    }
    if !scan.quiet_output {
        out.extend_from_slice(b" --");
        for operand in scanner.operands() {
            push_quoted(&mut out, operand, scan.quoting);
        }
        out.push(b'\n');
        running.write(&out)?;
    }
    Ok(status)
}

/// A line on standard error under the name that the script gave.
fn say(running: &Running<'_>, line: &[u8]) -> Result<(), Stopped> {
    match running.context().stderr().map(|stderr| running.write_to(stderr, line)) {
        Some(Err(Stopped::Cancelled)) => Err(Stopped::Cancelled),
        _ => Ok(()),
    }
}

fn push_quoted(out: &mut Vec<u8>, text: &[u8], quoting: Quoting) {
    out.push(b' ');
    if quoting == Quoting::None {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'\'');
    for byte in text {
        match (*byte, quoting) {
            (b'\'', _) => out.extend_from_slice(b"'\\''"),
            (b'\\', Quoting::Tcsh) => out.extend_from_slice(b"\\\\"),
            (b'!', Quoting::Tcsh) => out.extend_from_slice(b"'\\!'"),
            (b'\n', Quoting::Tcsh) => out.extend_from_slice(b"\\n"),
            (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, Quoting::Tcsh) => out.extend_from_slice(&[b'\'', b'\\', *byte, b'\'']),
            (byte, _) => out.push(byte),
        }
    }
    out.push(b'\'');
}
