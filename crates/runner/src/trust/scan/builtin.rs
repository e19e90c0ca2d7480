//! The shell's built-in commands: what they run, and which variables they set.

use super::Use;
use super::command::{Reader, first, is_cluster_with, starts_with};
use super::names::{PLAIN_BUILTINS, names_code, wrapper};
use super::source::Source;
use super::word::{NUMBER, UNKNOWN, Values, is, is_known};

impl Source<'_, '_> {
    /// `test -v 'a[$(x)]'` evaluates the subscript.
    pub(super) fn test(&mut self, operands: &[Values]) {
        for (index, word) in operands.iter().enumerate() {
            if matches!(first(word), b"-v" | b"-R")
                && let Some(names) = operands.get(index + 1).cloned()
            {
                self.variable_names(&names);
            }
        }
    }

    /// A built-in command of the shell. `None`: it is none.
    pub(super) fn builtin(&mut self, name: &[u8], operands: &[Values], shown: &[String]) -> Option<Reader> {
        let name = std::str::from_utf8(name).ok()?;
        let shown_at = |at: usize| shown.get(at).cloned().unwrap_or_default();
        match name {
            "." | "source" => {
                let at = usize::from(operands.first().is_some_and(|word| is(word, "--")));
                let script = operands.get(at).cloned().unwrap_or_default();
                if !is_known(&script) {
                    self.unknown(&shown_at(at));
                }
                for value in &script {
                    self.path(value, Use::Shell);
                    if !value.contains(&b'/') {
                        self.program(value, Use::Shell);
                    }
                }
                self.given_words(operands.get(at + 1..).unwrap_or_default());
                return Some(Reader { input: Use::Shell, awaits: None });
            }
            "eval" => {
                for (index, word) in operands.iter().enumerate() {
                    if !is_known(word) {
                        self.unknown(&shown_at(index));
                    }
                }
                // Joined, in all ways as far as they are few.
                let mut texts: Values = vec![Vec::new()];
                for word in operands {
                    let more: Values = texts
                        .iter()
                        .flat_map(|start| word.iter().map(|end| [start, &b" "[..], end].concat()))
                        .take(super::VALUES_LIMIT + 1)
                        .collect();
                    texts = more;
                }
                if texts.len() > super::VALUES_LIMIT {
                    self.scan.uncertain(format!("`eval` in {}", self.whose()));
                }
                texts.iter().for_each(|text| self.code(text));
            }
            "trap" => {
                if let Some(at) = operands.iter().position(|word| !starts_with(word, b"-")) {
                    self.texts_of_code(&operands.get(at).cloned().unwrap_or_default(), Some(&shown_at(at)));
                }
            }
            "alias" => {
                for (index, word) in operands.iter().enumerate() {
                    if !is_known(word) {
                        self.unknown(&shown_at(index));
                    }
                    for value in word {
                        if let Some(at) = value.iter().position(|byte| *byte == b'=') {
                            self.scan.aliases.insert(value.get(..at).unwrap_or_default().to_vec());
                            self.code(value.get(at + 1..).unwrap_or_default());
                        }
                    }
                }
            }
            "hash" => {
                for word in operands {
                    word.iter().for_each(|value| self.candidates(value, Use::Started));
                }
                let names_file = operands.iter().any(|word| is_cluster_with(first(word), b"p"));
                if names_file {
                    for word in operands.iter().skip(1).flatten() {
                        self.scan.aliases.insert(word.clone());
                    }
                }
            }
            "enable" => {
                if operands.iter().any(|word| is_cluster_with(first(word), b"fn")) {
                    operands.iter().flatten().for_each(|value| self.candidates(value, Use::Given));
                    self.scan.uncertain(format!("what `enable {}` loads", shown.join(" ")));
                }
            }
            "read" | "mapfile" | "readarray" | "getopts" | "wait" | "let" | "unset" | "printf" => {
                self.setting(name, operands, shown);
            }
            "export" | "declare" | "local" | "readonly" | "typeset" => self.declaring(name, operands, shown),
            "cd" | "pushd" => {
                let operand: Vec<Values> = operands
                    .iter()
                    .filter(|word| !(starts_with(word, b"-") && first(word).len() > 1 && is_known(word)))
                    .cloned()
                    .collect();
                if let Some(path) = self.scan.variable(b"CDPATH") {
                    let dirs: Vec<Values> = path.split(|byte| *byte == b':').map(|dir| vec![dir.to_vec()]).collect();
                    self.change_dir(&dirs, "CDPATH");
                }
                if operand.is_empty() && name == "cd" {
                    let home = self.variable(b"HOME");
                    self.change_dir(&[home], "HOME");
                }
                let all_shown = shown.join(" ");
                self.change_dir(&operand, &format!("{name} {all_shown}"));
            }
            "command" | "builtin" | "exec" => {
                let wrapper = wrapper(name)?;
                return Some(self.wrapper(name, &wrapper, operands, shown));
            }
            "test" | "[" => self.test(operands),
            "fc" | "bind" | "complete" | "compgen" | "compopt" | "history" => {
                self.given_words(operands);
                self.scan.uncertain(format!("`{name} {}`", shown.join(" ")));
            }
            _ if PLAIN_BUILTINS.contains(&name) => self.read_words(operands),
            _ => return None,
        }
        Some(Reader::pure())
    }

