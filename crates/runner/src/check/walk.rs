//! The walk through a program's lists, pipelines, compound commands and words, which all readers of shell code share.

use hookshell_syntax::ast::{
    AndOr, Argument, Arithmetic, Assignment, AssignmentValue, BraceExpansion, Command, CommandSubstitution, Compound,
    Condition, FunctionDefinition, List, Parameter, ParameterExpansion, ParameterOperation, Pipeline, Redirection,
    RedirectionKind, SimpleCommand, Subscript, Word, WordPart,
};
use hookshell_syntax::print_word;

/// Somebody who looks at commands and words. Each method continues into what it is given, unless it is written anew; then the
/// function of the same name in this module continues.
///
/// The walk recurses as deep as the code nests: it is to be made on a stack that fits.
pub(super) trait Visitor: Sized {
    fn list(&mut self, list: &List) {
        list.items.iter().for_each(|item| self.and_or(&item.and_or));
    }

    fn and_or(&mut self, and_or: &AndOr) {
        pipelines(and_or).for_each(|pipeline| self.pipeline(pipeline));
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        pipeline.stages.iter().for_each(|stage| self.command(&stage.command));
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => {
                self.compound(&compound.kind);
                compound.redirections.iter().for_each(|redirection| self.redirection(redirection));
            }
            Command::Function(function) => self.function(function),
        }
    }

    fn compound(&mut self, kind: &Compound) {
        compound(self, kind);
    }

    fn function(&mut self, definition: &FunctionDefinition) {
        function(self, definition);
    }

    fn simple(&mut self, command: &SimpleCommand) {
        simple(self, command);
    }

    fn assignment(&mut self, assigned: &Assignment) {
        assignment(self, assigned);
    }

    fn redirection(&mut self, redirected: &Redirection) {
        redirection(self, redirected);
    }

    fn word(&mut self, word: &Word) {
        self.parts(&word.parts);
    }

    fn parts(&mut self, parts: &[WordPart]) {
        parts.iter().for_each(|part| self.part(part));
    }

    fn part(&mut self, one: &WordPart) {
        part(self, one);
    }

    /// A parameter that is expanded.
    fn expansion(&mut self, expanded: &ParameterExpansion) {
        expansion(self, expanded);
    }

    /// A command substitution. In one of backquotes places are those of its text without backslashes, not of the source.
    fn substitution(&mut self, substitution: &CommandSubstitution) {
        if let Ok(body) = &substitution.body {
            self.list(body);
        }
    }

    fn arithmetic(&mut self, arithmetic: &Arithmetic) {
        let own = arithmetic.expansions.iter().filter(|expansion| !expansion.nested);
        own.for_each(|expansion| self.part(&expansion.part));
    }

    fn condition(&mut self, asked: &Condition) {
        condition(self, asked);
    }
}

/// Continues into a compound command.
pub(super) fn compound<V: Visitor>(visitor: &mut V, compound: &Compound) {
    match compound {
        Compound::For(clause) | Compound::Select(clause) => {
            clause.words.iter().flatten().for_each(|word| visitor.word(word));
        }
        Compound::ArithmeticFor(clause) => {
            let parts = [&clause.init, &clause.condition, &clause.step];
            parts.into_iter().flatten().for_each(|arithmetic| visitor.arithmetic(arithmetic));
        }
        Compound::Case(clause) => {
            visitor.word(&clause.subject);
            let patterns = clause.items.iter().flat_map(|item| &item.patterns);
            patterns.for_each(|pattern| visitor.word(pattern));
        }
        Compound::Arithmetic(arithmetic) => visitor.arithmetic(arithmetic),
        Compound::Condition(condition) => visitor.condition(condition),
        Compound::Coprocess(coprocess) => visitor.command(&coprocess.command),
        Compound::Brace(_) | Compound::Subshell(_) | Compound::If(_) | Compound::While(_) => {}
    }
    compound.lists().into_iter().for_each(|list| visitor.list(list));
}

/// Continues into the body of a function.
pub(super) fn function<V: Visitor>(visitor: &mut V, function: &FunctionDefinition) {
    visitor.compound(&function.body.kind);
    function.body.redirections.iter().for_each(|redirection| visitor.redirection(redirection));
}

/// Continues into the words of a simple command.
pub(super) fn simple<V: Visitor>(visitor: &mut V, simple: &SimpleCommand) {
    simple.assignments.iter().for_each(|assignment| visitor.assignment(assignment));
    for argument in &simple.arguments {
        match argument {
            Argument::Word(word) => visitor.word(word),
            Argument::Assignment(assignment) => visitor.assignment(assignment),
        }
    }
    simple.redirections.iter().for_each(|redirection| visitor.redirection(redirection));
}

