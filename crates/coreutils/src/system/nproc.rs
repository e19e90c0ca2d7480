//! `nproc`: how many processors there are for this process.

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::{Args, Prepared, Unsupported, Utility, UtilityCall};

/// `nproc [--all] [--ignore=N]` (GNU). OpenMP's variables say what it is without `--all`.
pub(crate) struct Nproc;

const IGNORE: u8 = LONG_ONLY;
const ALL: u8 = LONG_ONLY + 1;
const OPTIONS: &[OptionSpec] = &[value(IGNORE, "ignore"), flag(ALL, "all")];

struct Command {
    ignored: usize,
    /// Also those that this process may not use.
    all: bool,
    /// `OMP_NUM_THREADS`.
    threads: Option<usize>,
    /// `OMP_THREAD_LIMIT`.
    most: usize,
}

fn read(call: &UtilityCall<'_>) -> Result<Command, Unsupported> {
    let argv: &Args = call.argv;
    let parsed = parse(argv, OPTIONS)?;
    if let Some(operand) = parsed.operands.first() {
        return Err(Unsupported::mistake(format!("the operand {}", operand.escape_ascii())));
    }
    let ignored = match parsed.last(IGNORE) {
        None => 0,
        Some(text) => {
            let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            let number = std::str::from_utf8(text).ok().filter(|_| digits).and_then(|text| text.parse().ok());
            number.ok_or_else(|| Unsupported::mistake(format!("the number {}", text.escape_ascii())))?
        }
    };
    let all = parsed.has(ALL);
    let variable = |wanted: &str| {
        let found = call.env.iter().find(|(name, _)| *name == wanted && !all);
        found.and_then(|(_, value)| threads(value.as_encoded_bytes()))
    };
    Ok(Command {
        ignored,
        all,
        threads: variable("OMP_NUM_THREADS"),
        most: variable("OMP_THREAD_LIMIT").unwrap_or(usize::MAX),
    })
}

/// A number of OpenMP's: what follows a comma is for the loops inside, and with anything else it counts for nothing, as 0 does.
fn threads(text: &[u8]) -> Option<usize> {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at_checked(digits)?;
    let rest = rest.trim_ascii_start();
    if number.is_empty() || !(rest.is_empty() || rest.starts_with(b",")) {
        return None;
    }
    let number = std::str::from_utf8(number).ok()?.parse().unwrap_or(usize::MAX);
    (number > 0).then_some(number)
}

impl Utility for Nproc {
    fn name(&self) -> &'static str {
        "nproc"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, run)
    }
}

fn run(running: &Running<'_>, command: Command) -> Result<u8, Failure> {
    let count = match command.threads {
        Some(threads) => threads,
        None if command.all => all_processors(),
        None => processors(),
    };
    let count = count.min(command.most).saturating_sub(command.ignored).max(1);
    running.write(format!("{count}\n").as_bytes())?;
    Ok(0)
}

/// Those that the scheduler may use; a quota of time is not counted.
#[cfg(target_os = "linux")]
fn processors() -> usize {
    match rustix::thread::sched_getaffinity(None) {
        Ok(set) => usize::try_from(set.count()).unwrap_or(1),
        Err(_) => std::thread::available_parallelism().map_or(1, usize::from),
    }
}

#[cfg(not(target_os = "linux"))]
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Those that the system has: in `possible` they are listed as in `0-3,6`.
#[cfg(target_os = "linux")]
fn all_processors() -> usize {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/possible").unwrap_or_default();
    let count = text.trim().split(',').map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(last.parse::<usize>().ok()?.checked_sub(first.parse().ok()?)? + 1)
    });
    count.sum::<Option<usize>>().unwrap_or_else(processors)
}

#[cfg(not(target_os = "linux"))]
fn all_processors() -> usize {
    processors()
}
