//! `b2sum`, `md5sum`, `sha1sum`, `sha224sum`, `sha256sum`, `sha384sum`, `sha512sum`: print and check digests.

mod check;
mod digest;

use hookshell_process::is_missing;
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use self::digest::blake2;
pub(super) use self::digest::{DigestOf, digest};

/// `NAMEsum [-btz] [--tag] [FILE]…`, `NAMEsum -c [-w] [--ignore-missing --quiet --status --strict] [FILE]…` (GNU's).
#[derive(Clone, Copy)]
pub(crate) struct Sum {
    name: &'static str,
    /// The algorithm's name in `--tag` lines.
    tag: &'static str,
    /// The hexadecimal digits of a digest.
    digits: usize,
    /// The digest in so many digits.
    digest: DigestOf,
}

impl Sum {
    pub(crate) const B2: Self = Self { name: "b2sum", tag: "BLAKE2b", digits: 128, digest: blake2 };
    pub(crate) const MD5: Self = Self { name: "md5sum", tag: "MD5", digits: 32, digest: digest::<md5::Md5> };
    pub(crate) const SHA1: Self = Self { name: "sha1sum", tag: "SHA1", digits: 40, digest: digest::<sha1::Sha1> };
    pub(crate) const SHA224: Self =
        Self { name: "sha224sum", tag: "SHA224", digits: 56, digest: digest::<sha2::Sha224> };
    pub(crate) const SHA256: Self =
        Self { name: "sha256sum", tag: "SHA256", digits: 64, digest: digest::<sha2::Sha256> };
    pub(crate) const SHA384: Self =
        Self { name: "sha384sum", tag: "SHA384", digits: 96, digest: digest::<sha2::Sha384> };
    pub(crate) const SHA512: Self =
        Self { name: "sha512sum", tag: "SHA512", digits: 128, digest: digest::<sha2::Sha512> };
}

/// `cksum -a`'s: its digests are printed with their tags.
pub(super) const UNTAGGED: u8 = 133;
pub(super) const TAG: u8 = 128;
const IGNORE_MISSING: u8 = 129;
const QUIET: u8 = 130;
const STATUS: u8 = 131;
const STRICT: u8 = 132;

const OPTIONS: &[OptionSpec] = &[
    flag(b'b', "binary"),
    flag(b't', "text"),
    flag(b'c', "check"),
    flag(b'w', "warn"),
    flag(b'z', "zero"),
    flag(TAG, "tag"),
    flag(IGNORE_MISSING, "ignore-missing"),
    flag(QUIET, "quiet"),
    flag(STATUS, "status"),
    flag(STRICT, "strict"),
];

/// Of `b2sum`.
const OPTIONS_WITH_LENGTH: &[OptionSpec] = &{
    let mut options = [value(b'l', "length"); 11];
    let mut at = 0;
    while at < OPTIONS.len() {
        options[at] = OPTIONS[at];
        at += 1;
    }
    options
};

/// What `cksum` takes, with the algorithm.
pub(super) const CKSUM_OPTIONS: &[OptionSpec] = &[
    value(b'a', "algorithm"),
    value(b'l', "length"),
    flag(b'c', "check"),
    flag(b'w', "warn"),
    flag(b'z', "zero"),
    flag(TAG, "tag"),
    flag(UNTAGGED, "untagged"),
    flag(IGNORE_MISSING, "ignore-missing"),
    flag(QUIET, "quiet"),
    flag(STATUS, "status"),
    flag(STRICT, "strict"),
];

pub(super) struct Command<'a> {
    /// Of the digests that are printed.
    digits: usize,
    check: bool,
    binary: bool,
    tag: bool,
    zero: bool,
    warn: bool,
    ignore_missing: bool,
    quiet: bool,
    status: bool,
    strict: bool,
    files: Vec<&'a [u8]>,
}

fn read<'a>(sum: &Sum, call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    command(sum, parse(call.argv, if sum.has_lengths() { OPTIONS_WITH_LENGTH } else { OPTIONS })?)
}

