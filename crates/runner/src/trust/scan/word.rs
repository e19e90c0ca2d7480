//! What a word may become, where that is known before it runs.

use std::path::Path;

use hookshell_process::text;
use hookshell_syntax::ast::{
    AndOr, AndOrOp, Argument, BraceExpansion, Command, CommandSubstitution, List, MatchLength, Parameter,
    ParameterExpansion, ParameterOperation, SimpleCommand, Word, WordPart,
};

use super::names::{DYNAMIC, NUMBERS, stem};
use super::source::Source;
use crate::dialect::Dialect;

/// How many values of a word are followed. A word with more counts as unknown.
pub(super) const VALUES_LIMIT: usize = 16;

/// How many bytes a value may have. A longer one counts as unknown: `b=$a$a c=$b$b …` doubles with every name.
const LENGTH_LIMIT: usize = 64 * 1024;

/// The possible values, at least one; a part that is only known when it runs is [`UNKNOWN`] in them.
pub(super) type Values = Vec<Vec<u8>>;

/// Stands in a value for what is only known when it runs. No path and no argument holds a NUL.
pub(super) const UNKNOWN: &[u8] = b"\0";

/// Stands for a number that is only known when it runs.
pub(super) const NUMBER: &[u8] = b"\0#";

/// Is all of it known?
pub(super) fn is_known(values: &Values) -> bool {
    !values.is_empty() && !values.iter().any(|value| value.contains(&0))
}

/// A value, or [`UNKNOWN`] where there is none.
pub(super) fn or_unknown(values: Values) -> Values {
    if values.is_empty() { vec![UNKNOWN.to_vec()] } else { values }
}

impl Source<'_, '_> {
    /// What a word may become. A pattern that is not quoted is unknown.
    pub(super) fn values(&self, word: &Word) -> Values {
        match &word.parts[..] {
            // The command of that name, and no pattern.
            [WordPart::Literal(text)] if text.as_slice() == b"[" => vec![b"[".to_vec()],
            parts => self.parts(parts, false),
        }
    }

    /// What a word may become that is neither split nor taken for a pattern: what is assigned.
    pub(super) fn unsplit_values(&self, word: &Word) -> Values {
        self.parts(&word.parts, true)
    }

    fn parts(&self, parts: &[WordPart], quoted: bool) -> Values {
        let mut values: Values = vec![Vec::new()];
        for part in parts {
            let mut more = or_unknown(self.part(part, quoted));
            let longest = |values: &Values| values.iter().map(Vec::len).max().unwrap_or(0);
            if values.len() * more.len() > VALUES_LIMIT || longest(&values) + longest(&more) > LENGTH_LIMIT {
                // What is known of it so far is not followed either.
                if values.len() > 1 || longest(&values) > LENGTH_LIMIT / 2 {
                    return vec![UNKNOWN.to_vec()];
                }
                more = vec![UNKNOWN.to_vec()];
            }
            values = values.iter().flat_map(|start| more.iter().map(|end| [&start[..], &end[..]].concat())).collect();
        }
        values
    }

    pub(super) fn part(&self, part: &WordPart, quoted: bool) -> Values {
        match part {
            WordPart::Literal(text) if !quoted && text.iter().any(|byte| b"*?[".contains(byte)) => {
                vec![[text.as_slice(), UNKNOWN].concat()]
            }
            WordPart::Literal(text) | WordPart::Quoted(text) => vec![text.to_vec()],
            WordPart::DoubleQuoted(parts) => self.parts(parts, true),
            WordPart::QuotedParameter(expansion) => self.parameter(expansion),
            WordPart::Parameter(expansion) => self.split(self.parameter(expansion), quoted),
            WordPart::CommandSubstitution(substitution) => self.split(self.substitution(substitution), quoted),
            WordPart::Arithmetic(_) => vec![NUMBER.to_vec()],
            WordPart::Tilde(user) => match &user[..] {
                b"" => self.scan.variable(b"HOME").into_iter().collect(),
                b"+" | b"-" => self.dirs(),
                _ => Vec::new(),
            },
            WordPart::Brace(brace) => match &**brace {
                BraceExpansion::Alternatives(list) => {
                    list.iter().flat_map(|parts| self.parts(parts, quoted)).take(VALUES_LIMIT + 1).collect()
                }
                _ => Vec::new(),
            },
            WordPart::ProcessSubstitution(_) => Vec::new(),
        }
    }

    /// What an expansion becomes that is not quoted: where it would be split, or is a pattern, its words are not told apart.
    fn split(&self, values: Values, quoted: bool) -> Values {
        if quoted {
            return values;
        }
        let own_separators =
            self.scan.variables.get(&b"IFS"[..]).is_some_and(|all| all.iter().any(|own| !own.trim_ascii().is_empty()))
                || self.scan.own.iter().any(|(name, _)| name == "IFS");
        let is_split = |value: &[u8]| own_separators || value.iter().any(|byte| b" \t\n*?[".contains(byte));
        let values = values.into_iter().map(|value| match is_split(&value) && !value.contains(&0) {
            true => [&value, UNKNOWN].concat(),
            false => value,
        });
        values.collect()
    }

