//! The traps that an environment has set, and what each signal does by default (XCU 2.11, `trap`).

use std::collections::BTreeMap;
use std::sync::Arc;

use hookshell_process::signals;

/// What a trap is set for: 0 is EXIT, positive numbers are signals, and bash's own conditions are negative.
pub(crate) type ConditionNumber = i32;

pub(crate) const EXIT: ConditionNumber = 0;
pub(crate) const ERR: ConditionNumber = -1;
pub(crate) const DEBUG: ConditionNumber = -2;
pub(crate) const RETURN: ConditionNumber = -3;

pub(crate) const SIGINT: i32 = 2;
pub(crate) const SIGQUIT: i32 = 3;
pub(crate) const SIGTERM: i32 = 15;
/// What a child's end sends.
pub(crate) const SIGCHLD: i32 = if cfg!(target_vendor = "apple") { 20 } else { 17 };

/// What is done when the condition arises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    Ignore,
    Command(Arc<[u8]>),
}

impl Action {
    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Ignore => 0,
            Self::Command(text) => text.len(),
        }
    }
}

/// The traps of one environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Traps {
    pub(crate) actions: Arc<BTreeMap<ConditionNumber, Action>>,
    /// Traps of the parent that `trap` still shows in a subshell that has set none.
    shown: Option<Arc<BTreeMap<ConditionNumber, Action>>>,
    /// `trap` shows that INT is ignored here, in the environment of an asynchronous list itself.
    shows_ignored_int: bool,
    pub(crate) has_debug: bool,
    pub(crate) has_error: bool,
    /// The EXIT trap of the shell that this environment is a subshell of.
    inherited_exit: Option<Action>,
    /// Signals that the process was started with as ignored, as bits: signal 1 is bit 0.
    ignored_for_good: u64,
    /// This is a background list: QUIT is ignored, which `trap` does not list.
    quit_is_implicit: bool,
    /// Not to run a trap inside itself.
    pub(crate) running: Vec<ConditionNumber>,
    /// `$?` from before the innermost action that runs: what `exit` without an operand takes.
    pub(crate) status_before: Option<u8>,
    /// How many functions were active before it.
    pub(crate) depth_before: u32,
    /// The action of EXIT runs.
    pub(crate) running_exit: bool,
    /// An expansion has failed, and ends the shell or the EXIT trap that runs.
    pub(crate) expansion_failed: bool,
    /// What the last action ended with.
    pub(crate) action_status: u8,
    /// BASH_COMMAND
    command: Vec<u8>,
}

/// What a function call hides of the traps.
pub(crate) struct HiddenTraps {
    debug: Option<Action>,
    error: Option<Action>,
    returns: Option<Action>,
    functrace: bool,
    errtrace: bool,
}

impl Traps {
    #[inline]
    pub(crate) fn has_exit(&self) -> bool {
        self.get(EXIT).is_some()
    }

    /// bash resets the EXIT trap in the environment of a simple command (a stage, one in the background) only when its
    /// words are expanded: where that fails, the trap of the shell around runs.
    pub(crate) fn take_inherited_exit(&mut self) {
        if let Some(action) = self.inherited_exit.take() {
            self.put(EXIT, Some(action));
        }
    }

    #[inline]
    pub(crate) fn has_debug(&self) -> bool {
        self.has_debug
    }

    #[inline]
    pub(crate) fn has_error(&self) -> bool {
        self.has_error
    }

    pub(crate) fn get(&self, condition: ConditionNumber) -> Option<&Action> {
        if self.is_ignored_for_good(condition) {
            return Some(&Action::Ignore);
        }
        self.actions.get(&condition)
    }

    /// Signals that the process was started with as ignored, as bits: no trap can be set for them.
    pub(crate) fn ignore_for_good(&mut self, signals: u64) {
        self.ignored_for_good |= signals;
    }

    fn is_ignored_for_good(&self, condition: ConditionNumber) -> bool {
        (1..=64).contains(&condition) && self.ignored_for_good >> (condition - 1) & 1 != 0
    }

