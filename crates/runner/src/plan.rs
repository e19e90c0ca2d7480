//! Which hooks an event runs, and what each is started with.

use std::sync::Arc;

use crate::config::HookConfig;
use crate::environment::Environment;
use crate::event::HookEvent;
use crate::execute::{Command, Ran};
use crate::interpret::{Allowed, denied_unrun, interpret};
use crate::payload;
use crate::result::HookResult;
use crate::runner::Settings;

/// The hooks of one event, in config order.
pub(crate) struct Plan {
    steps: Vec<Step>,
}

struct Step {
    hook: HookConfig,
    allowed: Allowed,
    /// Why it is not run and the call is denied.
    denied: Option<String>,
}

impl Plan {
    /// Selects an event's hooks, and gives the commands to start for them: one for each that is run, in order. Payload
    /// and environment are built once.
    pub(crate) fn new(settings: &Settings, event: &HookEvent) -> (Self, Vec<Command>) {
        let hooks = select(settings.config.hooks(), event);
        if hooks.is_empty() {
            return (Self { steps: Vec::new() }, Vec::new());
        }
        let Environment { variables, inexact } = Environment::new(&settings.env, &settings.naming, event);
        let variables = Arc::new(variables);
        let stdin = payload::build(event);

        let mut steps = Vec::with_capacity(hooks.len());
        let mut commands = Vec::with_capacity(hooks.len());
        for hook in hooks {
            let timeout = settings.max_timeout.map_or(hook.timeout, |max| hook.timeout.min(max));
            let denied = inexact.first().filter(|_| hook.require_env && event.name().can_block()).map(|inexact| {
                format!(
                    "the hook `{}` cannot be given what it may have to check: {inexact} (a hook that reads its \
                         standard input instead can say \"require_env\": false)",
                    hook.display_name()
                )
            });
            if denied.is_none() {
                commands.push(Command {
                    command: hook.command.clone(),
                    cwd: event.cwd().to_owned(),
                    env: Arc::clone(&variables),
                    stdin: Arc::clone(&stdin),
                    timeout,
                    grace: settings.grace,
                    output_limit: settings.output_limit,
                });
            }
            let allowed = Allowed { timeout, output_limit: settings.output_limit };
            steps.push(Step { hook, allowed, denied });
        }
        (Self { steps }, commands)
    }

    /// The hooks' results, in config order; `ran` is in the order of the commands.
    pub(crate) fn results(self, event: &HookEvent, ran: Vec<Ran>) -> Vec<HookResult> {
        let mut ran = ran.into_iter();
        let result = |step: Step| match step.denied {
            Some(reason) => Some(denied_unrun(&step.hook, reason)),
            None => Some(interpret(&step.hook, event.name(), step.allowed, ran.next()?)),
        };
        self.steps.into_iter().filter_map(result).collect()
    }
}

/// The hooks that match, in config order. Of those with the same command only the first is run, with the strictest of
/// their settings: a failure denies if it does for one of them, and it may take as long as the longest of their timeouts.
fn select(hooks: &[HookConfig], event: &HookEvent) -> Vec<HookConfig> {
    let mut selected: Vec<HookConfig> = Vec::new();
    let matching = hooks.iter().filter(|hook| hook.event == event.name() && hook.matcher.matches(event.tool_name()));
    for hook in matching {
        match selected.iter_mut().find(|first| first.command == hook.command) {
            None => selected.push(hook.clone()),
            Some(first) => {
                first.timeout = first.timeout.max(hook.timeout);
                first.on_failure = first.on_failure.max(hook.on_failure);
                first.require_env |= hook.require_env;
            }
        }
    }
    selected
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::select;
    use crate::config::{Config, OnFailure};
    use crate::event::HookEvent;
    use crate::tool_input::ToolInput;

    #[test]
    fn matching_hooks_are_taken_once_with_the_strictest_settings() {
        let config = Config::parse(
            r#"{"hooks":{"PreToolUse":[
                {"command":"a","matcher":"^bash$","require_env":false},
                {"command":"b"},
                {"command":"other","matcher":"^edit$"},
                {"command":"a","timeout":60,"on_failure":"deny"},
                {"command":"a ","timeout":1},
                {"command":"b","timeout":1}
            ]}}"#,
            "c.json",
        )
        .unwrap();
        let event = HookEvent::pre_tool_use("bash", ToolInput::default(), "/w");
        let selected = select(config.hooks(), &event);
        let shown: Vec<_> = selected
            .iter()
            .map(|hook| (hook.command.as_str(), hook.timeout.as_secs(), hook.on_failure, hook.require_env))
            .collect();
        assert_eq!(
            shown,
            [("a", 60, OnFailure::Deny, true), ("b", 30, OnFailure::Ignore, true), ("a ", 1, OnFailure::Ignore, true),]
        );
        assert_eq!(selected[1].timeout, Duration::from_secs(30));
    }
}
