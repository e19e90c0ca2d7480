//! What of bash's a POSIX shell refuses, or takes for something else and so reports nothing: to it `[[` is a command's name.

mod commands;

use std::collections::HashSet;

use hookshell_syntax::ast::{
    Argument, Arithmetic, ArithmeticExpression, Assignment, AssignmentValue, BinaryOperator, BraceExpansion,
    CaseTerminator, Command, Compound, List, Parameter, ParameterExpansion, ParameterOperation, Redirection,
    RedirectionFd, RedirectionKind, SimpleCommand, Word, WordPart,
};
use hookshell_syntax::{Program, Span};

/// Variables that bash sets and a POSIX shell does not. (Not those by which a script asks which shell it runs in.)
const VARIABLES: [&str; 18] = [
    "BASHPID",
    "BASH_COMMAND",
    "BASH_REMATCH",
    "BASH_SOURCE",
    "BASH_VERSINFO",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "HOSTNAME",
    "HOSTTYPE",
    "MACHTYPE",
    "OSTYPE",
    "PIPESTATUS",
    "RANDOM",
    "SECONDS",
    "UID",
];

/// What is in POSIX since 2024 and not yet in every shell, dash among them.
const SINCE_2024: &str = "is in POSIX only since 2024, and not in every sh";

/// What in a program not every POSIX shell knows: where each begins, and what it is, in their order. Each is said once for a line.
pub(super) fn all(program: &Program) -> Vec<(usize, String)> {
    let mut finder = Finder { source: &program.source, ..Finder::default() };
    program.units.iter().for_each(|unit| finder.list(&unit.list));
    let Finder { mut found, functions, assigned, asks_for_options, .. } = finder;
    found.retain(|found| match &found.what {
        What::Command(name) => !functions.contains(name.as_bytes()),
        What::Variable(name) => !assigned.contains(name.as_bytes()),
        What::Option => !asks_for_options,
        What::Other => true,
    });
    found.sort_by_key(|found| found.span.start);
    let mut said = HashSet::new();
    found.retain(|found| said.insert((found.span.line, found.message.clone())));
    found.into_iter().map(|found| (usize::try_from(found.span.start).unwrap_or_default(), found.message)).collect()
}

struct Found {
    span: Span,
    what: What,
    message: String,
}

/// What the whole program decides whether it counts.
enum What {
    /// A built-in, unless the script has a function of the name.
    Command(&'static str),
    /// A variable, unless the script sets it itself.
    Variable(&'static str),
    /// `set -o NAME`, unless the script tries it out, or lists what there is, in a subshell.
    Option,
    Other,
}

#[derive(Default)]
struct Finder<'p> {
    source: &'p [u8],
    found: Vec<Found>,
    functions: HashSet<Vec<u8>>,
    assigned: HashSet<Vec<u8>>,
    is_in_subshell: bool,
    asks_for_options: bool,
}

impl Finder<'_> {
    /// Something that POSIX does not have, as it is written.
    fn written(&mut self, span: Span, text: &str) {
        self.other(span, format!("`{text}` is not in POSIX"));
    }

    fn other(&mut self, span: Span, message: String) {
        self.found.push(Found { span, what: What::Other, message });
    }

    fn list(&mut self, list: &List) {
        for item in &list.items {
            for pipeline in super::walk::pipelines(&item.and_or) {
                for stage in &pipeline.stages {
                    self.command(&stage.command);
                    if stage.pipe_stderr {
                        self.written(item.span, "|&");
                    }
                }
            }
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => {
                self.compound(&compound.kind, compound.span);
                compound.redirections.iter().for_each(|redirection| self.redirection(redirection));
            }
            Command::Function(function) => {
                self.functions.insert(function.name.as_bytes().to_vec());
                if function.keyword {
                    self.written(function.span, "function");
                }
                self.compound(&function.body.kind, function.body.span);
                function.body.redirections.iter().for_each(|redirection| self.redirection(redirection));
            }
        }
    }

