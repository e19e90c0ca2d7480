//! `wait` (XCU wait)

use hookshell_syntax::ast::Argument;

use super::{USAGE, done};
use crate::args::Args;
use crate::flow::Flow;
use crate::jobs::Job;
use crate::shell::Shell;
use crate::text::integer;

/// `wait [-fn] [-p var] [id …]`
pub(super) fn wait(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let mut next = false;
    let mut variable: Option<Vec<u8>> = None;
    let mut index = 1;
    while let Some(word) = args.get(index) {
        match word {
            b"--" => {
                index += 1;
                break;
            }
            b"-n" => next = true,
            b"-f" => {}
            b"-p" => {
                index += 1;
                variable = args.get(index).map(<[u8]>::to_vec);
            }
            [b'-', letter, ..] => {
                shell.builtin_error(b"wait", format!("-{}: invalid option", char::from(*letter)));
                shell.write_error(b"wait: usage: wait [-fn] [-p var] [id ...]\n");
                return done(USAGE);
            }
            _ => break,
        }
        index += 1;
    }
    if next {
        return wait_next(shell, args, index, variable);
    }
    if index >= args.len() {
        let jobs: Vec<Job> = shell.jobs.entries().iter().map(|entry| entry.job.clone()).collect();
        for job in jobs {
            match shell.wait_for_job_or_signal(&job)? {
                Some(status) => {
                    shell.jobs.forget(job.id());
                    shell.jobs.remember(job.id(), status);
                }
                None => return interrupted(shell),
            }
        }
        return done(0);
    }
    let mut status = 0;
    for operand in args.iter_from(index) {
        status = match find(shell, operand) {
            Target::Job(job) => match shell.wait_for_job_or_signal(&job)? {
                Some(status) => {
                    shell.jobs.forget(job.id());
                    shell.jobs.remember(job.id(), status);
                    if let Some(variable) = &variable {
                        shell.set_variable(variable, job.id().to_string().as_bytes())?;
                    }
                    status
                }
                None => return interrupted(shell),
            },
            Target::Ended(status) => status,
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

enum Target {
    Job(Job),
    Ended(u8),
    Unknown(Vec<u8>),
    Invalid(Vec<u8>),
}

fn find(shell: &Shell, operand: &[u8]) -> Target {
    if operand.starts_with(b"%") {
        return match shell.jobs.by_spec(operand) {
            Some(entry) => Target::Job(entry.job.clone()),
            None => Target::Unknown([operand, b": no such job"].concat()),
        };
    }
    let Some(id) = integer::parse_integer(operand).and_then(|id| u32::try_from(id).ok()) else {
        return Target::Invalid([b"`", operand, b"': not a pid or valid job spec"].concat());
    };
    if let Some(entry) = shell.jobs.by_id(id) {
        return Target::Job(entry.job.clone());
    }
    match shell.jobs.remembered(id) {
        Some(status) => Target::Ended(status),
        None => Target::Unknown(format!("pid {id} is not a child of this shell").into_bytes()),
    }
}

/// A trapped signal ends the waiting: the status says which (XCU 2.12).
fn interrupted(shell: &mut Shell) -> Flow<u8> {
    let signals = shell.host.run.take_signals(shell.own_id);
    let status = signals.first().map_or(0, |signal| 128u8.saturating_add(u8::try_from(*signal).unwrap_or(0)));
    shell.status = status;
    for signal in signals {
        shell.deliver(signal)?;
    }
    done(status)
}

/// `wait -n`: the next job that ends.
fn wait_next(shell: &mut Shell, args: &Args, index: usize, variable: Option<Vec<u8>>) -> Flow<u8> {
    let mut jobs: Vec<Job> = Vec::new();
    if index >= args.len() {
        jobs.extend(shell.jobs.entries().iter().map(|entry| entry.job.clone()));
    }
    for operand in args.iter_from(index) {
        match find(shell, operand) {
            Target::Job(job) => jobs.push(job),
            Target::Ended(status) => return done(status),
            Target::Unknown(message) | Target::Invalid(message) => shell.builtin_error(b"wait", message),
        }
    }
    if jobs.is_empty() {
        return done(127);
    }
    loop {
        if let Some((job, status)) = jobs.iter().find_map(|job| job.try_status().map(|status| (job, status))) {
            let id = job.id();
            shell.jobs.forget(id);
            shell.jobs.remember(id, status);
            if let Some(variable) = &variable {
                shell.set_variable(variable, id.to_string().as_bytes())?;
            }
            return done(status);
        }
        if shell.has_signal_to_handle() {
            return interrupted(shell);
        }
        shell.checkpoint()?;
        let _ = shell.interrupt.sleep(std::time::Duration::from_millis(2));
    }
}
