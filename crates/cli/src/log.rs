//! The log of hooks' runs: what `hookshell run` writes and `hookshell log` shows.

use crate::exit_code::ExitCode;
use std::ffi::OsString;
use std::time::Duration;

use clap::Args;
use hookshell_runner::{Event, HookLog, LogEntry, LogFollower, Verdict, state_folder};

use crate::commands::RunArgs;
use crate::failure::{Failure, Sysexit};
use crate::output;

pub(crate) const EXAMPLES: &str = r#"`hookshell run` logs one line for each hook, unless --no-log or HOOKSHELL_LOG=off is given.
Times are UTC.

Examples:
  hookshell log -n 20
  hookshell log -f --hook no-rm-rf
  hookshell log --json | jq 'select(.ms > 1000)'"#;

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Follow new entries
    #[arg(short, long)]
    follow: bool,
    /// Show only hooks whose name contains this text
    #[arg(long, value_name = "NAME")]
    hook: Option<String>,
    /// Show only the last N entries [default: all; with --follow 10]
    #[arg(short = 'n', long, value_name = "N")]
    lines: Option<usize>,
    /// Print one JSON object for each run
    #[arg(long)]
    json: bool,
}

/// Where the log is, if the environment names a directory for it.
pub(crate) fn hook_log(env: impl Fn(&str) -> Option<OsString>) -> Option<HookLog> {
    state_folder(env).map(HookLog::new)
}

/// Logs the runs of a verdict's hooks. It never changes the verdict: where it fails there is a note.
pub(crate) fn append(args: &RunArgs, event: &Event, verdict: &Verdict) {
    let Some(log) = of_run(args) else { return };
    if let Err(error) = log.append(event, verdict)
        && args.verbose
    {
        output::note(&format!("log: {}: {error}", log.path().display()));
    }
}

/// The log that a run is to be written to.
pub(crate) fn of_run(args: &RunArgs) -> Option<HookLog> {
    let setting = std::env::var_os("HOOKSHELL_LOG").unwrap_or_default();
    if args.no_log || setting == "off" && !args.log_payload {
        return None;
    }
    let log = hook_log(|name| std::env::var_os(name))?;
    Some(log.payload(args.log_payload || setting == "payload"))
}

/// How often a log is looked at that is followed.
const LOOK: Duration = Duration::from_millis(200);

/// Shows the log.
pub(crate) fn main(args: &LogArgs) -> Result<ExitCode, Failure> {
    let Some(log) = hook_log(|name| std::env::var_os(name)) else {
        return Err(Failure::new(Sysexit::NoInput, "log", "the environment names no directory for it")
            .hint("set XDG_STATE_HOME or HOME (on Windows LOCALAPPDATA)"));
    };
    let unreadable = |error| Failure::new(Sysexit::NoInput, log.path().display().to_string(), error);
    // First its end is noted, then what stands before it is read: what comes in between is shown twice rather than not.
    let mut follower = if args.follow { Some(LogFollower::new(&log).map_err(unreadable)?) } else { None };
    let mut entries = log.entries().map_err(unreadable)?;
    let is_empty = entries.is_empty();
    entries.retain(|entry| is_wanted(args, entry));
    let last = args.lines.unwrap_or(if args.follow { 10 } else { usize::MAX });
    let entries = entries.split_off(entries.len().saturating_sub(last));
    let mut text = if args.json { String::new() } else { HEADING.to_owned() };
    text.extend(entries.iter().map(|entry| line(args, entry)));
    if entries.is_empty() && !args.follow && !args.json {
        let path = log.path();
        text = match &args.hook {
            _ if is_empty => format!("nothing is logged in {}\n", path.display()),
            Some(hook) if last > 0 => {
                format!(
                    "no run of a hook with `{}` in its name is logged in {}\n",
                    output::visible(hook),
                    path.display()
                )
            }
            _ => text,
        };
    }
    print(&text)?;
    while let Some(follower) = &mut follower {
        std::thread::sleep(LOOK);
        let entries = follower.entries().map_err(unreadable)?;
        let text: String =
            entries.iter().filter(|entry| is_wanted(args, entry)).map(|entry| line(args, entry)).collect();
        print(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(text: &str) -> Result<(), Failure> {
    output::print(text).map_err(Failure::output)
}

fn is_wanted(args: &LogArgs, entry: &LogEntry) -> bool {
    args.hook.as_ref().is_none_or(|name| entry.hook.contains(name))
}

const HEADING: &str = "TIME                 EVENT             HOOK                          ROUTE                     OUTCOME              MS\n";

/// An entry as a row of the table, or as JSON.
fn line(args: &LogArgs, entry: &LogEntry) -> String {
    if args.json {
        return serde_json::to_string(entry).map(|line| line + "\n").unwrap_or_default();
    }
    let time = entry.time.get(..19).unwrap_or(&entry.time).replace('T', " ");
    let mut outcome = match (&entry.decision, entry.exit_code) {
        (Some(decision), _) => format!("{} {decision}", entry.outcome),
        (None, Some(code)) if code != 0 => format!("{} {code}", entry.outcome),
        _ => entry.outcome.clone(),
    };
    if entry.halt {
        outcome.push_str(" halt");
    }
    let route = entry.route.as_deref().unwrap_or("-");
    format!(
        "{}  {} {} {} {} {:>6}\n",
        column(&time, 19),
        column(&entry.event, 17),
        column(&entry.hook, 29),
        column(route, 25),
        column(&outcome, 18),
        entry.ms
    )
}

/// A text of exactly this width, with an ellipsis where it is longer. Control characters, which would move the cursor, are
/// blanks.
fn column(text: &str, width: usize) -> String {
    let shown = |text: &str| text.replace(char::is_control, " ");
    match text.char_indices().nth(width) {
        None => format!("{:<width$}", shown(text)),
        Some(_) => {
            let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
            cut.push('…');
            shown(&cut)
        }
    }
}
