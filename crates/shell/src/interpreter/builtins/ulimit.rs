//! bash: `ulimit`
//!
//! The limits are those of the host's process, which a guest does not change: what a script sets holds for the programs
//! that it starts, and not for what runs in this process.

use std::sync::Arc;

use hookshell_process::{Resource, ResourceLimit};
use hookshell_syntax::ast::Argument;
use hookshell_utility::Args;

use super::done;
use super::help::invalid_option;
use super::letters::Letters;
use crate::flow::Flow;
use crate::options::Opt;
use crate::shell::Shell;

/// A kind of limit, as `ulimit -a` shows it.
struct Kind {
    letter: u8,
    description: &'static str,
    unit: &'static str,
    factor: u64,
    source: Source,
}

/// Where the value comes from.
#[derive(Clone, Copy)]
enum Source {
    /// The row of `/proc/self/limits` with this name.
    Row(&'static str, Resource),
    /// PIPE_BUF.
    PipeSize,
}

const fn kind(
    letter: u8,
    description: &'static str,
    unit: &'static str,
    factor: u64,
    row: &'static str,
    resource: Resource,
) -> Kind {
    Kind { letter, description, unit, factor, source: Source::Row(row, resource) }
}

/// PIPE_BUF on Linux, in bytes; POSIX promises 512.
const PIPE_BUF: u64 = if cfg!(any(target_os = "linux", target_os = "android")) { 4096 } else { 512 };

/// The kinds in bash's order.
static KINDS: &[Kind] = &[
    kind(b'R', "real-time non-blocking time", "microseconds", 1, "Max realtime timeout", Resource::RealTimeTime),
    kind(b'c', "core file size", "blocks", 1024, "Max core file size", Resource::Core),
    kind(b'd', "data seg size", "kbytes", 1024, "Max data size", Resource::Data),
    kind(b'e', "scheduling priority", "", 1, "Max nice priority", Resource::Nice),
    kind(b'f', "file size", "blocks", 1024, "Max file size", Resource::FileSize),
    kind(b'i', "pending signals", "", 1, "Max pending signals", Resource::PendingSignals),
    kind(b'l', "max locked memory", "kbytes", 1024, "Max locked memory", Resource::LockedMemory),
    kind(b'm', "max memory size", "kbytes", 1024, "Max resident set", Resource::ResidentSet),
    kind(b'n', "open files", "", 1, "Max open files", Resource::OpenFiles),
    Kind { letter: b'p', description: "pipe size", unit: "512 bytes", factor: 512, source: Source::PipeSize },
    kind(b'q', "POSIX message queues", "bytes", 1, "Max msgqueue size", Resource::MessageQueues),
    kind(b'r', "real-time priority", "", 1, "Max realtime priority", Resource::RealTimePriority),
    kind(b's', "stack size", "kbytes", 1024, "Max stack size", Resource::Stack),
    kind(b't', "cpu time", "seconds", 1, "Max cpu time", Resource::CpuTime),
    kind(b'u', "max user processes", "", 1, "Max processes", Resource::Processes),
    kind(b'v', "virtual memory", "kbytes", 1024, "Max address space", Resource::AddressSpace),
    kind(b'x', "file locks", "", 1, "Max file locks", Resource::Locks),
];

/// A limit in the system's units; `None`: unlimited, or not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Limit {
    soft: Option<u64>,
    hard: Option<u64>,
}

/// The row of `/proc/PID/limits` (proc_pid_limits(5)) that begins with `name`.
fn parse_row(limits: &str, name: &str) -> Limit {
    let row = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    let mut values = row.split_ascii_whitespace().map(|word| word.parse().ok());
    Limit { soft: values.next().flatten(), hard: values.next().flatten() }
}

