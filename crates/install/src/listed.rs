//! A hook as `status` lists it.

/// A hook.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// The event, as the config has it.
    pub event: String,
    /// Its matcher.
    pub matcher: Option<String>,
    /// Its command, as it was before it was wired. Empty: it has none.
    pub command: String,
    /// Its other commands: those for other systems.
    pub other_commands: Vec<String>,
    /// Is it wired?
    pub state: State,
    /// Of a wired hook of an agent that trusts each hook by its text (Codex): does it trust the line that runs the hook?
    pub trusted_by_agent: Option<bool>,
    /// Of a wired hook of an agent that remembers which hooks its user has switched off (Codex): is the line that runs the hook on?
    pub enabled_by_agent: Option<bool>,
}

/// Does a hook run through hookshell?
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// It does.
    Wired,
    /// It could.
    Plain,
    /// It is of another type, or says itself how it is started: the agent runs it.
    Other(String),
    /// It is a plugin's: it runs through hookshell only where the agent's shell is hookshell.
    Plugin,
    /// It was moved to the side file, and its event has no line in the config any more: nobody runs it.
    Stranded,
}

impl State {
    pub(crate) fn other(kind: Option<String>) -> Self {
        Self::Other(kind.unwrap_or_else(|| "command".to_owned()))
    }

    /// One word: `wired`, `plain`, `plugin`, `stranded`, or the type of the hook.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Wired => "wired",
            Self::Plain => "plain",
            Self::Plugin => "plugin",
            Self::Stranded => "stranded",
            Self::Other(kind) => kind,
        }
    }
}
