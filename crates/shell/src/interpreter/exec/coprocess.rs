//! `coproc` (bash): a background command with pipes to its standard input and from its standard output.

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::ast::{CompoundCommand, Coprocess as CoprocessCommand};
use hookshell_syntax::is_name;
use hookshell_utility::Stream;

use super::compound::print_compound;
use crate::coprocess::Coprocess;
use crate::flow::{Flow, NEXT};
use crate::shell::Shell;
use crate::vars::Value;

/// bash takes the descriptors of coprocesses from here downwards.
const HIGHEST: u32 = 63;

/// The array's name where none is given.
const DEFAULT_NAME: &[u8] = b"COPROC";

impl Shell {
    pub(super) fn run_coprocess(&mut self, compound: &CompoundCommand, command: &CoprocessCommand) -> Flow {
        let name = match &command.name {
            Some(word) => self.expand_to_string(word)?,
            None => DEFAULT_NAME.to_vec(),
        };
        if !is_name(&name) {
            self.error([b"`", &*name, b"': not a valid identifier"].concat());
            self.env.status = 1;
            return NEXT;
        }
        self.env.inherited.coprocesses.retain(|known| known.job.try_status().is_none() || known.is_open(&self.env.fds));
        if let Some(known) = self.env.inherited.coprocesses.iter().find(|known| known.job.try_status().is_none()) {
            let message = format!("warning: execute_coproc: coproc [{}:", known.job.id());
            let message = [message.as_bytes(), &known.name, b"] still exists"].concat();
            self.error(message);
        }
        let (Ok((output, stdout)), Ok((stdin, input))) = (hookshell_process::pipe(), hookshell_process::pipe()) else {
            return self.stop_run("coproc: cannot make a pipe".into());
        };
        // bash makes four descriptors there, and closes the two that are the coprocess's own.
        let mut free = (10..=HIGHEST).rev().filter(|&fd| self.env.fds.get(fd).is_none());
        let (Some(read), Some(write)) = (free.next(), free.nth(2)) else {
            return self.stop_run("coproc: no more descriptors".into());
        };
        let mut shell = self.fork();
        shell.jobs.leave_inherited();
        shell.env.fds.replace(0, Some(Arc::new(Stream::from_private_pipe(stdin))));
        shell.env.fds.replace(1, Some(Arc::new(Stream::from_private_pipe(stdout))));
        shell.context.subshell.has_own_stdin = Some(true);
        shell.context.subshell.hides_conditions = true;
        shell.context.subshell.hides_loops = true;
        let body = command.command.clone();
        let job = self.spawn_thread(shell, move |shell| shell.run_command(&body, super::Place::Within))?;
        let output = Arc::new(Stream::from_private_pipe(output));
        let input = Arc::new(Stream::from_private_pipe(input));
        let descriptors = [(read, Arc::downgrade(&output)), (write, Arc::downgrade(&input))];
        self.env.fds.replace(read, Some(output));
        self.env.fds.replace(write, Some(input));
        self.env.background_id = Some(job.id());
        self.add_job(job.clone(), print_compound(compound));
        self.env.inherited.coprocesses.push(Coprocess { name: name.clone(), job: job.clone(), descriptors });
        let id = self.vars.slot_bytes(&name);
        if self.vars.get(id).is_some_and(|v| v.attributes.has(crate::vars::Attributes::READONLY)) {
            self.error([&*name, b": readonly variable"].concat());
        } else {
            let numbers = [read, write].map(|fd| fd.to_string().into_bytes());
            self.store(id, Value::Indexed(Box::new(numbers.into_iter().collect())));
            // A read-only NAME_PID fails with a message, and the coprocess runs all the same.
            if let ControlFlow::Break(crate::flow::Divert::Stop) =
                self.set_variable(&[&*name, b"_PID"].concat(), job.id().to_string().as_bytes())
            {
                return ControlFlow::Break(crate::flow::Divert::Stop);
            }
        }
        self.env.status = 0;
        NEXT
    }

    /// A job was waited for: where it is a coprocess, its descriptors and variables are gone.
    pub(crate) fn end_coprocess(&mut self, job: u32) {
        let Some(at) = self.env.inherited.coprocesses.iter().position(|coprocess| coprocess.job.id() == job) else {
            return;
        };
        let coprocess = self.env.inherited.coprocesses.remove(at);
        coprocess.close(&mut self.env.fds);
        for name in [coprocess.name.clone(), [&*coprocess.name, b"_PID"].concat()] {
            let id = self.vars.slot_bytes(&name);
            if !self.vars.get(id).is_some_and(|v| v.attributes.has(crate::vars::Attributes::READONLY)) {
                *self.vars.change(id) = None;
            }
        }
    }

    /// All jobs were waited for: those that had ended before are gone too.
    pub(crate) fn end_ended_coprocesses(&mut self) {
        let all = self.env.inherited.coprocesses.iter();
        let ended: Vec<u32> = all.filter(|own| own.job.try_status().is_some()).map(|own| own.job.id()).collect();
        ended.into_iter().for_each(|job| self.end_coprocess(job));
    }

    /// Is it a descriptor of a coprocess, which programs do not get?
    #[inline]
    pub(super) fn is_private_descriptor(&self, fd: u32, stream: &Arc<Stream>) -> bool {
        !self.env.inherited.coprocesses.is_empty()
            && self.env.inherited.coprocesses.iter().any(|coprocess| coprocess.has(fd, stream))
    }
}
