//! `trap` (XCU trap)

use std::sync::Arc;

use hookshell_process::signals;
use hookshell_syntax::Dialect;
use hookshell_syntax::ast::Argument;
use hookshell_text::quote;
use hookshell_utility::Args;

use super::help::usage;
use super::{USAGE, done, options};
use crate::flow::Flow;
use crate::options::Opt;
use crate::shell::Shell;
use crate::traps::{Action, ConditionNumber, condition_name, condition_number};

fn line(shell: &Shell, condition: ConditionNumber, action: &Action, out: &mut Vec<u8>) {
    out.extend_from_slice(b"trap -- ");
    match action {
        Action::Ignore => out.extend_from_slice(b"''"),
        Action::Command(text) => quote::single(text, out),
    }
    end_of_line(shell, condition, out);
}

/// The line of a condition whose action is the default.
fn default_line(shell: &Shell, condition: ConditionNumber, out: &mut Vec<u8>) {
    out.extend_from_slice(b"trap -- -");
    end_of_line(shell, condition, out);
}

fn end_of_line(shell: &Shell, condition: ConditionNumber, out: &mut Vec<u8>) {
    out.push(b' ');
    let name = condition_name(condition);
    // POSIX: without the SIG.
    let short = name.strip_prefix("SIG").filter(|_| shell.opt(Opt::Posix));
    out.extend_from_slice(short.unwrap_or(&name).as_bytes());
    out.push(b'\n');
}

/// `trap [-lp] [action] [condition …]`
pub(super) fn trap(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    // `trap - INT`: the lone minus is an operand.
    let (letters, first) = match options(shell, args, b"lp") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    if letters.contains(&b'l') {
        let mut output = Vec::new();
        for (count, (name, number)) in signals::all().iter().enumerate() {
            let name = name.strip_prefix("SIG").unwrap_or(name);
            output.extend_from_slice(format!("{number:2}) SIG{name}").as_bytes());
            output.push(if count % 5 == 4 { b'\n' } else { b'\t' });
        }
        output.push(b'\n');
        return shell.print(b"trap", &output);
    }
    if first >= args.len() || letters.contains(&b'p') {
        shell.traps.look_at_signals();
        let mut output = Vec::new();
        let mut status = 0;
        if first >= args.len() {
            let set = ordered(shell);
            // XCU trap: `-p` alone shows those at their default too.
            let mut all = Vec::new();
            if letters.contains(&b'p') && shell.opt(Opt::Posix) {
                all.push(crate::traps::EXIT);
                all.extend(1..=signals::all().iter().map(|(_, number)| *number).max().unwrap_or(0));
                all.retain(|condition| signals::name(*condition).is_some() || *condition < 64);
                if shell.env.dialect == Dialect::Bash {
                    all.extend([crate::traps::DEBUG, crate::traps::ERR, crate::traps::RETURN]);
                }
            } else {
                all.extend(set.iter().map(|(condition, _)| *condition));
            }
            for condition in all {
                match set.iter().find(|(other, _)| *other == condition) {
                    Some((_, action)) => line(shell, condition, action, &mut output),
                    None => default_line(shell, condition, &mut output),
                }
            }
        }
        for name in args.iter_from(first) {
            match condition_number(name) {
                Some(condition) => match shell.traps.listed().find(|(listed, _)| *listed == condition) {
                    Some((_, action)) => line(shell, condition, action, &mut output),
                    None if shell.opt(Opt::Posix) => default_line(shell, condition, &mut output),
                    None => {}
                },
                None => {
                    shell.print_before_error(&mut output);
                    shell.builtin_error(b"trap", [name, b": invalid signal specification"].concat());
                    status = 1;
                }
            }
        }
        return shell.print(b"trap", &output).map_continue(|printed| if printed == 0 { status } else { printed });
    }
    let word = &args[first];
    // A number in the place of the action: all operands are conditions that go back to the default.
    let is_number = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    // A name alone goes back to its default; in POSIX mode it is an action without conditions.
    let is_bash_posix = shell.env.dialect == Dialect::Bash && shell.opt(Opt::Posix);
    let alone = args.len() == first + 1 && !is_bash_posix && condition_number(word).is_some();
    let (action, from) = if is_number || alone {
        (None, first)
    } else {
        match word {
            b"-" => (None, first + 1),
            b"" => (Some(Action::Ignore), first + 1),
            text => (Some(Action::Command(Arc::from(text))), first + 1),
        }
    };
    if from >= args.len() {
        usage(shell, b"trap");
        return done(USAGE);
    }
    let mut status = 0;
    for name in args.iter_from(from) {
        match condition_number(name) {
            Some(condition) => shell.set_trap(condition, action.clone()),
            None => {
                shell.builtin_error(b"trap", [name, b": invalid signal specification"].concat());
                status = 1;
            }
        }
    }
    // The conditions have the text in common.
    shell.grew(action.as_ref().map_or(0, Action::bytes))?;
    done(status)
}

/// EXIT, then the signals by number, then bash's own conditions.
fn ordered(shell: &Shell) -> Vec<(ConditionNumber, Action)> {
    let mut all: Vec<(ConditionNumber, Action)> = shell.traps.listed().map(|(c, a)| (c, a.clone())).collect();
    all.sort_by_key(|(condition, _)| match *condition {
        crate::traps::DEBUG => 1000,
        crate::traps::ERR => 1001,
        crate::traps::RETURN => 1002,
        other => other,
    });
    all
}
