//! `find` and `xargs`: commands that are given what is found.

use super::Use;
use super::command::{Reader, first, is_cluster_with, replaced, starts_with};
use super::names::{Language, PURE, PURE_TOOLS, is_shell, stem, wrapper};
use super::source::Source;
use super::word::{UNKNOWN, Values, is, is_known};

impl Source<'_, '_> {
    /// `find PATHS -exec COMMAND ;`
    pub(super) fn find(&mut self, words: &[Values], shown: &[String]) -> Reader {
        let mut at = 0;
        while let Some(values) = words.get(at) {
            at += 1;
            match first(values) {
                option @ (b"-exec" | b"-execdir" | b"-ok" | b"-okdir") => {
                    let ends = |word: &Values| is(word, ";") || is(word, "+");
                    let end = words.iter().skip(at).position(ends).map_or(words.len(), |end| at + end);
                    let command = words.get(at..end).unwrap_or_default();
                    self.found(command, shown.get(at..end).unwrap_or_default(), "find");
                    if option.ends_with(b"dir") && command.iter().flatten().any(|word| self.is_relative_code(word)) {
                        self.scan.uncertain("what `find` runs in the directories that it finds".to_owned());
                    }
                    at = end;
                }
                b"-fprint" | b"-fprint0" | b"-fls" | b"-fprintf" => {
                    let target = words.get(at).cloned().unwrap_or_default();
                    target.iter().for_each(|target| self.writes(target));
                }
                _ => {
                    if !is_known(values)
                        && !starts_with(values, b"-")
                        && shown.get(at - 1).is_some_and(|shown| !shown.contains(['*', '?', '[']))
                        && words.len() == 1
                    {
                        self.unknown(shown.get(at - 1).map(String::as_str).unwrap_or_default());
                    }
                    values.iter().for_each(|value| self.path(value, Use::Read));
                }
            }
        }
        Reader::pure()
    }

    /// Is it a relative path, or a name that is looked up in the working directory?
    pub(super) fn is_relative_code(&self, word: &[u8]) -> bool {
        !word.starts_with(b"/")
            && word != b"{}"
            && !word.starts_with(b"-")
            && (word.contains(&b'/') || !PURE.contains(&&*stem(word)))
    }

    /// The command of `find` or `xargs`, which is given what they find.
    pub(super) fn found(&mut self, command: &[Values], shown: &[String], name: &str) {
        let has_place = command.iter().flatten().any(|word| word.windows(2).any(|pair| pair == b"{}"));
        // `{}` is what is only known when it runs.
        let filled: Vec<Values> =
            command.iter().map(|values| values.iter().map(|value| replaced(value, b"{}", UNKNOWN)).collect()).collect();
        let before = self.scan.pass.found.uncertain.len();
        let runs_it = self.scan_found(&filled);
        let reader = self.command(&filled, shown);
        if reader.awaits.is_some() {
            self.reads_found(name);
        }
        if runs_it && has_place {
            // One line for them all.
            self.scan.pass.found.uncertain.truncate(before);
            self.scan.uncertain(format!("the files that `{name}` finds and runs"));
        }
    }

    /// Is what is found the command, or an interpreter's script?
    pub(super) fn scan_found(&self, command: &[Values]) -> bool {
        let Some((name, operands)) = command.split_first() else { return false };
        if !is_known(name) {
            return true;
        }
        let known = stem(first(name));
        let runs = is_shell(known.as_bytes())
            || Language::of_interpreter(&known)
                .is_some_and(|language| !matches!(language, Language::Awk | Language::Sed | Language::Jq));
        let script = operands.iter().find(|word| !starts_with(word, b"-"));
        let has_code = operands.iter().any(|word| is_cluster_with(first(word), b"ce"));
        runs && !has_code && script.is_some_and(|script| !is_known(script))
    }

    pub(super) fn reads_found(&mut self, name: &str) {
        self.scan.uncertain(format!("the scripts that `{name}` is told of"));
    }

