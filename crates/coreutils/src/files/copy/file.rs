//! Copies of what is no directory: links, FIFOs and files with their bytes.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};

use hookshell_files::at::{self, Place};
use hookshell_files::attributes;
use hookshell_files::file_stat::{FIFO, FileStat};
use hookshell_process::{Opening, text};
use hookshell_utility::io::Failure;
use hookshell_utility::quote;

use super::{Copier, Instead, Item};

/// How much is copied between two looks at the cancel token.
const BLOCK: usize = 256 * 1024;

impl Copier<'_, '_> {
    pub(super) fn other(&mut self, item: Item<'_>) -> Result<bool, Failure> {
        let Item { destination, to, stat, .. } = item;
        if self.instead != Instead::Copy {
            return self.other_link(item);
        }
        if self.preserve.links && stat.links > 1 && stat.inode != 0 {
            if let Some(first) = self.linked.get(&(stat.device, stat.inode)) {
                if item.exists {
                    let _ = to.remove_file();
                }
                if let Err(error) = to.make_link_to(first) {
                    return self.report_failure("cannot create hard link", destination, &error);
                }
                self.report(item)?;
                return Ok(true);
            }
            self.linked.insert((stat.device, stat.inode), to.clone());
        }
        self.report(item)?;
        // What is in directories may be written over by that of another operand.
        if self.depth == 0 {
            self.made.insert(to.path());
        }
        if stat.is_link() {
            return self.link(item);
        }
        if stat.kind() == FIFO && self.is_recursive {
            return match to.make_fifo(stat.mode & 0o777 & !self.umask) {
                Ok(()) => Ok(true),
                Err(error) => self.report_failure("cannot create fifo", destination, &error),
            };
        }
        self.file(item)
    }

    /// `-l` and `-s`: a link instead of a copy.
    fn other_link(&mut self, item: Item<'_>) -> Result<bool, Failure> {
        let Item { source, destination, from, to, exists, .. } = item;
        let is_symbolic = self.instead == Instead::Symlink;
        // Elsewhere a relative name would lead elsewhere.
        self.report(item)?;
        let is_here = || {
            let holder = to.path().parent().and_then(|holder| holder.canonicalize().ok());
            // What is said where there is no such directory comes later.
            holder.is_none() || holder == self.running.context().cwd.canonicalize().ok()
        };
        if is_symbolic && source.first() != Some(&b'/') && !is_here() {
            return self.fail(&[
                &quote::if_needed(destination),
                b": can make relative symbolic links only in current directory",
            ]);
        }
        if exists && self.force {
            let _ = to.remove_file();
        }
        let made = if is_symbolic {
            to.make_symlink(&text::to_path(source))
        } else if self.follows() && from.lstat().is_ok_and(|stat| stat.is_link()) {
            from.path().canonicalize().and_then(|real| to.make_link_to(&Place::at(real)))
        } else {
            to.make_link_to(from)
        };
        if let Err(error) = made {
            let what: &[u8] = if is_symbolic { b"cannot create symbolic link " } else { b"cannot create hard link " };
            let between: &[u8] = b" to ";
            let name = [what, &quote::always(destination), between, &quote::always(source)].concat();
            self.running.report_error(&name, &error)?;
            return Ok(false);
        }
        if self.depth == 0 {
            self.made.insert(to.path());
        }
        Ok(true)
    }

    fn link(&self, item: Item<'_>) -> Result<bool, Failure> {
        let Item { source, destination, from, to, stat, exists, .. } = item;
        let target = match from.read_link() {
            Ok(target) => target,
            Err(error) => return self.report_failure("cannot read symbolic link", source, &error),
        };
        if exists && let Err(error) = to.remove_file() {
            return self.report_failure("cannot remove", destination, &error);
        }
        if let Err(error) = to.make_symlink(&target) {
            return self.report_failure("cannot create symbolic link", destination, &error);
        }
        if self.preserve.owner {
            to.set_link_owner(stat);
        }
        if self.preserve.times {
            to.set_link_times(stat);
        }
        Ok(true)
    }

    fn file(&self, item: Item<'_>) -> Result<bool, Failure> {
        let Item { source, destination, from, to, stat, exists, .. } = item;
        let opening = Opening { no_follow: !self.follows(), ..Opening::to_read() };
        let mut input = match self.open(from, opening) {
            Ok(input) => input,
            Err(error) => {
                self.running
                    .report_error(&[&b"cannot open "[..], &quote::always(source), b" for reading"].concat(), &error)?;
                return Ok(false);
            }
        };
        if stat.inode != 0
            && !input.metadata().is_ok_and(|now| {
                let now = FileStat::of(&now);
                (now.device, now.inode) == (stat.device, stat.inode)
            })
        {
            let text = [&b"skipping file "[..], &quote::always(source), b", as it was replaced while being copied"];
            return self.fail(&text);
        }
        let mode = stat.mode & 0o7777;
        let wanted = match (self.preserve.mode, self.plain_modes) {
            (true, _) => mode,
            (false, false) => mode & 0o777 & !self.umask,
            (false, true) => 0o666 & !self.umask,
        };
        // Nobody else's until it has its owner.
        let first = if self.preserve.owner { wanted & 0o700 } else { wanted & 0o777 };
        let create =
            || to.open(&self.running.opening(Opening { create_new: true, mode: first, ..Opening::to_write() }));
        let mut created = !exists;
        let mut opened = if destination.is_empty() {
            Err(ErrorKind::NotFound.into())
        } else if destination.ends_with(b"/") && !exists {
            Err(ErrorKind::NotADirectory.into())
        } else if exists {
            self.open(to, Opening { truncate: !self.attributes_only, ..Opening::to_write() })
        } else {
            create()
        };
        if exists && self.force && opened.is_err() && to.remove_file().is_ok() {
            self.removed(destination)?;
            opened = create();
            created = true;
        }
        let mut output = match opened {
            Ok(output) => output,
            Err(error) => return self.report_failure("cannot create regular file", destination, &error),
        };
        if !self.attributes_only && !self.bytes(item, &mut input, &mut output)? {
            return Ok(false);
        }
        if self.preserve.owner {
            at::set_owner(&output, stat);
        }
        if self.preserve.attributes {
            attributes::copy(&input, &output);
        }
        if self.preserve.mode {
            attributes::copy_access(&input, &output);
        }
        if self.preserve.mode || created {
            let _ = at::set_mode(&output, wanted);
        }
        if self.preserve.times { self.set_times(destination, &output, stat) } else { Ok(true) }
    }

    /// Copies what is in a file; says whether all went well.
    fn bytes(&self, item: Item<'_>, input: &mut File, output: &mut File) -> Result<bool, Failure> {
        let Item { source, destination, stat, .. } = item;
        let mut buffer = vec![0; BLOCK.min(usize::try_from(stat.size).unwrap_or(BLOCK).max(4096))];
        loop {
            self.running.check()?;
            match input.read(&mut buffer) {
                Ok(0) => return Ok(true),
                Ok(count) => {
                    if let Err(error) = output.write_all(buffer.get(..count).unwrap_or_default()) {
                        return self.report_failure("error writing", destination, &error);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return self.report_failure("error reading", source, &error),
            }
        }
    }

    /// Opens a file by what its name leads to for the script.
    fn open(&self, place: &Place, opening: Opening) -> io::Result<File> {
        if self.depth == 0 {
            self.running.open_as(&place.path(), opening)
        } else {
            place.open(&self.running.opening(opening))
        }
    }
}
