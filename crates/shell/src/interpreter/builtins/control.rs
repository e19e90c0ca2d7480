//! `break`, `continue`, `return`, `exit`, `shift`.

use std::sync::Arc;

use hookshell_syntax::ast::Argument;
use hookshell_text::integer;
use hookshell_utility::Args;

use super::{USAGE, done};
use crate::flow::{Divert, Flow, divert};
use crate::options::Opt;
use crate::shell::Shell;

/// bash: too many operands drop the rest of the script's unit, and a command string as a whole.
pub(super) fn too_many_arguments(shell: &mut Shell, name: &[u8]) -> Flow<u8> {
    shell.builtin_error(name, "too many arguments");
    shell.env.status = 1;
    divert(if shell.host.is_command_string { Divert::Exit } else { Divert::TopLevel })
}

/// The operand of `break` and `continue`: how many loops. `Err` is what the command ends with.
fn levels(shell: &mut Shell, args: &Args) -> Result<u32, Flow<u8>> {
    let name = args[0].to_vec();
    if shell.context.loops() == 0 {
        if !shell.opt(Opt::Posix) {
            shell.builtin_error(&name, "only meaningful in a `for', `while', or `until' loop");
        }
        return Err(done(0));
    }
    let first = if args.get(1) == Some(b"--") { 2 } else { 1 };
    let operand = args.get(first);
    let count = match operand {
        None => 1,
        Some(word) => match integer::parse_integer(word) {
            Some(count) => count,
            None => {
                shell.builtin_error(&name, [word, b": numeric argument required"].concat());
                // bash ends the shell with 128 here.
                shell.env.status = 128;
                return Err(divert(Divert::Exit));
            }
        },
    };
    if args.len() > first + 1 {
        return Err(too_many_arguments(shell, &name));
    }
    if count <= 0 {
        let word = operand.unwrap_or_default();
        shell.builtin_error(&name, [word, b": loop count out of range"].concat());
        shell.env.status = 1;
        return Err(divert(Divert::Break(shell.context.loops())));
    }
    Ok(u32::try_from(count).unwrap_or(u32::MAX).min(shell.context.loops()))
}

/// `break [n]` (XCU break)
pub(super) fn break_(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    match levels(shell, args) {
        Ok(levels) => {
            shell.env.status = 0;
            divert(Divert::Break(levels))
        }
        Err(flow) => flow,
    }
}

/// `continue [n]` (XCU continue)
pub(super) fn continue_(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    match levels(shell, args) {
        Ok(levels) => {
            shell.env.status = 0;
            divert(Divert::Continue(levels))
        }
        Err(flow) => flow,
    }
}

/// What `exit` and `return` without an operand end with: `$?`, in a trap's action that of the command before it (bash:
/// `exit` in the action of EXIT only).
fn implicit_status(shell: &Shell, name: &[u8]) -> u8 {
    let applies = if name == b"exit" {
        shell.opt(Opt::Posix) || shell.traps.is_running_exit()
    } else {
        // Of a function that the action calls, the status is its own.
        shell.traps.depth_before() == shell.context.frames.functions()
    };
    shell.traps.status_before().filter(|_| applies).unwrap_or(shell.env.status)
}

/// The status operand of `exit` and `return`: the low eight bits.
fn status_operand(shell: &mut Shell, args: &Args) -> Result<u8, Flow<u8>> {
    let name = args[0].to_vec();
    let first = if args.get(1) == Some(b"--") { 2 } else { 1 };
    match args.get(first) {
        None => Ok(implicit_status(shell, &name)),
        Some(word) => match integer::parse_integer(word) {
            Some(_) if args.len() > first + 1 => Err(too_many_arguments(shell, &name)),
            Some(value) => Ok((value & 0xff) as u8),
            None => {
                shell.builtin_error(&name, [word, b": numeric argument required"].concat());
                shell.env.status = USAGE;
                if name == b"exit" { Err(divert(Divert::Exit)) } else { Err(divert(Divert::Return)) }
            }
        },
    }
}

/// `return [n]` (XCU return)
pub(super) fn return_(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    if !shell.context.frames.has_calls() {
        shell.builtin_error(b"return", "can only `return' from a function or sourced script");
        shell.scratch.special_failed = true;
        return done(USAGE);
    }
    match status_operand(shell, args) {
        Ok(status) => {
            shell.scratch.status_before_return = shell.env.status;
            shell.scratch.line_of_return = shell.context.line;
            shell.env.status = status;
            divert(Divert::Return)
        }
        Err(flow) => flow,
    }
}

/// `exit [n]` (XCU exit)
pub(super) fn exit(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    match status_operand(shell, args) {
        Ok(status) => {
            shell.env.status = status;
            if shell.context.frames.functions() > 0 {
                // The EXIT trap sees the locals and parameters of the function that exits.
                shell.run_exit_trap()?;
            }
            divert(Divert::Exit)
        }
        Err(flow) => flow,
    }
}

/// `shift [n]` (XCU shift)
pub(super) fn shift(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let first = if args.get(1) == Some(b"--") { 2 } else { 1 };
    let count = match args.get(first) {
        None => 1,
        Some(word) => match integer::parse_integer(word) {
            Some(count) => count,
            None => {
                shell.builtin_error(b"shift", [word, b": numeric argument required"].concat());
                return done(1);
            }
        },
    };
    if args.len() > first + 1 {
        return too_many_arguments(shell, b"shift");
    }
    let Ok(count) = usize::try_from(count) else {
        shell.builtin_error(b"shift", format!("{count}: shift count out of range"));
        return done(1);
    };
    if count > shell.env.positional.len() {
        if shell.opt(Opt::ShiftVerbose) || shell.opt(Opt::Posix) {
            shell.builtin_error(b"shift", format!("{count}: shift count out of range"));
        }
        return done(1);
    }
    shell.env.positional.start += count;
    // A loop that shifts a long list away gives its memory back once half of it is gone.
    if shell.env.positional.start > 256 && shell.env.positional.start * 2 > shell.env.positional.args.len() {
        let start = std::mem::take(&mut shell.env.positional.start);
        Arc::make_mut(&mut shell.env.positional.args).remove_front(start);
    }
    done(0)
}
