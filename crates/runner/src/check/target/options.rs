//! Options that GNU's utilities have and BSD's do not, and the other way round.
//!
//! Sources: the manuals of macOS 14 (FreeBSD's utilities) and of GNU coreutils 9.1, findutils 4.9, grep 3.8 and sed 4.9.

/// One use of a command that the other kind does not take.
pub(super) struct Rule {
    command: &'static str,
    is_it: fn(&[&str]) -> bool,
    message: &'static str,
}

/// What is wrong with this call by the rules, if something is.
pub(super) fn broken_rule(rules: &[Rule], command: &str, operands: &[String]) -> Option<&'static str> {
    let words: Vec<&str> = operands.iter().map(String::as_str).collect();
    let mut of_command = rules.iter().filter(|rule| rule.command.split(' ').any(|name| name == command));
    of_command.find(|rule| (rule.is_it)(&words)).map(|rule| rule.message)
}

/// The words before `--`.
fn options<'w>(words: &'w [&str]) -> impl Iterator<Item = &'w str> {
    words.iter().copied().take_while(|word| *word != "--")
}

/// Has it a short option of these letters, alone or in a cluster (`-rd`)?
fn has_letter(words: &[&str], letters: &str) -> bool {
    options(words).any(|word| {
        word.strip_prefix('-')
            .is_some_and(|cluster| !cluster.starts_with('-') && cluster.contains(|c| letters.contains(c)))
    })
}

/// Does a word begin with this short option, or the cluster consist of options of which this is the last (`-nP`)?
fn has_option(words: &[&str], letter: char, flags: &str) -> bool {
    options(words).any(|word| {
        let Some(cluster) = word.strip_prefix('-').filter(|cluster| !cluster.starts_with('-')) else { return false };
        cluster.trim_start_matches(|c| c != letter && flags.contains(c)).starts_with(letter)
    })
}

fn has_long(words: &[&str]) -> bool {
    options(words).any(|word| word.len() > 2 && word.starts_with("--"))
}

fn has_word(words: &[&str], wanted: &[&str]) -> bool {
    words.iter().any(|word| wanted.contains(word))
}

/// `-n -5` and `-n-5`: all but the last.
fn has_negative(words: &[&str]) -> bool {
    let apart = words.windows(2).any(|pair| matches!(pair, ["-n" | "-c", count] if count.starts_with('-')));
    apart || words.iter().any(|word| word.starts_with("-n-") || word.starts_with("-c-"))
}

/// What follows sed's `-i`, where it stands alone.
fn after_sed_i<'w>(words: &'w [&str]) -> Option<&'w str> {
    let at = words.iter().position(|word| matches!(*word, "-i" | "-ni" | "-Ei" | "-ri" | "-nEi"))?;
    words.get(at + 1).copied()
}

/// grep's words without the patterns and files that `-e` and `-f` take.
fn without_patterns<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut kept = Vec::with_capacity(words.len());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        kept.push(*word);
        if matches!(*word, "-e" | "-f") {
            words.next();
        }
    }
    kept
}

/// `%N`, `%3N`: nanoseconds.
fn has_nanoseconds(format: &str) -> bool {
    format.split('%').skip(1).any(|conversion| {
        conversion
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '^' | '#'))
            .starts_with('N')
    })
}

/// awk's `match(text, /pattern/, array)`.
fn matches_into_array(program: &str) -> bool {
    program.split("match(").skip(1).any(|call| {
        let after = call.split_once(',').and_then(|(_, rest)| rest.trim_start().strip_prefix('/'));
        after.and_then(|pattern| pattern.split_once('/')).is_some_and(|(_, rest)| rest.trim_start().starts_with(','))
    })
}

