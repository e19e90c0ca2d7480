//! Which hooks an event runs, and what each is started with.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::UnpassableVariables;

use crate::beginning::beginning;
use crate::cancel::CancelToken;
use crate::config::{HookConfig, HookKind, Origin};
use crate::dialect::Dialect;
use crate::environment::{Environment, Inexact, Variables, cleaned, is_agents_name, of_path};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::execute::Command;
use crate::gate::Gate;
use crate::http::Request;
use crate::interpret::{Allowed, denied_unrun, failed_unrun, interpret, started, untrusted};
use crate::native_hook::HostCall;
use crate::report::{Failure, HookOutcome, HookReport};
use crate::sequence::Sequence;
use crate::session::{Sessions, Started};
use crate::session_env::{self, EnvFile};
use crate::settings::{BackgroundHooks, Settings};
use crate::work::{Completion, Work};
use hookshell_dispatch::{End, Outcome};

/// The hooks of one event, in config order.
pub(crate) struct Plan {
    steps: Vec<Step>,
    /// Those that run one after the other, where there are several.
    pub(crate) chain: Option<Sequence>,
    /// Of a session's end: what was started in the background before it.
    pub(crate) before_end: Option<Started>,
}

/// What an event starts.
#[derive(Default)]
pub(crate) struct ToStart {
    /// Waited for, in the order of the plan's steps that run.
    pub(crate) awaited: Vec<Work>,
    /// What stands before each of them.
    pub(crate) gates: Vec<Option<Gate>>,
    /// Not waited for.
    pub(crate) background: Vec<Background>,
}

/// A hook that is started and not waited for.
pub(crate) struct Background {
    /// The number of its step.
    pub(crate) step: usize,
    pub(crate) work: Work,
    pub(crate) hook: HookConfig,
    pub(crate) allowed: Allowed,
    pub(crate) gate: Option<Gate>,
}

