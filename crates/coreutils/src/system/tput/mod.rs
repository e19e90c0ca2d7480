//! `tput`: what a terminal can do, and how.

mod builtin;
mod description;
mod names;
mod parameters;

use hookshell_process::text;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, parse_leading, value};
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use self::description::{Capability, Description};

utility! {
    /// `tput [-T TERMINAL] CAPABILITY [NUMBER]…`… (ncurses 6.4, with its database of terminals; on Windows, which has none,
    /// the terminals xterm, xterm-256color and dumb, without their keys).
    /// Its write errors go unseen, as in ncurses'.
    ///
    /// `init`, `reset`, `-S`, strings with delays and keys that are defined (`pfkey`) are the real program's.
    Tput, "tput", usage: 2, write_error: None
}

const OPTIONS: &[OptionSpec] = &[value(b'T', "")];

/// No terminal is named, or it cannot do what `clear` needs.
const NO_TERMINAL: u8 = 2;
const UNKNOWN_TERMINAL: u8 = 3;
const UNKNOWN_CAPABILITY: u8 = 4;

struct Command<'a> {
    terminal: Option<&'a [u8]>,
    words: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse_leading(call.argv, OPTIONS)?;
    if cfg!(target_os = "macos") || call.env.iter().any(|(name, _)| name == "TERMINFO_DIRS") {
        return Err(Unsupported::new("this system's terminals"));
    }
    let refused: &[&[u8]] = &[b"init", b"reset", b"pfkey", b"pfloc", b"pfx", b"pln", b"pfxl"];
    if let Some(word) = parsed.operands.iter().find(|word| refused.contains(word)) {
        return Err(Unsupported::mistake(format!("the capability {}", word.escape_ascii())));
    }
    if parsed.operands.is_empty() {
        return Err(Unsupported::mistake("a call without a capability"));
    }
    let words = parsed.operands.clone();
    Ok(Command { terminal: parsed.last(b'T'), words })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let from_env = running.context().variable("TERM").map(|name| text::from_os(name).into_owned()).unwrap_or_default();
    let terminal = command.terminal.unwrap_or(&from_env);
    if terminal.is_empty() {
        running.message(b"No value for $TERM and no -T specified")?;
        return Ok(NO_TERMINAL);
    }
    let Some(description) = Description::find(running, terminal) else {
        running.message(&[b"unknown terminal \"", terminal, b"\""].concat())?;
        return Ok(UNKNOWN_TERMINAL);
    };
    let mut words = &command.words[..];
    while let Some((&name, rest)) = words.split_first() {
        running.check()?;
        let (status, used) = one(running, &description, name, rest)?;
        if status != 0 {
            return Ok(status);
        }
        words = rest.get(used..).unwrap_or_default();
    }
    Ok(0)
}

/// Shows one capability: the status, and how many of the words after it are its parameters.
fn one(running: &Running<'_>, description: &Description, name: &[u8], rest: &[&[u8]]) -> Result<(u8, usize), Failure> {
    match name {
        b"longname" => {
            let names = description.names.rsplit(|byte| *byte == b'|').next().unwrap_or_default();
            running.write(names)?;
            return Ok((0, 0));
        }
        b"clear" => {
            let mut out = Vec::new();
            for part in [&b"clear"[..], b"E3"] {
                if let Capability::String(Some(text)) = description.capability(part) {
                    out.extend_from_slice(text);
                } else if part == b"clear" {
                    return Ok((NO_TERMINAL, 0));
                }
            }
            running.write(&out)?;
            return Ok((0, 0));
        }
        _ => {}
    }
    match description.capability(name) {
        Capability::Flag(is_set) => Ok((u8::from(!is_set), 0)),
        Capability::Number(number) => {
            let number = match (name, window_size(running)) {
                (b"lines", Some((lines, _))) => lines,
                (b"cols", Some((_, columns))) => columns,
                // What is taken for a terminal that does not say it.
                (b"lines", None) if number < 0 => 24,
                (b"cols", None) if number < 0 => 80,
                _ => number,
            };
            running.write(format!("{number}\n").as_bytes())?;
            Ok((0, 0))
        }
        Capability::String(None) => Ok((1, 0)),
        Capability::String(Some(text)) => {
            let used = parameters::count(text).min(rest.len());
            let mut numbers = [0; 9];
            for (place, word) in numbers.iter_mut().zip(rest.iter().take(used)) {
                *place = leading_number(word);
            }
            // Without any word after it the string is shown as it is.
            let expanded = if rest.is_empty() { Some(text.to_vec()) } else { parameters::expand(text, &numbers) };
            match expanded {
                Some(out) => {
                    running.write(&without_delays(&out))?;
                    Ok((0, used))
                }
                None => Ok((1, used)),
            }
        }
        Capability::Unknown => {
            running.message(&[b"unknown terminfo capability '", name, b"'"].concat())?;
            Ok((UNKNOWN_CAPABILITY, 0))
        }
    }
}

/// What `strtol` reads.
fn leading_number(word: &[u8]) -> i32 {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count().min(9);
    std::str::from_utf8(word.get(..digits).unwrap_or_default()).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Delays (`$<100/>`) are no text; today's terminals need none.
fn without_delays(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        if let Some(delay) = rest.strip_prefix(b"$<")
            && let Some(end) = delay.iter().position(|byte| *byte == b'>')
            && delay.iter().take(end).all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'*' | b'/'))
        {
            rest = delay.get(end + 1..).unwrap_or_default();
            continue;
        }
        out.push(byte);
        rest = after;
    }
    out
}

/// Lines and columns of the terminal that the run has.
#[cfg(unix)]
fn window_size(running: &Running<'_>) -> Option<(i32, i32)> {
    let size = |file: &std::fs::File| {
        let size = rustix::termios::tcgetwinsize(file).ok()?;
        (size.ws_row > 0 && size.ws_col > 0).then(|| (size.ws_row.into(), size.ws_col.into()))
    };
    let context = running.context();
    // ncurses asks in this order.
    let streams = [context.stderr(), context.stdout(), context.stdin()];
    match streams.into_iter().flatten().find(|stream| stream.is_terminal()).and_then(|stream| stream.file()) {
        Some(file) => size(file),
        None => size(&std::fs::File::open("/dev/tty").ok()?),
    }
}

#[cfg(not(unix))]
fn window_size(_: &Running<'_>) -> Option<(i32, i32)> {
    None
}