const PLAIN_FLAGS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// GNU's, which BSD's utilities do not take.
pub(super) const GNU_ONLY: &[Rule] = &[
    Rule {
        command: "sed",
        is_it: |words| after_sed_i(words).is_some_and(|next| !next.is_empty() && !next.starts_with('.')),
        message: "`sed -i` takes its next word for the suffix of a backup: write `sed -i.bak …` and remove the backup",
    },
    Rule { command: "sed", is_it: |words| has_option(words, 'z', "nErsu"), message: "sed has no option -z" },
    Rule {
        command: "date",
        is_it: |words| has_option(words, 'd', "u") || has_word(words, &["--date"]),
        message: "`date -d` does not read a date: BSD's date has `-v` and `-j -f FORMAT`",
    },
    Rule {
        command: "date",
        is_it: |words| {
            words.iter().any(|word| word.trim_start_matches(['"', '\'']).starts_with('+') && has_nanoseconds(word))
        },
        message: "date has no format %N (nanoseconds)",
    },
    Rule {
        command: "readlink",
        is_it: |words| has_letter(words, "f"),
        message: "`readlink -f` is there from macOS 12.3 on only: write `cd \"$(dirname \"$x\")\" && pwd -P`",
    },
    Rule {
        command: "readlink",
        is_it: |words| has_letter(words, "emsvz"),
        message: "readlink has only the options -f and -n",
    },
    Rule {
        command: "stat",
        is_it: |words| has_option(words, 'c', "L"),
        message: "`stat -c FORMAT` is GNU's: BSD's stat has `-f FORMAT`, with other formats",
    },
    Rule {
        command: "grep egrep fgrep",
        is_it: |words| {
            let words = without_patterns(words);
            has_option(&words, 'P', PLAIN_FLAGS) || has_word(&words, &["--perl-regexp"])
        },
        message: "grep has no option -P (Perl's regular expressions): use -E",
    },
    Rule { command: "xargs", is_it: |words| has_letter(words, "da"), message: "xargs has no options -d and -a" },
    Rule {
        command: "find",
        is_it: |words| has_word(words, &["-printf", "-fprintf", "-regextype", "-executable", "-readable", "-writable"]),
        message: "find has no -printf, -regextype, -executable, -readable and -writable",
    },
    Rule {
        command: "find",
        is_it: |words| words.first().is_none_or(|first| first.starts_with('-') && first.len() > 2 || *first == "("),
        message: "find needs a path: write `find . …`",
    },
    Rule {
        command: "realpath",
        is_it: |words| has_letter(words, "emsLPz"),
        message: "realpath has only the option -q",
    },
    Rule {
        command: "grep egrep fgrep",
        is_it: |words| {
            let words = without_patterns(words);
            has_option(&words, 'z', "EFGPUabcHhiLlnoqRrsvwx")
        },
        message: "`grep -z` reads compressed files: lines that end with a NUL byte it does not know",
    },
    Rule {
        command: "expr",
        is_it: |words| words.len() > 1 && matches!(words.first(), Some(&("length" | "substr" | "index" | "match"))),
        message: "expr has no length, substr, index and match: use `${#x}` and `:`",
    },
    Rule {
        command: "mktemp",
        is_it: |words| {
            words.iter().any(|word| word.contains("XXX") && !word.trim_end_matches(['"', '\'']).ends_with('X'))
        },
        message: "mktemp replaces only an X at the end: it takes no suffix after XXXXXX",
    },
    Rule {
        command: "paste",
        is_it: |words| !words.is_empty() && words.iter().all(|word| word.starts_with('-') && word.len() > 1),
        message: "paste needs a file: write `-` for standard input",
    },
    Rule {
        command: "getopt",
        is_it: |words| has_word(words, &["-o", "--options", "-l", "--long", "--longoptions", "-n", "-T"]),
        message: "getopt has no long options: use the built-in getopts",
    },
    Rule {
        command: "tar",
        is_it: |words| {
            let long =
                ["--wildcards", "--transform", "--xform", "--sort", "--mtime", "--warning", "--owner", "--group"];
            words.iter().any(|word| long.contains(&word.split('=').next().unwrap_or_default()))
        },
        message: "tar has no --wildcards, --transform, --sort, --owner and --mtime",
    },
    Rule {
        command: "install",
        is_it: |words| has_option(words, 'D', "bcpsv") || has_option(words, 't', "bcpsv"),
        message: "install has no options -D (make directories) and -t",
    },
    Rule { command: "script", is_it: |words| has_option(words, 'c', "aefq"), message: "script has no option -c" },
    Rule { command: "top", is_it: |words| has_option(words, 'b', "cHi"), message: "`top -b -n 1` is `top -l 1`" },
    Rule { command: "head", is_it: has_negative, message: "head takes no negative count (all but the last lines)" },
    Rule { command: "cp", is_it: |words| has_letter(words, "dtTu"), message: "cp has no options -d, -t, -T and -u" },
    Rule { command: "tee", is_it: |words| has_letter(words, "p"), message: "tee has no option -p" },
    Rule { command: "dirname", is_it: |words| has_letter(words, "z"), message: "dirname has no option -z" },
    Rule {
        command: "df",
        is_it: |words| has_letter(words, "T"),
        message: "`df -T` takes the name of a type: it prints no types",
    },
    Rule { command: "mv", is_it: |words| has_letter(words, "tTu"), message: "mv has no options -t, -T and -u" },
    Rule { command: "ln", is_it: |words| has_letter(words, "rtT"), message: "ln has no options -r, -t and -T" },
    Rule { command: "du", is_it: |words| has_letter(words, "b"), message: "du has no option -b" },
    Rule {
        command: "base64",
        is_it: |words| has_letter(words, "w"),
        message: "base64 has no option -w: it writes one line",
    },
    Rule { command: "cat", is_it: |words| has_letter(words, "AET"), message: "cat has no options -A, -E and -T" },
    Rule {
        command: "touch",
        is_it: |words| words.windows(2).any(|pair| matches!(pair, ["-d", date] if !date.contains('T'))),
        message: "`touch -d` reads only dates like 2026-01-31T12:00:00",
    },
    Rule { command: "hostname", is_it: |words| has_letter(words, "IA"), message: "hostname has no options -I and -A" },
    Rule {
        command: "awk",
        is_it: |words| {
            let functions = [
                "gensub(",
                "strftime(",
                "systime(",
                "mktime(",
                "asort(",
                "asorti(",
                "PROCINFO",
                "BEGINFILE",
                "IGNORECASE",
            ];
            let has_function = words.iter().any(|word| functions.iter().any(|function| word.contains(function)));
            has_function
                || words.iter().any(|word| matches_into_array(word))
                || words.windows(2).any(|pair| pair == ["-i", "inplace"])
        },
        message: "awk has nothing of gawk's (gensub, strftime, systime, asort, match with an array, -i inplace)",
    },
    Rule {
        command: "ls",
        is_it: |words| {
            options(words).any(|word| word.starts_with("--") && word.len() > 2 && !word.starts_with("--color"))
        },
        message: "ls has no long options other than --color",
    },
    Rule {
        command: "sed date stat readlink cp mv rm mkdir cat head tail wc cut tr touch mktemp tee du ln chmod chown uniq \
                  realpath basename dirname base64 xargs ps df env id split comm join paste fold nl od uname nice printenv",
        is_it: has_long,
        message: "the command has no long options",
    },
];

