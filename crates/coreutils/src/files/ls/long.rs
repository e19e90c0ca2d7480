//! The long format.

use hookshell_files::file_stat::{BLOCK, CHARACTER, FileStat};
use hookshell_process::system;

use super::color::put_linked;
use super::options::{AUTHOR, Marks};
use super::{Entry, Failure, Listing};
use crate::date::{Moment, format};

/// Half a Gregorian year: older times are shown with the year.
const HALF_YEAR: i64 = 31_556_952 / 2;

/// The numbers of a device file.
fn device(stat: &FileStat) -> Option<(u64, u64)> {
    if !matches!(stat.kind(), BLOCK | CHARACTER) {
        return None;
    }
    // glibc's encoding.
    let rdev = stat.rdev;
    let major = ((rdev >> 8) & 0xfff) | ((rdev >> 32) & !0xfff);
    let minor = (rdev & 0xff) | ((rdev >> 12) & !0xff);
    Some((major, minor))
}

/// The columns of a line.
struct Line {
    inode: String,
    blocks: String,
    links: String,
    owner: String,
    group: String,
    context: String,
    size: String,
    numbers: Option<(String, String)>,
}

impl Listing<'_, '_> {
    pub(super) fn print_long(&mut self, entries: &[Entry], beside: &[Entry]) -> Result<(), Failure> {
        let mut names = Names::default();
        let columns: Vec<Line> = entries.iter().chain(beside).map(|entry| self.line(entry, &mut names)).collect();
        let width = |of: fn(&Line) -> &str| columns.iter().map(|line| of(line).chars().count()).max().unwrap_or(0);
        let inode = width(|line| &line.inode);
        let blocks = width(|line| &line.blocks);
        let links = width(|line| &line.links);
        let owner = width(|line| &line.owner);
        let group = width(|line| &line.group);
        let context = width(|line| &line.context);
        let major = width(|line| line.numbers.as_ref().map_or("", |numbers| &numbers.0));
        let minor = width(|line| line.numbers.as_ref().map_or("", |numbers| &numbers.1));
        let mut size = width(|line| &line.size);
        let has_devices = columns.iter().any(|line| line.numbers.is_some());
        if has_devices {
            size = size.max(major + 2 + minor);
        }
        let aligns = self.are_some_quoted(entries, beside);
        let (has_inode, has_blocks) = (self.has(b'i'), self.command.has_blocks);
        let has_owner = !self.has(b'g');
        let has_group = !self.has(b'o') && !self.has(b'G');
        for (entry, values) in entries.iter().zip(&columns) {
            let mut out = String::new();
            if has_inode {
                out.push_str(&format!("{:>inode$} ", values.inode));
            }
            if has_blocks {
                out.push_str(&format!("{:>blocks$} ", values.blocks));
            }
            let mode = entry.stat.mode_text();
            out.push_str(&String::from_utf8_lossy(mode.get(..1).filter(|_| !entry.is_known).unwrap_or(&mode)));
            if !entry.is_known {
                out.push_str("?????????");
            }
            out.push_str(&format!(" {:>links$} ", values.links));
            if has_owner {
                out.push_str(&format!("{:<owner$} ", values.owner));
            }
            if has_group {
                out.push_str(&format!("{:<group$} ", values.group));
            }
            if self.has(AUTHOR) {
                out.push_str(&format!("{:<owner$} ", values.owner));
            }
            if self.has(b'Z') {
                out.push_str(&format!("{:<context$} ", values.context));
            }
            match &values.numbers {
                Some((first, second)) => {
                    let first_width = major + (size - (major + 2 + minor));
                    out.push_str(&format!("{first:>first_width$}, {second:>minor$} "));
                }
                None => out.push_str(&format!("{:>size$} ", values.size)),
            }
            let mut line = Vec::new();
            if let Some(colors) = &mut self.colors {
                colors.start(&mut line);
            }
            // Where the first visible byte stands.
            let hidden = line.len();
            line.extend_from_slice(out.as_bytes());
            let time = self.time(entry);
            let start = line.len();
            let recent = time > (self.now.0 - HALF_YEAR, self.now.1) && time <= self.now;
            let shape = if recent { &self.command.formats.1 } else { &self.command.formats.0 };
            format(&mut line, shape, &Moment::new(&self.command.zone, time.0, time.1));
            if !entry.is_known {
                // As wide as the first moment of the epoch.
                let width = line.len() - start;
                line.truncate(start);
                line.extend_from_slice(format!("{:>width$}", "?").as_bytes());
            }
            line.push(b' ');
            let column = line.len() - hidden;
            let name = self.shown_name(&entry.name);
            if aligns && name == entry.name {
                line.push(b' ');
            }
            self.put_name(entry, false, &name, column, &mut line);
            match &entry.target {
                Some((target, leads_to)) => {
                    line.extend_from_slice(b" -> ");
                    let target = self.shown_name(target);
                    self.put_name(entry, true, &target, column + name.len() + 4, &mut line);
                    // `-p` marks no targets.
                    if let Some(stat) = leads_to
                        && self.command.marks != Marks::Slash
                    {
                        line.extend_from_slice(self.mark(stat));
                    }
                }
                None if entry.is_known => line.extend_from_slice(self.mark(&entry.stat)),
                None => {}
            }
            line.push(self.command.end);
            self.output.push(&line)?;
        }
        Ok(())
    }

    /// The name at a column, in its colour.
    fn put_name(&mut self, entry: &Entry, is_target: bool, name: &[u8], column: usize, out: &mut Vec<u8>) {
        let address = entry.address.as_deref();
        match &mut self.colors {
            None => put_linked(name, address, out),
            Some(colors) => {
                let color = colors.color(entry, is_target);
                colors.name((name, address), color.as_ref(), column, self.command.width, out);
            }
        }
    }

    fn line(&self, entry: &Entry, names: &mut Names) -> Line {
        let stat = &entry.stat;
        let numeric = self.has(b'n');
        let known = |text| entry.or_unknown(text);
        Line {
            inode: entry.inode(),
            blocks: known(self.command.block_unit.show(stat.blocks * 512)),
            links: known(stat.links.to_string()),
            owner: known(if numeric { stat.uid.to_string() } else { names.user(stat.uid) }),
            group: known(if numeric { stat.gid.to_string() } else { names.group(stat.gid) }),
            context: String::from_utf8_lossy(&entry.context).into_owned(),
            size: if device(stat).is_some() { String::new() } else { known(self.command.size_unit.show(stat.size)) },
            numbers: device(stat).map(|(major, minor)| (major.to_string(), minor.to_string())),
        }
    }
}

/// The names of owners, each looked up once.
#[derive(Default)]
struct Names {
    users: Vec<(u32, String)>,
    groups: Vec<(u32, String)>,
}

impl Names {
    fn user(&mut self, id: u32) -> String {
        Self::find(&mut self.users, id, system::user_name)
    }

    fn group(&mut self, id: u32) -> String {
        Self::find(&mut self.groups, id, system::group_name)
    }

    fn find(known: &mut Vec<(u32, String)>, id: u32, look_up: fn(u32) -> Option<Vec<u8>>) -> String {
        if let Some((_, name)) = known.iter().find(|(known, _)| *known == id) {
            return name.clone();
        }
        let name = look_up(id).and_then(|name| String::from_utf8(name).ok()).unwrap_or_else(|| id.to_string());
        known.push((id, name.clone()));
        name
    }
}
