//! Which hooks an event runs, and what each is started with.

mod work;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use hookshell_dispatch::{End, Outcome};

use self::work::{EventInputs, work};
use crate::beginning::beginning;
use crate::config::{HookConfig, Origin};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::gate::Gate;
use crate::interpret::{Allowed, denied_unrun, failed_unrun, interpret, says_async, started, untrusted};
use crate::outcome::{Failure, HookOutcome};
use crate::sequence::Sequence;
use crate::session::{Sessions, Started};
use crate::session_env::{self, EnvFile};
use crate::settings::{BackgroundHooks, Settings};
use crate::verdict::HookReport;
use crate::work::{Completion, Work};

/// The hooks of one event, in config order.
pub(crate) struct Plan {
    steps: Vec<Step>,
    /// Of a session's end: what was started in the background before it.
    pub(crate) before_end: Option<Started>,
}

/// What an event starts.
#[derive(Default)]
pub(crate) struct ToStart {
    pub(crate) awaited: Awaited,
    /// Not waited for.
    pub(crate) background: Vec<Background>,
}

/// Hooks that are waited for, in the order of the plan's steps that run.
#[derive(Default)]
pub(crate) struct Awaited {
    pub(crate) work: Vec<Work>,
    /// What stands before each of them; where there is none there is nothing.
    pub(crate) gates: Vec<Option<Gate>>,
    /// Those that run one after the other, where there are several.
    pub(crate) sequence: Option<Sequence>,
}

/// A hook that is started and not waited for.
pub(crate) struct Background {
    /// The number of its step.
    pub(crate) step: usize,
    pub(crate) work: Work,
    pub(crate) hook: Arc<HookConfig>,
    pub(crate) allowed: Allowed,
    pub(crate) gate: Option<Gate>,
}

struct Step {
    hook: Arc<HookConfig>,
    allowed: Allowed,
    how: How,
    /// Where it may write variables of the session.
    env_file: Option<EnvFile>,
    /// Has it written any, which are read?
    has_env: bool,
}

enum How {
    /// It is run, and what it says counts.
    Awaited,
    /// It is started.
    Background,
    /// It is not run: the call is denied for this reason.
    Denied(String),
    /// It is not run, and counts for nothing, for this reason.
    Untrusted(String),
    /// It cannot be run.
    Failed(Failure),
}

/// A hook that an event runs, with its gate; or why nobody trusts it.
pub(crate) type Selected = (Arc<HookConfig>, Result<Option<Gate>, String>);

impl Plan {
    /// Plans an event. With it comes the work to be started: all of it, before any is waited for.
    pub(crate) fn new(settings: &Settings, sessions: &Sessions, event: &Event) -> (Self, ToStart) {
        let mut to_start = ToStart::default();
        let hooks = select(settings, sessions, event);
        let before_end = (event.name() == EventKind::SessionEnd).then(|| sessions.started());
        if hooks.is_empty() {
            return (Self { steps: Vec::new(), before_end }, to_start);
        }
        let env = sessions.env(event.session_id());
        let of_project = (!env.of_project.is_empty())
            .then(|| EventInputs::new(settings, event, env.own.iter().cloned().chain(env.of_project)));
        let of_user = EventInputs::new(settings, event, env.own.into_iter());
        let given_to = |hook: &HookConfig| match &of_project {
            Some(given) if hook.origin == Origin::Project => given,
            _ => &of_user,
        };

        // Where one of Gemini CLI's or Qwen Code's hooks is to, all of them run one after the other; but a project's does not say
        // so for the user's.
        let is_joint = |hook: &HookConfig| hook.dialect.contract().takes_turns_together();
        let wants_turns = |hook: &HookConfig| hook.sequential && is_joint(hook);
        let turns: Vec<Origin> =
            hooks.iter().filter(|(hook, _)| wants_turns(hook)).map(|(hook, _)| hook.origin).collect();
        let in_turn = |hook: &HookConfig| {
            let is_told = |hook: &HookConfig| turns.iter().any(|origin| origin.may_change(hook.origin));
            hook.sequential || is_joint(hook) && is_told(hook)
        };
        let awaited = &mut to_start.awaited;
        awaited.sequence =
            (hooks.iter().filter(|(hook, _)| in_turn(hook)).count() > 1).then(|| Sequence::new(event.clone()));

        let mut steps = Vec::with_capacity(hooks.len());
        awaited.work.reserve_exact(hooks.len());
        awaited.gates.reserve_exact(hooks.len());
        for (hook, gate) in hooks {
            let timeout = settings.max_timeout.map_or(hook.timeout, |max| hook.timeout.min(max));
            let mut env_file = None;
            let work = match gate {
                Err(reason) => Err(How::Untrusted(reason)),
                Ok(gate) => {
                    let given = given_to(&hook);
                    env_file = session_env::file_for(&hook, &given.host);
                    work(&hook, timeout, settings, given, env_file.as_ref()).map(|work| (work, gate))
                }
            };
            let allowed = Allowed { timeout, output_limit: settings.output_limit };
            let how = match work {
                Err(unrun) => unrun,
                Ok((work, gate)) if hook.is_async => {
                    let (step, hook) = (steps.len(), Arc::clone(&hook));
                    to_start.background.push(Background { step, work, hook, allowed, gate });
                    How::Background
                }
                Ok((work, gate)) => {
                    if let Some(sequence) = awaited.sequence.as_mut().filter(|_| in_turn(&hook)) {
                        sequence.push(awaited.work.len(), Arc::clone(&hook), allowed);
                    }
                    awaited.work.push(work);
                    awaited.gates.push(gate);
                    How::Awaited
                }
            };
            steps.push(Step { hook, allowed, how, env_file, has_env: false });
        }
        (Self { steps, before_end }, to_start)
    }

