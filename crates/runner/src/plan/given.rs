//! What an event's hooks are given.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use hookshell_dispatch::Environment;

use super::variables::laid_over;
use crate::config::HookConfig;
use crate::dialect::Dialect;
use crate::environment::{EventVariables, Inexact, Variables, cleaned};
use crate::event::Event;
use crate::settings::Settings;

/// What an event's hooks are given, made once for all of them.
pub(super) struct Given<'e> {
    pub(super) event: &'e Event,
    /// The same for hooks that keep it, made for the first of them.
    pub(super) shared: OnceCell<Arc<Event>>,
    /// What hooks have of the host and the session.
    pub(super) host: Cow<'e, Variables>,
    /// What they get over what the host has.
    pub(super) variables: Environment,
    /// The same for hooks of other agents than ours, made for the first of them.
    pub(super) of_agents: OnceCell<Environment>,
    pub(super) inexact: Vec<Inexact>,
    /// The payload of each dialect and event of it, made for the first hook that needs it.
    pub(super) payloads: RefCell<Vec<Payload>>,
}

/// Of which dialect and event, and what.
type Payload = (Dialect, &'static str, Arc<[u8]>);

impl<'e> Given<'e> {
    /// `of_session`: what hooks have set for the session. It lies over the host's, and under what each event has.
    pub(super) fn new(
        settings: &'e Settings,
        event: &'e Event,
        of_session: impl Iterator<Item = (String, String)>,
    ) -> Self {
        let of_session = cleaned(of_session.map(|(name, value)| (name.into(), value.into())), &settings.naming);
        let host = match of_session.is_empty() {
            true => Cow::Borrowed(&settings.env),
            false => Cow::Owned(laid_over(&settings.env, &of_session)),
        };
        let EventVariables { variables, inexact } = EventVariables::new(of_session, &settings.naming, event);
        Self {
            event,
            shared: OnceCell::new(),
            host,
            variables: Environment::of_unique(variables),
            of_agents: OnceCell::new(),
            inexact,
            payloads: RefCell::default(),
        }
    }

    pub(super) fn payload(&self, hook: &HookConfig) -> Arc<[u8]> {
        let mut payloads = self.payloads.borrow_mut();
        let dialect_event_name = hook.dialect_event_name;
        let made = payloads.iter().find(|(dialect, event, _)| *dialect == hook.dialect && *event == dialect_event_name);
        if let Some((_, _, payload)) = made {
            return Arc::clone(payload);
        }
        let payload = hook.dialect.contract().payload(hook.dialect_event_name, self.event);
        payloads.push((hook.dialect, dialect_event_name, Arc::clone(&payload)));
        payload
    }
}
