//! The command line of the test binary: libtest's where `cargo test` uses it, and that of `cargo xtask spec`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hookshell_test_support::requires_programs;

use super::index::Index;
use super::suite::{Report, Verdict, run_all};
use super::{Case, CaseFile, Error, Subject, load, real, record, spec_directory};

/// How many of the slowest cases are named.
const SLOWEST: usize = 5;

/// A case that takes less is not worth naming.
const SLOW: Duration = Duration::from_millis(200);

/// Runs the command line and says whether all went well.
///
/// # Errors
/// The command line, a case file or the output.
pub fn run(arguments: impl Iterator<Item = String>, out: &mut dyn Write) -> Result<bool, Error> {
    let options = Options::parse(arguments)?;
    let directory = spec_directory();
    if let Some(file) = &options.record {
        return record_file(&directory, file, out);
    }
    let files = load(&directory)?;
    let index_path = directory.join("INDEX.md");
    if options.index {
        let index = Index::read(&index_path)?;
        for (name, count) in index.counts(&files) {
            say(out, format_args!("{count:5}  {name}"))?;
        }
        std::fs::write(&index_path, index.updated(&files)).map_err(Error::file(&index_path))?;
        let problems = Index::read(&index_path)?.problems(&files);
        for problem in &problems {
            say(out, format_args!("{problem}"))?;
        }
        return Ok(problems.is_empty());
    }
    let selected: Vec<&Case> =
        files.iter().flat_map(|file| &file.cases).filter(|case| options.selects(&case.name())).collect();
    if options.list {
        for case in selected {
            say(out, format_args!("{}: test", case.name()))?;
        }
        return Ok(true);
    }
    let mut ok = true;
    for subject in &options.subjects {
        ok &= run_subject(subject, &selected, &options, out)?;
    }
    // Part of the whole run only: an author of cases runs his own.
    if options.whole && options.filters.is_empty() {
        ok &= check_index(&index_path, &files, out)?;
    }
    Ok(ok)
}

struct Options {
    subjects: Vec<Subject>,
    filters: Vec<String>,
    skips: Vec<String>,
    exact: bool,
    threads: usize,
    list: bool,
    index: bool,
    record: Option<PathBuf>,
    /// Nothing narrows the run: that of `cargo test`.
    whole: bool,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, Error> {
        let mut options = Self {
            subjects: Vec::new(),
            filters: Vec::new(),
            skips: Vec::new(),
            exact: false,
            threads: 2,
            list: false,
            index: false,
            record: None,
            whole: false,
        };
        let mut names = Vec::new();
        let mut binary = None;
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
                _ => (argument, None),
            };
            let mut value = || {
                let next = value.clone().or_else(|| arguments.next());
                next.ok_or_else(|| Error::Usage(format!("{name} wants a value")))
            };
            match name.as_str() {
                "--against" => names.push(value()?),
                "--binary" => binary = Some(PathBuf::from(value()?)),
                "--record" => options.record = Some(value()?.into()),
                "--index" => options.index = true,
                "--list" => options.list = true,
                "--exact" => options.exact = true,
                "--skip" => options.skips.push(value()?),
                "--test-threads" => {
                    let value = value()?;
                    options.threads =
                        value.parse().map_err(|_| Error::Usage(format!("{value}: not a number of threads")))?;
                }
                // libtest's, without a meaning here: output is not captured, no case is marked as ignored.
                "--color" | "--format" | "--logfile" | "-Z" => drop(value()?),
                "--nocapture" | "--no-capture" | "--show-output" | "--quiet" | "-q" | "--include-ignored"
                | "--ignored" | "--test" => {}
                flag if flag.starts_with('-') => return Err(Error::Usage(format!("{flag}: no such option"))),
                _ => options.filters.push(name),
            }
        }
        options.whole = names.is_empty();
        for name in names {
            match name.as_str() {
                "all" => options.subjects.extend(Subject::STANDARD),
                "hookshell" | "hook" => {
                    let path = binary.clone().or_else(|| std::env::var_os("HOOKSHELL_BINARY").map(PathBuf::from));
                    let path = path.ok_or_else(|| Error::Usage(format!("--against {name} wants --binary PATH")))?;
                    options.subjects.push(match name.as_str() {
                        "hook" => Subject::Hook(path),
                        _ => Subject::Hookshell(path),
                    });
                }
                name => options.subjects.push(Subject::by_name(name).ok_or_else(|| {
                    let known = Subject::STANDARD.map(|subject| subject.to_string()).join(", ");
                    Error::Usage(format!("--against {name}: there are {known}, hookshell, hook and all"))
                })?),
            }
        }
        if options.subjects.is_empty() {
            options.subjects.extend(Subject::STANDARD);
        }
        Ok(options)
    }

    fn selects(&self, name: &str) -> bool {
        let matches = |filter: &String| if self.exact { name == filter } else { name.contains(filter.as_str()) };
        (self.filters.is_empty() || self.filters.iter().any(matches)) && !self.skips.iter().any(matches)
    }
}