    /// About how many bytes they take. Conditions that have one text in common count it as often.
    pub(crate) fn bytes(&self) -> usize {
        self.actions.values().map(Action::bytes).sum()
    }

    pub(crate) fn set(&mut self, condition: ConditionNumber, action: Option<Action>) {
        if self.is_ignored_for_good(condition) {
            return;
        }
        self.shown = None;
        // QUIT stays unlisted until its trap is set.
        self.quit_is_implicit &= condition != SIGQUIT;
        self.put(condition, action);
    }

    pub(crate) fn put(&mut self, condition: ConditionNumber, action: Option<Action>) {
        if action.is_none() && !self.actions.contains_key(&condition) {
            return;
        }
        let actions = Arc::make_mut(&mut self.actions);
        match action {
            Some(action) => actions.insert(condition, action),
            None => actions.remove(&condition),
        };
        self.has_debug = matches!(actions.get(&DEBUG), Some(Action::Command(_)));
        self.has_error = matches!(actions.get(&ERR), Some(Action::Command(_)));
    }

    /// What `trap` lists.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (ConditionNumber, &Action)> {
        let is_hidden = |condition| self.quit_is_implicit && self.shown.is_none() && condition == SIGQUIT;
        let listed = self.shown.as_deref().unwrap_or(&self.actions).iter();
        let shows_int = self.shows_ignored_int && self.shown.is_some();
        let listed = listed.map(|(condition, action)| (*condition, action));
        let listed = listed
            .filter(move |(condition, _)| !(shows_int && *condition == SIGINT))
            .chain(shows_int.then_some((SIGINT, &Action::Ignore)));
        let for_good = (1..=64).filter(|condition| self.is_ignored_for_good(*condition));
        listed
            .filter(move |(condition, _)| !is_hidden(*condition) && !self.is_ignored_for_good(*condition))
            .chain(for_good.map(|condition| (condition, &Action::Ignore)))
    }

    /// `trap` lists: bash has looked at the signals then, and what it has found ignored is so for nested environments too.
    pub(crate) fn look_at_signals(&mut self) {
        if self.shows_ignored_int
            && let Some(shown) = &mut self.shown
        {
            Arc::make_mut(shown).insert(SIGINT, Action::Ignore);
        }
    }

    /// A subshell starts: traps that are not ignored go back to the default (ERR, DEBUG and RETURN unless they are
    /// inherited, which the caller's options say).
    pub(crate) fn enter_subshell(&mut self) {
        self.inherited_exit = None;
        if self.actions.is_empty() {
            return;
        }
        self.inherited_exit = self.get(EXIT).filter(|_| !self.running_exit).cloned();
        self.shows_ignored_int = false;
        if self.shown.is_none() {
            self.shown = Some(self.actions.clone());
        }
        let kept: BTreeMap<_, _> = self
            .actions
            .iter()
            .filter(|(condition, action)| **action == Action::Ignore || matches!(**condition, ERR | DEBUG | RETURN))
            .map(|(condition, action)| (*condition, action.clone()))
            .collect();
        self.actions = Arc::new(kept);
        self.running.clear();
        self.status_before = None;
        self.running_exit = false;
    }

    /// No trap is set or remembered, so a subshell finds nothing here to change, and has nothing to bring back.
    #[inline]
    fn is_blank(&self) -> bool {
        self.actions.is_empty()
            && self.shown.is_none()
            && self.inherited_exit.is_none()
            && self.running.is_empty()
            && self.status_before.is_none()
            && self.command.is_empty()
            && !(self.running_exit || self.shows_ignored_int || self.quit_is_implicit)
    }

    /// Begins a subshell on this thread; what comes of it is given back to [`Self::end_subshell`].
    #[inline]
    pub(crate) fn begin_subshell(&mut self, functrace: bool, errtrace: bool) -> Option<Box<Self>> {
        if self.is_blank() { None } else { self.begin_subshell_with(functrace, errtrace) }
    }

    fn begin_subshell_with(&mut self, functrace: bool, errtrace: bool) -> Option<Box<Self>> {
        let outer = Box::new(self.clone());
        self.enter_subshell();
        self.drop_untraced(functrace, errtrace);
        Some(outer)
    }

    /// Ends a subshell on this thread: the traps are what they were.
    #[inline]
    pub(crate) fn end_subshell(&mut self, outer: Option<Box<Self>>) {
        match outer {
            None if self.is_blank() => {}
            None => *self = Self { ignored_for_good: self.ignored_for_good, ..Self::default() },
            Some(outer) => *self = *outer,
        }
    }

    /// Traps that a subshell does not inherit without `set -E` and `set -T`.
    pub(crate) fn drop_untraced(&mut self, functrace: bool, errtrace: bool) {
        if self.actions.is_empty() {
            return;
        }
        if !functrace {
            self.put(DEBUG, None);
            self.put(RETURN, None);
        }
        if !errtrace {
            self.put(ERR, None);
        }
    }

    /// What a program that is shell source gets: ignored signals stay ignored.
    pub(crate) fn ignored_only(&self) -> Self {
        let kept: BTreeMap<_, _> = self
            .actions
            .iter()
            .filter(|(condition, action)| **action == Action::Ignore && **condition > 0)
            .map(|(condition, action)| (*condition, action.clone()))
            .collect();
        // The signals that a program finds ignored stay so.
        let ignored_for_good = self.ignored_for_good | self.ignored();
        Self { actions: Arc::new(kept), ignored_for_good, ..Self::default() }
    }

    /// The INT and QUIT of an asynchronous list are ignored. bash lists neither in a simple command, and only INT in other
    /// ones.
    pub(crate) fn ignore_keyboard(&mut self, is_simple: bool) {
        self.shown.get_or_insert_with(|| self.actions.clone());
        self.shows_ignored_int = !is_simple;
        self.quit_is_implicit = self.get(SIGQUIT) != Some(&Action::Ignore);
        for signal in [SIGINT, SIGQUIT] {
            self.put(signal, Some(Action::Ignore));
        }
    }

    pub(crate) fn depth_before(&self) -> u32 {
        self.depth_before
    }

    pub(crate) fn is_running_exit(&self) -> bool {
        self.running_exit
    }

    pub(crate) fn status_before(&self) -> Option<u8> {
        self.status_before
    }

    /// The signals that do not end this environment, because they are trapped or ignored, as bits: signal 1 is bit 0.
    pub(crate) fn handled(&self) -> u64 {
        let set = self.actions.keys().filter(|condition| (1..=64).contains(*condition));
        set.fold(self.ignored_for_good, |bits, n| bits | 1 << (n - 1))
    }

    /// The signals that the script ignores, in the same way. Children inherit those that the process was started with.
    pub(crate) fn ignored(&self) -> u64 {
        let ignored = self.actions.iter().filter(|(_, action)| **action == Action::Ignore);
        ignored.filter(|(condition, _)| (1..=64).contains(*condition)).fold(0, |bits, (n, _)| bits | 1 << (n - 1))
    }

    pub(crate) fn enter_function(&mut self, functrace: bool, errtrace: bool) -> HiddenTraps {
        let mut hidden = HiddenTraps { debug: None, error: None, returns: None, functrace, errtrace };
        if self.actions.is_empty() {
            return hidden;
        }
        if !functrace {
            hidden.debug = self.hide(DEBUG);
            hidden.returns = self.hide(RETURN);
        }
        if !errtrace {
            hidden.error = self.hide(ERR);
        }
        hidden
    }

    /// bash: a sourced file has no DEBUG trap without `set -T`.
    pub(crate) fn enter_source(&mut self, functrace: bool) -> HiddenTraps {
        let debug = if functrace { None } else { self.hide(DEBUG) };
        HiddenTraps { debug, error: None, returns: None, functrace, errtrace: true }
    }

    /// Takes the action of a trap away. What is ignored stays so.
    fn hide(&mut self, condition: ConditionNumber) -> Option<Action> {
        let action = self.get(condition).filter(|action| **action != Action::Ignore).cloned();
        if action.is_some() {
            self.put(condition, None);
        }
        action
    }

    /// In a process substitution `trap` shows only what has not been reset there, and bash's own conditions.
    pub(crate) fn show_unreset(&mut self) {
        if let Some(shown) = &mut self.shown {
            Arc::make_mut(shown)
                .retain(|condition, action| *condition < 0 || *condition > 0 && *action == Action::Ignore);
        }
    }

    /// A trap that the function itself has set stays.
    pub(crate) fn leave_function(&mut self, hidden: HiddenTraps) {
        if hidden.debug.is_none() && hidden.error.is_none() && hidden.returns.is_none() {
            return;
        }
        if !hidden.functrace {
            if self.get(DEBUG).is_none() && hidden.debug.is_some() {
                self.put(DEBUG, hidden.debug);
            }
            if self.get(RETURN).is_none() && hidden.returns.is_some() {
                self.put(RETURN, hidden.returns);
            }
        }
        if !hidden.errtrace && self.get(ERR).is_none() && hidden.error.is_some() {
            self.put(ERR, hidden.error);
        }
    }

    /// Is any trap set?
    #[inline]
    pub(crate) fn has_any(&self) -> bool {
        !self.actions.is_empty()
    }

    /// Is there anything to run for a signal or another condition? Those that are only ignored are not counted.
    pub(crate) fn has_actions(&self) -> bool {
        let has = |(condition, action): (&ConditionNumber, &Action)| {
            *action != Action::Ignore && !matches!(*condition, DEBUG | RETURN)
        };
        self.actions.iter().any(has)
    }

    /// Notes the command that runs; within an action the one that it was run for stays.
    pub(crate) fn set_command(&mut self, text: impl FnOnce() -> Vec<u8>) {
        if self.running.is_empty() && !self.running_exit {
            self.command = text();
        }
    }

    pub(crate) fn command_text(&self) -> Vec<u8> {
        self.command.clone()
    }
}

