//! What bash says of commands that a signal has ended.

use hookshell_process::signals::description;
use hookshell_syntax::ast::{Command, Compound, List, Pipeline, Stage};

use crate::flow::{Flow, NEXT};
use crate::jobs::{Death, STATE_WIDTH};
use crate::shell::Shell;
use crate::traps::SIGINT;

const SIGPIPE: i32 = 13;
const SIGTERM: i32 = 15;

impl Shell {
    /// Tells of the death of a command in the foreground, and runs the traps of the signals that came in before it.
    #[inline]
    pub(super) fn report_death(&mut self, stage: &Stage) -> Flow {
        if self.scratch.death.is_some() {
            self.report_death_of(stage);
            return self.checkpoint();
        }
        NEXT
    }

    #[cold]
    fn report_death_of(&mut self, stage: &Stage) {
        let span = match &stage.command {
            Command::Simple(simple) => {
                // Here bash's subshell has become the command: the shell outside sees the death of the subshell.
                if self.scratch.replaced_last == Some(simple.span.start) {
                    return;
                }
                simple.span
            }
            Command::Compound(compound) => compound.span,
            Command::Function(_) => return,
        };
        let Some(death) = self.scratch.death.take() else { return };
        self.tell(death, true, self.line_of(span), |_| {
            let text = hookshell_syntax::print_command(&stage.command);
            [format!("{:5} {}", death.id, death.state()).as_bytes(), &text].concat()
        });
    }

    /// Tells of the death of a pipeline, which is that of its last command; `statuses` and `ids` are those of its stages.
    pub(super) fn report_pipeline(&mut self, pipeline: &Pipeline, ids: &[u32], statuses: &[u8]) {
        let Some(death) = self.scratch.death.take() else { return };
        let last = statuses.last().copied();
        self.tell(death, true, self.context.line, |_| {
            let mut text = Vec::new();
            for (index, stage) in pipeline.stages.iter().enumerate() {
                let status = statuses.get(index).copied();
                let id = ids.get(index).copied().unwrap_or(death.id);
                if index > 0 {
                    text.extend_from_slice(b"\n     ");
                }
                let state = match status {
                    _ if index > 0 && status == statuses.first().copied() => String::new(),
                    _ if status == last => death.state(),
                    Some(0) => "Done".into(),
                    Some(status) if status > 128 => description(i32::from(status) - 128).into_owned(),
                    _ => format!("Exit {}", status.unwrap_or(0)),
                };
                text.extend_from_slice(format!("{id:5} {state:<STATE_WIDTH$}").as_bytes());
                if index > 0 {
                    text.extend_from_slice(b"| ");
                }
                text.extend_from_slice(&hookshell_syntax::print_command(&stage.command));
            }
            text
        });
    }

    /// Tells of the death of a job in the background.
    pub(crate) fn report_job(&mut self, death: Death, command: &[u8]) {
        self.tell(death, false, self.context.line, |_| {
            [format!("{:5} {}", death.id, death.state()).as_bytes(), command].concat()
        });
    }

    /// bash (`notify_of_job_status`): INT and PIPE are no news, a TERM or a trapped signal only in the foreground and in
    /// short.
    fn tell(&mut self, death: Death, foreground: bool, line: u32, text: impl FnOnce(&Self) -> Vec<u8>) {
        let is_quiet = self.host.is_command_string && self.context.is_substituted();
        if is_quiet || matches!(death.signal, SIGINT | SIGPIPE) || self.is_stopping() {
            return;
        }
        if death.signal != SIGTERM && self.traps.get(death.signal).is_none() {
            let text = text(self);
            let line = std::mem::replace(&mut self.context.line, line);
            self.error(text);
            self.context.line = line;
        } else if foreground {
            let core = if death.core_dumped { " (core dumped)" } else { "" };
            self.write_error(format!("{}{core}\n", description(death.signal)).as_bytes());
        }
    }
}

/// Where the simple command stands that a list ends with, for which a subshell of bash needs no process of its own.
pub(crate) fn last_simple(list: &List) -> Option<u32> {
    let item = list.items.last().filter(|item| !item.background)?;
    let pipeline = item.and_or.rest.last().map_or(&item.and_or.first, |(_, pipeline)| pipeline);
    match &*pipeline.stages {
        [stage] if !pipeline.negated && pipeline.time.is_none() => match &stage.command {
            Command::Simple(simple) => Some(simple.span.start),
            Command::Compound(compound) => match &compound.kind {
                Compound::Subshell(list) => last_simple(list),
                _ => None,
            },
            Command::Function(_) => None,
        },
        _ => None,
    }
}
