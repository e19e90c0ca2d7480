//! `-c`: a list of digests is read, and its files are compared with them.

use hookshell_utility::input::Input;
use hookshell_utility::io::Failure;
use hookshell_utility::output::Output;
use hookshell_utility::quote;

use super::{Command, Sum, escaped};

/// A line of a list of digests.
struct Entry {
    digest: Vec<u8>,
    name: Vec<u8>,
}

impl Sum {
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

    pub(super) fn check(&self, command: &Command<'_>, list: &[u8], out: &mut Output<'_, '_>) -> Result<bool, Failure> {
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
