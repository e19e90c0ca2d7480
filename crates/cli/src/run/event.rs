//! The event that `hookshell run` is about, and the project that it is in.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use hookshell_runner::{Dialect, Event, EventKind, JsonText, PayloadDefaults, ToolInput, why_unreadable};
use serde::de::IgnoredAny;

use super::RunArgs;
use crate::directories::directory_option;
use crate::failure::{Failure, Sysexit};
use crate::{input, stdin};

/// Where an event was given: messages call its parts by the names that they have there.
#[derive(Clone, Copy)]
pub(crate) enum EventSource {
    /// Options of a command, whose name it is, and standard input.
    Options(&'static str),
    /// Parameters of a request.
    Params,
}

impl EventSource {
    /// Who was asked.
    fn asked(self) -> &'static str {
        match self {
            Self::Options(command) => command,
            Self::Params => "`params`",
        }
    }

    /// The event's name.
    fn event(self) -> &'static str {
        match self {
            Self::Options(command) => command,
            Self::Params => "`event`",
        }
    }

    /// What has the whole event.
    fn payload(self) -> &'static str {
        match self {
            Self::Options(_) => "standard input",
            Self::Params => "`payload`",
        }
    }

    /// How to give the whole event.
    fn whole(self) -> &'static str {
        match self {
            Self::Options(_) => "as JSON on standard input",
            Self::Params => "as `payload`",
        }
    }

    /// A part of it.
    fn part(self, name: &str) -> String {
        match self {
            Self::Options(_) => format!("--{name}"),
            Self::Params => format!("`{name}`"),
        }
    }

    /// Nothing was given but its name, and that is not enough.
    fn nothing(self, name: EventKind) -> Failure {
        match self {
            Self::Options(_) => self.wrong_payload("it is empty, and the event is read from it".to_owned()),
            Self::Params if name == EventKind::UserPromptSubmit => {
                Failure::new(Sysexit::Usage, self.asked(), format!("{name} has no `prompt`"))
                    .hint("give it, or the whole event as `payload`")
            }
            Self::Params => Failure::new(Sysexit::Usage, self.asked(), format!("{name} has no `tool`"))
                .hint("give it with its `input`, or the whole event as `payload`"),
        }
    }

    fn wrong_payload(self, why: String) -> Failure {
        let failure = Failure::new(Sysexit::Data, self.payload(), why);
        match self {
            Self::Options(_) => {
                failure.hint("the event is one JSON object; or give it with --tool and --input, or --prompt")
            }
            Self::Params => failure,
        }
    }
}