    fn compound(&mut self, compound: &Compound, span: Span) {
        let was_in_subshell = self.is_in_subshell;
        match compound {
            // What is in it bash alone reads: to name it would add nothing.
            Compound::Condition(_) => return self.written(span, "[["),
            Compound::Arithmetic(_) | Compound::ArithmeticFor(_) => self.written(span, "(("),
            Compound::Select(_) => self.written(span, "select"),
            Compound::Coprocess(_) => self.written(span, "coproc"),
            Compound::For(clause) => {
                self.assigned.insert(clause.name.as_bytes().to_vec());
                for word in clause.words.iter().flatten() {
                    self.word(word);
                    self.pattern(word);
                }
            }
            Compound::Case(clause) => {
                self.word(&clause.subject);
                for item in &clause.items {
                    for pattern in &item.patterns {
                        self.word(pattern);
                        self.pattern(pattern);
                    }
                    let at = item.patterns.first().map_or(span, |pattern| pattern.span);
                    match item.terminator {
                        CaseTerminator::Break => {}
                        CaseTerminator::FallThrough => self.other(at, format!("`;&` {SINCE_2024}")),
                        CaseTerminator::Continue => self.written(at, ";;&"),
                    }
                }
            }
            Compound::Subshell(_) => self.is_in_subshell = true,
            _ => {}
        }
        compound.lists().into_iter().for_each(|list| self.list(list));
        self.is_in_subshell = was_in_subshell;
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        commands::look(self, simple);
        simple.assignments.iter().for_each(|assignment| self.assignment(assignment));
        for argument in &simple.arguments {
            match argument {
                Argument::Word(word) => {
                    self.word(word);
                    self.pattern(word);
                }
                Argument::Assignment(assignment) => self.assignment(assignment),
            }
        }
        simple.redirections.iter().for_each(|redirection| self.redirection(redirection));
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.assigned.insert(assignment.name.as_bytes().to_vec());
        if assignment.append {
            self.written(assignment.span, "+=");
        }
        let is_array = assignment.subscript.is_some() || assignment.is_list();
        if is_array {
            self.other(assignment.span, "an array is not in POSIX".to_owned());
        }
        if let AssignmentValue::Scalar(word) = &assignment.value {
            self.word(word);
        }
    }

    fn redirection(&mut self, redirection: &Redirection) {
        let span = redirection.span;
        if matches!(redirection.fd, Some(RedirectionFd::Variable(_))) {
            self.written(span, "{name}>");
        }
        let target = match &redirection.kind {
            RedirectionKind::DuplicateOutput(word) | RedirectionKind::DuplicateInput(word) => word.literal(),
            _ => None,
        };
        let is_long = |text: &[u8]| text.len() > 1 && text.iter().all(u8::is_ascii_digit);
        if matches!(redirection.fd, Some(RedirectionFd::Number(10..))) || target.is_some_and(|text| is_long(&text)) {
            self.other(span, "a descriptor of two digits is not in every sh: dash takes one digit".to_owned());
        }
        match &redirection.kind {
            RedirectionKind::WriteBoth(_) => self.written(span, "&>"),
            RedirectionKind::AppendBoth(_) => self.written(span, "&>>"),
            RedirectionKind::HereString(_) => self.written(span, "<<<"),
            RedirectionKind::DuplicateOutput(word) | RedirectionKind::DuplicateInput(word) => {
                let is_number = |text: &[u8]| text == b"-" || text.iter().all(u8::is_ascii_digit);
                if word.literal().is_some_and(|text| !is_number(&text)) {
                    let operator =
                        if matches!(redirection.kind, RedirectionKind::DuplicateOutput(_)) { ">&" } else { "<&" };
                    self.other(span, format!("`{operator}` with a file is not in POSIX"));
                }
            }
            RedirectionKind::Read(word)
            | RedirectionKind::Write(word)
            | RedirectionKind::Clobber(word)
            | RedirectionKind::Append(word)
            | RedirectionKind::ReadWrite(word) => self.word(word),
            RedirectionKind::HereDocument(document) => {
                if let Some(body) = document.body.get() {
                    self.parts(&body.parts, body.span);
                }
            }
        }
    }

    fn word(&mut self, word: &Word) {
        match dollar_quote(word, self.source) {
            Some(b'\'') => self.other(word.span, format!("`$'…'` {SINCE_2024}")),
            Some(_) => self.written(word.span, "$\"…\""),
            None => {}
        }
        self.parts(&word.parts, word.span);
    }

