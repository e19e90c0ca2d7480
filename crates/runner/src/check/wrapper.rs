//! Programs that start the command which stands after their options: `env A=b x`, `timeout -k 1 5 x`, `xargs -n 1 x`.

use std::ops::Range;

/// A wrapper, what of its options takes the next word, and how many operands of its own stand before the command.
struct Wrapper {
    name: &'static str,
    /// Short options with a value.
    letters: &'static str,
    /// Long options with a value.
    long: &'static [&'static str],
    own_operands: usize,
    /// `NAME=VALUE` may stand before the command.
    takes_assignments: bool,
}

const fn wrapper(name: &'static str, letters: &'static str, long: &'static [&'static str]) -> Wrapper {
    Wrapper { name, letters, long, own_operands: 0, takes_assignments: false }
}

/// Those that do nothing else, so that the command is all that they run.
const PLAIN: [Wrapper; 12] = [
    wrapper("exec", "a", &[]),
    wrapper("builtin", "", &[]),
    wrapper("nohup", "", &[]),
    wrapper("setsid", "", &[]),
    wrapper("nice", "n", &["--adjustment"]),
    wrapper("ionice", "cnpPu", &["--class", "--classdata"]),
    wrapper("stdbuf", "ioe", &["--input", "--output", "--error"]),
    wrapper("chronic", "", &[]),
    wrapper("caffeinate", "tw", &[]),
    Wrapper { takes_assignments: true, ..wrapper("env", "uCa", &["--unset", "--chdir", "--argv0"]) },
    Wrapper { own_operands: 1, ..wrapper("timeout", "ks", &["--kill-after", "--signal"]) },
    Wrapper { own_operands: 1, ..wrapper("gtimeout", "ks", &["--kill-after", "--signal"]) },
];

/// Those that start it with other words, as another user, or measure it.
const OTHERS: [Wrapper; 6] = [
    wrapper("command", "", &[]),
    wrapper("time", "fo", &["--format", "--output"]),
    wrapper(
        "xargs",
        "adEILnPs",
        &["--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-lines", "--replace"],
    ),
    Wrapper {
        takes_assignments: true,
        ..wrapper("sudo", "ughpCrtUDRT", &["--user", "--group", "--host", "--prompt", "--chdir"])
    },
    wrapper("doas", "uC", &[]),
    wrapper("unbuffer", "", &[]),
];

/// Where in a wrapper's words the command begins, where the wrapper does nothing but start it.
pub(super) fn plain(name: &str, words: &[String]) -> Option<usize> {
    PLAIN.iter().find(|wrapper| wrapper.name == name).and_then(|wrapper| command(wrapper, words))
}

/// Where in a wrapper's words the command begins.
pub(super) fn any(name: &str, words: &[String]) -> Option<usize> {
    let known = PLAIN.iter().chain(&OTHERS).find(|wrapper| wrapper.name == name)?;
    // `command -v x` asks for it.
    if name == "command" && words.first().is_some_and(|word| word.starts_with('-') && word != "-p" && word != "--") {
        return None;
    }
    command(known, words)
}

/// The command that `find -exec` starts.
pub(super) fn started_by_find(operands: &[String]) -> Option<Range<usize>> {
    let at = operands.iter().position(|word| matches!(&**word, "-exec" | "-execdir" | "-ok" | "-okdir"))? + 1;
    let end =
        operands.iter().skip(at).position(|word| matches!(&**word, ";" | "+")).map_or(operands.len(), |end| at + end);
    (at < end).then_some(at..end)
}

fn command(wrapper: &Wrapper, words: &[String]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let is_assignment = wrapper.takes_assignments && word.contains('=') && !word.starts_with('-');
        if word == "--" {
            at += 1;
            break;
        }
        match word.strip_prefix('-') {
            _ if is_assignment => at += 1,
            None | Some("") => break,
            // What `env -S` is given is a command line of its own.
            Some(cluster) if wrapper.name == "env" && cluster.starts_with(['S', 'v']) => return None,
            Some(long) if long.starts_with('-') => at += if wrapper.long.contains(&&**word) { 2 } else { 1 },
            Some(cluster) => {
                let takes_next = cluster.chars().position(|letter| wrapper.letters.contains(letter));
                at += if takes_next == Some(cluster.chars().count() - 1) { 2 } else { 1 };
            }
        }
    }
    if wrapper.takes_assignments {
        at += words.iter().skip(at).take_while(|word| word.contains('=')).count();
    }
    // `timeout 5 x`
    let is_own =
        |word: &String| word.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | '$' | '"'));
    if !words.iter().skip(at).take(wrapper.own_operands).all(is_own) {
        return None;
    }
    at += wrapper.own_operands;
    words.get(at).map(|_| at)
}

#[cfg(test)]
mod tests {
    use super::{any, plain};

    #[test]
    fn the_command_stands_after_the_wrappers_options() {
        let cases = [
            ("exec ./x.sh a", Some("./x.sh a")),
            ("exec -a name ./x.sh", Some("./x.sh")),
            ("env A=b C=d ./x.sh", Some("./x.sh")),
            ("env -i ./x.sh", Some("./x.sh")),
            ("env -u A B=c ./x.sh", Some("./x.sh")),
            ("env -S ./x.sh", None),
            ("env A=b", None),
            ("timeout 5 ./x.sh", Some("./x.sh")),
            ("timeout -k 1 --signal=KILL 5s ./x.sh", Some("./x.sh")),
            ("timeout \"$t\" ./x.sh", Some("./x.sh")),
            ("timeout ./x.sh", None),
            ("timeout 5", None),
            ("nice -n 5 ./x.sh", Some("./x.sh")),
            ("nice -n5 -- ./x.sh", Some("./x.sh")),
            ("cat ./x.sh", None),
        ];
        let found = |line: &str, of: fn(&str, &[String]) -> Option<usize>| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let (name, words) = words.split_first()?;
            of(name, words).map(|at| words[at..].join(" "))
        };
        for (line, expected) in cases {
            assert_eq!(found(line, plain).as_deref(), expected, "{line}");
            assert_eq!(found(line, any).as_deref(), expected, "{line}");
        }
        for (line, expected) in [
            ("sudo -u me A=b ./x.sh", Some("./x.sh")),
            ("xargs -0 -n1 stat -c %s", Some("stat -c %s")),
            ("xargs -I {} ./x.sh {}", Some("./x.sh {}")),
            ("xargs -0", None),
            ("command -v x", None),
            ("command x", Some("x")),
            ("time -p x", Some("x")),
        ] {
            assert_eq!(found(line, plain), None, "{line}");
            assert_eq!(found(line, any).as_deref(), expected, "{line}");
        }
    }
}
