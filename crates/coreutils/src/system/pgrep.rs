//! `pgrep` and `pkill`: processes by their names.

use std::path::Path;

use hookshell_process::{signals, system};
use hookshell_regex::{Builder, Regex, Subject, Syntax};
use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::{Args, Unsupported, UtilityCall};
use hookshell_utility::{Prepared, Profile, Utility, prepare_yielding};

/// `pgrep [-acfilnovx] [-d TEXT] [-g GROUP] [-P PARENT] [-s SESSION] [-u USER] [-U USER] [PATTERN]` (procps), from Linux's `/proc`.
///
/// The real one does it wherever there is one, since it knows all systems. This process is never among those that are found: it is
/// the guest's host.
pub(crate) struct Pgrep;

/// `pkill [-SIGNAL] [-cefinox] … [PATTERN]` (procps): the same processes get a signal. In a host that serves several scripts those
/// of the run alone, as from `kill`.
pub(crate) struct Pkill;

const SIGNAL: u8 = LONG_ONLY;

/// Which processes.
const SELECTING: &[OptionSpec] = &[
    flag(b'c', "count"),
    flag(b'f', "full"),
    flag(b'i', "ignore-case"),
    flag(b'n', "newest"),
    flag(b'o', "oldest"),
    flag(b'x', "exact"),
    value(b'g', "pgroup"),
    value(b'P', "parent"),
    value(b's', "session"),
    value(b'u', "euid"),
    value(b'U', "uid"),
];

const LISTING: &[OptionSpec] =
    &[flag(b'a', "list-full"), flag(b'l', "list-name"), flag(b'v', "inverse"), value(b'd', "delimiter")];

const KILLING: &[OptionSpec] = &[flag(b'e', "echo"), value(SIGNAL, "signal")];

/// What procps gives when the call is wrong.
const WRONG: u8 = 2;

/// The length that Linux cuts names of processes to.
const NAME: usize = 15;

/// What a process has to be.
struct Selection {
    pattern: Option<Vec<u8>>,
    is_full: bool,
    is_exact: bool,
    ignores_case: bool,
    is_inverse: bool,
    groups: Option<Vec<u32>>,
    parents: Option<Vec<u32>>,
    sessions: Option<Vec<u32>>,
    effective_users: Option<Vec<u32>>,
    users: Option<Vec<u32>>,
    which: Which,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    Newest,
    Oldest,
}

/// What happens to those that were found.
enum Purpose {
    List { separator: Vec<u8>, with_name: bool, with_line: bool, counts: bool },
    Signal { number: i32, echoes: bool, counts: bool },
}

/// The call as it was read; what is wrong with it is said when it runs.
struct Command {
    purpose: Purpose,
    selection: Result<Selection, Wrong>,
}

/// What is wrong, and whether the help is named.
struct Wrong(String, bool);

impl Utility for Pgrep {
    fn name(&self) -> &'static str {
        "pgrep"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare_yielding(Profile::new(self.name()).usage(WRONG), call, read_listing, |_| true, run)
    }
}

impl Utility for Pkill {
    fn name(&self) -> &'static str {
        "pkill"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare_yielding(Profile::new(self.name()).usage(WRONG), call, read_killing, |_| true, run)
    }
}

fn is_supported() -> Result<(), Unsupported> {
    if cfg!(target_os = "linux") { Ok(()) } else { Err(Unsupported::new("this system")) }
}

fn read_listing(call: &UtilityCall<'_>) -> Result<Command, Unsupported> {
    is_supported()?;
    let parsed = parse(call.argv, &[SELECTING, LISTING].concat())?;
    let purpose = Purpose::List {
        separator: parsed.last(b'd').unwrap_or(b"\n").to_vec(),
        with_name: parsed.has(b'l'),
        with_line: parsed.has(b'a'),
        counts: parsed.has(b'c'),
    };
    Ok(Command { purpose, selection: selection(&parsed)? })
}

fn read_killing(call: &UtilityCall<'_>) -> Result<Command, Unsupported> {
    is_supported()?;
    let mut words = Args::new();
    let mut number = signals::number("TERM").unwrap_or(15);
    for (index, word) in call.argv.iter().enumerate() {
        // `-9` and `-HUP` stand for a signal; a word of options is none.
        match word.strip_prefix(b"-").filter(|_| index > 0).and_then(signal) {
            Some(given) => number = given,
            None => words.push(word),
        }
    }
    let parsed = parse(&words, &[SELECTING, KILLING].concat())?;
    if let Some(name) = parsed.last(SIGNAL) {
        number = signal(name).ok_or_else(|| Unsupported::mistake(format!("the signal {}", name.escape_ascii())))?;
    }
    let purpose = Purpose::Signal { number, echoes: parsed.has(b'e'), counts: parsed.has(b'c') };
    Ok(Command { purpose, selection: selection(&parsed)? })
}

