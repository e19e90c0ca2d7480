//! Process substitution (bash).

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::ast::ProcessSubstitution;
use hookshell_utility::Stream;

use crate::context::{Frame, Substitution};
use crate::flow::{Flow, NEXT};
use crate::shell::Shell;

/// bash takes the descriptors of process substitutions from here downwards.
const HIGHEST: u32 = 63;

impl Shell {
    /// Starts the list with a pipe, and gives the path of its other end, `/dev/fd/N`, by which the command reaches it.
    pub(crate) fn process_substitution(&mut self, substitution: &ProcessSubstitution) -> Flow<Vec<u8>> {
        // bash: nothing between the parentheses is nothing.
        if substitution.body.items.is_empty() {
            return ControlFlow::Continue(Vec::new());
        }
        let fd = (10..=HIGHEST).rev().find(|&fd| self.env.fds.get(fd).is_none());
        let (Some(fd), Ok((reader, writer))) = (fd, hookshell_process::pipe()) else {
            return self.stop_run("process substitution: no more descriptors".into());
        };
        let (ours, theirs) = if substitution.read { (reader, writer) } else { (writer, reader) };
        let mut stage = self.fork();
        stage.traps.show_unreset();
        stage.context.frames.enter(Frame::ProcessSubstitution);
        stage.env.fds.replace(u32::from(substitution.read), Some(Arc::new(Stream::from_private_pipe(theirs))));
        let (body, read) = (substitution.body.clone(), substitution.read);
        self.report_jobs();
        let job = self.spawn_thread(stage, move |shell| shell.run_process_substitution(&body, read))?;
        self.env.background_id = Some(job.id());
        self.jobs.remember_substitution(job);
        let ours = Arc::new(Stream::from_private_pipe(ours));
        let stream = Arc::downgrade(&ours);
        self.env.fds.replace(fd, Some(ours));
        self.context.substitutions.push(Substitution { fd, read: substitution.read, stream, file: None });
        ControlFlow::Continue(format!("/dev/fd/{fd}").into_bytes())
    }

    /// Cleans up after the substitutions made since there were `before` of them.
    pub(crate) fn end_process_substitutions(&mut self, before: usize) -> Flow {
        while self.context.substitutions.len() > before {
            if let Some(substitution) = self.context.substitutions.pop() {
                self.env.fds.replace(substitution.fd, None);
            }
        }
        NEXT
    }
}
