//! Command substitution (XCU 2.6.3).

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::ast::{Argument, Command, CommandSubstitution, List, RedirectionKind, Stage};

use crate::flow::{Divert, Flow, divert};
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;
use crate::stream::Stream;

impl Shell {
    /// The output of a command substitution without its trailing newlines.
    ///
    /// Commands of the shell itself write into memory: no pipe and no thread.
    pub(crate) fn command_substitution(&mut self, substitution: &CommandSubstitution) -> Flow<Vec<u8>> {
        let body = match &substitution.body {
            Ok(body) => body.clone(),
            Err(error) => {
                let message = format!("command substitution: {}", error.cause);
                self.error(message);
                self.status = 2;
                self.substitution_status = Some(2);
                return ControlFlow::Continue(Vec::new());
            }
        };
        let mut output = match redirected_file(&body) {
            Some(redirection) => self.substitute_file(redirection)?,
            None => self.capture_list(&body)?,
        };
        while output.last() == Some(&b'\n') {
            output.pop();
        }
        if memchr::memchr(0, &output).is_some() {
            self.error("warning: command substitution: ignored null byte in input");
            output.retain(|&b| b != 0);
        }
        ControlFlow::Continue(output)
    }

    /// Runs a list in a subshell and collects its standard output.
    fn capture_list(&mut self, body: &Arc<List>) -> Flow<Vec<u8>> {
        if self.host.usage.has_too_much_state() {
            self.measure_state()?;
        }
        let (stream, capture) = Stream::capture_held(self.host.limits.captured_bytes, self.host.usage.hold(0));
        let keep_errexit = self.opt(Opt::InheritErrexit) || self.opt(Opt::Posix);
        let stream = Arc::new(stream);
        let writers = Arc::downgrade(&stream);
        self.trace_depth += 1;
        let quiet_deaths = self.quiet_deaths;
        self.quiet_deaths |= self.host.is_command_string;
        let replaced_last = std::mem::replace(&mut self.replaced_last, crate::exec::last_simple(body));
        let flow = self.in_subshell(|shell| {
            if !keep_errexit {
                shell.options.set(Opt::Errexit, false);
            }
            shell.fds.replace(1, Some(stream));
            shell.run_list(body)
        });
        self.replaced_last = replaced_last;
        self.quiet_deaths = quiet_deaths;
        self.death = None;
        self.trace_depth -= 1;
        self.substitution_status = Some(self.status);
        let cancel = self.cancel.clone();
        let interrupt = self.interrupt.clone();
        // As bash: to the end of file, which a background writer may hold back.
        if writers.strong_count() > 0 {
            self.host
                .run
                .wait_for_threads(&|| writers.strong_count() == 0 || cancel.is_cancelled() && interrupt.is_raised());
        }
        capture.wait(None, &|| cancel.is_cancelled() && interrupt.is_raised());
        flow?;
        if self.is_stopping() {
            return divert(Divert::Stop);
        }
        ControlFlow::Continue(capture.take())
    }

    /// bash: `$(<file)`
    fn substitute_file(&mut self, redirection: &hookshell_syntax::ast::Redirection) -> Flow<Vec<u8>> {
        let mut output = Vec::new();
        let mut failed = true;
        let flow = self.in_subshell(|shell| {
            let applied = shell.redirect(std::slice::from_ref(redirection), None)?;
            if applied {
                failed = false;
                if let Some(stream) = shell.fds.get(0).cloned() {
                    let mut buffer = vec![0; 64 * 1024];
                    while let Ok(count) = stream.read(&mut buffer, &shell.interrupt) {
                        if count == 0 {
                            break;
                        }
                        output.extend_from_slice(&buffer[..count]);
                        if output.len() > shell.host.limits.captured_bytes {
                            return shell.exceed(Limit::CapturedBytes, "the file in a command substitution is larger");
                        }
                    }
                }
            }
            shell.status = u8::from(failed);
            crate::flow::NEXT
        });
        self.substitution_status = Some(u8::from(failed));
        flow?;
        // bash reads the file itself: that it cannot be opened is an error of the shell, wherever the command stands.
        if failed && self.opt(Opt::Errexit) {
            return self.reported();
        }
        ControlFlow::Continue(output)
    }
}

/// The redirection of `$(<file)`.
fn redirected_file(body: &List) -> Option<&hookshell_syntax::ast::Redirection> {
    let [item] = &*body.items else { return None };
    if item.background || !item.and_or.rest.is_empty() || item.and_or.first.negated {
        return None;
    }
    let [Stage { command: Command::Simple(simple), .. }] = &*item.and_or.first.stages else { return None };
    let arguments: &[Argument] = &simple.arguments;
    match &*simple.redirections {
        [redirection]
            if arguments.is_empty()
                && simple.assignments.is_empty()
                && redirection.fd.is_none()
                && matches!(redirection.kind, RedirectionKind::Read(_)) =>
        {
            Some(redirection)
        }
        _ => None,
    }
}
