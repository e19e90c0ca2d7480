//! The walk through a program's lists, pipelines and compound commands, which all readers of shell code share.

use hookshell_syntax::ast::{
    AndOr, Argument, Assignment, AssignmentValue, Command, Compound, FunctionDefinition, List, Pipeline, SimpleCommand,
    Word,
};

/// Somebody who looks at commands. Each method continues into what it is given, unless it is written anew.
///
/// The walk recurses as deep as the code nests: it is to be made on a stack that fits.
pub(super) trait Visitor {
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
            Command::Compound(compound) => self.compound(&compound.kind),
            Command::Function(function) => self.function(function),
        }
    }

    fn compound(&mut self, compound: &Compound) {
        compound.lists().into_iter().for_each(|list| self.list(list));
        if let Compound::Coprocess(coprocess) = compound {
            self.command(&coprocess.command);
        }
    }

    fn function(&mut self, function: &FunctionDefinition) {
        self.compound(&function.body.kind);
    }

    fn simple(&mut self, simple: &SimpleCommand);
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

/// What a simple command assigns: before its name, and as arguments of `export` and others.
pub(super) fn values(simple: &SimpleCommand) -> impl Iterator<Item = &Word> {
    let arguments = simple.arguments.iter().filter_map(|argument| match argument {
        Argument::Assignment(assignment) => Some(&**assignment),
        Argument::Word(_) => None,
    });
    simple.assignments.iter().chain(arguments).filter_map(|assignment: &Assignment| match &assignment.value {
        AssignmentValue::Scalar(word) => Some(word),
        _ => None,
    })
}
