//! Simple commands: is one the rule's, and what does it start?

use std::path::Path;

use super::super::pattern::base_name;
use super::{Executed, Fields, HOLE, Input, Judge, Word, Written, is_assignment, is_device};
use crate::programs::{self, Kind, Special};

/// A command with more words is not looked through where it starts another one in ways that are not known.
const WORDS_LIMIT: usize = 1_000;

/// Variables whose value is a command, or has one in it.
fn has_command(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 33] = [
        b"BASH_ENV",
        b"ENV",
        b"PROMPT_COMMAND",
        b"PS0",
        b"PS1",
        b"PS2",
        b"PS3",
        b"PS4",
        b"LESSOPEN",
        b"LESSCLOSE",
        b"BROWSER",
        b"SHELL",
        b"VISUAL",
        b"FCEDIT",
        b"LD_PRELOAD",
        b"LD_AUDIT",
        b"DYLD_INSERT_LIBRARIES",
        b"GIT_SSH",
        b"GIT_EXTERNAL_DIFF",
        b"MAKEFLAGS",
        b"GNUMAKEFLAGS",
        b"MFLAGS",
        b"PERL5OPT",
        b"PERL5DB",
        b"RUBYOPT",
        b"PYTHONSTARTUP",
        b"PYTHONINSPECT",
        b"TAR_OPTIONS",
        b"RSYNC_RSH",
        b"CVS_RSH",
        b"NODE_REPL_EXTERNAL_MODULE",
        b"ZDOTDIR",
        b"COMP_WORDBREAKS",
    ];
    const ENDS: [&[u8]; 7] = [b"EDITOR", b"PAGER", b"_COMMAND", b"_CMD", b"ASKPASS", b"_RUNNER", b"_WRAPPER"];
    NAMES.contains(&name) || ENDS.iter().any(|end| name.ends_with(end)) || name.starts_with(b"BASH_FUNC_")
}

/// Variables that a shell keeps its names of commands in.
fn renames(name: &[u8]) -> bool {
    matches!(
        name,
        b"BASH_ALIASES"
            | b"BASH_CMDS"
            | b"aliases"
            | b"galiases"
            | b"saliases"
            | b"functions"
            | b"commands"
            | b"dis_aliases"
            | b"dis_functions"
            | b"GIT_CONFIG_PARAMETERS"
            | b"GIT_CONFIG_GLOBAL"
            | b"GIT_CONFIG_SYSTEM"
            | b"GIT_EXEC_PATH"
            | b"GIT_TEMPLATE_DIR"
    ) || name.starts_with(b"GIT_CONFIG_KEY")
        || name.starts_with(b"GIT_CONFIG_VALUE")
}

