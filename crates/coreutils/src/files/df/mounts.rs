//! The mounted file systems of Linux.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use hookshell_process::text;

/// A line of `/proc/self/mountinfo`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) source: Vec<u8>,
    pub(super) kind: Vec<u8>,
    /// What of the file system is mounted.
    root: Vec<u8>,
    pub(super) target: Vec<u8>,
    pub(super) device: u64,
}

/// File systems that hold nothing (gnulib's list).
const DUMMIES: &[&[u8]] = &[
    b"autofs",
    b"proc",
    b"subfs",
    b"debugfs",
    b"devpts",
    b"fusectl",
    b"fuse.portal",
    b"mqueue",
    b"rpc_pipefs",
    b"sysfs",
    b"devfs",
    b"kernfs",
    b"ignore",
];

const REMOTE: &[&[u8]] = &[b"acfs", b"afs", b"coda", b"auristorfs", b"fhgfs", b"gpfs", b"ibrix", b"ocfs2", b"vxfs"];

/// All of them, in the kernel's order.
pub(super) fn all() -> std::io::Result<Vec<Mount>> {
    let text = std::fs::read("/proc/self/mountinfo")?;
    Ok(text.split(|byte| *byte == b'\n').filter_map(Mount::read).collect())
}

impl Mount {
    /// `ID PARENT MAJOR:MINOR ROOT TARGET OPTIONS … - TYPE SOURCE …`
    fn read(line: &[u8]) -> Option<Self> {
        let mut words = line.split(|byte| *byte == b' ');
        let numbers = std::str::from_utf8(words.nth(2)?).ok()?;
        let (major, minor) = numbers.split_once(':')?;
        let (root, target) = (unescaped(words.next()?), unescaped(words.next()?));
        words.find(|word| *word == b"-")?;
        let (kind, source) = (unescaped(words.next()?), unescaped(words.next()?));
        let device = device(major.parse().ok()?, minor.parse().ok()?);
        Some(Self { source, kind, root, target, device })
    }

    pub(super) fn is_dummy(&self) -> bool {
        DUMMIES.contains(&&*self.kind)
    }

    pub(super) fn is_remote(&self) -> bool {
        self.source.contains(&b':')
            || self.source.starts_with(b"//") && matches!(&*self.kind, b"smbfs" | b"smb3" | b"cifs")
            || REMOTE.contains(&&*self.kind)
            || self.source == b"-hosts"
    }
}

/// A device's number in `st_dev` (glibc's `makedev`).
fn device(major: u64, minor: u64) -> u64 {
    (major & 0xfff) << 8 | (major & !0xfff) << 32 | minor & 0xff | (minor & !0xff) << 12
}

/// Without the octal escapes of blanks and backslashes.
fn unescaped(word: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((&byte, after)) = rest.split_first() {
        let octal = |byte: u8| (b'0'..=b'7').contains(&byte).then(|| byte - b'0');
        rest = after;
        if byte == b'\\'
            && let [a, b, c, after @ ..] = rest
            && let (Some(a @ 0..=3), Some(b), Some(c)) = (octal(*a), octal(*b), octal(*c))
        {
            text.push(a << 6 | b << 3 | c);
            rest = after;
            continue;
        }
        text.push(byte);
    }
    text
}

/// The device that a directory is on.
fn device_of(directory: &[u8]) -> Option<u64> {
    std::fs::metadata(Path::new(&text::to_os(directory))).ok().map(|metadata| metadata.dev())
}

/// The one that a file is on: that with the longest name on the way to it.
pub(super) fn of_file<'m>(mounts: &'m [Mount], resolved: &[u8], device: u64) -> Option<&'m Mount> {
    let holds = |mount: &&Mount| {
        let target = &*mount.target;
        target == b"/" || resolved.strip_prefix(target).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    // The last of several of the same length is the one that is seen.
    let best = mounts.iter().filter(holds).max_by_key(|mount| mount.target.len());
    let best = best.filter(|mount| device_of(&mount.target) == Some(device));
    best.or_else(|| mounts.iter().rev().find(|mount| mount.device == device))
}

/// Those to be listed: one of each device.
pub(super) fn listed(mounts: Vec<Mount>, is_chosen: impl Fn(&Mount) -> bool, total: bool) -> Vec<Mount> {
    let mut list: Vec<(u64, Mount)> = Vec::new();
    for mount in mounts {
        let device = match is_chosen(&mount) {
            true => device_of(&mount.target).unwrap_or(mount.device),
            false => mount.device,
        };
        let Some(at) = list.iter().rposition(|(own, _)| *own == device) else {
            list.push((device, mount));
            continue;
        };
        let Some((_, known)) = list.get(at) else { continue };
        let is_path = |mount: &Mount| mount.source.contains(&b'/');
        let is_nearer = known.target.len() > mount.target.len();
        let is_part = known.root.len() < mount.root.len();
        if !total && mount.is_remote() && known.is_remote() && known.source != mount.source {
            list.push((device, mount));
        } else if is_path(&mount) && !is_path(known)
            || is_nearer && !is_part
            || known.source != mount.source && known.target == mount.target
        {
            list.remove(at);
            list.push((device, mount));
        }
    }
    list.into_iter().map(|(_, mount)| mount).filter(|mount| is_chosen(mount)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Mount, device};

    #[test]
    fn lines_of_the_kernel_are_read() {
        let line = br"36 35 98:3 /mnt1 /mnt\0402 rw,noatime master:1 - ext3 /dev/root rw,errors=continue";
        let expected = Mount {
            source: b"/dev/root".to_vec(),
            kind: b"ext3".to_vec(),
            root: b"/mnt1".to_vec(),
            target: b"/mnt 2".to_vec(),
            device: device(98, 3),
        };
        assert_eq!(Mount::read(line), Some(expected));
        assert_eq!(device(98, 3), 98 << 8 | 3);
        assert_eq!(Mount::read(b"36 35"), None);
    }
}
