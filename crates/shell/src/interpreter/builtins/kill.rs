//! `kill` (XCU kill). It reaches the environments of this run and our own children, and nothing else of the host's; in
//! `hookshell sh` it is the system's `kill`.

use hookshell_process::signals;
use hookshell_syntax::Dialect;
use hookshell_syntax::ast::Argument;
use hookshell_text::integer;
use hookshell_utility::Args;

use super::help::usage;
use super::{USAGE, done};
use crate::flow::Flow;
use crate::options::Opt;
use crate::shell::Shell;

const SIGTERM: i32 = 15;

/// XCU kill has names without the SIG only, and bash keeps to that in POSIX mode.
fn signal_number(shell: &Shell, name: &[u8]) -> Option<i32> {
    if name == b"0" || name.eq_ignore_ascii_case(b"EXIT") {
        return Some(0);
    }
    let is_bash_posix = shell.env.dialect == Dialect::Bash && shell.opt(Opt::Posix);
    if is_bash_posix && name.get(..3).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"SIG")) {
        return None;
    }
    std::str::from_utf8(name).ok().and_then(signals::number)
}

/// `kill [-s name|-n number|-name] id …`, `kill -l [status …]`
pub(super) fn kill(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let mut signal = SIGTERM;
    let mut index = 1;
    match args.get(1) {
        Some(b"-l" | b"-L") => return list(shell, args),
        Some(b"-s" | b"-n") => {
            let Some(name) = args.get(2) else {
                let option = args[1].to_vec();
                shell.builtin_error(b"kill", [&*option, b": option requires an argument"].concat());
                return done(1);
            };
            match signal_number(shell, name) {
                Some(number) => signal = number,
                None => {
                    shell.builtin_error(b"kill", [name, b": invalid signal specification"].concat());
                    return done(1);
                }
            }
            index = 3;
        }
        Some(b"--") => index = 2,
        Some(b"-?") => {
            usage(shell, b"kill");
            return done(USAGE);
        }
        Some([b'-', name @ ..]) => {
            match signal_number(shell, name.strip_prefix(b"s").filter(|n| n.len() > 2).unwrap_or(name))
                .or_else(|| signal_number(shell, name))
            {
                Some(number) => signal = number,
                None => {
                    shell.builtin_error(b"kill", [name, b": invalid signal specification"].concat());
                    return done(1);
                }
            }
            index = 2;
        }
        _ => {}
    }
    if args.get(index) == Some(b"--") {
        index += 1;
    }
    if index >= args.len() {
        usage(shell, &args[0]);
        return done(USAGE);
    }
    let mut failed = 0;
    let mut sent = 0;
    for operand in args.iter_from(index) {
        match send(shell, operand, signal) {
            Ok(()) => sent += 1,
            Err(message) => {
                shell.builtin_error(b"kill", message);
                failed += 1;
            }
        }
    }
    // bash: one that was sent is enough.
    done(u8::from(failed > 0 && (sent == 0 || shell.env.dialect == Dialect::Posix)))
}

fn send(shell: &mut Shell, operand: &[u8], signal: i32) -> Result<(), Vec<u8>> {
    let id = if operand.starts_with(b"%") {
        match shell.jobs.by_spec(operand) {
            // It has ended, and nobody was told of that.
            Ok(entry) if !entry.is_running() => return Ok(()),
            Ok(entry) => {
                let id = entry.job.id();
                for stage in shell.host.run.stages_of(id) {
                    reach(shell, stage, signal);
                }
                i64::from(id)
            }
            Err(reason) => return Err(super::jobs::no_job(operand, reason)),
        }
    } else {
        match integer::parse_integer(operand) {
            Some(id) => id,
            None if operand.is_empty() => return Err(b"`': not a pid or valid job spec".to_vec()),
            None => return Err([operand, b": arguments must be process or job IDs"].concat()),
        }
    };
    let nobody = || [b"(", operand, b") - No such process"].concat();
    // 0 means the own group, and -1 everybody: here that is this run.
    let (is_group, is_own_group) = (id < -1, id == 0);
    let id = match id {
        0 => shell.host.process_id,
        id => u32::try_from(id.unsigned_abs()).map_err(|_| nobody())?,
    };
    // Without job control a child stays in the shell's group: no group has its number.
    if is_group && id != shell.host.process_id && !shell.jobs.has_group(id) {
        if !shell.host.is_process {
            return Err(nobody());
        }
        return signals::send_to_group(id, signal).map_err(|error| failed(operand, &error));
    }
    if (is_group || is_own_group) && id == shell.host.process_id {
        if signal != 0 {
            signal_run(shell, signal);
        }
        return Ok(());
    }
    if id == shell.context.subshell.id {
        if signal != 0 {
            shell.signal_oneself(signal);
        }
        return Ok(());
    }
    if reach(shell, id, signal) {
        return Ok(());
    }
    if !shell.host.is_process {
        return Err(nobody());
    }
    let id = shell.host.run.program_of(id).unwrap_or(id);
    signals::send(id, signal).map_err(|error| failed(operand, &error))
}