/// What the script has set, or else what this process has.
fn limit(shell: &Shell, limits: &str, kind: &Kind) -> Limit {
    match kind.source {
        Source::Row(name, resource) => {
            match shell.env.inherited.resource_limits.iter().find(|set| set.resource == resource) {
                Some(set) => Limit { soft: set.soft, hard: set.hard },
                None => parse_row(limits, name),
            }
        }
        Source::PipeSize => Limit { soft: Some(PIPE_BUF), hard: Some(PIPE_BUF) },
    }
}

/// What the options ask for.
#[derive(Default)]
struct Request<'a> {
    soft: bool,
    hard: bool,
    all: bool,
    /// Letters of limits, with what each is to be set to.
    commands: Vec<(u8, Option<&'a [u8]>)>,
}

fn request<'a>(shell: &mut Shell, args: &'a Args) -> Result<Request<'a>, u8> {
    let mut request = Request::default();
    let mut letters = Letters::of(args);
    while let Some(letter) = letters.next() {
        match letter {
            b'S' => request.soft = true,
            b'H' => request.hard = true,
            b'a' => request.all = true,
            letter if KINDS.iter().any(|kind| kind.letter == letter) => {
                request.commands.push((letter, letters.optional_value()));
            }
            letter => return Err(invalid_option(shell, b"ulimit", &[b'-', letter])),
        }
    }
    if request.commands.is_empty() {
        request.commands.push((b'f', args.get(letters.operands())));
    }
    Ok(request)
}

/// `ulimit [-SHacdefilmnpqrstuvxR] [limit]`
pub(super) fn ulimit(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"ulimit";
    let request = match request(shell, args) {
        Ok(request) => request,
        Err(status) => return done(status),
    };
    // Elsewhere than on Linux there is no such file, and nothing is known.
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    // POSIX counts blocks of 512 bytes.
    let posix = shell.opt(Opt::Posix);
    let factor = |kind: &Kind| if posix && kind.unit == "blocks" { 512 } else { kind.factor };
    let mut output = Vec::new();
    let show = |shell: &Shell, kind: &Kind, named: bool, output: &mut Vec<u8>| {
        let limit = limit(shell, &limits, kind);
        let value = if request.hard && !request.soft { limit.hard } else { limit.soft };
        if named {
            let unit = if kind.unit.is_empty() { String::new() } else { format!("{}, ", kind.unit) };
            let option = format!("({unit}-{}) ", char::from(kind.letter));
            output.extend_from_slice(format!("{:<20} {option:>20}", kind.description).as_bytes());
        }
        let text = value.map_or_else(|| "unlimited".to_owned(), |value| (value / factor(kind)).to_string());
        output.extend_from_slice(text.as_bytes());
        output.push(b'\n');
    };
    if request.all {
        for kind in KINDS {
            show(shell, kind, true, &mut output);
        }
        return shell.print(NAME, &output);
    }
    let mut failure = None;
    for (letter, value) in &request.commands {
        let Some(kind) = KINDS.iter().find(|kind| kind.letter == *letter) else { continue };
        let Some(value) = value else {
            show(shell, kind, request.commands.len() > 1, &mut output);
            continue;
        };
        let current = limit(shell, &limits, kind);
        let both = request.soft == request.hard;
        let changed = changed(current, factor(kind), value, request.soft || both, request.hard || both);
        match changed.and_then(|next| is_allowed(kind, current, next)) {
            Ok(limit) => set(shell, kind, limit),
            Err(Refusal::Number(what)) => {
                failure = Some([value, &b": "[..], what.as_bytes()].concat());
                break;
            }
            Err(Refusal::Change(why)) => {
                failure = Some(format!("{}: cannot modify limit: {why}", kind.description).into_bytes());
                break;
            }
        }
    }
    // bash does not notice that its standard output is closed here.
    let printed = if shell.env.fds.get(1).is_some() { shell.print(NAME, &output)? } else { 0 };
    match failure {
        Some(message) => {
            shell.builtin_error(NAME, message);
            done(1)
        }
        None => done(printed),
    }
}

