//! What goes along with the setting of an option.

use hookshell_syntax::Dialect;

use crate::options::{self, Opt, Options};
use crate::shell::Shell;
use crate::vars::{Attributes, Value, Variable};

/// The variables that a restricted shell does not let a script change.
const FIXED: &[&[u8]] = &[b"PATH", b"SHELL", b"ENV", b"BASH_ENV", b"HISTFILE"];

impl Shell {
    /// Sets an option by the name that `set -o` or `shopt` has for it; `false` where there is none.
    pub fn set_option(&mut self, name: &str, on: bool) -> bool {
        let found = options::by_name(name.as_bytes()).or_else(|| options::shopt_by_name(name.as_bytes()));
        if let Some(opt) = found {
            self.set_opt(opt, on);
        }
        found.is_some()
    }

    /// Sets an option by the letter that `set` has for it; `false` where there is none.
    pub fn set_option_letter(&mut self, letter: u8, on: bool) -> bool {
        let found = options::by_letter(letter);
        if let Some(opt) = found {
            self.set_opt(opt, on);
        }
        found.is_some()
    }

    /// Brings SHELLOPTS or BASHOPTS up to date.
    pub(crate) fn name_options(&mut self, of_set: bool) {
        if self.env.dialect == Dialect::Posix {
            return;
        }
        let (name, text) = if of_set {
            (&b"SHELLOPTS"[..], self.env.options.shell_options())
        } else {
            (&b"BASHOPTS"[..], self.env.options.bash_options())
        };
        let id = self.vars.slot_bytes(name);
        let variable = self.vars.change(id).get_or_insert_with(|| Variable::new(Value::Unset));
        variable.value = Value::Scalar(text);
        variable.attributes = variable.attributes.with(Attributes::READONLY, true);
        if variable.attributes.has(Attributes::EXPORT) {
            self.vars.environment_changed();
        }
    }

    pub(crate) fn set_opt(&mut self, opt: Opt, on: bool) {
        if self.env.options.has(opt) == on {
            return;
        }
        self.env.options.set(opt, on);
        match opt {
            Opt::Posix => {
                // bash leaves `inherit_errexit` on.
                if on {
                    for opt in [Opt::InheritErrexit, Opt::InteractiveComments, Opt::Sourcepath] {
                        self.env.options.set(opt, true);
                    }
                }
                self.env.options.set(Opt::ExpandAliases, on);
                self.env.options.set(Opt::ShiftVerbose, on);
                self.note_posixly_correct(on);
                self.env.parse_epoch += 1;
                self.name_options(false);
            }
            Opt::Restricted if on => self.fix_variables(),
            Opt::Extdebug => {
                // bash: with the traps of functions and of errors in them.
                if on {
                    self.env.note_arguments();
                }
                self.env.options.set(Opt::Functrace, on);
                self.env.options.set(Opt::Errtrace, on);
                self.name_options(true);
            }
            // One of the two, or none.
            Opt::Emacs if on => self.env.options.set(Opt::Vi, false),
            Opt::Vi if on => self.env.options.set(Opt::Emacs, false),
            Opt::Extglob | Opt::ExpandAliases | Opt::Keyword => self.env.parse_epoch += 1,
            _ => {}
        }
        self.name_options(options::is_of_set(opt));
    }

    /// Makes the variables read-only that lead around the restrictions.
    fn fix_variables(&mut self) {
        for name in FIXED {
            let id = self.vars.slot_bytes(name);
            let variable = self.vars.change(id).get_or_insert_with(|| Variable::new(Value::Unset));
            variable.attributes = variable.attributes.with(Attributes::READONLY, true);
        }
    }

    /// POSIX mode and POSIXLY_CORRECT go together (bash).
    fn note_posixly_correct(&mut self, on: bool) {
        if self.env.dialect == Dialect::Posix {
            return;
        }
        let id = self.vars.slot_bytes(b"POSIXLY_CORRECT");
        let variable = self.vars.change(id);
        if on && variable.is_none() {
            *variable = Some(Variable::new(Value::Scalar(b"y".to_vec())));
        } else if !on {
            *variable = None;
        }
        self.vars.environment_changed();
    }

    /// Returns to other options (`local -`).
    pub(crate) fn restore_options(&mut self, options: Options) {
        let posix = options.has(Opt::Posix);
        if self.env.dialect == Dialect::Bash && self.opt(Opt::Posix) != posix {
            self.set_opt(Opt::Posix, posix);
        }
        let options = self.env.options.with_set_of(options);
        if self.env.options != options {
            self.env.options = options;
            self.env.parse_epoch += 1;
            self.name_options(true);
            self.name_options(false);
        }
    }
}
