//! What a runner was built with.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::{BaseEnvironment, Environment};

use crate::absolute::absolute;
use crate::config::{Config, HookConfig};
use crate::environment::{Naming, Variables};
use crate::event::Event;
use crate::services::Services;
use crate::trust::TrustPolicy;
use crate::verdict::HookReport;

/// What does not change from event to event.
pub(crate) struct Settings {
    pub(crate) config: Config,
    /// Its hooks, for runs to share.
    pub(crate) hooks: Vec<Arc<HookConfig>>,
    pub(crate) naming: Naming,
    /// The session of events that have none of their own.
    pub(crate) session_id: String,
    /// What the host's environment says which agent it is: hooks of other agents' dialects keep it.
    pub(crate) of_caller: Variables,
    /// The host's environment, without what an outer run left in it.
    pub(crate) env: Environment,
    /// The same, for hooks.
    pub(crate) base_env: BaseEnvironment,
    pub(crate) grace: Duration,
    pub(crate) output_limit: usize,
    pub(crate) max_timeout: Option<Duration>,
    pub(crate) services: Services,
    pub(crate) trust: Option<Arc<dyn TrustPolicy>>,
    pub(crate) background: BackgroundHooks,
    pub(crate) on_background: Option<OnBackground>,
}

impl Settings {
    /// The event with absolute directories, and with the runner's session where it has none of its own.
    pub(crate) fn complete<'e>(&self, event: &'e Event) -> Cow<'e, Event> {
        let event = absolute(event);
        if event.session_id().is_empty() && !self.session_id.is_empty() {
            return Cow::Owned(event.into_owned().with_session_id(&*self.session_id));
        }
        event
    }
}

/// Which hooks a runner starts, for a host that lives no longer than its event and is waited for: it leaves those of the
/// background (`"async": true`) to another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum BackgroundHooks {
    /// All, each on a thread of this process.
    #[default]
    Here,
    /// Not those of the background, but those that may wake the agent (`"asyncRewake": true`). The verdict says
    /// [`Started`](crate::HookOutcome::Started) of the others; the host has another process start them.
    Elsewhere,
    /// Those alone that [`Elsewhere`](Self::Elsewhere) leaves out.
    Only,
}

impl BackgroundHooks {
    /// Is a hook one that is left to another process?
    pub(crate) fn is_left(hook: &HookConfig) -> bool {
        hook.is_async && !hook.rewakes
    }
}

/// Called with an event, and with what a hook gave that ran in the background.
pub(crate) type OnBackground = Arc<dyn Fn(&Event, &HookReport) + Send + Sync>;
