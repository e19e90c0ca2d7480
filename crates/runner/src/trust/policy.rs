//! The host's say.

use std::sync::Arc;

use hookshell_dispatch::CodeGuard;

use super::watch::Watch;
use crate::config::HookConfig;
use crate::event::Event;

/// May a hook run?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// It may.
    Trusted,
    /// It is not run: its result is [`HookOutcome::Untrusted`](crate::HookOutcome::Untrusted) with this reason, and it has
    /// no opinion.
    Untrusted(String),
}

/// What a policy says right before a hook is started, and what it has seen of the hook's files: they are watched while it runs.
#[derive(Debug, Clone)]
pub struct Admission {
    trust: Trust,
    watch: Option<Arc<Watch>>,
}

impl Admission {
    /// It may be started, and these files are watched.
    pub(super) fn watching(watch: Watch) -> Self {
        Self { trust: Trust::Trusted, watch: Some(Arc::new(watch)) }
    }

    /// May it be started?
    pub fn trust(&self) -> &Trust {
        &self.trust
    }

    /// What watches over what it runs; or why it may not be started.
    pub(crate) fn into_watched(self) -> Result<Option<Watched>, String> {
        match self.trust {
            Trust::Trusted => Ok(self.watch.map(Watched)),
            Trust::Untrusted(reason) => Err(reason),
        }
    }
}

/// No files are watched.
impl From<Trust> for Admission {
    fn from(trust: Trust) -> Self {
        Self { trust, watch: None }
    }
}

/// The watch over the files of a hook that was started.
#[derive(Debug, Clone)]
pub(crate) struct Watched(Arc<Watch>);

impl Watched {
    /// For what runs a command.
    pub(crate) fn guard(&self) -> Arc<dyn CodeGuard> {
        Arc::clone(&self.0) as Arc<dyn CodeGuard>
    }

    /// What is started is no command: it opens the files by itself.
    pub(crate) fn started(&self) {
        self.0.started();
    }

    /// Why the hook's result does not count, if it does not.
    pub(crate) fn fault(&self) -> Option<String> {
        self.0.verify().err().map(while_it_ran)
    }
}

/// The reason of a hook whose files were changed while it ran.
pub(crate) fn while_it_ran(fault: String) -> String {
    format!("a file of it was changed while it ran, so nothing of it counts: {fault}")
}

/// Says which hooks that were found in a project ([`Origin::Project`](crate::Origin::Project)) may run. Other hooks are
/// never asked about: who names them trusts them.
///
/// It is asked each time right before such a hook is started ([`admit`](TrustPolicy::admit)), after its matcher has matched, on the
/// thread that runs the event: of hooks that run one after the other about each when its turn comes. When the event is planned it is asked too
/// ([`judge_settings`](TrustPolicy::judge_settings)). A closure is one:
///
/// ```
/// use hookshell_runner::{Runner, Trust, HookConfig, Event};
///
/// let runner = Runner::builder()
///     .trust(|hook: &HookConfig, _: &Event| match hook.command.starts_with("./.hooks/") {
///         true => Trust::Trusted,
///         false => Trust::Untrusted("it is not one of ./.hooks".to_owned()),
///     })
///     .build()?;
/// # Ok::<(), hookshell_runner::BuildError>(())
/// ```
///
/// Without a policy no such hook runs.
pub trait TrustPolicy: Send + Sync {
    /// May this hook run on this event?
    fn judge(&self, hook: &HookConfig, event: &Event) -> Trust;

    /// Does anything speak against the hook that is known without reading its files? Only one of which nothing does is started, after
    /// [`admit`](TrustPolicy::admit). As `judge` unless implemented otherwise.
    fn judge_settings(&self, hook: &HookConfig, event: &Event) -> Trust {
        self.judge(hook, event)
    }

    /// As `judge`, of a hook that is started the moment after. What wraps a [`TrustStore`](crate::TrustStore) hands this on to it, or the files
    /// are not watched.
    fn admit(&self, hook: &HookConfig, event: &Event) -> Admission {
        self.judge(hook, event).into()
    }
}

impl<F> TrustPolicy for F
where
    F: Fn(&HookConfig, &Event) -> Trust + Send + Sync,
{
    fn judge(&self, hook: &HookConfig, event: &Event) -> Trust {
        self(hook, event)
    }
}
