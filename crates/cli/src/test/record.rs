//! `hookshell test --record`: a case of a fixture, made of an event and today's verdict.

use crate::exit_code::ExitCode;
use std::collections::BTreeSet;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use hookshell_runner::{ConfigError, Decision, FixtureError, HookTest, Verdict};
use serde_json::{Map, Value, json};

use crate::decide::{Decided, decide};
use crate::failure::{Failure, Sysexit};
use crate::hook_log::hook_log;
use crate::options::DispatchArgs;
use crate::output;
use crate::signals::signal_status;
use crate::value_parsers;

/// The longest event that is read.
const EVENT_LIMIT: u64 = 64 * 1024 * 1024;

#[derive(Debug, Args)]
pub(super) struct RecordArgs {
    /// Add a case to this fixture, or make it: the event on standard input, and the verdict that it gets today
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["path", "json", "format"])]
    record: Option<PathBuf>,
    /// Take the last N events of the log instead, of those whose payloads are in it (HOOKSHELL_LOG=payload)
    #[arg(long, value_name = "N", requires = "record", value_parser = value_parsers::count)]
    from_log: Option<NonZeroUsize>,
    /// The config whose hooks the new fixture is for [default: the file of the same name, or crush.json]
    #[arg(long, value_name = "FILE", requires = "record", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// The event, if the JSON does not name it
    #[arg(long, value_name = "EVENT", requires = "record", value_parser = value_parsers::event(), hide_possible_values = true)]
    event: Option<String>,
    /// What the case is called [default: the tool and the beginning of its input]
    #[arg(long, value_name = "TEXT", requires = "record")]
    name: Option<String>,
}

impl RecordArgs {
    pub(super) fn file(&self) -> Option<&Path> {
        self.record.as_deref()
    }
}

/// Records.
pub(super) fn main(file: &Path, args: &RecordArgs, dispatch: &DispatchArgs) -> Result<ExitCode, Failure> {
    let shown = file.display().to_string();
    let failed = |what: String| Failure::new(Sysexit::Data, "test", what);
    if !file.file_name().unwrap_or_default().to_string_lossy().ends_with(".hooktest.json") {
        return Err(Failure::new(Sysexit::Usage, "test", format!("{shown}: a fixture's name ends in .hooktest.json")));
    }
    let mut fixture = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Map::new(),
        Err(error) => return Err(Failure::new(Sysexit::NoInput, shown, error)),
        Ok(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(fixture)) => fixture,
            // To write it anew would lose comments.
            _ => {
                let what = |errors: Vec<FixtureError>| wrong(&errors, ToString::to_string);
                // A fixture of comments alone has no case yet.
                HookTest::parse(&text, file).map_err(what)?;
                return Err(failed(format!("{shown}: it is not plain JSON, and would lose its comments"))
                    .hint("record into a new file and copy the case"));
            }
        },
    };
    if fixture.contains_key("expect") && !fixture.contains_key("cases") {
        return Err(failed(format!("{shown}: it is one case, not a list")).hint("put the case into `cases` first"));
    }
    if let Some(config) = &args.config {
        let config = relative(config, file)?;
        if fixture.get("config").is_some_and(|other| *other != config) {
            return Err(failed(format!("{shown}: it is for another config")));
        }
        fixture.insert("config".to_owned(), config);
    }
    let events = match args.from_log {
        Some(count) => of_log(count.get())?,
        None => vec![of_stdin()?],
    };
    let (mut recorded, mut known) = (0, 0);
    for event in events {
        let case = match case(&fixture, event, args, file, dispatch)? {
            Recorded::Case(case) => case,
            Recorded::Signalled(signal) => return Ok(ExitCode::from(signal_status(signal))),
        };
        let cases = fixture.entry("cases").or_insert_with(|| json!([]));
        let Value::Array(cases) = cases else { return Err(failed(format!("{shown}: `cases` is not a list"))) };
        if !cases.contains(&case) {
            cases.push(case);
            recorded += 1;
        } else {
            known += 1;
        }
    }
    let text =
        serde_json::to_string_pretty(&fixture).map_err(|error| Failure::new(Sysexit::Software, "test", error))?;
    std::fs::write(file, text + "\n").map_err(|error| Failure::new(Sysexit::Io, shown.clone(), error))?;
    let what = match (recorded, known) {
        (0, _) => "nothing recorded: it has that already".to_owned(),
        (1, 0) => "1 case recorded".to_owned(),
        (_, 0) => format!("{recorded} cases recorded"),
        (_, _) => format!("{recorded} of {} cases recorded: it has the others already", recorded + known),
    };
    output::print(&output::visible(&format!("{shown}: {what}\n"))).map_err(Failure::output)?;
    Ok(ExitCode::SUCCESS)
}

