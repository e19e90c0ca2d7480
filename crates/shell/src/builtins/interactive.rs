//! Built-ins that only an interactive or a login shell has a use for: `bind`, `complete`, `compopt`, `fc`, `history`,
//! `logout`. They say so, lest a script takes their silence for success.

use hookshell_syntax::ast::Argument;

use super::done;
use super::help::invalid_option;
use crate::args::Args;
use crate::flow::Flow;
use crate::shell::Shell;

/// What a built-in that is not available says; `letters` are the options that bash has for it, any other is a usage
/// error.
fn unavailable(shell: &mut Shell, args: &Args, letters: &[u8], message: &str) -> Flow<u8> {
    if let Some([b'-', letter, ..]) = args.get(1)
        && *letter != b'-'
        && !letters.contains(letter)
    {
        return done(invalid_option(shell, &args[0], &[b'-', *letter]));
    }
    shell.builtin_error(&args[0], message);
    done(1)
}

const NO_COMPLETION: &str = "programmable completion is not available: this shell is never interactive";
const NO_HISTORY: &str = "no history is kept: this shell is never interactive";

/// bash: `bind`
pub(super) fn bind(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let message = "line editing is not available: this shell is never interactive";
    unavailable(shell, args, b"lpsvPSVXmfqurx", message)
}

/// bash: `complete`
pub(super) fn complete(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    unavailable(shell, args, b"abcdefgjksuvprDEIoAGWFCXPS", NO_COMPLETION)
}

/// bash: `compopt`
pub(super) fn compopt(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    unavailable(shell, args, b"oDEI", "not currently executing completion function")
}

/// `fc` (XCU fc)
pub(super) fn fc(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    unavailable(shell, args, b"elnrs0123456789", NO_HISTORY)
}

/// bash: `history`: the list, which is empty, can be shown.
pub(super) fn history(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    if args.len() == 1 {
        return done(0);
    }
    unavailable(shell, args, b"cdanrwps", NO_HISTORY)
}

/// bash: `logout`: this is never a login shell.
pub(super) fn logout(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    shell.builtin_error(&args[0], "not login shell: use `exit'");
    done(1)
}