/// A signal by its number, or its name in capital letters.
fn signal(text: &[u8]) -> Option<i32> {
    if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        let number = std::str::from_utf8(text).ok()?.parse().ok()?;
        return (number == 0 || signals::name(number).is_some()).then_some(number);
    }
    if text.len() < 3 || !text.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) {
        return None;
    }
    signals::number(std::str::from_utf8(text).ok()?)
}

fn selection(parsed: &Parsed<'_>) -> Result<Result<Selection, Wrong>, Unsupported> {
    if parsed.has(b'n') && parsed.has(b'o') {
        return Err(Unsupported::mistake("-n with -o"));
    }
    if parsed.operands.len() > 1 {
        return Ok(Err(Wrong("only one pattern can be provided".to_owned(), true)));
    }
    let criteria = b"gPsuU".iter().any(|letter| parsed.has(*letter));
    if !criteria && parsed.operands.is_empty() {
        return Ok(Err(Wrong("no matching criteria specified".to_owned(), true)));
    }
    // procps: the caller's own, which is the host's here. To the system 0 is what its own threads are in.
    let is_own = |text: &[u8]| process_number(text).is_ok_and(|number| number == 0);
    if b"gs"
        .iter()
        .filter_map(|letter| parsed.last(*letter))
        .flat_map(|text| text.split(|byte| *byte == b','))
        .any(is_own)
    {
        return Err(Unsupported::new("-g or -s with 0"));
    }
    let list = |letter: u8, number: fn(&[u8]) -> Result<u32, Wrong>| {
        parsed.last(letter).map(|text| text.split(|byte| *byte == b',').map(number).collect()).transpose()
    };
    let read = || -> Result<Selection, Wrong> {
        Ok(Selection {
            pattern: parsed.operands.first().map(|pattern| pattern.to_vec()),
            is_full: parsed.has(b'f'),
            is_exact: parsed.has(b'x'),
            ignores_case: parsed.has(b'i'),
            is_inverse: parsed.has(b'v'),
            groups: list(b'g', process_number)?,
            parents: list(b'P', process_number)?,
            sessions: list(b's', process_number)?,
            effective_users: list(b'u', user_number)?,
            users: list(b'U', user_number)?,
            which: match (parsed.has(b'n'), parsed.has(b'o')) {
                (true, _) => Which::Newest,
                (_, true) => Which::Oldest,
                _ => Which::All,
            },
        })
    };
    Ok(read())
}

fn process_number(text: &[u8]) -> Result<u32, Wrong> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| Wrong(format!("not a number: {}", String::from_utf8_lossy(text)), false))
}

fn user_number(text: &[u8]) -> Result<u32, Wrong> {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    let number = number.or_else(|| system::user_ids(text).map(|(uid, _)| uid));
    number.ok_or_else(|| Wrong(format!("invalid user name: {}", String::from_utf8_lossy(text)), false))
}

/// One process.
struct Process {
    id: u32,
    name: Vec<u8>,
    /// Its words with blanks between them, or its name where it has none.
    line: Vec<u8>,
    parent: u32,
    group: u32,
    session: u32,
    started: u64,
    user: u32,
    effective_user: u32,
}

