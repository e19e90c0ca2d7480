//! Programs that have a rule of their own.

use super::super::super::pattern::base_name;
use super::super::{DIRECTORIES_LIMIT, Executed, Fields, HOLE, Input, Judge, Word, Written, is_assignment, is_device};
use super::{after_double_dash, joined, named_file};
use crate::programs::Special;

impl Judge<'_> {
    pub(super) fn special(&mut self, special: Special, name: &str, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        match special {
            Special::Git => {
                self.runs_project = true;
                self.git(arguments);
            }
            Special::Find => self.find(arguments),
            Special::Xargs => self.xargs(arguments),
            Special::Env => self.env(arguments),
            Special::Command => {
                let looks_up = arguments
                    .iter()
                    .take_while(|word| word.text.starts_with(b"-"))
                    .any(|word| word.text.iter().any(|byte| matches!(byte, b'v' | b'V')));
                match looks_up {
                    true => self.located(arguments),
                    false => self.after_options("", &[], arguments),
                }
            }
            Special::Eval => self.joined(after_double_dash(arguments)),
            Special::Source => {
                let arguments = after_double_dash(arguments);
                match arguments.first().map(named_file) {
                    Some(Some(path)) if is_device(path) => self.read_input(None),
                    Some(Some(path)) => self.file_operand(path, Executed::Shell, arguments),
                    Some(None) => self.found(),
                    None => {}
                }
            }
            Special::Trap => {
                let arguments = after_double_dash(arguments);
                if arguments.len() > 1 || arguments.first().is_some_and(Word::has_hole) {
                    self.code_word(arguments.first());
                }
            }
            Special::Alias => {
                if arguments.iter().any(|word| word.text.contains(&b'=') || word.has_hole()) {
                    self.found();
                }
            }
            Special::CodeOptions(letters) => {
                let has = |word: &Word| {
                    word.fields == Fields::Any
                        || word.text.starts_with(b"-") && letters.bytes().any(|letter| word.text.contains(&letter))
                };
                if arguments.iter().any(has) {
                    self.found();
                }
            }
            Special::Evaluates => arguments.iter().for_each(|word| self.evaluated(word)),
            Special::Unknowable => {
                let asks =
                    |word: &Word| matches!(word.text.as_slice(), b"--version" | b"--help" | b"-V" | b"-l" | b"-r");
                if !(arguments.len() == 1 && arguments.iter().all(asks)) {
                    self.found();
                }
            }
            Special::Remote => self.remote(arguments),
            Special::Make => self.make(arguments),
            Special::Cmd => self.cmd(arguments),
            Special::PowerShell => self.powershell(arguments),
            Special::Editor => self.editor(name, arguments),
            Special::Copies => self.copies(arguments),
            Special::Writes => self.fetches(name, arguments),
            Special::ChangesDirectory => self.changes_directory(arguments),
            Special::Locates => self.located(arguments),
        }
    }

    fn changes_directory(&mut self, arguments: &[Word]) {
        for word in arguments {
            let Some(directory) = word.text().and_then(|text| std::str::from_utf8(text).ok()) else { continue };
            for start in self.directories.clone() {
                let directory = start.join(directory);
                if self.directories.len() < DIRECTORIES_LIMIT && !self.directories.contains(&directory) {
                    self.directories.push(directory);
                }
            }
        }
    }

    /// `cp /bin/rm x; ./x y`, and copies of what the line has written.
    fn copies(&mut self, arguments: &[Word]) {
        let Some((last, sources)) = arguments.split_last() else { return };
        for word in sources {
            let is_program = word.text.contains(&b'/')
                && word.text.windows(4).any(|part| part == b"bin/")
                && self.pattern.is_for_program(&base_name(&word.text));
            if is_program {
                return self.found();
            }
            // `cp /dev/stdin x`, `install <(…) x`
            if is_device(&word.text) && word.text != b"-" || base_name(&word.text).contains(&HOLE) {
                let text = match &self.input {
                    Input::Text(text) if !word.has_hole() => Some(text.clone()),
                    _ => None,
                };
                self.writes(last.text.clone(), text);
                continue;
            }
            // `cp "$(which rm)" x` has the name where `which` stands.
            if !word.text.starts_with(b"-") {
                let copy_of = word.text.clone();
                // A directory gets a file of the same name, which is the same here.
                self.written(Written { path: last.text.clone(), text: None, copy_of });
            }
        }
        if let Some(strips) = arguments.iter().find_map(|word| word.text.strip_prefix(b"--strip-program=")) {
            self.code(strips);
        }
    }

    fn fetches(&mut self, name: &str, arguments: &[Word]) {
        let text = match &self.input {
            Input::Text(text) if name != "curl" && name != "wget" => Some(text.clone()),
            _ => None,
        };
        let mut before: &[u8] = b"";
        for word in arguments {
            let is_target = match name {
                "curl" | "wget" => matches!(before, b"-o" | b"-O" | b"--output" | b"--output-document"),
                _ => !word.text.starts_with(b"-"),
            };
            let attached = [&b"of="[..], b"--output=", b"--output-document=", b"-o", b"-O"]
                .iter()
                .find_map(|prefix| word.text.strip_prefix(*prefix))
                .filter(|rest| !rest.is_empty());
            match attached {
                Some(path) => self.writes(path.to_vec(), text.clone()),
                None if is_target && name != "dd" => self.writes(word.text.clone(), text.clone()),
                None => {}
            }
            // `curl -O https://x/install.sh`
            if (name == "curl" || name == "wget") && word.text.windows(3).any(|part| part == b"://") {
                self.writes(word.text.clone(), None);
            }
            if name == "wget" && word.text.starts_with(b"--use-askpass") {
                return self.found();
            }
            before = &word.text;
        }
    }

    /// `which rm`, where what it says becomes part of a command.
    fn located(&mut self, arguments: &[Word]) {
        let names = |word: &Word| word.has_hole() || self.pattern.is_for_program(&base_name(&word.text));
        if self.is_substituted && arguments.iter().any(names) {
            self.found();
        }
    }

    fn make(&mut self, arguments: &[Word]) {
        self.runs_project = true;
        let mut before: &[u8] = b"";
        for word in arguments {
            let text = word.text.as_slice();
            let reads_input = |value: &[u8]| is_device(value);
            let is_code = [&b"--eval"[..], b"--command", b"--shell", b"--shell-arg", b"-c", b"SHELL=", b"--set", b"-E"]
                .iter()
                .any(|option| text.starts_with(option) && !text.starts_with(b"--color"));
            let is_file = text == b"-f" || text == b"--file" || text == b"--makefile";
            if is_code
                || matches!(before, b"-f" | b"--file" | b"--makefile" | b"--justfile")
                    && (reads_input(text) || word.has_hole())
                || text.strip_prefix(b"-f").is_some_and(|value| !value.is_empty() && reads_input(value))
                || text
                    .split(|byte| *byte == b'=')
                    .nth(1)
                    .is_some_and(|value| text.starts_with(b"-") && reads_input(value))
            {
                return self.found();
            }
            if !is_file
                && is_assignment(text)
                && let Some(at) = text.iter().position(|byte| *byte == b'=')
            {
                let value = text.get(at + 1..).unwrap_or_default();
                if self.pattern.is_mentioned(value) || value.windows(2).any(|pair| pair == b"$(") {
                    return self.found();
                }
            }
            before = text;
        }
        self.first_starter(arguments);
    }

    /// `cmd /c`: its own quotes and expansions are not a shell's.
    fn cmd(&mut self, arguments: &[Word]) {
        if arguments.is_empty() {
            return self.read_input(None);
        }
        let text = joined(arguments);
        if text.iter().any(|byte| matches!(byte, b'^' | b'%' | b'!' | &HOLE)) || self.pattern.is_mentioned(&text) {
            return self.found();
        }
        let is_switch =
            |word: &&Word| word.text.starts_with(b"/") && word.text.len() <= 3 || word.text.starts_with(b"//");
        let rest: Vec<Word> = arguments.iter().skip_while(is_switch).cloned().collect();
        self.command(&rest);
        self.code(&joined(&rest).iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect::<Vec<_>>());
    }

    fn powershell(&mut self, arguments: &[Word]) {
        let text = joined(arguments);
        let lower = text.to_ascii_lowercase();
        let has = |part: &[u8]| lower.windows(part.len()).any(|window| window == part);
        let is_asked = [
            &b"iex"[..],
            b"invoke",
            b"start",
            b"-e ",
            b"-en",
            b"-ec",
            b"shell",
            b"process",
            b"alias",
            b"-c -",
            b"command -",
            b"frombase64",
        ];
        if arguments.is_empty()
            || text.iter().any(|byte| b"`$&({;|+\0".contains(byte))
            || is_asked.iter().any(|part| has(part))
            || text.trim_ascii_end().ends_with(b"-")
            || self.pattern.is_mentioned(&text)
        {
            self.found();
        }
    }

    /// Editors and clients of databases: their commands may start a shell.
    fn editor(&mut self, name: &str, arguments: &[Word]) {
        let is_client = matches!(name, "psql" | "mysql" | "mariadb" | "sqlite" | "sqlite3" | "duckdb");
        let can_start = |text: &[u8]| {
            let lower = text.to_ascii_lowercase();
            let has = |part: &[u8]| lower.windows(part.len()).any(|window| window == part);
            match is_client {
                true => {
                    has(b"\\")
                        || has(b".system")
                        || has(b".shell")
                        || has(b"system ")
                        || has(b"program")
                        || has(b"load_extension")
                        || has(b".load")
                        || has(b".read |")
                        || has(b".once |")
                        || has(b".output |")
                        || has(b"edit(")
                }
                false => [
                    &b"!"[..],
                    b"system",
                    b"exe",
                    b"call",
                    b"term",
                    b"job",
                    b"lua",
                    b"py",
                    b"perl",
                    b"ruby",
                    b"tcl",
                    b"mz",
                    b"so ",
                    b"source",
                    b"map",
                    b"norm",
                    b"shell",
                    b"eval",
                    b"process",
                    b"@",
                    b"make",
                    b"grep",
                    b"=",
                ]
                .iter()
                .any(|part| has(part)),
            }
        };
        let mut is_code = false;
        let mut has_code = false;
        for word in arguments {
            let text = word.text.as_slice();
            let attached = is_client
                || !text.starts_with(b"-") && text.starts_with(b"+")
                || text.starts_with(b"-c")
                || text.starts_with(b"--eval")
                || text.starts_with(b"--cmd")
                || text.starts_with(b"-S") && name != "ed";
            if (is_code || attached) && can_start(text) || is_code && word.has_hole() && !is_client {
                return self.found();
            }
            has_code |= attached;
            is_code = matches!(text, b"-c" | b"--cmd" | b"-e" | b"--eval" | b"-eval" | b"-f" | b"--funcall");
        }
        // `ed x.sh`, whose commands have the text.
        self.writes_input();
        match self.input.clone() {
            Input::Text(text) if can_start(&text) || text.contains(&HOLE) => self.found(),
            Input::Unknown if !has_code => self.found(),
            Input::Inherited if matches!(name, "ed" | "red") => self.found(),
            _ => {}
        }
    }
}
