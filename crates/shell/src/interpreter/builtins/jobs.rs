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
use crate::jobs::{JobEntry, NoJob};
use crate::shell::Shell;

/// The job of an operand: with or without `%`, as bash reads it here. Where there is none, the message is written.
fn find<'a>(shell: &'a mut Shell, name: &[u8], operand: &[u8]) -> Option<&'a JobEntry> {
    let spec =
        if operand.is_empty() || operand.starts_with(b"%") { operand.to_vec() } else { [b"%", operand].concat() };
    match shell.jobs.by_spec(&spec) {
        Ok(_) => shell.jobs.by_spec(&spec).ok(),
        Err(reason) => {
            let message = no_job(operand, reason);
            shell.builtin_error(name, message);
            None
        }
    }
}

/// Why an operand names no job.
pub(super) fn no_job(operand: &[u8], reason: NoJob) -> Vec<u8> {
    match reason {
        NoJob::Unknown => [operand, b": no such job"].concat(),
        NoJob::Ambiguous => {
            let name = operand.strip_prefix(b"%").unwrap_or(operand);
            [name.strip_prefix(b"?").unwrap_or(name), b": ambiguous job spec"].concat()
        }
    }
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
    if first >= args.len() {
        shell.jobs.clean_up();
    }
    let form = letters.iter().rev().find(|l| matches!(l, b'l' | b'p')).copied();
    let has = |letter: u8| letters.contains(&letter);
    // Nothing here can be stopped. What has changed since the shell has told of it are the ends of jobs.
    let is_shown =
        |entry: &JobEntry| !(has(b's') || has(b'r') && !entry.is_running() || has(b'n') && entry.is_running());
    let mut output = Vec::new();
    let mut shown = Vec::new();
    let mut status = 0;
    if first >= args.len() {
        for entry in shell.jobs.listed().filter(|entry| is_shown(entry)) {
            describe(shell, entry, form, &mut output);
            shown.push(entry.job.id());
        }
    }
    for operand in args.iter_from(first) {
        shell.print_before_error(&mut output);
        match find(shell, NAME, operand).cloned() {
            Some(entry) if is_shown(&entry) => {
                describe(shell, &entry, form, &mut output);
                if form != Some(b'p') {
                    shell.jobs.set_told(|told| told.job.id() == entry.job.id());
                }
            }
            Some(_) => {}
            None => status = 1,
        }
        // bash: whoever asks for one job by its name learns of its end once.
        shell.jobs.clean_up();
    }
    if form != Some(b'p') {
        shell.jobs.set_told(|entry| shown.contains(&entry.job.id()));
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
    let mark = shell.jobs.mark(entry);
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
        match shell.jobs.by_spec(word) {
            Ok(entry) => text.extend_from_slice(entry.job.id().to_string().as_bytes()),
            Err(_) => quote::single(word, &mut text),
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
            let is_running_only = letters.contains(&b'r');
            let listed = shell.jobs.listed().filter(|entry| !is_running_only || entry.is_running());
            listed.map(|entry| entry.job.id()).collect()
        } else if let Ok(current) = shell.jobs.by_spec(b"%+") {
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
            Some(id) => {
                let found = shell.jobs.by_id(id).map(|entry| entry.job.id());
                if found.is_none() {
                    shell.builtin_error(NAME, no_job(operand, NoJob::Unknown));
                }
                found
            }
            None => find(shell, NAME, operand).map(|entry| entry.job.id()),
        };
        match found {
            Some(id) if !keep => shell.jobs.disown(id),
            Some(_) => {}
            None => status = 1,
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
