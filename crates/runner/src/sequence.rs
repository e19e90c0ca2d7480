//! Hooks that run one after the other.

use std::sync::Arc;

use hookshell_dispatch::Input;

use crate::config::{HookConfig, Origin};
use crate::event::Event;
use crate::interpret::{Allowed, interpret};
use crate::work::{Completion, Work};

/// The hooks of an event that run one after the other, in config order, and the event as those that have ended left it.
pub(crate) struct Sequence {
    /// Boxed: a run moves it along, and most have none.
    now: Box<Now>,
    links: Vec<Link>,
}

/// What those that have ended left.
struct Now {
    event: Event,
    /// The hook after whose answer no other is asked, where there is one.
    stopped: Option<Stop>,
}

struct Stop {
    by: String,
    origin: Origin,
}

struct Link {
    /// Which of the work that is waited for.
    index: usize,
    hook: Arc<HookConfig>,
    allowed: Allowed,
}

impl Sequence {
    pub(crate) fn new(event: Event) -> Self {
        Self { now: Box::new(Now { event, stopped: None }), links: Vec::new() }
    }

    pub(crate) fn push(&mut self, index: usize, hook: Arc<HookConfig>, allowed: Allowed) {
        self.links.push(Link { index, hook, allowed });
    }

    /// Does this work wait for another?
    pub(crate) fn waits(&self, index: usize) -> bool {
        self.links.iter().skip(1).any(|link| link.index == index)
    }

    /// What comes after work that has ended; none after the last, and after what is no part of the sequence.
    pub(crate) fn after(&self, index: usize) -> Option<usize> {
        let at = self.links.iter().position(|link| link.index == index)?;
        let mut after = self.links.iter().skip(at + 1);
        after.find(|link| self.stop_of(link).is_none()).map(|link| link.index)
    }

    /// The hook whose answer keeps work from being started.
    pub(crate) fn stopped_by(&self, index: usize) -> Option<&str> {
        let link = self.links.iter().find(|link| link.index == index)?;
        self.stop_of(link).map(|stop| stop.by.as_str())
    }

    /// A project's hook keeps only the project's from being asked.
    fn stop_of(&self, link: &Link) -> Option<&Stop> {
        self.now.stopped.as_ref().filter(|stop| stop.origin.may_change(link.hook.origin))
    }

    /// Takes what a hook wants changed into the event, for those after it.
    pub(crate) fn apply(&mut self, index: usize, ended: &Completion) {
        let (Some(link), Completion::Ran(ran)) = (self.links.iter().find(|link| link.index == index), ended) else {
            return;
        };
        let result = interpret(&link.hook, &self.now.event, link.allowed, Completion::Ran(ran.clone()));
        // One of a higher origin may stop more.
        let stops = link.hook.dialect.contract().stops(self.now.event.name(), &result);
        if stops && self.now.stopped.as_ref().is_none_or(|stop| link.hook.origin.may_change(stop.origin)) {
            self.now.stopped = Some(Stop { by: result.name.clone(), origin: link.hook.origin });
        }
        if let Some(input) = self.now.event.tool_input().and_then(|input| input.merged(&result.opinion.updated_input)) {
            self.now.event.set_tool_input(input);
        }
    }

    /// The event as it is now.
    pub(crate) fn event(&self) -> &Event {
        &self.now.event
    }

    /// Gives work the event as it is now.
    pub(crate) fn give_event(&self, index: usize, work: &mut Work) {
        let Some(link) = self.links.iter().find(|link| link.index == index) else { return };
        let payload = || link.hook.dialect.contract().payload(link.hook.dialect_event_name, &self.now.event);
        match work {
            Work::Command { invocation, .. } => invocation.stdin = Input::Bytes(payload()),
            Work::Http(_, call) => call.payload = payload(),
            Work::NativeHook(..) => {}
        }
    }
}
