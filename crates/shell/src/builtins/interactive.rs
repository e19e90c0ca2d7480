//! Built-ins that only an interactive or a login shell has a use for: `bind`, `complete`, `compgen`, `compopt`, `fc`,
//! `history`, `logout`. They say so, lest a script takes their silence for success.

use hookshell_syntax::ast::Argument;

use super::done;
use crate::args::Args;
use crate::flow::Flow;
use crate::shell::Shell;

fn unavailable(shell: &mut Shell, args: &Args, message: &str) -> Flow<u8> {
    shell.builtin_error(&args[0], message);
    done(1)
}

/// bash: `bind`
pub(super) fn bind(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    unavailable(shell, args, "line editing is not available: this shell is never interactive")
}

/// bash: `complete`, `compgen`, `compopt`
pub(super) fn completion(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    unavailable(shell, args, "programmable completion is not available: this shell is never interactive")
}

/// `fc` (XCU fc)
pub(super) fn fc(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    unavailable(shell, args, "no history is kept: this shell is never interactive")
}

/// bash: `history`: the list, which is empty, can be shown.
pub(super) fn history(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    if args.len() == 1 {
        return done(0);
    }
    unavailable(shell, args, "no history is kept: this shell is never interactive")
}

/// bash: `logout`: this is never a login shell.
pub(super) fn logout(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    unavailable(shell, args, "not login shell: use `exit'")
}
