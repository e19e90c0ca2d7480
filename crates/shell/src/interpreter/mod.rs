//! What the interpreter does with its state.

mod signals;
mod start;
mod trap_actions;

pub use self::signals::SignalSender;
pub(crate) use self::start::NewShell;
