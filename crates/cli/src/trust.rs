//! `hookshell trust`: the user's trust in the hooks that a project brings along.

use crate::exit_code::ExitCode;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use hookshell_runner::{
    Config, Dialect, Examined, FoundFile, HookConfig, HookKind, Origin, TrustError, TrustStatus, TrustStore,
};

use crate::directories::working_directory;
use crate::failure::{Failure, Sysexit};
use crate::output::visible;
use crate::run::above;
use crate::{output, sources, value_parsers};

pub(crate) const EXAMPLES: &str = "\
A project's hooks run only if you trust them. Trust covers the hooks and the scripts they name, as
they are now. After any change you are asked again. Code that is known only when a hook runs is
listed as unknown and is not covered; --strict refuses such hooks.

Exit codes: 0 the hooks are trusted, 1 they are not, 65 a hook cannot be trusted.

Examples:
  hookshell trust
  hookshell trust --show ~/src/project
  hookshell trust --strict
  hookshell trust --list
  hookshell trust --revoke ~/src/project";

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// The project's root directory [default: the working directory; with --dialect the nearest from it upwards that has
    /// something of the agent]
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    directory: Option<PathBuf>,
    /// The agent whose hooks to trust: crush, claude, codex, gemini, cursor, copilot or qwen [default: crush]
    #[arg(long, value_name = "AGENT", value_parser = value_parsers::agent(), hide_possible_values = true)]
    dialect: Option<Dialect>,
    /// Trust without asking
    #[arg(short, long, conflicts_with_all = ["list", "revoke"])]
    yes: bool,
    /// Refuse hooks that run code which is known only when they run, now and at each later run
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    strict: bool,
    /// Also print the scripts
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    show: bool,
    /// List the projects whose hooks are trusted
    #[arg(long, conflicts_with = "revoke")]
    list: bool,
    /// Stop trusting this project's hooks
    #[arg(long)]
    revoke: bool,
    /// With --list, print JSON
    #[arg(long, requires = "list")]
    json: bool,
}

/// They are not trusted.
const NOT_TRUSTED: u8 = 1;

/// Does what the arguments say.
pub(crate) fn main(args: &TrustArgs) -> Result<ExitCode, Failure> {
    let Some(store) = sources::trust_store() else {
        return Err(Failure::new(Sysexit::NoInput, "trust", "the environment names no directory for it")
            .hint("set XDG_STATE_HOME or HOME (on Windows LOCALAPPDATA)"));
    };
    let store = store.strict(args.strict);
    if args.list {
        return list(&store, args.json);
    }
    let cwd = working_directory()?;
    let project = match &args.directory {
        Some(directory) => cwd.join(directory),
        // As `run` finds it for the agent.
        None => args.dialect.and_then(|dialect| above(dialect, &cwd)).unwrap_or_else(|| cwd.clone()),
    };
    if args.revoke {
        // As it is listed.
        let listed = args.directory.as_ref().and_then(|directory| directory.to_str());
        let project = listed.and_then(TrustStore::listed_directory).map_or(project, |listed| cwd.join(listed));
        let text = match store.revoke(&project).map_err(failed)? {
            true => "is no longer trusted",
            false => "was not trusted",
        };
        return print(&format!("{}: {text}\n", visible(&project.display().to_string())), ExitCode::SUCCESS);
    }
    if !project.is_dir() {
        return Err(Failure::new(Sysexit::NoInput, "trust", format!("{}: it is not a directory", project.display())));
    }
    trust(args, &store, &project)
}

fn trust(args: &TrustArgs, store: &TrustStore, project: &Path) -> Result<ExitCode, Failure> {
    let files: Vec<_> =
        sources::find(args.dialect, project).into_iter().filter(|file| file.file.origin == Origin::Project).collect();
    let config: Config = sources::load(&files, args.dialect, false)?;
    let hooks = config.hooks();
    if hooks.is_empty() {
        let of_project = |file: &FoundFile| file.origin == Origin::Project;
        let others = if args.dialect.is_none() { sources::configs_of_agents(project, of_project) } else { None };
        let others = others.map(|others| format!("; {others}")).unwrap_or_default();
        let text = format!("{}: it has no hooks{others}\n", project.display());
        return print(&visible(&text), ExitCode::SUCCESS);
    }
    let examined: Result<Vec<Examined>, _> = hooks.iter().map(|hook| store.examine(hook, project)).collect();
    let examined = examined.map_err(failed)?;
    let mut text = format!("{}\n", visible(&project.display().to_string()));
    for (hook, examined) in hooks.iter().zip(&examined) {
        text.push_str(&describe(hook, examined, args.show));
    }
    print(&text, ExitCode::SUCCESS)?;
    let impossible = examined.iter().any(|examined| matches!(examined.status, TrustStatus::Impossible(_)));
    if impossible {
        return Err(Failure::new(Sysexit::Data, "trust", "there are hooks that cannot be trusted")
            .hint("nothing was changed; take them out of the config, or run them with --trust-project"));
    }
    let unknown = examined.iter().filter(|examined| !examined.uncertain.is_empty()).count();
    let was_strict = is_strict(store, project)?;
    if (args.strict || was_strict) && unknown > 0 {
        let what = if unknown == 1 { "one hook runs".to_owned() } else { format!("{unknown} hooks run") };
        return Err(Failure::new(Sysexit::Data, "trust", format!("{what} what is only known when it runs"))
            .hint(match was_strict {
                true => "nothing was changed; the project's trust is strict until `hookshell trust --revoke` takes it back",
                false => "nothing was changed; the rows `unknown:` say what it is, and without --strict it can be trusted all the same",
            }));
    }
    let of = if hooks.len() == 1 { "this hook".to_owned() } else { format!("these {} hooks", hooks.len()) };
    // A trust that becomes strict is a change.
    let is_same = !args.strict || was_strict;
    if is_same && examined.iter().all(|examined| examined.status == TrustStatus::Trusted) {
        return print(&format!("\nYou trust {of}.\n"), ExitCode::SUCCESS);
    }
    if unknown > 0 {
        let text =
            "\nWhat stands at `unknown:` is only known when the hook runs: the trust covers whatever it will be.\n";
        print(text, ExitCode::SUCCESS)?;
    }
    if !args.yes && !ask(&format!("\nDo you trust {of}? [y/N] "))? {
        return print("Nothing was changed.\n", ExitCode::from(NOT_TRUSTED));
    }
    store.trust(project, &examined).map_err(failed)?;
    print(&format!("You trust {of}. (hookshell trust --revoke takes it back)\n"), ExitCode::SUCCESS)
}

