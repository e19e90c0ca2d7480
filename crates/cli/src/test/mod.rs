//! `hookshell test`: the fixtures of hooks, run and reported as tests are.

mod junit;
mod pretty;
mod record;
mod tap;

use crate::exit_code::ExitCode;
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum, ValueHint};
use hookshell_runner::{
    FindingCode, FixtureError, FoundFixtures, HookTest, LeftOut, Mismatch, PreparedTest, Verdict, find_fixtures,
    why_unreadable,
};
use serde::Serialize;

use crate::decide::{Decided, decide};
use crate::directories::working_directory;
use crate::failure::{Failure, Sysexit};
use crate::options::DispatchArgs;
use crate::progress::Progress;
use crate::signals::signal_status;
use crate::style::Style;
use crate::{github, output, value_parsers};

pub(crate) const EXAMPLES: &str = r#"A fixture, guard.hooktest.json next to guard.sh:
  { "tool_name": "bash", "cases": [
      { "name": "rm -rf / is refused", "tool_input": { "command": "rm -rf /" },
        "expect": { "decision": "deny", "reason": "^Refusing" } } ] }

Exit codes: 0 all cases passed, 1 a case failed, 2 a fixture cannot be used;
66 if there is no fixture, or the filter matches no case.

Examples:
  hookshell test
  hookshell test .claude/hooks 'rm -rf'
  hookshell test --format junit > results.xml
  hookshell test --json | jq '.cases[] | select(.ok | not)'
  echo '{"tool_name":"bash","tool_input":{}}' | hookshell test --record guard.hooktest.json
  hookshell test --record guard.hooktest.json --from-log 5"#;

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// A directory to search for *.hooktest.json files, or one such file [default: the working directory]
    #[arg(value_hint = ValueHint::AnyPath)]
    path: Option<PathBuf>,
    /// Run only the cases whose file path or name contains this text
    filter: Option<String>,
    /// Print one JSON object: --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = Format::Pretty)]
    format: Format,
    /// Pass over directories that cannot be looked into: HS101, as `hookshell check --ignore` has it
    #[arg(long, value_name = "CODE", hide_possible_values = true, value_parser = value_parsers::code_of_directories())]
    ignore: Vec<FindingCode>,
    /// Show each hook's result, also for cases that passed
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    record: record::RecordArgs,
    #[command(flatten)]
    dispatch: DispatchArgs,
}

/// How the results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines for people
    Pretty,
    /// One JSON object
    Json,
    /// TAP version 14
    Tap,
    /// JUnit's XML
    Junit,
    /// Annotations of GitHub Actions for what failed
    Github,
}

/// A case failed.
const FAILED: u8 = 1;
/// A fixture cannot be read.
const UNREADABLE: u8 = 2;

#[derive(Debug, Default, Serialize)]
struct Report {
    cases: Vec<CaseReport>,
    ok: usize,
    failed: usize,
    /// Cases that the filter left out.
    filtered: usize,
    /// Directories that could not be looked into, which was to be ignored.
    ignored: usize,
    /// What is wrong with the fixtures.
    errors: Vec<ErrorReport>,
}

/// What is wrong with a fixture. In JSON it is the message, which has the place.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct ErrorReport {
    message: String,
    /// The fixture.
    #[serde(skip)]
    file: String,
    /// The line and the column in it, where they are known.
    #[serde(skip)]
    place: Option<(usize, usize)>,
}

impl ErrorReport {
    fn new(file: &str, error: &FixtureError) -> Self {
        let place = error.place().filter(|place| place.file.to_string_lossy() == file);
        Self { message: error.to_string(), file: file.to_owned(), place: place.map(|place| (place.line, place.column)) }
    }
}

#[derive(Debug, Serialize)]
struct CaseReport {
    file: String,
    line: usize,
    name: String,
    ok: bool,
    ms: u64,
    failures: Vec<Mismatch>,
    verdict: Verdict,
    /// Where no hook is for the event: why the hooks for such events are not, a line each.
    #[serde(skip)]
    not_for_it: Vec<String>,
}