    /// The hooks that are waited for, in the order of their work.
    pub(crate) fn awaited_hooks(&self) -> Vec<Arc<HookConfig>> {
        let awaited = self.steps.iter().filter(|step| matches!(step.how, How::Awaited));
        awaited.map(|step| Arc::clone(&step.hook)).collect()
    }

    /// The hook of this work.
    pub(crate) fn awaited(&self, index: usize) -> Option<(Arc<HookConfig>, Allowed)> {
        let step = self.steps.iter().filter(|step| matches!(step.how, How::Awaited)).nth(index)?;
        Some((Arc::clone(&step.hook), step.allowed))
    }

    /// The hooks that were waited for and have said that they continue in the background, and what they gave. `ended`: how the work
    /// that was waited for has ended, in order.
    pub(crate) fn said_async<'p>(
        &'p self,
        ended: &'p [Completion],
    ) -> impl Iterator<Item = (&'p HookConfig, Allowed, &'p Outcome)> {
        let awaited = self.steps.iter().filter(|step| matches!(step.how, How::Awaited));
        awaited.zip(ended).filter_map(|(step, ended)| match ended {
            Completion::Ran(Outcome { end: End::Changed(_), .. }) => None,
            Completion::Ran(outcome) => says_async(&step.hook, outcome).then_some((&*step.hook, step.allowed, outcome)),
            _ => None,
        })
    }

    /// A hook of the background was not started after all.
    pub(crate) fn distrust(&mut self, step: usize, reason: String) {
        if let Some(step) = self.steps.get_mut(step) {
            step.how = How::Untrusted(reason);
            step.env_file = None;
        }
    }

    /// What reads the variables that hooks have written for the session, but those that do not count. `ended`: how the work has ended
    /// that was waited for, in order.
    pub(crate) fn variable_readers<'p>(
        &'p mut self,
        settings: &'p Settings,
        event: &'p Event,
        ended: impl Iterator<Item = Option<&'p Completion>> + 'p,
    ) -> impl Iterator<Item = Work> + 'p {
        let is_trusted = |ended: Option<&Completion>| {
            !matches!(ended, Some(Completion::Untrusted(_) | Completion::Ran(Outcome { end: End::Changed(_), .. })))
        };
        let awaited = self.steps.iter_mut().filter(|step| matches!(step.how, How::Awaited)).zip(ended);
        awaited.filter(move |(_, ended)| is_trusted(*ended)).filter_map(|(step, _)| {
            let invocation = session_env::reading(step.env_file.as_ref()?, event.cwd().to_owned(), &settings.env)?;
            step.has_env = true;
            Some(Work::Command { invocation: Box::new(invocation), says_async: None })
        })
    }

    /// What each hook gave; `ended` is how the work has ended that was waited for, in order, and then what read their variables.
    pub(crate) fn results(self, settings: &Settings, event: &Event, mut ended: Vec<Completion>) -> Vec<HookReport> {
        let awaited = self.steps.iter().filter(|step| matches!(step.how, How::Awaited)).count();
        let mut read = ended.split_off(awaited.min(ended.len())).into_iter();
        let mut ended = ended.into_iter();
        let result = |step: Step| match step.how {
            How::Denied(reason) => Some(denied_unrun(&step.hook, reason)),
            How::Untrusted(reason) => Some(untrusted(&step.hook, reason)),
            How::Background => Some(started(&step.hook)),
            How::Failed(failure) => Some(failed_unrun(&step.hook, failure)),
            How::Awaited => {
                let mut result = interpret(&step.hook, event, step.allowed, ended.next()?);
                let env = match (step.has_env.then(|| read.next()).flatten(), step.env_file) {
                    (Some(Completion::Ran(outcome)), Some(file)) => {
                        session_env::set_by(file.variable, &outcome, &settings.env)
                    }
                    _ => Vec::new(),
                };
                if !env.is_empty() {
                    result.opinion.env.extend(env);
                    if matches!(result.outcome, HookOutcome::NoOpinion) {
                        result.outcome = HookOutcome::Decided;
                    }
                }
                Some(result)
            }
        };
        let dialects: Vec<Dialect> = self.steps.iter().map(|step| step.hook.dialect).collect();
        let mut results: Vec<Option<HookReport>> = self.steps.into_iter().map(result).collect();
        settle(event, &dialects, &mut results);
        // Collected, they would take room for several more.
        let mut all = Vec::with_capacity(results.len());
        all.extend(results.into_iter().flatten());
        shown(all)
    }
}

