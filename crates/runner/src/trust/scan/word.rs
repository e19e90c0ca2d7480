//! What a word may become, where that is known before it runs.

use std::path::Path;

use hookshell_process::text;
use hookshell_syntax::ast::{
    Argument, BraceExpansion, Command, CommandSubstitution, List, MatchLength, Parameter, ParameterExpansion,
    ParameterOperation, SimpleCommand, Word, WordPart,
};

use super::source::Source;

/// How many values of a word are followed. A word with more counts as unknown.
pub(super) const VALUES_LIMIT: usize = 16;

/// How many bytes a value may have. A longer one counts as unknown: `b=$a$a c=$b$b …` doubles with every name.
const LENGTH_LIMIT: usize = 64 * 1024;

/// The possible values; none: unknown.
pub(super) type Values = Vec<Vec<u8>>;

impl Source<'_, '_> {
    /// What a word may become; empty where it is only known when it runs. A word with a pattern that is not quoted is such
    /// a word.
    pub(super) fn values(&self, word: &Word) -> Values {
        match &word.parts[..] {
            // The command of that name, and no pattern.
            [WordPart::Literal(text)] if text.as_slice() == b"[" => vec![b"[".to_vec()],
            parts => self.parts(parts, false),
        }
    }

    fn parts(&self, parts: &[WordPart], quoted: bool) -> Values {
        let mut values: Values = vec![Vec::new()];
        for part in parts {
            let more = self.part(part, quoted);
            if more.is_empty() || values.len() * more.len() > VALUES_LIMIT {
                return Vec::new();
            }
            let longest = |values: &Values| values.iter().map(Vec::len).max().unwrap_or(0);
            if longest(&values) + longest(&more) > LENGTH_LIMIT {
                return Vec::new();
            }
            values = values.iter().flat_map(|start| more.iter().map(|end| [&start[..], &end[..]].concat())).collect();
        }
        values
    }

    fn part(&self, part: &WordPart, quoted: bool) -> Values {
        match part {
            WordPart::Literal(text) if !quoted && text.iter().any(|byte| b"*?[".contains(byte)) => Vec::new(),
            WordPart::Literal(text) | WordPart::Quoted(text) => vec![text.to_vec()],
            WordPart::DoubleQuoted(parts) => self.parts(parts, true),
            WordPart::Parameter(expansion) | WordPart::QuotedParameter(expansion) => self.parameter(expansion),
            WordPart::CommandSubstitution(substitution) => self.substitution(substitution),
            WordPart::Tilde(user) if user.is_empty() => self.scan.variable(b"HOME").into_iter().collect(),
            WordPart::Brace(brace) => match &**brace {
                BraceExpansion::Alternatives(list) => {
                    let values: Vec<Values> = list.iter().map(|parts| self.parts(parts, quoted)).collect();
                    if values.iter().any(Vec::is_empty) { Vec::new() } else { values.concat() }
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn parameter(&self, expansion: &ParameterExpansion) -> Values {
        if expansion.indirect {
            return Vec::new();
        }
        let values = match &expansion.parameter {
            Parameter::Variable(name) => self.variable(name.as_bytes()),
            // `${BASH_SOURCE[0]}`
            Parameter::Element(name, _) => self.variable(name.as_bytes()),
            Parameter::Zero => self.zero(),
            _ => Vec::new(),
        };
        match &expansion.operation {
            ParameterOperation::None => values,
            ParameterOperation::UseDefault(_, word) | ParameterOperation::AssignDefault(_, word) => {
                [values, self.values(word)].concat()
            }
            ParameterOperation::ErrorIfUnset(..) => values,
            // `${0%/*}`
            ParameterOperation::RemoveSuffix(MatchLength::Shortest, word) if is_literal(word, b"/*") => {
                values.iter().map(|value| parent(value)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn variable(&self, name: &[u8]) -> Values {
        match name {
            b"BASH_SOURCE" => self.zero(),
            _ => match self.variables.get(name) {
                Some(values) => values.clone(),
                None => self.scan.variable(name).into_iter().collect(),
            },
        }
    }

    /// `$0`
    fn zero(&self) -> Values {
        self.script.iter().map(|path| text::from_path(path).into_owned()).collect()
    }

    /// The output of the few commands that hooks find their folder with.
    fn substitution(&self, substitution: &CommandSubstitution) -> Values {
        substitution.body.as_ref().map_or_else(|_| Vec::new(), |list| self.output(list))
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
        let mut folders: Values = vec![text::from_path(&self.scan.cwd).into_owned()];
        for command in before {
            match self.plain(command).split_first() {
                Some((name, operands)) if is(name, "cd") => {
                    let [operand] = &operands.iter().filter(|values| !is_option(values)).collect::<Vec<_>>()[..] else {
                        return Vec::new();
                    };
                    folders = self.joined(&folders, operand);
                }
                _ => return Vec::new(),
            }
        }
        let words = self.plain(last);
        let Some((name, operands)) = words.split_first() else { return Vec::new() };
        let operands: Vec<&Values> = operands.iter().filter(|values| !is_option(values)).collect();
        match operands.as_slice() {
            [] if is(name, "pwd") => folders,
            [path] if is(name, "dirname") => path.iter().map(|path| parent(path)).collect(),
            [path] if is(name, "realpath") || is(name, "readlink") => self.joined(&folders, path),
            [what] if is(name, "git") && is(what, "rev-parse") => {
                vec![text::from_path(&self.scan.repository()).into_owned()]
            }
            [text] if is(name, "echo") => (*text).clone(),
            _ => Vec::new(),
        }
    }

    fn joined(&self, folders: &Values, paths: &Values) -> Values {
        let join = |folder: &Vec<u8>, path: &Vec<u8>| {
            text::from_path(&text::to_path(folder).join(text::to_path(path))).into_owned()
        };
        let all: Values = folders.iter().flat_map(|folder| paths.iter().map(|path| join(folder, path))).collect();
        if all.len() > VALUES_LIMIT { Vec::new() } else { all }
    }

    /// The words of a simple command.
    fn plain(&self, command: &SimpleCommand) -> Vec<Values> {
        let words = command.arguments.iter().map(|argument| match argument {
            Argument::Word(word) => self.values(word),
            Argument::Assignment(_) => Vec::new(),
        });
        words.collect()
    }
}

fn is(values: &Values, word: &str) -> bool {
    matches!(values.as_slice(), [value] if value == word.as_bytes())
}

fn is_option(values: &Values) -> bool {
    matches!(values.as_slice(), [value] if value.starts_with(b"-"))
}

fn is_literal(word: &Word, text: &[u8]) -> bool {
    matches!(word.parts.as_slice(), [WordPart::Literal(literal)] if &**literal == text)
}

/// The folder of a path, as `dirname` has it.
fn parent(path: &[u8]) -> Vec<u8> {
    match text::to_path(path).parent() {
        Some(folder) if folder == Path::new("") => b".".to_vec(),
        Some(folder) => text::from_path(folder).into_owned(),
        None => path.to_vec(),
    }
}
