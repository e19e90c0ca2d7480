//! What differs between agents: their rules, by what they are about.

mod answers;
mod config;
mod files;
mod matching;
mod start;

use jsonc_parser::common::Range;

pub use self::answers::AnswerRules;
pub use self::config::ConfigRules;
pub use self::files::FileRules;
pub use self::matching::MatchRules;
pub use self::start::StartRules;

/// The rules of one agent.
pub trait Contract: ConfigRules + FileRules + MatchRules + StartRules + AnswerRules {
    /// The rules in a few words, for people: what hooks get, and what their exit codes mean.
    fn summary(&self) -> &'static [(&'static str, &'static str)];
}

/// Why the file is not used.
#[derive(Debug)]
pub struct Refusal {
    /// Where what is wrong stands.
    pub range: Range,
    /// The key that is wrong, with what it is in; empty for the whole file.
    pub key: String,
    /// What it must be.
    pub expected: &'static str,
    /// What it is.
    pub found: String,
}

/// How the hooks of an event stand in a config.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A list of hooks.
    Flat,
    /// A list of groups of a matcher and a list of hooks.
    Groups,
}

/// What of a config an agent does not take that we take else, or takes otherwise.
#[derive(Debug, Clone, Copy, Default)]
pub struct Strictness {
    /// Are the events' names read in the agent's own case alone?
    pub exact_events: bool,
    /// And in files that are not the user's own: so, and does of two equal keys the last count there?
    pub exact_elsewhere: bool,
    /// Is a hook without a group around it passed over?
    pub needs_group: bool,
    /// The types of hooks: one of another type, or without a type, is passed over.
    pub kinds: Option<&'static [&'static str]>,
    /// Does a hook run whose command is right, whatever is wrong with its other keys?
    pub keeps_odd_hooks: bool,
    /// Is a hook passed over that has the name (or without one the command) of one before it, and its matcher?
    pub one_of_a_name: bool,
    /// May a `timeout` be a number in a string?
    pub timeout_as_text: bool,
    /// Of two `hooks` of a file, does the last count?
    pub last_of_two: bool,
    /// Are two hooks that run the same two where their names are not the same?
    pub told_apart_by_name: bool,
}
