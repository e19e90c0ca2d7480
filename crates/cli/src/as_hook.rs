//! `hookshell run` where it is itself a hook: it does not start itself, says what is wrong where the agent shows it, and keeps its
//! answer short.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookshell_process::system::ancestors;
use hookshell_runner::{
    Config, Decision, Dialect, Environment, Event, EventKind, Failure as HookFailure, FoundFile, HookConfig,
    HookOutcome, HookReport, HookSource, Origin, UnknownEvent, Verdict, Warning, WarningKind, state_dir,
};

use crate::failure::{Failure, Sysexit};
use crate::sources::never_read;
use crate::wired::is_side;

/// The variable in which hookshell tells itself which events it is running hooks for: how deep, and a mark of each event.
pub(crate) const RUNNING: &str = "HOOKSHELL_RUNNING";

/// How often hookshell may run hooks within hooks that it runs, whatever these are: a hook may start an agent with hooks of its own.
const DEEPEST: usize = 8;

/// The events whose hooks are running around this one.
#[derive(Debug, Default)]
pub(crate) struct Outer {
    marks: Vec<String>,
}

impl Outer {
    /// What the environment says.
    pub(crate) fn of_environment() -> Self {
        let marks = std::env::var(RUNNING).unwrap_or_default();
        Self { marks: marks.split(',').filter(|mark| !mark.is_empty()).map(str::to_owned).collect() }
    }

    /// Why no hook is to run for the event: hookshell was started by its own hook for the same event, or too deep.
    pub(crate) fn why_not(&self, event: &Event) -> Option<String> {
        if self.marks.contains(&mark(event)) {
            return Some(format!(
                "a hook for {} starts `hookshell run` for the same event: it was not run again; take that hook out of the config",
                event.name()
            ));
        }
        (self.marks.len() >= DEEPEST).then(|| {
            format!("hooks that start `hookshell run` stand {DEEPEST} deep: the innermost were not run; look which hook starts an agent")
        })
    }

    /// The environment of this event's hooks.
    pub(crate) fn environment(&self, event: &Event) -> Environment {
        self.put_in(Environment::of_process(), mark(event))
    }

    /// The environment of what hooks start that belongs to no event: modules stay from event to event.
    pub(crate) fn of_process(&self, env: Environment) -> Environment {
        self.put_in(env, "serve".to_owned())
    }

    /// The event, whose hooks get what [`Outer::of_environment`] reads.
    pub(crate) fn mark_event(&self, event: Event) -> Event {
        let marks = self.with(mark(&event));
        event.with_variable(RUNNING, marks)
    }

    fn put_in(&self, env: Environment, mark: String) -> Environment {
        env.with(RUNNING, self.with(mark))
    }

    fn with(&self, mark: String) -> String {
        let mut marks = self.marks.clone();
        marks.push(mark);
        marks.join(",")
    }
}

/// How many processes of hookshell's may stand around a run, each started by the other, whatever the environment says: a hook may have
/// taken [`RUNNING`] out of it (`env -i`), and what it starts is hookshell again. A run in another process of its own counts twice.
const MOST_AROUND: usize = 2 * DEEPEST;

/// Why a run is ended that still waits for its hooks: it stands in too many others.
pub(crate) fn too_deep() -> Option<Failure> {
    /// Between two of hookshell's may stand shells and wrappers.
    const LOOKED_AT: usize = 8 * MOST_AROUND;
    // Where the system does not tell them a look at the commands and the environment has to do.
    let around = ancestors(LOOKED_AT).iter().filter(|program| *program == "hookshell").count();
    (around >= MOST_AROUND).then(|| {
        let why = format!("hooks start `hookshell run` again and again, {around} deep: the innermost were ended");
        Failure::new(Sysexit::Data, "run", why)
            .hint("take the hook out of the config that starts hookshell for its own event")
    })
}

