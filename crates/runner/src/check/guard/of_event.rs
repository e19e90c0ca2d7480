//! Which words hold text of the event: what a hook reads on standard input, and the variables that it puts it into.

use std::collections::HashSet;

use hookshell_syntax::ast::{
    Assignment, AssignmentValue, Command, Parameter, ParameterExpansion, Pipeline, RedirectionKind, SimpleCommand, Word,
};
use hookshell_syntax::print_simple;

use super::Walk;
use super::walk::{self, Visitor, words};

impl Walk<'_> {
    /// `cmd=$(jq -r .tool_input.command)`, `first=${cmd%% *}`
    pub(super) fn assigns_event(&mut self, assignment: &Assignment) {
        if let AssignmentValue::Scalar(word) = &assignment.value
            && self.is_of_event(word)
        {
            self.of_event.insert(assignment.name.as_bytes().to_vec());
        }
    }

    /// `read -r line`
    pub(super) fn reads_event(&mut self, simple: &SimpleCommand) {
        if simple.literal_name().as_deref() == Some(b"read") && !has_other_input(simple) {
            let names = words(simple).skip(1).filter_map(|word| word.literal()).filter(|name| !name.starts_with(b"-"));
            self.of_event.extend(names.map(|name| name.into_owned()));
        }
    }

    /// Does the word hold text of the event?
    pub(super) fn is_of_event(&self, word: &Word) -> bool {
        let mut looks = Looks { of_event: &self.of_event, is_found: false };
        looks.word(word);
        looks.is_found
    }

    /// Is text of the event among what a pipeline is given: `echo "$cmd" | grep`, `grep <<< "$cmd"`?
    pub(super) fn is_given_event(&self, pipeline: &Pipeline) -> bool {
        let mut looks = Looks { of_event: &self.of_event, is_found: false };
        for stage in &pipeline.stages {
            looks.command(&stage.command);
        }
        looks.is_found
    }
}

/// Looks for text of the event.
struct Looks<'a> {
    of_event: &'a HashSet<Vec<u8>>,
    is_found: bool,
}

impl Visitor for Looks<'_> {
    fn pipeline(&mut self, pipeline: &Pipeline) {
        if let Some(Command::Simple(first)) = pipeline.stages.first().map(|stage| &stage.command) {
            self.is_found |= reads_input(first);
        }
        pipeline.stages.iter().for_each(|stage| self.command(&stage.command));
    }

    fn expansion(&mut self, expansion: &ParameterExpansion) {
        if let Parameter::Variable(name) = &expansion.parameter {
            self.is_found |= self.of_event.contains(name.as_bytes());
        }
        walk::expansion(self, expansion);
    }
}

/// Does it read the hook's own standard input: `cat`, `jq -r .tool_name`, `python3 -c '… sys.stdin …'`?
fn reads_input(simple: &SimpleCommand) -> bool {
    if has_other_input(simple) {
        return false;
    }
    let operands =
        words(simple).skip(1).filter(|word| word.literal().is_none_or(|text| !text.starts_with(b"-"))).count();
    match simple.literal_name().as_deref() {
        Some(b"cat" | b"tee") => operands == 0,
        Some(b"jq") => operands == 1,
        Some(b"python3" | b"python" | b"node") => {
            let text = print_simple(simple);
            text.windows(5).any(|part| part == b"stdin")
        }
        _ => false,
    }
}

fn has_other_input(simple: &SimpleCommand) -> bool {
    simple.redirections.iter().any(|redirection| {
        matches!(
            redirection.kind,
            RedirectionKind::Read(_) | RedirectionKind::HereDocument(_) | RedirectionKind::HereString(_)
        )
    })
}