impl CaseReport {
    /// What is not as expected, one line for each.
    fn mismatches(&self) -> String {
        let line = |failure: &Mismatch| {
            format!("{}: expected {}, found {}", failure.what, failure.expected, cut(&failure.found))
        };
        self.failures.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// How much of what a hook printed a report shows: more hides the other cases, and annotations and readers of JUnit's XML cut it anyway.
const SHOWN_LIMIT: usize = 8192;

/// The beginning of a text, and how long it is. JSON has all of it.
fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= SHOWN_LIMIT {
        return text.into();
    }
    let beginning = (0..=SHOWN_LIMIT).rev().find_map(|end| text.get(..end)).unwrap_or_default();
    format!("{beginning}… [cut after {SHOWN_LIMIT} of {} bytes: --json has all]", text.len()).into()
}

/// What is printed while the cases run.
struct Printer {
    format: Format,
    style: Style,
    verbose: bool,
    progress: Progress,
}

impl Printer {
    fn line(&mut self, text: &str) -> Result<(), Failure> {
        if self.format == Format::Pretty {
            self.progress.clear();
            output::print(text).map_err(Failure::output)?;
        }
        Ok(())
    }

    fn plain(&mut self, text: &str) -> Result<(), Failure> {
        self.line(&(output::one_line(text) + "\n"))
    }
}

/// Runs the fixtures.
pub(crate) fn main(args: &TestArgs) -> Result<ExitCode, Failure> {
    if let Some(file) = args.record.file() {
        return record::main(file, &args.record, &args.dispatch);
    }
    let path = args.path.as_deref().unwrap_or(Path::new("."));
    let missing = |error| {
        Failure::new(Sysexit::NoInput, "test", format!("{}: {}", path.display(), why_unreadable(&error)))
            .hint("the filter comes after the directory: hookshell test . 'rm -rf'")
    };
    if let Some(fixture) = fixture_of(path) {
        let message = format!("{}: it is no fixture", path.display());
        let hint = format!("its fixture: hookshell test {}", fixture.display());
        return Err(Failure::new(Sysexit::Usage, "test", message).hint(hint));
    }
    let FoundFixtures { files, mut unread, .. } = find_fixtures(&working_directory()?.join(path)).map_err(missing)?;
    let mut report = Report::default();
    if args.ignore.contains(&FindingCode::UnreadableConfig) {
        report.ignored = std::mem::take(&mut unread).len();
    }
    if files.is_empty() && unread.is_empty() {
        return Err(Failure::new(Sysexit::NoInput, "test", format!("{}: it has no *.hooktest.json", path.display()))
            .hint("`hookshell test --help` shows one"));
    }
    let started = Instant::now();
    let format = if args.json { Format::Json } else { args.format };
    let mut fixtures = Vec::new();
    for file in &files {
        fixtures.push(Fixture::load(&shown(file, path)?, args));
    }
    let progress = Progress::new("testing", fixtures.iter().map(Fixture::count).sum());
    let mut printer = Printer { format, style: Style::of_stdout(), verbose: args.verbose, progress };
    for (directory, why) in unread {
        let file = shown(&directory, path)?.display().to_string();
        let message =
            format!("{file}: the fixtures in this directory do not run: {why} [{}]", FindingCode::UnreadableConfig);
        printer.plain(&message)?;
        report.errors.push(ErrorReport { message, file, place: None });
    }
    for fixture in fixtures {
        if let Some(signal) = run_fixture(args, fixture, &mut report, &mut printer)? {
            printer.progress.end();
            return Ok(ExitCode::from(signal_status(signal)));
        }
    }
    printer.progress.clear();
    if let Some(filter) = args.filter.as_ref().filter(|_| report.cases.is_empty() && report.errors.is_empty()) {
        let left_out = report.filtered;
        let message = format!("no case has {filter:?} in its name or file path ({left_out} left out)");
        return Err(Failure::new(Sysexit::NoInput, "test", message));
    }
    let elapsed = started.elapsed();
    match format {
        Format::Json => output::print_json(&report),
        Format::Pretty => output::print(&pretty::summary(&report, elapsed, printer.style)),
        Format::Tap => output::print(&tap::report(&report)),
        Format::Junit => output::print(&junit::report(&report, elapsed)),
        Format::Github => output::print(&annotations(&report, elapsed)),
    }
    .map_err(Failure::output)?;
    Ok(ExitCode::from(match (report.errors.is_empty(), report.failed) {
        (false, _) => UNREADABLE,
        (true, 0) => 0,
        (true, _) => FAILED,
    }))
}

/// The fixture beside a script or a config that stands where a fixture is wanted.
fn fixture_of(path: &Path) -> Option<PathBuf> {
    let is_fixture = path.to_string_lossy().ends_with(".hooktest.json");
    let fixture = path.with_extension("hooktest.json");
    (!is_fixture && path.is_file() && fixture.is_file()).then_some(fixture)
}

/// A fixture's path as messages have it: relative to the working directory where it is below it.
fn shown(file: &Path, given: &Path) -> Result<PathBuf, Failure> {
    if given.is_absolute() {
        return Ok(file.to_owned());
    }
    let cwd = working_directory()?;
    let relative = file.strip_prefix(&cwd).unwrap_or(file);
    Ok(relative.strip_prefix(".").unwrap_or(relative).to_owned())
}

/// A file of cases.
struct Fixture {
    /// Its path, as messages have it.
    title: String,
    /// The cases that are wanted, and how many others there are; or what is wrong with the file.
    cases: Result<(Vec<HookTest>, usize), Vec<FixtureError>>,
}

impl Fixture {
    fn load(file: &Path, args: &TestArgs) -> Self {
        let title = file.display().to_string();
        let is_wanted = |test: &HookTest| {
            args.filter.as_ref().is_none_or(|filter| test.name.contains(filter) || title.contains(filter))
        };
        let cases = HookTest::load(file).map(|tests| {
            let (tests, others): (Vec<_>, Vec<_>) = tests.into_iter().partition(is_wanted);
            (tests, others.len())
        });
        Self { title, cases }
    }

