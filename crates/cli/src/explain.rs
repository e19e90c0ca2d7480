//! `hookshell explain`: what would be done with a command.

use std::process::ExitCode;

use hookshell_dispatch::{Command, Explanation, Invocation};
use hookshell_process::text;
use serde::Serialize;

use crate::commands::ExplainArgs;
use crate::exec::working_directory;
use crate::failure::{Failure, Sysexit};
use crate::output;

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

/// Explains a command.
pub(crate) fn main(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let mut invocation = Invocation::new(Command::source(text::from_os(&args.command)), working_directory()?);
    invocation.env = std::env::vars_os().collect();
    let explanation = args.dispatch.dispatcher().explain(&invocation);
    let printed = if args.json {
        output::print_json(&json(&args.command.to_string_lossy(), &explanation))
    } else {
        output::print(&explanation.to_string())
    };
    printed.map_err(|error| Failure::new(Sysexit::Io, "standard output", error))?;
    Ok(ExitCode::SUCCESS)
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
