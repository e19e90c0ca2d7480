//! Utilities about the system, time, the environment and other commands.

mod command;
pub(crate) mod date;
mod env;
mod printenv;
mod sleep;
mod timeout;
mod xargs;

use hookshell_shell::Utility;

/// Those of this folder.
pub(crate) fn all() -> Vec<Box<dyn Utility>> {
    vec![
        Box::new(date::Date),
        Box::new(env::Env),
        Box::new(printenv::Printenv),
        Box::new(sleep::Sleep),
        Box::new(timeout::Timeout),
        Box::new(xargs::Xargs),
    ]
}
