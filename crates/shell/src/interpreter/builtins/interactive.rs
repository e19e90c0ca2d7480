//! Built-ins that only an interactive or a login shell has a use for: `bind`, `fc`, `history`, `logout`. What would do
//! nothing in bash either, with its status, does so here (the history of a script is empty); the rest says that it is not
//! available, lest a script takes its silence for success.

use hookshell_syntax::ast::Argument;
use hookshell_utility::Args;

use super::done;
use super::help::invalid_option;
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

const NO_HISTORY: &str = "no history is kept: this shell is never interactive";

/// bash: `bind`: keys that are bound to something have bash's warning and its status; there is nothing to be listed.
pub(super) fn bind(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let binds = match args.get(1) {
        Some([b'-', letter, ..]) => matches!(letter, b'm' | b'f' | b'u' | b'r' | b'x'),
        _ => true,
    };
    if binds {
        shell.builtin_error(&args[0], "warning: line editing not enabled");
        return done(0);
    }
    let message = "line editing is not available: this shell is never interactive";
    unavailable(shell, args, b"lpsvPSVXmfqurx", message)
}

/// `fc` (XCU fc): the list, which is empty, can be shown.
pub(super) fn fc(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    match args.get(1) {
        Some([b'-', letters @ ..])
            if letters.iter().all(|letter| b"lnr".contains(letter)) && (args.len() == 2 || letters.contains(&b'l')) =>
        {
            done(0)
        }
        Some([b'-', b's', ..]) => {
            shell.builtin_error(&args[0], "no command found");
            done(1)
        }
        _ => unavailable(shell, args, b"elnrs0123456789", NO_HISTORY),
    }
}

/// bash: `history`: the list, which is empty, can be shown, cleared and, as bash does it without HISTFILE, be written to
/// nowhere.
pub(super) fn history(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let is_nothing = match (args.get(1), args.len()) {
        (None, _) | (Some(b"-c"), 2) => true,
        (Some(b"-a" | b"-n" | b"-r" | b"-w"), 2) => shell.vars.scalar_bytes(b"HISTFILE").is_none(),
        (Some(count), 2) => count.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if is_nothing {
        return done(0);
    }
    unavailable(shell, args, b"cdanrwps", NO_HISTORY)
}

/// bash: `logout`: this is never a login shell.
pub(super) fn logout(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    shell.builtin_error(&args[0], "not login shell: use `exit'");
    done(1)
}