    /// How many cases are to be run.
    fn count(&self) -> usize {
        self.cases.as_ref().map_or(0, |(tests, _)| tests.len())
    }
}

/// Runs a fixture's cases. A signal that came ends it.
fn run_fixture(
    args: &TestArgs,
    Fixture { title, cases }: Fixture,
    report: &mut Report,
    printer: &mut Printer,
) -> Result<Option<i32>, Failure> {
    let (tests, others) = match cases {
        Ok(cases) => cases,
        Err(errors) => {
            unreadable(&title, report, &errors, printer)?;
            return Ok(None);
        }
    };
    let mut told = HashSet::new();
    report.filtered += others;
    if !tests.is_empty() {
        printer.plain(&title)?;
    }
    for test in tests {
        printer.progress.step(&format!("{title}: {}", test.name));
        let prepared = match test.prepare(|builder| builder.dispatcher(args.dispatch.dispatcher())) {
            Ok(prepared) => prepared,
            Err(errors) => {
                unreadable(&title, report, &errors, printer)?;
                continue;
            }
        };
        if let (Some(tool), Some(meant)) = (prepared.event.tool_name(), prepared.tool_instead())
            && !told.contains(tool)
        {
            printer.progress.clear();
            let place = format!("{title}:{}", test.place.line);
            output::note(&format!("warning: {place}: no agent has a tool `{tool}`: did you mean `{meant}`?"));
            told.insert(tool.to_owned());
        }
        let started = Instant::now();
        let verdict = match decide(&prepared.runner, &prepared.event)? {
            Decided::Verdict(verdict, _) => verdict,
            Decided::Signalled(signal) => return Ok(Some(signal)),
        };
        let failures = test.judge(&verdict);
        let ok = failures.is_empty();
        *(if ok { &mut report.ok } else { &mut report.failed }) += 1;
        let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let case = CaseReport {
            file: title.clone(),
            line: test.place.line,
            name: test.name.clone(),
            ok,
            ms,
            failures,
            not_for_it: if verdict.hooks.is_empty() { not_for(&prepared) } else { Vec::new() },
            verdict: *verdict,
        };
        printer.line(&pretty::case(&case, printer.verbose, printer.style))?;
        report.cases.push(case);
    }
    Ok(None)
}

/// Why the hooks for events of this kind are not for this event.
fn not_for(prepared: &PreparedTest) -> Vec<String> {
    let choices = prepared.runner.choices(&prepared.event).into_iter();
    let whys = choices.filter_map(|(hook, why)| Some((hook, why?)));
    let of_its_kind = whys.filter(|(_, why)| !matches!(why, LeftOut::OtherEvent(_)));
    of_its_kind.map(|(hook, why)| format!("{}: it does not run: {why}", hook.display_name())).collect()
}

fn unreadable(file: &str, report: &mut Report, errors: &[FixtureError], printer: &mut Printer) -> Result<(), Failure> {
    for error in errors {
        printer.plain(&error.to_string())?;
        report.errors.push(ErrorReport::new(file, error));
    }
    Ok(())
}

/// What failed as GitHub Actions' annotations, and the counts.
fn annotations(report: &Report, elapsed: Duration) -> String {
    use github::{Level, annotation};

    let failed = report.cases.iter().filter(|case| !case.ok);
    let mut text: String = failed
        .map(|case| annotation(Level::Error, &case.file, Some(case.line), None, &case.name, &case.mismatches()))
        .collect();
    text.extend(report.errors.iter().map(|error| {
        let (line, column) = error.place.unzip();
        annotation(Level::Error, &error.file, line, column, "fixture", &error.message)
    }));
    text.push_str(&pretty::counts(report, elapsed));
    text
}
