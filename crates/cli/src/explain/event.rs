//! `hookshell explain --event`: which hooks would run for an event, and why not the others.

use hookshell_runner::{Config, Event, HookConfig, LeftOut, Runner};
use serde::Serialize;

use super::{ExplainArgs, Explained, Explainer, HookJson, block, hook_json, place_line};
use crate::exit_code::ExitCode;
use crate::failure::{Failure, Sysexit};
use crate::output::visible;
use crate::run::{self, EventSource, KnownEvent, RunArgs};
use crate::{output, sources};

/// What would happen for an event.
#[derive(Serialize)]
struct EventJson<'e> {
    event: &'e str,
    /// The tool, or what else the event says that matchers are for.
    matched: Option<&'e str>,
    hooks: Vec<ChoiceJson<'e>>,
    /// What is wrong or odd in the configs: hooks that stand there may be none of the above.
    warnings: &'e [String],
}

/// A hook, and whether it would run.
#[derive(Serialize)]
struct ChoiceJson<'e> {
    runs: bool,
    /// `event`, `call`, `sub-agent`, `matcher`, `if`, `trust`, `duplicate` or `itself`.
    why: Option<&'static str>,
    /// The same in words.
    reason: Option<String>,
    #[serde(flatten)]
    hook: HookJson<'e>,
}

/// Why a hook does not run: a word for programs, and the reason.
type Why = Option<(&'static str, String)>;

const GIVEN: EventSource = EventSource::Options("explain");

/// Explains an event. Nothing is run.
pub(super) fn main(args: &ExplainArgs, word: &str, explainer: &Explainer) -> Result<ExitCode, Failure> {
    let run_args = RunArgs {
        event: Some(word.to_owned()),
        sources: args.sources.clone(),
        tool: args.tool.clone(),
        input: args.input.clone(),
        prompt: args.prompt.clone(),
        ..RunArgs::default()
    };
    let (name, dialect_event_name) = run::event_name(GIVEN, &run_args, word)?;
    let cwd = explainer.cwd.clone();
    let project = run::project(GIVEN, &run_args, &cwd)?;
    let root = project.clone().unwrap_or_else(|| cwd.clone());
    // What needs no data is not waited for.
    let read = (!name.needs_data()).then(Vec::new);
    let (event, _) =
        run::event(GIVEN, &run_args, KnownEvent { name, dialect_event_name, cwd, project, payload: read })?;
    let files = sources::files(&args.sources, &root);
    let (config, broken) = sources::load_what_is_right(&files, args.sources.dialect, true)?;
    let mut warnings: Vec<String> = config.warnings().iter().map(ToString::to_string).collect();
    warnings.extend(broken.iter().flat_map(Failure::reasons));
    let runner = sources::runner(config.clone(), &root, false)
        .build()
        .map_err(|error| Failure::new(Sysexit::Software, "explain", error))?;
    let whys = whys(&runner, &event);
    let explained = explainer.hooks(&config);
    let printed = match args.json {
        true => output::print_json(&json(&config, &event, &explained, &whys, &warnings)),
        false => {
            let mut text = text(&config, &event, &explained, &whys);
            if explained.is_empty() {
                text.extend(sources::other_agents(&args.sources, &root).map(|others| format!("{others}\n")));
            }
            if args.tool.is_some()
                && args.input.is_none()
                && explained.iter().any(|explained| explained.hook.condition.is_some())
            {
                text.push("the rules of `if` were judged without the tool's input: give it with --input\n".to_owned());
            }
            if whys.iter().flatten().any(|(why, _)| *why == "trust") {
                let dialect = args.sources.dialect.filter(|dialect| !dialect.is_default());
                let dialect = dialect.map(|dialect| format!(" --dialect {}", dialect.as_str())).unwrap_or_default();
                text.push(format!("`hookshell trust{dialect}` shows what the project's hooks do, and lets them run\n"));
            }
            text.extend(lines(&warnings));
            output::print(&visible(&text.join("\n")))
        }
    };
    printed.map_err(Failure::output)?;
    Ok(ExitCode::SUCCESS)
}

/// Why each hook does not run; `None`: it runs.
fn whys(runner: &Runner, event: &Event) -> Vec<Why> {
    let why = |(hook, choice): (&HookConfig, Option<LeftOut>)| match choice {
        Some(choice) => Some((choice.as_str(), choice.to_string())),
        None if hook.is_installed_line() => Some((
            "itself",
            "`hookshell install` has written it: the hooks that it runs are listed by themselves".to_owned(),
        )),
        None if hook.starts_hookshell_for(event.name()) => {
            Some(("itself", "it starts `hookshell run` for this event, which is hookshell itself".to_owned()))
        }
        None => None,
    };
    runner.choices(event).into_iter().map(why).collect()
}

fn json<'e>(
    config: &'e Config,
    event: &'e Event,
    explained: &'e [Explained<'e>],
    whys: &[Why],
    warnings: &'e [String],
) -> EventJson<'e> {
    let choice = |(explained, why): (&'e Explained<'e>, &Why)| ChoiceJson {
        runs: why.is_none(),
        why: why.as_ref().map(|(why, _)| *why),
        reason: why.as_ref().map(|(_, reason)| reason.clone()),
        hook: hook_json(config, explained),
    };
    EventJson {
        event: event.name().as_str(),
        matched: event.matched(),
        hooks: explained.iter().zip(whys).map(choice).collect(),
        warnings,
    }
}

/// The paragraphs for people.
fn text(config: &Config, event: &Event, explained: &[Explained<'_>], whys: &[Why]) -> Vec<String> {
    let of = event.matched().map(|matched| format!(" of `{matched}`")).unwrap_or_default();
    let hooks = match explained.len() {
        1 => "1 hook".to_owned(),
        count => format!("{count} hooks"),
    };
    let running = whys.iter().filter(|why| why.is_none()).count();
    let mut text = vec![format!("{}{of}: {running} of {hooks} would run\n", event.name())];
    for (index, (explained, why)) in explained.iter().zip(whys).enumerate() {
        let number = index + 1;
        text.push(match why {
            None => format!("hook {number} runs\n{}", block(config, explained)),
            Some((_, reason)) => {
                let Explained { hook, .. } = explained;
                let matcher = hook.matcher.pattern().map(|pattern| format!(" {pattern}")).unwrap_or_default();
                format!(
                    "hook {number} does not run: {reason}\n{}{matcher}: {}\n{}",
                    hook.dialect_event_name,
                    hook.display_name(),
                    place_line(hook)
                )
            }
        });
    }
    text
}

/// What is wrong or odd in the configs, as one paragraph.
fn lines(warnings: &[String]) -> Option<String> {
    let lines: String = warnings.iter().map(|warning| format!("warning: {warning}\n")).collect();
    (!lines.is_empty()).then_some(lines)
}
