//! Programs that start the command which stands after their options: `env A=b x`, `timeout -k 1 5 x`, `xargs -n 1 x`.

use std::ops::Range;

use hookshell_agents::programs::{Effect, wrapper};

/// Where in a wrapper's words the command begins, where the wrapper does nothing but start it.
pub(super) fn plain(name: &str, words: &[String]) -> Option<usize> {
    let wrapper = wrapper(name).filter(|wrapper| wrapper.effect == Effect::Nothing)?;
    wrapper.command(name, words)
}

/// Where in a wrapper's words the command begins.
pub(super) fn any(name: &str, words: &[String]) -> Option<usize> {
    let wrapper = wrapper(name).filter(|wrapper| matches!(wrapper.effect, Effect::Nothing | Effect::Some))?;
    // `command -v x` asks for it.
    if name == "command" && words.first().is_some_and(|word| word.starts_with('-') && word != "-p" && word != "--") {
        return None;
    }
    wrapper.command(name, words)
}

/// The command that `find -exec` starts.
pub(super) fn started_by_find(operands: &[String]) -> Option<Range<usize>> {
    let at = operands.iter().position(|word| matches!(&**word, "-exec" | "-execdir" | "-ok" | "-okdir"))? + 1;
    let end =
        operands.iter().skip(at).position(|word| matches!(&**word, ";" | "+")).map_or(operands.len(), |end| at + end);
    (at < end).then_some(at..end)
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
            ("timeout --sig KILL 5 ./x.sh", Some("./x.sh")),
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
            ("xargs --replace stat {}", Some("stat {}")),
            ("sudo -nu me ./x.sh", Some("./x.sh")),
            ("flock -w 5 /tmp/lock ./x.sh", Some("./x.sh")),
            ("flock /tmp/lock -c ./x.sh", None),
            ("busybox cat x", None),
            ("command -v x", None),
            ("command x", Some("x")),
            ("time -p x", Some("x")),
        ] {
            assert_eq!(found(line, plain), None, "{line}");
            assert_eq!(found(line, any).as_deref(), expected, "{line}");
        }
    }
}