/// Is the project's trust a strict one?
fn is_strict(store: &TrustStore, project: &Path) -> Result<bool, Failure> {
    let key = project.canonicalize().unwrap_or_else(|_| project.to_owned()).display().to_string();
    let projects = store.projects().map_err(failed)?;
    Ok(projects.iter().any(|trusted| trusted.strict && trusted.project == key))
}

/// A hook, with everything that would be run.
fn describe(hook: &HookConfig, examined: &Examined, show: bool) -> String {
    let status = match &examined.status {
        TrustStatus::Trusted => "trusted".to_owned(),
        TrustStatus::Changed(what) => format!("CHANGED: {}", visible(what)),
        TrustStatus::Impossible(why) => format!("CANNOT BE TRUSTED: {}", visible(why)),
        _ => "new".to_owned(),
    };
    let matcher = hook.matcher.pattern().map(|pattern| format!(" {}", visible(pattern))).unwrap_or_default();
    let place = hook.place.as_ref().map(|place| format!(" ({})", visible(&place.to_string()))).unwrap_or_default();
    let mut text = format!("\n{}{matcher}{place}: {status}\n", hook.event);
    let mut row = |what: &str, value: &str| {
        // What goes over several lines stays in its column.
        text.push_str(&format!("  {what:<9} {}\n", visible(value).replace('\n', "\n            ")));
    };
    match &hook.kind {
        HookKind::Module(module) => row("module:", &module.module.display().to_string()),
        HookKind::Prompt(prompt) => row("prompt:", &prompt.prompt),
        HookKind::Agent(agent) => row("agent:", &agent.prompt),
        HookKind::Command => row("command:", &hook.command_line()),
        HookKind::Http(http) => {
            row("url:", &http.url);
            for (name, value) in &http.headers {
                row("header:", &format!("{name}: {value}"));
            }
            for name in &http.allowed_env_vars {
                row("sends:", &format!("the variable {name}"));
            }
        }
        kind => row("type:", kind.as_str()),
    }
    if let Some(cwd) = &hook.cwd {
        row("cwd:", &cwd.display().to_string());
    }
    for (name, value) in &hook.env {
        row("env:", &format!("{name}={value}"));
    }
    for file in &examined.files {
        let digest = file.sha256.get(..16).unwrap_or_default();
        row("file:", &format!("{} ({} bytes, SHA-256 {digest}…)", plain(&file.path), file.size));
        if show {
            match std::fs::read(&file.path) {
                Ok(bytes) => row("", &String::from_utf8_lossy(&bytes)),
                Err(error) => row("", &error.to_string()),
            }
        }
    }
    for what in &examined.uncertain {
        row("unknown:", what);
    }
    text
}

/// Asks on the terminal. Where there is none the answer is no.
fn ask(question: &str) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        output::note("trust: standard input is no terminal, so nobody can be asked: --yes answers");
        return Ok(false);
    }
    print(question, ExitCode::SUCCESS)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(|error| Failure::new(Sysexit::Io, "standard input", error))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn list(store: &TrustStore, json: bool) -> Result<ExitCode, Failure> {
    let projects = store.projects().map_err(failed)?;
    if json {
        let printed = output::print_json(&projects);
        return printed.map(|()| ExitCode::SUCCESS).map_err(Failure::output);
    }
    let mut text = String::new();
    for project in &projects {
        let strict = if project.strict { ", strictly" } else { "" };
        text.push_str(&format!("{} (since {}{strict})\n", visible(&project.project), visible(&project.trusted)));
        for (event, command) in &project.hooks {
            text.push_str(&format!("  {}: {}\n", visible(event), visible(command).replace('\n', "\n    ")));
        }
        for file in &project.files {
            text.push_str(&format!("    {}\n", visible(file)));
        }
    }
    if projects.is_empty() {
        text.push_str("no project's hooks are trusted\n");
    }
    print(&text, ExitCode::SUCCESS)
}

fn failed(error: TrustError) -> Failure {
    let code = match error {
        TrustError::Write { .. } | TrustError::Busy { .. } => Sysexit::Io,
        _ => Sysexit::Data,
    };
    Failure::new(code, "trust", error)
}

fn print(text: &str, code: ExitCode) -> Result<ExitCode, Failure> {
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    printed.map(|()| code).map_err(Failure::output)
}

/// A path as it is written, without the `\\?\` that Windows puts before one whose links were followed.
fn plain(path: &Path) -> String {
    let shown = path.display().to_string();
    match shown.strip_prefix(r"\\?\") {
        Some(rest) if rest.starts_with(r"UNC\") => format!(r"\\{}", rest.get(4..).unwrap_or_default()),
        Some(rest) if cfg!(windows) => rest.to_owned(),
        _ => shown,
    }
}
