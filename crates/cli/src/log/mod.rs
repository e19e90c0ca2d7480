//! `hookshell log`: what the log of hooks' runs has.

mod filter;
mod stats;

use crate::exit_code::ExitCode;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use hookshell_runner::{EventKind, LogEntry, LogFollower};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use self::filter::Filter;
use crate::failure::{Failure, Sysexit};
use crate::hook_log::hook_log;
use crate::output;
use crate::style::Style;

pub(crate) const EXAMPLES: &str = r#"`hookshell run` logs one line for each hook, unless --no-log or HOOKSHELL_LOG=off is given.
Times are local, in JSON UTC.

Examples:
  hookshell log -n 20
  hookshell log --since 2h --outcome deny --tool bash
  hookshell log --stats --since 7d
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
    /// Show only entries of this event. Any agent's name for it works
    #[arg(long, value_name = "EVENT", value_parser = filter::event_parser(), hide_possible_values = true)]
    event: Option<EventKind>,
    /// Show only entries of this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Show only entries with this outcome: one of the table (Decided, TimedOut, …), allow, ask, deny, halt, or failed
    #[arg(long, value_name = "OUTCOME", value_parser = filter::outcome_parser(), hide_possible_values = true)]
    outcome: Option<String>,
    /// Show only entries from this time on: a span (30m, 2h, 7d), a date, or a date with a time
    #[arg(long, value_name = "TIME", value_parser = filter::since)]
    since: Option<Timestamp>,
    /// Show only entries of events in this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    project: Option<PathBuf>,
    /// Show how often each hook ran, denied, halted and failed, and how long it took (over all entries, unless -n is given)
    #[arg(long, conflicts_with = "follow")]
    stats: bool,
    /// Show times in UTC
    #[arg(long)]
    utc: bool,
    /// Show only the last N entries [default: 50; with --json or --stats all; with --follow 10]
    #[arg(short = 'n', long, value_name = "N")]
    lines: Option<usize>,
    /// Print one JSON object for each run
    #[arg(long)]
    json: bool,
}

