//! Functions, the calls that are under way, and their parameters.

use std::sync::Arc;

use hookshell_syntax::ast::CompoundCommand;
use hookshell_utility::Args;

/// A function.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: Arc<[u8]>,
    pub(crate) body: Arc<CompoundCommand>,
    /// The file it was defined in.
    pub(crate) source: Arc<[u8]>,
    pub(crate) line: u32,
    /// What is added to the lines of its body: it was defined in a substitution.
    pub(crate) line_shift: u32,
    pub(crate) definition: Arc<hookshell_syntax::ast::FunctionDefinition>,
    pub(crate) readonly: bool,
    pub(crate) exported: bool,
    pub(crate) traced: bool,
}

impl Function {
    /// The bytes of its definition in the source.
    pub(crate) fn text_len(&self) -> usize {
        self.definition.span.end.saturating_sub(self.definition.span.start) as usize
    }
}

/// A function call or a sourced file.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    /// BASH_LINENO: the line of the call.
    pub(crate) call_line: u32,
    /// BASH_ARGV: what it was given, under `extdebug`.
    pub(crate) arguments: Option<Positional>,
    /// `break` in it does not reach the loops around the call.
    pub(crate) hides_loops: bool,
}

/// What was called.
#[derive(Debug, Clone)]
pub(crate) enum Callee {
    Function(Arc<Function>),
    /// A sourced file.
    File(Arc<[u8]>),
}

impl Call {
    /// FUNCNAME: the function, or `source`.
    pub(crate) fn name(&self) -> &[u8] {
        match &self.callee {
            Callee::Function(function) => &function.name,
            Callee::File(_) => b"source",
        }
    }

    /// BASH_SOURCE: where the function was defined, or the file.
    pub(crate) fn source(&self) -> &[u8] {
        match &self.callee {
            Callee::Function(function) => &function.source,
            Callee::File(file) => file,
        }
    }
}

/// `$1` and so on: a part of a list that is shared until it changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Positional {
    pub(crate) args: Arc<Args>,
    /// How many of `args` are shifted out.
    pub(crate) start: usize,
}

impl Positional {
    pub(crate) fn len(&self) -> usize {
        self.args.len().saturating_sub(self.start)
    }

    /// The n-th, counted from 1.
    pub(crate) fn get(&self, n: usize) -> Option<&[u8]> {
        if n == 0 { None } else { self.args.get(self.start + n - 1) }
    }

    pub(crate) fn iter(&self) -> hookshell_utility::ArgsIter<'_> {
        self.args.iter_from(self.start)
    }

    /// From the n-th on, counted from 1.
    pub(crate) fn iter_from(&self, n: usize) -> hookshell_utility::ArgsIter<'_> {
        self.args.iter_from(self.start.saturating_add(n.saturating_sub(1)))
    }
}
