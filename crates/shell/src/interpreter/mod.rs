//! What the interpreter does with its state: words are expanded, variables assigned, commands run.
//!
//! Here everything leads to everything, since the language does: a word holds commands (`$( )`), a command holds words, a built-in
//! runs commands (`eval`, `.`, `command`), an assignment evaluates arithmetic whose variables are texts to be evaluated, the action of a
//! trap runs between two commands, and each of them is a method of [`Shell`](crate::shell::Shell). That recursion is one
//! room. What it works on (variables, options, descriptors, the tables of jobs and traps, limits) stands in the modules beside this one,
//! and they know nothing of it.

mod assign;
mod background;
mod base;
mod builtins;
mod exec;
mod expand;
#[cfg(unix)]
mod forked;
mod initial;
mod reference;
mod run;
mod self_nameref;
mod signals;
mod start;
mod threads;
mod trap_actions;
mod variable_hooks;

pub use self::base::BaseEnvironment;
pub use self::builtins::is_builtin;
pub use self::signals::SignalSender;
pub(crate) use self::start::NewShell;
