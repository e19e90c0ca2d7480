//! `wait` (XCU wait)

use std::ops::ControlFlow;

use hookshell_syntax::ast::Argument;
use hookshell_text::integer;
use hookshell_utility::{Args, CancelReason};

use super::done;
use super::help::invalid_option;
use super::letters::Letters;
use crate::flow::{Divert, Flow, divert};
use crate::interpreter::reference::Reference;
use crate::jobs::Job;
use crate::options::Opt;
use crate::shell::Shell;

/// The status of what INT has ended.
const INTERRUPTED: u8 = 130;

/// `wait [-fn] [-p var] [id …]`
pub(super) fn wait(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let flow = wait_for(shell, args);
    // bash: to the EXIT trap an INT is what `wait` has ended with; other signals leave `$?` as it was before.
    if flow == ControlFlow::Break(Divert::Stop)
        && shell.host.cancel.reason() == Some(CancelReason::Interrupted)
        && shell.is_process_of_its_own()
    {
        shell.env.status = INTERRUPTED;
        shell.scratch.interrupted_wait = true;
    }
    flow
}

fn wait_for(shell: &mut Shell, args: &Args) -> Flow<u8> {
    let mut next = false;
    let mut variable: Option<Vec<u8>> = None;
    let mut letters = Letters::of(args);
    while let Some(letter) = letters.next() {
        match letter {
            b'n' => next = true,
            b'f' => {}
            b'p' => match letters.value(shell, letter) {
                Ok(name) => variable = Some(name.to_vec()),
                Err(status) => return done(status),
            },
            other => return done(invalid_option(shell, b"wait", &[b'-', other])),
        }
    }
    let index = letters.operands();
    if let Some(name) = &variable {
        let Some(reference) = shell.reference_of_word(name)?.filter(|reference| shell.is_assignable(reference)) else {
            shell.builtin_error(b"wait", [b"`", &**name, b"': not a valid identifier"].concat());
            return done(1);
        };
        // Where no job is waited for, the variable is unset.
        if let Reference::Variable(id) = reference
            && !super::unset::unset_variable(shell, b"wait", id)
        {
            return done(1);
        }
    }
    // It is unset where there is nothing to say.
    if let Some(variable) = &variable {
        let id = shell.vars.slot_bytes(variable);
        if !shell.vars.get(id).is_some_and(|v| v.attributes.has(crate::vars::Attributes::READONLY)) {
            *shell.vars.change(id) = None;
        }
    }
    if next {
        return wait_next(shell, args, index, variable);
    }
    if index >= args.len() {
        let jobs = shell.jobs.begin_waiting(shell.env.background_id);
        for job in jobs {
            match shell.wait_for_job_or_signal(&job)? {
                Some(status) => {
                    shell.report_jobs();
                    shell.jobs.forget(job.id());
                    shell.end_coprocess(job.id());
                    shell.jobs.remember(job.id(), status);
                }
                None => return interrupted(shell),
            }
        }
        shell.end_ended_coprocesses();
        // XCU wait: the statuses of all of them may be forgotten now, and bash does.
        shell.jobs.forget_statuses();
        return done(0);
    }
    let mut status = 0;
    for operand in args.iter_from(index) {
        status = match find(shell, operand) {
            Target::Job(job) => match shell.wait_for_job_or_signal(&job)? {
                Some(status) => {
                    shell.report_jobs();
                    shell.jobs.remember(job.id(), status);
                    shell.jobs.waited_for(job.id());
                    shell.end_coprocess(job.id());
                    // XCU wait: its status may be asked for once; bash keeps it outside of POSIX mode.
                    if shell.opt(Opt::Posix) && !operand.starts_with(b"%") {
                        shell.jobs.clean_up();
                        shell.jobs.forget_status(job.id());
                    }
                    set_id(shell, variable.as_deref(), job.id())?;
                    status
                }
                None => return interrupted(shell),
            },
            Target::Ended(id, status) => {
                if shell.opt(Opt::Posix) {
                    shell.jobs.forget_status(id);
                }
                set_id(shell, variable.as_deref(), id)?;
                status
            }
            Target::Unknown(message) => {
                shell.builtin_error(b"wait", message);
                127
            }
            Target::Invalid(message) => {
                shell.builtin_error(b"wait", message);
                1
            }
        };
    }
    done(status)
}

