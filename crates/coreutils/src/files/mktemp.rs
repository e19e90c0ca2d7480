//! `mktemp`: a new file or directory with a name that nobody else has.

use std::io::{self, ErrorKind};
use std::path::Path;

use hookshell_files::mode::create_dir_with;
use hookshell_process::text;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, optional_or_empty, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::random::Unforeseen;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

/// `mktemp [-dqtu] [-p DIR | --tmpdir[=DIR]] [--suffix=TEXT] [TEMPLATE]` (GNU). TMPDIR is the run's.
pub(crate) struct Mktemp;

const TMPDIR: u8 = LONG_ONLY;
const SUFFIX: u8 = LONG_ONLY + 1;
const OPTIONS: &[OptionSpec] = &[
    flag(b'd', "directory"),
    flag(b'q', "quiet"),
    flag(b't', ""),
    flag(b'u', "dry-run"),
    value(b'p', ""),
    optional_or_empty(TMPDIR, "tmpdir"),
    value(SUFFIX, "suffix"),
];

/// So often GNU tries another name.
const ATTEMPTS: usize = 62 * 62 * 62;

impl Utility for Mktemp {
    fn name(&self) -> &'static str {
        "mktemp"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, |call| parse(call.argv, OPTIONS), run)
    }
}

fn run(running: &Running<'_>, parsed: Parsed<'_>) -> Result<u8, Failure> {
    if parsed.operands.len() > 1 {
        return running.usage(b"too many templates");
    }
    let template = match Template::read(running, &parsed) {
        Ok(template) => template,
        Err(message) => {
            running.message(&message)?;
            return Ok(1);
        }
    };
    let Template { prefix, count, suffix } = &template;
    let is_dir = parsed.has(b'd');
    let mut last = io::Error::from(ErrorKind::AlreadyExists);
    for _ in 0..ATTEMPTS {
        running.check()?;
        let name = [prefix, &*letters(*count), suffix].concat();
        let path = running.path(&name);
        let made = if parsed.has(b'u') {
            match path.symlink_metadata() {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
                Ok(_) => Err(ErrorKind::AlreadyExists.into()),
            }
        } else if is_dir {
            create_dir_with(&path, Some(0o700 & !running.context().umask.unwrap_or(0)))
        } else {
            create(&path, running.context().umask)
        };
        match made {
            Ok(()) => {
                running.write(&[&name[..], b"\n"].concat())?;
                return Ok(0);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => last = error,
            Err(error) => {
                last = error;
                break;
            }
        }
    }
    if !parsed.has(b'q') {
        let what: &[u8] =
            if is_dir { b"failed to create directory via template " } else { b"failed to create file via template " };
        let shown = [prefix, &*b"X".repeat(*count), suffix].concat();
        running.report_error(&[what, &quote::locale(&shown)].concat(), &last)?;
    }
    Ok(1)
}

/// What names are made of.
struct Template<'p> {
    /// The directory, and what stands before the X's.
    prefix: Vec<u8>,
    /// How many X's there are.
    count: usize,
    suffix: &'p [u8],
}

impl<'p> Template<'p> {
    /// The template of a command line, or what is wrong with it.
    fn read(running: &Running<'_>, parsed: &'p Parsed<'_>) -> Result<Self, Vec<u8>> {
        let given = parsed.operands.first().copied();
        let template = given.unwrap_or(b"tmp.XXXXXXXXXX");
        // The X's and what is after them.
        let (stem, suffix) = match parsed.last(SUFFIX) {
            Some(suffix) => {
                if template.last() != Some(&b'X') {
                    return Err([b"with --suffix, template ", &*quote::locale(template), b" must end in X"].concat());
                }
                (template, suffix)
            }
            None => {
                let end = template.iter().rposition(|byte| *byte == b'X').map_or(template.len(), |at| at + 1);
                template.split_at(end)
            }
        };
        if suffix.contains(&b'/') {
            let shown = quote::locale(suffix);
            return Err([b"invalid suffix ", &*shown, b", contains directory separator"].concat());
        }
        let count = stem.iter().rev().take_while(|byte| **byte == b'X').count();
        if count < 3 {
            return Err([b"too few X's in template ", &*quote::locale(template)].concat());
        }
        let before = stem.get(..stem.len() - count).unwrap_or_default();
        let Some(mut prefix) = directory(running, parsed, given)? else {
            return Ok(Self { prefix: before.to_vec(), count, suffix });
        };
        while prefix.len() > 1 && prefix.last() == Some(&b'/') {
            prefix.pop();
        }
        if prefix.last() != Some(&b'/') {
            prefix.push(b'/');
        }
        prefix.extend_from_slice(before);
        Ok(Self { prefix, count, suffix })
    }
}

/// The directory that options name, or that there is without a template; or what is wrong with the template, where there is one.
fn directory(running: &Running<'_>, parsed: &Parsed<'_>, given: Option<&[u8]>) -> Result<Option<Vec<u8>>, Vec<u8>> {
    let variable = |name: &str| {
        let value = running.context().variable(name).map(|value| text::from_os(value).into_owned());
        value.filter(|value| !value.is_empty())
    };
    let directory = |option: Option<&[u8]>| -> Vec<u8> {
        match option.filter(|option| !option.is_empty()) {
            Some(option) => option.to_vec(),
            None => variable("TMPDIR").or_else(system_directory).unwrap_or_else(|| b"/tmp".to_vec()),
        }
    };
    let wrong = |template: &[u8], why: &[u8]| [b"invalid template, ", &*quote::locale(template), why].concat();
    let option = parsed.options.iter().rev().find(|(option, _)| matches!(*option, b'p' | TMPDIR)).map(|o| o.1);
    if parsed.has(b't') {
        return match given {
            Some(template) if template.contains(&b'/') => Err(wrong(template, b", contains directory separator")),
            // Here the environment comes first.
            _ => Ok(Some(variable("TMPDIR").unwrap_or_else(|| directory(option)))),
        };
    }
    match given {
        Some(_) if option.is_none() => Ok(None),
        Some(template) if template.starts_with(b"/") => {
            Err(wrong(template, b"; with --tmpdir, it may not be absolute"))
        }
        _ => Ok(Some(directory(option))),
    }
}

/// Windows keeps temporary files in a directory of its own.
fn system_directory() -> Option<Vec<u8>> {
    if !cfg!(windows) {
        return None;
    }
    let directory = std::env::temp_dir();
    let bytes = text::from_path(&directory).into_owned();
    Some(bytes.into_iter().map(|byte| if byte == b'\\' { b'/' } else { byte }).collect())
}

/// Letters and digits that nobody can foresee.
fn letters(count: usize) -> Vec<u8> {
    const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut letters = Vec::with_capacity(count);
    let numbers = Unforeseen::new();
    for index in 0..count {
        let at = usize::try_from(numbers.at(index) % 62).unwrap_or(0);
        letters.push(LETTERS.get(at).copied().unwrap_or(b'X'));
    }
    letters
}

/// For the owner only.
fn create(path: &Path, umask: Option<u32>) -> io::Result<()> {
    let mut options = std::fs::File::options();
    options.write(true).read(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600 & !umask.unwrap_or(0));
    }
    #[cfg(not(unix))]
    let _ = umask;
    options.open(path).map(drop)
}