/// A mark of an event: the same where hookshell is started again for the same thing, and not where a hook starts an agent whose own
/// events have hooks. FNV-1a, 64 bits.
fn mark(event: &Event) -> String {
    let input = event.tool_input().map(|input| input.get()).unwrap_or_default();
    let parts = [
        event.name().as_str(),
        event.session_id(),
        event.tool_name().unwrap_or_default(),
        input,
        event.prompt().unwrap_or_default(),
    ];
    let bytes = parts.iter().flat_map(|part| part.bytes().filter(|byte| !byte.is_ascii_whitespace()).chain([0]));
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

/// Takes the hooks out that are `hookshell run` for this event, and says so of each. The lines that `hookshell install` has
/// written say nothing: the hooks after them are found themselves.
pub(crate) fn take_itself_out(config: &mut Config, event: EventKind) -> Vec<String> {
    let notes = take_itself_out_of_all(config, |hook| hook.event == event);
    notes.into_iter().map(|(_, note)| note).collect()
}

/// The same for each hook's own event of those that `is_meant` is for, for a host that runs several events by one config.
pub(crate) fn take_itself_out_of_all(
    config: &mut Config,
    is_meant: impl Fn(&HookConfig) -> bool,
) -> Vec<(EventKind, String)> {
    let mut notes = Vec::new();
    config.retain_hooks(|hook| {
        let event = hook.event;
        if !is_meant(hook) || !hook.starts_hookshell_for(event) {
            return true;
        }
        if !hook.is_installed_line() {
            let place = hook.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
            let note = format!(
                "{place}the hook `{}` is hookshell itself, for the same event: it was not run; take it out of this config",
                hook.display_name()
            );
            notes.push((event, note));
        }
        false
    });
    notes
}

/// Which hooks of a config are lost by a slip of the pen, a line each: an agent's user sees no standard error. `event` is what
/// happens, where that is known: hooks for it under another agent's name are lost, too.
pub(crate) fn lost(config: &Config, event: Option<EventKind>) -> Vec<String> {
    let is_lost = |kind: &WarningKind| {
        kind.loses_hooks() || event.is_some_and(|event| stands_under_another_name(config, kind, event))
    };
    let lost = config.warnings().iter().filter(|warning| is_lost(&warning.kind));
    lost.take(LINES_SHOWN).map(ToString::to_string).collect()
}

/// The hooks that are lost since they stand under another agent's name of their event, by that event.
pub(crate) fn lost_by_name(config: &Config) -> Vec<(EventKind, String)> {
    let lost = |warning: &Warning| {
        let (WarningKind::NotItsEvent { name, .. } | WarningKind::UnknownEvent(UnknownEvent { name, .. })) =
            &warning.kind
        else {
            return None;
        };
        let (event, _) = Dialect::any_event(name).ok()?;
        stands_under_another_name(config, &warning.kind, event).then(|| (event, warning.to_string()))
    };
    config.warnings().iter().filter_map(lost).take(LINES_SHOWN).collect()
}

/// Does the config have hooks for the event only under the name that another agent has for it? Of a file that several agents read,
/// each has its own.
fn stands_under_another_name(config: &Config, kind: &WarningKind, event: EventKind) -> bool {
    let mut contracts = Dialect::ALL.into_iter().map(Dialect::contract);
    let (name, has_event) = match kind {
        WarningKind::NotItsEvent { agent, name, .. } => {
            let own = contracts.find(|contract| contract.name() == *agent);
            let has_event = own.is_some_and(|own| own.events().iter().any(|(_, own)| *own == event));
            (name, has_event)
        }
        // Of our own contract, which has them all.
        WarningKind::UnknownEvent(unknown) => (&unknown.name, true),
        _ => return false,
    };
    let is_for_it = Dialect::any_event(name).is_ok_and(|(named, _)| named == event);
    has_event && is_for_it && !config.hooks().iter().any(|hook| hook.event == event)
}

/// What is told where no config was found: which files have hooks and are never read.
pub(crate) fn in_files_never_read(dialect: Option<Dialect>, project: &Path) -> Vec<String> {
    let has_hooks = |dialect: Dialect, path: &Path| {
        let mut config = Config::in_dialect(Some(dialect));
        let file = FoundFile { path: path.to_owned(), origin: Origin::Project };
        // What cannot be read has none.
        let _ = HookSource::config(file).add_to(&mut config);
        !config.hooks().is_empty()
    };
    let files = never_read(dialect, project).into_iter().filter(|(dialect, path)| has_hooks(*dialect, path));
    let line = |(dialect, path): (Dialect, PathBuf)| {
        let agent = dialect.agent();
        let where_to = dialect.contract().place_in_project().unwrap_or_default();
        format!("{}: {agent} never reads this file, so its hooks do not run: move them into {where_to}", path.display())
    };
    files.map(line).collect()
}

/// What is told of a config that was named and has nothing to run.
pub(crate) fn has_no_hooks(file: &Path) -> String {
    if is_side(file) {
        return no_hooks_moved(file, None);
    }
    let file = file.display();
    format!(
        "{file} has no hooks, so nothing is guarded: name the config that has them (--config), or put them into its `hooks`"
    )
}

/// The files that hooks were moved to and that have none for the event, although it is the line of `hookshell install` that names them:
/// it stands only where there were some. `name` is what the agent calls the event.
pub(crate) fn without_moved_hooks(
    config: &Config,
    files: &[HookSource],
    event: EventKind,
    name: Option<&'static str>,
) -> Vec<String> {
    let is_for_it = |hook: &HookConfig| match name {
        Some(name) => hook.dialect_event_name == name,
        None => hook.event == event,
    };
    let is_of = |hook: &HookConfig, file: &Path| hook.place.as_ref().is_some_and(|place| *place.file == *file);
    let named = files.iter().filter(|source| !source.is_hook && is_side(&source.file.path));
    let has = |file: &Path| {
        let is_off = |(of, event): &(Arc<Path>, &'static str)| **of == *file && name.is_none_or(|name| name == *event);
        // What the user has switched off is there, and meant not to run.
        config.hooks().iter().any(|hook| is_of(hook, file) && is_for_it(hook)) || config.disabled().iter().any(is_off)
    };
    let without = named.filter(|source| !has(&source.file.path));
    without.map(|source| no_hooks_moved(&source.file.path, Some(name.unwrap_or(event.as_str())))).collect()
}

fn no_hooks_moved(file: &Path, event: Option<&str>) -> String {
    let of = event.map(|event| format!(" for {event}")).unwrap_or_default();
    format!(
        "{} has no hooks{of}, although hookshell's line in the agent's config runs them from there, so nothing is guarded: `hookshell install` brings them back; or take the line out",
        file.display()
    )
}

/// What hooks that did not do their work are to be told of, a line each.
/// `is_listed`: each hook is listed with how it came out in any case.
pub(crate) fn failures(verdict: &Verdict, dialect: Option<Dialect>, is_listed: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let untrusted = verdict.untrusted();
    if untrusted > 0 {
        let (hooks, they_do) = match untrusted {
            1 => ("1 hook of the project is".to_owned(), "it does"),
            more => (format!("{more} hooks of the project are"), "they do"),
        };
        let dialect = dialect.filter(|dialect| !dialect.is_default());
        let dialect = dialect.map(|dialect| format!(" --dialect {}", dialect.as_str())).unwrap_or_default();
        lines.push(format!("{hooks} not trusted and did not run: `hookshell trust{dialect}` shows what {they_do}"));
    }
    for hook in verdict.hooks.iter().filter(|_| !is_listed) {
        lines.extend(failure(hook, verdict.event));
    }
    lines
}

/// Why a hook did not do its work, and what to do.
fn failure(hook: &HookReport, event: EventKind) -> Option<String> {
    let is_denying = hook.opinion.decision == Some(Decision::Deny);
    let line = |text: String| Some(text.replace('\n', " "));
    if hook.has_syntax_error && is_denying {
        // The denial has the error itself.
        return line(format!(
            "the hook `{}` has a syntax error and denies every call; `hookshell check` shows where",
            hook.name
        ));
    }
    // Say, a jq program that does not compile: the guard has gone on without it.
    if matches!(hook.outcome, HookOutcome::NoOpinion) && !hook.warnings.is_empty() {
        let warnings = hook.warnings.join("; ");
        return line(format!(
            "the hook `{}` said nothing: {warnings}; `hookshell check` looks for the cause",
            hook.name
        ));
    }
    // A failure that denies is told by the denial.
    let HookOutcome::Failed(failure) = &hook.outcome else { return None };
    if is_denying {
        return None;
    }
    let mut why = hook.opinion.reason.clone().unwrap_or_else(|| failure.to_string());
    if matches!(failure, HookFailure::ExitCode { .. }) && event.can_block() {
        // Gemini CLI's.
        let denies_above =
            dialect_of(hook).is_some_and(|dialect| dialect.contract().exit_meaning(event, 3, true).is_deny());
        let only = if denies_above { "only from 2 on" } else { "only with 2" };
        match (hook.stderr.trim().is_empty(), hook.warnings.is_empty()) {
            // Say, a test as the last command of a guard that has nothing against the call.
            (true, true) => why.push_str(&format!(" (an exit code denies {only}, and 0 lets the call run)")),
            // The warning says why the answer does not count.
            (true, false) => {}
            (false, _) => why.push_str(&format!(" (an exit code denies {only})")),
        }
    }
    // Say, a deny on standard output that does not count.
    for warning in &hook.warnings {
        // It gives the failure as its reason, which is told once.
        let failure = failure.to_string();
        let warning = warning.strip_suffix(&format!(" ({failure})")).unwrap_or(warning);
        if !warning.ends_with(&failure) {
            why.push_str(&format!("; {warning}"));
        }
    }
    let advice = advice(hook, failure, event).map(|advice| format!("; {advice}")).unwrap_or_default();
    line(format!("the hook `{}` failed: {why}{advice}", hook.name))
}

/// What to do about a failure, where its message does not say it. `check` runs nothing: it finds no cause that is in the run.
fn advice(hook: &HookReport, failure: &HookFailure, event: EventKind) -> Option<String> {
    Some(match failure {
        HookFailure::NoModel | HookFailure::Model(_) | HookFailure::Http(_) | HookFailure::Cancelled => return None,
        HookFailure::TimedOut(limit) => time_limit_advice(hook, *limit, event),
        HookFailure::OutputLimit(_) => {
            "let it print less: the answer is one JSON object, the rest belongs into a file".to_owned()
        }
        HookFailure::Panicked => "this is a bug of hookshell's: please report it with the config".to_owned(),
        HookFailure::Signaled(_) => {
            "the system or another program ended it: run its command by hand to see why".to_owned()
        }
        _ => "`hookshell check` looks for the cause".to_owned(),
    })
}

/// The agent whose rules a hook ran by.
fn dialect_of(hook: &HookReport) -> Option<Dialect> {
    let agent = hook.agent?;
    Dialect::ALL.into_iter().find(|dialect| dialect.contract().name() == agent.name())
}

/// What to do about a hook that was too slow: its key for the limit, as its agent calls it, and where it stands.
fn time_limit_advice(hook: &HookReport, limit: Duration, event: EventKind) -> String {
    let contract = dialect_of(hook).map(Dialect::contract);
    if let Some(contract) = contract.filter(|contract| contract.longest_timeout(event) <= limit) {
        return format!("make it faster: {} gives it no more", contract.name());
    }
    let keys = contract.map(|contract| contract.keys()).unwrap_or_default();
    let key = keys.iter().find(|(_, ours)| *ours == "timeout").map_or("timeout", |(key, _)| key);
    let is_in_milliseconds = contract.is_some_and(|contract| contract.timeout_in_milliseconds());
    let unit = if is_in_milliseconds { "milliseconds" } else { "seconds" };
    let place = hook.place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
    format!("give it a longer `{key}` (in {unit}){place}, or make it faster")
}

/// How many lines an agent is shown at once.
const LINES_SHOWN: usize = 3;

/// Says in the verdict what is wrong, in one line; `is_closed`: and denies for it, where there is something to deny.
/// `is_shown`: an agent is to show it.
pub(crate) fn tell(verdict: &mut Verdict, wrong: &[String], is_closed: bool, is_shown: bool) {
    if wrong.is_empty() {
        return;
    }
    let mut line =
        format!("hookshell: {}", wrong.iter().take(LINES_SHOWN).map(|line| line.trim()).collect::<Vec<_>>().join("; "));
    if wrong.len() > LINES_SHOWN {
        line.push_str(&format!("; and {} more (`hookshell check` lists them)", wrong.len() - LINES_SHOWN));
    }
    let line = line.replace('\n', " ");
    if is_closed && verdict.event.can_block() && !verdict.is_blocked() {
        verdict.opinion.decision = Some(Decision::Deny);
        verdict.opinion.reason = Some(format!("{line} (--fail-closed denies the call for it)"));
        verdict.opinion.updated_input = None;
    }
    if !is_shown {
        return;
    }
    verdict.opinion.system_message = Some(match verdict.opinion.system_message.take() {
        Some(message) => format!("{message}\n{line}"),
        None => line,
    });
}

/// How many bytes of a reason an agent is given.
const REASON_LIMIT: usize = 8 * 1024;

/// The verdict, whose long texts an agent is shown cut, beside the whole one; `None`: nothing is too long.
pub(crate) fn shortened(verdict: &Verdict) -> Option<Verdict> {
    let texts = [&verdict.opinion.reason, &verdict.opinion.system_message];
    let is_long = texts.into_iter().flatten().any(|text| text.len() > REASON_LIMIT);
    is_long.then(|| {
        let mut shown = verdict.clone();
        cut(&mut shown, |_| "the verdict beside it has all of it".to_owned());
        shown
    })
}

/// Cuts what an agent is given as a reason or shows, keeps the last of such texts in a file, and says where that is. `has_reports`: the
/// agent is given the hooks' reports too (`--output native`).
pub(crate) fn shorten(verdict: &mut Verdict, has_reports: bool) {
    const BY_HAND: &str = "run the event by `hookshell run` without --output to see all of it";
    for hook in verdict.hooks.iter_mut().filter(|_| has_reports) {
        for text in hook.opinion.reason.iter_mut().chain([&mut hook.stderr]) {
            cut_text(text, |_| BY_HAND.to_owned());
        }
    }
    cut(verdict, |text| match keep(text) {
        Some(path) => format!("all of it is in {}", path.display()),
        None => BY_HAND.to_owned(),
    });
}

/// Cuts long texts, each with a note that says where the rest is.
fn cut(verdict: &mut Verdict, rest: impl Fn(&str) -> String) {
    for text in [&mut verdict.opinion.reason, &mut verdict.opinion.system_message].into_iter().flatten() {
        cut_text(text, &rest);
    }
}

fn cut_text(text: &mut String, rest: impl Fn(&str) -> String) {
    if text.len() <= REASON_LIMIT {
        return;
    }
    let note = format!("\n[hookshell: cut after {REASON_LIMIT} of {} bytes; {}]", text.len(), rest(text));
    let end = (0..=REASON_LIMIT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.truncate(end);
    text.push_str(&note);
}

/// Writes a text that is too long into the user's state directory: there is one, the last.
fn keep(text: &str) -> Option<PathBuf> {
    const KEPT: usize = 16 * 1024 * 1024;
    let directory = state_dir(|name| std::env::var_os(name))?;
    std::fs::create_dir_all(&directory).ok()?;
    let path = directory.join("last-reason.txt");
    write_private(&directory, &path, text.as_bytes().get(..KEPT.min(text.len()))?).ok()?;
    Some(path)
}

/// A new file takes the old one's place, for its owner only.
fn write_private(directory: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(bytes)?;
    hookshell_process::replace_file(file, path)
}
