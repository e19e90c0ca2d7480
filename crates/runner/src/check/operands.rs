//! What the words behind a program's name mean to it: which of them is a script, which another command.

/// The script that an interpreter is given: the first operand behind options that take no other word. `None` where an
/// option takes commands or a module (`-c`, `-m`), or one that is not known may take the next word.
pub(super) fn script<'w>(interpreter: &str, words: &'w [String]) -> Option<&'w String> {
    let (clusters, with_word, long): (&str, &str, &[&str]) = match interpreter {
        "sh" | "bash" | "dash" | "ksh" | "zsh" => ("abefhkmnpruvxBCEHPT", "o", &["--norc", "--noprofile", "--posix"]),
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

/// The command that a program is given to run, where it is one that does nothing else: `exec x`, `env A=b x`, `timeout 5 x`.
pub(super) fn wrapped<'w>(name: &str, words: &'w [String]) -> Option<&'w [String]> {
    let skipped = match name {
        "exec" | "nohup" | "setsid" | "builtin" => 0,
        "env" => words.iter().take_while(|word| word.contains('=') && !word.starts_with('-')).count(),
        // Only the plain form, with the time first.
        "timeout" => {
            let is_time = words.first()?.starts_with(|first: char| first.is_ascii_digit() || first == '.');
            if !is_time {
                return None;
            }
            1
        }
        _ => return None,
    };
    let rest = words.get(skipped..)?;
    // An option of the wrapper's own is not looked through.
    rest.first().filter(|word| !word.starts_with('-')).map(|_| rest)
}

#[cfg(test)]
mod tests {
    use super::{script, wrapped};

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_script_stands_behind_options_that_take_nothing_else() {
        let cases = [
            ("bash", "x.sh a", Some("x.sh")),
            ("bash", "-e x.sh", Some("x.sh")),
            ("bash", "-euo pipefail x.sh", Some("x.sh")),
            ("bash", "-o pipefail -x x.sh", Some("x.sh")),
            ("bash", "--norc -- x.sh", Some("x.sh")),
            ("bash", "-c x.sh", None),
            ("bash", "-ec x.sh", None),
            ("bash", "-s x.sh", None),
            ("bash", "-", Some("-")),
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
    fn wrappers_are_looked_through() {
        let cases = [
            ("exec", "./x.sh a", Some("./x.sh a")),
            ("env", "A=b C=d ./x.sh", Some("./x.sh")),
            ("env", "-i ./x.sh", None),
            ("env", "A=b", None),
            ("timeout", "5 ./x.sh", Some("./x.sh")),
            ("timeout", "-k 1 5 ./x.sh", None),
            ("timeout", "5", None),
            ("cat", "./x.sh", None),
        ];
        for (name, line, expected) in cases {
            let line = words(line);
            let found = wrapped(name, &line).map(|rest| rest.join(" "));
            assert_eq!(found.as_deref(), expected, "{name} {line:?}");
        }
    }
}
