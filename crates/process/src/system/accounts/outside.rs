//! Directory services, where the C library is a part of the program.
//!
//! Such a program must not load the modules that `/etc/nsswitch.conf` names: they belong to a C library of their own, of
//! which only the very version fits. What the files and DNS do not know is asked of getent(1), which loads them.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::{Group, Key, User};

/// Whether this program has no dynamic loader, by which modules could be loaded (`AT_BASE`, getauxval(3)).
fn is_static() -> bool {
    // SAFETY: reads what the kernel gave to the process at its start.
    unsafe { libc::getauxval(libc::AT_BASE) == 0 }
}

/// Tells the C library to look into the files and to ask DNS only, where it could not load more; nothing otherwise, and
/// nothing the second time.
pub(in crate::system) fn keep_modules_out() {
    #[cfg(target_env = "gnu")]
    {
        unsafe extern "C" {
            /// nss.h
            fn __nss_configure_lookup(database: *const libc::c_char, services: *const libc::c_char) -> libc::c_int;
        }
        static DONE: OnceLock<()> = OnceLock::new();
        let configure = || {
            if is_static() {
                for (database, services) in [(c"passwd", c"files"), (c"group", c"files"), (c"hosts", c"files dns")] {
                    // SAFETY: both strings end with a NUL, and the function copies what it keeps.
                    unsafe { __nss_configure_lookup(database.as_ptr(), services.as_ptr()) };
                }
            }
        };
        // A copy of the process must not find it begun.
        if DONE.get().is_none() {
            crate::while_not_copied(|| DONE.get_or_init(configure));
        }
    }
}

pub(super) fn user(key: Key<'_>) -> Option<User> {
    ask("passwd", key).and_then(|line| parse_user(&line)).filter(|user| key.is(&user.name, user.uid))
}

pub(super) fn group(key: Key<'_>) -> Option<Group> {
    ask("group", key).and_then(|line| parse_group(&line)).filter(|group| key.is(&group.name, group.gid))
}

impl Key<'_> {
    /// Whether it leads to an entry: getent takes a name of digits for a number.
    fn is(self, name: &[u8], id: u32) -> bool {
        match self {
            Self::Name(wanted) => wanted == name,
            Self::Id(wanted) => wanted == id,
        }
    }
}

/// The groups that have the user among their members, where the files know them all; `None` if others may be known elsewhere.
pub(in crate::system) fn groups_of(user: &[u8]) -> Option<Vec<u32>> {
    if has_more_services(&std::fs::read("/etc/nsswitch.conf").unwrap_or_default(), "group") {
        return None;
    }
    let text = std::fs::read("/etc/group").ok()?;
    let mut groups = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let [_, _, gid, members] = fields(line)[..] else { continue };
        if members.split(|byte| *byte == b',').any(|member| member == user)
            && let Some(gid) = number(gid)
        {
            groups.push(gid);
        }
    }
    Some(groups)
}

/// The line that getent prints for a key.
fn ask(database: &str, key: Key<'_>) -> Option<Vec<u8>> {
    if !is_static() || !has_more_services(&std::fs::read("/etc/nsswitch.conf").ok()?, database) {
        return None;
    }
    let key = match key {
        Key::Name(name) => std::os::unix::ffi::OsStringExt::from_vec(name.to_vec()),
        Key::Id(id) => std::ffi::OsString::from(id.to_string()),
    };
    let output = ["/usr/bin/getent", "/bin/getent"].into_iter().find_map(|program| {
        let mut command = Command::new(program);
        command.args([database, "--"]).arg(&key).stdin(Stdio::null()).stderr(Stdio::null());
        command.output().ok()
    })?;
    output.status.success().then_some(output.stdout)
}

/// Whether nsswitch.conf(5) names services for a database beside files, and users that systemd makes up while a service runs.
fn has_more_services(configuration: &[u8], database: &str) -> bool {
    let configuration = String::from_utf8_lossy(configuration);
    configuration.lines().filter_map(|line| line.split('#').next()?.split_once(':')).any(|(name, services)| {
        name.trim() == database
            && services
                .split_whitespace()
                .filter(|word| !word.starts_with('['))
                .any(|service| !matches!(service, "files" | "compat" | "systemd" | "altfiles"))
    })
}

fn parse_user(line: &[u8]) -> Option<User> {
    let fields = fields(line);
    let [name, _, uid, gid, _, home, _] = fields.as_slice() else { return None };
    Some(User { name: name.to_vec(), uid: number(uid)?, gid: number(gid)?, home: home.to_vec() })
}

fn parse_group(line: &[u8]) -> Option<Group> {
    let fields = fields(line);
    let [name, _, gid, _] = fields.as_slice() else { return None };
    Some(Group { name: name.to_vec(), gid: number(gid)? })
}

fn fields(line: &[u8]) -> Vec<&[u8]> {
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.split(|byte| *byte == b':').collect()
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_other_services_are_asked_for_what_the_files_do_not_know() {
        for (services, expected) in [
            ("passwd: files\n", false),
            ("passwd:\tfiles systemd # sss\n", false),
            ("passwd: compat [NOTFOUND=return]\n", false),
            ("group: files sss\n", false),
            ("# passwd: ldap\n", false),
            ("", false),
            ("group: files\npasswd: files sss\n", true),
            ("passwd:sss files\n", true),
            ("passwd: files [SUCCESS=merge] ldap\n", true),
        ] {
            assert_eq!(has_more_services(services.as_bytes(), "passwd"), expected, "{services:?}");
        }
    }

    #[test]
    fn entries_are_read_as_getent_prints_them() {
        let user = User { name: b"ann".to_vec(), uid: 1000, gid: 100, home: b"/home/ann".to_vec() };
        assert_eq!(parse_user(b"ann:x:1000:100:Ann,,,:/home/ann:/bin/bash\n"), Some(user));
        let group = Group { name: b"staff".to_vec(), gid: 50 };
        assert_eq!(parse_group(b"staff:*:50:ann,bob\n"), Some(group));
        for line in [&b""[..], b"ann:x:1000\n", b"ann:x:many:100::/:/bin/sh\n", b"ann:x:4294967296:100::/:/bin/sh\n"] {
            assert_eq!(parse_user(line), None);
            assert_eq!(parse_group(line), None);
        }
    }

    #[test]
    fn a_name_of_digits_is_no_number() {
        assert!(Key::Name(b"0").is(b"0", 7));
        assert!(!Key::Name(b"0").is(b"root", 0));
        assert!(Key::Id(0).is(b"root", 0));
    }
}
