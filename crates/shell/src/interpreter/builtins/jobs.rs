//! `jobs`, `fg`, `bg` (XCU jobs, fg, bg), bash's `disown`, `suspend`.

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
    shell.notice_stopped_jobs();
    // What has changed since the shell has told of it are ends, and stops.
    let is_shown = |entry: &JobEntry| {
        let (is_alive, is_stopped) = (entry.is_alive(), entry.job.stopped_by().is_some());
        !(has(b's') && !is_stopped
            || has(b'r') && (!is_alive || is_stopped)
            || has(b'n') && is_alive && !entry.is_news_of_stop())
    };
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
                shown.push(entry.job.id());
            }
            Some(_) => {}
            None => status = 1,
        }
    }
    if form != Some(b'p') {
        shell.jobs.set_told(|entry| shown.contains(&entry.job.id()));
        shell.jobs.set_stop_told(|entry| shown.contains(&entry.job.id()));
    }
    shell.print(NAME, &output).map_continue(|printed| if printed == 0 { status } else { printed })
}

/// One line of the list.
pub(crate) fn describe(shell: &Shell, entry: &JobEntry, form: Option<u8>, out: &mut Vec<u8>) {
    let id = entry.job.id();
    if form == Some(b'p') {
        // bash: that of the process which leads its group.
        out.extend_from_slice(format!("{}\n", entry.job.group_id()).as_bytes());
        return;
    }
    let mark = shell.jobs.mark(entry);
    let id = if form == Some(b'l') { format!("{id:5}") } else { String::new() };
    let (state, suffix) = match entry.job.try_status() {
        None => match entry.job.stopped_by() {
            // bash: how it was stopped stands in the long form.
            Some(signal) if form == Some(b'l') => (hookshell_process::signals::description(signal).into_owned(), ""),
            Some(_) => ("Stopped".to_owned(), ""),
            None => ("Running".to_owned(), " &"),
        },
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
            let is_running = |entry: &&JobEntry| entry.is_alive() && entry.job.stopped_by().is_none();
            let listed = shell.jobs.listed().filter(|entry| !is_running_only || is_running(entry));
            listed.map(|entry| entry.job.id()).collect()
        } else if let Ok(current) = shell.jobs.by_spec(b"%+") {
            vec![current.job.id()]
        } else {
            shell.builtin_error(NAME, "current: no such job");
            return done(1);
        };
        if !keep {
            gone.into_iter().for_each(|id| drop_job(shell, id));
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
            Some(id) if !keep => drop_job(shell, id),
            Some(_) => {}
            None => status = 1,
        }
    }
    done(status)
}

/// Takes a job out of the table. bash says so of one that is stopped, since nobody may let it go on then.
fn drop_job(shell: &mut Shell, id: u32) {
    let stopped = shell.jobs.by_id(id).filter(|entry| entry.job.stopped_by().is_some());
    if let Some((number, group)) = stopped.map(|entry| (entry.number, entry.job.group_id())) {
        shell.error(format!("warning: deleting stopped job {number} with process group {group}"));
    }
    shell.jobs.disown(id);
}

/// `fg [job_spec]`, bash: `%job`: needs job control.
pub(super) fn fg(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"fg";
    if !shell.has_job_control() {
        return no_job_control(shell, NAME, "no job control");
    }
    let operand = match args.get(0) {
        Some(name) if name.starts_with(b"%") => Some(name.to_vec()),
        _ => match options(shell, args, b"") {
            Ok((_, first)) => args.get(first).map(<[u8]>::to_vec),
            Err(status) => return done(status),
        },
    };
    let Some(entry) = find_or_current(shell, NAME, operand.as_deref()) else { return done(1) };
    if !entry.is_alive() {
        shell.builtin_error(NAME, "job has terminated");
        return done(1);
    }
    let printed = shell.print(NAME, &[&*entry.command, b"\n"].concat())?;
    if printed != 0 {
        return done(printed);
    }
    shell.jobs.set_current(entry.number);
    if entry.job.stopped_by().is_some() {
        shell.continue_job(&entry);
    }
    if shell.wait_unless_stopped(&entry.job)? {
        shell.jobs.forget(entry.job.id());
        shell.jobs.remember(entry.job.id(), shell.env.status);
    } else {
        // It is a job already.
        (shell.scratch.stopped, shell.scratch.death) = (None, None);
    }
    done(shell.env.status)
}

/// `bg [job_spec …]`: needs job control.
pub(super) fn bg(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"bg";
    if !shell.has_job_control() {
        return no_job_control(shell, &args[0], "no job control");
    }
    let first = match options(shell, args, b"") {
        Ok((_, first)) => first,
        Err(status) => return done(status),
    };
    let mut operands: Vec<Option<Vec<u8>>> = args.iter_from(first).map(|word| Some(word.to_vec())).collect();
    if operands.is_empty() {
        operands.push(None);
    }
    let mut status = 0;
    for operand in operands {
        let Some(entry) = find_or_current(shell, NAME, operand.as_deref()) else {
            status = 1;
            continue;
        };
        if !entry.is_alive() {
            shell.builtin_error(NAME, "job has terminated");
            status = 1;
        } else if entry.job.stopped_by().is_none() {
            shell.builtin_error(NAME, format!("job {} already in background", entry.number));
        } else {
            let line = format!("[{}]{} ", entry.number, shell.jobs.mark(&entry));
            shell.continue_job(&entry);
            shell.jobs.reset_current();
            let printed = shell.print(NAME, &[line.as_bytes(), &entry.command, b" &\n"].concat())?;
            status = if status == 0 { printed } else { status };
        }
    }
    done(status)
}

/// The job of an operand, or the current one. Where there is none, the message is written.
fn find_or_current(shell: &mut Shell, name: &[u8], operand: Option<&[u8]>) -> Option<JobEntry> {
    if let Some(operand) = operand {
        return find(shell, name, operand).cloned();
    }
    let current = shell.jobs.by_spec(b"%+").ok().cloned();
    if current.is_none() {
        shell.builtin_error(name, "current: no such job");
    }
    current
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
