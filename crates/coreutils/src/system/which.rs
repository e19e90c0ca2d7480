//! `which`: where a command is on PATH.

use hookshell_process::{path_list, system, text};
use hookshell_utility::Profile;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, parse_leading};
use hookshell_utility::prepare;
use hookshell_utility::{Args, Prepared, Unsupported, Utility, UtilityCall};

use super::IsBundled;

/// `which [-a] NAME…` (Debian's; macOS's `-s` there): the files, or status 1. A bundled utility that is nowhere on PATH is
/// shown by its name, as `command -v` shows it.
pub(crate) struct Which {
    pub(crate) is_bundled: IsBundled,
}

/// Only macOS's is silent with `-s`.
const OPTIONS: &[OptionSpec] =
    if cfg!(target_os = "macos") { &[flag(b'a', ""), flag(b's', "")] } else { &[flag(b'a', "")] };

fn read(argv: &Args) -> Result<Parsed<'_>, Unsupported> {
    parse_leading(argv, OPTIONS)
}

impl Utility for Which {
    fn name(&self) -> &'static str {
        "which"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(
            Profile::new(self.name()).usage(2),
            call,
            |call| read(call.argv),
            |running, parsed| run(running, parsed, self.is_bundled),
        )
    }
}

fn run(running: &Running<'_>, parsed: Parsed<'_>, is_bundled: IsBundled) -> Result<u8, Failure> {
    let variable = |wanted: &str| {
        let env = running.context().env.iter();
        let found = env
            .map(|(name, value)| (name, value))
            .find(|(name, _)| if cfg!(windows) { name.eq_ignore_ascii_case(wanted) } else { *name == wanted });
        found.map(|(_, value)| text::from_os(value).into_owned()).unwrap_or_default()
    };
    let path = variable("PATH");
    let endings: Vec<Vec<u8>> = if cfg!(windows) {
        let endings = variable("PATHEXT");
        let endings = if endings.is_empty() { b".COM;.EXE;.BAT;.CMD".to_vec() } else { endings };
        endings.split(|byte| *byte == b';').map(<[u8]>::to_ascii_lowercase).chain([Vec::new()]).collect()
    } else {
        vec![Vec::new()]
    };
    let directories = if path.is_empty() { Vec::new() } else { path_list::elements(&path, cfg!(windows)) };
    let is_program = |name: &[u8]| {
        let path = running.path(name);
        path.is_file() && system::access(&path, system::Access::Execute)
    };
    let mut status = if parsed.operands.is_empty() { 1 } else { 0 };
    let mut out = Vec::new();
    for &name in &parsed.operands {
        running.check()?;
        let mut found: Vec<Vec<u8>> = Vec::new();
        let has_slash = name.contains(&b'/') || (cfg!(windows) && name.contains(&b'\\'));
        if has_slash {
            found.extend(is_program(name).then(|| name.to_vec()));
        } else if !name.is_empty() {
            for directory in &directories {
                let directory: &[u8] = if directory.is_empty() { b"." } else { directory };
                let candidates = endings.iter().map(|ending| [directory, b"/", name, ending].concat());
                found.extend(candidates.filter(|candidate| is_program(candidate)).take(1));
                if !found.is_empty() && !parsed.has(b'a') {
                    break;
                }
            }
            if found.is_empty() && is_bundled(name) {
                found.push(name.to_vec());
            }
        }
        if found.is_empty() {
            status = 1;
        }
        for mut file in found {
            if cfg!(windows) {
                // As `command -v` shows it.
                file.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
            }
            out.extend_from_slice(&file);
            out.push(b'\n');
        }
    }
    if !parsed.has(b's') {
        running.write(&out)?;
    }
    Ok(status)
}
