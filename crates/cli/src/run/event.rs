//! The event that `hookshell run` is about, and the project that it is in.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use hookshell_runner::{Dialect, Event, EventKind, JsonText, PayloadDefaults, ToolInput, why_unreadable};

use super::RunArgs;
use crate::directories::directory_option;
use crate::failure::{Failure, Sysexit};
use crate::{input, stdin};

/// The project's root directory, where it is named or the agent tells it.
pub(crate) fn project(args: &RunArgs, cwd: &Path) -> Result<Option<PathBuf>, Failure> {
    Ok(match &args.project {
        Some(project) => Some(directory_option("--project", Some(project))?),
        // An agent whose model has changed the directory still has the project's hooks.
        None if args.cwd.is_none() => {
            let dialect = args.sources.dialect;
            let told = dialect.and_then(|dialect| dialect.project_dir(|name| std::env::var_os(name)));
            told.or_else(|| dialect.filter(|_| args.output.is_some()).and_then(|dialect| above(dialect, cwd)))
                .or_else(|| dialect.filter(|dialect| dialect.contract().starts_in_project()).map(|_| cwd.to_owned()))
        }
        None => None,
    })
}

/// The event: by the name that the dialect has for it, or else any agent. `command` is what messages call who asks.
pub(crate) fn event_name(
    command: &str,
    args: &RunArgs,
    word: &str,
) -> Result<(EventKind, Option<&'static str>), Failure> {
    if let Some((dialect_event_name, event)) = args.sources.dialect.and_then(|dialect| dialect.event(word))
        // `PreToolUse` is ours and means all hooks for it, those of Cursor's `beforeShellExecution` too; `preToolUse` is
        // Cursor's own.
        && (dialect_event_name == word || word.parse::<EventKind>().is_err())
    {
        return Ok((event, Some(dialect_event_name)));
    }
    Dialect::any_event(word).map_err(|error| Failure::new(Sysexit::Usage, command, error))
}

/// The event: of the options, or of the payload on standard input; and that payload. `command` as for [`event_name`].
pub(crate) fn event(
    command: &str,
    args: &RunArgs,
    name: EventKind,
    dialect_event_name: Option<&'static str>,
    cwd: PathBuf,
    project: Option<PathBuf>,
    read: Option<Vec<u8>>,
) -> Result<(Event, Vec<u8>), Failure> {
    let session = args.session.clone().unwrap_or_default();
    // What was read of standard input.
    let mut used = Vec::<u8>::new();
    let usage = |what, why: String, hint| Err(Failure::new(Sysexit::Usage, what, why).hint(hint));
    let event = match (&args.tool, &args.input, &args.prompt) {
        (None, None, None) => {
            let defaults = PayloadDefaults {
                event: Some(name),
                dialect_event_name,
                cwd,
                project_dir: project,
                session_id: session,
            };
            let wrong = |why: String| {
                Failure::new(Sysexit::Data, "standard input", why)
                    .hint("the event is one JSON object; or give it with --tool and --input, or --prompt")
            };
            let payload = read.map_or_else(|| payload(command, name), Ok)?;
            if name.needs_data() && payload.trim_ascii().is_empty() {
                return Err(wrong("it is empty, and the event is read from it".to_owned()));
            }
            let event = Event::from_payload(&payload, &defaults).map_err(|error| wrong(error.to_string()))?;
            let started_in = defaults.project_dir.is_none().then_some(defaults.cwd);
            let dialect = args.sources.dialect.unwrap_or_default();
            let event = match started_in.filter(|started_in| is_project_of(dialect, started_in, &event)) {
                Some(started_in) => event.with_project_dir(started_in),
                None => event,
            };
            return Ok((event, payload));
        }
        (None, Some(_), _) => {
            let hint = "name the tool: --tool bash; or give the whole event as JSON on standard input";
            return usage(command, "--input without --tool".to_owned(), hint);
        }
        (Some(tool), input, None) => {
            let input = match input {
                None => ToolInput::default(),
                Some(given) => input::tool_input(given)?,
            };
            if args.input.as_deref() == Some("-") {
                used = input.get().as_bytes().to_vec();
            }
            match name {
                EventKind::PreToolUse => Event::pre_tool_use(tool, input, &cwd),
                EventKind::PermissionRequest => Event::permission_request(tool, input, &cwd),
                EventKind::PostToolUse => Event::post_tool_use(tool, input, JsonText::default(), &cwd),
                EventKind::PostToolUseFailure => Event::post_tool_use_failure(tool, input, "", &cwd),
                _ => {
                    let hint = "give the event as JSON on standard input";
                    return usage("--tool", format!("{name} is not about a tool"), hint);
                }
            }
        }
        (None, None, Some(prompt)) if name == EventKind::UserPromptSubmit => Event::user_prompt_submit(prompt, &cwd),
        (_, _, Some(_)) => {
            let hint = "only UserPromptSubmit has; give a tool's call with --tool and --input";
            return usage("--prompt", format!("{name} has no prompt"), hint);
        }
    };
    let event = event.with_session_id(session).with_project_dir(project.unwrap_or(cwd));
    let event = match dialect_event_name {
        Some(dialect_event_name) => event.with_dialect_event_name(dialect_event_name),
        None => event,
    };
    Ok((event, used))
}