struct Step {
    hook: HookConfig,
    allowed: Allowed,
    how: How,
    /// Where it may write variables of the session.
    env_file: Option<EnvFile>,
    /// Those that it wrote there.
    env: Vec<(String, String)>,
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

impl Plan {
    /// Plans an event. With it comes the work to be started: all of it, before any is waited for.
    pub(crate) fn new(settings: &Settings, sessions: &Sessions, event: &Event) -> (Self, ToStart) {
        let mut to_start = ToStart::default();
        let hooks = select(settings, sessions, event);
        let before_end = (event.name() == EventKind::SessionEnd).then(|| sessions.started());
        if hooks.is_empty() {
            return (Self { steps: Vec::new(), chain: None, before_end }, to_start);
        }
        let env = sessions.env(event.session_id());
        let of_project = (!env.of_project.is_empty())
            .then(|| Given::new(settings, event, env.own.iter().cloned().chain(env.of_project)));
        let of_user = Given::new(settings, event, env.own.into_iter());
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
        let mut chain =
            (hooks.iter().filter(|(hook, _)| in_turn(hook)).count() > 1).then(|| Sequence::new(event.clone()));

        let mut steps = Vec::with_capacity(hooks.len());
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
                    let (step, hook) = (steps.len(), hook.clone());
                    to_start.background.push(Background { step, work, hook, allowed, gate });
                    How::Background
                }
                Ok((work, gate)) => {
                    if let Some(chain) = chain.as_mut().filter(|_| in_turn(&hook)) {
                        chain.push(to_start.awaited.len(), hook.clone(), allowed);
                    }
                    to_start.awaited.push(work);
                    to_start.gates.push(gate);
                    How::Awaited
                }
            };
            steps.push(Step { hook, allowed, how, env_file, env: Vec::new() });
        }
        (Self { steps, chain, before_end }, to_start)
    }

    /// The hooks that are waited for, in the order of their work.
    pub(crate) fn awaited_hooks(&self) -> Vec<HookConfig> {
        let awaited = self.steps.iter().filter(|step| matches!(step.how, How::Awaited));
        awaited.map(|step| step.hook.clone()).collect()
    }

    /// The hook of this work.
    pub(crate) fn awaited(&self, index: usize) -> Option<(HookConfig, Allowed)> {
        let step = self.steps.iter().filter(|step| matches!(step.how, How::Awaited)).nth(index)?;
        Some((step.hook.clone(), step.allowed))
    }

    /// A hook of the background was not started after all.
    pub(crate) fn distrust(&mut self, step: usize, reason: String) {
        if let Some(step) = self.steps.get_mut(step) {
            step.how = How::Untrusted(reason);
            step.env_file = None;
        }
    }

    /// Forgets what was written by hooks that do not count. `ended`: what became of the work that was waited for, in order.
    pub(crate) fn drop_untrusted(&mut self, ended: &[Completion]) {
        let is_untrusted = |ended: &Completion| {
            matches!(ended, Completion::Untrusted(_) | Completion::Ran(Outcome { end: End::Changed(_), .. }))
        };
        let awaited = self.steps.iter_mut().filter(|step| matches!(step.how, How::Awaited));
        for (step, _) in awaited.zip(ended).filter(|(_, ended)| is_untrusted(ended)) {
            step.env_file = None;
        }
    }

    /// What reads the variables that hooks have written for the session, each with the number of its step.
    pub(crate) fn to_read(&self, settings: &Settings, event: &Event) -> Vec<(usize, Command)> {
        let steps = self.steps.iter().enumerate();
        steps
            .filter_map(|(index, step)| {
                let file = step.env_file.as_ref()?;
                Some((index, session_env::reading(file, event.cwd().to_owned(), &settings.env)?))
            })
            .collect()
    }

    /// Takes what was read.
    pub(crate) fn take_read(&mut self, settings: &Settings, index: usize, outcome: &Outcome) {
        if let Some(step) = self.steps.get_mut(index)
            && let Some(file) = &step.env_file
        {
            step.env = session_env::set_by(file.variable, outcome, &settings.env);
        }
    }

    /// What each hook gave; `ended` is what became of the work that was waited for, in order.
    pub(crate) fn results(self, event: &Event, ended: Vec<Completion>) -> Vec<HookReport> {
        let mut ended = ended.into_iter();
        let result = |step: Step| match step.how {
            How::Denied(reason) => Some(denied_unrun(&step.hook, reason)),
            How::Untrusted(reason) => Some(untrusted(&step.hook, reason)),
            How::Background => Some(started(&step.hook)),
            How::Failed(failure) => Some(failed_unrun(&step.hook, failure)),
            How::Awaited => {
                let mut result = interpret(&step.hook, event, step.allowed, ended.next()?);
                if !step.env.is_empty() {
                    result.opinion.env.extend(step.env);
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
        shown(results.into_iter().flatten().collect())
    }
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

/// What an event's hooks are given, made once for all of them.
struct Given<'e> {
    event: &'e Event,
    /// The same for hooks that keep it, made for the first of them.
    shared: OnceCell<Arc<Event>>,
    /// What hooks have of the host and the session.
    host: Cow<'e, Variables>,
    /// What they get over what the host has.
    variables: Arc<Variables>,
    /// The same for hooks of other agents than ours, made for the first of them.
    of_agents: OnceCell<Arc<Variables>>,
    inexact: Vec<Inexact>,
    /// The payload of each dialect and event of it, made for the first hook that needs it.
    payloads: RefCell<Vec<Payload>>,
}

/// Of which dialect and event, and what.
type Payload = (Dialect, &'static str, Arc<[u8]>);

impl<'e> Given<'e> {
    /// `of_session`: what hooks have set for the session. It lies over the host's, and under what each event has.
    fn new(settings: &'e Settings, event: &'e Event, of_session: impl Iterator<Item = (String, String)>) -> Self {
        let of_session = cleaned(of_session.map(|(name, value)| (name.into(), value.into())), &settings.naming);
        let host = match of_session.is_empty() {
            true => Cow::Borrowed(&settings.env),
            false => Cow::Owned(laid_over(&settings.env, &of_session)),
        };
        let Environment { variables, inexact } = Environment::new(of_session, &settings.naming, event);
        let variables = Arc::new(variables);
        Self {
            event,
            shared: OnceCell::new(),
            host,
            variables,
            of_agents: OnceCell::new(),
            inexact,
            payloads: RefCell::default(),
        }
    }

    fn payload(&self, hook: &HookConfig) -> Arc<[u8]> {
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

/// What is started for a hook, or why nothing is.
fn work(
    hook: &HookConfig,
    timeout: Duration,
    settings: &Settings,
    given: &Given<'_>,
    env_file: Option<&EnvFile>,
) -> Result<Work, How> {
    let call = || HostCall {
        event: Arc::clone(given.shared.get_or_init(|| Arc::new(given.event.clone()))),
        payload: given.payload(hook),
        timeout,
        cancel: CancelToken::new(),
        waiting: Arc::default(),
    };
    match &hook.kind {
        HookKind::Command => command(hook, timeout, settings, given, env_file).map(Work::Command),
        HookKind::Http(http) => {
            let request = Request::new(hook, http, &settings.config, &settings.env).map_err(How::Failed)?;
            Ok(Work::Http(Arc::new(request), call()))
        }
        kind => settings
            .services
            .for_kind(kind, &settings.env)
            .map(|hook| Work::NativeHook(hook, call()))
            .map_err(How::Failed),
    }
}

fn command(
    hook: &HookConfig,
    timeout: Duration,
    settings: &Settings,
    given: &Given<'_>,
    env_file: Option<&EnvFile>,
) -> Result<Command, How> {
    let event = given.event;
    let denial = |inexact: &Inexact| {
        format!(
            "the hook `{}` cannot be given what it may have to check: {inexact} (a hook that reads its standard input \
             instead can say \"require_env\": false)",
            hook.display_name()
        )
    };
    let must_be_exact = hook.require_env && event.name().can_block();
    if let Some(inexact) = given.inexact.iter().find(|inexact| must_be_exact && inexact.withheld().is_none()) {
        return Err(How::Denied(denial(inexact)));
    }
    let names: Vec<_> = given.inexact.iter().filter_map(Inexact::withheld).map(Into::into).collect();
    let withheld = (!names.is_empty())
        .then(|| UnpassableVariables { names, refusal: given.inexact.first().filter(|_| must_be_exact).map(denial) });
    let cwd = hook.directory(event.cwd(), event.project_dir());
    if hook.cwd.is_some() && !cwd.is_dir() {
        let reason = format!("its directory {} does not exist", cwd.display());
        // As where the command is not found.
        return Err(match hook.dialect.contract().exit_meaning(event.name(), 127, true).is_deny() {
            true => How::Denied(format!("a hook cannot be run: {reason}")),
            false => How::Failed(Failure::Spawn(reason)),
        });
    }
    if let Some(reason) = hook.dialect.contract().refuses(hook) {
        return Err(How::Failed(Failure::Spawn(reason)));
    }
    let (command, mut env) = prepared(hook, given, settings).map_err(How::Failed)?;
    if let Some(file) = env_file {
        env = with_own_variables(&env, &[(file.variable, of_path(&file.path))]);
    }
    Ok(Command {
        command,
        cwd,
        env,
        base_env: settings.base_env.clone(),
        stdin: given.payload(hook),
        timeout,
        grace: settings.grace,
        output_limit: settings.output_limit,
        missing_shell: hook.missing_shell,
        shell_scripts: hook.shell_scripts,
        withheld,
        guard: None,
        says_async: (!hook.is_async && hook.dialect.contract().may_say_async()).then_some(hook.dialect),
        first_line: None,
    })
}

/// A hook's command line, and its environment over the host's: the event's, what its dialect adds, and its own variables.
fn prepared(hook: &HookConfig, given: &Given<'_>, settings: &Settings) -> Result<(String, Arc<Variables>), Failure> {
    let variables = &given.variables;
    let contract = hook.dialect.contract();
    if !contract.has_own_variables() {
        return Ok((hook.command_line(), with_own_variables(variables, &hook.env)));
    }
    let variables = given.of_agents.get_or_init(|| of_agents(variables));
    let added = contract.variables(hook, given.event, &given.host);
    let options = contract.put_in(hook, given.event, &given.host);
    let with_options = match hook.plugin_root.is_some() {
        true => Some(with_options(hook, &options)?),
        false => None,
    };
    let hook = with_options.as_ref().unwrap_or(hook);
    let command = match &hook.args {
        None => hook.command_line(),
        // No shell reads these: what a shell would put in for variables of the agent's is put in here, as data.
        Some(args) => {
            let put_in = |text: &str| {
                added.iter().fold(text.to_owned(), |text, (name, value)| {
                    text.replace(&format!("${{{name}}}"), &value.to_string_lossy())
                })
            };
            let args = args.iter().map(|arg| put_in(arg)).collect();
            let command_windows = hook.command_windows.as_deref().map(put_in);
            let mut filled = hook.clone();
            (filled.command, filled.command_windows, filled.args) =
                (put_in(&hook.command), command_windows, Some(args));
            filled.command_line()
        }
    };
    let env = with_own_variables(variables, &added);
    let env = with_own_variables(&env, &contract.more_variables(hook, given.event, &given.host));
    // What the caller has of them is its own.
    let env = with_own_variables(&env, &settings.of_caller);
    Ok((command, with_own_variables(&env, &hook.env)))
}

/// What hooks of other agents get: without the names of an agent, which are the native contract's.
fn of_agents(variables: &Arc<Variables>) -> Arc<Variables> {
    Arc::new(variables.iter().filter(|(name, _)| !is_agents_name(name)).cloned().collect())
}

/// A plugin's hook with the options of its plugin put in. One that is not set keeps it from running.
fn with_options(hook: &HookConfig, options: &[(String, String)]) -> Result<HookConfig, Failure> {
    let put_in = |text: &str| {
        let text =
            options.iter().fold(text.to_owned(), |text, (key, value)| text.replace(&format!("${{{key}}}"), value));
        match text.split_once("${user_config.").and_then(|(_, rest)| rest.split_once('}')) {
            Some((key, _)) if hook.plugin_root.is_some() => {
                Err(Failure::Spawn(format!("the plugin's option `{key}` is not set in the user's settings")))
            }
            _ => Ok(text),
        }
    };
    let args =
        hook.args.as_ref().map(|args| args.iter().map(|arg| put_in(arg)).collect::<Result<Vec<String>, Failure>>());
    let command = put_in(&hook.command)?;
    let mut filled = hook.clone();
    (filled.command, filled.args) = (command, args.transpose()?);
    Ok(filled)
}

/// An environment with other variables laid over it.
fn with_own_variables<N, V>(variables: &Arc<Variables>, own: &[(N, V)]) -> Arc<Variables>
where
    N: AsRef<OsStr>,
    V: AsRef<OsStr>,
{
    match own.is_empty() {
        true => Arc::clone(variables),
        false => Arc::new(laid_over(variables, own)),
    }
}

fn laid_over<N, V>(variables: &Variables, own: &[(N, V)]) -> Variables
where
    N: AsRef<OsStr>,
    V: AsRef<OsStr>,
{
    let mut variables = variables.to_vec();
    // Windows has one variable for `Path` and `PATH`.
    let key = |name: &OsStr| if cfg!(windows) { name.to_ascii_lowercase() } else { name.to_owned() };
    if own.len() > FEW {
        // Each would be looked for among all.
        let mut places: HashMap<OsString, usize> =
            variables.iter().enumerate().map(|(at, (name, _))| (key(name.as_ref()), at)).collect();
        for (name, value) in own {
            let (name, value) = (name.as_ref(), value.as_ref());
            let at = *places.entry(key(name)).or_insert(variables.len());
            match variables.get_mut(at) {
                Some((_, old)) => *old = value.into(),
                None => variables.push((name.into(), value.into())),
            }
        }
        return variables;
    }
    for (name, value) in own {
        let (name, value) = (name.as_ref(), value.as_ref());
        let is_same = |other: &OsStr| {
            if cfg!(windows) { other.eq_ignore_ascii_case(name) } else { other == name }
        };
        match variables.iter_mut().find(|(other, _)| is_same(other)) {
            Some((_, old)) => *old = value.into(),
            None => variables.push((name.into(), value.into())),
        }
    }
    variables
}

/// So many variables are laid over others without a table.
const FEW: usize = 16;

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

/// A hook that an event runs, with its gate; or why nobody trusts it.
pub(crate) type Selected = (HookConfig, Result<Option<Gate>, String>);

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
    let hooks = settings.config.hooks().iter().enumerate();
    for (index, hook) in hooks.filter(|(_, hook)| hook.is_for(event)) {
        let gate = match Gate::of(settings, hook, event) {
            Ok(gate) => gate,
            Err(reason) => {
                selected.push((hook.clone(), Err(reason)));
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
                selected.push((hook.clone(), Ok(gate)));
                numbers.push(index);
            }
            // The user's, and a project's that has the same.
            Some((first, _)) if !hook.origin.may_change(first.origin) => {}
            Some((first, its_gate)) => {
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

#[cfg(test)]
mod tests;