/// The event that is given on standard input, as the members of a case.
fn of_stdin() -> Result<Map<String, Value>, Failure> {
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .take(EVENT_LIMIT)
        .read_to_string(&mut text)
        .map_err(|error| Failure::new(Sysexit::Io, "standard input", error))?;
    if text.trim().is_empty() {
        let message = "there is no event on standard input";
        return Err(Failure::new(Sysexit::Data, "test", message)
            .hint("give it one as JSON: {\"tool_name\":\"bash\",\"tool_input\":{\"command\":\"ls\"}}"));
    }
    let payload: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::new(Sysexit::Data, "test", format!("the event is not JSON: {error}")))?;
    Ok(Map::from_iter([("payload".to_owned(), payload)]))
}

/// The events of the last runs in the log, the oldest first. The hooks of one event are one run each: it comes once.
fn of_log(count: usize) -> Result<Vec<Map<String, Value>>, Failure> {
    let Some(log) = hook_log(|name| std::env::var_os(name)) else {
        return Err(Failure::new(Sysexit::NoInput, "test", "the environment names no directory for the log"));
    };
    let entries =
        log.entries().map_err(|error| Failure::new(Sysexit::NoInput, log.path().display().to_string(), error))?;
    let mut events: Vec<Map<String, Value>> = Vec::new();
    // The events whose members the log does not have, and how many were read before each.
    let mut left_out: Vec<(usize, &str)> = Vec::new();
    for entry in &entries {
        if entry.tool_input.is_none() && entry.prompt.is_none() {
            left_out.push((events.len(), &entry.event));
            continue;
        }
        let mut event = Map::new();
        event.insert("event".to_owned(), entry.event.clone().into());
        if let Some(tool) = &entry.tool {
            event.insert("tool_name".to_owned(), tool.clone().into());
        }
        if let Some(input) = &entry.tool_input {
            event.insert("tool_input".to_owned(), serde_json::from_str(input.get()).unwrap_or_default());
        }
        if let Some(prompt) = &entry.prompt {
            event.insert("prompt".to_owned(), prompt.clone().into());
        }
        if events.last() != Some(&event) {
            events.push(event);
        }
    }
    if events.is_empty() {
        return Err(Failure::new(
            Sysexit::NoInput,
            "test",
            format!("{}: no run with its payload is logged", log.path().display()),
        )
        .hint("run hooks with HOOKSHELL_LOG=payload, or give the event on standard input"));
    }
    let from = events.len().saturating_sub(count);
    let left_out: BTreeSet<&str> = left_out
        .iter()
        .filter(|(before, event)| *before > from && !event.is_empty())
        .map(|(_, event)| *event)
        .collect();
    if !left_out.is_empty() {
        let events = left_out.into_iter().collect::<Vec<_>>().join(", ");
        output::note(&format!("warning: {events}: runs without their payload in the log are left out"));
    }
    Ok(events.split_off(from))
}

enum Recorded {
    Case(Value),
    Signalled(i32),
}

/// Runs the event as the fixture's case, and makes a case of what came.
fn case(
    fixture: &Map<String, Value>,
    event: Map<String, Value>,
    args: &RecordArgs,
    file: &Path,
    dispatch: &DispatchArgs,
) -> Result<Recorded, Failure> {
    let mut case = Map::new();
    case.insert("name".to_owned(), args.name.clone().unwrap_or_else(|| name(&event)).into());
    if let Some(event) = &args.event {
        case.insert("event".to_owned(), event.clone().into());
    }
    case.extend(event);
    // Whoever records an event expects nothing yet.
    case.insert("expect".to_owned(), json!({}));
    let mut alone = fixture.clone();
    alone.insert("cases".to_owned(), json!([case]));
    let tests = HookTest::parse(&Value::Object(alone).to_string(), file);
    // The case that is read stands in no file yet: a place would lead nowhere.
    let shown = file.display().to_string();
    let wrong = |errors: Vec<FixtureError>| {
        wrong(&errors, |error| {
            let is_of_case = error.place().is_some_and(|place| *place.file == *file);
            if is_of_case { format!("{shown}: {}", error.message()) } else { error.to_string() }
        })
    };
    let tests = tests.map_err(&wrong)?;
    let Some(test) = tests.first() else {
        return Err(Failure::new(Sysexit::Software, "test", "the case was not read"));
    };
    let prepared = test.prepare(|builder| builder.dispatcher(dispatch.dispatcher())).map_err(wrong)?;
    let verdict = match decide(&prepared.runner, &prepared.event)? {
        Decided::Verdict(verdict, _) => verdict,
        Decided::Signalled(signal) => return Ok(Recorded::Signalled(signal)),
    };
    if verdict.hooks.is_empty() {
        output::note(&format!("warning: {}: no hook is for this event", test.name));
    }
    case.insert("expect".to_owned(), expectation(&verdict));
    Ok(Recorded::Case(Value::Object(case)))
}