    /// Built-in commands that set variables.
    pub(super) fn setting(&mut self, name: &str, operands: &[Values], shown: &[String]) {
        let mut names: Vec<Values> = Vec::new();
        let mut at = 0;
        while let Some(word) = operands.get(at) {
            let text = first(word).to_vec();
            at += 1;
            let next = operands.get(at).cloned().unwrap_or_default();
            let is_option = text.starts_with(b"-") && text.len() > 1 && name != "let" && is_known(word);
            match (name, &text[..]) {
                ("printf", b"-v") | ("read", b"-a") | ("wait", b"-p") => {
                    names.push(next);
                    at += 1;
                    if name == "printf" {
                        break;
                    }
                }
                ("printf", _) if text.starts_with(b"-v") => {
                    names.push(vec![text.get(2..).unwrap_or_default().to_vec()]);
                    break;
                }
                ("printf", _) => break,
                ("mapfile" | "readarray", _) if is_option && text.contains(&b'C') => {
                    let joined = text.iter().position(|byte| *byte == b'C').and_then(|place| text.get(place + 1..));
                    let code = match joined {
                        Some(joined) if !joined.is_empty() => vec![joined.to_vec()],
                        _ => {
                            at += 1;
                            next
                        }
                    };
                    self.texts_of_code(&code, shown.get(at - 1));
                }
                ("mapfile" | "readarray", b"-d" | b"-n" | b"-O" | b"-s" | b"-u" | b"-c")
                | ("read", b"-d" | b"-i" | b"-n" | b"-N" | b"-p" | b"-t" | b"-u") => at += 1,
                ("read", _) if is_option && text.last().is_some_and(|last| b"dinNptua".contains(last)) => {
                    if text.ends_with(b"a") {
                        names.push(next);
                    }
                    at += 1;
                }
                _ if is_option => {}
                ("getopts", _) => {
                    // The options come first.
                    names.push(operands.get(1).cloned().unwrap_or_default());
                    break;
                }
                ("let", _) => self.evaluated(word, shown.get(at - 1).map(String::as_str).unwrap_or_default(), 0),
                ("wait", _) => {}
                _ => names.push(word.clone()),
            }
        }
        if name == "let" {
            return;
        }
        for values in &names {
            if !is_known(values) {
                self.unknown(&format!("the variable that `{name} {}` sets", shown.join(" ")));
            }
            self.variable_names(values);
            for value in values {
                let plain = value.split(|byte| *byte == b'[').next().unwrap_or_default();
                if names_code(plain) && name != "unset" {
                    self.scan.uncertain(format!("the code that `{}` names", String::from_utf8_lossy(plain)));
                }
                let new: &[u8] = match name {
                    "unset" => b"",
                    "wait" => NUMBER,
                    _ => UNKNOWN,
                };
                self.scan.set(plain, &[new.to_vec()]);
            }
        }
    }

    /// `declare`, `export` and their kind, of words that are not assignments to the parser.
    pub(super) fn declaring(&mut self, name: &str, operands: &[Values], shown: &[String]) {
        // A reference to another variable, or a value that is evaluated or changed as it is assigned.
        let special: &[u8] = if matches!(name, "export" | "readonly") { b"" } else { b"niulc" };
        if operands.iter().any(|word| is_cluster_with(first(word), special)) {
            self.scan.uncertain(format!("the variables of `{name} {}` in {}", shown.join(" "), self.whose()));
        }
        for (index, word) in operands.iter().enumerate() {
            if !is_known(word) && !word.iter().all(|value| value.contains(&b'=')) {
                self.unknown(shown.get(index).map(String::as_str).unwrap_or_default());
            }
            let name_of = |value: &Vec<u8>| value.split(|byte| *byte == b'=').next().unwrap_or_default().to_vec();
            self.variable_names(&word.iter().map(name_of).collect());
            for value in word {
                let Some(at) = value.iter().position(|byte| *byte == b'=') else { continue };
                let name = value.get(..at).unwrap_or_default().to_vec();
                let name = name.strip_suffix(b"+").unwrap_or(&name).to_vec();
                let value = value.get(at + 1..).unwrap_or_default().to_vec();
                self.named_by_variable(&name, &value);
                self.scan.set(&name, &[value]);
            }
        }
    }

    /// Names of variables, which may have a subscript that is evaluated: `a[$(./x.sh)]`.
    pub(super) fn variable_names(&mut self, names: &Values) {
        for name in names {
            if name.contains(&0) {
                self.scan.uncertain(format!("the name of a variable in {}", self.whose()));
            }
            if name.iter().any(|byte| b"$`".contains(byte)) {
                self.expanded(name);
                let name = String::from_utf8_lossy(name).into_owned();
                self.scan.uncertain(format!("the variable `{name}`"));
            }
        }
    }
}
