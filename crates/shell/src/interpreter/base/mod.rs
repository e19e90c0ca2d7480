//! The environment that many shells begin with.

use std::ffi::{OsStr, OsString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use hashbrown::HashMap;
use hookshell_process::sync::lock;
use hookshell_process::system::{self, Ids};
use hookshell_process::text;
use hookshell_syntax::{Dialect, is_name};

use crate::call::Function;
use crate::options::Options;
use crate::shell::Shell;
use crate::vars::{Attributes, Special, Value, Variable, Variables};

/// An environment that many runs have, each with some variables of its own over it: a hook's is that of its host, and what
/// its event adds. What a shell makes of the common part is kept, and shared by the shells until they change it.
///
/// Clones are the same environment. The default is an empty one.
#[derive(Clone, Default)]
pub struct BaseEnvironment {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    variables: Arc<Vec<(OsString, OsString)>>,
    /// A shell has begun with it.
    is_used: AtomicBool,
    /// What the last shell was that began with it.
    beginning: Mutex<Option<Arc<Beginning>>>,
}

/// A shell's state as this environment alone makes it.
struct Beginning {
    made_for: MadeFor,
    vars: Variables,
    functions: Arc<HashMap<Box<[u8]>, Arc<Function>>>,
    options: Options,
    parse_epoch: u32,
    bytes: bool,
    last_argument: Vec<u8>,
}

/// What a beginning holds for, beside the environment.
#[derive(Clone, Copy, PartialEq, Eq)]
struct MadeFor {
    dialect: Dialect,
    process: u32,
    ids: Ids,
}

/// How many names a small script has of its own.
const MORE: usize = 32;

/// Names that mean something to a shell that begins, beside the [`Special`] ones: it sets or reads them.
const READ_OR_SET: [&[u8]; 20] = [
    b"BASH",
    b"BASHOPTS",
    b"BASH_VERSINFO",
    b"BASH_VERSION",
    b"EUID",
    b"HOSTNAME",
    b"HOSTTYPE",
    b"MACHTYPE",
    b"OLDPWD",
    b"OPTERR",
    b"OSTYPE",
    b"PPID",
    b"PS1",
    b"PS2",
    b"PS4",
    b"SHELL",
    b"SHELLOPTS",
    b"SHLVL",
    b"TERM",
    b"UID",
];

/// Is it a variable as any other, to a shell that begins? PWD is: `look_around` looks at it once it is set.
fn is_plain(name: &[u8]) -> bool {
    is_name(name) && Special::of(name) == Special::None && !READ_OR_SET.contains(&name)
}

impl BaseEnvironment {
    /// The environment of these variables, whose names are unique.
    pub fn new(variables: impl Into<Arc<Vec<(OsString, OsString)>>>) -> Self {
        Self { inner: Arc::new(Inner { variables: variables.into(), ..Inner::default() }) }
    }

    /// Its variables.
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.inner.variables
    }

    /// The value of a variable; on Windows the case of names does not matter.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables().iter().find(|(other, _)| is_same(other, OsStr::new(name))).map(|(_, value)| value.as_os_str())
    }

    /// Its variables with others laid over them.
    pub fn with(&self, own: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
        let mut variables = Vec::with_capacity(self.variables().len() + own.len());
        variables.extend_from_slice(self.variables());
        for (name, value) in own {
            match variables.iter_mut().find(|(other, _)| is_same(other, name)) {
                Some((_, old)) => old.clone_from(value),
                None => variables.push((name.clone(), value.clone())),
            }
        }
        variables
    }

    /// Gives a shell the variables of this environment and its own, and those that the shell itself sets.
    pub(crate) fn begin(&self, shell: &mut Shell, own: &[(OsString, OsString)]) {
        // Windows' names are not those that scripts have.
        let is_quick = !cfg!(windows) && !shell.host.is_process && !self.variables().is_empty();
        if !is_quick || !own.iter().all(|(name, _)| is_plain(&text::from_os(name))) {
            match self.variables() {
                [] => shell.import_environment(own),
                _ => shell.import_environment(&self.with(own)),
            }
            return;
        }
        // The first one is often the only one: nothing is kept for others before they come.
        if self.inner.is_used.swap(true, Ordering::Relaxed) {
            let beginning = self.beginning(shell);
            shell.vars = beginning.vars.beginning(own.len() + MORE);
            shell.env.inherited.functions = beginning.functions.clone();
            shell.env.options = beginning.options;
            shell.env.parse_epoch = beginning.parse_epoch;
            shell.env.bytes = beginning.bytes;
            shell.env.last_argument.extend_from_slice(&beginning.last_argument);
        } else {
            shell.import_variables(self.variables());
        }
        for (name, value) in own {
            let id = shell.vars.slot_bytes(&text::from_os(name));
            *shell.vars.change(id) = Some(Variable {
                value: Value::Scalar(text::from_os(value).into_owned()),
                attributes: Attributes::default().with(Attributes::EXPORT, true),
            });
        }
        shell.vars.environment_changed();
        shell.look_around();
    }

    /// What a shell is that has begun with this environment alone, made where the last one was another.
    fn beginning(&self, shell: &mut Shell) -> Arc<Beginning> {
        let made_for = MadeFor { dialect: shell.env.dialect, process: system::process_id(), ids: system::ids() };
        // Only whole values are put into it.
        let mut kept = lock(&self.inner.beginning);
        if let Some(beginning) = kept.as_ref().filter(|beginning| beginning.made_for == made_for) {
            return beginning.clone();
        }
        shell.import_variables(self.variables());
        let beginning = Arc::new(Beginning {
            made_for,
            vars: std::mem::take(&mut shell.vars).into_base(),
            functions: shell.env.inherited.functions.clone(),
            options: shell.env.options,
            parse_epoch: shell.env.parse_epoch,
            bytes: shell.env.bytes,
            last_argument: std::mem::take(&mut shell.env.last_argument),
        });
        *kept = Some(beginning.clone());
        beginning
    }
}

fn is_same(left: &OsStr, right: &OsStr) -> bool {
    if cfg!(windows) { left.eq_ignore_ascii_case(right) } else { left == right }
}

impl std::fmt::Debug for BaseEnvironment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BaseEnvironment").field("variables", &self.variables().len()).finish()
    }
}

#[cfg(test)]
mod tests;
