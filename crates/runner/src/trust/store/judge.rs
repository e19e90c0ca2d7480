//! The store as a policy: what it says of a hook that is to be started.

use std::path::Path;
use std::time::SystemTime;

use super::super::policy::{Admission, Trust, TrustPolicy};
use super::super::record::Records;
use super::super::trace::STEP;
use super::super::watch::{Fault, being_changed};
use super::compare::unknown_definition;
use super::{Examined, TrustStatus, TrustStore, definition, key};
use crate::config::HookConfig;
use crate::event::Event;

/// How often a hook is judged whose files are being changed, before it is given up: each time what was changed before is
/// past ([`STEP`]).
const TURNS: usize = 4;

impl TrustStore {
    fn project_of<'a>(&'a self, event: &'a Event) -> &'a Path {
        self.project.as_deref().unwrap_or(event.project_dir())
    }

    /// What is trusted of an event's project, if anything speaks against the hook without its files being read.
    fn judged_by_settings(&self, hook: &HookConfig, event: &Event) -> Result<Records, String> {
        let records = self.read().map_err(|error| format!("what is trusted cannot be read: {error}"))?;
        let project = records.projects.get(&key(self.project_of(event)));
        let trusted = project.map(|project| project.hooks.as_slice()).unwrap_or_default();
        match unknown_definition(hook, &definition(hook), trusted) {
            None => Ok(records),
            Some(status) => Err(reason(status).unwrap_or_default()),
        }
    }

    /// What nobody has trusted is not looked at any closer.
    fn judged(&self, hook: &HookConfig, event: &Event) -> Result<Examined, String> {
        let records = self.judged_by_settings(hook, event)?;
        let mut examined = self.examine_in(hook, self.project_of(event), event.cwd(), &records, true);
        let status = std::mem::replace(&mut examined.status, TrustStatus::Trusted);
        if let Some(why) = reason(status) {
            return Err(why);
        }
        let project = records.projects.get(&key(self.project_of(event)));
        let is_strict = self.strict || project.is_some_and(|project| project.strict);
        match examined.uncertain.first().filter(|_| is_strict) {
            Some(unknown) => Err(format!("trust is strict, and it runs what is only known when it runs: {unknown}")),
            None => Ok(examined),
        }
    }
}

/// Why a hook of this status is not run. `None`: it is trusted.
fn reason(status: TrustStatus) -> Option<String> {
    match status {
        TrustStatus::Trusted => None,
        TrustStatus::New => Some("it was found in the project, and nobody has trusted it yet".to_owned()),
        TrustStatus::Changed(what) => Some(format!("it has changed since it was trusted: {what}")),
        TrustStatus::Impossible(why) => Some(format!("it cannot be trusted: {why}")),
    }
}

impl TrustPolicy for TrustStore {
    fn judge(&self, hook: &HookConfig, event: &Event) -> Trust {
        self.judged(hook, event).map_or_else(Trust::Untrusted, |_| Trust::Trusted)
    }

    fn judge_settings(&self, hook: &HookConfig, event: &Event) -> Trust {
        self.judged_by_settings(hook, event).map_or_else(Trust::Untrusted, |_| Trust::Trusted)
    }

    fn admit(&self, hook: &HookConfig, event: &Event) -> Admission {
        let mut turn = 1;
        loop {
            let since = SystemTime::now();
            let examined = match self.judged(hook, event) {
                Ok(examined) => examined,
                Err(reason) => return Trust::Untrusted(reason).into(),
            };
            let reason = match examined.watch(self.project_of(event), since) {
                Ok(watch) => return Admission::watching(watch),
                Err(Fault::Changed(what)) => what,
                Err(Fault::Fresh(_)) if turn < TURNS => {
                    turn += 1;
                    std::thread::sleep(STEP);
                    continue;
                }
                Err(Fault::Fresh(path)) => being_changed(Path::new(&path)),
            };
            return Trust::Untrusted(format!("it has changed since it was trusted: {reason}")).into();
        }
    }
}