/// Continues into the words of an assignment.
pub(super) fn assignment<V: Visitor>(visitor: &mut V, assignment: &Assignment) {
    if let Some(index) = &assignment.subscript {
        subscript(visitor, index);
    }
    match &assignment.value {
        AssignmentValue::Scalar(word) => visitor.word(word),
        AssignmentValue::Array(elements) => {
            for element in elements {
                if let Some(index) = &element.subscript {
                    subscript(visitor, index);
                }
                visitor.word(&element.value);
            }
        }
    }
}

fn subscript<V: Visitor>(visitor: &mut V, subscript: &Subscript) {
    if let Subscript::Index(index) = subscript {
        visitor.word(&index.key);
    }
}

/// Continues into the words of a redirection.
pub(super) fn redirection<V: Visitor>(visitor: &mut V, redirection: &Redirection) {
    match &redirection.kind {
        RedirectionKind::HereDocument(document) => {
            if let Some(body) = document.body.get() {
                visitor.parts(&body.parts);
            }
        }
        kind => kind.word().into_iter().for_each(|word| visitor.word(word)),
    }
}

/// Continues into a part of a word.
pub(super) fn part<V: Visitor>(visitor: &mut V, part: &WordPart) {
    match part {
        WordPart::DoubleQuoted(parts) => visitor.parts(parts),
        WordPart::QuotedParameter(expansion) | WordPart::Parameter(expansion) => visitor.expansion(expansion),
        WordPart::CommandSubstitution(substitution) => visitor.substitution(substitution),
        WordPart::Arithmetic(arithmetic) => visitor.arithmetic(arithmetic),
        WordPart::ProcessSubstitution(substitution) => visitor.list(&substitution.body),
        WordPart::Brace(brace) => match &**brace {
            BraceExpansion::Alternatives(alternatives) => {
                alternatives.iter().for_each(|parts| visitor.parts(parts));
            }
            BraceExpansion::Words { plain, .. } => visitor.parts(plain),
            BraceExpansion::Integers { .. } | BraceExpansion::Characters { .. } => {}
        },
        WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Tilde(_) => {}
    }
}

/// Continues into the words of an expansion: `${x:-WORD}`.
pub(super) fn expansion<V: Visitor>(visitor: &mut V, expansion: &ParameterExpansion) {
    use ParameterOperation as Operation;

    if let Parameter::Element(_, index) = &expansion.parameter {
        subscript(visitor, index);
    }
    match &expansion.operation {
        Operation::UseDefault(_, word)
        | Operation::AssignDefault(_, word)
        | Operation::UseAlternative(_, word)
        | Operation::RemovePrefix(_, word)
        | Operation::RemoveSuffix(_, word) => visitor.word(word),
        Operation::ErrorIfUnset(_, word) | Operation::ChangeCase(_, word) => {
            word.iter().for_each(|word| visitor.word(word));
        }
        Operation::Replace(_, pattern, replacement) => {
            visitor.word(pattern);
            replacement.iter().for_each(|word| visitor.word(word));
        }
        Operation::Substring(offset, length) => {
            visitor.arithmetic(offset);
            length.iter().for_each(|length| visitor.arithmetic(length));
        }
        Operation::None
        | Operation::Length
        | Operation::Transform(_)
        | Operation::Names { .. }
        | Operation::Keys
        | Operation::Bad(_) => {}
    }
}

/// Continues into the words of `[[ … ]]`.
pub(super) fn condition<V: Visitor>(visitor: &mut V, condition: &Condition) {
    match condition {
        Condition::Unary(_, word) => visitor.word(word),
        Condition::Binary(_, left, right) => {
            visitor.word(left);
            visitor.word(right);
        }
        Condition::Not(inner) | Condition::Group(inner) => visitor.condition(inner),
        Condition::And(inner) | Condition::Or(inner) => inner.iter().for_each(|inner| visitor.condition(inner)),
    }
}

/// The pipelines of `a && b || c`, in order.
pub(super) fn pipelines(and_or: &AndOr) -> impl Iterator<Item = &Pipeline> {
    std::iter::once(&and_or.first).chain(and_or.rest.iter().map(|(_, pipeline)| pipeline))
}

/// The words of a simple command but its assignments.
pub(super) fn words(simple: &SimpleCommand) -> impl Iterator<Item = &Word> {
    simple.arguments.iter().filter_map(|argument| match argument {
        Argument::Word(word) => Some(word),
        Argument::Assignment(_) => None,
    })
}

/// What a simple word is, or as it may be written.
pub(super) fn text(word: &Word) -> String {
    match word.literal() {
        Some(text) => String::from_utf8_lossy(&text).into_owned(),
        None => String::from_utf8_lossy(&print_word(word)).into_owned(),
    }
}
