//! A source text of a hook: its command, a script, or what `sh -c` is given.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hookshell_dispatch::{Platform, Search};
use hookshell_process::text;
use hookshell_syntax::ast::{
    Argument, Arithmetic, Assignment, AssignmentValue, BraceExpansion, Command, Compound, CompoundCommand, Condition,
    List, Parameter, Redirection, RedirectionKind, SimpleCommand, Subscript, Word, WordPart,
};
use hookshell_syntax::{Dialect, ParseOptions, Parser};

use super::word::{VALUES_LIMIT, Values};
use super::{LookUp, Scan};

/// Stands for a value that is only known when it runs, beside those that are known. No path holds a NUL.
const UNKNOWN: &[u8] = b"\0";

/// How many folders a relative path may be relative to.
const FOLDERS_LIMIT: usize = 16;
/// How many words and expansions a command may have that is looked through.
const NODES_LIMIT: usize = 100_000;

/// Programs that run the files they are given, their version number left out.
const INTERPRETERS: [&str; 23] = [
    "hookshell",
    "sh",
    "bash",
    "dash",
    "ash",
    "ksh",
    "zsh",
    "busybox",
    "node",
    "nodejs",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "python",
    "py",
    "pypy",
    "ruby",
    "perl",
    "lua",
    "php",
    "pwsh",
    "powershell",
];
/// Shells: `-c` is code.
const SHELLS: [&str; 8] = ["hookshell", "sh", "bash", "dash", "ash", "ksh", "zsh", "busybox"];
/// Programs that are no shells and give one what stands behind `-c`.
const COMMANDED: [&str; 4] = ["su", "runuser", "script", "flock"];
/// Programs that take a program in a word, which may name files: `awk '{ system("./x.sh") }'`.
const PROGRAMMED: [&str; 13] =
    ["awk", "gawk", "mawk", "sed", "perl", "ruby", "lua", "php", "node", "nodejs", "deno", "bun", "python"];
/// Programs that take a command line in a word, by rules that are not the shell's: `cmd /c "hooks\x.cmd a"`.
const FOREIGN_SHELLS: [&str; 3] = ["cmd", "pwsh", "powershell"];
/// What runs the command that it is given.
const WRAPPERS: [&str; 14] = [
    "exec", "command", "builtin", "env", "timeout", "nohup", "xargs", "nice", "setsid", "time", "sudo", "doas",
    "stdbuf", "find",
];
/// Programs that run what a project defines elsewhere.
const RUNNERS: [&str; 12] =
    ["npm", "npx", "pnpm", "yarn", "make", "just", "uv", "poetry", "pipenv", "cargo", "go", "bundle"];

/// What reads a redirection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// Shell code, for it.
    Shell,
    /// A program in another language, or data.
    Interpreter,
    Other,
}

pub(super) struct Source<'s, 'a> {
    pub(super) scan: &'s mut Scan<'a>,
    /// The script that it is; none for a command.
    pub(super) script: Option<PathBuf>,
    /// The variables that it sets, with all their values; none where one is unknown.
    pub(super) variables: HashMap<Vec<u8>, Values>,
    /// Where relative paths may start.
    folders: Vec<PathBuf>,
    /// The text, for messages.
    text: Vec<u8>,
}

impl<'s, 'a> Source<'s, 'a> {
    pub(super) fn of_command(scan: &'s mut Scan<'a>) -> Self {
        let mut folders = vec![scan.cwd.clone()];
        if scan.surroundings.project != scan.cwd {
            folders.push(scan.surroundings.project.to_owned());
        }
        Self { scan, script: None, variables: HashMap::new(), folders, text: Vec::new() }
    }

    pub(super) fn of_script(scan: &'s mut Scan<'a>, script: &Path) -> Self {
        Self { script: Some(script.to_owned()), ..Self::of_command(scan) }
    }

    /// Reads shell code. What cannot be parsed may run all the same: an alias, or another shell than bash, may make sense of it.
    pub(super) fn read(&mut self, code: &[u8]) {
        if !self.scan.may_look_through(code.len()) {
            return self.too_much();
        }
        self.text = code.to_vec();
        let options = ParseOptions { dialect: Dialect::Bash, max_nodes: NODES_LIMIT, ..ParseOptions::default() };
        // Twice: a function may use what is only set below it.
        for _ in 0..2 {
            let mut parser = Parser::new(code);
            loop {
                // Where extended patterns are switched on may be out of sight: in a file that is sourced, in the `#!` line.
                match parser.next_unit_unrun(&options, |_| true) {
                    Ok(Some(unit)) => self.list(&unit.list),
                    Err(error) if error.cause.is_limit() => return self.too_much(),
                    Err(_) => {
                        self.not_understood(parser.line());
                        break;
                    }
                    Ok(None) => break,
                }
            }
        }
    }

