//! A source text of a hook: its command, a script, or what `sh -c` is given.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hookshell_dispatch::{Platform, Search};
use hookshell_process::text;
use hookshell_syntax::ast::{
    Argument, Assignment, AssignmentValue, BraceExpansion, Command, Compound, CompoundCommand, Condition,
    ConditionOperator, List, Parameter, ParameterExpansion, ParameterOperation, Redirection, RedirectionFd,
    RedirectionKind, SimpleCommand, Word, WordPart,
};
use hookshell_syntax::{Dialect, Operand, ParseOptions, Parser};

use super::command::Reader;
use super::names::{Language, holds_code, names_code};
use super::word::{NUMBER, UNKNOWN, Values, is_known};
use super::{Scan, Use, lexically, shebang};

/// How many directories a relative path may be relative to.
const DIRS_LIMIT: usize = 16;
/// How many words and expansions a command may have that is looked through.
const NODES_LIMIT: usize = 100_000;
/// What stands in code in place of a part that is only known when it runs.
const PLACEHOLDER: &[u8] = b"${_}";

pub(super) struct Source<'s, 'a> {
    pub(super) scan: &'s mut Scan<'a>,
    /// The script that it is; none for a command. Behind it those that source it.
    pub(super) scripts: Vec<PathBuf>,
    /// The text, for messages.
    text: Vec<u8>,
}

impl<'s, 'a> Source<'s, 'a> {
    pub(super) fn of_command(scan: &'s mut Scan<'a>) -> Self {
        Self { scan, scripts: Vec::new(), text: Vec::new() }
    }

    pub(super) fn of_script(scan: &'s mut Scan<'a>, script: &Path) -> Self {
        scan.chain.retain(|path| path != script);
        scan.chain.insert(0, script.to_owned());
        let scripts = scan.chain.clone();
        Self { scan, scripts, text: Vec::new() }
    }

