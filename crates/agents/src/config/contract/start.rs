//! What an agent's hooks are started with, and in which order.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::agent::Agent;
use crate::config::{HookConfig, HttpRules};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::variables::Variables;
use hookshell_process::Environment;

/// What an agent's hooks are started with, and in which order. `dialect_event_name` is always the event's name in the agent's dialect.
pub trait StartRules: Agent {
    /// The directory that a hook runs in that does not say.
    fn directory(&self, _hook: &HookConfig, cwd: &Path, _project_dir: &Path) -> PathBuf {
        cwd.to_owned()
    }

    /// Values that the agent puts in itself for `${KEY}` in a hook's command and arguments, before a shell reads them: pairs of
    /// a key and its value.
    fn put_in(&self, _hook: &HookConfig, _event: &Event, _host: &Environment) -> Vec<(String, String)> {
        Vec::new()
    }

    /// What a hook reads on its standard input.
    fn payload(&self, dialect_event_name: &str, event: &Event) -> Arc<[u8]>;

    /// The variables that a hook gets beside the native ones. `host` is the environment that it inherits.
    fn variables(&self, hook: &HookConfig, event: &Event, host: &Environment) -> Vec<(&'static str, OsString)>;

    /// Do hooks get the variables that the agent itself sets for an event, in the place of those of the native contract?
    fn has_own_variables(&self) -> bool {
        true
    }

    /// Of the native contract's variables those that hold directories, where hooks get these.
    fn directory_variables(&self, _cwd: &Path, _project_dir: &Path) -> Vec<(&'static str, OsString)> {
        Vec::new()
    }

    /// Is `$VAR` without quotes, of the variable that holds the project's directory, split where that has a blank? Some agents put it in
    /// quoted.
    fn splits_project_variable(&self) -> bool {
        true
    }

    /// Further variables, which nothing is put into a hook's arguments for: what the agent says of itself and of the session, and
    /// the options of the plugin that the hook is of.
    fn more_variables(&self, _hook: &HookConfig, _event: &Event, _host: &Environment) -> Variables {
        Vec::new()
    }

    /// What the names of the agent's own variables begin with.
    fn variable_prefix(&self) -> &'static str;

    /// Names that begin so are variables that the agent may set for a hook, beside [`StartRules::variables`].
    fn may_set(&self) -> &'static [&'static str] {
        &[]
    }

    /// The variable that names a file to which a hook may write variables of the session, as shell code. `None`: it has none.
    fn env_file(&self) -> Option<&'static str> {
        None
    }

    /// Does a hook on this event have such a file?
    fn has_env_file(&self, _event: EventKind) -> bool {
        false
    }

    /// May hooks set variables for those after them in the session?
    fn sets_variables(&self) -> bool {
        self.env_file().is_some()
    }

    /// How its hooks of the type `http` are run; `None`: it has none.
    fn http(&self) -> Option<&'static dyn HttpRules> {
        None
    }

    /// Do hooks run one after the other?
    fn is_sequential(&self) -> bool {
        false
    }

    /// Do all hooks of an event run one after the other where one of them is to?
    fn takes_turns_together(&self) -> bool {
        false
    }
}