/// What the options say of printing and checking these digests.
fn command<'a>(sum: &Sum, parsed: Parsed<'a>) -> Result<Command<'a>, Unsupported> {
    let digits = match parsed.last(b'l') {
        None => sum.digits,
        Some(_) if !sum.has_lengths() => return Err(Unsupported::mistake("-l with this algorithm")),
        Some(text) => {
            let bits = std::str::from_utf8(text).ok().and_then(|text| text.parse::<usize>().ok());
            match bits.filter(|bits| *bits <= sum.digits * 4 && bits.is_multiple_of(8) && text.first() != Some(&b'+')) {
                // GNU's takes the length of a list's digests from the list, unless it is given.
                Some(_) if parsed.has(b'c') => return Err(Unsupported::new("-l with -c")),
                Some(0) => sum.digits,
                Some(bits) => bits / 4,
                None => return Err(Unsupported::mistake(format!("the length {}", text.escape_ascii()))),
            }
        }
    };
    let check = parsed.has(b'c');
    let of_check = [b'w', IGNORE_MISSING, QUIET, STATUS, STRICT];
    let of_print = [b'b', b't', b'z', TAG, UNTAGGED];
    let wrong = if check { &of_print[..] } else { &of_check[..] };
    if wrong.iter().any(|letter| parsed.has(*letter)) {
        return Err(Unsupported::mistake("options for checking and for printing together"));
    }
    if parsed.has(TAG) && (parsed.has(b't') || parsed.has(b'b')) {
        return Err(Unsupported::mistake("--tag with -t or -b"));
    }
    // Each of these takes back the others.
    let last = parsed.options.iter().rev().find(|(letter, _)| matches!(*letter, b'w' | QUIET | STATUS));
    let last = last.map(|(letter, _)| *letter);
    let binary = parsed.options.iter().rev().find(|(letter, _)| matches!(letter, b'b' | b't'));
    Ok(Command {
        digits,
        check,
        binary: binary.is_some_and(|(letter, _)| *letter == b'b'),
        tag: match parsed.options.iter().rev().find(|(letter, _)| matches!(*letter, TAG | UNTAGGED)) {
            Some((letter, _)) => *letter == TAG,
            None => sum.name == "cksum",
        },
        zero: parsed.has(b'z'),
        warn: last == Some(b'w'),
        ignore_missing: parsed.has(IGNORE_MISSING),
        quiet: last == Some(QUIET),
        status: last == Some(STATUS),
        strict: parsed.has(STRICT),
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

impl Utility for Sum {
    fn name(&self) -> &'static str {
        self.name
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name, call, |call| read(self, call), |running, command| self.go(running, &command))
    }
}

/// A name as it is printed, and whether the line begins with a backslash for it.
fn escaped(name: &[u8], zero: bool) -> (Vec<u8>, bool) {
    if zero || !name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r')) {
        return (name.to_vec(), false);
    }
    let mut text = Vec::new();
    for byte in name {
        match byte {
            b'\\' => text.extend_from_slice(b"\\\\"),
            b'\n' => text.extend_from_slice(b"\\n"),
            b'\r' => text.extend_from_slice(b"\\r"),
            byte => text.push(*byte),
        }
    }
    (text, true)
}

impl Sum {
    /// The algorithm of `cksum -a NAME`.
    pub(super) fn of_cksum(algorithm: &[u8]) -> Option<Self> {
        let sum = match algorithm {
            b"md5" => Self::MD5,
            b"sha1" => Self::SHA1,
            b"sha224" => Self::SHA224,
            b"sha256" => Self::SHA256,
            b"sha384" => Self::SHA384,
            b"sha512" => Self::SHA512,
            b"blake2b" => Self::B2,
            _ => return None,
        };
        Some(Self { name: "cksum", ..sum })
    }

    /// A list's digests of any algorithm that its tags name: `cksum -c`.
    pub(super) fn any_of_cksum() -> Self {
        Self { name: "cksum", tag: "CRC", ..Self::MD5 }
    }

    /// Reads what `cksum` was told besides the algorithm.
    pub(super) fn command_of_cksum<'a>(&self, parsed: Parsed<'a>) -> Result<Command<'a>, Unsupported> {
        command(self, parsed)
    }

    /// Prints or checks.
    pub(super) fn go(&self, running: &Running<'_>, command: &Command<'_>) -> Result<u8, Failure> {
        let mut out = Output::new(running);
        let mut status = 0;
        for file in &command.files {
            let fine =
                if command.check { self.check(command, file, &mut out)? } else { self.print(command, file, &mut out)? };
            if !fine {
                status = 1;
            }
        }
        out.flush()?;
        Ok(status)
    }

    fn print(&self, command: &Command<'_>, file: &[u8], out: &mut Output<'_, '_>) -> Result<bool, Failure> {
        let Some(digest) = self.digest_of(file, command.digits, false, out)?.flatten() else { return Ok(false) };
        let (name, is_escaped) = escaped(file, command.zero);
        if is_escaped {
            out.byte(b'\\')?;
        }
        if command.tag {
            out.text(format_args!("{}", self.tag))?;
            if command.digits != self.digits {
                out.text(format_args!("-{}", command.digits * 4))?;
            }
            out.push(b" (")?;
            out.push(&name)?;
            out.text(format_args!(") = {digest}"))?;
        } else {
            out.text(format_args!("{digest} {}", if command.binary { '*' } else { ' ' }))?;
            out.push(&name)?;
        }
        out.byte(if command.zero { 0 } else { b'\n' })?;
        Ok(true)
    }

    /// The digest of a file. `Some(None)`: it cannot be read, which was told; `None`: it is not there, and that is ignored.
    fn digest_of(
        &self,
        file: &[u8],
        digits: usize,
        ignore_missing: bool,
        out: &mut Output<'_, '_>,
    ) -> Result<Option<Option<String>>, Failure> {
        let running = out.running();
        let mut input = match running.open(file)? {
            Ok(source) => Input::new(source),
            Err(error) => {
                if ignore_missing && is_missing(&error) {
                    return Ok(None);
                }
                out.report_error(&quote::if_needed(file), &error)?;
                return Ok(Some(None));
            }
        };
        let digest = (self.digest)(running, &mut input, digits)?;
        if let Some(error) = &input.error {
            out.report_error(&quote::if_needed(file), error)?;
            return Ok(Some(None));
        }
        Ok(Some(Some(digest)))
    }

    /// Have its digests one of several lengths?
    fn has_lengths(&self) -> bool {
        self.tag == "BLAKE2b"
    }
}