    /// A pattern of `case`, of `${x#…}`, or for names of files.
    fn pattern(&mut self, word: &Word) {
        let negates =
            |part: &WordPart| matches!(part, WordPart::Literal(text) if text.windows(2).any(|two| two == b"[^"));
        if word.parts.iter().any(negates) {
            self.other(
                word.span,
                "`[^…]` in a pattern is not in every sh: dash takes the `^` for itself, write `[!…]`".to_owned(),
            );
        }
    }

    fn parts(&mut self, parts: &[WordPart], span: Span) {
        for part in parts {
            match part {
                WordPart::DoubleQuoted(inner) => self.parts(inner, span),
                WordPart::Parameter(expansion) | WordPart::QuotedParameter(expansion) => self.expansion(expansion),
                WordPart::CommandSubstitution(substitution) => {
                    if let Ok(body) = &substitution.body {
                        if is_file_alone(body) {
                            self.other(span, "`$(< file)` is not in POSIX: write `$(cat file)`".to_owned());
                        }
                        let was_in_subshell = std::mem::replace(&mut self.is_in_subshell, true);
                        let (source, before) = (self.source, self.found.len());
                        if substitution.backquoted {
                            self.source = &[];
                        }
                        self.list(body);
                        if substitution.backquoted {
                            // Places in it are those of the text without its backslashes.
                            self.source = source;
                            self.found.iter_mut().skip(before).for_each(|found| found.span = substitution.span);
                        }
                        self.is_in_subshell = was_in_subshell;
                    }
                }
                WordPart::Arithmetic(arithmetic) => self.arithmetic(arithmetic, span),
                WordPart::ProcessSubstitution(_) => {
                    self.other(span, "a process substitution is not in POSIX".to_owned())
                }
                WordPart::Brace(brace) => {
                    self.other(span, "a brace expansion is not in POSIX".to_owned());
                    if let BraceExpansion::Alternatives(alternatives) = &**brace {
                        alternatives.iter().for_each(|parts| self.parts(parts, span));
                    }
                }
                WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Tilde(_) => {}
            }
        }
    }

    fn expansion(&mut self, expansion: &ParameterExpansion) {
        use ParameterOperation as Operation;

        let span = expansion.span;
        let mut operands: Vec<&Word> = Vec::new();
        let mut has_default = false;
        match &expansion.operation {
            Operation::None | Operation::Length | Operation::Bad(_) => {}
            Operation::UseDefault(_, word) | Operation::UseAlternative(_, word) => {
                has_default = true;
                operands.push(word);
            }
            Operation::AssignDefault(_, word) => {
                if let Parameter::Variable(name) = &expansion.parameter {
                    self.assigned.insert(name.as_bytes().to_vec());
                }
                operands.push(word);
            }
            Operation::ErrorIfUnset(_, word) => operands.extend(word.as_deref()),
            Operation::RemovePrefix(_, word) | Operation::RemoveSuffix(_, word) => {
                self.pattern(word);
                operands.push(word);
            }
            Operation::Substring(..) => self.written(span, "${x:offset}"),
            Operation::Replace(_, pattern, replacement) => {
                self.written(span, "${x/pattern/text}");
                operands.push(pattern);
                operands.extend(replacement.as_deref());
            }
            Operation::ChangeCase(..) => self.other(span, "`${x^^}` (a change of case) is not in POSIX".to_owned()),
            Operation::Transform(_) => self.written(span, "${x@Q}"),
            Operation::Names { .. } | Operation::Keys => self.written(span, "${!x}"),
        }
        if expansion.indirect && !matches!(expansion.operation, Operation::Names { .. } | Operation::Keys) {
            self.written(span, "${!x}");
        }
        match &expansion.parameter {
            Parameter::Element(..) => self.other(span, "an array is not in POSIX".to_owned()),
            Parameter::Variable(name) if !has_default => {
                if let Some(known) = VARIABLES.into_iter().find(|known| known.as_bytes() == name.as_bytes()) {
                    let message = format!("the variable `{known}` is not in POSIX");
                    self.found.push(Found { span, what: What::Variable(known), message });
                }
            }
            _ => {}
        }
        operands.into_iter().for_each(|word| self.word(word));
    }

