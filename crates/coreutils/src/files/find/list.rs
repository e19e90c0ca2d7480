//! `-ls`.

use hookshell_files::file_stat::{BLOCK, CHARACTER, FileStat};
use hookshell_process::{system, text};
use hookshell_utility::zone::Zone;

use super::entry::Entry;
use crate::date::{Moment, format};

/// Half a Gregorian year: older times are shown with the year.
const HALF_YEAR: i64 = 31_556_952 / 2;
const HOUR: i64 = 60 * 60;

/// The line of an entry.
pub(super) fn line(entry: &Entry, stat: &FileStat, zone: &Zone, now: (i64, u32)) -> Vec<u8> {
    let owner = |name: Option<Vec<u8>>, id: u32| match name {
        Some(name) => String::from_utf8_lossy(&name).into_owned(),
        None => id.to_string(),
    };
    let mut out = format!(
        "{:>9} {:>6} {} {:>3} {:<8} {:<8} ",
        stat.inode,
        stat.blocks.div_ceil(2),
        String::from_utf8_lossy(&stat.mode_text()),
        stat.links,
        owner(system::user_name(stat.uid), stat.uid),
        owner(system::group_name(stat.gid), stat.gid),
    )
    .into_bytes();
    let size = if matches!(stat.kind(), BLOCK | CHARACTER) {
        // glibc's encoding.
        let major = ((stat.rdev >> 8) & 0xfff) | ((stat.rdev >> 32) & !0xfff);
        let minor = (stat.rdev & 0xff) | ((stat.rdev >> 12) & !0xff);
        format!("{major:>3}, {minor:>3} ")
    } else {
        format!("{:>8} ", stat.size)
    };
    out.extend_from_slice(size.as_bytes());
    let age = now.0 - stat.modified.0;
    let shape: &[u8] = if (-HOUR..=HALF_YEAR).contains(&age) { b"%b %e %H:%M " } else { b"%b %e  %Y " };
    format(&mut out, shape, &Moment::new(zone, stat.modified.0, stat.modified.1));
    escape(&entry.shown, &mut out);
    if stat.is_link()
        && let Ok(target) = entry.place.read_link()
    {
        out.extend_from_slice(b" -> ");
        escape(&text::from_os(target.as_os_str()), &mut out);
    }
    out.push(b'\n');
    out
}

/// A name with C's escapes for what is not plain ASCII.
fn escape(name: &[u8], out: &mut Vec<u8>) {
    for &byte in name {
        let letter = match byte {
            b'\\' | b' ' | b'"' => byte,
            b'\n' => b'n',
            0x08 => b'b',
            b'\r' => b'r',
            b'\t' => b't',
            0x0c => b'f',
            0x21..0x7f => {
                out.push(byte);
                continue;
            }
            _ => {
                out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', letter]);
    }
}
