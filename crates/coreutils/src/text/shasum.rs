//! `shasum`: SHA digests as Perl's Digest::SHA prints and checks them.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::sums;

utility! {
    /// `shasum [-a ALGORITHM] [-bt] [--tag] [FILE]…`, `shasum -c [-a ALGORITHM] [-qsw] [--ignore-missing --strict] [FILE]…` (Perl's 6.02; bits
    /// and universal newlines are the real program's).
    Shasum, "shasum"
}

const TAG: u8 = LONG_ONLY;
const STRICT: u8 = LONG_ONLY + 1;
const IGNORE_MISSING: u8 = LONG_ONLY + 2;

const OPTIONS: &[OptionSpec] = &[
    value(b'a', "algorithm"),
    flag(b'b', "binary"),
    flag(b't', "text"),
    flag(b'c', "check"),
    flag(b's', "status"),
    flag(b'w', "warn"),
    flag(b'q', "quiet"),
    flag(TAG, "tag"),
    flag(STRICT, "strict"),
    flag(IGNORE_MISSING, "ignore-missing"),
];

struct Command<'a> {
    /// As `-a` names it.
    algorithm: u32,
    check: bool,
    binary: bool,
    text: bool,
    status: bool,
    warn: bool,
    quiet: bool,
    tag: bool,
    strict: bool,
    ignore_missing: bool,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let algorithm = match parsed.last(b'a') {
        None => 1,
        Some(text) => std::str::from_utf8(text)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Unsupported::mistake(format!("the algorithm {}", text.escape_ascii())))?,
    };
    Ok(Command {
        algorithm,
        check: parsed.has(b'c'),
        binary: parsed.has(b'b'),
        text: parsed.has(b't'),
        status: parsed.has(b's'),
        warn: parsed.has(b'w'),
        quiet: parsed.has(b'q'),
        tag: parsed.has(TAG),
        strict: parsed.has(STRICT),
        ignore_missing: parsed.has(IGNORE_MISSING),
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

/// What reads a file and gives its digest in hexadecimal digits, and the algorithm's name in `--tag` lines.
fn of_algorithm(algorithm: u32) -> Option<(sums::DigestOf, &'static str)> {
    Some(match algorithm {
        1 => (sums::digest::<sha1::Sha1>, "SHA1"),
        224 => (sums::digest::<sha2::Sha224>, "SHA224"),
        256 => (sums::digest::<sha2::Sha256>, "SHA256"),
        384 => (sums::digest::<sha2::Sha384>, "SHA384"),
        512 => (sums::digest::<sha2::Sha512>, "SHA512"),
        512_224 => (sums::digest::<sha2::Sha512_224>, "SHA512/224"),
        512_256 => (sums::digest::<sha2::Sha512_256>, "SHA512/256"),
        _ => return None,
    })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let of_check = [
        (command.warn, "--warn"),
        (command.status, "--status"),
        (command.quiet, "--quiet"),
        (command.ignore_missing, "--ignore-missing"),
        (command.strict, "--strict"),
    ];
    let lone = of_check.iter().find(|(given, _)| *given && !command.check);
    let wrong = match lone {
        _ if command.binary && command.text => Some("Ambiguous file mode".to_owned()),
        Some((_, option)) => Some(format!("{option} option used only when verifying checksums")),
        None if command.tag && command.text => Some("--tag does not support --text mode".to_owned()),
        None if of_algorithm(command.algorithm).is_none() => Some("Unrecognized algorithm".to_owned()),
        None => None,
    };
    if let Some(wrong) = wrong {
        running.message(format!("{wrong}\nType shasum -h for help").as_bytes())?;
        return Ok(1);
    }
    let mut out = Output::new(running);
    let mut status = 0;
    for file in &command.files {
        let is_fine = match command.check {
            false => print(&command, file, &mut out)?,
            true => match running.open(file)? {
                Ok(list) => check(&command, file, Input::new(list), &mut out)?,
                Err(error) => {
                    out.message(&[&file[..], b": ", reason(&error).as_bytes()].concat())?;
                    out.flush()?;
                    // Perl's `die` ends with the error's number; ENOENT is 2.
                    let number =
                        error.raw_os_error().filter(|_| !cfg!(windows)).and_then(|number| u8::try_from(number).ok());
                    return Ok(number.unwrap_or(2));
                }
            },
        };
        if !is_fine {
            status = 1;
        }
    }
    out.flush()?;
    Ok(status)
}

/// The file's digest; `None`: it cannot be read, which is told.
fn digest_of(algorithm: u32, file: &[u8], out: &mut Output<'_, '_>) -> Result<Option<String>, Failure> {
    let running = out.running();
    let Some((digest, _)) = of_algorithm(algorithm) else { return Ok(None) };
    if !file.is_empty() && file != b"-" && running.path(file).is_dir() {
        out.message(&[file, b": Is a directory"].concat())?;
        return Ok(None);
    }
    let mut input = match running.open(file)? {
        Ok(source) => Input::new(source),
        Err(error) => {
            out.message(&[file, b": ", reason(&error).as_bytes()].concat())?;
            return Ok(None);
        }
    };
    let text = digest(running, &mut input, 0)?;
    if let Some(error) = &input.error {
        out.message(&[file, b": ", reason(error).as_bytes()].concat())?;
        return Ok(None);
    }
    Ok(Some(text))
}

fn print(command: &Command<'_>, file: &[u8], out: &mut Output<'_, '_>) -> Result<bool, Failure> {
    let Some(digest) = digest_of(command.algorithm, file, out)? else { return Ok(false) };
    let mut name = file.to_vec();
    if file.iter().any(|byte| matches!(byte, b'\n' | b'\\')) {
        out.byte(b'\\')?;
        name.clear();
        for byte in file {
            match byte {
                b'\\' => name.extend_from_slice(b"\\\\"),
                b'\n' => name.extend_from_slice(b"\\n"),
                byte => name.push(*byte),
            }
        }
    }
    if command.tag {
        let tag = of_algorithm(command.algorithm).map_or("", |(_, tag)| tag);
        out.push(&[tag.as_bytes(), b" (", &name, b") = ", digest.as_bytes(), b"\n"].concat())?;
    } else {
        let mode = if command.binary { b"*" } else { b" " };
        out.push(&[digest.as_bytes(), b" ", mode, &name, b"\n"].concat())?;
    }
    Ok(true)
}

/// A line of a list.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    algorithm: u32,
    digest: Vec<u8>,
    name: Vec<u8>,
    /// Universal newlines or bits.
    is_special: bool,
}

/// Reads a line without its newline; `asked` is the algorithm of `-a`, for digests of a length that two have.
fn entry(line: &[u8], asked: u32) -> Option<Entry> {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let text = line.get(blanks..)?;
    let (is_escaped, text) = match text.strip_prefix(b"\\") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (algorithm, digest, name, is_special) = if let Some(rest) = text.strip_prefix(b"SHA") {
        let end = rest.windows(2).position(|two| two == b" (")?;
        let algorithm: Vec<u8> = rest.get(..end)?.iter().copied().filter(|byte| *byte != b'/').collect();
        let algorithm = std::str::from_utf8(&algorithm).ok()?.parse().ok()?;
        let rest = rest.get(end + 2..)?;
        let close = memchr::memmem::rfind(rest, b") = ")?;
        (algorithm, digits(rest.get(close + 4..)?), rest.get(..close)?, false)
    } else {
        let digest = digits(text);
        let (blank, rest) = text.get(digest.len()..)?.split_first()?;
        let (mode, name) = rest.split_first()?;
        if !matches!(blank, b' ' | b'\t') || !matches!(mode, b' ' | b'*' | b'^' | b'U') {
            return None;
        }
        let algorithm = match (digest.len(), asked) {
            (40, _) => 1,
            (56, 512_224) | (64, 512_256) => asked,
            (56, _) => 224,
            (64, _) => 256,
            (96, _) => 384,
            (128, _) => 512,
            _ => return None,
        };
        (algorithm, digest, name, matches!(mode, b'^' | b'U'))
    };
    if digest.is_empty() || name.is_empty() || of_algorithm(algorithm).is_none() {
        return None;
    }
    let name = if is_escaped { unescaped(name) } else { name.to_vec() };
    Some(Entry { algorithm, digest: digest.to_vec(), name, is_special })
}

fn digits(text: &[u8]) -> &[u8] {
    let count = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    text.get(..count).unwrap_or_default()
}

fn unescaped(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = name;
    while let Some((first, after)) = rest.split_first() {
        let (byte, after) = match (first, after) {
            (b'\\', [b'\\', after @ ..]) => (b'\\', after),
            (b'\\', [b'n', after @ ..]) => (b'\n', after),
            (first, after) => (*first, after),
        };
        out.push(byte);
        rest = after;
    }
    out
}

/// Checks a list.
fn check(command: &Command<'_>, list: &[u8], mut input: Input, out: &mut Output<'_, '_>) -> Result<bool, Failure> {
    let running = out.running();
    let list = if list == b"-" { &b"standard input"[..] } else { list };
    let (mut improper, mut unreadable, mut wrong, mut proper, mut right, mut number) = (0, 0, 0, 0, 0, 0_u64);
    let mut fine = true;
    while let Some(line) = input.text(running, b'\n')? {
        number += 1;
        if line.first() == Some(&b'#') {
            continue;
        }
        let Some(entry) = entry(line, command.algorithm) else {
            if command.warn {
                let text = format!(": {number}: improperly formatted SHA checksum line");
                out.message(&[list, text.as_bytes()].concat())?;
            }
            improper += 1;
            fine &= !command.strict;
            continue;
        };
        proper += 1;
        if command.ignore_missing && !running.path(&entry.name).exists() {
            continue;
        }
        let digest = if entry.is_special {
            out.message(&[&entry.name[..], b": hookshell's own shasum does not support this mode"].concat())?;
            None
        } else {
            digest_of(entry.algorithm, &entry.name, out)?
        };
        let said: &[u8] = match digest {
            None => {
                unreadable += 1;
                b": FAILED open or read\n"
            }
            Some(digest) if digest.as_bytes().eq_ignore_ascii_case(&entry.digest) => {
                right += 1;
                b": OK\n"
            }
            Some(_) => {
                wrong += 1;
                b": FAILED\n"
            }
        };
        if !(command.status || command.quiet && said == b": OK\n") {
            out.push(&entry.name)?;
            out.push(said)?;
        }
    }
    fine &= unreadable == 0 && wrong == 0;
    if proper == 0 {
        out.message(&[list, b": no properly formatted SHA checksum lines found"].concat())?;
        return Ok(false);
    }
    if !command.status {
        let mut warn = |count: u64, one: &str, several: &str| match count {
            0 => Ok(()),
            1 => out.message(format!("WARNING: 1 {one}").as_bytes()),
            count => out.message(format!("WARNING: {count} {several}").as_bytes()),
        };
        warn(improper, "line is improperly formatted", "lines are improperly formatted")?;
        warn(unreadable, "listed file could not be read", "listed files could not be read")?;
        warn(wrong, "computed checksum did NOT match", "computed checksums did NOT match")?;
    }
    if command.ignore_missing && right == 0 {
        if !command.status {
            out.message(&[list, b": no file was verified"].concat())?;
        }
        return Ok(false);
    }
    Ok(fine)
}
