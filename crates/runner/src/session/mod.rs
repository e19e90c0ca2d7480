//! What a runner remembers from event to event: which hooks have run once, and which run in the background.

mod store;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use hookshell_process::sync::lock;

use crate::work::{Completion, Execute, Running, Work};

pub use self::store::SessionMemory;
pub(crate) use self::store::Store;

/// How often a wait for background hooks looks whether it shall give up.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The sessions of a runner. Dropping it ends every background hook.
#[derive(Default)]
pub(crate) struct Sessions {
    state: Mutex<State>,
    /// Shared with the reports of background hooks, which may outlive the runner.
    running: Arc<LiveHooks>,
    /// What other runners, and other processes, remember of them.
    store: Option<Store>,
}

#[derive(Default)]
struct State {
    /// Session and hook.
    done_once: HashSet<(String, usize)>,
    /// By session.
    env: HashMap<String, SessionEnv>,
    background: Vec<Background>,
    next: u64,
}

/// Variables that hooks have set for a session.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionEnv {
    /// By the user's hooks, for all.
    pub(crate) own: Vec<(String, String)>,
    /// By the project's hooks, for the project's, over the others. What they set (`PATH`, say) never reaches the user's guards.
    pub(crate) of_project: Vec<(String, String)>,
}

struct Background {
    session: String,
    number: u64,
    handle: Box<dyn Running>,
}

/// The numbers of the background hooks that have not ended.
#[derive(Default)]
struct LiveHooks {
    numbers: Mutex<HashSet<u64>>,
    ended: Condvar,
}

impl Sessions {
    /// Sessions that others know too, by this store.
    pub(crate) fn with(store: Option<Store>) -> Self {
        Self { state: Mutex::default(), running: Arc::default(), store }
    }

    /// Is it the first time in the session that the hook runs? The next time it is not. `name` tells the hook from others
    /// of its configs, from process to process.
    pub(crate) fn first_time(&self, session: &str, hook: usize, name: impl FnOnce() -> String) -> bool {
        let is_first = lock(&self.state).done_once.insert((session.to_owned(), hook));
        match self.store.as_ref().filter(|_| is_first && !session.is_empty()) {
            None => is_first,
            Some(store) => store.change(session, |kept| {
                let name = name();
                let is_first = !kept.done_once.contains(&name);
                if is_first {
                    kept.done_once.push(name);
                }
                is_first
            }),
        }
    }

    /// The variables that the session's hooks have set.
    pub(crate) fn env(&self, session: &str) -> SessionEnv {
        if let Some(env) = lock(&self.state).env.get(session) {
            return env.clone();
        }
        match self.store.as_ref().filter(|_| !session.is_empty()) {
            None => SessionEnv::default(),
            Some(store) => {
                let kept = store.load(session);
                SessionEnv { own: kept.env, of_project: kept.project_env }
            }
        }
    }

    /// Sets variables for the session's later hooks: `own` is what the user's hooks have set, `of_project` what the project's.
    pub(crate) fn set_env(&self, session: &str, own: &[(String, String)], of_project: &[(String, String)]) {
        if own.is_empty() && of_project.is_empty() {
            return;
        }
        let lay_over = |env: &mut Vec<(String, String)>, set: &[(String, String)]| {
            let names: HashSet<&str> = set.iter().map(|(name, _)| name.as_str()).collect();
            env.retain(|(other, _)| !names.contains(other.as_str()));
            env.extend_from_slice(set);
        };
        match self.store.as_ref().filter(|_| !session.is_empty()) {
            Some(store) => store.change(session, |kept| {
                lay_over(&mut kept.env, own);
                lay_over(&mut kept.project_env, of_project);
            }),
            None => {
                let mut state = lock(&self.state);
                let env = state.env.entry(session.to_owned()).or_default();
                lay_over(&mut env.own, own);
                lay_over(&mut env.of_project, of_project);
            }
        }
    }

    /// Takes over work that was started and that nobody waits for any more. What is given has to be called, or dropped, when it has
    /// ended.
    pub(crate) fn adopt(
        &self,
        session: &str,
        handle: Box<dyn Running>,
        report: impl FnOnce(Completion) + Send + 'static,
    ) -> Box<dyn FnOnce(Completion) + Send> {
        let mut state = lock(&self.state);
        let ended = self.next(&mut state);
        let number = ended.number;
        self.keep(&mut state, session, number, handle);
        Box::new(move |what| {
            report(what);
            drop(ended);
        })
    }

    /// Counts work of the background.
    fn next(&self, state: &mut State) -> RunningGuard {
        state.next += 1;
        let number = state.next;
        lock(&self.running.numbers).insert(number);
        RunningGuard { running: self.running.clone(), number }
    }

    /// Keeps what it is cancelled by.
    fn keep(&self, state: &mut State, session: &str, number: u64, handle: Box<dyn Running>) {
        {
            let running = lock(&self.running.numbers);
            state.background.retain(|background| running.contains(&background.number));
        }
        state.background.push(Background { session: session.to_owned(), number, handle });
    }

    /// Starts work that nobody waits for. `report` is called with how it ended, on any thread.
    pub(crate) fn start(
        &self,
        session: &str,
        executor: &dyn Execute,
        work: Work,
        report: impl FnOnce(Completion) + Send + 'static,
    ) {
        let mut state = lock(&self.state);
        let ended = self.next(&mut state);
        let number = ended.number;
        let handle = work.start(executor, move |what| {
            report(what);
            drop(ended);
        });
        self.keep(&mut state, session, number, handle);
    }

    /// What has been started in the background until now.
    pub(crate) fn started(&self) -> Started {
        Started(lock(&self.state).next)
    }

    /// Ends a session: its background hooks are told to stop, and what ran once may run again. Those that were started after
    /// `until`, if it is given, continue: they are hooks of the end itself.
    pub(crate) fn end(&self, session: &str, until: Option<Started>) {
        let mut state = lock(&self.state);
        state.done_once.retain(|(other, _)| other != session);
        state.env.remove(session);
        if let Some(store) = &self.store {
            store.remove(session);
        }
        state.background.retain(|background| {
            let is_over =
                background.session == session && until.is_none_or(|Started(until)| background.number <= until);
            if is_over {
                background.handle.cancel();
            }
            !is_over
        });
    }

    /// Waits until every background hook has ended, or `give_up` says so.
    pub(crate) fn wait(&self, give_up: &dyn Fn() -> bool) {
        let is_none = || lock(&self.running.numbers).is_empty();
        // Not under the lock: what is asked may end one.
        while !is_none() && !give_up() {
            let numbers = lock(&self.running.numbers);
            if !numbers.is_empty() {
                drop(self.running.ended.wait_timeout(numbers, POLL_INTERVAL));
            }
        }
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        for background in &lock(&self.state).background {
            background.handle.cancel();
        }
    }
}

/// How many background hooks had been started at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Started(u64);

/// Dropped when a background hook has ended, in whatever way.
struct RunningGuard {
    running: Arc<LiveHooks>,
    number: u64,
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        lock(&self.running.numbers).remove(&self.number);
        self.running.ended.notify_all();
    }
}