/// `-p`: the variable gets the id that was waited for.
fn set_id(shell: &mut Shell, variable: Option<&[u8]>, id: u32) -> Flow {
    let Some(name) = variable else { return crate::flow::NEXT };
    match shell.reference_of_word(name)? {
        Some(reference) => shell.assign_reference(&reference, id.to_string().into_bytes(), false),
        None => crate::flow::NEXT,
    }
}

enum Target {
    Job(Job),
    /// Its id and status.
    Ended(u32, u8),
    Unknown(Vec<u8>),
    Invalid(Vec<u8>),
}

fn find(shell: &Shell, operand: &[u8]) -> Target {
    if operand.starts_with(b"%") {
        return match shell.jobs.by_spec(operand) {
            Ok(entry) => Target::Job(entry.job.clone()),
            Err(reason) => Target::Unknown(super::jobs::no_job(operand, reason)),
        };
    }
    let Some(id) = integer::parse_integer(operand).and_then(|id| u32::try_from(id).ok()) else {
        return Target::Invalid([b"`", operand, b"': not a pid or valid job spec"].concat());
    };
    if let Some(entry) = shell.jobs.by_id(id) {
        return Target::Job(entry.job.clone());
    }
    match shell.jobs.remembered(id) {
        Some(status) => Target::Ended(id, status),
        None => Target::Unknown(format!("pid {id} is not a child of this shell").into_bytes()),
    }
}

/// A trapped signal ends the waiting: the status says which (XCU 2.12).
fn interrupted(shell: &mut Shell) -> Flow<u8> {
    let signals = shell.host.run.take_signals(shell.context.subshell.id);
    let status = signals.first().map_or(0, |signal| 128u8.saturating_add(u8::try_from(*signal).unwrap_or(0)));
    shell.env.status = status;
    for signal in signals {
        shell.deliver(signal)?;
    }
    done(status)
}

/// Has somebody been told how the job has ended?
fn is_told(shell: &Shell, job: &Job) -> bool {
    shell.jobs.by_id(job.id()).is_some_and(|entry| entry.is_told())
}

/// `wait -n`: the next job that ends. bash looks for its operands in the table of jobs only, and not at the statuses that it
/// remembers.
fn wait_next(shell: &mut Shell, args: &Args, index: usize, variable: Option<Vec<u8>>) -> Flow<u8> {
    let mut jobs: Vec<Job> = Vec::new();
    if index >= args.len() {
        // bash: process substitutions are no jobs.
        let entries = shell.jobs.entries().iter().filter(|entry| entry.number > 0 && !entry.is_told());
        jobs.extend(entries.map(|entry| entry.job.clone()));
    }
    for operand in args.iter_from(index) {
        match find(shell, operand) {
            // One that was waited for is still in the table; a command string has no such.
            Target::Job(job) if !(shell.host.is_command_string && is_told(shell, &job)) => jobs.push(job),
            _ => shell.builtin_error(b"wait", [operand, b": no such job"].concat()),
        }
    }
    if jobs.iter().all(|job| is_told(shell, job)) {
        return done(127);
    }
    loop {
        let ended = jobs.iter().find_map(|job| job.try_status().map(|status| (job, status)));
        // What the job has sent before it ended is there when its end is seen. Its end itself interrupts nothing.
        shell.take_process_signals();
        // The signal that has ended the job may have been for this shell too.
        if shell.is_stopping() {
            return divert(Divert::Stop);
        }
        if let Some((job, status)) = ended
            && !(shell.has_signal_to_wake()
                && shell.host.run.has_other_signal_for(shell.context.subshell.id, crate::traps::SIGCHLD))
        {
            let id = job.id();
            shell.report_jobs();
            shell.jobs.forget(id);
            shell.end_coprocess(id);
            shell.jobs.remember(id, status);
            set_id(shell, variable.as_deref(), id)?;
            return done(status);
        }
        if shell.has_signal_to_wake() {
            return interrupted(shell);
        }
        shell.checkpoint()?;
        let _ = shell.context.interrupt.sleep(std::time::Duration::from_millis(2));
    }
}
