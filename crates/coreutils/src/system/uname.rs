//! `uname`: what the system is.

use hookshell_process::{system, text};
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, parse};
use hookshell_utility::prepare;
use hookshell_utility::{Args, Prepared, Unsupported, Utility, UtilityCall};

/// `uname [-asnrvmpio]` (XCU `uname`, GNU's additions).
///
/// Windows: `MINGW64_NT-10.0` and `Msys`, as Git Bash has it, so that scripts know where they are; the release is that of
/// Windows, `10.0.BUILD`. macOS: `-p`, `-i`, `-o` and `-a` are the real program's.
pub(crate) struct Uname;

const OPTIONS: &[OptionSpec] = &[
    flag(b'a', "all"),
    flag(b's', "kernel-name"),
    flag(b's', "sysname"),
    flag(b'n', "nodename"),
    flag(b'r', "kernel-release"),
    flag(b'r', "release"),
    flag(b'v', "kernel-version"),
    flag(b'm', "machine"),
    flag(b'p', "processor"),
    flag(b'i', "hardware-platform"),
    flag(b'o', "operating-system"),
];

fn read(argv: &Args) -> Result<Parsed<'_>, Unsupported> {
    let parsed = parse(argv, OPTIONS)?;
    let refused: &[u8] = if cfg!(any(target_os = "linux", windows)) { b"" } else { b"apio" };
    if let Some(option) = refused.iter().find(|option| parsed.has(**option)) {
        return Err(Unsupported::option(&[b'-', *option]));
    }
    if let Some(operand) = parsed.operands.first() {
        return Err(Unsupported::mistake(format!("the operand {}", operand.escape_ascii())));
    }
    Ok(parsed)
}

impl Utility for Uname {
    fn name(&self) -> &'static str {
        "uname"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, |call| read(call.argv), run)
    }
}

/// Name, release, version, machine, operating system.
#[cfg(unix)]
fn names() -> [Vec<u8>; 5] {
    let uname = rustix::system::uname();
    [
        uname.sysname().to_bytes().to_vec(),
        uname.release().to_bytes().to_vec(),
        uname.version().to_bytes().to_vec(),
        uname.machine().to_bytes().to_vec(),
        b"GNU/Linux".to_vec(),
    ]
}

#[cfg(not(unix))]
fn names() -> [Vec<u8>; 5] {
    const VERSION: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";
    let machine = std::env::consts::ARCH.as_bytes().to_vec();
    let mut release = b"10.0".to_vec();
    if let Some(build) = system::registry_string(false, VERSION, "CurrentBuildNumber") {
        release.push(b'.');
        release.extend_from_slice(&text::from_os(&build));
    }
    [b"MINGW64_NT-10.0".to_vec(), release, b"Windows".to_vec(), machine, b"Msys".to_vec()]
}

/// What `-m` says.
pub(super) fn machine() -> Vec<u8> {
    let [.., machine, _] = names();
    machine
}

fn run(running: &Running<'_>, parsed: Parsed<'_>) -> Result<u8, Failure> {
    let [name, release, version, machine, operating_system] = names();
    let all = parsed.has(b'a');
    let wants = |option: u8| all || parsed.has(option) || (option == b's' && parsed.options.is_empty());
    let hostname = text::from_os(&system::hostname()).into_owned();
    let mut words: Vec<&[u8]> = Vec::new();
    for (option, word) in [(b's', &name), (b'n', &hostname), (b'r', &release), (b'v', &version), (b'm', &machine)] {
        if wants(option) {
            words.push(word);
        }
    }
    // Linux and Git Bash say neither; `-a` leaves them out then.
    for option in [b'p', b'i'] {
        if parsed.has(option) && !all {
            words.push(b"unknown");
        }
    }
    if wants(b'o') {
        words.push(&operating_system);
    }
    running.write(&[&words.join(&b' ')[..], b"\n"].concat())?;
    Ok(0)
}