    /// `xargs OPTIONS COMMAND`
    pub(super) fn xargs(&mut self, words: &[Values], shown: &[String]) -> Reader {
        const WITH_VALUE: [&[u8]; 16] = [
            b"-a",
            b"-d",
            b"-E",
            b"-I",
            b"-L",
            b"-n",
            b"-P",
            b"-s",
            b"--arg-file",
            b"--delimiter",
            b"--max-args",
            b"--max-procs",
            b"--max-lines",
            b"--max-chars",
            b"--replace",
            b"--process-slot-var",
        ];
        let mut at = 0;
        while let Some(word) = words.get(at).map(first) {
            if !word.starts_with(b"-") {
                break;
            }
            at += if WITH_VALUE.contains(&word) && word != b"--replace" { 2 } else { 1 };
            if word == b"--" {
                break;
            }
        }
        let options = words.get(..at.min(words.len())).unwrap_or_default().to_vec();
        options.iter().flatten().for_each(|value| self.candidates(value, Use::Read));
        let command = words.get(at..).unwrap_or_default();
        let shown = shown.get(at..).unwrap_or_default();
        let Some(name) = command.first() else { return Reader::pure() };
        // With -I the place may have any name: every word may be replaced.
        let has_place = options
            .iter()
            .any(|word| starts_with(word, b"-I") || starts_with(word, b"-i") || starts_with(word, b"--rep"));
        let is_plain = name.iter().all(|name| {
            let known = stem(name);
            !name.contains(&0)
                && match &*known {
                    // Which options they are given is not known.
                    "sort" | "rg" | "install" | "curl" => false,
                    "git" => command.get(1).is_some_and(|word| {
                        [
                            "add",
                            "rm",
                            "checkout",
                            "restore",
                            "reset",
                            "log",
                            "show",
                            "blame",
                            "ls-files",
                            "check-ignore",
                            "hash-object",
                        ]
                        .iter()
                        .any(|name| is(word, name))
                    }),
                    "echo" | "printf" => true,
                    known => PURE.contains(&known) || PURE_TOOLS.contains(&known),
                }
                && !self.scan.functions.contains(name)
        });
        let place = options
            .iter()
            .zip(options.iter().skip(1))
            .find(|(option, _)| is(option, "-I"))
            .map(|(_, place)| first(place).to_vec());
        let place = place.unwrap_or_else(|| b"{}".to_vec());
        let joined =
            options.iter().find_map(|option| first(option).strip_prefix(b"-I").filter(|place| !place.is_empty()));
        let place = joined.map_or(place, <[u8]>::to_vec);
        let filled: Vec<Values> = match has_place && !place.is_empty() {
            true => {
                let fill = |value: &Vec<u8>| replaced(value, &place, b"{}");
                command.iter().map(|values| values.iter().map(fill).collect()).collect()
            }
            false => command.to_vec(),
        };
        let last = filled.last().map(|last| stem(first(last))).unwrap_or_default();
        if has_place {
            self.found(&filled, shown, "xargs");
            return Reader::pure();
        }
        let before = self.scan.pass.found.uncertain.len();
        let reader = self.command(&filled, shown);
        if is_plain {
            return Reader::pure();
        }
        let is_interpreter = is_shell(last.as_bytes())
            || Language::of_interpreter(&last)
                .is_some_and(|language| !matches!(language, Language::Awk | Language::Jq | Language::Sed));
        if reader.awaits.is_some() || is_interpreter {
            self.scan.pass.found.uncertain.truncate(before);
            self.reads_found("xargs");
        } else if self.is_of_interpreter(&filled) {
            // The words come after those that are known: of code that takes none, they do nothing.
            self.scan.uncertain("the words that `xargs` is told of".to_owned());
        }
        Reader::pure()
    }

    pub(super) fn is_of_interpreter(&self, command: &[Values]) -> bool {
        command.iter().any(|word| {
            let known = stem(first(word));
            is_shell(known.as_bytes())
                || Language::of_interpreter(&known).is_some()
                || wrapper(&known).is_some()
                || matches!(&*known, "find" | "xargs" | "eval" | "." | "source")
        })
    }
}
