//! What differs between agents.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jsonc_parser::ast::{Object, ObjectProp};
use jsonc_parser::common::Range;

use super::exit::{Exit, ExitMeaning, SyntaxErrorMeaning};
use super::reader::Reader;
use super::{FoundFile, HookConfig, HttpRules, Places, WarningKind, plugin_root};
use crate::agent::Agent;
use crate::condition::{Condition, ConditionError};
use crate::dialect::Dialect;
use crate::envelope::{BadEnvelope, Envelope};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::matcher::{Matcher, MatcherError};
use crate::report::HookReport;
use crate::variables::Variables;

/// The rules of one agent. `dialect_event_name` is always the event's name in the agent's dialect.
pub trait Contract: Agent {
    /// How the hooks of an event stand in its configs.
    fn shape(&self) -> Shape;

    /// The keys of a hook, and the native key that each is; `""` for one that says nothing to us.
    fn keys(&self) -> &'static [(&'static str, &'static str)];

    /// Is the number of a `timeout` one of milliseconds?
    fn timeout_in_milliseconds(&self) -> bool {
        false
    }

    /// What a `timeout` of this number is in seconds.
    fn seconds(&self, number: f64) -> f64 {
        if self.timeout_in_milliseconds() { number / 1000.0 } else { number }
    }

    /// What of a config the agent does not take that other agents do.
    fn strictness(&self) -> Strictness {
        Strictness::default()
    }

    /// How long a hook may run that does not say. `kind` is its `type`.
    fn default_timeout(&self, event: EventKind, kind: &str) -> Duration;

    /// How long a hook of the event may run at most, whatever its config says.
    fn longest_timeout(&self, _event: EventKind) -> Duration {
        Duration::MAX
    }

    /// Reads a matcher, which is compiled when it is asked. The empty one is for everything.
    fn matcher(&self, pattern: &str, event: EventKind) -> Result<Matcher, MatcherError>;

    /// What is odd about a matcher that could be read.
    fn odd_matcher(&self, _pattern: &str, _event: EventKind, matcher: &Matcher) -> Option<WarningKind> {
        let pattern = matcher.pattern().filter(|_| matcher.is_rules())?.to_owned();
        Some(WarningKind::PermissionMatcher { agent: self.name(), pattern })
    }

    /// Reads a matcher of the user's own file, where the agent's own reading would let a guard never run.
    fn own_matcher(&self, pattern: &str, event: EventKind) -> Result<Matcher, MatcherError> {
        self.matcher(pattern, event)
    }

    /// Where a matcher matches nothing that the agent has, as it reads it: what it takes it for, and what to write instead.
    fn matches_nothing(&self, _pattern: &str, _event: EventKind) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Reads a hook's `if`; `None`: it is no condition. `is_exact`: as the agent reads it, and not as it may be meant.
    fn condition(&self, text: &str, _is_exact: bool) -> Result<Option<Condition>, ConditionError> {
        text.parse().map(Some)
    }

    /// Does the agent check a config file as a whole?
    fn checks_files(&self) -> bool {
        false
    }

    /// Does what is wrong in a config cost only what it stands in? Else it costs all of the config's hooks.
    fn loses_only_what_is_wrong(&self) -> bool {
        true
    }

    /// Is a member whose value is null one of a file's? Others pass over it.
    fn keeps_nulls(&self) -> bool {
        false
    }

    /// Is a file that is no JSON, and in its place, the agent's all the same?
    fn owns_unreadable(&self) -> bool {
        false
    }

    /// Reads a file by rules of the agent's own; `false`: it is read as those of all agents are. `root` has its nulls where
    /// [`Contract::keeps_nulls`].
    fn reads_file(&self, _reader: &mut Reader<'_, '_>, _root: &Object<'_>) -> bool {
        false
    }

    /// Reads what a file has for hooks beside its `hooks`; `false`: the agent takes none of its hooks, and why is reported.
    fn reads_beside(&self, _reader: &mut Reader<'_, '_>, _root: &Object<'_>) -> bool {
        true
    }

    /// What switches all hooks of a file off, and its key. `events`: the file's `hooks`.
    fn switched_off<'v, 'a>(
        &self,
        _root: &'v Object<'a>,
        _events: Option<&'v Object<'a>>,
    ) -> Option<(&'v ObjectProp<'a>, &'static str)> {
        None
    }

    /// Is this one of the hooks that the switch is not for?
    fn stays_on(&self, _hook: &HookConfig) -> bool {
        false
    }

    /// Does a file that was named for a run switch off hooks of others that were, too?
    fn switches_off_given(&self) -> bool {
        false
    }

