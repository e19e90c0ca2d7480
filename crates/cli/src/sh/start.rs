//! How a shell begins that was started as one: who it says it is, under which path, and what it reads first.

use std::path::{Path, PathBuf};

use bstr::ByteSlice;
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

/// The start-up files of a shell called `bash`, as code: of a login shell on Unix its profiles, of an interactive one `~/.bashrc`
/// or the file of `--rcfile` (bash's manual, "Bash Startup Files"). What `sh` of another system reads is not what is meant by
/// `hookshell sh -l`.
pub(super) fn files(name: &[u8], args: &[Vec<u8>], input: &Input) -> Option<Vec<u8>> {
    if super::shell_name(name) != b"bash" || matches!(input, Input::Print(_)) {
        return None;
    }
    let wanted = Wanted::read(name, args);
    let code = match (wanted.is_login, wanted.is_interactive) {
        // Windows has no profiles of Unix, and Git's are for Git's own programs.
        (true, _) if wanted.has_profile && !cfg!(windows) => Some(PROFILES.as_bytes().to_vec()),
        (false, true) if wanted.has_rc => match wanted.rc_file {
            Some(file) => Some(source(file)),
            None if cfg!(windows) => None,
            None => Some(RC.as_bytes().to_vec()),
        },
        _ => None,
    }?;
    // A command that fails there does not end the shell.
    Some(if wanted.is_errexit { [b"set +e\n", &code[..], b"set -e\n"].concat() } else { code })
}

/// What a command line says of start-up files.
struct Wanted<'a> {
    is_login: bool,
    is_interactive: bool,
    has_profile: bool,
    has_rc: bool,
    is_errexit: bool,
    /// Read in place of `~/.bashrc`.
    rc_file: Option<&'a [u8]>,
}

impl<'a> Wanted<'a> {
    fn read(name: &[u8], args: &'a [Vec<u8>]) -> Self {
        let mut wanted = Self {
            is_login: name.starts_with(b"-"),
            is_interactive: false,
            has_profile: true,
            has_rc: true,
            is_errexit: false,
            rc_file: None,
        };
        let mut reader = OptionReader::new(Grammar::Hookshell);
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let read = reader.read(word);
            if read.is_operand() {
                break;
            }
            match &**word {
                b"--login" | b"-login" => wanted.is_login = true,
                b"--noprofile" | b"-noprofile" => wanted.has_profile = false,
                b"--norc" | b"-norc" => wanted.has_rc = false,
                [sign @ (b'-' | b'+'), letters @ ..] if !read.is_long() => {
                    let is_on = *sign == b'-';
                    wanted.is_login |= is_on && letters.contains(&b'l');
                    wanted.is_interactive |= is_on && letters.contains(&b'i');
                    if letters.contains(&b'e') {
                        wanted.is_errexit = is_on;
                    }
                }
                _ => {}
            }
            for _ in 0..read.values() {
                let value = words.next();
                if read.names_startup_file() {
                    wanted.rc_file = value.map(Vec::as_slice);
                } else if value.is_some_and(|value| value == b"errexit") {
                    wanted.is_errexit = word.starts_with(b"-");
                }
            }
            if read.ends_options() {
                break;
            }
        }
        wanted
    }
}

/// Code that reads a file, if it is there. It is not looked for in PATH.
fn source(file: &[u8]) -> Vec<u8> {
    let word = match file {
        // A tilde in front is expanded, also one that was quoted.
        [b'~'] => b"~".to_vec(),
        [b'~', b'/', rest @ ..] => [b"~/", &quoted(rest)[..]].concat(),
        _ if file.contains(&b'/') => quoted(file),
        _ => [b"./", &quoted(file)[..]].concat(),
    };
    [b"if [ -r ", &word[..], b" ]; then . ", &word, b"; fi\n"].concat()
}

fn quoted(text: &[u8]) -> Vec<u8> {
    [b"'", &text.replace(b"'", br"'\''")[..], b"'"].concat()
}

/// The first of the user's that is there, as bash does it.
const PROFILES: &str = r#"if [ -r /etc/profile ]; then . /etc/profile; fi
if [ -r "${HOME-}/.bash_profile" ]; then . "${HOME-}/.bash_profile"
elif [ -r "${HOME-}/.bash_login" ]; then . "${HOME-}/.bash_login"
elif [ -r "${HOME-}/.profile" ]; then . "${HOME-}/.profile"; fi
"#;

const RC: &str = "if [ -r \"${HOME-}/.bashrc\" ]; then . \"${HOME-}/.bashrc\"; fi\n";
