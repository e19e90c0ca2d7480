//! `cygpath`: paths between Windows' own form and that of scripts.

use std::path::{Path, PathBuf};

use hookshell_process::system::{long_path, registry_string, short_path};
use hookshell_process::{path_list, script_path, text};
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::path_form::{Form, shown};

utility! {
    /// `cygpath [-uwmdlsapi] [-t TYPE] PATH…`, `cygpath … -f FILE`, `cygpath [-uwmdA] -D|-H|-O|-P|-S|-W` (Cygwin's, which Git for
    /// Windows has).
    ///
    /// There are no mounts but the drives: `/c/x` is `C:\x`, `/tmp` the run's temporary directory, and another `/x` is in the root of
    /// the current drive. Only Windows has it, as scripts take it for a sign of Windows (`command -v cygpath`).
    Cygpath, "cygpath"
}

const OPTIONS: &[OptionSpec] = &[
    flag(b'u', "unix"),
    flag(b'w', "windows"),
    flag(b'm', "mixed"),
    flag(b'd', "dos"),
    flag(b'l', "long-name"),
    flag(b's', "short-name"),
    flag(b'A', "allusers"),
    flag(b'D', "desktop"),
    flag(b'H', "homeroot"),
    flag(b'O', "mydocs"),
    flag(b'P', "smprograms"),
    flag(b'S', "sysdir"),
    flag(b'W', "windir"),
    flag(b'a', "absolute"),
    flag(b'p', "path"),
    flag(b'i', "ignore"),
    value(b't', "type"),
    value(b'f', "file"),
];

struct Command<'a> {
    parsed: Parsed<'a>,
    form: Form,
    name: Name,
    /// A directory of the system is asked for: which option.
    directory: Option<u8>,
}

/// Which of the two names that a file may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    AsGiven,
    Long,
    Short,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let mut form = Form::Unix;
    let mut name = Name::AsGiven;
    let mut directories = Vec::new();
    for (option, value) in &parsed.options {
        let kind = value.strip_prefix(b"=").unwrap_or(value).to_ascii_lowercase();
        form = match (option, &kind[..]) {
            (b'u', _) | (b't', b"unix") => Form::Unix,
            (b'w', _) | (b't', b"windows") => Form::Windows,
            (b'm', _) | (b't', b"mixed") => Form::Mixed,
            (b'd', _) | (b't', b"dos") => {
                name = Name::Short;
                if form == Form::Mixed { Form::Mixed } else { Form::Windows }
            }
            (b't', other) => return Err(Unsupported::mistake(format!("the type {}", other.escape_ascii()))),
            (b'l', _) => {
                name = Name::Long;
                form
            }
            (b's', _) => {
                name = Name::Short;
                form
            }
            (b'D' | b'H' | b'O' | b'P' | b'S' | b'W', _) => {
                directories.push(*option);
                form
            }
            _ => form,
        };
    }
    if name != Name::AsGiven && form == Form::Unix {
        return Err(Unsupported::mistake("long or short names without -w or -m"));
    }
    if directories.len() > 1 {
        return Err(Unsupported::mistake("several of -D, -H, -O, -P, -S and -W"));
    }
    Ok(Command { parsed, form, name, directory: directories.first().copied() })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let Command { parsed, form, name, directory } = command;
    if let Some(option) = directory {
        let found = directory_of_system(running, option, parsed.has(b'A'));
        let native = renamed(&text::from_path(&found), running.context().cwd, name).unwrap_or_default();
        let path = shown(&native, &text::from_path(running.context().cwd), form, false);
        running.write(&[&path[..], b"\n"].concat())?;
        return Ok(0);
    }
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
        let one = |path: &[u8]| converted(running, path, form, name, is_absolute);
        let shown = match is_list {
            false => one(operand),
            true => {
                let elements = path_list::elements(operand, true);
                let separator: &[u8] = if form == Form::Unix { b":" } else { b";" };
                let shown: Result<Vec<_>, _> = elements.iter().map(|element| one(element)).collect();
                shown.map(|shown| shown.join(separator))
            }
        };
        match shown {
            Ok(shown) => running.write(&[&shown[..], b"\n"].concat()),
            Err(path) => {
                running.message(&[b"cannot create short name of ", &path[..]].concat())?;
                status = 2;
                Ok(())
            }
        }
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

/// A path in a form; the error is the path that has no short name, as there is no such file.
fn converted(
    running: &Running<'_>,
    path: &[u8],
    form: Form,
    name: Name,
    is_absolute: bool,
) -> Result<Vec<u8>, Vec<u8>> {
    let cwd = running.context().cwd;
    if path == b"/dev/null" {
        return Ok(if form == Form::Unix { path.to_vec() } else { b"NUL".to_vec() });
    }
    let native = script_path::native(path, cwd, || running.temp_dir());
    let native = renamed(&native, cwd, name)?;
    Ok(shown(&native, &text::from_path(cwd), form, is_absolute))
}

/// A path of Windows with the names that are asked for. What is not there has no short name, which is the error, and no other long
/// one than that it is given by.
fn renamed(native: &[u8], cwd: &Path, name: Name) -> Result<Vec<u8>, Vec<u8>> {
    let path = cwd.join(text::to_path(native));
    match name {
        Name::AsGiven => Ok(native.to_vec()),
        Name::Long => Ok(long_path(&path).map_or_else(|| native.to_vec(), |path| text::from_path(&path).into_owned())),
        Name::Short => match short_path(&path) {
            Some(path) => Ok(text::from_path(&path).into_owned()),
            None => Err(native.to_vec()),
        },
    }
}

/// The directory of the system, or of a user (`is_shared`: of all users), that an option asks for.
fn directory_of_system(running: &Running<'_>, option: u8, is_shared: bool) -> PathBuf {
    const DIRECTORIES: &str = r"Software\Microsoft\Windows\CurrentVersion\Explorer\User Shell Folders";
    const PROFILES: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion\ProfileList";
    let variable = |name: &str, otherwise: &str| {
        let found = running.context().env.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map_or_else(|| otherwise.into(), |(_, value)| PathBuf::from(value))
    };
    let of_registry = |own: &str, shared: &str| {
        let name = if is_shared { shared } else { own };
        // Where the environment has no %USERPROFILE% the name stands there.
        registry_string(!is_shared, DIRECTORIES, name).map(PathBuf::from).filter(|path| path.is_absolute())
    };
    // Where the registry has no entry the directory is at its usual place.
    let usual = |own: &str, shared: &str| match is_shared {
        true => variable("PUBLIC", r"C:\Users\Public").join(shared),
        false => variable("USERPROFILE", r"C:\Users\Default").join(own),
    };
    match option {
        b'D' => of_registry("Desktop", "Common Desktop").unwrap_or_else(|| usual("Desktop", "Desktop")),
        b'O' => of_registry("Personal", "Common Documents").unwrap_or_else(|| usual("Documents", "Documents")),
        b'P' => of_registry("Programs", "Common Programs").unwrap_or_else(|| {
            let below = r"Microsoft\Windows\Start Menu\Programs";
            match is_shared {
                true => variable("ProgramData", r"C:\ProgramData").join(below),
                false => variable("APPDATA", r"C:\Users\Default\AppData\Roaming").join(below),
            }
        }),
        b'H' => registry_string(false, PROFILES, "ProfilesDirectory")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| variable("SystemDrive", "C:").join(r"\Users")),
        b'S' => {
            let path = variable("SystemRoot", r"C:\Windows").join("System32");
            long_path(&path).unwrap_or(path)
        }
        _ => variable("SystemRoot", r"C:\Windows"),
    }
}
