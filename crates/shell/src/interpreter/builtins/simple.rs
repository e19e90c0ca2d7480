//! `:`, `true`, `false`, `let`, `times`.

use hookshell_process::system;
use hookshell_syntax::ast::Argument;
use hookshell_utility::Args;

use super::{done, options};
use crate::flow::Flow;
use crate::shell::Shell;

/// `:` (XCU colon)
pub(super) fn colon(_: &mut Shell, _: &Args, _: &[Argument]) -> Flow<u8> {
    done(0)
}

/// `true` (XCU true)
pub(super) fn true_(_: &mut Shell, _: &Args, _: &[Argument]) -> Flow<u8> {
    done(0)
}

/// `false` (XCU false)
pub(super) fn false_(_: &mut Shell, _: &Args, _: &[Argument]) -> Flow<u8> {
    done(1)
}

/// bash: `let expression …`: 0 when the last one is not 0.
pub(super) fn let_(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let first = if args.get(1) == Some(b"--") { 2 } else { 1 };
    if args.len() <= first {
        shell.builtin_error(b"let", "expression expected");
        return done(1);
    }
    let mut value = 0;
    for expression in args.iter_from(first) {
        let Some(result) = shell.evaluate_text_for(expression, "let")? else { return done(1) };
        value = result;
    }
    done(u8::from(value == 0))
}

/// `times` (XCU times)
pub(super) fn times(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    if let Err(status) = options(shell, args, b"") {
        return done(status);
    }
    let times = system::cpu_times();
    let text = |time: std::time::Duration| format!("{}m{:.3}s", time.as_secs() / 60, time.as_secs_f64() % 60.0);
    let output = format!(
        "{} {}\n{} {}\n",
        text(times.user),
        text(times.system),
        text(times.children_user),
        text(times.children_system)
    );
    shell.print(b"times", output.as_bytes())
}
