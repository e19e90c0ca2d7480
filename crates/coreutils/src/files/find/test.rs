//! Whether a test holds for an entry.

use std::io;
use std::time::SystemTime;

use hookshell_process::{system, text};
use hookshell_utility::io::{Running, reason};
use hookshell_utility::quote;
use hookshell_utility::zone::{Zone, since_epoch};

use super::Follow;
use super::entry::Entry;
use super::expression::{Comparison, Expression, Node, Owner, PermissionMatch, Reference, Test, Time};
use crate::date::evaluate;
use hookshell_files::file_stat::FileStat;

impl Time {
    pub(super) fn of(self, stat: &FileStat) -> (i64, u32) {
        match self {
            Self::Accessed => stat.accessed,
            Self::Modified => stat.modified,
            Self::Changed => stat.changed,
        }
    }
}

/// Looks up what the expression names: files, dates, users. The message where that is not there.
pub(super) fn resolve(
    running: &Running<'_>,
    expression: &mut Expression<'_>,
    zone: &Zone,
    follow: Follow,
) -> Option<Vec<u8>> {
    let now = since_epoch(SystemTime::now());
    node(running, &mut expression.root, zone, follow, now)
}

fn node(running: &Running<'_>, node_: &mut Node<'_>, zone: &Zone, follow: Follow, now: (i64, u32)) -> Option<Vec<u8>> {
    match node_ {
        Node::Not(inner) => node(running, inner, zone, follow, now),
        Node::And(nodes) | Node::Or(nodes) | Node::List(nodes) => {
            nodes.iter_mut().find_map(|inner| node(running, inner, zone, follow, now))
        }
        Node::Test(test) => resolve_test(running, test, zone, follow, now),
    }
}

fn resolve_test(
    running: &Running<'_>,
    test: &mut Test<'_>,
    zone: &Zone,
    follow: Follow,
    now: (i64, u32),
) -> Option<Vec<u8>> {
    let failed =
        |file: &[u8], error: &io::Error| Some([&quote::locale(file)[..], b": ", reason(error).as_bytes()].concat());
    let stat = |file: &[u8]| -> io::Result<FileStat> {
        if file.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let path = running.path(file);
        let metadata = if follow == Follow::Never {
            path.symlink_metadata()
        } else {
            path.metadata().or_else(|_| path.symlink_metadata())
        };
        metadata.map(|metadata| FileStat::of(&metadata))
    };
    match test {
        Test::Newer(_, reference) => match reference {
            Reference::File(file, time) => match stat(file) {
                Ok(found) => *reference = Reference::Known(time.of(&found)),
                Err(error) => return failed(file, &error),
            },
            Reference::Date(date, written) => match evaluate(date, now, zone) {
                Some(time) => *reference = Reference::Known(time),
                None => {
                    return Some(
                        [&b"I cannot figure out how to interpret "[..], &quote::locale(written), b" as a date or time"]
                            .concat(),
                    );
                }
            },
            Reference::Known(_) => {}
        },
        Test::SameFile(file, id) => match stat(file) {
            Ok(found) => *id = Some((found.device, found.inode)),
            Err(error) => return failed(file, &error),
        },
        Test::User(owner) => match owner {
            Owner::Name(name) => match system::user_ids(name).map(|(id, _)| id).or_else(|| number(name)) {
                Some(id) => *owner = Owner::Id(id),
                None => return Some([&quote::locale(name)[..], b" is not the name of a known user"].concat()),
            },
            Owner::Id(_) => {}
        },
        Test::Group(owner) => match owner {
            Owner::Name(name) => match system::group_id(name).or_else(|| number(name)) {
                Some(id) => *owner = Owner::Id(id),
                None => {
                    return Some([&quote::locale(name)[..], b" is not the name of an existing group"].concat());
                }
            },
            Owner::Id(_) => {}
        },
        _ => {}
    }
    None
}

fn number(text: &[u8]) -> Option<u32> {
    if !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The time that a file's is compared with (findutils' `get_relative_timestamp`): days count from a day ago, so that `-mtime 0` is
/// the last one.
pub(super) fn age_reference(now: (i64, u32), comparison: Comparison, number: f64, unit: u32) -> (i64, u32) {
    const DAY: i64 = 86_400;
    let mut origin = now.0;
    if i64::from(unit) == DAY {
        origin -= DAY;
        if comparison == Comparison::Less {
            origin += DAY - 1;
        }
    }
    let offset = number * f64::from(unit);
    let whole = offset.trunc();
    let nanos = i64::from(now.1) - to_integer((offset - whole) * 1e9);
    let seconds = origin - to_integer(whole) + nanos.div_euclid(1_000_000_000);
    (seconds, u32::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or(0))
}

fn to_integer(value: f64) -> i64 {
    // Numbers of at most twelve digits times a day.
    #[allow(clippy::cast_possible_truncation, reason = "the value is below 2^63 by far")]
    let integer = value as i64;
    integer
}

/// Does a test that asks only what the system knows of the entry hold?
pub(super) fn holds(test: &Test<'_>, entry: &Entry, stat: &FileStat, now: (i64, u32)) -> bool {
    match test {
        Test::Size(count, unit) => count.holds(stat.size.div_ceil(*unit)),
        Test::Permissions(how, modes) => {
            let wanted = if stat.is_dir() { modes[1] } else { modes[0] };
            let mode = stat.mode & 0o7777;
            match how {
                PermissionMatch::Exact => mode == wanted,
                PermissionMatch::All => mode & wanted == wanted,
                PermissionMatch::Any => wanted == 0 || mode & wanted != 0,
            }
        }
        Test::User(Owner::Id(id)) => stat.uid == *id,
        Test::Group(Owner::Id(id)) => stat.gid == *id,
        Test::UserId(count) => count.holds(stat.uid.into()),
        Test::GroupId(count) => count.holds(stat.gid.into()),
        Test::NoUser => system::user_name(stat.uid).is_none(),
        Test::NoGroup => system::group_name(stat.gid).is_none(),
        Test::Links(count) => count.holds(stat.links),
        Test::Inode(count) => count.holds(stat.inode),
        Test::SameFile(_, id) => *id == Some((stat.device, stat.inode)),
        Test::Newer(time, Reference::Known(reference)) => time.of(stat) > *reference,
        Test::Devices(devices) => devices.contains(&stat.device),
        Test::Age(time, comparison, number, unit, day_end) => {
            let reference = age_reference(day_end.unwrap_or(now), *comparison, *number, *unit);
            let time = time.of(stat);
            match comparison {
                Comparison::Less => time > reference,
                Comparison::Greater => time < reference,
                Comparison::Equal => {
                    let delta = time.0 - reference.0;
                    let fraction = i64::from(time.1) - i64::from(reference.1);
                    let after = delta > 0 || (delta == 0 && fraction > 0);
                    let within = delta < i64::from(*unit) || (delta == i64::from(*unit) && fraction <= 0);
                    after && within
                }
            }
        }
        Test::LinkName(pattern) => {
            stat.is_link()
                && entry.place.read_link().is_ok_and(|target| pattern.matches(&text::from_os(target.as_os_str())))
        }
        _ => false,
    }
}