/// The number of a condition as `trap` takes it: a signal's name or number, EXIT, ERR, DEBUG, RETURN.
pub(crate) fn condition_number(name: &[u8]) -> Option<ConditionNumber> {
    let text = std::str::from_utf8(name).ok()?;
    let upper = text.to_ascii_uppercase();
    match upper.strip_prefix("SIG").unwrap_or(&upper) {
        "EXIT" | "0" if !upper.starts_with("SIG") => Some(EXIT),
        "ERR" if !upper.starts_with("SIG") => Some(ERR),
        "DEBUG" if !upper.starts_with("SIG") => Some(DEBUG),
        "RETURN" if !upper.starts_with("SIG") => Some(RETURN),
        _ => signals::number(text).filter(|n| *n > 0),
    }
}

/// The name that `trap` lists a condition by.
pub(crate) fn condition_name(condition: ConditionNumber) -> String {
    match condition {
        EXIT => "EXIT".into(),
        ERR => "ERR".into(),
        DEBUG => "DEBUG".into(),
        RETURN => "RETURN".into(),
        signal => match signals::name(signal) {
            Some(name) => format!("SIG{}", name.strip_prefix("SIG").unwrap_or(name)),
            None => signal.to_string(),
        },
    }
}

/// Does the signal end a process that neither traps nor ignores it? (The others are ignored or concern job control.)
pub(crate) fn ends_by_default(signal: i32) -> bool {
    let name = signals::name(signal).unwrap_or("");
    let name = name.strip_prefix("SIG").unwrap_or(name);
    !matches!(name, "CHLD" | "CONT" | "URG" | "WINCH" | "TSTP" | "TTIN" | "TTOU" | "STOP")
}

/// Does bash run the EXIT trap where this signal ends the shell? It leaves the others to the system.
pub(crate) fn is_handled_by_exit(signal: i32) -> bool {
    let name = signals::name(signal).unwrap_or("");
    let name = name.strip_prefix("SIG").unwrap_or(name);
    !matches!(name, "KILL" | "QUIT" | "IO" | "POLL" | "PWR" | "STKFLT") && !name.starts_with("RT")
}
