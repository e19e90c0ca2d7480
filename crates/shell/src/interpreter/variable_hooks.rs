//! What the shell's own variables do when they are set, unset, or brought by the environment.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use crate::compatibility::compatibility_level;
use crate::ifs::Ifs;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, SlotId, Special, Value, Variable};

impl Shell {
    /// Takes notice of a variable from the environment that means something to the shell: some are assignments, and of
    /// those that the shell computes itself only the attribute stays.
    pub(crate) fn variable_imported(&mut self, id: SlotId) {
        let special = self.vars.special(id);
        let Some(attributes) = self.vars.get(id).filter(|variable| variable.has_value()).map(|v| v.attributes) else {
            return;
        };
        match special {
            Special::Compat => self.import_compatibility(),
            Special::Xtracefd | Special::Funcnest | Special::ReadTimeout | Special::Argv0 => {
                self.variable_changed(id, special)
            }
            // What the environment brings is a number or nothing, and never evaluated.
            Special::Seconds => {
                let text = self.vars.get(id).and_then(|v| v.value.scalar());
                let number = text.and_then(hookshell_text::integer::parse_integer).unwrap_or(0);
                self.env.seconds_base = (std::time::Instant::now(), number);
            }
            _ => {}
        }
        if special.is_computed() {
            *self.vars.change(id) = Some(Variable { value: Value::Unset, attributes });
        }
    }

    /// The locale is C.UTF-8, or C where LC_ALL, LC_CTYPE and LANG say so: the first of them that is not empty (XBD 8.2).
    pub(crate) fn note_locale(&mut self) {
        let value = |name: &[u8]| self.vars.scalar_bytes(name).filter(|value| !value.is_empty());
        let locale = value(b"LC_ALL").or_else(|| value(b"LC_CTYPE")).or_else(|| value(b"LANG"));
        self.env.bytes = matches!(locale, Some(b"C" | b"POSIX"));
    }

    /// What is assigned to SECONDS and RANDOM, which are integer variables.
    fn assigned_number(&mut self, text: Option<Vec<u8>>) -> i64 {
        let Some(text) = text else { return 0 };
        if let Some(number) = hookshell_text::integer::parse_integer(&text) {
            return number;
        }
        match self.evaluate_text(&text) {
            ControlFlow::Continue(number) => number,
            ControlFlow::Break(_) => 0,
        }
    }

    /// BASH_COMPAT: the `compat` option of its level is on, and no other one.
    fn note_compatibility(&mut self, text: Option<&[u8]>) {
        match compatibility_level(text.unwrap_or_default()) {
            Some(level) => self.set_compatibility(level),
            None => {
                let text = text.unwrap_or_default();
                self.error([b"BASH_COMPAT: ", text, b": compatibility value out of range"].concat());
            }
        }
    }

    /// The BASH_COMPAT of the environment; one that is no level is passed over.
    pub(crate) fn import_compatibility(&mut self) {
        if let Some(level) = self.vars.scalar_bytes(b"BASH_COMPAT").and_then(compatibility_level) {
            self.set_compatibility(level);
        }
    }

    fn set_compatibility(&mut self, level: u32) {
        for number in 31..=44 {
            if let Some(opt) = crate::options::shopt_by_name(format!("compat{number}").as_bytes()) {
                self.env.options.set(opt, number == level);
            }
        }
        self.name_options(false);
    }

