//! Control flow: what a command leaves behind beside its status.

use std::ops::ControlFlow;

/// The result of everything that executes or expands: continue with a value, or divert.
pub(crate) type Flow<T = ()> = ControlFlow<Divert, T>;

/// Why execution does not simply continue, least severe first. The exit status is in the interpreter's `$?`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Divert {
    /// `continue`: this many enclosing loops are concerned, the innermost included.
    Continue(u32),
    /// `break`: likewise.
    Break(u32),
    /// `return` from a function or a sourced file.
    Return,
    /// An expansion or assignment error: the rest of the unit is dropped, the shell continues with the next one.
    Discard,
    /// A subscript or the value of an integer variable is no expression: as [`Divert::Discard`], but the unit is that of the
    /// script, through the built-in, loop, `eval`, trap or sourced file that it happens in (bash's top level).
    TopLevel,
    /// `exit`, errexit, or an error that ends a non-interactive shell: the EXIT trap still runs.
    Exit,
    /// The shell process would have died of a signal: no trap runs.
    Die,
    /// The run was cancelled, or a limit was reached.
    Stop,
}

/// Continues without a value.
pub(crate) const NEXT: Flow = ControlFlow::Continue(());

/// Diverts.
pub(crate) fn divert<T>(divert: Divert) -> Flow<T> {
    ControlFlow::Break(divert)
}