impl Judge<'_> {
    /// A command: what is known of its words.
    pub(super) fn command(&mut self, words: &[Word]) {
        self.step(words.iter().map(|word| word.text.len() + 1).sum());
        if self.is_found || words.is_empty() {
            return;
        }
        self.deeper(|judge| judge.simple_command(words));
    }

    fn simple_command(&mut self, words: &[Word]) {
        let Some(first) = words.first() else { return };
        let Some(text) = first.text() else { return self.found() };
        // `=rm` is a path in zsh; no program's name has control characters.
        // Some shells have `!rm` for what was run before, and no program begins with a dash.
        let is_none = text.first().is_some_and(|first| matches!(first, b'=' | b'!')) && text.len() > 1
            || text.starts_with(b"-") && text.len() > 1;
        if is_none || text.iter().any(u8::is_ascii_control) {
            return self.found();
        }
        if self.pattern.may_be(words) {
            return self.found();
        }
        // Some wrappers take assignments for what they are.
        if is_assignment(text)
            && let Some(at) = text.iter().position(|byte| *byte == b'=')
        {
            let value = Word { text: text.get(at + 1..).unwrap_or_default().to_vec(), ..first.clone() };
            self.variable(text.get(..at).unwrap_or_default(), &value, true);
            return self.command(words.get(1..).unwrap_or_default());
        }
        let name = base_name(text);
        self.links(text, &name, words);
        if self.is_found {
            return;
        }
        let name = String::from_utf8_lossy(&name).into_owned();
        let kind = programs::kind(&name);
        if kind.is_none() || text.contains(&b'/') {
            self.executes(text, Executed::Shell);
        }
        match kind {
            Some(Kind::Plain) => {}
            None => self.unknown(words),
            Some(Kind::Wrapper(wrapper)) => self.wrapper(&name, &wrapper, words),
            Some(Kind::Shell) => self.shell(&name, words),
            Some(Kind::Language(language)) => self.language(language, words),
            Some(Kind::Optioned(options)) => self.optioned(&name, options, words),
            Some(Kind::Subcommands(commands)) => self.subcommands(&name, commands, words),
            Some(Kind::Starter) => self.starter(words.get(1..).unwrap_or_default()),
            Some(Kind::Special(special)) => self.special(special, &name, words),
        }
    }

    fn special(&mut self, special: Special, name: &str, words: &[Word]) {
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

    /// A program that may be the rule's by another name: a link to it.
    fn links(&mut self, text: &[u8], name: &[u8], words: &[Word]) {
        let Ok(text) = std::str::from_utf8(text) else { return };
        let has_directory = text.contains('/') || cfg!(windows) && text.contains('\\');
        let directories = if has_directory { &self.directories } else { &self.paths };
        let mut names: Vec<Vec<u8>> = Vec::new();
        for directory in directories {
            let path = directory.join(text);
            if let Ok(target) = path.canonicalize()
                && let Some(target_name) = target.file_name()
            {
                let target_name = base_name(target_name.as_encoded_bytes());
                if target_name != name && !names.contains(&target_name) {
                    names.push(target_name);
                }
                if self.pattern.program().is_some_and(|program| is_hard_link(&target, program)) {
                    return self.found();
                }
            }
        }
        for name in names {
            let target = Word::known(&name);
            let renamed: Vec<Word> = std::iter::once(target).chain(words.iter().skip(1).cloned()).collect();
            if self.pattern.may_be(&renamed) {
                return self.found();
            }
            // A link to `busybox`, by a name of one's own, is none of its applets; one to a shell is the shell.
            let name = String::from_utf8_lossy(&name).into_owned();
            let is_started = matches!(programs::kind(&name), Some(Kind::Shell | Kind::Language(_) | Kind::Wrapper(_)));
            if is_started && !is_known_by_link(&name) {
                self.command(&renamed);
            }
        }
    }

    /// A program that is not known: what it does with its words is not known either, so that they may name no command of the
    /// rule.
    fn unknown(&mut self, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        let text = joined(arguments);
        if self.pattern.is_mentioned(&text) && self.pattern.is_mentioned(&without_lonely_holes(&text)) {
            return self.found();
        }
        self.first_starter(arguments);
    }

    /// A program that starts others in ways that are not told.
    pub(super) fn starter(&mut self, arguments: &[Word]) {
        if arguments.len() > WORDS_LIMIT {
            return self.found();
        }
        let is_unknown = |word: &Word| word.has_hole() && !word.text.starts_with(b"-") || word.fields == Fields::Any;
        if arguments.iter().any(is_unknown) {
            return self.found();
        }
        if self.pattern.is_mentioned(&joined(arguments)) {
            return self.found();
        }
        for word in arguments {
            if self.is_found {
                return;
            }
            if word.text.iter().any(|byte| b" \t\n;|&$`(){}<>".contains(byte)) {
                self.code_word(Some(word));
            }
        }
        // `parallel` and its like read commands.
        if !matches!(self.input, Input::Inherited | Input::File) {
            self.read_input(None);
        }
        if let Some(at) = arguments.iter().position(is_starter) {
            self.command(arguments.get(at..).unwrap_or_default());
        }
    }

    /// The first word that is a program which starts others, with what follows it.
    fn first_starter(&mut self, arguments: &[Word]) {
        if arguments.len() > WORDS_LIMIT {
            return self.found();
        }
        if let Some(at) = arguments.iter().position(is_starter) {
            let rest = arguments.get(at..).unwrap_or_default();
            // A name alone is a word like others: `./build.sh python`.
            if rest.len() > 1
                && rest.get(1).is_some_and(|word| {
                    word.text.starts_with(b"-") || word.is_quoted || word.has_hole() || is_code_like(rest)
                })
            {
                self.command(rest);
            }
        }
    }

    /// A word that is shell code.
    pub(super) fn code_word(&mut self, word: Option<&Word>) {
        match word.map(Word::text) {
            Some(Some(text)) => self.code(text),
            Some(None) => self.found(),
            None => {}
        }
    }

    /// Words that are shell code together.
    pub(super) fn joined(&mut self, words: &[Word]) {
        if words.iter().any(Word::has_hole) {
            return self.found();
        }
        self.code(&joined(words));
        // As one would think that it is.
        self.command(words);
    }

    /// A file that is run, which is one of the rule's by its name: `sh ./deploy.sh`.
    pub(super) fn file_operand(&mut self, path: &[u8], what: Executed, words: &[Word]) {
        if self.pattern.may_be(words) {
            return self.found();
        }
        self.executes(path, what);
    }

    /// What evaluates a text as arithmetic, or as a variable's name with a subscript: `let 'a[$(rm x)]'`.
    pub(super) fn evaluated(&mut self, word: &Word) {
        let is_code = |text: &[u8]| text.windows(2).any(|pair| pair == b"$(") || text.contains(&b'`');
        if is_code(&word.text) && word.text.contains(&b'[') {
            self.found();
        }
    }

    /// A variable that is set; whether a command is given it.
    pub(super) fn variable(&mut self, name: &[u8], value: &Word, is_given: bool) {
        if renames(name) {
            return self.found();
        }
        if name == b"PATH" || name == b"path" {
            for directory in value.text.split(|byte| matches!(byte, b':' | b' ')).filter(|part| !part.contains(&HOLE)) {
                let Ok(directory) = std::str::from_utf8(directory) else { continue };
                let all = self.directories.iter().map(|start| start.join(directory)).collect::<Vec<_>>();
                for path in all {
                    if self.paths.len() < 4 * super::DIRECTORIES_LIMIT && !self.paths.contains(&path) {
                        self.paths.push(path);
                    }
                }
            }
            return;
        }
        let is_code = |text: &[u8]| text.windows(2).any(|pair| pair == b"$(") || text.contains(&b'`');
        if has_command(name) {
            return match value.text() {
                Some(b"") => {}
                Some(text) => self.code(text),
                None => self.found(),
            };
        }
        // Arithmetic evaluates what variables hold; and `$x` is a command, perhaps.
        if is_code(&value.text) && (value.text.contains(&b'[') || self.pattern.is_mentioned(&value.text)) {
            return self.found();
        }
        // `CC='rm x' make`
        let mut words =
            value.text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()).map(Word::known);
        if let Some(first) = words.next()
            && first.text().is_some()
        {
            let words: Vec<Word> = std::iter::once(first).chain(words).collect();
            if (words.len() > 1 || is_given) && self.pattern.may_be(&words) {
                self.found();
            }
        }
    }

    fn changes_directory(&mut self, arguments: &[Word]) {
        for word in arguments {
            let Some(directory) = word.text().and_then(|text| std::str::from_utf8(text).ok()) else { continue };
            for start in self.directories.clone() {
                let directory = start.join(directory);
                if self.directories.len() < super::DIRECTORIES_LIMIT && !self.directories.contains(&directory) {
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
        match self.input.clone() {
            Input::Text(text) if can_start(&text) || text.contains(&HOLE) => self.found(),
            Input::Unknown if !has_code => self.found(),
            Input::Inherited if matches!(name, "ed" | "red") => self.found(),
            _ => {}
        }
    }
}

/// Is a word the name of a program that starts others?
pub(super) fn is_starter(word: &Word) -> bool {
    word.text().is_some_and(|text| {
        !matches!(text, b"." | b"-" | b"!")
            && !text.ends_with(b"/")
            && programs::starts(&String::from_utf8_lossy(&base_name(text)))
    })
}

/// Do the words after a program's name look like what that program is given?
fn is_code_like(words: &[Word]) -> bool {
    words
        .iter()
        .skip(1)
        .any(|word| word.text.iter().any(|byte| b" \t\n;|&$`(){}<>".contains(byte)) || word.text.starts_with(b"-"))
        || words.iter().skip(1).any(|word| {
            word.text().is_some_and(|text| programs::kind(&String::from_utf8_lossy(&base_name(text))).is_some())
        })
}

/// Programs that are what the name is that they are called by.
fn is_known_by_link(name: &str) -> bool {
    matches!(name, "busybox" | "toybox" | "ccache" | "sccache" | "distcc" | "icecc")
}

/// The path of a file that is run, where its name is known: `$DIR/x.sh`.
pub(super) fn named_file(word: &Word) -> Option<&[u8]> {
    if let Some(text) = word.text() {
        return Some(text);
    }
    let name = word.text.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let is_known = word.fields == Fields::One
        && word.text.contains(&b'/')
        && !name.is_empty()
        && !name.contains(&HOLE)
        // It might be a device.
        && name.contains(&b'.')
        && name.iter().any(u8::is_ascii_alphabetic)
        && !is_device(&word.text);
    is_known.then_some(word.text.as_slice())
}

pub(super) fn after_double_dash(words: &[Word]) -> &[Word] {
    match words.split_first() {
        Some((first, rest)) if first.text == b"--" => rest,
        _ => words,
    }
}

/// Words with blanks between them.
pub(super) fn joined(words: &[Word]) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        text.extend_from_slice(&word.text);
        text.push(b' ');
    }
    text
}

/// A text without the words of it that are all unknown.
fn without_lonely_holes(text: &[u8]) -> Vec<u8> {
    text.split(|byte| *byte == b' ').filter(|word| *word != [HOLE]).collect::<Vec<_>>().join(&b' ')
}

/// Is the file one of the system's program of this name, by another name?
#[cfg(unix)]
fn is_hard_link(path: &Path, program: &[u8]) -> bool {
    use std::os::unix::fs::MetadataExt;

    let Ok(program) = std::str::from_utf8(program) else { return false };
    let Ok(metadata) = path.metadata() else { return false };
    if metadata.nlink() < 2 || path.file_name().is_some_and(|name| name == program) {
        return false;
    }
    let directories = ["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin"];
    directories.iter().any(|directory| {
        Path::new(directory)
            .join(program)
            .metadata()
            .is_ok_and(|other| (other.dev(), other.ino()) == (metadata.dev(), metadata.ino()))
    })
}

/// Hard links are not told apart from files there.
#[cfg(not(unix))]
fn is_hard_link(_: &Path, _: &[u8]) -> bool {
    false
}
