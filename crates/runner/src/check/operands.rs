//! What the words after a program's name mean to it: which of them is a script, which another command.

use hookshell_dispatch::command_line::{CommandLine, CommandLineError, Grammar, KnownShell, OptionReader};

use super::wrapper;

/// The script that an interpreter is given: the first operand after options that take no other word. `None` if an
/// option takes commands or a module (`-c`, `-m`), or one that is not known may take the next word.
pub(super) fn script<'w>(interpreter: &str, words: &'w [String]) -> Option<&'w String> {
    if KnownShell::named(interpreter.as_bytes()).is_some() {
        return script_of_shell(words);
    }
    let (clusters, with_word, long): (&str, &str, &[&str]) = match interpreter {
        "python" | "python3" => ("bBdEIOPqsSuvx", "WX", &[]),
        "ruby" | "perl" => ("wWT", "", &[]),
        "node" => ("", "", &["--no-", "--enable-", "--experimental-", "--trace-", "--use-"]),
        _ => ("", "", &[]),
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix(['-', '+']).filter(|option| !option.is_empty()) else { return Some(word) };
        let is_cluster = |letters: &str| letters.chars().all(|letter| clusters.contains(letter));
        // `-euo pipefail`
        let takes_word = option.strip_suffix(|last| with_word.contains(last)).is_some_and(is_cluster);
        let is_long = word.starts_with("--") && (word.contains('=') || long.iter().any(|long| word.starts_with(long)));
        if takes_word {
            words.next();
        } else if word == "--" {
            return words.next();
        } else if !is_cluster(option) && !is_long {
            return None;
        }
    }
    None
}

/// Why the in-process shell in the place of one that is not installed would not take these words. `is_known`: is the word the same
/// when it runs?
pub(super) fn mistake_of_shell(
    name: &str,
    words: &[String],
    is_known: impl Fn(&str) -> bool,
) -> Option<CommandLineError> {
    let mut options = OptionReader::new(Grammar::Shell);
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let option = options.read(word.as_bytes());
        if option.is_operand() || option.ends_options() {
            break;
        }
        at += 1 + option.values();
    }
    if !words.iter().take(at).all(|word| is_known(word)) {
        return None;
    }
    CommandLine::parse(name.as_bytes(), words, Grammar::Shell).err()
}

/// The script that a shell is given.
fn script_of_shell(words: &[String]) -> Option<&String> {
    let mut options = OptionReader::new(Grammar::Shell);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let option = options.read(word.as_bytes());
        if option.is_operand() {
            return Some(word);
        }
        if option.ends_options() {
            return words.next();
        }
        if option.is_command() || option.is_stdin() || !option.is_known() {
            return None;
        }
        for _ in 0..option.values() {
            words.next();
        }
    }
    None
}

/// The command that a program is given to run, where it is one that does nothing else: `exec x`, `env A=b x`, `timeout 5 x`.
pub(super) fn wrapped<'w>(name: &str, words: &'w [String]) -> Option<&'w [String]> {
    words.get(wrapper::plain(name, words)?..)
}

#[cfg(test)]
mod tests {
    use super::{mistake_of_shell, script};

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_script_stands_after_options_that_take_nothing_else() {
        let cases = [
            ("bash", "x.sh a", Some("x.sh")),
            ("bash", "-e x.sh", Some("x.sh")),
            ("bash", "-euo pipefail x.sh", Some("x.sh")),
            ("bash", "-o pipefail -x x.sh", Some("x.sh")),
            ("bash", "--norc -- x.sh", Some("x.sh")),
            ("bash", "-c x.sh", None),
            ("bash", "-ec x.sh", None),
            ("bash", "-s x.sh", None),
            ("bash", "-O extglob x.sh", Some("x.sh")),
            ("bash", "+O extglob -l x.sh", Some("x.sh")),
            ("bash", "--rcfile y.sh x.sh", Some("x.sh")),
            ("bash", "--login x.sh", Some("x.sh")),
            ("bash", "-posix x.sh", Some("x.sh")),
            ("mksh", "-e x.sh", Some("x.sh")),
            ("bash", "- x.sh", Some("x.sh")),
            ("bash", "+c x.sh", None),
            ("bash", "--frob x.sh", None),
            ("bash", "-", None),
            ("python3", "-u x.py", Some("x.py")),
            ("python3", "-W ignore x.py", Some("x.py")),
            ("python3", "-m mod", None),
            ("node", "--no-warnings --max-old-space-size=64 x.js", Some("x.js")),
            ("node", "--require a.js b.js", None),
            ("node", "-e code", None),
            ("lua", "-l x", None),
            ("bash", "", None),
        ];
        for (interpreter, line, expected) in cases {
            assert_eq!(script(interpreter, &words(line)).map(String::as_str), expected, "{interpreter} {line}");
        }
    }

    #[test]
    fn options_that_the_shell_in_place_of_another_does_not_take_are_told() {
        let cases = [
            ("-e x.sh", None),
            ("x.sh -Z", None),
            ("-Z x.sh", Some("-Z: invalid option")),
            ("-c", Some("-c: option requires an argument")),
            ("-D x.sh", Some("-D: not supported: strings for translation are not listed")),
            ("-o $name x.sh", None),
            ("$options", None),
        ];
        for (line, expected) in cases {
            let mistake = mistake_of_shell("bash", &words(line), |word| !word.contains('$'));
            assert_eq!(mistake.map(|mistake| mistake.to_string()).as_deref(), expected, "{line}");
        }
    }
}
