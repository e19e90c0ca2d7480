//! Which hooks an event runs.

use std::collections::HashMap;
use std::sync::Arc;

use crate::config::HookConfig;
use crate::event::Event;
use crate::gate::Gate;
use crate::session::Sessions;
use crate::settings::{BackgroundHooks, Settings};

/// The hooks that match, in config order. Of those of one origin that would run the same only the first is run, with the
/// strictest of their settings: a failure denies if it does for one of them, it is waited for if one is, and it may take as
/// long as the longest of their timeouts. One of a lower origin is left out where it adds nothing, and changes no setting; else
/// both run. A hook that nobody trusts comes with the reason, and stands for no other; one of a project with its gate.
pub(super) fn select(settings: &Settings, sessions: &Sessions, event: &Event) -> Vec<Selected> {
    let is_first = |index: usize, hook: &HookConfig| {
        let name = || {
            let place = hook.place.as_ref().map(|place| place.file.display().to_string()).unwrap_or_default();
            format!("{place} {} {}", hook.dialect_event_name, hook.display_name())
        };
        sessions.first_time(event.session_id(), index, name)
    };
    choose(settings, event, is_first, |_, _| {})
}

/// A hook that an event runs, with its gate; or why nobody trusts it.
pub(crate) type Selected = (Arc<HookConfig>, Result<Option<Gate>, String>);

/// Likewise. `is_first`: is it the first time in the session that the hook of this number matches? It is asked of hooks that run
/// once. `leave_out` is told the number of a hook for which another stands, and that one's.
pub(crate) fn choose(
    settings: &Settings,
    event: &Event,
    is_first: impl Fn(usize, &HookConfig) -> bool,
    mut leave_out: impl FnMut(usize, usize),
) -> Vec<Selected> {
    let mut selected: Vec<Selected> = Vec::new();
    let mut numbers: Vec<usize> = Vec::new();
    // Those of `selected` that others may be the same as, by what they run.
    let mut by_command: HashMap<String, Vec<usize>> = HashMap::new();
    let hooks = settings.hooks.iter().enumerate();
    for (index, hook) in hooks.filter(|(_, hook)| hook.is_for(event, &settings.env)) {
        let gate = match Gate::of(settings, hook, event) {
            Ok(gate) => gate,
            Err(reason) => {
                selected.push((Arc::clone(hook), Err(reason)));
                numbers.push(index);
                continue;
            }
        };
        // Who starts it counts it.
        let is_ours = match settings.background {
            BackgroundHooks::Here => true,
            BackgroundHooks::Elsewhere => !BackgroundHooks::is_left(hook),
            BackgroundHooks::Only => BackgroundHooks::is_left(hook),
        };
        if hook.once && is_ours && !is_first(index, hook) {
            continue;
        }
        let alike = by_command.entry(hook.command_line()).or_default();
        let same =
            alike.iter().copied().filter(|_| hook.dialect.contract().dedupes()).find(|&at| {
                selected.get(at).is_some_and(|(first, _)| runs_the_same(first, hook) && covers(first, hook))
            });
        if let Some(number) = same.and_then(|at| numbers.get(at)) {
            leave_out(index, *number);
        }
        match same.and_then(|at| selected.get_mut(at)) {
            None => {
                alike.push(selected.len());
                selected.push((Arc::clone(hook), Ok(gate)));
                numbers.push(index);
            }
            // The user's, and a project's that has the same.
            Some((first, _)) if !hook.origin.may_change(first.origin) => {}
            Some((first, its_gate)) => {
                let first = Arc::make_mut(first);
                if hook.kind.is_http() {
                    // As Claude Code does: one request, with the headers of the later one, which is what was asked about.
                    (first.kind, first.place) = (hook.kind.clone(), hook.place.clone());
                    *its_gate = Ok(gate);
                }
                first.timeout = first.timeout.max(hook.timeout);
                first.on_failure = first.on_failure.max(hook.on_failure);
                first.require_env |= hook.require_env;
                first.is_async &= hook.is_async;
            }
        }
    }
    if settings.background == BackgroundHooks::Only {
        selected.retain(|(hook, _)| BackgroundHooks::is_left(hook));
    }
    selected
}

/// May the first stand for the other, which would run the same? Both are of one origin, whose settings are joined; or the
/// first is of a higher one, and the other is no stricter than it.
fn covers(first: &HookConfig, other: &HookConfig) -> bool {
    if other.origin.may_change(first.origin) {
        return first.origin.may_change(other.origin);
    }
    first.on_failure >= other.on_failure
        && (first.require_env || !other.require_env)
        && (!first.is_async || other.is_async)
}

/// Is everything that affects how they run the same?
fn runs_the_same(left: &HookConfig, right: &HookConfig) -> bool {
    left.kind.is_same(&right.kind)
        && left.dialect == right.dialect
        && (left.name == right.name || !left.dialect.contract().strictness().told_apart_by_name)
        && left.dialect_event_name == right.dialect_event_name
        && left.plugin_root == right.plugin_root
        && left.command_line() == right.command_line()
        && left.args.is_some() == right.args.is_some()
        && (!left.dialect.contract().runs_each_condition()
            || left.condition.as_ref().map(ToString::to_string) == right.condition.as_ref().map(ToString::to_string))
        && left.env == right.env
        && left.cwd == right.cwd
        && left.missing_shell == right.missing_shell
        && left.shell_scripts == right.shell_scripts
}