fn run(running: &Running<'_>, command: Command) -> Result<u8, Failure> {
    let selection = match command.selection {
        Ok(selection) => selection,
        Err(Wrong(text, names_help)) => {
            running.message(text.as_bytes())?;
            if names_help && let Some(stderr) = running.context().stderr() {
                let hint = format!("Try `{} --help' for more information.\n", running.name());
                // A message that cannot be written is lost, as any.
                let _ = stderr.write_all(hint.as_bytes(), running.interrupt());
            }
            return Ok(WRONG);
        }
    };
    let regex = match selection.pattern.as_deref().map(|pattern| compile(pattern, &selection)) {
        None => None,
        Some(Ok(regex)) => Some(regex),
        Some(Err(())) => {
            running.message(b"regex error: Invalid regular expression")?;
            return Ok(WRONG);
        }
    };
    let is_long = selection.pattern.as_ref().is_some_and(|pattern| pattern.len() > NAME);
    let is_plain = selection.pattern.iter().flatten().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte));
    if is_long && is_plain && !selection.is_full {
        running
            .message(b"pattern that searches for process name longer than 15 characters will result in zero matches")?;
        if let Some(stderr) = running.context().stderr() {
            let hint = format!("Try `{} -f' option to match against the complete command line.\n", running.name());
            // As above.
            let _ = stderr.write_all(hint.as_bytes(), running.interrupt());
        }
        return Ok(1);
    }
    let mut found = Vec::new();
    for id in ids() {
        running.check()?;
        if let Some(process) = look(id)
            && is_selected(&process, &selection, regex.as_ref())
        {
            found.push(process);
        }
    }
    match selection.which {
        Which::All => {}
        Which::Newest => {
            found = found.into_iter().max_by_key(|process| (process.started, process.id)).into_iter().collect()
        }
        Which::Oldest => {
            found = found.into_iter().min_by_key(|process| (process.started, process.id)).into_iter().collect()
        }
    }
    match command.purpose {
        Purpose::List { separator, with_name, with_line, counts } => {
            if counts {
                running.write(format!("{}\n", found.len()).as_bytes())?;
            } else if !found.is_empty() {
                let shown: Vec<_> = found.iter().map(|process| shown(process, with_name, with_line)).collect();
                running.write(&[&shown.join(&separator[..])[..], b"\n"].concat())?;
            }
        }
        Purpose::Signal { number, echoes, counts } => {
            let mut sent = 0_usize;
            for process in &found {
                match running.context().commands.signal(process.id, number) {
                    Ok(()) => {
                        sent += 1;
                        if echoes {
                            let text = format!(" killed (pid {})\n", process.id);
                            running.write(&[&process.name[..], text.as_bytes()].concat())?;
                        }
                    }
                    // It has ended meanwhile.
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound || error.raw_os_error() == Some(3) => {}
                    Err(error) => {
                        running.message(format!("killing pid {} failed: {}", process.id, reason(&error)).as_bytes())?;
                    }
                }
            }
            if counts {
                running.write(format!("{}\n", found.len()).as_bytes())?;
            }
            return Ok(u8::from(sent == 0));
        }
    }
    Ok(u8::from(found.is_empty()))
}

fn compile(pattern: &[u8], selection: &Selection) -> Result<Regex, ()> {
    let pattern = if selection.is_exact { [b"^(", pattern, b")$"].concat() } else { pattern.to_vec() };
    Builder::new(Syntax::Extended).ignore_case(selection.ignores_case).build(&pattern).map_err(|_| ())
}

fn is_selected(process: &Process, selection: &Selection, regex: Option<&Regex>) -> bool {
    let among = |list: &Option<Vec<u32>>, id: u32| list.as_ref().is_none_or(|list| list.contains(&id));
    let subject = if selection.is_full { &process.line } else { &process.name };
    let fits = regex.is_none_or(|regex| regex.is_match(&Subject::new(subject)).unwrap_or(false));
    let fits = fits
        && among(&selection.groups, process.group)
        && among(&selection.sessions, process.session)
        && among(&selection.parents, process.parent)
        && among(&selection.users, process.user)
        && among(&selection.effective_users, process.effective_user);
    fits != selection.is_inverse
}

fn shown(process: &Process, with_name: bool, with_line: bool) -> Vec<u8> {
    let id = process.id.to_string().into_bytes();
    match (with_line, with_name) {
        (true, _) => [&id[..], b" ", &process.line].concat(),
        (_, true) => [&id[..], b" ", &process.name].concat(),
        _ => id,
    }
}

/// The numbers of all processes but this one, ascending.
fn ids() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut ids: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    ids.retain(|id| *id != std::process::id());
    ids.sort_unstable();
    ids
}

/// `None`: it has ended.
fn look(id: u32) -> Option<Process> {
    let directory = Path::new("/proc").join(id.to_string());
    let stat = std::fs::read(directory.join("stat")).ok()?;
    // The name stands in parentheses and may have some itself.
    let open = stat.iter().position(|byte| *byte == b'(')?;
    let close = stat.iter().rposition(|byte| *byte == b')')?;
    let name = stat.get(open + 1..close)?.to_vec();
    let fields: Vec<&str> = std::str::from_utf8(stat.get(close + 1..)?).ok()?.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let id_at = |index: usize| u32::try_from(number(index)?).ok();
    let status = std::fs::read_to_string(directory.join("status")).ok()?;
    let users = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    let mut users = users.split_ascii_whitespace().map_while(|text| text.parse::<u32>().ok());
    let words = std::fs::read(directory.join("cmdline")).unwrap_or_default();
    let line: Vec<u8> =
        words.strip_suffix(b"\0").unwrap_or(&words).iter().map(|byte| if *byte == 0 { b' ' } else { *byte }).collect();
    Some(Process {
        id,
        line: if line.is_empty() { name.clone() } else { line },
        name,
        parent: id_at(1)?,
        group: id_at(2)?,
        session: id_at(3)?,
        started: number(19)?,
        user: users.next()?,
        effective_user: users.next()?,
    })
}
