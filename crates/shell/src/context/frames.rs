//! The stack of constructs that the command which runs stands in.

use super::Subshell;
use crate::call::{Call, Callee};

/// A construct that a command stands in.
#[derive(Debug, Clone)]
pub(crate) enum Frame {
    /// A loop, for `break` and `continue`.
    Loop,
    /// Commands whose failure does not end the shell under `set -e`.
    Condition,
    /// A compound command whose standard input is redirected.
    Stdin,
    /// A function call, or a file that `.` reads.
    Call(Call),
    /// The text of a file.
    Source,
    /// Another text that is read as commands.
    Text(Text),
    /// `$( )`
    CommandSubstitution,
    /// `<( )` and `>( )`
    ProcessSubstitution,
    /// A subshell: the environment around it.
    Subshell(Subshell),
}

impl Frame {
    /// It has no counter, and holds nothing.
    #[inline]
    fn is_plain(&self) -> bool {
        matches!(self, Self::Loop | Self::Condition | Self::Stdin)
    }
}

/// What reads a text as commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text {
    /// `eval`
    Eval,
    /// The action of a trap: which one, in messages.
    Trap(&'static str),
    /// That of the EXIT trap, at the end of an environment.
    ExitTrap,
    /// A built-in that calls a command: its name in messages.
    Builtin(&'static str),
}

impl Text {
    /// What error messages call it.
    pub(crate) fn reader(self) -> &'static str {
        match self {
            Self::Eval => "eval",
            Self::ExitTrap => "exit trap",
            Self::Trap(name) | Self::Builtin(name) => name,
        }
    }
}

/// The stack of frames, and how many there are of the kinds that are asked for all the time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frames {
    stack: Vec<Frame>,
    functions: u32,
    files: u32,
    texts: u32,
    calls: u32,
    traced: u32,
}

impl Frames {
    /// Enters a construct; whoever does leaves it again ([`Self::leave`]), however it ends.
    #[inline]
    pub(crate) fn enter(&mut self, frame: Frame) {
        if !frame.is_plain() {
            self.count(&frame, |count| *count += 1);
        }
        self.stack.push(frame);
    }

    /// Leaves the innermost construct.
    #[allow(clippy::mem_forget, reason = "a plain frame owns nothing, and to drop it would be to look at it again")]
    #[inline]
    pub(crate) fn leave(&mut self) {
        match self.stack.pop() {
            // It holds nothing to drop; this is asked of each turn of a loop.
            Some(frame) if frame.is_plain() => std::mem::forget(frame),
            Some(frame) => self.count(&frame, |count| *count -= 1),
            None => {}
        }
    }

    /// Leaves the innermost construct, which is a subshell: gives the environment around it.
    pub(super) fn leave_subshell(&mut self) -> Option<Subshell> {
        self.stack.pop_if(|frame| matches!(frame, Frame::Subshell(_))).and_then(|frame| match frame {
            Frame::Subshell(outer) => Some(outer),
            _ => None,
        })
    }

    fn count(&mut self, frame: &Frame, change: impl Fn(&mut u32)) {
        match frame {
            Frame::Call(call) => {
                change(&mut self.calls);
                match call.callee {
                    Callee::Function(_) => change(&mut self.functions),
                    Callee::File(_) => change(&mut self.traced),
                }
            }
            Frame::Source => change(&mut self.files),
            Frame::Text(text) => {
                change(&mut self.texts);
                if matches!(text, Text::Eval | Text::Trap(_)) {
                    change(&mut self.traced);
                }
            }
            Frame::CommandSubstitution | Frame::ProcessSubstitution => change(&mut self.traced),
            Frame::Loop | Frame::Condition | Frame::Stdin | Frame::Subshell(_) => {}
        }
    }

    /// The files and texts of `outer` count against the limits here, too.
    pub(super) fn nest_in(&mut self, outer: &Self) {
        self.files = outer.files;
        self.texts = outer.texts;
    }

    /// The id of the environment that this one is a subshell of.
    pub(crate) fn outer_id(&self) -> Option<u32> {
        self.inner_first().find_map(|frame| match frame {
            Frame::Subshell(outer) => Some(outer.id),
            _ => None,
        })
    }

    /// The frames, the innermost first.
    pub(crate) fn inner_first(&self) -> impl Iterator<Item = &Frame> {
        self.stack.iter().rev()
    }

    /// The functions and sourced files that are active, the innermost first.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.inner_first().filter_map(|frame| if let Frame::Call(call) = frame { Some(call) } else { None })
    }

    /// Is a function or a sourced file active?
    #[inline]
    pub(crate) fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// Functions that are active: the scope of locals.
    #[inline]
    pub(crate) fn functions(&self) -> u32 {
        self.functions
    }

    /// Nested `.`
    pub(crate) fn files(&self) -> u32 {
        self.files
    }

    /// Nested `eval`, traps and the like.
    pub(crate) fn texts(&self) -> u32 {
        self.texts
    }

    /// How often the first character of PS4 is repeated: for substitutions, `eval`, `.` and traps.
    pub(crate) fn traced(&self) -> u32 {
        self.traced
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn counts_follow_the_stack() {
        let mut frames = Frames::default();
        let file =
            Call { callee: Callee::File(Arc::from(&b"f"[..])), call_line: 1, arguments: None, hides_loops: false };
        for frame in
            [Frame::Loop, Frame::Call(file), Frame::Source, Frame::Text(Text::Eval), Frame::Text(Text::ExitTrap)]
        {
            frames.enter(frame);
        }
        assert!(frames.has_calls());
        assert_eq!((frames.functions(), frames.files(), frames.texts(), frames.traced()), (0, 1, 2, 2));
        for _ in 0..5 {
            frames.leave();
        }
        assert!(!frames.has_calls());
        assert_eq!((frames.functions(), frames.files(), frames.texts(), frames.traced()), (0, 0, 0, 0));
    }
}
