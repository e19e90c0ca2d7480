//! `hookshell explain`: what would be done with a command, or with the commands of the hooks that would run.

mod event;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::exit_code::ExitCode;

use clap::Args;
use hookshell_dispatch::{Command, Dispatcher, Environment, Explanation, Invocation, Route};
use hookshell_process::text;
use hookshell_runner::{
    Config, ConfigSource, Dialect, HookConfig, HookKind, HttpHook, Origin, TrustStatus, of_missing_command,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::directories::working_directory;
use crate::failure::Failure;
use crate::options::{DispatchArgs, HookSources};
use crate::output::visible;
use crate::{output, sources, value_parsers};

pub(crate) const EXAMPLES: &str = r#"Nothing is run. Without a command it shows the hooks that would run, the agent whose rules apply,
and how each hook would run. With --event it shows which hooks would run for that event, and why not
the others.

Examples:
  hookshell explain './hooks/check.py --strict'
  hookshell explain --hook ./guard.sh
  hookshell explain --config crush.json --json
  hookshell explain --config .claude/settings.json
  hookshell explain --event PreToolUse --tool bash --input '{"command":"git push"}'
  hookshell explain --json 'jq -r .name < config.json'"#;

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) dispatch: DispatchArgs,
    #[command(flatten)]
    pub(crate) sources: HookSources,
    /// The command as one argument, as a config has it [default: the commands of all hooks that would run]
    #[arg(allow_hyphen_values = true)]
    pub(crate) command: Option<OsString>,
    /// Show which hooks would run for this event, and why not the others
    #[arg(long, value_name = "EVENT", value_parser = value_parsers::event(), hide_possible_values = true, conflicts_with = "command")]
    pub(crate) event: Option<String>,
    /// The tool of the event
    #[arg(long, value_name = "NAME", requires = "event")]
    pub(crate) tool: Option<String>,
    /// The tool's input: a JSON object, @FILE for a file with it, or - for standard input [default: {}]
    #[arg(long, value_name = "JSON", allow_hyphen_values = true, requires = "tool")]
    pub(crate) input: Option<String>,
    /// The user's prompt, for UserPromptSubmit
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, requires = "event")]
    pub(crate) prompt: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// The keys and their order.
#[derive(Serialize)]
struct ExplanationJson<'e> {
    command: &'e str,
    tokens: &'e [String],
    argv0: Option<&'e str>,
    /// `shell`, `shell-source`, `interpreter`, `binary` or `not-startable`.
    route: &'static str,
    /// The route in words.
    description: String,
    /// The program that would be started.
    program: Option<String>,
    argv: &'e [String],
    reasons: &'e [String],
}

/// A hook of the configs.
#[derive(Serialize)]
struct HookJson<'e> {
    event: &'e str,
    /// The event by the agent's own name.
    dialect_event_name: &'e str,
    /// By whose rules it is run.
    dialect: &'e str,
    /// Why by those, in words.
    dialect_why: Option<&'e str>,
    matcher: Option<&'e str>,
    /// How the matcher is read, in words.
    matches: String,
    /// Seconds.
    timeout: f64,
    name: String,
    /// The type, as the config has it.
    kind: &'e str,
    /// Where it stands.
    place: Option<String>,
    /// `given`, `user` or `project`.
    origin: &'static str,
    /// Of a project's hooks: `trusted`, or why it would not run.
    trust: Option<String>,
    /// Where an `http` hook is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'e str>,
    /// The variables that its headers may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<&'e [String]>,
    #[serde(flatten)]
    explanation: ExplanationJson<'e>,
}

/// By what commands are explained.
pub(crate) struct Explainer {
    pub(crate) dispatcher: Dispatcher,
    pub(crate) cwd: PathBuf,
    pub(crate) env: Environment,
}

/// A hook, and how it would run.
struct Explained<'c> {
    hook: &'c HookConfig,
    line: String,
    explanation: Explanation,
    trust: Option<String>,
}