    fn parameter(&self, expansion: &ParameterExpansion) -> Values {
        if matches!(expansion.operation, ParameterOperation::Length) {
            return vec![NUMBER.to_vec()];
        }
        if expansion.indirect {
            return Vec::new();
        }
        let values = match &expansion.parameter {
            Parameter::Variable(name) => self.variable(name.as_bytes()),
            // `${BASH_SOURCE[0]}`
            Parameter::Element(name, _) => self.variable(name.as_bytes()),
            Parameter::Zero => self.zero(),
            Parameter::Count | Parameter::Status | Parameter::ProcessId | Parameter::BackgroundId => {
                vec![NUMBER.to_vec()]
            }
            _ => vec![UNKNOWN.to_vec()],
        };
        match &expansion.operation {
            ParameterOperation::None | ParameterOperation::ErrorIfUnset(..) => values,
            ParameterOperation::UseDefault(_, word) | ParameterOperation::AssignDefault(_, word) => {
                let mut all = values;
                for value in self.unsplit_values(word) {
                    if !all.contains(&value) {
                        all.push(value);
                    }
                }
                // What the variable is when it is empty.
                if all.len() > 1 {
                    all.retain(|value| !value.is_empty());
                }
                all
            }
            ParameterOperation::UseAlternative(_, word) => {
                std::iter::once(Vec::new()).chain(self.unsplit_values(word)).collect()
            }
            // `${0%/*}`
            ParameterOperation::RemoveSuffix(MatchLength::Shortest, word)
                if is_literal(word, b"/*") && is_known(&values) =>
            {
                values.iter().map(|value| parent(value)).collect()
            }
            // `${0##*/}`
            ParameterOperation::RemovePrefix(MatchLength::Longest, word)
                if is_literal(word, b"*/") && is_known(&values) =>
            {
                let last = |value: &Vec<u8>| value.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec();
                values.iter().map(last).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The values of a variable; none where nothing is known of it, as far as it is seen not even that it is set.
    pub(super) fn variable(&self, name: &[u8]) -> Values {
        match name {
            b"BASH_SOURCE" => return self.zero(),
            b"PWD" | b"OLDPWD" => return self.dirs(),
            _ => {}
        }
        if NUMBERS.contains(&name) {
            return vec![NUMBER.to_vec()];
        }
        if DYNAMIC.contains(&name) {
            return vec![UNKNOWN.to_vec()];
        }
        let mut values = self.scan.variables.get(name).cloned().unwrap_or_default();
        match self.scan.variable(name) {
            Some(value) if !values.contains(&value) => values.push(value),
            None if is_of_event(name) => values.push(UNKNOWN.to_vec()),
            _ => {}
        }
        values
    }

    /// Where the code may be.
    pub(super) fn dirs(&self) -> Values {
        self.scan.dirs.iter().map(|dir| text::from_path(dir).into_owned()).collect()
    }

    /// `$0`: of the script, and of those that source it.
    fn zero(&self) -> Values {
        self.scripts.iter().map(|path| text::from_path(path).into_owned()).collect()
    }

    /// The output of the few commands that hooks find their directory with.
    fn substitution(&self, substitution: &CommandSubstitution) -> Values {
        match &substitution.body {
            Ok(list) if self.is_number(list) => vec![NUMBER.to_vec()],
            Ok(list) => self.output(list),
            Err(_) => Vec::new(),
        }
    }

    /// Is the output a number, whatever happens?
    fn is_number(&self, list: &List) -> bool {
        let is_numeric = |and_or: &AndOr| {
            std::iter::once(&and_or.first).chain(and_or.rest.iter().map(|(_, next)| next)).all(|pipeline| {
                let Some(Command::Simple(command)) = pipeline.stages.last().map(|stage| &stage.command) else {
                    return false;
                };
                let words = self.plain(command);
                let Some((name, operands)) = words.split_first().filter(|_| words.iter().all(is_known)) else {
                    return false;
                };
                let has = |option: &str| operands.iter().any(|operand| is(operand, option));
                let [name] = name.as_slice() else { return false };
                if self.scan.functions.contains(name) || self.scan.aliases.contains(name) {
                    return false;
                }
                match &*stem(name) {
                    "wc" => ["-l", "-c", "-w", "-m"].iter().any(|option| has(option)) && operands.len() == 1,
                    "seq" | "nproc" | "true" | ":" => true,
                    "date" => {
                        operands.iter().any(|operand| is(operand, "+%s") || is(operand, "+%s%N") || is(operand, "+%H"))
                    }
                    "grep" => {
                        operands.iter().flatten().any(|option| {
                            option.starts_with(b"-") && !option.starts_with(b"--") && option.contains(&b'c')
                        }) && operands.iter().filter(|operand| !is_option(operand)).count() <= 2
                    }
                    "tr" => has("-cd") && (has("0-9") || has("[:digit:]")),
                    "stat" => has("%Y") || has("%m") || has("%s") || has("%z"),
                    "echo" => operands.iter().flatten().all(|value| value.iter().all(u8::is_ascii_digit)),
                    _ => false,
                }
            })
        };
        !list.items.is_empty() && list.items.iter().all(|item| is_numeric(&item.and_or))
    }

    fn output(&self, list: &List) -> Values {
        let mut commands = Vec::new();
        for item in &list.items {
            let pipelines = std::iter::once(&item.and_or.first).chain(item.and_or.rest.iter().map(|(_, next)| next));
            for pipeline in pipelines {
                let [stage] = pipeline.stages.as_slice() else { return Vec::new() };
                let Command::Simple(command) = &stage.command else { return Vec::new() };
                commands.push(command);
            }
        }
        let Some((last, before)) = commands.split_last() else { return Vec::new() };
        let mut dirs: Values = self.dirs();
        // `top=$(git rev-parse --show-toplevel || pwd)`
        if let ([item], [first]) = (&list.items[..], before)
            && let [(AndOrOp::Or, _)] = &item.and_or.rest[..]
        {
            let both = [self.simple_output(first, &dirs), self.simple_output(last, &dirs)];
            return if both.iter().any(Vec::is_empty) { Vec::new() } else { both.concat() };
        }
        for command in before {
            match self.plain(command).split_first() {
                Some((name, operands)) if is(name, "cd") => {
                    let [operand] = &operands.iter().filter(|values| !is_option(values)).collect::<Vec<_>>()[..] else {
                        return Vec::new();
                    };
                    if !is_known(operand) {
                        return Vec::new();
                    }
                    dirs = self.joined(&dirs, operand);
                }
                _ => return Vec::new(),
            }
        }
        self.simple_output(last, &dirs)
    }

    fn simple_output(&self, command: &SimpleCommand, dirs: &Values) -> Values {
        let words = self.plain(command);
        let Some((name, operands)) = words.split_first() else { return Vec::new() };
        let [program] = name.as_slice() else { return Vec::new() };
        if self.scan.functions.contains(program) || self.scan.aliases.contains(program) {
            return Vec::new();
        }
        let options: Vec<&Values> = operands.iter().filter(|values| is_option(values)).collect();
        let operands: Vec<&Values> = operands.iter().filter(|values| !is_option(values)).collect();
        if operands.iter().any(|operand| !is_known(operand)) {
            return Vec::new();
        }
        match operands.as_slice() {
            [] if is(name, "pwd") => dirs.clone(),
            [path] if is(name, "dirname") => path.iter().map(|path| parent(path)).collect(),
            [path] if is(name, "realpath") || is(name, "readlink") => self.joined(dirs, path),
            [what]
                if is(name, "git")
                    && is(what, "rev-parse")
                    && matches!(options[..], [option] if is(option, "--show-toplevel")) =>
            {
                let mut all: Values = dirs
                    .iter()
                    .map(|dir| text::from_path(&self.scan.repository(&text::to_path(dir))).into_owned())
                    .collect();
                all.dedup();
                all
            }
            [text] if is(name, "echo") && options.is_empty() && !text.iter().any(|text| text.contains(&b'\\')) => {
                (*text).clone()
            }
            _ => Vec::new(),
        }
    }

    fn joined(&self, dirs: &Values, paths: &Values) -> Values {
        let join =
            |dir: &Vec<u8>, path: &Vec<u8>| text::from_path(&text::to_path(dir).join(text::to_path(path))).into_owned();
        let all: Values = dirs.iter().flat_map(|dir| paths.iter().map(|path| join(dir, path))).collect();
        if all.len() > VALUES_LIMIT { Vec::new() } else { all }
    }

    /// The words of a simple command.
    fn plain(&self, command: &SimpleCommand) -> Vec<Values> {
        let words = command.arguments.iter().map(|argument| match argument {
            Argument::Word(word) => self.values(word),
            Argument::Assignment(_) => vec![UNKNOWN.to_vec()],
        });
        words.collect()
    }
}

/// A variable that the event sets, so that it is another one each time.
fn is_of_event(name: &[u8]) -> bool {
    let is_agents = |agent: Dialect| name.starts_with(agent.contract().variable_prefix().as_bytes());
    name.starts_with(b"HOOKSHELL_") || Dialect::ALL.into_iter().any(is_agents)
}

pub(super) fn is(values: &Values, word: &str) -> bool {
    matches!(values.as_slice(), [value] if value == word.as_bytes())
}

fn is_option(values: &Values) -> bool {
    matches!(values.as_slice(), [value] if value.starts_with(b"-"))
}

fn is_literal(word: &Word, text: &[u8]) -> bool {
    matches!(word.parts.as_slice(), [WordPart::Literal(literal)] if &**literal == text)
}

/// The directory of a path, as `dirname` has it.
fn parent(path: &[u8]) -> Vec<u8> {
    match text::to_path(path).parent() {
        Some(dir) if dir == Path::new("") => b".".to_vec(),
        Some(dir) => text::from_path(dir).into_owned(),
        None => path.to_vec(),
    }
}
