//! The restricted shell (bash: `set -r`, `bash -r`, `rbash`): what it refuses.

use std::sync::Arc;

use hookshell_utility::Args;

use crate::options::Opt;
use crate::shell::Shell;

impl Shell {
    /// Makes a shell that has not begun to run restricted: it takes no functions from the environment.
    pub fn restrict(&mut self) {
        Arc::make_mut(&mut self.env.inherited.functions).clear();
        self.set_opt(Opt::Restricted, true);
        // bash does not name it in BASHOPTS before another option is set.
        self.env.options.set(Opt::RestrictedShell, true);
    }

    /// Is what a built-in was asked for refused? Says so, `subject` first.
    pub(crate) fn refuses(&mut self, builtin: &[u8], subject: &[u8]) -> bool {
        if !self.opt(Opt::Restricted) {
            return false;
        }
        let message: &[u8] = b"restricted";
        if subject.is_empty() {
            self.builtin_error(builtin, message);
        } else {
            self.builtin_error(builtin, [subject, b": ", message].concat());
        }
        true
    }

    /// The same, for a name or value that has a slash in it.
    pub(crate) fn refuses_path(&mut self, builtin: &[u8], path: &[u8]) -> bool {
        is_path(path) && self.refuses(builtin, path)
    }

    /// Is a program refused because its name is a path? Says so and sets the status.
    pub(crate) fn refuses_program(&mut self, args: &Args) -> bool {
        let refused = self.opt(Opt::Restricted) && args.get(0).is_some_and(is_path);
        if refused {
            self.error([&args[0], b": restricted: cannot specify `/' in command names"].concat());
            self.env.status = 1;
        }
        refused
    }
}

/// Does it name a place? On Windows a backslash does, too.
pub(crate) fn is_path(name: &[u8]) -> bool {
    name.iter().any(|&byte| byte == b'/' || cfg!(windows) && matches!(byte, b'\\' | b':'))
}