impl Explainer {
    fn explain(&self, source: &[u8], cwd: &Path, hook: Option<&HookConfig>) -> Explanation {
        let mut invocation = Invocation::new(Command::source(source), cwd);
        invocation.missing_shell = hook.and_then(|hook| hook.missing_shell);
        invocation.shell_scripts = hook.and_then(|hook| hook.shell_scripts);
        invocation.env.clone_from(&self.env);
        let mut explanation = self.dispatcher.explain(&invocation);
        if let (Route::NotStartable { reason }, Some(name)) = (&explanation.route, &explanation.argv0) {
            let why = of_missing_command(reason, name, &String::from_utf8_lossy(source), cwd);
            explanation.reasons.extend(why);
        }
        explanation
    }

    /// How a command would run, as `--json` prints it.
    pub(crate) fn command_json(&self, command: &str) -> serde_json::Result<Box<RawValue>> {
        to_raw_value(&json(command, &self.explain(command.as_bytes(), &self.cwd, None)))
    }

    /// How the hooks of a config would run, as `--json` prints them.
    pub(crate) fn hooks_json(&self, config: &Config) -> serde_json::Result<Box<RawValue>> {
        to_raw_value(&hooks_json(config, &self.hooks(config)))
    }

    fn hooks<'c>(&self, config: &'c Config) -> Vec<Explained<'c>> {
        let store = sources::trust_store();
        let trust = |hook: &HookConfig| {
            let known = store.as_ref()?.examine(hook, &self.cwd);
            (hook.origin == Origin::Project).then(|| match known.map(|examined| examined.status) {
                Ok(TrustStatus::Trusted) => "trusted".to_owned(),
                Ok(TrustStatus::Changed(what)) => format!("not trusted: it has changed ({what})"),
                Ok(TrustStatus::Impossible(why)) => format!("not trusted: {why}"),
                Ok(_) => "not trusted".to_owned(),
                Err(error) => format!("not trusted: {error}"),
            })
        };
        let explained = config.hooks().iter().map(|hook| {
            let line = hook.command_line();
            let directory = hook.cwd.as_ref().map_or_else(|| self.cwd.clone(), |directory| self.cwd.join(directory));
            let explanation = self.explain(line.as_bytes(), &directory, Some(hook));
            Explained { hook, line, explanation, trust: trust(hook) }
        });
        explained.collect()
    }
}

/// Explains a command, or the hooks' commands.
pub(crate) fn main(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let (dispatcher, cwd) = (args.dispatch.dispatcher(), working_directory()?);
    let explainer = Explainer { dispatcher, cwd, env: Environment::of_process() };
    if let Some(word) = &args.event {
        return event::main(args, word, &explainer);
    }
    let printed = match &args.command {
        Some(command) => {
            let explanation = explainer.explain(&text::from_os(command), &explainer.cwd, None);
            if args.json {
                output::print_json(&json(&command.to_string_lossy(), &explanation))
            } else {
                let rules = args.sources.dialect.map(rules).unwrap_or_default();
                output::print(&visible(&format!("{explanation}{rules}")))
            }
        }
        None => {
            let files = sources::files(&args.sources, &explainer.cwd);
            let config = sources::load(&files, args.sources.dialect, false)?;
            let explained = explainer.hooks(&config);
            if args.json {
                output::print_json(&hooks_json(&config, &explained))
            } else {
                let mut text: Vec<String> = explained.iter().map(|explained| block(&config, explained)).collect();
                if text.is_empty() {
                    text.push("no hooks\n".to_owned());
                    let others = sources::other_agents(&args.sources, &explainer.cwd);
                    text.extend(others.map(|others| format!("{others}\n")));
                }
                text.extend(dialects(&config, args.sources.dialect).into_iter().map(rules));
                output::print(&visible(&text.join("\n")))
            }
        }
    };
    printed.map_err(Failure::output)?;
    Ok(ExitCode::SUCCESS)
}

fn hooks_json<'e>(config: &'e Config, explained: &'e [Explained<'e>]) -> Vec<HookJson<'e>> {
    explained.iter().map(|explained| hook_json(config, explained)).collect()
}