/// Is a directory the project's, of an agent whose model has gone on to a directory below it? The agent says the project's in a
/// variable; without that it is where its config files are.
fn is_project_of(dialect: Dialect, directory: &Path, event: &Event) -> bool {
    let home =
        || ["HOME", "USERPROFILE"].iter().any(|name| std::env::var_os(name).is_some_and(|home| directory == home));
    dialect.tells_project()
        && event.cwd() != directory
        && event.cwd().starts_with(directory)
        && dialect.may_have_project_files(directory)
        && !home()
}

/// The nearest directory from which on an agent has files of its own: its project's. The user's home directory is none.
fn above(dialect: Dialect, cwd: &Path) -> Option<PathBuf> {
    let is_home = |directory: &Path| {
        ["HOME", "USERPROFILE"].iter().any(|name| std::env::var_os(name).is_some_and(|home| directory == home))
    };
    let mut directories = cwd.ancestors().take_while(|directory| !is_home(directory));
    directories.find(|directory| dialect.may_have_project_files(directory)).map(Path::to_owned)
}

/// The event that the payload on standard input names, and the payload.
pub(super) fn named_by_payload() -> Result<(String, Option<Vec<u8>>), Failure> {
    const NAMES: [&str; 3] = ["hook_event_name", "hookEventName", "hookName"];
    let none = |why: &str| {
        Failure::new(Sysexit::Usage, "run", why)
            .hint("name it: hookshell run PreToolUse; or give the whole event as JSON on standard input")
    };
    if io::stdin().is_terminal() {
        return Err(none("no event is named"));
    }
    let payload = payload("run", EventKind::PreToolUse)?;
    let text = payload.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&payload);
    let object = serde_json::from_slice::<serde_json::Value>(text).ok();
    let name = NAMES.iter().find_map(|name| object.as_ref()?.get(name)?.as_str().map(str::to_owned));
    match name {
        Some(name) => Ok((name, Some(payload))),
        None => Err(none("no event is named, and standard input has no `hook_event_name`")),
    }
}

fn payload(command: &str, name: EventKind) -> Result<Vec<u8>, Failure> {
    if io::stdin().is_terminal() {
        if !name.needs_data() {
            return Ok(Vec::new());
        }
        return Err(Failure::new(Sysexit::Usage, command, "no --tool, and standard input is a terminal").hint(
            r#"name the call: --tool bash --input '{"command":"ls"}'; or give the event as JSON on standard input"#,
        ));
    }
    stdin::read_object().map_err(|error| Failure::new(Sysexit::Io, "standard input", why_unreadable(&error)))
}