/// The hooks that match, in config order. Of those of one origin that would run the same only the first is run, with the
/// strictest of their settings: a failure denies if it does for one of them, it is waited for if one is, and it may take as
/// long as the longest of their timeouts. One of a lower origin is left out where it adds nothing, and changes no setting; else
/// both run. A hook that nobody trusts comes with the reason, and stands for no other; one of a project with its gate.
fn select(settings: &Settings, sessions: &Sessions, event: &Event) -> Vec<Selected> {
    let is_first = |index: usize, hook: &HookConfig| {
        let name = || {
            let place = hook.place.as_ref().map(|place| place.file.display().to_string()).unwrap_or_default();
            format!("{place} {} {}", hook.dialect_event_name, hook.display_name())
        };
        sessions.first_time(event.session_id(), index, name)
    };
    choose(settings, event, is_first, |_, _| {})
}

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

/// Lets each agent settle what the results of its hooks say together: also where there is one.
pub(crate) fn settle(event: &Event, dialects: &[Dialect], results: &mut [Option<HookReport>]) {
    for dialect in Dialect::ALL.into_iter().filter(|dialect| dialects.contains(dialect)) {
        let of_dialect = results.iter_mut().zip(dialects).filter(|(_, other)| **other == dialect);
        let mut of_dialect: Vec<&mut HookReport> = of_dialect.filter_map(|(result, _)| result.as_mut()).collect();
        dialect.contract().settle(event, &mut of_dialect);
    }
}

/// How many hooks that nobody trusts a verdict lists: anybody may bring along as many as there are.
const UNTRUSTED_LISTED: usize = 100;

/// How many bytes of a text of such a hook's it keeps.
const UNTRUSTED_TEXT: usize = 1024;

/// The results, but of hooks that nobody trusts only so many, and the rest counted by the last of them.
fn shown(mut results: Vec<HookReport>) -> Vec<HookReport> {
    let is_untrusted = |result: &HookReport| matches!(result.outcome, HookOutcome::Untrusted);
    let untrusted = results.iter().filter(|result| is_untrusted(result)).count();
    if untrusted == 0 {
        return results;
    }
    let mut seen = 0;
    results.retain_mut(|result| {
        if !is_untrusted(result) {
            return true;
        }
        seen += 1;
        for text in
            [Some(&mut result.name), Some(&mut result.command), result.opinion.reason.as_mut()].into_iter().flatten()
        {
            if let Cow::Owned(shorter) = beginning(text, UNTRUSTED_TEXT) {
                *text = shorter;
            }
        }
        if seen == UNTRUSTED_LISTED && untrusted > seen {
            result.stands_for = untrusted - seen + 1;
            result.name = format!("{} and {} more", result.name, untrusted - seen);
        }
        seen <= UNTRUSTED_LISTED
    });
    results
}

#[cfg(test)]
mod tests;