    /// Reads shell code. What cannot be parsed may run all the same: an alias, or another shell than bash, may make sense of it.
    pub(super) fn read(&mut self, code: &[u8]) {
        if !self.scan.may_look_through(code.len()) {
            return self.too_much();
        }
        let replaced;
        let code = match code.contains(&0) {
            true => {
                replaced = code.split(|byte| *byte == 0).collect::<Vec<_>>().join(PLACEHOLDER);
                &replaced
            }
            false => code,
        };
        self.text = code.to_vec();
        let options = ParseOptions { dialect: Dialect::Bash, max_nodes: NODES_LIMIT, ..ParseOptions::default() };
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

    /// A file that is started, by its `#!` line: the interpreter, what it is given, and the file.
    pub(super) fn first_line(&mut self, path: &Path, bytes: &[u8]) {
        let Some((interpreter, argument)) = shebang(bytes) else { return };
        let path = text::from_path(path).into_owned();
        let words: Vec<Values> =
            std::iter::once(interpreter).chain(argument).chain([path]).map(|word| vec![word]).collect();
        let shown: Vec<String> =
            words.iter().flatten().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        self.command(&words, &shown);
    }

    fn too_much(&mut self) {
        let whose = self.whose();
        self.scan.uncertain(format!("what {whose} names (too much code)"));
    }

    fn not_understood(&mut self, line: u32) {
        let whose = self.whose();
        self.scan.uncertain(format!("what {whose} names from line {line} on (a syntax error)"));
    }

    pub(super) fn whose(&self) -> String {
        self.scripts.first().map_or("the command".into(), |script| script.display().to_string())
    }

    /// A program and its arguments, which no shell reads.
    pub(super) fn arguments<'w>(&mut self, words: impl Iterator<Item = &'w String>) {
        let words: Vec<Values> = words.map(|word| vec![self.substituted(word)]).collect();
        let shown: Vec<String> =
            words.iter().flatten().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let reader = self.command(&words, &shown);
        self.reads_input(&reader);
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

    pub(super) fn list(&mut self, list: &List) {
        for item in &list.items {
            let pipelines = std::iter::once(&item.and_or.first).chain(item.and_or.rest.iter().map(|(_, next)| next));
            for pipeline in pipelines {
                let mut before: Option<&Command> = None;
                for stage in &pipeline.stages {
                    match &stage.command {
                        Command::Simple(simple) => {
                            let reader = self.simple(simple);
                            match before {
                                Some(writer) => self.piped(writer, &reader),
                                None => self.reads_input(&reader),
                            }
                        }
                        Command::Compound(compound) => self.compound(compound),
                        Command::Function(function) => {
                            self.scan.functions.insert(function.name.as_bytes().to_vec());
                            self.compound(&function.body);
                        }
                    }
                    before = Some(&stage.command);
                }
            }
        }
    }

    /// What reads its code from what it inherits.
    fn reads_input(&mut self, reader: &Reader) {
        if let Some(name) = &reader.awaits {
            self.scan.uncertain(format!("what `{name}` reads from its standard input"));
        }
    }

    /// `curl example | sh`: code that is read from a pipe.
    fn piped(&mut self, writer: &Command, reader: &Reader) {
        let Some(name) = &reader.awaits else { return };
        if let Command::Simple(writer) = writer {
            let words = self.words(writer);
            if let Some((program, operands)) = words.split_first().filter(|_| words.iter().all(is_known)) {
                let is_named = |what: &str| {
                    program.iter().all(|program| {
                        program == what.as_bytes()
                            && !self.scan.functions.contains(program)
                            && !self.scan.aliases.contains(program)
                    })
                };
                let has_option = operands.iter().flatten().any(|word| word.starts_with(b"-"));
                if is_named("cat") && !has_option && !operands.is_empty() {
                    return operands.iter().flatten().for_each(|path| self.path(path, reader.input));
                }
                if is_named("echo") && !has_option && !operands.iter().flatten().any(|word| word.contains(&b'\\')) {
                    let text: Vec<&[u8]> = operands.iter().filter_map(|word| word.first()).map(Vec::as_slice).collect();
                    let text = text.join(&b' ');
                    return self.given(reader, &text);
                }
            }
        }
        self.scan.uncertain(format!("what `{name}` is given by a pipe"));
    }

    fn words(&self, simple: &SimpleCommand) -> Vec<Values> {
        let words = simple.arguments.iter().map(|argument| match argument {
            Argument::Word(word) => self.values(word),
            Argument::Assignment(_) => vec![UNKNOWN.to_vec()],
        });
        words.collect()
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match &compound.kind {
            Compound::For(clause) | Compound::Select(clause) => {
                let mut all = Values::new();
                for word in clause.words.iter().flatten() {
                    self.inside(word);
                    all.extend(self.values(word));
                }
                if clause.words.is_none() || matches!(compound.kind, Compound::Select(_)) {
                    all.push(UNKNOWN.to_vec());
                }
                self.scan.set(clause.name.as_bytes(), &all);
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
                match &coprocess.command {
                    // What is written to it is out of sight.
                    Command::Simple(simple) => {
                        let reader = self.simple(simple);
                        self.reads_input(&reader);
                    }
                    Command::Compound(compound) => self.compound(compound),
                    Command::Function(function) => self.compound(&function.body),
                }
            }
            _ => {}
        }
        compound.kind.lists().into_iter().for_each(|list| self.list(list));
        self.redirections(&compound.redirections, &Reader::pure());
    }

    fn condition(&mut self, condition: &Condition) {
        use ConditionOperator as Op;
        match condition {
            Condition::Unary(operator, word) => {
                self.inside(word);
                if matches!(operator, b'v' | b'R') {
                    let values = self.values(word);
                    self.variable_names(&values);
                }
            }
            Condition::Binary(operator, left, right) => {
                self.inside(left);
                self.inside(right);
                if matches!(
                    operator,
                    Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual
                ) {
                    for word in [left, right] {
                        let values = self.unsplit_values(word);
                        self.evaluated(&values, &self.shown(word), 0);
                    }
                }
            }
            Condition::Not(inner) | Condition::Group(inner) => self.condition(inner),
            Condition::And(terms) | Condition::Or(terms) => terms.iter().for_each(|term| self.condition(term)),
        }
    }

    pub(super) fn shown(&self, word: &Word) -> String {
        let range = word.span.start as usize..word.span.end as usize;
        String::from_utf8_lossy(self.text.get(range).unwrap_or_default()).into_owned()
    }

    /// A simple command. What it reads its code from, where that is its standard input, is left to the caller.
    fn simple(&mut self, simple: &SimpleCommand) -> Reader {
        let mut words = Vec::new();
        let mut shown = Vec::new();
        for argument in &simple.arguments {
            match argument {
                Argument::Word(word) => {
                    self.inside(word);
                    words.push(self.values(word));
                    shown.push(self.shown(word));
                }
                Argument::Assignment(assignment) => self.assignment(assignment, false),
            }
        }
        // `IFS= read -r line` sets it for that command alone.
        let is_read = words.first().is_some_and(|name| matches!(&name[..], [name] if name == b"read"));
        for assignment in &simple.assignments {
            if !(is_read && assignment.name.as_bytes() == b"IFS") {
                self.assignment(assignment, !words.is_empty());
            }
        }
        let mut reader = self.command(&words, &shown);
        if self.redirections(&simple.redirections, &reader) {
            reader.awaits = None;
        }
        reader
    }

    fn assignment(&mut self, assignment: &Assignment, _for_command: bool) {
        let name = assignment.name.as_bytes();
        self.subscript(assignment.subscript.as_ref());
        let mut values = match &assignment.value {
            AssignmentValue::Scalar(word) => {
                self.inside(word);
                self.unsplit_values(word)
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
            self.named_by_variable(name, value);
        }
        if assignment.append {
            // What stood there, and what is appended.
            let before = self.variable(name);
            let is_list = assignment.is_list();
            values.extend(if is_list { before } else { vec![UNKNOWN.to_vec()] });
        }
        if values.is_empty() {
            values.push(Vec::new());
        }
        self.scan.set(name, &values);
    }

    /// What the value of a variable names: files, and code where the variable says what is run.
    pub(super) fn named_by_variable(&mut self, name: &[u8], value: &[u8]) {
        let is_of_code = names_code(name);
        self.files_in_value(value, if is_of_code { Use::Given } else { Use::Read });
        if name == b"PATH" {
            // `own_path` looks at it.
            return self.scan.set(name, &[value.to_vec()]);
        }
        if !is_of_code || value.is_empty() {
            return;
        }
        let shown = String::from_utf8_lossy(name).into_owned();
        if value.contains(&0) {
            return self.scan.uncertain(format!("the code that `{shown}` names"));
        }
        match name {
            // They are expanded, and the file is read.
            b"BASH_ENV" | b"ENV" => return self.code(&[b". \"", &escaped(value)[..], b"\""].concat()),
            b"PS0" | b"PS1" | b"PS2" | b"PS4" => return self.expanded(value),
            b"PYTHONSTARTUP" => return self.path(value, Use::Script(Language::Python)),
            b"GIT_ASKPASS" | b"SSH_ASKPASS" | b"SUDO_ASKPASS" | b"GIT_SSH" | b"SHELL" | b"BROWSER" => {
                return self.code(value);
            }
            b"LESS" | b"PYTHONINSPECT" | b"HISTFILE" => return,
            _ if holds_code(name) => return self.code(value),
            _ => {}
        }
        // Options, search paths, configurations: what they lead to in the project is not followed.
        const HARMLESS: [&[u8]; 12] = [
            b"--no-warnings",
            b"--no-deprecation",
            b"--trace-warnings",
            b"--enable-source-maps",
            b"ignore",
            b"default",
            b"error",
            b"always",
            b"module",
            b"once",
            b"0",
            b"1",
        ];
        let separators: &[u8] = if cfg!(windows) { b" \t;" } else { b" \t:;" };
        let is_outside = |piece: &[u8]| {
            let path = text::to_path(piece);
            path.is_absolute()
                && !self.scan.is_inside(&path)
                && !path.canonicalize().is_ok_and(|path| self.scan.is_inside(&path))
        };
        let is_understood = value.split(|byte| separators.contains(byte)).all(|piece| {
            piece.is_empty()
                || HARMLESS.contains(&piece)
                || piece.starts_with(b"--max-old-space-size=")
                || is_outside(piece)
        });
        // An empty piece of a search path is the working directory.
        let has_empty = value.starts_with(b":") || value.ends_with(b":") || value.windows(2).any(|pair| pair == b"::");
        if name == b"CDPATH" {
            let dirs: Vec<Values> = value.split(|byte| *byte == b':').map(|dir| vec![dir.to_vec()]).collect();
            self.change_dir(&dirs, &shown);
        }
        if !is_understood
            || has_empty
            || name.starts_with(b"GIT_CONFIG_") && name != b"GIT_CONFIG_GLOBAL" && name != b"GIT_CONFIG_SYSTEM"
        {
            self.scan.uncertain(format!("the code that `{shown}` names"));
        }
    }

    /// The code that stands in a text which is expanded.
    pub(super) fn expanded(&mut self, text: &[u8]) {
        self.code(&[b": \"", &escaped(text)[..], b"\""].concat());
    }

    /// The code that stands in a word.
    pub(super) fn inside(&mut self, word: &Word) {
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
                    self.inside_expansion(expansion);
                }
                WordPart::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
                WordPart::Brace(braces) => match &**braces {
                    BraceExpansion::Alternatives(alternatives) => {
                        alternatives.iter().for_each(|parts| self.inside_parts(parts));
                    }
                    BraceExpansion::Words { plain, words, .. } => {
                        self.inside_parts(plain);
                        words.iter().for_each(|parts| self.inside_parts(parts));
                    }
                    _ => {}
                },
                WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Tilde(_) => {}
            }
        }
    }

    fn inside_expansion(&mut self, expansion: &ParameterExpansion) {
        use ParameterOperation as Operation;
        if let Parameter::Element(_, subscript) = &expansion.parameter {
            self.subscript(Some(subscript));
        }
        let name = match &expansion.parameter {
            Parameter::Variable(name) | Parameter::Element(name, _) => Some(name.as_bytes().to_vec()),
            _ => None,
        };
        if expansion.indirect
            && let Some(name) = &name
        {
            // The name of what is expanded, which may have a subscript.
            let values = self.variable(name);
            if !matches!(expansion.operation, Operation::Names { .. } | Operation::Keys) {
                self.variable_names(&values);
            }
        }
        for operand in expansion.operation.operands() {
            match operand {
                Operand::Word(word) => self.inside(word),
                Operand::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
            }
        }
        match &expansion.operation {
            Operation::AssignDefault(_, word) => {
                if let Some(name) = name {
                    let values = self.unsplit_values(word);
                    values.iter().for_each(|value| self.named_by_variable(&name, value));
                    self.scan.set(&name, &values);
                }
            }
            // The value is expanded as a prompt.
            Operation::Transform(b'P') => {
                let values = name.as_ref().map(|name| self.variable(name)).unwrap_or_default();
                if !is_known(&values) {
                    let name = name.map(|name| String::from_utf8_lossy(&name).into_owned()).unwrap_or_default();
                    self.scan.uncertain(format!("the code in `${{{name}@P}}`"));
                }
                values.iter().for_each(|value| self.expanded(value));
            }
            _ => {}
        }
    }

    /// Redirections. Do they say where standard input comes from?
    fn redirections(&mut self, redirections: &[Redirection], reader: &Reader) -> bool {
        let mut is_input = false;
        for redirection in redirections {
            if let Some(RedirectionFd::Variable(name)) = &redirection.fd {
                self.scan.set(name.as_bytes(), &[NUMBER.to_vec()]);
            }
            let is_first = matches!(&redirection.fd, None | Some(RedirectionFd::Number(0)));
            match &redirection.kind {
                // `bash < x.sh`
                RedirectionKind::Read(word) | RedirectionKind::ReadWrite(word) => {
                    self.inside(word);
                    let values = self.values(word);
                    if !is_known(&values) && reader.awaits.is_some() {
                        let shown = self.shown(word);
                        self.unknown(&shown);
                    }
                    values.iter().for_each(|value| self.path(value, reader.input));
                    is_input |= is_first;
                }
                RedirectionKind::HereDocument(document) => {
                    if let Some(body) = document.body.get() {
                        self.inside(body);
                        let values = self.unsplit_values(body);
                        self.given_all(reader, &values);
                    }
                    is_input |= is_first;
                }
                RedirectionKind::HereString(word) => {
                    self.inside(word);
                    let values = self.unsplit_values(word);
                    self.given_all(reader, &values);
                    is_input |= is_first;
                }
                RedirectionKind::DuplicateInput(word) | RedirectionKind::DuplicateOutput(word) => {
                    self.inside(word);
                    let values = self.values(word);
                    let is_digits = |value: &Vec<u8>| value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
                    values.iter().filter(|value| !is_digits(value)).for_each(|value| self.writes(value));
                }
                RedirectionKind::Write(word)
                | RedirectionKind::Clobber(word)
                | RedirectionKind::Append(word)
                | RedirectionKind::WriteBoth(word)
                | RedirectionKind::AppendBoth(word) => {
                    self.inside(word);
                    self.values(word).iter().for_each(|value| self.writes(value));
                }
            }
        }
        is_input
    }

    /// Texts on standard input.
    fn given_all(&mut self, reader: &Reader, texts: &Values) {
        if let Some(name) = &reader.awaits
            && !is_known(texts)
        {
            self.scan.uncertain(format!("what `{name}` reads from its standard input"));
        }
        texts.iter().for_each(|text| self.given(reader, text));
    }

    fn given(&mut self, reader: &Reader, text: &[u8]) {
        match reader.input {
            Use::Shell => self.code(text),
            Use::Script(language) if reader.awaits.is_some() => self.foreign(language, text),
            Use::Script(_) | Use::Given | Use::Started => self.files_in_line(text, Use::Given),
            Use::Read => {}
        }
    }

    /// A text that is shell code. Who calls says that a part of it is unknown.
    pub(super) fn code(&mut self, code: &[u8]) {
        if code.iter().all(|byte| *byte == 0) {
            return;
        }
        if self.scan.depth >= super::DEPTH_LIMIT {
            return self.scan.uncertain(String::from_utf8_lossy(code).into_owned());
        }
        self.scan.depth += 1;
        let mut inner = Source { scan: &mut *self.scan, scripts: self.scripts.clone(), text: Vec::new() };
        inner.read(code);
        self.scan.depth -= 1;
    }

    /// Files of a value that may be a list: of paths, of options.
    pub(super) fn files_in_value(&mut self, value: &[u8], named: Use) {
        self.path(value, named);
        let separators: &[u8] = if cfg!(windows) { b"\0 \t;=," } else { b"\0 \t:;=," };
        for piece in value.split(|byte| separators.contains(byte)).filter(|piece| piece.len() < value.len()) {
            self.path(piece, named);
        }
    }

    /// Files of a command line in another language: `node hooks\y.js && call "x.cmd"`.
    pub(super) fn files_in_line(&mut self, line: &[u8], named: Use) {
        let separates = |byte: &u8| b"\0 \t\n;&|<>()[]{}=,@'\"`!".contains(byte);
        for piece in line.split(separates).filter(|piece| piece.len() < line.len()) {
            self.path(piece, named);
        }
    }

    /// The directories that a word has not been looked up in.
    fn new_dirs(&mut self, word: &[u8], named: Use) -> Vec<PathBuf> {
        let scan = &mut *self.scan;
        let dirs = scan.dirs.clone();
        dirs.into_iter().filter(|dir| scan.is_new(dir, word, named)).collect()
    }

    /// A word that may be a path: the files that it names.
    pub(super) fn path(&mut self, value: &[u8], named: Use) {
        if value.is_empty() || value == b"." || value.contains(&b'\n') || value.len() > 4096 {
            return;
        }
        if value.contains(&0) {
            // What is known of it may be the end of a path: `"$DIR"/hooks/x.sh`.
            if named != Use::Read {
                for piece in value.split(|byte| matches!(byte, 0 | b' ' | b'\t')) {
                    let piece = piece.strip_prefix(b"/").unwrap_or(piece);
                    if !piece.is_empty() && piece != b"#" {
                        self.path(piece, Use::Given);
                    }
                }
            }
            return;
        }
        let platform = Platform::HOST;
        for dir in self.new_dirs(value, named) {
            let search = Search { platform, path: OsStr::new(""), env: self.scan.surroundings.env, cwd: &dir };
            // On Windows what has no such file may still be a script's name without its extension.
            let path = search.file(value).unwrap_or_else(|| search.absolute(value));
            self.scan.file(&path, named);
            // `node ./guard` is guard.js, `node ./dir` its index.js, `python3 dir` its __main__.py.
            if named != Use::Read && !path.is_file() && named.is_code() {
                for extension in ["js", "cjs", "mjs", "json", "ts", "node"] {
                    let mut longer = path.clone().into_os_string();
                    longer.push(".");
                    longer.push(extension);
                    self.scan.file(Path::new(&longer), named);
                    self.scan.file(&path.with_extension(extension), named);
                }
                for name in ["package.json", "index.js", "index.cjs", "index.mjs", "__main__.py", "__init__.py"] {
                    self.scan.file(&path.join(name), named);
                }
            }
        }
    }

    /// What the hook itself writes.
    pub(super) fn writes(&mut self, value: &[u8]) {
        if value.is_empty() || value.contains(&0) || value.starts_with(b"/dev/") {
            return;
        }
        for dir in self.scan.dirs.clone() {
            self.scan.writes(&dir.join(text::to_path(value)));
        }
    }

    /// A name that PATH leads to. Is it a file of the project?
    pub(super) fn program(&mut self, name: &[u8], named: Use) -> bool {
        if name.is_empty() || name.contains(&0) {
            return false;
        }
        let mut paths = vec![self.scan.variable(b"PATH").unwrap_or_default()];
        // `PATH=$PWD/bin:$PATH`
        if let Some(own) = self.scan.variables.get(&b"PATH"[..]).cloned() {
            if !is_known(&own) {
                self.scan.uncertain("the programs of a PATH that is only known when it runs".to_owned());
            }
            paths.extend(own);
        }
        let key = (name.to_vec(), named, self.scan.dirs.len(), paths.len());
        if let Some(is_of_project) = self.scan.pass.programs.get(&key) {
            return *is_of_project;
        }
        if !self.scan.may_look_up() {
            return false;
        }
        let dirs = self.scan.dirs.clone();
        let mut is_of_project = false;
        for path in paths {
            is_of_project |= self.program_in(&dirs, name, &path, named);
        }
        self.scan.pass.programs.insert(key, is_of_project);
        is_of_project
    }

    fn program_in(&mut self, dirs: &[PathBuf], name: &[u8], path: &[u8], named: Use) -> bool {
        let mut found_one = false;
        for entry in path.split(|byte| if cfg!(windows) { *byte == b';' } else { *byte == b':' }) {
            // What lies outside of the project is not the project's, and need not be looked at.
            let entry = text::to_path(entry).into_owned();
            for dir in dirs {
                let place = dir.join(&entry);
                let is_near =
                    self.scan.is_inside(&place) || place.canonicalize().is_ok_and(|place| self.scan.is_inside(&place));
                if !is_near || entry.is_absolute() && Some(dir) != dirs.first() {
                    continue;
                }
                let search = Search {
                    platform: Platform::HOST,
                    path: place.as_os_str(),
                    env: self.scan.surroundings.env,
                    cwd: dir,
                };
                // A sourced file needs no x bit, and what has none may get one.
                let file = Some(place.join(text::to_path(name))).filter(|path| path.is_file());
                let file = file.or_else(|| search.program(name).ok().map(|found| found.path));
                if let Some(file) = file {
                    found_one = true;
                    self.scan.file(&file, named);
                }
            }
        }
        found_one
    }

    pub(super) fn module(&mut self, name: &[u8]) {
        let path = name.iter().map(|byte| if *byte == b'.' { b'/' } else { *byte }).collect::<Vec<u8>>();
        for end in [&b".py"[..], b"/__init__.py", b"/__main__.py"] {
            self.path(&[&path, end].concat(), Use::Script(Language::Python));
        }
        // The packages that it lies in are run first.
        let mut package = &path[..];
        while let Some(at) = package.iter().rposition(|byte| *byte == b'/') {
            package = package.get(..at).unwrap_or_default();
            self.path(&[package, b"/__init__.py"].concat(), Use::Script(Language::Python));
        }
    }

    /// `cd`, `env -C`, `git -C`: where relative paths may start from now on.
    pub(super) fn change_dir(&mut self, operands: &[Values], shown: &str) {
        for values in operands {
            if !is_known(values) {
                self.unknown(shown);
            }
            for value in values.iter().filter(|value| !value.contains(&0) && *value != b"-") {
                for dir in self.scan.dirs.clone() {
                    let joined = dir.join(text::to_path(value));
                    // The shell's own `..` goes back the way it came, the system's to where a link's target lies.
                    for dir in [lexically(&joined), joined] {
                        // What is not there is of interest where the hook itself makes it.
                        let dir = match dir.canonicalize() {
                            Ok(dir) if dir.is_dir() => dir,
                            Ok(_) => continue,
                            Err(_)
                                if self
                                    .scan
                                    .written
                                    .iter()
                                    .any(|written| dir.starts_with(written) || written.starts_with(&dir)) =>
                            {
                                dir
                            }
                            Err(_) => continue,
                        };
                        let is_same =
                            |known: &PathBuf| *known == dir || known.canonicalize().is_ok_and(|known| known == dir);
                        if self.scan.dirs.iter().any(is_same) {
                            continue;
                        }
                        if self.scan.dirs.len() >= DIRS_LIMIT {
                            self.scan.uncertain("what is named relative to a directory (too many of them)".to_owned());
                            return;
                        }
                        self.scan.dirs.push(dir);
                    }
                }
            }
        }
    }

    /// A word that is only known when it runs, where it says what is run.
    pub(super) fn unknown(&mut self, shown: &str) {
        if shown.is_empty() || shown.contains("${_}") {
            return;
        }
        let place = self.scripts.first().map(|script| format!(" in {}", script.display())).unwrap_or_default();
        self.scan.uncertain(format!("{shown}{place}"));
    }
}

/// A text as it stands in double quotes, expansions and all.
fn escaped(text: &[u8]) -> Vec<u8> {
    text.iter().flat_map(|byte| if *byte == b'"' { vec![b'\\', b'"'] } else { vec![*byte] }).collect()
}
