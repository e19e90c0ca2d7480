//! Process substitution (bash).

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::ast::ProcessSubstitution;

use crate::flow::{Flow, NEXT};
use crate::shell::Shell;
use crate::stream::Stream;

/// What is cleaned up when the command with the process substitution has ended.
#[derive(Debug)]
pub(crate) enum ProcessSubstitutionEnd {
    /// A descriptor to close.
    Descriptor(u32),
    /// A temporary file, removed when it is dropped.
    File(#[allow(dead_code, reason = "held for its destructor")] tempfile::TempPath),
}

/// bash takes the descriptors of process substitutions from here downwards.
const HIGHEST: u32 = 63;

impl Shell {
    /// Starts the list and gives the path by which the command reaches it.
    pub(super) fn process_substitution(&mut self, substitution: &ProcessSubstitution) -> Flow<Vec<u8>> {
        // bash: nothing between the parentheses is nothing.
        if substitution.body.items.is_empty() {
            return ControlFlow::Continue(Vec::new());
        }
        // Programs on Windows cannot open `/dev/fd/N`; built-ins and bundled utilities can. So what a program may read
        // from is a file there.
        if cfg!(windows) && substitution.read {
            return self.process_substitution_by_file(substitution);
        }
        self.piped_process_substitution(substitution)
    }

    /// Starts the list with a pipe, and gives the path of its other end, `/dev/fd/N`.
    pub(crate) fn piped_process_substitution(&mut self, substitution: &ProcessSubstitution) -> Flow<Vec<u8>> {
        let fd = (10..=HIGHEST).rev().find(|&fd| self.fds.get(fd).is_none());
        let (Some(fd), Ok((reader, writer))) = (fd, hookshell_process::pipe()) else {
            return self.stop_run("process substitution: no more descriptors".into());
        };
        let (ours, theirs) = if substitution.read { (reader, writer) } else { (writer, reader) };
        let mut stage = self.fork();
        stage.traps.show_unreset();
        stage.trace_depth += 1;
        stage.fds.replace(u32::from(substitution.read), Some(Arc::new(Stream::from_private_pipe(theirs))));
        let body = substitution.body.clone();
        let job = self.spawn_thread(stage, move |shell| shell.run_list(&body))?;
        self.background_id = Some(job.id());
        self.jobs.remember_substitution(job);
        self.fds.replace(fd, Some(Arc::new(Stream::from_private_pipe(ours))));
        self.substitutions.push(ProcessSubstitutionEnd::Descriptor(fd));
        ControlFlow::Continue(format!("/dev/fd/{fd}").into_bytes())
    }

    /// Where programs have no `/dev/fd`: the list's whole output goes into a temporary file first.
    fn process_substitution_by_file(&mut self, substitution: &ProcessSubstitution) -> Flow<Vec<u8>> {
        let file = match tempfile::NamedTempFile::new_in(self.temp_dir()) {
            Ok(file) => file,
            Err(error) => return self.stop_run(format!("process substitution: {error}")),
        };
        let (file, path) = file.into_parts();
        let status = self.status;
        let flow = self.in_subshell(|shell| {
            shell.fds.replace(1, Some(Arc::new(Stream::from_file(file))));
            shell.run_list(&substitution.body)
        });
        self.status = status;
        flow?;
        let text = crate::paths::shell_path(&hookshell_process::text::from_os(path.as_os_str()));
        self.substitutions.push(ProcessSubstitutionEnd::File(path));
        ControlFlow::Continue(text)
    }

    /// Cleans up after the substitutions made since there were `before` of them.
    pub(crate) fn end_process_substitutions(&mut self, before: usize) -> Flow {
        while self.substitutions.len() > before {
            match self.substitutions.pop() {
                Some(ProcessSubstitutionEnd::Descriptor(fd)) => {
                    self.fds.replace(fd, None);
                }
                Some(ProcessSubstitutionEnd::File(path)) => drop(path),
                None => {}
            }
        }
        NEXT
    }
}
