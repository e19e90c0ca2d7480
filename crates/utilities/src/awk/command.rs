//! The command line.

use std::borrow::Cow;
use std::path::Path;

use hookshell_process::text::to_path;
use hookshell_shell::{Environment, Unsupported, UtilityCall, UtilityContext, special_file};

use super::lexer::unescape;
use super::machine::assignment;
use super::text::Characters;
use crate::io::read_descriptor;

/// A program file may be so long.
const MAX_PROGRAM: u64 = 16 * 1024 * 1024;

/// What a command line asks for.
#[derive(Debug)]
pub(super) struct Command<'a> {
    pub(super) source: Cow<'a, [u8]>,
    /// `-v` and `-F`, in order.
    pub(super) assignments: Vec<(&'a [u8], &'a [u8])>,
    pub(super) operands: Vec<&'a [u8]>,
    pub(super) characters: Characters,
    /// What the awks do not agree on.
    pub(super) differing: Option<&'static str>,
}

impl<'a> Command<'a> {
    /// Reads it; a program that can be read only once where there is a context: when it runs.
    pub(super) fn read(call: &UtilityCall<'a>, context: Option<&UtilityContext<'_>>) -> Result<Self, Unsupported> {
        let mut files: Vec<&[u8]> = Vec::new();
        let mut assignments: Vec<(&[u8], &[u8])> = Vec::new();
        let mut words = call.argv.iter_from(1);
        let mut operands = Vec::new();
        while let Some(word) = words.next() {
            if word == b"--" {
                break;
            }
            let (letter, attached) = match word {
                [b'-', letter, attached @ ..] if *letter != b'-' => (*letter, attached),
                [b'-', b'-', ..] => return Err(Unsupported::option(word)),
                _ => {
                    operands.push(word);
                    break;
                }
            };
            if !matches!(letter, b'F' | b'f' | b'v') {
                return Err(Unsupported::option(word));
            }
            let value =
                if attached.is_empty() { words.next().ok_or_else(|| Unsupported::option(word))? } else { attached };
            match letter {
                b'f' => files.push(value),
                b'v' => {
                    assignments.push(assignment(value).ok_or_else(|| Unsupported::new("this value of -v"))?);
                }
                // gawk and BWK's awk differ on these.
                _ if value.is_empty() || value == b"t" => return Err(Unsupported::new("this value of -F")),
                _ => assignments.push((b"FS", value)),
            }
        }
        operands.extend(words);
        let source = if files.is_empty() {
            if operands.is_empty() {
                return Err(Unsupported::mistake("a call without a program"));
            }
            Cow::Borrowed(operands.remove(0))
        } else {
            let mut source = Vec::new();
            for file in files {
                source.extend_from_slice(&read_program(file, call.cwd, context)?);
                source.push(b'\n');
            }
            Cow::Owned(source)
        };
        let is_gawk = |name: &[u8]| matches!(name, b"FPAT" | b"IGNORECASE");
        let differing = assignments
            .iter()
            .find_map(|(name, value)| if is_gawk(name) { Some("a variable of gawk's") } else { unescape(value).1 });
        Ok(Self { source, assignments, operands, characters: characters(call.env), differing })
    }
}

/// Reads a program file. What is no regular file would have to be read twice.
fn read_program(file: &[u8], cwd: &Path, context: Option<&UtilityContext<'_>>) -> Result<Vec<u8>, Unsupported> {
    let unsupported = || Unsupported::new(format!("the program file {}", file.escape_ascii()));
    if file == b"-" || special_file(file, cwd).is_some() {
        // The real one reads it where there is one.
        let later = || Unsupported::mistake(format!("the program file {}", file.escape_ascii()));
        return context.and_then(|context| read_descriptor(context, file)).ok_or_else(later);
    }
    let path = cwd.join(to_path(file));
    let missing = |_| Unsupported::mistake(format!("the program file {}", file.escape_ascii()));
    let metadata = std::fs::metadata(&path).map_err(missing)?;
    if !metadata.is_file() || metadata.len() > MAX_PROGRAM {
        return Err(unsupported());
    }
    let program = std::fs::read(&path).map_err(|_| unsupported())?;
    context.map_or(Ok(()), |context| context.commands.may_run(&path, &program)).map_err(Unsupported::mistake)?;
    Ok(program)
}

fn variable<'e>(env: &'e Environment, name: &str) -> Option<&'e std::ffi::OsStr> {
    env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
}

/// What a character is in the locale of the run.
fn characters(env: &Environment) -> Characters {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| variable(env, name));
    match locale.and_then(std::ffi::OsStr::to_str) {
        Some("C" | "POSIX") => Characters::Bytes,
        _ => Characters::Utf8,
    }
}

/// Is there an awk on PATH?
pub(super) fn has_program(call: &UtilityCall<'_>) -> bool {
    let Some(path) = variable(call.env, "PATH") else { return false };
    std::env::split_paths(path).any(|folder| {
        let folder = call.cwd.join(folder);
        ["awk", "awk.exe"].iter().any(|name| folder.join(name).is_file())
    })
}
