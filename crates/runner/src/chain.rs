//! Hooks that run one after the other.

use crate::config::HookConfig;
use crate::event::HookEvent;
use crate::interpret::{Allowed, interpret};
use crate::work::{Ended, Work};

/// The hooks of an event that run one after the other, in config order, and the event as those that have ended left it.
pub(crate) struct Chain {
    /// Boxed: a run moves it along, and most have none.
    event: Box<HookEvent>,
    links: Vec<Link>,
}

struct Link {
    /// Which of the work that is waited for.
    index: usize,
    hook: HookConfig,
    allowed: Allowed,
}

impl Chain {
    pub(crate) fn new(event: HookEvent) -> Self {
        Self { event: Box::new(event), links: Vec::new() }
    }

    pub(crate) fn push(&mut self, index: usize, hook: HookConfig, allowed: Allowed) {
        self.links.push(Link { index, hook, allowed });
    }

    /// Does this work wait for another?
    pub(crate) fn waits(&self, index: usize) -> bool {
        self.links.iter().skip(1).any(|link| link.index == index)
    }

    /// What comes after work that has ended; none after the last, and after what is no part of the chain.
    pub(crate) fn after(&self, index: usize) -> Option<usize> {
        let at = self.links.iter().position(|link| link.index == index)?;
        self.links.get(at + 1).map(|link| link.index)
    }

    /// Takes what a hook wants changed into the event, for those after it.
    pub(crate) fn take(&mut self, index: usize, ended: &Ended) {
        let (Some(link), Ended::Ran(ran)) = (self.links.iter().find(|link| link.index == index), ended) else {
            return;
        };
        let result = interpret(&link.hook, &self.event, link.allowed, Ended::Ran(ran.clone()));
        if let Some(input) = self.event.tool_input().and_then(|input| input.merged(&result.updated_input)) {
            self.event.set_tool_input(input);
        }
    }

    /// The event as it is now.
    pub(crate) fn event(&self) -> &HookEvent {
        &self.event
    }

    /// Gives work the event as it is now.
    pub(crate) fn hand_on(&self, index: usize, work: &mut Work) {
        let Some(link) = self.links.iter().find(|link| link.index == index) else { return };
        let payload = || link.hook.dialect.contract().payload(link.hook.own_event, &self.event);
        match work {
            Work::Command(command) => command.stdin = payload(),
            Work::Http(_, call) => call.payload = payload(),
            Work::InHost(..) => {}
        }
    }
}
