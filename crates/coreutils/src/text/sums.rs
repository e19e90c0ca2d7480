//! `b2sum`, `md5sum`, `sha1sum`, `sha224sum`, `sha256sum`, `sha384sum`, `sha512sum`: print and check digests.

use hookshell_process::is_missing;
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Stopped, Unsupported, Utility, UtilityCall};
use sha2::Digest;

/// Reads all of an input and gives its digest in so many digits.
pub(super) type DigestOf = fn(&Running<'_>, &mut Input, usize) -> Result<String, Stopped>;

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
const UNTAGGED: u8 = 133;
const TAG: u8 = 128;
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

pub(super) fn digest<D: Digest>(running: &Running<'_>, input: &mut Input, _: usize) -> Result<String, Stopped> {
    let mut state = D::new();
    read_all(running, input, |block| state.update(block))?;
    Ok(hexadecimal(&state.finalize()))
}

/// BLAKE2b, whose digests have any length of up to 512 bits.
fn blake2(running: &Running<'_>, input: &mut Input, digits: usize) -> Result<String, Stopped> {
    use blake2::digest::block_api::{Buffer, UpdateCore, VariableOutputCore};
    let length = digits / 2;
    // The length was looked at when the command line was read.
    let Ok(mut core) = blake2::Blake2bVarCore::new(length) else { return Ok(String::new()) };
    let mut buffer = Buffer::<blake2::Blake2bVarCore>::default();
    read_all(running, input, |data| buffer.digest_blocks(data, |blocks| core.update_blocks(blocks)))?;
    let mut digest = Default::default();
    core.finalize_variable_core(&mut buffer, &mut digest);
    Ok(hexadecimal(digest.get(..length).unwrap_or_default()))
}

fn read_all(running: &Running<'_>, input: &mut Input, mut update: impl FnMut(&[u8])) -> Result<(), Stopped> {
    loop {
        let block = input.block(running)?;
        if block.is_empty() {
            return Ok(());
        }
        update(block);
        let used = block.len();
        input.consume(used);
    }
}

fn hexadecimal(digest: &[u8]) -> String {
    let mut text = String::new();
    for byte in digest {
        use std::fmt::Write;
        // Writing into memory does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
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

fn unescaped(name: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut bytes = name.iter();
    while let Some(byte) = bytes.next() {
        text.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            0 => return None,
            byte => *byte,
        });
    }
    Some(text)
}

/// A line of a list of digests.
struct Entry {
    digest: Vec<u8>,
    name: Vec<u8>,
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

    /// A line of a list, and the algorithm of its digest.
    fn read_line(&self, line: &[u8], reversed: &mut Option<bool>) -> Option<(Self, Entry)> {
        if self.tag != "CRC" {
            return Some((*self, self.parse(line, reversed)?));
        }
        let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let text = line.get(blanks..)?;
        let text = text.strip_prefix(b"\\").unwrap_or(text);
        let end = text.iter().position(|byte| matches!(byte, b' ' | b'(' | b'-')).unwrap_or(text.len());
        let mut name = text.get(..end)?.to_vec();
        // `md5 (FILE) = …` is none.
        if name.iter().any(u8::is_ascii_lowercase) && name != b"BLAKE2b" {
            return None;
        }
        name.make_ascii_lowercase();
        let sum = Self::of_cksum(&name)?;
        Some((sum, sum.parse(line, reversed)?))
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

    fn check(&self, command: &Command<'_>, list: &[u8], out: &mut Output<'_, '_>) -> Result<bool, Failure> {
        let running = out.running();
        let list_name = if list == b"-" { b"standard input" } else { list };
        let mut input = match running.open(list)? {
            Ok(source) => Input::new(source),
            Err(error) => {
                out.report_error(&quote::if_needed(list_name), &error)?;
                return Ok(false);
            }
        };
        let (mut proper, mut improper, mut unreadable, mut wrong, mut right) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
        let mut number: u64 = 0;
        // Names follow a blank (BSD) or a blank and a type: set by the first line that says it.
        let mut reversed = None;
        while let Some(line) = input.text(running, b'\n')? {
            number += 1;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() || line.first() == Some(&b'#') {
                continue;
            }
            let read = self.read_line(line, &mut reversed);
            let Some((sum, entry)) = read.filter(|(_, entry)| !(list == b"-" && entry.name == b"-")) else {
                improper += 1;
                if command.warn {
                    let text = format!(": {number}: improperly formatted {} checksum line", self.tag);
                    out.message(&[&quote::if_needed(list_name)[..], text.as_bytes()].concat())?;
                }
                continue;
            };
            proper += 1;
            let (name, is_escaped) = match entry.name.contains(&b'\n') || entry.name.contains(&b'\r') {
                true => escaped(&entry.name, false),
                false => (entry.name.clone(), false),
            };
            let tell = |out: &mut Output<'_, '_>, what: &[u8]| {
                if is_escaped {
                    out.byte(b'\\')?;
                }
                out.push(&name)?;
                out.push(what)
            };
            match sum.digest_of(&entry.name, entry.digest.len(), command.ignore_missing, out)? {
                None => {}
                Some(None) => {
                    unreadable += 1;
                    if !command.status {
                        tell(out, b": FAILED open or read\n")?;
                    }
                }
                Some(Some(digest)) if digest.as_bytes().eq_ignore_ascii_case(&entry.digest) => {
                    right += 1;
                    if !command.status && !command.quiet {
                        tell(out, b": OK\n")?;
                    }
                }
                Some(Some(_)) => {
                    wrong += 1;
                    if !command.status {
                        tell(out, b": FAILED\n")?;
                    }
                }
            }
        }
        if let Some(error) = &input.error {
            let text = format!(": read error: {}", hookshell_utility::io::reason(error));
            out.message(&[&quote::if_needed(list_name)[..], text.as_bytes()].concat())?;
            return Ok(false);
        }
        if proper == 0 {
            let text = b": no properly formatted checksum lines found";
            out.message(&[&quote::if_needed(list_name)[..], text].concat())?;
            return Ok(false);
        }
        if !command.status {
            let mut warn = |count: u64, one: &str, several: &str| {
                if count == 0 {
                    return Ok(());
                }
                let what = if count == 1 { one } else { several };
                out.message(format!("WARNING: {count} {what}").as_bytes())
            };
            warn(improper, "line is improperly formatted", "lines are improperly formatted")?;
            warn(unreadable, "listed file could not be read", "listed files could not be read")?;
            warn(wrong, "computed checksum did NOT match", "computed checksums did NOT match")?;
            if command.ignore_missing && right == 0 {
                out.message(&[&quote::if_needed(list_name)[..], b": no file was verified"].concat())?;
            }
        }
        Ok(wrong == 0
            && unreadable == 0
            && (!command.ignore_missing || right > 0)
            && (!command.strict || improper == 0))
    }

    fn parse(&self, line: &[u8], reversed: &mut Option<bool>) -> Option<Entry> {
        let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let line = line.get(blanks..)?;
        let (is_escaped, line) = match line.strip_prefix(b"\\") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let name_of = |name: &[u8]| if is_escaped { unescaped(name) } else { Some(name.to_vec()) };
        if let Some(rest) = line.strip_prefix(self.tag.as_bytes()) {
            let (rest, digits) = self.tagged_length(rest)?;
            let rest = rest.strip_prefix(b" ").unwrap_or(rest);
            if let Some(rest) = rest.strip_prefix(b"(") {
                let close = rest.iter().rposition(|byte| *byte == b')')?;
                let name = rest.get(..close)?;
                let rest = rest.get(close + 1..)?.trim_ascii_start();
                let digest = rest.strip_prefix(b"=")?.trim_ascii_start();
                return (digest.len() == digits && self.is_digest(digest))
                    .then_some(())
                    .and_then(|()| Some(Entry { digest: digest.to_vec(), name: name_of(name)? }));
            }
        }
        // At least a digest, a blank, a type and a name of one byte.
        let digits = match self.has_lengths() {
            true => line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count(),
            false => self.digits,
        };
        let (digest, rest) = line.split_at_checked(digits)?;
        if !self.is_digest(digest) || rest.len() < 2 {
            return None;
        }
        let (blank, rest) = rest.split_first()?;
        if !matches!(blank, b' ' | b'\t') {
            return None;
        }
        let name = if rest.len() == 1 || !matches!(rest.first(), Some(b' ' | b'*')) {
            if *reversed == Some(false) {
                return None;
            }
            *reversed = Some(true);
            rest
        } else if *reversed == Some(true) {
            rest
        } else {
            *reversed = Some(false);
            rest.get(1..)?
        };
        Some(Entry { digest: digest.to_vec(), name: name_of(name)? })
    }

    /// Have its digests one of several lengths?
    fn has_lengths(&self) -> bool {
        self.tag == "BLAKE2b"
    }

    /// The digits of a digest whose tag ends in a length (`BLAKE2b-256 (x) = …`), and what follows.
    fn tagged_length<'t>(&self, text: &'t [u8]) -> Option<(&'t [u8], usize)> {
        let Some(rest) = text.strip_prefix(b"-").filter(|_| self.has_lengths()) else {
            return Some((text, self.digits));
        };
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (bits, rest) = rest.split_at_checked(length)?;
        let bits: usize = std::str::from_utf8(bits).ok()?.parse().ok()?;
        (bits > 0 && bits <= self.digits * 4 && bits.is_multiple_of(8)).then_some((rest, bits / 4))
    }

    fn is_digest(&self, text: &[u8]) -> bool {
        let fits = match self.has_lengths() {
            true => !text.is_empty() && text.len() <= self.digits && text.len().is_multiple_of(2),
            false => text.len() == self.digits,
        };
        fits && text.iter().all(u8::is_ascii_hexdigit)
    }
}