/// BSD's, which GNU's utilities do not take.
pub(super) const BSD_ONLY: &[Rule] = &[
    Rule {
        command: "sed",
        is_it: |words| after_sed_i(words) == Some(""),
        message: "`sed -i ''` is BSD's: GNU's sed takes the empty word for its program. Write `sed -i.bak …`",
    },
    Rule {
        command: "date",
        is_it: |words| has_option(words, 'v', "uj") || has_option(words, 'j', "u"),
        message: "date has no options -v and -j: GNU's date has `-d`",
    },
    Rule {
        command: "stat",
        is_it: |words| words.windows(2).any(|pair| matches!(pair, ["-f", format] if format.contains('%'))),
        message: "`stat -f FORMAT` is BSD's: GNU's stat has `-c FORMAT`, with other formats",
    },
    Rule {
        command: "date",
        is_it: |words| {
            let is_number = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
            words.windows(2).any(|pair| matches!(pair, ["-r", seconds] if is_number(seconds)))
        },
        message: "`date -r SECONDS` is BSD's: GNU's reads the date of a file so. Write `date -d @SECONDS`",
    },
    Rule {
        command: "grep egrep sed awk",
        is_it: |words| words.iter().any(|word| word.contains("[[:<:]]") || word.contains("[[:>:]]")),
        message: "`[[:<:]]` and `[[:>:]]` are BSD's: GNU's are `\\<` and `\\>`",
    },
    Rule {
        command: "sysctl",
        is_it: |words| words.iter().any(|word| word.starts_with("hw.") || word.starts_with("machdep.")),
        message: "sysctl has no `hw.` and `machdep.` of macOS's",
    },
    Rule { command: "base64", is_it: |words| has_letter(words, "D"), message: "base64 has no option -D: use -d" },
    Rule {
        command: "find",
        is_it: |words| words.first() == Some(&"-E"),
        message: "find has no option -E: use `-regextype posix-extended`",
    },
    Rule { command: "tail", is_it: |words| has_letter(words, "r"), message: "tail has no option -r: use tac" },
    Rule { command: "xargs", is_it: |words| has_letter(words, "J"), message: "xargs has no option -J: use -I" },
    Rule {
        command: "mktemp",
        is_it: |words| words.windows(2).any(|pair| matches!(pair, ["-t", name] if !name.contains("XXX"))),
        message: "`mktemp -t NAME` needs XXXXXX in the name",
    },
];