/// How often a log is looked at that is followed.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

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
    let filter = Filter::new(args, &entries)?;
    entries.retain(|entry| filter.takes(entry));
    let last = args.lines.unwrap_or(match args.follow {
        true => 10,
        false if args.json || args.stats => usize::MAX,
        false => DEFAULT_LINES,
    });
    let left_out = entries.len().saturating_sub(last);
    let entries = entries.split_off(entries.len().saturating_sub(last));
    let style = Style::of_stdout();
    let mut text;
    if args.stats {
        let stats = stats::stats(&entries);
        if args.json {
            return output::print_json(&stats).map(|()| ExitCode::SUCCESS).map_err(Failure::output);
        }
        text = stats::table(&stats, style);
    } else {
        text = if args.json { String::new() } else { HEADING.to_owned() };
        text.extend(entries.iter().map(|entry| line(args, style, entry)));
    }
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
            None if filter.is_set() && last > 0 => {
                format!("no run that is asked for is logged in {}\n", path.display())
            }
            _ => text,
        };
    }
    // Nobody who gave a number wonders.
    if left_out > 0
        && args.lines.is_none()
        && !args.json
        && !args.stats
        && !args.follow
        && std::io::stdout().is_terminal()
    {
        output::note(&format!("log: {left_out} older entries are not shown: -n N shows more"));
    }
    print(&text)?;
    while let Some(follower) = &mut follower {
        std::thread::sleep(POLL_INTERVAL);
        let entries = follower.entries().map_err(unreadable)?;
        let text: String =
            entries.iter().filter(|entry| filter.takes(entry)).map(|entry| line(args, style, entry)).collect();
        print(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(text: &str) -> Result<(), Failure> {
    output::print(text).map_err(Failure::output)
}

/// How many entries the table has unless it is said.
const DEFAULT_LINES: usize = 50;

/// How wide columns are.
mod width {
    pub(super) const TIME: usize = 19;
    pub(super) const EVENT: usize = 17;
    pub(super) const TOOL: usize = 12;
    pub(super) const HOOK: usize = 29;
    pub(super) const ROUTE: usize = 25;
    pub(super) const OUTCOME: usize = 18;
}

/// When it was, as the table has it: local unless UTC is asked for.
fn time(entry: &LogEntry, is_utc: bool) -> String {
    match entry.time.parse::<Timestamp>() {
        Ok(time) => {
            let zone = if is_utc { TimeZone::UTC } else { TimeZone::system() };
            time.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string()
        }
        Err(_) => entry.time.clone(),
    }
}

const HEADING: &str = "TIME                 EVENT             TOOL         HOOK                          ROUTE                     OUTCOME              MS\n";

/// An entry as a row of the table, or as JSON.
fn line(args: &LogArgs, style: Style, entry: &LogEntry) -> String {
    if args.json {
        return serde_json::to_string(entry).map(|line| line + "\n").unwrap_or_default();
    }
    let time = time(entry, args.utc);
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
        "{}  {} {} {} {} {} {:>6}\n",
        column(&time, width::TIME),
        column(&entry.event, width::EVENT),
        column(entry.tool.as_deref().unwrap_or("-"), width::TOOL),
        column(&entry.hook, width::HOOK),
        column(route, width::ROUTE),
        painted(&column(&outcome, width::OUTCOME), style, entry),
        entry.ms
    )
}

/// An outcome in its colour: red stops something, yellow is to be looked at.
fn painted(outcome: &str, style: Style, entry: &LogEntry) -> String {
    match entry.decision.as_deref() {
        _ if entry.halt => style.red(outcome),
        Some("deny") => style.red(outcome),
        Some("ask") => style.yellow(outcome),
        Some("allow") => style.green(outcome),
        _ if filter::is_failure(entry) || entry.outcome == UNTRUSTED => style.yellow(outcome),
        _ => outcome.to_owned(),
    }
}

/// The outcome of a hook that was not run, as the log has it.
const UNTRUSTED: &str = "Untrusted";

/// A text of exactly this width, with an ellipsis where it is longer. What would move the cursor or hide something is a blank.
fn column(text: &str, width: usize) -> String {
    let shown = text.replace(output::is_hidden, " ");
    let mut columns = columns(&shown);
    if columns <= width {
        return shown + &" ".repeat(width - columns);
    }
    let (mut cut, mut end) = (0, 0);
    columns = 0;
    for character in shown.chars() {
        columns += hookshell_text::width::width(character.into());
        if columns >= width {
            break;
        }
        (cut, end) = (columns, end + character.len_utf8());
    }
    let mut text = shown;
    text.truncate(end);
    // A wide character that does not fit leaves a column.
    text + "…" + &" ".repeat(width.saturating_sub(cut + 1))
}

/// How many columns of a terminal a text takes.
fn columns(text: &str) -> usize {
    text.chars().map(|character| hookshell_text::width::width(character.into())).sum()
}

#[cfg(test)]
mod tests {
    use super::{column, columns};

    #[test]
    fn a_column_is_as_wide_as_a_terminal_shows_it() {
        for (text, shown) in [
            ("abc", "abc   "),
            ("abcdef", "abcdef"),
            ("abcdefg", "abcde…"),
            ("", "      "),
            ("検査", "検査  "),
            ("検査官", "検査官"),
            ("検査官x", "検査… "),
            ("x検査官", "x検査…"),
            ("😀😀😀😀", "😀😀… "),
            ("e\u{301}e\u{301}", "e\u{301}e\u{301}    "),
            ("abcde\u{301}fg", "abcde\u{301}…"),
            ("a\tb\u{202e}c", "a b c "),
        ] {
            assert_eq!(column(text, 6), shown, "{text:?}");
            assert_eq!(columns(&column(text, 6)), 6, "{text:?}");
        }
        assert_eq!(column("検", 1), "…");
        assert_eq!(column("検査", 0), "…");
    }
}