    fn arithmetic(&mut self, arithmetic: &Arithmetic, span: Span) {
        if arithmetic.bracketed {
            self.written(span, "$[…]");
        }
        if let Some(expression) = &arithmetic.expression {
            self.expression(expression, span);
        }
        let own = arithmetic.expansions.iter().filter(|expansion| !expansion.nested);
        own.for_each(|expansion| self.parts(std::slice::from_ref(&expansion.part), span));
    }

    fn expression(&mut self, expression: &ArithmeticExpression, span: Span) {
        use ArithmeticExpression as Expression;

        match expression {
            Expression::Number(_) | Expression::Expansion(_) | Expression::Failed => {}
            Expression::Variable(variable) => self.operand(variable.subscript.is_some(), span),
            Expression::Unary(_, operand) => self.expression(operand, span),
            Expression::Binary(operator, left, right) => {
                self.operator(*operator, span);
                self.expression(left, span);
                self.expression(right, span);
            }
            Expression::Chain(chain) => {
                self.expression(&chain.first, span);
                for (operator, operand) in &chain.rest {
                    self.operator(*operator, span);
                    self.expression(operand, span);
                }
            }
            Expression::Conditional(parts) => parts.iter().for_each(|part| self.expression(part, span)),
            Expression::Assign(variable, operator, value) => {
                self.operand(variable.subscript.is_some(), span);
                operator.iter().for_each(|operator| self.operator(*operator, span));
                self.expression(value, span);
            }
            Expression::Step { by, .. } => {
                // POSIX leaves it to the shell whether it has them.
                let written = if *by < 0 { "--" } else { "++" };
                self.other(span, format!("`{written}` in arithmetic is not in every sh"));
            }
        }
    }

    fn operator(&mut self, operator: BinaryOperator, span: Span) {
        match operator {
            BinaryOperator::Power => self.other(span, "`**` in arithmetic is not in POSIX".to_owned()),
            BinaryOperator::Comma => self.other(span, "`,` in arithmetic is not in every sh".to_owned()),
            _ => {}
        }
    }

    fn operand(&mut self, is_element: bool, span: Span) {
        if is_element {
            self.other(span, "an array is not in POSIX".to_owned());
        }
    }
}

/// Is it `< file` and nothing else? bash gives the file's text.
fn is_file_alone(list: &List) -> bool {
    let [item] = list.items.as_slice() else { return false };
    let [stage] = item.and_or.first.stages.as_slice() else { return false };
    match &stage.command {
        Command::Simple(simple) if item.and_or.rest.is_empty() => {
            let is_read = |redirection: &Redirection| matches!(redirection.kind, RedirectionKind::Read(_));
            simple.arguments.is_empty()
                && simple.assignments.is_empty()
                && matches!(&*simple.redirections, [one] if is_read(one))
        }
        _ => false,
    }
}

/// The quote of a `$'…'` or `$"…"` in a word: its text alone has it. Words with commands in them are not looked through: those
/// have words of their own.
fn dollar_quote(word: &Word, source: &[u8]) -> Option<u8> {
    let is_plain = |part: &WordPart| {
        matches!(
            part,
            WordPart::Literal(_)
                | WordPart::Quoted(_)
                | WordPart::DoubleQuoted(_)
                | WordPart::QuotedParameter(_)
                | WordPart::Parameter(_)
                | WordPart::Tilde(_)
        )
    };
    if !word.parts.iter().all(is_plain) {
        return None;
    }
    let (start, end) = (usize::try_from(word.span.start).ok()?, usize::try_from(word.span.end).ok()?);
    let mut bytes = source.get(start..end)?.iter().copied().peekable();
    let mut is_in_double = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => is_in_double = !is_in_double,
            b'\'' if !is_in_double => drop(bytes.find(|byte| *byte == b'\'')),
            b'$' if !is_in_double => match bytes.peek() {
                Some(quote @ (b'\'' | b'"')) => return Some(*quote),
                // `$$'x'`
                Some(b'$') => drop(bytes.next()),
                _ => {}
            },
            _ => {}
        }
    }
    None
}
