//! `cygpath`: paths between Windows' own form and that of scripts.

use hookshell_process::{path_list, script_path, text};
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::path_form::{Form, shown};

utility! {
    /// `cygpath [-uwmapi] [-t TYPE] PATH…`, `cygpath … -f FILE` (Cygwin's, which Git for Windows has).
    ///
    /// There are no mounts but the drives: `/c/x` is `C:\x`, `/tmp` the run's temporary directory, and another `/x` is in the root of
    /// the current drive. Only Windows has it, as scripts take it for a sign of Windows (`command -v cygpath`).
    Cygpath, "cygpath"
}

const OPTIONS: &[OptionSpec] = &[
    flag(b'u', "unix"),
    flag(b'w', "windows"),
    flag(b'm', "mixed"),
    flag(b'a', "absolute"),
    flag(b'p', "path"),
    flag(b'i', "ignore"),
    value(b't', "type"),
    value(b'f', "file"),
];

struct Command<'a> {
    parsed: Parsed<'a>,
    form: Form,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let mut form = Form::Unix;
    for (option, value) in &parsed.options {
        form = match (option, *value) {
            (b'u', _) | (b't', b"unix") => Form::Unix,
            (b'w', _) | (b't', b"windows") => Form::Windows,
            (b'm', _) | (b't', b"mixed") => Form::Mixed,
            (b't', other) => return Err(Unsupported::new(format!("the type {}", other.escape_ascii()))),
            _ => form,
        };
    }
    Ok(Command { parsed, form })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let Command { parsed, form } = command;
    let is_list = parsed.has(b'p');
    let is_absolute = parsed.has(b'a');
    let mut status = 0;
    let mut convert = |operand: &[u8]| -> Result<(), Failure> {
        if operand.is_empty() && !is_list {
            if !parsed.has(b'i') {
                running.message(b"can't convert empty path")?;
                status = 1;
            }
            return Ok(());
        }
        let one = |path: &[u8]| converted(running, path, form, is_absolute);
        let shown = match is_list {
            false => one(operand),
            true => {
                let elements = path_list::elements(operand, true);
                let separator: &[u8] = if form == Form::Unix { b":" } else { b";" };
                elements.iter().map(|element| one(element)).collect::<Vec<_>>().join(separator)
            }
        };
        running.write(&[&shown[..], b"\n"].concat())
    };
    if let Some(file) = parsed.last(b'f') {
        let source = match running.open(file)? {
            Ok(source) => source,
            Err(error) => {
                running.report_error(&quote::if_needed(file), &error)?;
                return Ok(1);
            }
        };
        let mut input = Input::new(source);
        while let Some(line) = input.text(running, b'\n')? {
            convert(line.strip_suffix(b"\r").unwrap_or(line))?;
        }
        return Ok(status);
    }
    if parsed.operands.is_empty() {
        if parsed.has(b'i') {
            return Ok(0);
        }
        return running.usage(b"not enough arguments");
    }
    for operand in &parsed.operands {
        convert(operand)?;
    }
    Ok(status)
}

fn converted(running: &Running<'_>, path: &[u8], form: Form, is_absolute: bool) -> Vec<u8> {
    let cwd = running.context().cwd;
    if path == b"/dev/null" {
        return if form == Form::Unix { path.to_vec() } else { b"NUL".to_vec() };
    }
    let native = script_path::native(path, cwd, || running.temp_dir());
    shown(&native, &text::from_path(cwd), form, is_absolute)
}
