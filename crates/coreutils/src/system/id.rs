//! `id`: the user and the groups of the process.

use hookshell_process::system;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, parse};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Args, Prepared, Unsupported, Utility, UtilityCall};

use super::whoami::user_name;

/// `id [USER]…`, `id -u|-g|-G [-n] [-r] [-z] [USER]…` (XCU `id`, GNU's additions). On Windows a user has the name of whom USERNAME names,
/// and `id` alone is refused.
pub(crate) struct Id;

const OPTIONS: &[OptionSpec] = &[
    // For other systems' sake.
    flag(b'a', ""),
    flag(b'u', "user"),
    flag(b'g', "group"),
    flag(b'G', "groups"),
    flag(b'n', "name"),
    flag(b'r', "real"),
    flag(b'z', "zero"),
];

fn read(argv: &Args) -> Result<Parsed<'_>, Unsupported> {
    let parsed = parse(argv, OPTIONS)?;
    // Only the login group of others is known everywhere.
    let is_simple = parsed.has(b'u') || parsed.has(b'g');
    for operand in &parsed.operands {
        if cfg!(windows) || !is_simple && !are_groups_known(operand) {
            return Err(Unsupported::new(format!("the user {}", operand.escape_ascii())));
        }
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

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, |call| read(call.argv), run)
    }
}

/// Whose groups are shown.
struct Whose {
    ids: system::Ids,
    /// The groups: the real one, the effective one, the others. As `id` alone shows them, the effective one comes first.
    groups: Vec<u32>,
    shown: Vec<u32>,
}

fn own() -> Whose {
    let ids = system::ids();
    let more = system::group_ids().into_iter().filter(|id| *id != ids.egid);
    let shown = std::iter::once(ids.egid).chain(more).collect();
    Whose { ids, groups: group_list(), shown }
}

fn of(user: &[u8]) -> Option<Whose> {
    let (uid, gid) = ids_of(user)?;
    let groups = groups_of(uid, gid);
    Some(Whose { ids: system::Ids { uid, euid: uid, gid, egid: gid }, groups: groups.clone(), shown: groups })
}

fn run(running: &Running<'_>, parsed: Parsed<'_>) -> Result<u8, Failure> {
    if parsed.operands.is_empty() {
        return print(running, &parsed, &own());
    }
    let mut status = 0;
    for user in &parsed.operands {
        match of(user) {
            Some(whose) => status |= print(running, &parsed, &whose)?,
            None => {
                let reason: &[u8] = if user.is_empty() { b": No such file or directory" } else { b"" };
                running.message(&[&quote::locale(user), &b": no such user"[..], reason].concat())?;
                status = 1;
            }
        }
    }
    Ok(status)
}

fn print(running: &Running<'_>, parsed: &Parsed<'_>, whose: &Whose) -> Result<u8, Failure> {
    let ids = &whose.ids;
    let several = parsed.operands.len() > 1;
    let end: &[u8] = match (parsed.has(b'z'), several && parsed.has(b'G')) {
        (true, true) => b"\0\0",
        (true, false) => b"\0",
        (false, _) => b"\n",
    };
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
        for &id in &whose.groups {
            words.push(named(id, system::group_name(id), "group")?);
        }
        words.join(if parsed.has(b'z') { &0 } else { &b' ' })
    } else {
        full(whose)
    };
    running.write(&[&out[..], end].concat())?;
    Ok(status)
}

/// Can all groups of a user be told? Of one that is not there, too.
pub(super) fn are_groups_known(user: &[u8]) -> bool {
    system::groups_of(user).is_some()
}

/// The groups of a user with this login group, which is the first.
pub(super) fn groups_of(uid: u32, gid: u32) -> Vec<u32> {
    let name = system::user_name(uid).unwrap_or_default();
    let mut groups = vec![gid];
    groups.extend(system::groups_of(&name).unwrap_or_default().into_iter().filter(|id| *id != gid));
    groups
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
fn full(whose: &Whose) -> Vec<u8> {
    let ids = &whose.ids;
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
    let groups: Vec<Vec<u8>> = whose.shown.iter().copied().map(group).collect();
    [&out[..], b" groups=", &groups.join(&b',')].concat()
}
