//! `exec` (XCU exec)

use std::ops::ControlFlow;

use hookshell_process::{Child, text};
use hookshell_syntax::Dialect;
use hookshell_syntax::ast::Argument;
use hookshell_utility::{Args, Environment};

use super::done;
use super::help::invalid_option;
use super::letters::Letters;
use crate::executor::{ExecError, Started};
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::exec::{NOT_OURS, Place, StartMode, Tried};
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, Value, Variable};

/// `exec [-cl] [-a name] [command [argument …]]`. Without a command its redirections stay. In `hookshell sh` the program
/// takes the process's place; embedded it runs as a child, and the run ends with its status.
pub(super) fn exec(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let mut argv0: Option<Vec<u8>> = None;
    let mut clear = false;
    let mut login = false;
    let mut letters = Letters::of(args);
    while let Some(letter) = letters.next() {
        match letter {
            b'c' => clear = true,
            b'l' => login = true,
            b'a' => match letters.value(shell, letter) {
                Ok(name) => argv0 = Some(name.to_vec()),
                Err(status) => return done(status),
            },
            other => return done(invalid_option(shell, b"exec", &[b'-', other])),
        }
    }
    let index = letters.operands();
    if index >= args.len() {
        return done(0);
    }
    if shell.refuses(b"exec", b"") {
        return done(1);
    }
    let mut command: Args = args.iter_from(index).collect();
    if login {
        let name = argv0.unwrap_or_else(|| command[0].to_vec());
        argv0 = Some([b"-", &*name].concat());
    }
    if let Some(full) = shell.full_name(&command[0]) {
        argv0 = argv0.or_else(|| Some(command[0].to_vec()));
        let rest: Vec<Vec<u8>> = command.iter_from(1).map(<[u8]>::to_vec).collect();
        command.clear();
        command.push(&full);
        rest.iter().for_each(|word| command.push(word));
    }
    let scope = shell.vars.enter_scope();
    if clear {
        shell.clear_environment();
    }
    if !clear && !shell.context.subshell.is_in_parentheses {
        shell.lower_level();
    }
    // What runs on other threads of this process would be gone with it, and with it who reads `exec > >(tee log)`.
    let replace = shell.is_process_of_its_own() && !shell.has_parts();
    let mode = if replace { StartMode::Replace } else { StartMode::Exec };
    let flow = match shell.start_program(&command, argv0.as_deref(), mode) {
        Ok(Started::Process(child)) => shell.wait_in_place(&child),
        Ok(Started::Script(script)) => {
            let script = shell.with_start_up_file(script);
            shell.run_script(script, Place::AtEnd)
        }
        Err(error) => {
            let is_missing = matches!(error, ExecError::CommandNotFound | ExecError::NoSuchFile);
            let tried = if is_missing { shell.exec_in_process(&command) } else { NOT_OURS };
            match tried {
                ControlFlow::Continue(Tried::Ran) => NEXT,
                ControlFlow::Continue(Tried::NotOurs(refused)) => {
                    shell.not_started(&command, &error, mode, refused.as_ref());
                    shell.leave_scope(scope);
                    // bash: a shell that is not interactive ends, unless execfail is on; a subshell ends in any case.
                    if shell.opt(Opt::Execfail) && shell.context.subshell.depth == 0 {
                        return done(shell.env.status);
                    }
                    return divert(Divert::Exit);
                }
                ControlFlow::Break(divert) => ControlFlow::Break(divert),
            }
        }
    };

    shell.leave_scope(scope);
    let flow = if flow.is_continue() { shell.die_in_place() } else { flow };
    if flow == ControlFlow::Break(Divert::Die) {
        shell.traps.set(crate::traps::EXIT, None);
    }
    flow?;
    shell.scratch.replaced_depth = shell.context.subshell.depth;
    // The EXIT trap does not run: the shell is gone.
    shell.traps.set(crate::traps::EXIT, None);
    divert(Divert::Exit)
}

impl Shell {
    /// bash: the whole name of a program that is named by a path, which is `$0` of a script. It drops one `./` alone.
    fn full_name(&self, name: &[u8]) -> Option<Vec<u8>> {
        if cfg!(windows) || self.env.dialect != Dialect::Bash || name.starts_with(b"/") || !name.contains(&b'/') {
            return None;
        }
        let name = name.strip_prefix(b"./").unwrap_or(name);
        let directory = text::from_os(self.env.inherited.cwd.as_os_str());
        let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
        Some([&*directory, slash, name].concat())
    }

    /// Waits for the program that takes the place of this environment: signals for the environment are the program's meanwhile.
    fn wait_in_place(&mut self, child: &Child) -> Flow {
        self.host.run.set_program(self.context.subshell.id, Some(child.id()));
        let flow = self.wait_for_child(child);
        self.host.run.set_program(self.context.subshell.id, None);
        flow
    }

    /// bash: the program that takes the shell's place is no level deeper. In a scope of its own.
    pub(crate) fn lower_level(&mut self) {
        let Some(level) = self.vars.scalar_bytes(b"SHLVL").and_then(hookshell_text::integer::parse_integer) else {
            return;
        };
        let id = self.vars.slot_bytes(b"SHLVL");
        let attributes = self.vars.get(id).map(|variable| variable.attributes).unwrap_or_default();
        let depth = self.vars.scope(id);
        self.vars.hide(id, depth);
        let level = level.saturating_sub(1).max(0).to_string().into_bytes();
        *self.vars.change(id) = Some(Variable { value: Value::Scalar(level), attributes });
        self.vars.environment_changed();
    }

    /// `exec -c`: nothing is exported for this command.
    fn clear_environment(&mut self) {
        for id in self.vars.sorted() {
            if self.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::EXPORT)) {
                let depth = self.vars.scope(id);
                self.vars.hide(id, depth);
            }
        }
        self.vars.give_environment(&Environment::default());
    }
}
