//! What subshells inherit and seldom change.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;

use hashbrown::HashMap;
use hookshell_process::HeldDirectory;

use crate::call::Function;
use crate::command_hash::CommandHash;
use crate::completions::Completions;
use crate::coprocess::Coprocess;
use crate::ifs::Ifs;

/// The state that a subshell begins with as its parent has it, and that few subshells change.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) functions: Arc<HashMap<Box<[u8]>, Arc<Function>>>,
    pub(crate) aliases: Arc<BTreeMap<Vec<u8>, Vec<u8>>>,
    /// What `complete` has registered.
    pub(crate) completions: Arc<Completions>,
    /// Where programs are (`hash`).
    pub(crate) command_hash: Arc<CommandHash>,
    /// `$0`
    pub(crate) name: Arc<[u8]>,
    pub(crate) cwd: Arc<Path>,
    /// That directory, where `cd` has entered it: it may get another name.
    pub(crate) held_directory: Option<Arc<HeldDirectory>>,
    pub(crate) dir_stack: Vec<Vec<u8>>,
    pub(crate) umask: Option<u32>,
    /// The resource limits that the script has set: its programs get them.
    pub(crate) resource_limits: Arc<Vec<hookshell_process::ResourceLimit>>,
    pub(crate) ifs: Arc<Ifs>,
    /// Those that have not been waited for.
    pub(crate) coprocesses: Vec<Coprocess>,
    /// GLOBIGNORE was assigned: bash takes no notice of one that the environment brings.
    pub(crate) ignores_names: bool,
}

/// About how many bytes a directory takes on the stack.
pub(crate) fn stack_entry_bytes(directory: &Vec<u8>) -> usize {
    directory.capacity() + 24
}

/// [`State`] as a whole, shared by the environments that have not changed it: to enter a subshell and to leave it takes
/// no more than a pointer. Whoever changes something (`DerefMut`) gets a copy of it first.
#[derive(Debug, Clone)]
pub(crate) struct Inherited(Arc<State>);

impl Inherited {
    pub(crate) fn new(name: Arc<[u8]>, cwd: Arc<Path>) -> Self {
        Self(Arc::new(State {
            functions: Arc::default(),
            aliases: Arc::default(),
            completions: Arc::default(),
            command_hash: Arc::default(),
            name,
            cwd,
            held_directory: None,
            dir_stack: Vec::new(),
            umask: None,
            resource_limits: Arc::default(),
            ifs: Arc::default(),
            coprocesses: Vec::new(),
            ignores_names: false,
        }))
    }
}

impl Deref for Inherited {
    type Target = State;

    #[inline]
    fn deref(&self) -> &State {
        &self.0
    }
}

impl DerefMut for Inherited {
    fn deref_mut(&mut self) -> &mut State {
        Arc::make_mut(&mut self.0)
    }
}
