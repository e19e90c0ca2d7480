//! Programs that start nothing: what they write, and the few options that are otherwise.

use super::Use;
use super::command::{first, is_cluster_with, starts_with};
use super::source::Source;
use super::word::Values;

impl Source<'_, '_> {
    /// A program that runs nothing: which options of a few are otherwise, and what it writes.
    pub(super) fn pure(&mut self, known: &str, operands: &[Values]) {
        self.read_words(operands);
        let has_option = |start: &[u8]| operands.iter().any(|word| starts_with(word, start));
        let runs = match known {
            "sort" => has_option(b"--co"),
            "rg" => has_option(b"--pre") || has_option(b"--hostname-bin"),
            "install" => has_option(b"--strip-p"),
            "ruff" | "yq" | "date" => false,
            _ => false,
        };
        if runs {
            operands.iter().flatten().for_each(|value| self.candidates(value, Use::Given));
            self.scan.uncertain(format!("the program that `{known}` is told to run"));
        }
        let plain: Vec<Vec<u8>> = operands.iter().flatten().filter(|word| !word.starts_with(b"-")).cloned().collect();
        match known {
            "cp" | "mv" | "ln" | "install" | "link" => {
                plain.iter().skip(1).for_each(|target| self.writes(target));
                // `ln -s x/y` makes `y`, and `-t DIR` comes first.
                for value in &plain {
                    if let Some(name) = value.rsplit(|byte| *byte == b'/').next().filter(|_| plain.len() == 1) {
                        self.writes(name);
                    }
                }
                if let Some(at) = operands.iter().position(|word| starts_with(word, b"-t") || starts_with(word, b"--t"))
                {
                    for word in operands.get(at..at + 2).unwrap_or_default().iter().flatten() {
                        let target = word.strip_prefix(b"-t").unwrap_or(word);
                        let target = target.rsplit(|byte| *byte == b'=').next().unwrap_or_default();
                        self.writes(target);
                    }
                }
            }
            "tee" | "truncate" => plain.iter().for_each(|target| self.writes(target)),
            "dd" => {
                let targets: Vec<_> =
                    plain.iter().filter_map(|word| word.strip_prefix(b"of=")).map(<[u8]>::to_vec).collect();
                targets.iter().for_each(|target| self.writes(target));
            }
            "sort" | "curl" | "rg" => {
                if known == "curl" {
                    // Its options may stand in a file.
                    for (word, next) in operands.iter().zip(operands.iter().skip(1)) {
                        if is_cluster_with(first(word), b"K") || starts_with(word, b"--config") {
                            word.iter().chain(next).for_each(|value| self.candidates(value, Use::Given));
                        }
                    }
                }
                for (index, word) in operands.iter().enumerate() {
                    let word = first(word).to_vec();
                    if is_cluster_with(&word, b"o") || word.starts_with(b"--output") {
                        let next = operands.get(index + 1).cloned().unwrap_or_default();
                        next.iter().for_each(|target| self.writes(target));
                        let joined =
                            word.split(|byte| matches!(byte, b'=' | b'o')).next_back().unwrap_or_default().to_vec();
                        self.writes(&joined);
                    }
                    if is_cluster_with(&word, b"O") {
                        let name =
                            |word: &Vec<u8>| word.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec();
                        let names: Vec<_> = plain.iter().map(name).collect();
                        names.iter().for_each(|name| self.writes(name));
                    }
                }
            }
            _ => {}
        }
    }
}