/// Sends the signal to all that this script has started, and to its shell: they stand in one process group with another shell.
fn signal_run(shell: &mut Shell, signal: i32) {
    let whole = shell.host.cancel.clone();
    shell.host.run.signal_others(shell.context.subshell.id, &whole, signal);
    whole.tree().signal_all(signal);
    // Of a copy of the process the shell itself is another one.
    if shell.host.is_process && shell.host.copy_id.is_some() {
        let _ = signals::send(shell.host.process_id, signal);
    }
    shell.signal_oneself(signal);
}

fn failed(operand: &[u8], error: &std::io::Error) -> Vec<u8> {
    [b"(", operand, b") - ", crate::interpreter::exec::reason(error).as_bytes()].concat()
}

/// Sends the signal to an environment or a process of this run; `false` where that is none.
fn reach(shell: &Shell, id: u32, signal: i32) -> bool {
    match shell.host.run.program_of(id) {
        Some(program) => shell.host.cancel.tree().signal(program, signal).is_ok(),
        None => shell.host.run.signal(id, signal) || shell.host.cancel.tree().signal(id, signal).is_ok(),
    }
}

/// `kill -l`
fn list(shell: &mut Shell, args: &Args) -> Flow<u8> {
    let mut output = Vec::new();
    let mut status = 0;
    // bash: a signal to send is read, and is none of what is listed.
    let first = if args.get(2).is_some_and(|word| word.starts_with(b"-") && word.len() > 1) { 3 } else { 2 };
    if args.len() <= first {
        // XCU kill: names only.
        if shell.opt(Opt::Posix) {
            let names: Vec<&str> =
                signals::all().iter().map(|(name, _)| name.strip_prefix("SIG").unwrap_or(name)).collect();
            output.extend_from_slice(names.join(" ").as_bytes());
            output.push(b'\n');
            return shell.print_unchecked(b"kill", &output);
        }
        for (count, (name, number)) in signals::all().iter().enumerate() {
            let name = name.strip_prefix("SIG").unwrap_or(name);
            output.extend_from_slice(format!("{number:2}) SIG{name}").as_bytes());
            output.push(if count % 5 == 4 { b'\n' } else { b'\t' });
        }
        // bash leaves the tab of an unfinished row.
        if output.last() == Some(&b'\t') {
            output.push(b'\n');
        }
    }
    for operand in args.iter_from(first) {
        let text = match integer::parse_integer(operand) {
            Some(0) => Some("EXIT".to_owned()),
            Some(number) => {
                // An exit status of a command that a signal ended names that signal.
                let number = if number > 128 { number - 128 } else { number };
                i32::try_from(number)
                    .ok()
                    .and_then(signals::name)
                    .map(|n| n.strip_prefix("SIG").unwrap_or(n).to_owned())
            }
            None => signal_number(shell, operand).map(|n| n.to_string()),
        };
        match text {
            Some(text) => {
                output.extend_from_slice(text.as_bytes());
                output.push(b'\n');
            }
            None => {
                shell.print_before_error(&mut output);
                shell.builtin_error(b"kill", [operand, b": invalid signal specification"].concat());
                status = 1;
            }
        }
    }
    shell.print_unchecked(b"kill", &output).map_continue(|printed| if printed == 0 { status } else { printed })
}