fn hook_json<'e>(config: &'e Config, explained: &'e Explained<'e>) -> HookJson<'e> {
    let Explained { hook, line, explanation, trust } = explained;
    HookJson {
        event: hook.event.as_str(),
        dialect_event_name: hook.dialect_event_name,
        dialect: hook.dialect.as_str(),
        dialect_why: source(config, hook).map(|source| source.why.as_str()),
        matcher: hook.matcher.pattern(),
        matches: hook.matcher.describe(),
        timeout: hook.timeout.as_secs_f64(),
        name: hook.display_name(),
        kind: hook.kind.as_str(),
        place: hook.place.as_ref().map(ToString::to_string),
        origin: hook.origin.as_str(),
        trust: trust.clone(),
        url: http(hook).map(|http| http.url.as_str()),
        variables: http(hook).map(|http| http.allowed_env_vars.as_slice()),
        explanation: json(line, explanation),
    }
}

fn http(hook: &HookConfig) -> Option<&HttpHook> {
    match &hook.kind {
        HookKind::Http(http) => Some(http),
        _ => None,
    }
}

/// The file of a hook.
fn source<'c>(config: &'c Config, hook: &HookConfig) -> Option<&'c ConfigSource> {
    let file = &hook.place.as_ref()?.file;
    config.sources().iter().find(|source| *source.file == **file)
}

/// The dialects of the files but our own, and the one that was asked for, each once.
fn dialects(config: &Config, asked: Option<Dialect>) -> Vec<Dialect> {
    let is_used = |dialect: Dialect| config.sources().iter().any(|source| source.dialect == dialect);
    let is_shown = |dialect: &Dialect| asked == Some(*dialect) || !dialect.is_default() && is_used(*dialect);
    Dialect::ALL.into_iter().filter(is_shown).collect()
}

/// A dialect's rules as text.
fn rules(dialect: Dialect) -> String {
    let mut text = format!("{}'s rules:\n", dialect.agent());
    for (what, rule) in dialect.summary() {
        text.push_str(&format!("  {what:<11} {rule}\n"));
    }
    text
}

/// A hook in lines.
fn block(config: &Config, explained: &Explained<'_>) -> String {
    let Explained { hook, explanation, trust, .. } = explained;
    let matcher = hook.matcher.pattern().map(|pattern| format!(" {pattern}")).unwrap_or_default();
    let mut text = format!("{}{matcher}: {}\n", hook.dialect_event_name, hook.display_name());
    if !hook.dialect.is_default() {
        let why = source(config, hook).map(|source| format!(", {}", source.why.as_str())).unwrap_or_default();
        text.push_str(&format!("rules:   {}'s{why}\n", hook.dialect.agent()));
        if hook.dialect_event_name != hook.event.as_str() {
            text.push_str(&format!("event:   {}\n", hook.event));
        }
        text.push_str(&format!("for:     {}\n", hook.matcher.describe()));
        text.push_str(&format!("timeout: {} s\n", hook.timeout.as_secs_f64()));
    }
    text.push_str(&place_line(hook));
    if let Some(trust) = trust {
        text.push_str(&format!("trust:   {trust}\n"));
    }
    if hook.kind.as_str() == "command" {
        text.push_str(&explanation.to_string());
    } else {
        text.push_str(&format!("type:    {}\n", hook.kind.as_str()));
    }
    if let HookKind::Http(http) = &hook.kind {
        text.push_str(&format!("url:     {}\n", http.url));
        // Not their values: one may be a secret that somebody has written down.
        let names: Vec<&str> = http.headers.iter().map(|(name, _)| name.as_str()).collect();
        if !names.is_empty() {
            text.push_str(&format!("headers: {}\n", names.join(", ")));
        }
        if !http.allowed_env_vars.is_empty() {
            text.push_str(&format!("sends:   the variables {}\n", http.allowed_env_vars.join(", ")));
        }
    }
    text
}

/// Where a hook stands, as a line.
fn place_line(hook: &HookConfig) -> String {
    hook.place.as_ref().map(|place| format!("from:    {place} ({})\n", hook.origin.as_str())).unwrap_or_default()
}

fn json<'e>(command: &'e str, explanation: &'e Explanation) -> ExplanationJson<'e> {
    ExplanationJson {
        command,
        tokens: &explanation.tokens,
        argv0: explanation.argv0.as_deref(),
        route: explanation.route.name(),
        description: explanation.route.to_string(),
        program: explanation.program.as_ref().map(|program| program.display().to_string()),
        argv: &explanation.argv,
        reasons: &explanation.reasons,
    }
}
