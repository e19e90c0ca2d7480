//! Command lines of a shell that is not there.

use hookshell_process::text;

use crate::platform::Platform;

/// What is done about a script or command line for a POSIX shell when no such shell is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingShell {
    /// It runs in process, in the bash dialect.
    Interpret,
    /// It fails, as the kernel would say it.
    Fail,
}

impl MissingShell {
    /// The default: Windows has no shell of its own, on Unix a missing one is an error to be seen.
    pub fn default_for(platform: Platform) -> Self {
        match platform {
            Platform::Windows => Self::Interpret,
            Platform::Unix => Self::Fail,
        }
    }
}

impl std::str::FromStr for MissingShell {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "interpret" => Ok(Self::Interpret),
            "fail" => Ok(Self::Fail),
            other => Err(format!("{other:?} is none of interpret, fail")),
        }
    }
}

/// The shells whose scripts the interpreter can run in their place.
const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "ksh"];

/// Is it the name of a shell that the interpreter can stand in for? The name of a file, without its folder.
pub(crate) fn is_shell(platform: Platform, name: &[u8]) -> bool {
    let name = text::to_os(name).to_string_lossy().into_owned();
    match platform {
        Platform::Unix => SHELLS.contains(&&*name),
        Platform::Windows => {
            let name = name.to_ascii_lowercase();
            SHELLS.contains(&name.strip_suffix(".exe").unwrap_or(&name))
        }
    }
}

/// A shell's command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShellLine {
    /// The command that makes the options hold, in front of the source on its first line; empty for none.
    pub(crate) prelude: Vec<u8>,
    /// What is run.
    pub(crate) input: ShellInput,
    /// `$1` and so on.
    pub(crate) args: Vec<Vec<u8>>,
}

/// Where a shell's commands come from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ShellInput {
    /// `-c`: the commands, and `$0` where an operand gives it.
    Command(Vec<u8>, Option<Vec<u8>>),
    /// A script file.
    File(Vec<u8>),
    /// Neither: standard input.
    Stdin,
}

impl ShellInput {
    /// Is it this script file?
    pub(crate) fn is_file(&self, file: &[u8]) -> bool {
        matches!(self, Self::File(found) if found == file)
    }
}

/// Reads the words behind a shell's name. `Err` is the option that the stand-in does not have.
pub(crate) fn read_shell_line(words: &[Vec<u8>]) -> Result<ShellLine, String> {
    let mut settings: Vec<Vec<u8>> = Vec::new();
    let (mut is_command, mut is_stdin) = (false, false);
    let mut words = words.iter();
    let mut operands: Vec<Vec<u8>> = Vec::new();
    while let Some(word) = words.next() {
        match word.as_slice() {
            b"--" | b"-" => break,
            // A login shell reads profiles, which are those of a shell that is not there.
            b"--norc" | b"--noprofile" | b"--noediting" | b"--login" => {}
            b"--posix" => settings.push(b"-o posix".to_vec()),
            [sign @ (b'-' | b'+'), letters @ ..] if !letters.is_empty() => {
                let sign = char::from(*sign);
                for letter in letters {
                    let letter = char::from(*letter);
                    match letter {
                        'c' if sign == '-' => is_command = true,
                        's' if sign == '-' => is_stdin = true,
                        'l' => {}
                        'a' | 'b' | 'e' | 'f' | 'h' | 'k' | 'm' | 'n' | 'u' | 'v' | 'x' | 'B' | 'C' | 'E' | 'H'
                        | 'P' | 'T' => {
                            settings.push(format!("{sign}{letter}").into());
                        }
                        'o' => {
                            let name = words.next().ok_or_else(|| format!("{sign}o"))?;
                            let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
                            if !name.iter().all(is_plain) {
                                return Err(format!("{sign}o"));
                            }
                            settings.push([format!("{sign}o ").as_bytes(), name].concat());
                        }
                        _ => return Err(text::to_os(word).to_string_lossy().into_owned()),
                    }
                }
            }
            _ => {
                operands.push(word.clone());
                break;
            }
        }
    }
    operands.extend(words.cloned());
    let prelude = if settings.is_empty() { Vec::new() } else { [&b"set "[..], &settings.join(&b' '), b"; "].concat() };
    let mut operands = operands.into_iter();
    if is_stdin && !is_command {
        return Ok(ShellLine { prelude, input: ShellInput::Stdin, args: operands.collect() });
    }
    let input = match (operands.next(), is_command) {
        (Some(source), true) => ShellInput::Command(source, operands.next()),
        (Some(file), false) => ShellInput::File(file),
        (None, true) => return Err("-c without a command".into()),
        (None, false) => ShellInput::Stdin,
    };
    Ok(ShellLine { prelude, input, args: operands.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<u8>> {
        text.split('|').map(|word| word.as_bytes().to_vec()).collect()
    }

    #[test]
    fn a_shells_command_line_is_read_as_the_shell_does() {
        let file = |name: &str| ShellInput::File(name.into());
        let command = |source: &str, name: Option<&str>| ShellInput::Command(source.into(), name.map(Into::into));
        let cases: &[(&str, &str, ShellInput, &[&str])] = &[
            ("a.sh", "", file("a.sh"), &[]),
            ("a.sh|-x|y", "", file("a.sh"), &["-x", "y"]),
            ("-e|a.sh", "set -e; ", file("a.sh"), &[]),
            ("-eu|-o|pipefail|a.sh|1", "set -e -u -o pipefail; ", file("a.sh"), &["1"]),
            ("+e|--|-a.sh", "set +e; ", file("-a.sh"), &[]),
            ("-c|echo hi", "", command("echo hi", None), &[]),
            ("-c|echo $1|me|x", "", command("echo $1", Some("me")), &["x"]),
            ("-ec|false; echo", "set -e; ", command("false; echo", None), &[]),
            ("-c|-x|true", "set -x; ", command("true", None), &[]),
            ("--norc|-e", "set -e; ", ShellInput::Stdin, &[]),
            ("-s|a|b", "", ShellInput::Stdin, &["a", "b"]),
            ("-lc|echo hi", "", command("echo hi", None), &[]),
            ("--login|--posix|a.sh|b", "set -o posix; ", file("a.sh"), &["b"]),
            ("-Eeuvo|pipefail|a.sh", "set -E -e -u -v -o pipefail; ", file("a.sh"), &[]),
        ];
        for (line, prelude, input, args) in cases {
            let read = read_shell_line(&words(line)).unwrap();
            assert_eq!(read.prelude, prelude.as_bytes(), "{line}");
            assert_eq!(read.input, *input, "{line}");
            let args: Vec<Vec<u8>> = args.iter().map(|arg| arg.as_bytes().to_vec()).collect();
            assert_eq!(read.args, args, "{line}");
        }
        for (line, option) in [
            ("-i", "-i"),
            ("--rcfile|a", "--rcfile"),
            ("-O|extglob", "-O"),
            ("-o", "-o"),
            ("-o|x;y|a", "-o"),
            ("-c", "-c without a command"),
        ] {
            assert_eq!(read_shell_line(&words(line)), Err(option.into()));
        }
    }

    #[test]
    fn names_of_shells_are_known() {
        assert!(is_shell(Platform::Unix, b"bash"));
        assert!(!is_shell(Platform::Unix, b"bash.exe"));
        assert!(!is_shell(Platform::Unix, b"zsh"));
        assert!(is_shell(Platform::Windows, b"BASH.EXE"));
        assert!(is_shell(Platform::Windows, b"sh"));
    }
}
