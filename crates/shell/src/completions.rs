//! What `complete` has registered: which completions a script wants for which command.

use std::collections::BTreeMap;

/// What is registered, by the name of the command.
pub(crate) type Completions = BTreeMap<Vec<u8>, Request>;

/// About how many bytes what is registered takes.
pub(crate) fn completions_bytes(completions: &Completions) -> usize {
    completions.iter().map(|(name, request)| name.len() + request.bytes()).sum()
}

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Action {
    Alias,
    Builtin,
    Command,
    Directory,
    Export,
    File,
    Group,
    Job,
    Keyword,
    Service,
    User,
    Variable,
    // Those without a letter.
    ArrayVariable,
    Binding,
    Disabled,
    Enabled,
    Function,
    HelpTopic,
    Hostname,
    Running,
    SetOption,
    ShellOption,
    Signal,
    Stopped,
}

/// What `compgen` lists, and `complete` notes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    pub(crate) actions: Vec<Action>,
    pub(crate) words: Option<Vec<u8>>,
    pub(crate) glob: Option<Vec<u8>>,
    pub(crate) filter: Option<Vec<u8>>,
    pub(crate) prefix: Option<Vec<u8>>,
    pub(crate) suffix: Option<Vec<u8>>,
    pub(crate) function: Option<Vec<u8>>,
    pub(crate) command: Option<Vec<u8>>,
    /// Of those of `-o`.
    pub(crate) options: Vec<&'static str>,
}

impl Request {
    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let texts = [&self.words, &self.glob, &self.filter, &self.prefix, &self.suffix, &self.function, &self.command];
        let texts: usize = texts.into_iter().flatten().map(Vec::len).sum();
        texts + self.actions.len() + self.options.len() * 16 + size_of::<Self>()
    }
}