/// The project's root directory, where it is named or the agent tells it.
pub(crate) fn project(source: EventSource, args: &RunArgs, cwd: &Path) -> Result<Option<PathBuf>, Failure> {
    let option = match source {
        EventSource::Options(_) => "--project",
        EventSource::Params => "options.project",
    };
    Ok(match &args.project {
        Some(project) => Some(directory_option(option, Some(project))?),
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

/// The event: by the name that the dialect has for it, or else any agent.
pub(crate) fn event_name(
    source: EventSource,
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
    Dialect::any_event(word).map_err(|error| Failure::new(Sysexit::Usage, source.event(), error))
}

/// What is known of an event before the rest of it is read.
pub(crate) struct KnownEvent {
    pub(crate) name: EventKind,
    /// What the dialect calls it.
    pub(crate) dialect_event_name: Option<&'static str>,
    pub(crate) cwd: PathBuf,
    pub(crate) project: Option<PathBuf>,
    /// The payload, where it has been read.
    pub(crate) payload: Option<Vec<u8>>,
}

/// The event: of the options, or of the payload on standard input; and that payload.
pub(crate) fn event(source: EventSource, args: &RunArgs, known: KnownEvent) -> Result<(Event, Vec<u8>), Failure> {
    let KnownEvent { name, dialect_event_name, cwd, project, payload: read } = known;
    let session = args.session.clone().unwrap_or_default();
    // What was read of standard input.
    let mut used = Vec::<u8>::new();
    let usage = |what: &str, why: String, hint: String| Err(Failure::new(Sysexit::Usage, what, why).hint(hint));
    let event = match (&args.tool, &args.input, &args.prompt) {
        (None, None, None) => {
            let defaults = PayloadDefaults {
                event: Some(name),
                dialect_event_name,
                cwd,
                project_dir: project,
                session_id: session,
            };
            let payload = read.map_or_else(|| payload(source, name), Ok)?;
            if name.needs_data() && payload.trim_ascii().is_empty() {
                return Err(source.nothing(name));
            }
            let wrong = |error: hookshell_runner::PayloadError| source.wrong_payload(error.to_string());
            let event = Event::from_payload(&payload, &defaults).map_err(wrong)?;
            let started_in = defaults.project_dir.is_none().then_some(defaults.cwd);
            let dialect = args.sources.dialect.unwrap_or_default();
            let event = match started_in.filter(|started_in| is_project_of(dialect, started_in, &event)) {
                Some(started_in) => event.with_project_dir(started_in),
                None => event,
            };
            return Ok((event, payload));
        }
        (None, Some(_), _) => {
            let (input, tool, whole) = (source.part("input"), source.part("tool"), source.whole());
            let hint = match source {
                EventSource::Options(_) => format!("name the tool: --tool bash; or give the whole event {whole}"),
                EventSource::Params => format!("name the tool, or give the whole event {whole}"),
            };
            return usage(source.asked(), format!("{input} without {tool}"), hint);
        }
        (Some(tool), input, None) => {
            let input = match input {
                None => ToolInput::default(),
                Some(text) => input::tool_input(text)?,
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
                    let hint = format!("give the event {}", source.whole());
                    return usage(&source.part("tool"), format!("{name} is not about a tool"), hint);
                }
            }
        }
        (None, None, Some(prompt)) if name == EventKind::UserPromptSubmit => Event::user_prompt_submit(prompt, &cwd),
        (_, _, Some(_)) if name == EventKind::UserPromptSubmit => {
            let hint = format!("give {} alone", source.part("prompt"));
            return usage(&source.part("tool"), format!("{name} is not about a tool"), hint);
        }
        (_, _, Some(_)) => {
            let (tool, input) = (source.part("tool"), source.part("input"));
            let hint = format!("only UserPromptSubmit has; give a tool's call with {tool} and {input}");
            return usage(&source.part("prompt"), format!("{name} has no prompt"), hint);
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
    dialect.tells_project()
        && event.cwd() != directory
        && event.cwd().starts_with(directory)
        && dialect.may_have_project_files(directory)
        && !is_home(directory)
}

fn is_home(directory: &Path) -> bool {
    ["HOME", "USERPROFILE"].iter().any(|name| std::env::var_os(name).is_some_and(|home| directory == home))
}

/// The nearest directory from which on an agent has files of its own: its project's. The user's home directory is none.
pub(crate) fn above(dialect: Dialect, cwd: &Path) -> Option<PathBuf> {
    let mut directories = cwd.ancestors().take_while(|directory| !is_home(directory));
    directories.find(|directory| dialect.may_have_project_files(directory)).map(Path::to_owned)
}

/// The event that the payload on standard input names, and the payload.
pub(super) fn named_by_payload() -> Result<(String, Option<Vec<u8>>), Failure> {
    let none = |why: &str| {
        Failure::new(Sysexit::Usage, "run", why)
            .hint("name it: hookshell run PreToolUse; or give the whole event as JSON on standard input")
    };
    if io::stdin().is_terminal() {
        return Err(none("no event is named"));
    }
    let payload = payload(EventSource::Options("run"), EventKind::PreToolUse)?;
    match name_in(&payload) {
        Some(name) => Ok((name, Some(payload))),
        None if payload.trim_ascii().is_empty() => Err(none("no event is named, and standard input is empty")),
        None => Err(match serde_json::from_slice::<IgnoredAny>(without_mark(&payload)) {
            Ok(_) => none("no event is named, and standard input has neither `event` nor `hook_event_name`"),
            Err(error) => none(&format!("no event is named, and standard input is no JSON: {error}")),
        }),
    }
}

/// A payload without the byte order mark that Cursor sends on Windows.
fn without_mark(payload: &[u8]) -> &[u8] {
    payload.strip_prefix(b"\xef\xbb\xbf").unwrap_or(payload)
}

/// The event that a payload names, as any agent does it, or as hookshell itself.
pub(crate) fn name_in(payload: &[u8]) -> Option<String> {
    const NAMES: [&str; 4] = ["hook_event_name", "hookEventName", "hookName", "event"];
    let object = serde_json::from_slice::<serde_json::Value>(without_mark(payload)).ok()?;
    NAMES.iter().find_map(|name| object.get(name)?.as_str().map(str::to_owned))
}

fn payload(source: EventSource, name: EventKind) -> Result<Vec<u8>, Failure> {
    if io::stdin().is_terminal() {
        if !name.needs_data() {
            return Ok(Vec::new());
        }
        return Err(Failure::new(Sysexit::Usage, source.asked(), "no --tool, and standard input is a terminal").hint(
            r#"name the call: --tool bash --input '{"command":"ls"}'; or give the event as JSON on standard input"#,
        ));
    }
    stdin::read_object().map_err(|error| Failure::new(Sysexit::Io, "standard input", why_unreadable(&error)))
}
