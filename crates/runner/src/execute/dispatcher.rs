//! The real one.

use hookshell_dispatch::{Command as Source, Dispatcher, Environment, Handle, Input, Invocation, Output};

use super::{Command, Done, Execute, Running};

/// Runs commands through a [`Dispatcher`].
pub(crate) struct DispatcherExecute(pub(crate) Dispatcher);

impl Execute for DispatcherExecute {
    fn start(&self, command: Command, done: Done) -> Box<dyn Running> {
        let invocation = Invocation {
            env: Environment::of_unique(command.env),
            base_env: command.base_env,
            stdin: Input::Bytes(command.stdin),
            first_line: command.first_line,
            output: Output::Capture { limit: command.output_limit },
            timeout: Some(command.timeout),
            grace: command.grace,
            missing_shell: command.missing_shell,
            shell_scripts: command.shell_scripts,
            unpassable: command.unpassable,
            guard: command.guard,
            ..Invocation::new(Source::source(&command.command), command.cwd)
        };
        Box::new(self.0.start(invocation, done))
    }

    fn wait_for_background(&self, give_up: &dyn Fn() -> bool) {
        self.0.wait_for_background(give_up);
    }

    fn wait_for_runs(&self, give_up: &dyn Fn() -> bool) {
        self.0.wait_for_runs(give_up);
    }
}

impl Running for Handle {
    fn cancel(&self) {
        Self::cancel(self);
    }
}
