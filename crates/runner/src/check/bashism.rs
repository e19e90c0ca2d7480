//! What of bash's a POSIX shell takes for something else, and so reports nothing: to it `[[` is a command's name.

use hookshell_syntax::ast::{
    Argument, Assignment, AssignmentValue, Command, Compound, List, RedirectionKind, SimpleCommand, Word, WordPart,
};
use hookshell_syntax::{Program, Span};

/// Built-ins that only bash and its like have. (`local` all shells have.)
const BUILTINS: [&str; 8] = ["source", "declare", "typeset", "let", "shopt", "mapfile", "readarray", "pushd"];

/// The first thing in a program that POSIX does not know: where it begins, and what it is.
pub(super) fn first(program: &Program) -> Option<(usize, String)> {
    let (at, what) = program.units.iter().find_map(|unit| list(&unit.list))?;
    Some((usize::try_from(at.start).unwrap_or_default(), format!("{what} is not in POSIX")))
}

type Found = Option<(Span, String)>;

fn found(span: Span, what: &str) -> Found {
    Some((span, format!("`{what}`")))
}

fn list(list: &List) -> Found {
    let pipelines = |item: &hookshell_syntax::ast::ListItem| {
        let and_or = &item.and_or;
        std::iter::once(&and_or.first)
            .chain(and_or.rest.iter().map(|(_, pipeline)| pipeline))
            .flat_map(|pipeline| &pipeline.stages)
            .find_map(|stage| command(&stage.command))
    };
    list.items.iter().find_map(pipelines)
}

fn command(command: &Command) -> Found {
    match command {
        Command::Simple(simple) => self::simple(simple),
        Command::Compound(compound) => {
            let redirections = || compound.redirections.iter().find_map(redirected);
            self::compound(&compound.kind, compound.span).or_else(redirections)
        }
        Command::Function(function) if function.keyword => found(function.span, "function"),
        Command::Function(function) => compound(&function.body.kind, function.body.span),
    }
}

fn compound(compound: &Compound, span: Span) -> Found {
    let before = match compound {
        Compound::Condition(_) => found(span, "[["),
        Compound::Arithmetic(_) | Compound::ArithmeticFor(_) => found(span, "(("),
        Compound::Select(_) => found(span, "select"),
        Compound::Coprocess(_) => found(span, "coproc"),
        Compound::For(clause) => words(clause.words.iter().flatten()),
        Compound::Case(clause) => word(&clause.subject),
        _ => None,
    };
    before.or_else(|| compound.lists().into_iter().find_map(list))
}

fn simple(simple: &SimpleCommand) -> Found {
    if let Some(Argument::Word(word)) = simple.arguments.first()
        && let Some(name) = word.literal()
        && let Some(name) = BUILTINS.into_iter().find(|builtin| *name == *builtin.as_bytes())
    {
        return found(word.span, name);
    }
    let arguments = || {
        simple.arguments.iter().find_map(|argument| match argument {
            Argument::Word(word) => self::word(word),
            Argument::Assignment(assignment) => assigned(assignment),
        })
    };
    let redirections = || simple.redirections.iter().find_map(redirected);
    simple.assignments.iter().find_map(assigned).or_else(arguments).or_else(redirections)
}

fn assigned(assignment: &Assignment) -> Found {
    if assignment.append {
        return found(assignment.span, "+=");
    }
    match &assignment.value {
        AssignmentValue::Array(_) => Some((assignment.span, "an array".to_owned())),
        AssignmentValue::Scalar(_) if assignment.subscript.is_some() => Some((assignment.span, "an array".to_owned())),
        AssignmentValue::Scalar(word) => self::word(word),
    }
}

fn redirected(redirection: &hookshell_syntax::ast::Redirection) -> Found {
    match &redirection.kind {
        RedirectionKind::WriteBoth(_) | RedirectionKind::AppendBoth(_) => found(redirection.span, "&>"),
        RedirectionKind::HereString(_) => found(redirection.span, "<<<"),
        _ => None,
    }
}

fn words<'w>(words: impl IntoIterator<Item = &'w Word>) -> Found {
    words.into_iter().find_map(word)
}

fn word(word: &Word) -> Found {
    parts(&word.parts, word.span)
}

fn parts(parts: &[WordPart], span: Span) -> Found {
    parts.iter().find_map(|part| match part {
        WordPart::DoubleQuoted(inner) => self::parts(inner, span),
        WordPart::CommandSubstitution(substitution) => substitution.body.as_ref().ok().and_then(|body| list(body)),
        WordPart::ProcessSubstitution(_) => Some((span, "a process substitution".to_owned())),
        WordPart::Brace(_) => Some((span, "a brace expansion".to_owned())),
        _ => None,
    })
}