/// What keeps a fixture from being used.
fn wrong(errors: &[FixtureError], text: impl Fn(&FixtureError) -> String) -> Failure {
    let is_missing = |error: &FixtureError| matches!(error, FixtureError::Config(ConfigError::Read { .. }));
    let kind = if errors.iter().all(is_missing) { Sysexit::NoInput } else { Sysexit::Data };
    Failure::with_reasons(kind, "test", errors.iter().map(text).collect::<Vec<_>>())
}

/// What the verdict says, as it is to be expected from now on.
fn expectation(verdict: &Verdict) -> Value {
    let text = |text: &Option<String>| text.as_ref().map(|text| format!("^{}$", literal(text)));
    let mut expect = Map::new();
    expect.insert("decision".to_owned(), json!(verdict.opinion.decision.map(Decision::as_str)));
    expect.insert("exit_code".to_owned(), json!(verdict.exit_code()));
    expect.insert("reason".to_owned(), json!(text(&verdict.opinion.reason)));
    for (key, value) in [("context", &verdict.context()), ("updated_prompt", &verdict.opinion.updated_prompt)] {
        if value.is_some() {
            expect.insert(key.to_owned(), json!(text(value)));
        }
    }
    if let Some(input) = verdict.updated_input() {
        expect.insert("updated_input".to_owned(), serde_json::from_str(input.get()).unwrap_or_default());
    }
    if !verdict.context_files().is_empty() {
        expect.insert("context_files".to_owned(), json!(verdict.context_files()));
    }
    let outcomes: Vec<&str> = verdict.hooks.iter().map(|hook| hook.outcome.as_str()).collect();
    expect.insert("outcome".to_owned(), json!(outcomes));
    Value::Object(expect)
}

/// A regular expression for this text alone.
fn literal(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if "\\.+*?()|[]{}^$#&-~".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

/// The tool and the beginning of what it is given.
fn name(event: &Map<String, Value>) -> String {
    /// How many characters a name has at most.
    const LENGTH: usize = 60;
    let payload = event.get("payload").and_then(Value::as_object).unwrap_or(event);
    let member = |name: &str| payload.get(name).or_else(|| event.get(name));
    let of_event = ["tool_name", "hook_event_name", "event", "hookEventName"];
    let tool = of_event.into_iter().find_map(|name| member(name)?.as_str()).unwrap_or("event");
    let input = member("tool_input");
    let text = input.and_then(|input| input.get("command")).or_else(|| member("prompt")).and_then(Value::as_str);
    let text = text.map_or_else(|| input.map(Value::to_string).unwrap_or_default(), str::to_owned);
    let name = format!("{tool}: {}", text.replace(char::is_control, " "));
    match name.char_indices().nth(LENGTH) {
        Some((at, _)) => format!("{}…", name.get(..at).unwrap_or_default()),
        None => name,
    }
}

/// The config's path as the fixture has it: relative to the fixture's directory where it is below it.
fn relative(config: &Path, fixture: &Path) -> Result<Value, Failure> {
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|error| Failure::new(Sysexit::System, path.display().to_string(), error))
    };
    let (config, fixture) = (absolute(config)?, absolute(fixture)?);
    let directory = fixture.parent().unwrap_or(&fixture);
    let path = config.strip_prefix(directory).unwrap_or(&config);
    let text = path.display().to_string();
    Ok(if cfg!(windows) { text.replace('\\', "/").into() } else { text.into() })
}
