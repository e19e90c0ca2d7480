//! `id`: the user and the groups of the process.

use hookshell_process::system;
use hookshell_shell::{Args, Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use super::whoami::user_name;
use crate::io::{Failure, Running};
use crate::options::{OptionSpec, Parsed, flag, parse};
use crate::quote;

/// `id`, `id -u|-g|-G [-n] [-r] [-z]` (XCU `id`, GNU's additions), of the process itself, and `id -u|-g [-n] USER`: more of other
/// users is for the real program. On Windows a user has the name of whom USERNAME names, and `id` alone is refused.
pub(crate) struct Id;

const OPTIONS: &[OptionSpec] = &[
    flag(b'u', "user"),
    flag(b'g', "group"),
    flag(b'G', "groups"),
    flag(b'n', "name"),
    flag(b'r', "real"),
    flag(b'z', "zero"),
];

fn read(argv: &Args) -> Result<Parsed<'_>, Unsupported> {
    let parsed = parse(argv, OPTIONS)?;
    if let Some(operand) = parsed.operands.first()
        && (cfg!(windows) || parsed.operands.len() > 1 || !(parsed.has(b'u') || parsed.has(b'g')))
    {
        return Err(Unsupported::new(format!("the user {}", operand.escape_ascii())));
    }
    let kinds = [b'u', b'g', b'G'].iter().filter(|kind| parsed.has(**kind)).count();
    let is_plain = !parsed.has(b'n') && !parsed.has(b'r') && !parsed.has(b'z');
    if kinds > 1 || (kinds == 0 && !is_plain) {
        return Err(Unsupported::new("these options together"));
    }
    // Where there is SELinux, the context is shown too.
    if kinds == 0 && (cfg!(windows) || std::path::Path::new("/sys/fs/selinux/enforce").exists()) {
        return Err(Unsupported::new("this system"));
    }
    Ok(parsed)
}

impl Utility for Id {
    fn name(&self) -> &'static str {
        "id"
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        read(call.argv).map(drop)
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(self.name(), context, |call| read(call.argv), run)
    }
}

fn run(running: &Running<'_>, parsed: Parsed<'_>) -> Result<u8, Failure> {
    let mut ids = system::ids();
    if let Some(user) = parsed.operands.first() {
        let Some((uid, gid)) = ids_of(user) else {
            running.message(&[&quote::locale(user), &b": no such user"[..]].concat())?;
            return Ok(1);
        };
        ids = system::Ids { uid, euid: uid, gid, egid: gid };
    }
    let end: &[u8] = if parsed.has(b'z') { b"\0" } else { b"\n" };
    let real = parsed.has(b'r');
    let mut status = 0;
    let mut named = |id: u32, name: Option<Vec<u8>>, kind: &str| -> Result<Vec<u8>, Failure> {
        if !parsed.has(b'n') {
            return Ok(id.to_string().into_bytes());
        }
        match name {
            Some(name) => Ok(name),
            None => {
                running.message(format!("cannot find name for {kind} ID {id}").as_bytes())?;
                status = 1;
                Ok(id.to_string().into_bytes())
            }
        }
    };
    let out = if parsed.has(b'u') {
        let id = if real { ids.uid } else { ids.euid };
        named(id, user_name(running, id), "user")?
    } else if parsed.has(b'g') {
        let id = if real { ids.gid } else { ids.egid };
        named(id, system::group_name(id), "group")?
    } else if parsed.has(b'G') {
        let mut words = Vec::new();
        for id in group_list() {
            words.push(named(id, system::group_name(id), "group")?);
        }
        words.join(if parsed.has(b'z') { &0 } else { &b' ' })
    } else {
        full(&ids)
    };
    running.write(&[&out[..], end].concat())?;
    Ok(status)
}

/// The user and the login group of a name, or of a number where there is no such name.
fn ids_of(user: &[u8]) -> Option<(u32, u32)> {
    system::user_ids(user).or_else(|| {
        let id = std::str::from_utf8(user).ok()?.trim_start_matches('+').parse().ok()?;
        system::user_ids(&system::user_name(id)?)
    })
}

/// The groups as `id -G` has them: the real one, the effective one, the others.
pub(super) fn group_list() -> Vec<u32> {
    let ids = system::ids();
    let mut groups = vec![ids.gid];
    if ids.egid != ids.gid {
        groups.push(ids.egid);
    }
    groups.extend(system::group_ids().into_iter().filter(|id| *id != ids.gid && *id != ids.egid));
    groups
}

/// `uid=0(root) gid=0(root) groups=0(root)`
fn full(ids: &system::Ids) -> Vec<u8> {
    let with_name = |id: u32, name: Option<Vec<u8>>| {
        let mut text = id.to_string().into_bytes();
        if let Some(name) = name {
            text = [&text[..], b"(", &name, b")"].concat();
        }
        text
    };
    let user = |id: u32| with_name(id, system::user_name(id));
    let group = |id: u32| with_name(id, system::group_name(id));
    let mut out = [&b"uid="[..], &user(ids.uid), b" gid=", &group(ids.gid)].concat();
    if ids.euid != ids.uid {
        out = [&out[..], b" euid=", &user(ids.euid)].concat();
    }
    if ids.egid != ids.gid {
        out = [&out[..], b" egid=", &group(ids.egid)].concat();
    }
    // The effective one first, and no other twice.
    let more = system::group_ids().into_iter().filter(|id| *id != ids.egid);
    let groups: Vec<Vec<u8>> = std::iter::once(ids.egid).chain(more).map(group).collect();
    [&out[..], b" groups=", &groups.join(&b',')].concat()
}