fn run_subject(subject: &Subject, cases: &[&Case], options: &Options, out: &mut dyn Write) -> Result<bool, Error> {
    let cases: Vec<&Case> = cases.iter().copied().filter(|case| subject.runs(case)).collect();
    let is_program = !matches!(subject, Subject::InProcess | Subject::InProcessPosix);
    if is_program && real::program(subject).is_none() {
        let fails = match subject {
            Subject::Hookshell(_) | Subject::Hook(_) => true,
            _ => cfg!(unix) && requires_programs(),
        };
        say(out, format_args!("\n{subject} is not installed: its {} cases are skipped", cases.len()))?;
        let (failed, ignored) = if fails { (1, 0) } else { (0, cases.len()) };
        return close(0, failed, ignored, Duration::ZERO, out);
    }
    say(out, format_args!("\nrunning {} cases by {subject}", cases.len()))?;
    let start = Instant::now();
    let reports = run_all(subject, &cases, options.threads);
    let time = start.elapsed();
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for report in &reports {
        match &report.verdict {
            Verdict::Passed => passed += 1,
            Verdict::Failed(why) => {
                failed += 1;
                say(out, format_args!("\nFAILED {subject} {}\n  {}", report.case.name(), report.case.place()))?;
                say(out, format_args!("  {}", why.replace('\n', "\n  ")))?;
            }
            Verdict::Skipped(_) => skipped += 1,
        }
    }
    if skipped > 0 {
        say(out, format_args!("skipped: {}", skips(&reports)))?;
    }
    for report in &reports {
        if let (Some(why), Verdict::Passed) = (&report.at_first, &report.verdict) {
            let why = why.replace('\n', "\n  ");
            say(out, format_args!("passed when run once more: {subject} {}\n  {why}", report.case.name()))?;
        }
    }
    let mut slowest: Vec<&Report<'_>> = reports.iter().filter(|report| report.time >= SLOW).collect();
    slowest.sort_by_key(|report| std::cmp::Reverse(report.time));
    for report in slowest.iter().take(SLOWEST) {
        say(out, format_args!("slow: {:6.2} s  {}", report.time.as_secs_f64(), report.case.name()))?;
    }
    close(passed, failed, skipped, time, out)
}

/// The reasons, each with its number of cases.
fn skips(reports: &[Report<'_>]) -> String {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for report in reports {
        if let Verdict::Skipped(why) = &report.verdict {
            *counts.entry(why).or_default() += 1;
        }
    }
    counts.iter().map(|(why, count)| format!("{count} ({why})")).collect::<Vec<_>>().join(", ")
}

fn check_index(path: &Path, files: &[CaseFile], out: &mut dyn Write) -> Result<bool, Error> {
    say(out, format_args!("\nrunning the check of INDEX.md"))?;
    let problems = Index::read(path)?.problems(files);
    for problem in &problems {
        say(out, format_args!("FAILED {problem}"))?;
    }
    if !problems.is_empty() {
        say(out, format_args!("`cargo xtask spec --index` brings INDEX.md up to date"))?;
    }
    let failed = usize::from(!problems.is_empty());
    close(1 - failed, failed, 0, Duration::ZERO, out)
}

/// The line that libtest ends with, which `cargo xtask test` adds up.
fn close(passed: usize, failed: usize, ignored: usize, time: Duration, out: &mut dyn Write) -> Result<bool, Error> {
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    let time = time.as_secs_f64();
    say(
        out,
        format_args!(
            "test result: {verdict}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; \
             0 filtered out; finished in {time:.2}s"
        ),
    )?;
    Ok(failed == 0)
}

fn record_file(directory: &Path, file: &Path, out: &mut dyn Write) -> Result<bool, Error> {
    // An area's name will do as well.
    let area = directory.join(file).with_extension("spec");
    let path = if area.is_file() { area } else { file.to_path_buf() };
    let path = path.canonicalize().map_err(Error::file(&path))?;
    let directory = directory.canonicalize().map_err(Error::file(directory))?;
    let name = path.strip_prefix(&directory).unwrap_or(&path).with_extension("");
    let count = record::record(&name.to_string_lossy(), &path)?;
    say(out, format_args!("{count} cases recorded: review what bash says"))?;
    Ok(true)
}

fn say(out: &mut dyn Write, text: std::fmt::Arguments<'_>) -> Result<(), Error> {
    // Nobody reads any more: the exit status still says it.
    match writeln!(out, "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::file("stdout")(error)),
        _ => Ok(()),
    }
}