    /// The shell takes notice of an assignment to one of its own variables.
    pub(crate) fn variable_changed(&mut self, id: SlotId, special: Special) {
        let variable = self.vars.get(id);
        if special == Special::LastArgument {
            let is_own = |variable: &&Variable| !variable.attributes.has(Attributes::NAMEREF);
            if let Some(text) = variable.filter(is_own).and_then(|v| v.value.scalar()) {
                self.env.last_argument.clear();
                self.env.last_argument.extend_from_slice(text);
                if let Some(variable) = self.vars.change(id) {
                    // The value is kept there, until the command ends.
                    variable.value = Value::Unset;
                }
            }
            return;
        }
        if special.is_computed() && variable.is_some_and(|v| v.attributes.has(Attributes::LOCAL)) {
            // A local of that name is a variable as any other.
            return;
        }
        let text = variable.and_then(|v| v.value.scalar()).map(<[u8]>::to_vec);
        let number = || text.as_deref().and_then(hookshell_text::integer::parse_integer).unwrap_or(0);
        match special {
            Special::Ifs => self.env.inherited.ifs = Arc::new(Ifs::new(text.as_deref())),
            Special::Optind => self.env.getopts = crate::environment::GetoptsState::default(),
            Special::Path => Arc::make_mut(&mut self.env.inherited.command_hash).clear(),
            Special::Aliases => {
                self.env.inherited.aliases = Arc::new(self.table(id).into_iter().collect());
                self.env.parse_epoch += 1;
            }
            Special::Commands => {
                for (name, path) in self.table(id) {
                    if self.env.inherited.command_hash.given(&name) != Some(&path) {
                        if self.opt(Opt::Restricted) && crate::restricted::is_path(path.as_slice()) {
                            self.error([&*path, b": restricted"].concat());
                            self.list_commands();
                            return;
                        }
                        Arc::make_mut(&mut self.env.inherited.command_hash).remember(&name, Some(path));
                    }
                }
            }
            Special::Xtracefd => {
                let fd = text.as_deref().and_then(hookshell_text::integer::parse_integer);
                let stream = fd.and_then(|fd| u32::try_from(fd).ok()).and_then(|fd| self.env.fds.get(fd));
                match (text.filter(|text| !text.is_empty()), fd.and_then(|fd| u32::try_from(fd).ok())) {
                    (None, _) => self.env.trace_fd = 2,
                    (Some(_), Some(fd)) if stream.is_some() => self.env.trace_fd = fd,
                    (Some(text), _) => {
                        let message = b": invalid value for trace file descriptor";
                        self.error([b"BASH_XTRACEFD: ", &*text, message].concat());
                    }
                }
            }
            Special::Compat => self.note_compatibility(text.as_deref()),
            // bash: names that begin with a dot match from when it has patterns until it is unset.
            Special::Globignore => {
                let has_patterns = text.as_ref().is_some_and(|list| list.iter().any(|&byte| byte != b':'));
                let is_on = has_patterns || text.is_some() && self.opt(Opt::Dotglob);
                self.env.inherited.ignores_names = has_patterns;
                self.set_opt(Opt::Dotglob, is_on);
            }
            Special::Locale => self.note_locale(),
            Special::Funcnest => self.env.function_nesting = usize::try_from(number()).unwrap_or(0),
            // 0 and what is no number are none.
            Special::ReadTimeout => {
                let seconds = text.as_deref().and_then(|text| std::str::from_utf8(text).ok()?.parse::<f64>().ok());
                self.env.read_timeout = seconds
                    .filter(|seconds| *seconds > 0.0)
                    .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            }
            Special::PosixlyCorrect => self.set_opt(Opt::Posix, text.is_some()),
            Special::Random => {
                let seed = self.assigned_number(text) as u32;
                self.env.random.assign(seed, self.context.subshell.id);
                *self.vars.change(id) = None;
            }
            Special::BashSubshell => {
                let level = u32::try_from(number()).unwrap_or(0);
                self.context.subshell.uncounted = self.context.subshell.depth.wrapping_sub(level);
                *self.vars.change(id) = None;
            }
            Special::Seconds => {
                self.env.seconds_base = (std::time::Instant::now(), self.assigned_number(text));
                *self.vars.change(id) = None;
            }
            Special::Argv0 => {
                if let Some(text) = text {
                    let name: Arc<[u8]> = Arc::from(text);
                    // Messages of a command string begin with it.
                    if !self.has_script() && self.context.source == self.env.inherited.name {
                        self.context.source = name.clone();
                    }
                    self.env.inherited.name = name;
                }
                *self.vars.change(id) = None;
            }
            // bash makes it an array with the first command that ends; what was assigned before stays.
            Special::Pipestatus if self.env.pipe_status.is_empty() => self.vars.make_ordinary(id),
            Special::Pipestatus
            | Special::Lineno
            | Special::Srandom
            | Special::Epochseconds
            | Special::Epochrealtime
            | Special::Bashpid
            | Special::Histcmd
            | Special::BashCommand
            | Special::Funcname
            | Special::BashSource
            | Special::BashLineno
            | Special::Arguments
            | Special::ArgumentCounts
            | Special::Groups => *self.vars.change(id) = None,
            _ => {}
        }
    }
}