    fn too_much(&mut self) {
        let whose = self.whose();
        self.scan.uncertain(format!("what {whose} names (too much code)"));
    }

    fn not_understood(&mut self, line: u32) {
        let whose = self.whose();
        self.scan.uncertain(format!("what {whose} names from line {line} on (a syntax error)"));
    }

    fn whose(&self) -> String {
        self.script.as_ref().map_or("the command".into(), |script| script.display().to_string())
    }

    /// A program and its arguments, which no shell reads.
    pub(super) fn arguments<'w>(&mut self, words: impl Iterator<Item = &'w String>) {
        let words: Vec<Values> = words.map(|word| vec![self.substituted(word)]).collect();
        let shown = vec![String::new(); words.len()];
        self.command(&words, &shown);
    }

    /// `${CLAUDE_PROJECT_DIR}` in an argument: some agents replace it themselves.
    fn substituted(&self, word: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let mut rest = word;
        while let Some((before, after)) = rest.split_once("${") {
            out.extend_from_slice(before.as_bytes());
            match after.split_once('}').and_then(|(name, rest)| Some((self.scan.variable(name.as_bytes())?, rest))) {
                Some((value, after)) => {
                    out.extend(value);
                    rest = after;
                }
                None => {
                    out.extend_from_slice(b"${");
                    rest = after;
                }
            }
        }
        out.extend_from_slice(rest.as_bytes());
        out
    }

    fn list(&mut self, list: &List) {
        for item in &list.items {
            let pipelines = std::iter::once(&item.and_or.first).chain(item.and_or.rest.iter().map(|(_, next)| next));
            for pipeline in pipelines {
                let mut before: Option<&Command> = None;
                for stage in &pipeline.stages {
                    self.node(&stage.command);
                    if let Some(writer) = before {
                        self.piped(writer, &stage.command);
                    }
                    before = Some(&stage.command);
                }
            }
        }
    }

    /// `curl example | sh`: a shell that reads its script from a pipe.
    fn piped(&mut self, writer: &Command, reader: &Command) {
        let (Command::Simple(reader), false) =
            (reader, matches!(writer, Command::Simple(writer) if self.is_cat(writer)))
        else {
            return;
        };
        let words = self.words(reader);
        let is_shell = |word: &Values| word.iter().any(|word| SHELLS.contains(&&*stem(word)));
        let Some(shell) = words.iter().rposition(is_shell) else { return };
        let has_script = words.iter().skip(shell + 1).flatten().any(|word| {
            let is_option = word.starts_with(b"-") || word.starts_with(b"+");
            !is_option || !word.starts_with(b"--") && word.contains(&b'c')
        });
        let reads_pipe = !reader.redirections.iter().any(|redirection| {
            matches!(
                redirection.kind,
                RedirectionKind::Read(_) | RedirectionKind::HereDocument(_) | RedirectionKind::HereString(_)
            )
        });
        if reads_pipe && (!has_script || words.iter().skip(shell + 1).flatten().any(|word| word == b"-s")) {
            let name = words.get(shell).and_then(|word| word.first()).map(|word| stem(word)).unwrap_or_default();
            self.scan.uncertain(format!("what `{name}` is given by a pipe"));
        }
    }

    /// Does it write the files that it is given?
    fn is_cat(&self, simple: &SimpleCommand) -> bool {
        let words = self.words(simple);
        let is_file = |values: &Values| is_known(values) && !values.iter().any(|value| value == b"-");
        words.first().is_some_and(|name| name.iter().any(|name| stem(name) == "cat"))
            && words.len() > 1
            && words.iter().skip(1).all(is_file)
    }

    fn words(&self, simple: &SimpleCommand) -> Vec<Values> {
        let words = simple.arguments.iter().filter_map(|argument| match argument {
            Argument::Word(word) => Some(self.values(word)),
            Argument::Assignment(_) => None,
        });
        words.collect()
    }

    fn node(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => self.compound(compound),
            Command::Function(function) => self.compound(&function.body),
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match &compound.kind {
            Compound::For(clause) | Compound::Select(clause) => {
                let mut all = Values::new();
                for word in clause.words.iter().flatten() {
                    self.inside(word);
                    all.extend(self.values(word));
                }
                self.set(clause.name.as_bytes(), all);
            }
            Compound::Case(clause) => {
                self.inside(&clause.subject);
                clause.items.iter().flat_map(|item| &item.patterns).for_each(|pattern| self.inside(pattern));
            }
            Compound::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
            Compound::ArithmeticFor(clause) => {
                let parts = [&clause.init, &clause.condition, &clause.step];
                parts.into_iter().flatten().for_each(|arithmetic| self.arithmetic(arithmetic));
            }
            Compound::Condition(condition) => self.condition(condition),
            Compound::Coprocess(coprocess) => {
                coprocess.name.iter().for_each(|name| self.inside(name));
                self.node(&coprocess.command);
            }
            _ => {}
        }
        compound.kind.lists().into_iter().for_each(|list| self.list(list));
        self.redirections(&compound.redirections, Reader::Other);
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Unary(_, word) => self.inside(word),
            Condition::Binary(_, left, right) => {
                self.inside(left);
                self.inside(right);
            }
            Condition::Not(inner) | Condition::Group(inner) => self.condition(inner),
            Condition::And(terms) | Condition::Or(terms) => terms.iter().for_each(|term| self.condition(term)),
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        for assignment in &simple.assignments {
            self.assignment(assignment);
        }
        let mut words = Vec::new();
        let mut shown = Vec::new();
        for argument in &simple.arguments {
            match argument {
                Argument::Word(word) => {
                    self.inside(word);
                    words.push(self.values(word));
                    let range = word.span.start as usize..word.span.end as usize;
                    shown.push(String::from_utf8_lossy(self.text.get(range).unwrap_or_default()).into_owned());
                }
                Argument::Assignment(assignment) => self.assignment(assignment),
            }
        }
        let is_any = |set: &[&str]| words.iter().flatten().any(|word| set.contains(&&*stem(word)));
        let reader = match () {
            () if is_any(&SHELLS) => Reader::Shell,
            () if is_any(&INTERPRETERS) => Reader::Interpreter,
            () => Reader::Other,
        };
        self.redirections(&simple.redirections, reader);
        self.command(&words, &shown);
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.subscript(assignment.subscript.as_ref());
        let values = match &assignment.value {
            AssignmentValue::Scalar(word) => {
                self.inside(word);
                self.values(word)
            }
            AssignmentValue::Array(elements) => {
                let mut all = Values::new();
                for element in elements {
                    self.subscript(element.subscript.as_ref());
                    element.braced.iter().for_each(|word| self.inside(word));
                    self.inside(&element.value);
                    all.extend(self.values(&element.value));
                }
                all
            }
        };
        for value in &values {
            // `BASH_ENV=./x.sh bash …`
            self.files_in_value(value);
        }
        let values = if assignment.append || values.is_empty() { vec![UNKNOWN.to_vec()] } else { values };
        self.set(assignment.name.as_bytes(), values);
    }

    fn set(&mut self, name: &[u8], values: Values) {
        let known = self.variables.entry(name.to_vec()).or_default();
        for value in values {
            // One more than are followed says that there are more.
            if known.len() <= VALUES_LIMIT && !known.contains(&value) {
                known.push(value);
            }
        }
    }

    /// The code that stands in a word.
    fn inside(&mut self, word: &Word) {
        self.inside_parts(&word.parts);
    }

    fn inside_parts(&mut self, parts: &[WordPart]) {
        for part in parts {
            match part {
                WordPart::DoubleQuoted(parts) => self.inside_parts(parts),
                WordPart::CommandSubstitution(substitution) => match &substitution.body {
                    Ok(list) => self.list(list),
                    Err(broken) => self.list(&broken.before),
                },
                WordPart::ProcessSubstitution(substitution) => self.list(&substitution.body),
                WordPart::Parameter(expansion) | WordPart::QuotedParameter(expansion) => {
                    use hookshell_syntax::ast::ParameterOperation as Operation;
                    if let Parameter::Element(_, subscript) = &expansion.parameter {
                        self.subscript(Some(subscript));
                    }
                    match &expansion.operation {
                        Operation::UseDefault(_, word)
                        | Operation::AssignDefault(_, word)
                        | Operation::UseAlternative(_, word)
                        | Operation::RemovePrefix(_, word)
                        | Operation::RemoveSuffix(_, word)
                        | Operation::ChangeCase(_, Some(word))
                        | Operation::ErrorIfUnset(_, Some(word)) => self.inside(word),
                        Operation::Substring(offset, length) => {
                            self.arithmetic(offset);
                            length.iter().for_each(|length| self.arithmetic(length));
                        }
                        Operation::Replace(_, pattern, with) => {
                            self.inside(pattern);
                            with.iter().for_each(|word| self.inside(word));
                        }
                        _ => {}
                    }
                }
                WordPart::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
                WordPart::Brace(braces) => {
                    if let BraceExpansion::Alternatives(alternatives) = &**braces {
                        alternatives.iter().for_each(|parts| self.inside_parts(parts));
                    }
                }
                WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Tilde(_) => {}
            }
        }
    }

    fn arithmetic(&mut self, arithmetic: &Arithmetic) {
        self.inside(&arithmetic.text);
    }

    fn subscript(&mut self, subscript: Option<&Subscript>) {
        if let Some(Subscript::Index(index)) = subscript {
            self.inside(&index.key);
            self.arithmetic(&index.arithmetic);
        }
    }

    fn redirections(&mut self, redirections: &[Redirection], reader: Reader) {
        for redirection in redirections {
            match &redirection.kind {
                // `bash < x.sh`
                RedirectionKind::Read(word) | RedirectionKind::ReadWrite(word) => {
                    self.inside(word);
                    for value in self.values(word) {
                        self.path(&value, reader != Reader::Other);
                    }
                }
                RedirectionKind::HereDocument(document) => {
                    if let Some(body) = document.body.get() {
                        self.inside(body);
                        self.given(reader, &self.values(body));
                    }
                }
                RedirectionKind::HereString(word) => {
                    self.inside(word);
                    self.given(reader, &self.values(word));
                }
                RedirectionKind::Write(word)
                | RedirectionKind::Clobber(word)
                | RedirectionKind::Append(word)
                | RedirectionKind::DuplicateInput(word)
                | RedirectionKind::DuplicateOutput(word)
                | RedirectionKind::WriteBoth(word)
                | RedirectionKind::AppendBoth(word) => self.inside(word),
            }
        }
    }

    /// Texts on standard input.
    fn given(&mut self, reader: Reader, texts: &Values) {
        for text in texts {
            match reader {
                Reader::Shell => self.code(text),
                Reader::Interpreter => self.files_in_line(text),
                Reader::Other => {}
            }
        }
    }

    /// A command: its name, and what it is given.
    fn command(&mut self, words: &[Values], shown: &[String]) {
        let Some((name, operands)) = words.split_first() else { return };
        if !is_known(name) {
            self.unknown(shown.first());
        }
        let is_any = |set: &[&str]| words.iter().flatten().any(|word| set.contains(&&*stem(word)));
        let is_named = |set: &[&str]| name.iter().any(|word| set.contains(&&*stem(word)));
        for value in name {
            match value.contains(&b'/') || cfg!(windows) && value.contains(&b'\\') {
                true => self.path(value, true),
                false => self.program(value),
            }
        }
        let sources = is_named(&[".", "source"]);
        let (is_interpreter, is_shell) = (is_any(&INTERPRETERS), is_any(&SHELLS));
        let is_wrapper = is_named(&WRAPPERS);
        let is_foreign = is_any(&FOREIGN_SHELLS);
        if is_named(&["cd", "pushd"]) {
            self.change_folder(operands);
        }
        if is_any(&RUNNERS) {
            let name = name.first().map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default();
            self.scan.uncertain(format!("what the project defines for `{name}`"));
        }
        let is_last_interpreter =
            operands.last().is_some_and(|last| last.iter().any(|word| INTERPRETERS.contains(&&*stem(word))));
        if is_named(&["xargs"]) && is_last_interpreter {
            self.scan.uncertain("the scripts that `xargs` is told of".to_owned());
        }
        let (is_finder, is_inline) = (is_named(&["find", "xargs", "parallel"]), is_any(&PROGRAMMED));
        let mut before: Option<&[u8]> = None;
        let mut program: Option<&[u8]> = None;
        let mut is_first_operand = true;
        for (index, values) in operands.iter().enumerate() {
            let is_code = sources
                || is_interpreter
                || is_wrapper
                || matches!(before, Some(b"-f" | b"--from-file" | b"--file" | b"-exec"));
            let is_option = values.iter().any(|value| value.starts_with(b"-"));
            let must_be_known = is_first_operand && (sources || is_interpreter && !is_option);
            if !is_known(values) && (must_be_known || is_named(&["eval"])) {
                self.unknown(shown.get(index + 1));
            }
            for value in values {
                self.path(value, is_code);
                if is_foreign || is_inline && value.contains(&b' ') || is_inline && value.contains(&b'(') {
                    self.files_in_line(value);
                }
                let is_run = program.is_none_or(|program| INTERPRETERS.contains(&&*stem(program)));
                if is_finder && value == b"{}" && is_run {
                    let name = name.first().map(|name| stem(name)).unwrap_or_default();
                    self.scan.uncertain(format!("the files that `{name}` finds and runs"));
                }
                // `env -S "sh ./x.sh"`
                if is_any(&["env"]) {
                    let joined =
                        [&b"--split-string="[..], b"-S"].into_iter().find_map(|option| value.strip_prefix(option));
                    match joined {
                        Some(code) => self.code(code),
                        None if matches!(before, Some(b"-S" | b"--split-string")) => self.code(value),
                        None => {}
                    }
                }
                // `env PATH=$PWD/bin tool`, `timeout 5 tool`
                if let Some(path) = value.strip_prefix(b"PATH=") {
                    self.set(b"PATH", vec![path.to_vec()]);
                } else if is_wrapper && !value.contains(&b'/') && !value.starts_with(b"-") {
                    self.program(value);
                }
                if let Some(at) = value.iter().position(|byte| *byte == b'=') {
                    let value = value.get(at + 1..).unwrap_or_default();
                    self.path(value, is_code);
                    if is_named(&["alias"]) {
                        self.code(value);
                    }
                }
                // `python3 -m hooks.guard`
                if before == Some(b"-m") && is_interpreter {
                    self.module(value);
                }
                let is_code_of_shell = (is_shell || is_any(&COMMANDED))
                    && before.is_some_and(|before| {
                        before.starts_with(b"-") && !before.starts_with(b"--") && before.contains(&b'c')
                    });
                let is_executed = before == Some(b"exec") && is_any(&["hookshell"]);
                if is_code_of_shell || is_executed || is_named(&["eval", "trap", "watch"]) {
                    self.code(value);
                }
            }
            if !is_option {
                // Of a wrapper (`env`, `timeout 5`) the interpreter's name is an operand too.
                is_first_operand &= values.iter().any(|value| INTERPRETERS.contains(&&*stem(value)));
            }
            before = values.first().map(Vec::as_slice);
            program = match before {
                // What follows is the command.
                Some(b"-exec" | b"-execdir" | b"-ok" | b"-okdir") => None,
                Some(word) if is_option || word == b"{}" => program,
                word => word.or(program),
            };
        }
    }

    /// A text that is shell code.
    fn code(&mut self, code: &[u8]) {
        if self.scan.depth >= super::DEPTH_LIMIT {
            return self.scan.uncertain(String::from_utf8_lossy(code).into_owned());
        }
        self.scan.depth += 1;
        let mut inner = Source {
            scan: &mut *self.scan,
            script: self.script.clone(),
            variables: self.variables.clone(),
            folders: self.folders.clone(),
            text: Vec::new(),
        };
        inner.read(code);
        self.scan.depth -= 1;
    }

    /// Files of a value that may be a list: of paths, of options.
    pub(super) fn files_in_value(&mut self, value: &[u8]) {
        self.path(value, false);
        let separators: &[u8] = if cfg!(windows) { b" \t;=" } else { b" \t:;=" };
        for piece in value.split(|byte| separators.contains(byte)).filter(|piece| piece.len() < value.len()) {
            self.path(piece, false);
        }
    }

    /// Files of a command line for cmd or PowerShell: `node hooks\y.js && call "x.cmd"`.
    fn files_in_line(&mut self, line: &[u8]) {
        let separates = |byte: &u8| b" \t\n;&|<>()=,@'\"".contains(byte);
        for piece in line.split(separates).filter(|piece| piece.len() < line.len()) {
            self.path(piece, false);
        }
    }

    /// The folders that a word has not been looked up in.
    fn new_folders(&mut self, word: &[u8], look_up: LookUp) -> Vec<PathBuf> {
        let scan = &mut *self.scan;
        self.folders.iter().filter(|folder| scan.is_new(folder, word, look_up)).cloned().collect()
    }

    /// A word that may be a path: the files that it names.
    fn path(&mut self, value: &[u8], is_code: bool) {
        if value.is_empty() || value == b"." || value.contains(&0) || value.contains(&b'\n') || value.len() > 4096 {
            return;
        }
        let platform = Platform::HOST;
        let look_up = if is_code { LookUp::Code } else { LookUp::Operand };
        for folder in self.new_folders(value, look_up) {
            let search = Search { platform, path: OsStr::new(""), env: self.scan.surroundings.env, cwd: &folder };
            // On Windows what has no such file may still be a script's name without its extension.
            let path = search.file(value).unwrap_or_else(|| search.absolute(value));
            self.scan.file(&path, is_code);
            // `node ./guard` is guard.js, `node ./folder` its index.js, `python3 folder` its __main__.py.
            if is_code && !path.is_file() {
                for extension in ["js", "cjs", "mjs", "json", "ts"] {
                    self.scan.file(&path.with_extension(extension), true);
                }
                for name in ["package.json", "index.js", "index.cjs", "index.mjs", "__main__.py"] {
                    self.scan.file(&path.join(name), true);
                }
            }
        }
    }

    /// A program that PATH leads to: of interest where it is the project's.
    fn program(&mut self, name: &[u8]) {
        let folders = self.new_folders(name, LookUp::Program);
        if !folders.is_empty() {
            let path = self.scan.variable(b"PATH").unwrap_or_default();
            self.program_in(&folders, name, &path);
        }
        // `PATH=$PWD/bin:$PATH`
        let Some(own) = self.variables.get(&b"PATH"[..]).cloned() else { return };
        if !is_known(&own) {
            self.scan.uncertain("the programs of a PATH that is only known when it runs".to_owned());
        }
        for path in own {
            // No name has a NUL.
            let folders = self.new_folders(&[name, b"\0", &path].concat(), LookUp::Program);
            self.program_in(&folders, name, &path);
        }
    }

    fn program_in(&mut self, folders: &[PathBuf], name: &[u8], path: &[u8]) {
        let platform = Platform::HOST;
        let path = text::to_os(path).into_owned();
        for folder in folders {
            let search = Search { platform, path: &path, env: self.scan.surroundings.env, cwd: folder };
            if let Ok(found) = search.program(name)
                && let Ok(canonical) = found.path.canonicalize()
                && (canonical.starts_with(&self.scan.canonical_project)
                    || found.path.starts_with(self.scan.surroundings.project))
            {
                self.scan.file(&found.path, true);
            }
        }
    }

    fn module(&mut self, name: &[u8]) {
        let path = name.iter().map(|byte| if *byte == b'.' { b'/' } else { *byte }).collect::<Vec<u8>>();
        for end in [&b".py"[..], b"/__init__.py", b"/__main__.py"] {
            self.path(&[&path, end].concat(), true);
        }
    }

    fn change_folder(&mut self, operands: &[Values]) {
        for value in operands.iter().flatten() {
            for folder in self.folders.clone() {
                let folder = folder.join(text::to_path(value));
                if self.folders.len() < FOLDERS_LIMIT && !self.folders.contains(&folder) && folder.is_dir() {
                    self.folders.push(folder);
                }
            }
        }
    }

    fn unknown(&mut self, shown: Option<&String>) {
        let Some(shown) = shown.filter(|shown| !shown.is_empty()) else { return };
        let place = self.script.as_ref().map(|script| format!(" in {}", script.display())).unwrap_or_default();
        self.scan.uncertain(format!("{shown}{place}"));
    }
}

fn is_known(values: &Values) -> bool {
    !values.is_empty() && !values.iter().any(|value| value.contains(&0))
}

/// No program that is known by its name has a longer one.
const NAME_LIMIT: usize = 64;

/// A program's name without folder, extension and version: `/usr/bin/python3.12` is `python`. Empty for what is too long to be
/// one that is known.
fn stem(word: &[u8]) -> String {
    if word == b"." {
        return ".".to_owned();
    }
    // The end of a long one is that of a name that is too long as well.
    let word = &word[word.len().saturating_sub(NAME_LIMIT + 1)..];
    let name = word.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    if name.len() > NAME_LIMIT {
        return String::new();
    }
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let name = name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd")).unwrap_or(&name);
    name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.').to_owned()
}