#[cfg(test)]
mod tests {
    use super::{BSD_ONLY, GNU_ONLY, broken_rule};

    fn found(rules: &[super::Rule], line: &str) -> bool {
        let words = shell_words::split(line).unwrap_or_default();
        words.split_first().is_some_and(|(name, operands)| broken_rule(rules, name, operands).is_some())
    }

    #[test]
    fn what_only_gnus_utilities_take() {
        for line in [
            "sed -i s/a/b/ f",
            "sed -i -e s/a/b/ f",
            "sed -n -i p f",
            "sed --in-place s/a/b/ f",
            "date -d yesterday +%F",
            "date -ud @0",
            "date --date=yesterday",
            "date +%s%N",
            "readlink -f x",
            "readlink -e x",
            "stat -c %Y f",
            "stat -Lc %s f",
            "stat --format=%s f",
            "grep -P '\\d' f",
            "grep -oP '\\d' f",
            "grep --perl-regexp x",
            "xargs -d '\\n' rm",
            "find . -printf '%p'",
            "find -name x",
            "head -n -1 f",
            "cp -t d f",
            "cp -pu a b",
            "tee -p f",
            "dirname -z f",
            "df -hT",
            "mv -T a b",
            "ln -sr a b",
            "base64 -w 0",
            "cat -A f",
            "touch -d yesterday f",
            "awk '{print gensub(/a/,\"b\",\"g\")}'",
            "ls --full-time",
            "rm --force x",
            "du -sb .",
            "date +%s%3N",
            "realpath -m x",
            "grep -zo x f",
            "expr length abc",
            "mktemp /tmp/x.XXXXXX.json",
            "paste -sd,",
            "getopt -o ab --long all -- x",
            "tar --wildcards -xf x",
            "install -Dm644 a b",
            "script -qc x /dev/null",
            "awk 'match($0, /a/, m) {print m[1]}'",
            "awk -i inplace 1 f",
        ] {
            assert!(found(GNU_ONLY, line), "{line}");
        }
        for line in [
            "sed -i.bak s/a/b/ f",
            "sed -i '' s/a/b/ f",
            "sed -E s/a/b/",
            "date +%s",
            "date -u",
            "date -v-1d",
            "readlink x",
            "stat -f %m f",
            "grep -E x",
            "grep -e -P f",
            "grep --color x",
            "xargs -0 rm",
            "find . -name x",
            "find \"$d\" -type f",
            "head -n 1 f",
            "cp -R a b",
            "cp -pPR a b",
            "tee -a f",
            "dirname -- -z",
            "df -h /",
            "mv a b",
            "ln -s a b",
            "base64 -d",
            "cat f",
            "touch -d 2026-01-01T00:00:00 f",
            "awk '{print $1}'",
            "ls -la",
            "ls --color=auto",
            "rm -- --force",
            "date +%F_%H%M",
            "realpath x",
            "grep -E x f.z",
            "expr abc : a",
            "mktemp /tmp/x.XXXXXX",
            "paste -sd, -",
            "tar -xzf x",
            "install -m 644 a b",
            "awk 'match($0, /a/) {print RSTART, x}'",
        ] {
            assert!(!found(GNU_ONLY, line), "{line}");
        }
    }

    #[test]
    fn what_only_bsds_utilities_take() {
        for line in [
            "sed -i '' s/a/b/ f",
            "date -v-1d",
            "date -j -f %F 2026-01-01 +%s",
            "stat -f %m f",
            "base64 -D",
            "find -E . -regex x",
            "tail -r f",
            "mktemp -t name",
            "date -r 1700000000",
            "grep '[[:<:]]x' f",
            "sysctl -n hw.ncpu",
        ] {
            assert!(found(BSD_ONLY, line), "{line}");
        }
        for line in [
            "sed -i s/a/b/ f",
            "date -d now",
            "stat -f /",
            "stat -c %s f",
            "base64 -d",
            "mktemp -t x.XXXXXX",
            "tail -n 1",
            "date -r file",
        ] {
            assert!(!found(BSD_ONLY, line), "{line}");
        }
    }
}
