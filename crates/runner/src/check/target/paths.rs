//! Which words of a command are paths that it opens. A guard has many that it only compares: `case "$file" in /etc/*)`.

/// The words that the command opens, or looks for, by their numbers.
pub(super) fn opened(words: &[String]) -> Vec<usize> {
    let Some((name, operands)) = words.split_first() else { return Vec::new() };
    let name = super::base_name(name);
    match name {
        // What is printed, compared, or done elsewhere.
        "echo" | "printf" | "exit" | "return" | "expr" | "read" | "tr" | "ssh" | "docker" | "podman" | "kubectl"
        | "wsl" | "basename" | "dirname" | "export" | "case" | "let" | "alias" => return Vec::new(),
        "[" | "test" => return tested(words).map(|(at, _)| at).collect(),
        _ => {}
    }
    // The first operand is a program or a pattern, unless an option has it.
    let has_program =
        matches!(name, "grep" | "egrep" | "fgrep" | "rg" | "sed" | "awk" | "gawk" | "mawk" | "jq" | "perl");
    let gives_it =
        |word: &String| matches!(&**word, "-e" | "-f" | "--regexp" | "--expression" | "--file" | "--from-file");
    let mut needs_program = has_program && !operands.iter().any(gives_it);
    let mut found = Vec::new();
    let mut skipped = 0;
    for (index, word) in words.iter().enumerate().skip(1) {
        if skipped > 0 {
            skipped -= 1;
        } else if word.starts_with('-') && word.len() > 1 {
            skipped = values(name, word);
        } else if needs_program {
            needs_program = false;
        } else if path_of(word).is_some() {
            found.push(index);
        }
        if word.starts_with('-') && word.contains("=/") {
            found.push(index);
        }
    }
    found
}

/// How many words after an option are values and no files.
fn values(name: &str, option: &str) -> usize {
    match (name, option) {
        ("jq", "--arg" | "--argjson") => 2,
        ("grep" | "egrep" | "fgrep" | "rg" | "sed", "-e" | "--regexp" | "--expression") => 1,
        ("awk" | "gawk" | "mawk", "-v" | "-F") | ("cut", "-d") | ("perl", "-e" | "-ne" | "-pe") => 1,
        ("find", "-path" | "-name" | "-iname" | "-ipath" | "-wholename" | "-regex" | "-iregex" | "-lname") => 1,
        ("git", "-m") | ("curl", "-d" | "-H" | "--data" | "--header") => 1,
        _ => 0,
    }
}

/// Files that `[` or `test` asks for, by the numbers of their words, with those words.
pub(super) fn tested(words: &[String]) -> impl Iterator<Item = (usize, &String)> {
    const TESTS: [&str; 12] = ["-e", "-f", "-d", "-r", "-w", "-x", "-s", "-S", "-p", "-L", "-c", "-b"];
    let pairs = words.windows(2).enumerate().filter_map(|(at, pair)| match pair {
        [test, file] if TESTS.contains(&&**test) => Some((at + 1, file)),
        _ => None,
    });
    pairs.collect::<Vec<_>>().into_iter()
}

/// The absolute path that a word is; `dd`'s and others' `of=/dev/x` too.
pub(super) fn path_of(word: &str) -> Option<&str> {
    let word = word.trim_matches(['"', '\'']);
    let path = match word.split_once("=/") {
        Some((name, _)) if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') => word.get(name.len() + 1..)?,
        _ => word,
    };
    // A list of directories, a regular expression, a text.
    let is_other = path.contains([':', '|', '(', ')', '^', ' ', '\n', '\\', ';', ',', '<', '>', '+']);
    (path.starts_with('/') && !is_other).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::opened;

    #[test]
    fn what_is_opened_is_told_from_what_is_compared() {
        let cases = [
            ("cat /proc/x", &["/proc/x"][..]),
            ("cat -n \"/proc/$x/status\" b", &["\"/proc/$x/status\""]),
            ("grep -q /etc/passwd", &[]),
            ("grep -qE '/etc/(passwd|shadow)' f", &[]),
            ("grep -e /etc/x /proc/x", &["/proc/x"]),
            ("grep x /proc/cpuinfo", &["/proc/cpuinfo"]),
            ("sed /proc/d", &[]),
            ("sed -n /x/p /proc/x", &["/proc/x"]),
            ("awk -F: /home/ /etc/passwd", &["/etc/passwd"]),
            ("echo /proc/x", &[]),
            ("[ /etc/x = $y ]", &[]),
            ("[ -r /proc/x ]", &["/proc/x"]),
            ("find /proc -path /proc/1", &["/proc"]),
            ("jq --arg x /etc/y .z", &[]),
            ("dd if=/proc/x of=/dev/shm/y", &["if=/proc/x", "of=/dev/shm/y"]),
            ("x --file=/proc/x", &["--file=/proc/x"]),
            ("docker run -v /var/run/docker.sock:/x y", &[]),
        ];
        for (line, expected) in cases {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let found: Vec<&str> = opened(&words).into_iter().map(|at| &*words[at]).collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
