//! bash: `caller`

use hookshell_syntax::ast::Argument;
use hookshell_text::integer;
use hookshell_utility::Args;

use super::help::{invalid_option, usage};
use super::{USAGE, done};
use crate::flow::Flow;
use crate::shell::Shell;
use crate::vars::Special;

/// `caller [n]`: where the function or sourced file that runs was called, or the n-th call around it.
pub(super) fn caller(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"caller";
    let first = match args.get(1) {
        Some(b"--") => 2,
        Some([b'-', letter, ..]) => {
            let option = [b'-', *letter];
            return done(invalid_option(shell, NAME, &option));
        }
        _ => 1,
    };
    let lines = shell.computed_items(Special::BashLineno);
    let sources = shell.computed_items(Special::BashSource);
    let Some(line) = lines.first().filter(|_| !sources.is_empty()) else { return done(1) };
    let Some(operand) = args.get(first) else {
        let source = sources.get(1).map_or(&b"NULL"[..], Vec::as_slice);
        let text = [line, &b" "[..], source, b"\n"].concat();
        return print(shell, &text);
    };
    let Some(depth) = integer::parse_integer(operand) else {
        shell.builtin_error(NAME, [operand, b": invalid number"].concat());
        usage(shell, NAME);
        return done(USAGE);
    };
    let Ok(depth) = usize::try_from(depth) else { return done(1) };
    // FUNCNAME as bash keeps it: with the sourced files, and with `main` below a script's functions.
    let below = shell.has_script().then(|| b"main".to_vec());
    let function = {
        let mut functions = shell.context.frames.calls().map(|call| call.name().to_vec()).chain(below);
        functions.nth(depth.saturating_add(1))
    };
    let called = (lines.get(depth), function, sources.get(depth.saturating_add(1)));
    match called {
        (Some(line), Some(function), Some(source)) => {
            let text = [line, &b" "[..], &*function, b" ", source, b"\n"].concat();
            print(shell, &text)
        }
        _ => done(1),
    }
}

/// bash's `caller` does not look whether anybody gets what it writes.
fn print(shell: &mut Shell, text: &[u8]) -> Flow<u8> {
    if shell.env.fds.get(1).is_none() { done(0) } else { shell.print(b"caller", text) }
}
