//! What a run needs of its runner: the settings, the sessions, and what starts commands; and hooks that are not waited for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::config::HookConfig;
use crate::event::Event;
use crate::interpret::{Allowed, interpret_background};
use crate::observer::HookObserver;
use crate::plan::{Background, Plan};
use crate::session::{Sessions, Started};
use crate::settings::{BackgroundHooks, OnBackground, Settings};
use crate::trust::Watched;
use crate::work::{Completion, Execute, Running};

/// The inside of a runner, which its runs share. Clones are the same.
#[derive(Clone)]
pub(crate) struct Engine {
    pub(crate) settings: Arc<Settings>,
    pub(crate) executor: Arc<dyn Execute>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) observer: Option<HookObserver>,
}

impl Engine {
    /// Ends a session: its background hooks, its modules, and what is known of it.
    pub(crate) fn end_session(&self, session_id: &str) {
        self.end_until(session_id, None);
    }

    /// Ends what of a session was begun until then.
    pub(crate) fn end_until(&self, session_id: &str, until: Option<Started>) {
        self.sessions.end(session_id, until);
        if let Some(modules) = &self.settings.services.modules {
            modules.end_session(session_id);
        }
    }

    /// Starts what is not waited for.
    pub(crate) fn start_background(&self, plan: &mut Plan, hooks: Vec<Background>, event: &Event) {
        for Background { step, mut work, hook, allowed, gate } in hooks {
            let watched = match gate.map_or(Ok(None), |gate| gate.open(event, &mut work)) {
                Ok(watched) => watched,
                Err(reason) => {
                    plan.distrust(step, reason);
                    continue;
                }
            };
            if self.settings.background == BackgroundHooks::Elsewhere && BackgroundHooks::is_left(&hook) {
                continue;
            }
            let report = self.background_report(event, hook, allowed, watched);
            self.sessions.start(event.session_id(), &*self.executor, work, report);
        }
    }

    /// Takes over a hook that has said that it continues in the background. Gives who is told of its end.
    pub(crate) fn adopt(
        &self,
        event: &Event,
        hook: Arc<HookConfig>,
        allowed: Allowed,
        handle: Box<dyn Running>,
        watched: Option<Watched>,
    ) -> Box<dyn FnOnce(Completion) + Send> {
        let report = self.background_report(event, hook, allowed, watched);
        self.sessions.adopt(event.session_id(), handle, report)
    }

    /// Tells the host what a hook gave that ran in the background.
    fn background_report(
        &self,
        event: &Event,
        hook: Arc<HookConfig>,
        allowed: Allowed,
        watched: Option<Watched>,
    ) -> impl FnOnce(Completion) + Send + use<> {
        let listener = self.settings.on_background.clone().map(|listener| (listener, event.clone()));
        move |ended| {
            let ended = watched.and_then(|watched| watched.fault()).map_or(ended, Completion::Untrusted);
            if let Some((listener, event)) = listener {
                tell(&listener, &event, &hook, allowed, ended);
            }
        }
    }

    /// Tells the host how hooks came out that have said that they continue in the background, and had ended before they could be
    /// adopted.
    pub(crate) fn report_background(&self, event: &Event, plan: &Plan, ended: &[Completion]) {
        let Some(listener) = &self.settings.on_background else { return };
        for (hook, allowed, outcome) in plan.said_async(ended) {
            tell(listener, event, hook, allowed, Completion::Ran(outcome.clone()));
        }
    }
}

/// Tells the host how a hook of the background came out.
fn tell(listener: &OnBackground, event: &Event, hook: &HookConfig, allowed: Allowed, ended: Completion) {
    // Nobody of ours is hurt by a panic of the host's.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        listener(event, &interpret_background(hook, event, allowed, ended));
    }));
}
