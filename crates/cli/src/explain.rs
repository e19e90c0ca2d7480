//! `hookshell explain`: what would be done with a command, or with the commands of the hooks that would run.

use std::process::ExitCode;

use hookshell_dispatch::{Command, Explanation, Invocation};
use hookshell_process::text;
use hookshell_runner::{HookConfig, Origin, TrustStatus};
use serde::Serialize;

use crate::commands::ExplainArgs;
use crate::exec::working_directory;
use crate::failure::{Failure, Sysexit};
use crate::{found, output};

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
    matcher: Option<&'e str>,
    name: String,
    /// The type, as the config has it.
    kind: &'e str,
    /// Where it stands.
    place: Option<String>,
    /// `given`, `user` or `project`.
    origin: &'static str,
    /// Of a project's hooks: `trusted`, or why it would not run.
    trust: Option<String>,
    #[serde(flatten)]
    explanation: ExplanationJson<'e>,
}

/// Explains a command, or the hooks' commands.
pub(crate) fn main(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let dispatcher = args.dispatch.dispatcher();
    let cwd = working_directory()?;
    let env: Vec<_> = std::env::vars_os().collect();
    let explain = |source: &[u8], cwd: &std::path::Path| {
        let mut invocation = Invocation::new(Command::source(source), cwd);
        invocation.env.clone_from(&env);
        dispatcher.explain(&invocation)
    };
    let printed = match &args.command {
        Some(command) => {
            let explanation = explain(&text::from_os(command), &cwd);
            if args.json {
                output::print_json(&json(&command.to_string_lossy(), &explanation))
            } else {
                output::print(&explanation.to_string())
            }
        }
        None => {
            let config = found::load(&found::files(&args.sources, &cwd))?;
            let store = found::trust_store();
            let trust = |hook: &HookConfig| {
                let known = store.as_ref()?.examine(hook, &cwd);
                (hook.origin == Origin::Project).then(|| match known.map(|examined| examined.status) {
                    Ok(TrustStatus::Trusted) => "trusted".to_owned(),
                    Ok(TrustStatus::Changed(what)) => format!("not trusted: it has changed ({what})"),
                    Ok(TrustStatus::Impossible(why)) => format!("not trusted: {why}"),
                    Ok(_) => "not trusted".to_owned(),
                    Err(error) => format!("not trusted: {error}"),
                })
            };
            let lines: Vec<String> = config.hooks().iter().map(HookConfig::command_line).collect();
            let explained = config.hooks().iter().zip(&lines).map(|(hook, line)| {
                let folder = hook.cwd.as_ref().map_or_else(|| cwd.clone(), |folder| cwd.join(folder));
                (hook, line, explain(line.as_bytes(), &folder), trust(hook))
            });
            let explained: Vec<_> = explained.collect();
            if args.json {
                let hooks = explained.iter().map(|(hook, line, explanation, trust)| HookJson {
                    event: hook.event.as_str(),
                    matcher: hook.matcher.pattern(),
                    name: hook.display_name(),
                    kind: hook.kind.as_str(),
                    place: hook.place.as_ref().map(ToString::to_string),
                    origin: hook.origin.as_str(),
                    trust: trust.clone(),
                    explanation: json(line, explanation),
                });
                output::print_json(&hooks.collect::<Vec<_>>())
            } else {
                let blocks = explained.iter().map(|(hook, _, explanation, trust)| block(hook, explanation, trust));
                let text: Vec<String> = blocks.collect();
                output::print(&if text.is_empty() { "no hooks\n".to_owned() } else { text.join("\n") })
            }
        }
    };
    printed.map_err(|error| Failure::new(Sysexit::Io, "standard output", error))?;
    Ok(ExitCode::SUCCESS)
}

/// A hook in lines.
fn block(hook: &HookConfig, explanation: &Explanation, trust: &Option<String>) -> String {
    let matcher = hook.matcher.pattern().map(|pattern| format!(" {pattern}")).unwrap_or_default();
    let mut text = format!("{}{matcher}: {}\n", hook.event, hook.display_name());
    if let Some(place) = &hook.place {
        text.push_str(&format!("from:    {place} ({})\n", hook.origin.as_str()));
    }
    if let Some(trust) = trust {
        text.push_str(&format!("trust:   {trust}\n"));
    }
    if hook.kind.as_str() == "command" {
        text.push_str(&explanation.to_string());
    } else {
        text.push_str(&format!("type:    {}\n", hook.kind.as_str()));
    }
    text
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
