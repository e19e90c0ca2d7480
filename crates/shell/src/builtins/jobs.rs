//! `jobs`, `fg`, `bg` (XCU jobs, fg, bg), bash's `disown`, `suspend`. There is no job control: jobs are listed and
//! waited for, and are never stopped.

use hookshell_syntax::ast::Argument;
use hookshell_text::{integer, quote};
use hookshell_utility::Args;

use super::control::too_many_arguments;
use super::help::invalid_option;
use super::{done, options};
use crate::context::Text;
use crate::flow::Flow;
use crate::jobs::JobEntry;
use crate::shell::Shell;

/// The job of an operand: with or without `%`, as bash reads it here.
fn find<'a>(shell: &'a Shell, operand: &[u8]) -> Option<&'a JobEntry> {
    if operand.starts_with(b"%") {
        return shell.jobs.by_spec(operand);
    }
    if operand.is_empty() {
        return None;
    }
    shell.jobs.by_spec(&[b"%", operand].concat())
}

/// `jobs [-lnprs] [jobspec …]`, `jobs -x command [argument …]`
pub(super) fn jobs(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"jobs";
    if args.get(1) == Some(b"-x") {
        return run_with_ids(shell, args);
    }
    let (letters, first) = match options(shell, args, b"lnprs") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    // Nothing here can be stopped, and no job has changed since bash would have told (it tells only in a terminal).
    let nothing = letters.contains(&b's') || letters.contains(&b'n');
    let form = letters.iter().rev().find(|l| matches!(l, b'l' | b'p')).copied();
    let mut output = Vec::new();
    let mut status = 0;
    if first >= args.len() {
        if !nothing {
            for entry in shell.jobs.listed() {
                describe(shell, entry, form, &mut output);
            }
        }
        return shell.print(NAME, &output);
    }
    for operand in args.iter_from(first) {
        let found = find(shell, operand);
        match found {
            Some(entry) if !nothing => describe(shell, entry, form, &mut output),
            Some(_) => {}
            None => {
                let message = [operand, b": no such job"].concat();
                shell.print_before_error(&mut output);
                shell.builtin_error(NAME, message);
                status = 1;
            }
        }
    }
    shell.print(NAME, &output).map_continue(|printed| if printed == 0 { status } else { printed })
}

/// One line of the list.
fn describe(shell: &Shell, entry: &JobEntry, form: Option<u8>, out: &mut Vec<u8>) {
    let id = entry.job.id();
    if form == Some(b'p') {
        out.extend_from_slice(format!("{id}\n").as_bytes());
        return;
    }
    let is = |spec: &[u8]| shell.jobs.by_spec(spec).is_some_and(|other| other.number == entry.number);
    let mark = match (is(b"%+"), is(b"%-")) {
        (true, _) => '+',
        (_, true) => '-',
        _ => ' ',
    };
    let id = if form == Some(b'l') { format!("{id:5}") } else { String::new() };
    let (state, suffix) = match entry.job.try_status() {
        None => ("Running".to_owned(), " &"),
        Some(0) => ("Done".to_owned(), ""),
        Some(status) => (format!("Exit {status}"), ""),
    };
    out.extend_from_slice(format!("[{}]{mark} {id} {state:<24}", entry.number).as_bytes());
    out.extend_from_slice(&entry.command);
    out.extend_from_slice(suffix.as_bytes());
    out.push(b'\n');
}

/// `jobs -x`: runs a command with the ids of jobs in place of `%…`.
fn run_with_ids(shell: &mut Shell, args: &Args) -> Flow<u8> {
    if args.len() < 3 {
        return done(0);
    }
    let mut text = Vec::new();
    for word in args.iter_from(2) {
        match word.strip_prefix(b"%").and_then(|_| shell.jobs.by_spec(word)) {
            Some(entry) => text.extend_from_slice(entry.job.id().to_string().as_bytes()),
            None => quote::single(word, &mut text),
        }
        text.push(b' ');
    }
    shell.run_text(&text, Text::Builtin("jobs -x"))?;
    done(shell.env.status)
}

/// bash: `disown [-h] [-ar] [jobspec … | pid …]`: no signal is sent to jobs when the shell ends, so that `-h` changes
/// nothing; without it the jobs leave the table.
pub(super) fn disown(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"disown";
    let (letters, first) = match options(shell, args, b"ahr") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    let keep = letters.contains(&b'h');
    if first >= args.len() {
        let gone: Vec<u32> = if letters.contains(&b'a') || letters.contains(&b'r') {
            shell.jobs.listed().map(|entry| entry.job.id()).collect()
        } else if let Some(current) = shell.jobs.by_spec(b"%+") {
            vec![current.job.id()]
        } else {
            shell.builtin_error(NAME, "current: no such job");
            return done(1);
        };
        if !keep {
            gone.into_iter().for_each(|id| shell.jobs.disown(id));
        }
        return done(0);
    }
    let mut status = 0;
    for operand in args.iter_from(first) {
        let found = match integer::parse_integer(operand).and_then(|id| u32::try_from(id).ok()) {
            Some(id) => shell.jobs.by_id(id),
            None => find(shell, operand),
        };
        match found.map(|entry| entry.job.id()) {
            Some(id) if !keep => shell.jobs.disown(id),
            Some(_) => {}
            None => {
                shell.builtin_error(NAME, [operand, b": no such job"].concat());
                status = 1;
            }
        }
    }
    done(status)
}

/// `fg [job_spec]`, bash: `%job`: needs job control.
pub(super) fn fg(shell: &mut Shell, _: &Args, _: &[Argument]) -> Flow<u8> {
    no_job_control(shell, b"fg", "no job control")
}

/// `bg [job_spec …]`: needs job control.
pub(super) fn bg(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    no_job_control(shell, &args[0], "no job control")
}

fn no_job_control(shell: &mut Shell, builtin: &[u8], message: &str) -> Flow<u8> {
    shell.builtin_error(builtin, message);
    done(1)
}

/// bash: `suspend [-f]`: a guest cannot stop its host, not even with `-f`.
pub(super) fn suspend(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    match args.get(1) {
        None | Some(b"-f" | b"--") => no_job_control(shell, &args[0], "cannot suspend: no job control"),
        Some([b'-', letter, ..]) => {
            let option = [b'-', *letter];
            done(invalid_option(shell, b"suspend", &option))
        }
        Some(_) => too_many_arguments(shell, b"suspend"),
    }
}
