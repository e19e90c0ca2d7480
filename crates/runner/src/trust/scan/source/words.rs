//! What the words, assignments and redirections of a command lead to.

use hookshell_process::text;
use hookshell_syntax::Operand;
use hookshell_syntax::ast::{
    Assignment, AssignmentValue, BraceExpansion, Parameter, ParameterExpansion, ParameterOperation, Redirection,
    RedirectionFd, RedirectionKind, Word, WordPart,
};

use super::Source;
use crate::trust::scan::Use;
use crate::trust::scan::command::Reader;
use crate::trust::scan::names::{Language, holds_code, names_code};
use crate::trust::scan::word::{NUMBER, UNKNOWN, Values, is_known};

impl Source<'_, '_> {
    pub(super) fn assignment(&mut self, assignment: &Assignment, _for_command: bool) {
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
    pub(in crate::trust::scan) fn named_by_variable(&mut self, name: &[u8], value: &[u8]) {
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
    pub(in crate::trust::scan) fn expanded(&mut self, text: &[u8]) {
        self.code(&[b": \"", &escaped(text)[..], b"\""].concat());
    }

    /// The code that stands in a word.
    pub(in crate::trust::scan) fn inside(&mut self, word: &Word) {
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
    pub(super) fn redirections(&mut self, redirections: &[Redirection], reader: &Reader) -> bool {
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

    pub(super) fn given(&mut self, reader: &Reader, text: &[u8]) {
        match reader.input {
            Use::Shell => self.code(text),
            Use::Script(language) if reader.awaits.is_some() => self.foreign(language, text),
            Use::Script(_) | Use::Given | Use::Started => self.files_in_line(text, Use::Given),
            Use::Read => {}
        }
    }

    /// A text that is shell code. Who calls says that a part of it is unknown.
    pub(in crate::trust::scan) fn code(&mut self, code: &[u8]) {
        if code.iter().all(|byte| *byte == 0) {
            return;
        }
        if self.scan.depth >= crate::trust::scan::DEPTH_LIMIT {
            return self.scan.uncertain(String::from_utf8_lossy(code).into_owned());
        }
        self.scan.depth += 1;
        let mut inner = Source { scan: &mut *self.scan, scripts: self.scripts.clone(), text: Vec::new() };
        inner.read(code);
        self.scan.depth -= 1;
    }
}

/// A text as it stands in double quotes, expansions and all.
fn escaped(text: &[u8]) -> Vec<u8> {
    text.iter().flat_map(|byte| if *byte == b'"' { vec![b'\\', b'"'] } else { vec![*byte] }).collect()
}
