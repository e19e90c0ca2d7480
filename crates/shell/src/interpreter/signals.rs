//! How the script hears of the signals of the process.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_process::{Interrupt, is_interrupted};

use crate::flow::{Divert, Flow, NEXT, divert};
use crate::jobs::Death;
use crate::process_signals::SignalSource;
use crate::shell::{Host, Shell};
use crate::traps::SIGINT;

/// What the host gives the signals to.
#[derive(Clone)]
pub struct SignalSender {
    host: Arc<Host>,
}

impl SignalSender {
    /// Gives the script a signal, whose trap runs when the foreground command has ended (XCU 2.12). `false`: the script
    /// neither traps nor ignores it, and the host does what is to be done. Where a terminal gave the signal to the whole group, the
    /// foreground command dies of it as in any shell, also where it is no process of its own; else its end is waited for.
    /// An INT is also the script's business while a program runs in the foreground, which may be one that continues after it.
    pub fn send(&self, signal: i32, by_terminal: bool) -> bool {
        let run = &self.host.run;
        let is_handled = match by_terminal {
            true => run.signal_group(self.host.process_id, signal),
            false => run.post_handled(self.host.process_id, signal),
        };
        is_handled || run.is_left_to_program(signal)
    }
}

impl Shell {
    /// Lets the script hear of the signals of the process. `ignored` are those that the process was started with as
    /// ignored, as bits (signal 1 is bit 0): they stay so, whatever the script sets (XCU trap).
    pub fn receive_signals(&mut self, source: Arc<dyn SignalSource>, ignored: u64) -> SignalSender {
        // Numbers without a name are the C library's own.
        let is_known = |signal: &i32| hookshell_process::signals::name(*signal).is_some();
        let known = (1..=64).filter(is_known).fold(0, |bits, signal| bits | 1 << (signal - 1));
        self.traps.ignore_for_good(ignored & known);
        // A second source would be a mistake of the host's: the first stays.
        let _ = self.host.signal_source.set(source);
        SignalSender { host: self.host.clone() }
    }

    /// From now on a signal that ends the script leaves something to do.
    pub(crate) fn listen_for_signals(&self) {
        if let Some(source) = self.host.signal_source.get() {
            source.listen();
        }
    }

    /// A computation comes that asks nobody whether it is to end, of about so many steps: who watches over the run does so from now on
    /// where that may take long.
    pub(crate) fn before_long(&self, steps: usize) {
        /// About ten microseconds.
        const LONG: usize = 16 * 1024;
        self.host.cancel.before_wait_if(|| steps > LONG);
    }

    /// The script has set a trap for a signal.
    pub(crate) fn catch_signal(&self, signal: i32) {
        if self.context.subshell.id == self.host.process_id
            && let Some(source) = self.host.signal_source.get()
        {
            self.host.run.expect_group_signals();
            source.catch(signal);
        }
    }

    /// A child has ended, which may have sent a signal before: it is not left to the host when its trap runs.
    pub(crate) fn take_process_signals(&self) {
        if self.context.subshell.id == self.host.process_id
            && let Some(source) = self.host.signal_source.get()
        {
            let handled = if self.traps.has_any() { self.handled_signals() } else { 0 };
            while handled != 0
                && let Some(signal) = source.take(handled)
            {
                self.host.run.post(self.context.subshell.id, signal);
            }
            source.settle(handled);
        }
    }

    /// Waits for a command in the foreground that is a process. As bash, this one leaves an INT to it that nobody traps: it dies of it
    /// too if the command does, and continues if that has caught or ignored it.
    pub(crate) fn wait_in_foreground(&mut self, wait: impl FnOnce(&mut Self) -> Flow) -> Flow {
        if cfg!(unix) && self.context.subshell.leaves_interrupts {
            self.leave_interrupts();
            return wait(self);
        }
        if cfg!(windows) || !self.is_process_of_its_own() {
            return wait(self);
        }
        self.leave_interrupts();
        let flow = wait(self);
        let death = self.scratch.death.take();
        self.take_back_interrupts(death.as_ref())?;
        self.scratch.death = death;
        flow
    }

    /// From now on an INT is left to what runs in the foreground. One that has come before is not.
    pub(crate) fn leave_interrupts(&self) {
        if let Some(source) = self.host.signal_source.get() {
            source.settle(0);
        }
        self.host.run.leave_interrupts();
    }

    /// The command in the foreground has ended, by this signal if by any: an INT that was left to it ends this process too if the
    /// command has died of it.
    pub(crate) fn take_back_interrupts(&mut self, death: Option<&Death>) -> Flow {
        // One that came before the command's end is known then.
        self.take_process_signals();
        if self.host.run.take_back_interrupts() && death.is_some_and(|death| death.signal == SIGINT) {
            self.scratch.killed_itself = false;
            self.scratch.died_of = SIGINT;
            return divert(Divert::Die);
        }
        NEXT
    }

    /// Runs a command that an INT for the group of this process does not reach (`timeout`): it ends of itself, and the script
    /// continues (bash).
    pub(crate) fn leaving_interrupts<T>(&self, run: impl FnOnce() -> T) -> T {
        if cfg!(windows) || !self.is_process_of_its_own() {
            return run();
        }
        self.leave_interrupts();
        let result = run();
        self.take_process_signals();
        self.host.run.take_back_interrupts();
        result
    }

    /// Makes a blocking call of a built-in. A signal of the process that is trapped interrupts it: its action runs, then
    /// the call is made again, with what it has got so far.
    pub(crate) fn blocking_call<T>(
        &mut self,
        mut call: impl FnMut(&Interrupt) -> io::Result<T>,
    ) -> Flow<io::Result<T>> {
        if !self.traps.has_any() {
            return ControlFlow::Continue(call(&self.context.interrupt));
        }
        let interrupt = self.context.interrupt.clone();
        loop {
            match self.nudged_call(&interrupt, &mut call) {
                Err(error) if is_interrupted(&error) && !interrupt.is_raised() => self.run_pending_traps()?,
                result => return ControlFlow::Continue(result),
            }
        }
    }

    /// Makes a blocking call that `interrupt` ends, and a signal too that is trapped.
    pub(crate) fn nudged_call<T>(
        &self,
        interrupt: &Interrupt,
        mut call: impl FnMut(&Interrupt) -> io::Result<T>,
    ) -> io::Result<T> {
        let nudge = interrupt.child();
        self.host.run.set_nudge(self.context.subshell.id, Some(nudge.clone()));
        let result = call(&nudge);
        self.host.run.set_nudge(self.context.subshell.id, None);
        result
    }
}
