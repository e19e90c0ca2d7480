//! How a shell begins that was started as one: who it says it is, under which path, and what it reads first.

use std::path::{Path, PathBuf};

use hookshell_process::text;
use hookshell_shell::command_line::{Grammar, Input, OptionReader};

/// What programs parse of bash's version.
const BASH: &str = "GNU bash, version 5.2.37(1)-release";

/// The text of `--version`; under bash's own name its first line is one that programs parse.
pub(super) fn as_bash(name: &[u8], text: &str) -> String {
    match text.starts_with("hookshell ") && name == b"bash" {
        true => format!("{BASH} ({}-hookshell)\n{text}", std::env::consts::ARCH),
        false => text.to_owned(),
    }
}

/// The path under which the shell was started: `$BASH`. `None`: as `hookshell sh`.
pub(super) fn own_path(name: &[u8]) -> Option<Vec<u8>> {
    let name = name.strip_prefix(b"-").unwrap_or(name);
    let has_directory = name.contains(&b'/') || cfg!(windows) && name.contains(&b'\\');
    if name == b"sh" && !has_directory {
        return None;
    }
    let exe = || std::env::current_exe().ok();
    let path = if cfg!(windows) {
        exe()
    } else if has_directory {
        let path = PathBuf::from(text::to_os(name).into_owned());
        Some(if path.is_absolute() { path } else { std::env::current_dir().ok()?.join(path) })
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let file = text::to_os(name).into_owned();
        std::env::split_paths(&path)
            .map(|directory| directory.join(&file))
            .find(|file| Path::is_file(file))
            .or_else(exe)
    }?;
    Some(text::from_os(path.as_os_str()).into_owned())
}

/// The start-up files of a shell, as code: of a login shell on Unix its profiles, of an interactive one bash's `~/.bashrc`.
pub(super) fn files(name: &[u8], args: &[Vec<u8>], input: &Input) -> Option<&'static str> {
    // What `sh` of another system reads is not what is meant by `hookshell sh -l`.
    if cfg!(windows) || name != b"bash" || matches!(input, Input::Print(_)) {
        return None;
    }
    let (mut is_login, mut is_interactive, mut has_profile, mut has_rc) = (false, false, true, true);
    let mut reader = OptionReader::new(Grammar::Hookshell);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let read = reader.read(word);
        if read.is_operand() {
            break;
        }
        match &**word {
            b"--login" | b"-login" => is_login = true,
            b"--noprofile" | b"-noprofile" => has_profile = false,
            b"--norc" | b"-norc" => has_rc = false,
            // The file that is named is read in its place: by nobody here.
            _ if read.names_startup_file() => has_rc = false,
            [b'-', letters @ ..] if !read.is_long() => {
                is_login |= letters.contains(&b'l');
                is_interactive |= letters.contains(&b'i');
            }
            _ => {}
        }
        for _ in 0..read.values() {
            words.next();
        }
        if read.ends_options() {
            break;
        }
    }
    match (is_login, is_interactive) {
        (true, _) if has_profile => Some(PROFILES),
        (false, true) if has_rc => Some(RC),
        _ => None,
    }
}

/// The first of the user's that is there, as bash does it.
const PROFILES: &str = r#"if [ -r /etc/profile ]; then . /etc/profile; fi
if [ -r "${HOME-}/.bash_profile" ]; then . "${HOME-}/.bash_profile"
elif [ -r "${HOME-}/.bash_login" ]; then . "${HOME-}/.bash_login"
elif [ -r "${HOME-}/.profile" ]; then . "${HOME-}/.profile"; fi
"#;

const RC: &str = "if [ -r \"${HOME-}/.bashrc\" ]; then . \"${HOME-}/.bashrc\"; fi\n";
