//! `nproc`: how many processors there are for this process.

use hookshell_shell::{Args, Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use crate::io::{Failure, Running};
use crate::options::{LONG_ONLY, OptionSpec, parse, value};

/// `nproc [--ignore=N]` (GNU). With OpenMP's variables in the environment the real program decides.
pub(crate) struct Nproc;

const IGNORE: u8 = LONG_ONLY;
const OPTIONS: &[OptionSpec] = &[value(IGNORE, "ignore")];

fn read(call: &UtilityCall<'_>) -> Result<usize, Unsupported> {
    let argv: &Args = call.argv;
    let parsed = parse(argv, OPTIONS)?;
    if let Some(operand) = parsed.operands.first() {
        return Err(Unsupported::mistake(format!("the operand {}", operand.escape_ascii())));
    }
    if call.env.iter().any(|(name, _)| name == "OMP_NUM_THREADS" || name == "OMP_THREAD_LIMIT") {
        return Err(Unsupported::new("OMP_NUM_THREADS"));
    }
    match parsed.last(IGNORE) {
        None => Ok(0),
        Some(text) => {
            let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            let number = std::str::from_utf8(text).ok().filter(|_| digits).and_then(|text| text.parse().ok());
            number.ok_or_else(|| Unsupported::mistake(format!("the number {}", text.escape_ascii())))
        }
    }
}

impl Utility for Nproc {
    fn name(&self) -> &'static str {
        "nproc"
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        read(call).map(drop)
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(self.name(), context, read, run)
    }
}

fn run(running: &Running<'_>, ignored: usize) -> Result<u8, Failure> {
    let count = processors().saturating_sub(ignored).max(1);
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