    /// The names and commands of the hooks that a file switches off one by one.
    fn disabled(&self, _root: &Object<'_>, _events: &Object<'_>) -> HashSet<String> {
        HashSet::new()
    }

    /// The keys beside the events that are none.
    fn settings(&self) -> &'static [&'static str] {
        &[]
    }

    /// Is a hook of the type `prompt` on this event no question to a model, but what the user is taken to have typed?
    fn submits_prompt(&self, _event: EventKind) -> bool {
        false
    }

    /// The directory that a hook runs in that does not say.
    fn directory(&self, _hook: &HookConfig, cwd: &Path, _project_dir: &Path) -> PathBuf {
        cwd.to_owned()
    }

    /// Why the agent uses nothing of a config file with this text and tree; `None` if it uses it. Only asked where
    /// [`Contract::checks_files`]. `needs_type`: not where a hook only has no `type`.
    fn refusal(&self, _text: &str, _root: &Object<'_>, _needs_type: bool) -> Option<Refusal> {
        None
    }

    /// Does the agent run this hook, as far as its own keys say, whatever the other keys are?
    fn takes(&self, _hook: &Object<'_>) -> bool {
        false
    }

    /// Is a hook with `once` run once in a session?
    fn heeds_once(&self) -> bool {
        true
    }

    /// Do two hooks with the same command and different `if`s both run?
    fn runs_each_condition(&self) -> bool {
        false
    }

    /// Why the agent refuses to start a hook that its config has; `None`: it starts it.
    fn refuses(&self, _hook: &HookConfig) -> Option<String> {
        None
    }

    /// The directory of the plugin or extension that a file of hooks is of: a plugin's hooks stand in its `hooks/hooks.json`.
    fn plugin_root(&self, file: &Path) -> Option<PathBuf> {
        plugin_root(file)
    }

    /// Values that the agent puts in itself for `${KEY}` in a hook's command and arguments, before a shell reads them: pairs of
    /// a key and its value.
    fn put_in(&self, _hook: &HookConfig, _event: &Event, _host: &Variables) -> Vec<(String, String)> {
        Vec::new()
    }

    /// May a command say by its first line of output that it continues in the background?
    fn may_say_async(&self) -> bool {
        false
    }

    /// Does what a hook printed say that it continues in the background, and counts for nothing from there on?
    fn says_async(&self, _stdout: &[u8]) -> bool {
        false
    }

    /// What a matcher is tested against: it matches if it matches one of them. `None`: a matcher does not count.
    fn subjects<'e>(&self, dialect_event_name: &str, event: &'e Event) -> Option<Vec<Cow<'e, str>>>;

    /// Is what happened what `dialect_event_name` is about? (Some agents have events for some tools.)
    fn is_about(&self, _dialect_event_name: &str, _event: &Event) -> bool {
        true
    }

    /// What a hook reads on its standard input.
    fn payload(&self, dialect_event_name: &str, event: &Event) -> Arc<[u8]>;

    /// The variables that a hook gets beside the native ones. `host` is the environment that it inherits.
    fn variables(&self, hook: &HookConfig, event: &Event, host: &Variables) -> Vec<(&'static str, OsString)>;

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
    fn more_variables(&self, _hook: &HookConfig, _event: &Event, _host: &Variables) -> Variables {
        Vec::new()
    }

    /// Is there something that a block by one of the agent's hooks stops?
    fn can_block(&self, event: EventKind) -> bool {
        event.can_block()
    }

    /// Is what the event is about blocked where a hook does not answer in time, whatever its config says of failures?
    fn denies_on_timeout(&self, _event: EventKind) -> bool {
        false
    }

    /// What an exit code means. `said`: is there anything on standard error?
    fn exit_meaning(&self, event: EventKind, status: u8, said: bool) -> ExitMeaning;

    /// What a hook said that ended by itself, where the agent reads its exit code and both of its outputs together; in it
    /// `None` if nothing of that counts. Without a value [`Contract::exit_meaning`] and [`Contract::envelope`] say it.
    fn read_exit(&self, _exit: &Exit<'_>) -> Option<Result<Option<Envelope>, BadEnvelope>> {
        None
    }

    /// What a command means that is no valid shell code.
    fn syntax_error(&self, event: EventKind) -> SyntaxErrorMeaning {
        if self.can_block(event) { SyntaxErrorMeaning::Block } else { SyntaxErrorMeaning::Failure }
    }

    /// What else of a hook's answer, which denies nothing and holds no denial, the agent ignores, and why.
    fn ignored(&self, _exit: &Exit<'_>, _report: &HookReport) -> Option<String> {
        None
    }

    /// Reads what a hook printed, where its exit code says that it counts.
    fn envelope(&self, stdout: &[u8], event: EventKind, dialect_event_name: &str) -> Result<Envelope, BadEnvelope>;

    /// Takes out of an envelope what does not count on the event.
    fn keep_what_counts(&self, envelope: &mut Envelope, event: EventKind) {
        envelope.keep_what_is_of(event);
        if !self.can_block(event) {
            envelope.drop_decision();
        }
    }

    /// Does the beginning of an answer that is too long deny, where a denial stands in it?
    fn reads_cut_answer(&self, _event: EventKind) -> bool {
        false
    }

    /// Does reading an envelope tell of all in it that does not count?
    fn tells_what_is_lost(&self) -> bool {
        false
    }

    /// What is said of an answer that denies or halts and does not count. `said`: what it has of that; `why`: what is wrong with it, with
    /// a blank before it, or nothing. `is_exit`: the hook ended by itself.
    fn lost_answer(&self, _exit: &Exit<'_>, _is_exit: bool, said: &str, why: &str) -> String {
        format!("{} ignores this answer: {said}{why}", self.name())
    }

    /// Is standard output read where the exit code is 0 and at no other, and that without a word?
    fn reads_at_zero_only(&self) -> bool {
        false
    }

    /// Is UTF-16 on standard output read as the text that it is?
    fn reads_utf16(&self) -> bool {
        true
    }

    /// Why an exit code that may be meant to block does not. `said`: is there anything on standard error?
    fn ignored_exit(&self, _event: EventKind, _status: u8, _said: bool) -> Option<&'static str> {
        None
    }

    /// Settles what the results of this agent's hooks say together otherwise than one by one; they are in the order of the config.
    fn settle(&self, _event: &Event, _results: &mut [&mut HookReport]) {}

    /// How its hooks of the type `http` are run; `None`: it has none.
    fn http(&self) -> Option<&'static dyn HttpRules> {
        None
    }

    /// Are hooks that would run the same run once?
    fn dedupes(&self) -> bool {
        true
    }

    /// Do hooks run one after the other?
    fn is_sequential(&self) -> bool {
        false
    }

    /// Of hooks that run one after the other: are those after this one not run any more?
    fn stops(&self, _event: EventKind, _result: &HookReport) -> bool {
        false
    }

    /// Do all hooks of an event run one after the other where one of them is to?
    fn takes_turns_together(&self) -> bool {
        false
    }

    /// The variable in which the agent tells the programs that it starts the project's directory; it does not follow the agent
    /// into a sub-directory, as the working directory does. `None`: it has none.
    fn project_variable(&self) -> Option<&'static str> {
        None
    }

    /// The names in a project's directory below which all its config files stand.
    fn project_places(&self) -> &'static [&'static str];

    /// Its config files, whether they exist or not, in the order in which they are read, each with whose it is.
    fn config_files(&self, places: &Places<'_>) -> Vec<FoundFile>;

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

    /// Does this warning of a hook's say nothing more, where one says that the whole of its answer is lost?
    fn is_said_by_lost(&self, _warning: &str) -> bool {
        false
    }

    /// What the names of the agent's own variables begin with.
    fn variable_prefix(&self) -> &'static str;

    /// Names that begin so are variables that the agent may set for a hook, beside [`Contract::variables`].
    fn may_set(&self) -> &'static [&'static str] {
        &[]
    }

    /// Does every exit code but 0 deny where a hook has said something on standard error?
    fn denies_at_any_code(&self) -> bool {
        false
    }

    /// Does the agent deny a call where a program that it runs as its hook exits with a code that it does not know?
    fn denies_unknown_codes(&self) -> bool {
        false
    }

    /// Has its output a field whose text the user sees?
    fn tells_user(&self) -> bool {
        true
    }

    /// Are its hooks started in the session's directory, whatever the call's is?
    fn starts_in_project(&self) -> bool {
        false
    }

    /// Where in a project its hooks stand, for people. `None`: its config is read in any directory.
    fn place_in_project(&self) -> Option<&'static str>;

    /// Has it tools that no other agent has, and no table here knows as its own?
    fn has_unlisted_tools(&self) -> bool {
        false
    }

    /// Do matchers count on prompts and on the end of a turn?
    fn matches_prompts(&self) -> bool {
        false
    }

    /// Is it known which tools there are for the hooks of a config file of this name?
    fn knows_tools(&self, _file: &Path) -> bool {
        true
    }

    /// Whose names of tools matchers on an event have; `own` is the agent's dialect.
    fn tools_of(&self, own: Dialect, _dialect_event_name: &str) -> Dialect {
        own
    }

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
