//! `iconv`: text in another encoding.

mod encoding;

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use self::encoding::{Encoding, Order, Step};
use super::characters::are_bytes_in;

utility! {
    /// `iconv [-cs] [-f ENCODING] [-t ENCODING] [-o FILE] [FILE]…` (glibc's).
    Iconv, "iconv"
}

const OPTIONS: &[OptionSpec] =
    &[flag(b'c', ""), flag(b's', "silent"), value(b'f', "from-code"), value(b't', "to-code"), value(b'o', "output")];

/// More than the longest character.
const AHEAD: usize = 8;

struct Command<'a> {
    from: Encoding,
    to: Encoding,
    omits: bool,
    /// The suffix `//IGNORE`, with which what is left out is an error in the end.
    ignores: bool,
    output: Option<&'a [u8]>,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let own: &[u8] = if has_characters(call) { b"UTF-8" } else { b"ASCII" };
    let mut ignores = false;
    let mut encoding = |option| {
        let name = parsed.last(option).unwrap_or_default();
        let (name, suffix) = match memchr::memmem::find(name, b"//") {
            Some(at) => name.split_at(at),
            None => (name, &b""[..]),
        };
        match &*suffix.to_ascii_uppercase() {
            b"" | b"//" => {}
            b"//IGNORE" => ignores |= option == b't',
            _ => return Err(Unsupported::new(format!("the suffix {}", suffix.escape_ascii()))),
        }
        let known = Encoding::of(if name.is_empty() { own } else { name });
        known.ok_or_else(|| Unsupported::mistake(format!("the encoding {}", name.escape_ascii())))
    };
    Ok(Command {
        from: encoding(b'f')?,
        to: encoding(b't')?,
        omits: parsed.has(b'c'),
        ignores,
        output: parsed.last(b'o').filter(|name| *name != b"-"),
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

/// Is the locale one of UTF-8? Without any it is C.
fn has_characters(call: &UtilityCall<'_>) -> bool {
    let is_set = |wanted: &str| call.env.iter().any(|(name, value)| name == wanted && !value.is_empty());
    !are_bytes_in(call) && (cfg!(windows) || ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().any(is_set))
}

/// A conversion; what it knows of marks is about one file.
struct Conversion {
    from: Encoding,
    to: Encoding,
    omits: bool,
    ignores: bool,
    /// Characters were read, and written.
    has_begun: bool,
    has_written: bool,
}

/// How a file ended.
enum End {
    Good,
    Illegal(u64),
    Incomplete,
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = match command.output {
        None => Output::new(running),
        Some(name) => match running.create(name, false) {
            Ok(target) => Output::to(running, target),
            Err(error) => {
                running.report_error(b"cannot open output file", &error)?;
                return Ok(1);
            }
        },
    };
    let Command { from, to, omits, ignores, .. } = command;
    let mut conversion = Conversion { from, to, omits, ignores, has_begun: false, has_written: false };
    let mut status = 0;
    for file in command.files {
        let source = match running.open(file)? {
            Ok(source) => source,
            Err(error) => {
                let what = [b"cannot open input file `", file, b"': ", reason(&error).as_bytes()].concat();
                out.message(&what)?;
                status = 1;
                continue;
            }
        };
        let mut input = Input::new(source);
        let end = conversion.convert(running, &mut input, &mut out)?;
        if let Some(error) = &input.error {
            out.message(format!("unable to read input: {}", reason(error)).as_bytes())?;
            status = 1;
        }
        let message = match end {
            End::Good => continue,
            End::Illegal(at) => format!("illegal input sequence at position {at}"),
            End::Incomplete => "incomplete character or shift sequence at end of buffer".to_owned(),
        };
        out.message(message.as_bytes())?;
        status = 1;
        break;
    }
    out.flush()?;
    Ok(status)
}

impl Conversion {
    fn convert(&mut self, running: &Running<'_>, input: &mut Input, out: &mut Output<'_, '_>) -> Result<End, Failure> {
        let mut position: u64 = 0;
        let mut ignored = false;
        (self.has_begun, self.has_written) = (false, false);
        let mut converted = Vec::new();
        loop {
            let text = input.at_least(running, AHEAD)?;
            if text.is_empty() {
                break;
            }
            let is_end = text.len() < AHEAD;
            let mut at = self.skip_mark(text);
            let mut end = None;
            while at < text.len() && (is_end || text.len() - at >= AHEAD) {
                let rest = text.get(at..).unwrap_or_default();
                let length = match self.from.decode(rest) {
                    Step::Character(character, length) => {
                        self.write_mark(&mut converted);
                        if !self.to.encode(character, &mut converted) {
                            if !(self.omits || self.ignores) {
                                end = Some(End::Illegal(position + u64::try_from(at).unwrap_or(u64::MAX)));
                                break;
                            }
                            ignored = true;
                        }
                        length
                    }
                    Step::Illegal(length) if self.omits || self.ignores => {
                        ignored = true;
                        length
                    }
                    Step::Illegal(_) => {
                        end = Some(End::Illegal(position + u64::try_from(at).unwrap_or(u64::MAX)));
                        break;
                    }
                    Step::Incomplete => {
                        end = Some(End::Incomplete);
                        break;
                    }
                };
                at += length;
            }
            out.push(&converted)?;
            converted.clear();
            if let Some(end) = end {
                return Ok(end);
            }
            position += u64::try_from(at).unwrap_or(u64::MAX);
            input.consume(at);
        }
        Ok(if ignored && self.ignores && !self.omits { End::Illegal(position) } else { End::Good })
    }

    /// The length of the byte order mark that the first text has; it says the order.
    fn skip_mark(&mut self, text: &[u8]) -> usize {
        if std::mem::replace(&mut self.has_begun, true) {
            return 0;
        }
        let Encoding::Units { wide, order: Order::Marked } = self.from else { return 0 };
        let (little, big): (&[u8], &[u8]) =
            if wide { (b"\xff\xfe\0\0", b"\0\0\xfe\xff") } else { (b"\xff\xfe", b"\xfe\xff") };
        if text.starts_with(big) {
            self.from = Encoding::Units { wide, order: Order::Big };
            return big.len();
        }
        if text.starts_with(little) { little.len() } else { 0 }
    }

    /// The byte order mark that the first character has before it.
    fn write_mark(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.has_written, true) {
            return;
        }
        if let Encoding::Units { order: Order::Marked, .. } = self.to {
            self.to.encode(0xfeff, out);
        }
    }
}