/// Notes a limit for the programs to come.
fn set(shell: &mut Shell, kind: &Kind, limit: Limit) {
    let Source::Row(_, resource) = kind.source else { return };
    let set = Arc::make_mut(&mut shell.env.inherited.resource_limits);
    set.retain(|known| known.resource != resource);
    set.push(ResourceLimit { resource, soft: limit.soft, hard: limit.hard });
}

/// Why a limit is not set.
enum Refusal {
    Number(&'static str),
    Change(&'static str),
}

/// What a limit becomes when its soft value, its hard one or both are set; the checks are those of `setrlimit(2)`.
fn changed(current: Limit, factor: u64, value: &[u8], soft: bool, hard: bool) -> Result<Limit, Refusal> {
    let wanted = match value {
        b"hard" => current.hard,
        b"soft" => current.soft,
        b"unlimited" => None,
        digits if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
            let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u64>().ok());
            match number.and_then(|number| number.checked_mul(factor)) {
                Some(number) => Some(number),
                None => return Err(Refusal::Number("limit out of range")),
            }
        }
        _ => return Err(Refusal::Number("invalid number")),
    };
    let next = Limit { soft: if soft { wanted } else { current.soft }, hard: if hard { wanted } else { current.hard } };
    if exceeds(next.soft, next.hard) { Err(Refusal::Change("Invalid argument")) } else { Ok(next) }
}

fn exceeds(value: Option<u64>, bound: Option<u64>) -> bool {
    match (value, bound) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(value), Some(bound)) => value > bound,
    }
}

/// Would the system let this process set the limit?
fn is_allowed(kind: &Kind, current: Limit, next: Limit) -> Result<Limit, Refusal> {
    // What is above this number of files the system refuses to everybody.
    let most_files = || {
        let text = std::fs::read_to_string("/proc/sys/fs/nr_open").ok()?;
        text.trim().parse().ok()
    };
    let is_raised = exceeds(next.hard, current.hard);
    if is_raised && !may_raise() || kind.letter == b'n' && exceeds(next.hard, most_files()) {
        return Err(Refusal::Change("Operation not permitted"));
    }
    Ok(next)
}

/// May this process raise a hard limit? On Linux root may have lost that right, as in most containers.
fn may_raise() -> bool {
    match std::fs::read_to_string("/proc/self/status") {
        Ok(status) => has_capability(&status, CAP_SYS_RESOURCE),
        Err(_) => hookshell_process::system::ids().euid == 0,
    }
}

/// The number of the capability in capabilities(7).
const CAP_SYS_RESOURCE: u32 = 24;

/// Does `/proc/PID/status` name the capability among the effective ones?
fn has_capability(status: &str, capability: u32) -> bool {
    let set = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    set.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).is_some_and(|set| set >> capability & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::{CAP_SYS_RESOURCE, Limit, has_capability, parse_row};

    #[test]
    fn the_right_to_raise_a_limit_is_one_bit_of_the_status() {
        for (status, may) in [
            ("Name:\tx\nCapPrm:\t000001ffffffffff\nCapEff:\t000001fffeffffff\n", false),
            ("CapEff:\t0000000001000000\n", true),
            ("CapEff:\t0000000000000000\n", false),
            ("Name:\tx\n", false),
        ] {
            assert_eq!(has_capability(status, CAP_SYS_RESOURCE), may, "{status}");
        }
    }

    #[test]
    fn rows_are_found_by_their_name() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max cpu time              unlimited            unlimited            seconds   \n\
                      Max open files            1024                 524288               files     \n\
                      Max nice priority         0                    0                    \n";
        for (name, soft, hard) in [
            ("Max cpu time", None, None),
            ("Max open files", Some(1024), Some(524_288)),
            ("Max nice priority", Some(0), Some(0)),
            ("Max core file size", None, None),
        ] {
            assert_eq!(parse_row(limits, name), Limit { soft, hard }, "{name}");
        }
    }
}
