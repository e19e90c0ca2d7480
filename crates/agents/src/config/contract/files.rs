//! Where an agent's configs are.

use std::path::{Path, PathBuf};

use crate::agent::Agent;
use crate::config::{FoundFile, Places, plugin_root};

/// Where an agent's configs are.
pub trait FileRules: Agent {
    /// Its config files, whether they exist or not, in the order in which they are read, each with whose it is.
    fn config_files(&self, places: &Places<'_>) -> Vec<FoundFile>;

    /// The names in a project's directory below which all its config files stand.
    fn project_places(&self) -> &'static [&'static str];

    /// Where in a project its hooks stand, for people. `None`: its config is read in any directory.
    fn place_in_project(&self) -> Option<&'static str>;

    /// The variable in which the agent tells the programs that it starts the project's directory; it does not follow the agent
    /// into a sub-directory, as the working directory does. `None`: it has none.
    fn project_variable(&self) -> Option<&'static str> {
        None
    }

    /// Are its hooks started in the session's directory, whatever the call's is?
    fn starts_in_project(&self) -> bool {
        false
    }

    /// The directory of the plugin or extension that a file of hooks is of: a plugin's hooks stand in its `hooks/hooks.json`.
    fn plugin_root(&self, file: &Path) -> Option<PathBuf> {
        plugin_root(file)
    }

    /// Is a file that is no JSON, and in its place, the agent's all the same?
    fn owns_unreadable(&self) -> bool {
        false
    }
}
