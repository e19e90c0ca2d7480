//! The files that are read and written: no link is followed, and what is replaced is a new file.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;

use hookshell_files::at;
use hookshell_files::file_stat::FileStat;
use hookshell_process::Opening;

use super::Work;
use super::hunks::FilePatch;

impl Work<'_, '_> {
    /// Writes the file as it is now.
    pub(super) fn store(
        &mut self,
        patch: &FilePatch,
        name: &[u8],
        new_name: Option<&[u8]>,
        text: &[u8],
        exists: bool,
        mismatch: bool,
    ) -> std::io::Result<()> {
        let command = self.command;
        if command.dry_run {
            return Ok(());
        }
        let target = command.output.or(new_name).unwrap_or(name);
        let path = self.place.path(target);
        let source = self.place.path(name);
        let holder = path.parent().unwrap_or(&path);
        let backs_up = command.backup || mismatch && command.backup_if_mismatch;
        if backs_up && command.output.is_none() && !self.backed_up.iter().any(|known| known == target) {
            let copy = self.place.path(&[target, command.suffix].concat());
            fs::create_dir_all(holder)?;
            if exists {
                let mut original = self.open(&source, Opening::to_read())?;
                let mode = FileStat::of(&original.metadata()?).mode & 0o7777;
                let mut copy = self.replace(&copy, mode, true)?;
                std::io::copy(&mut original, &mut copy)?;
            } else {
                self.replace(&copy, 0o666, false).map(drop)?;
            }
            self.backed_up.push(target.to_vec());
        }
        if text.is_empty() && command.output.is_none() && (patch.deletes || command.removes_empty) {
            if exists {
                fs::remove_file(&source)?;
                self.remove_empty_directories(name);
            }
            return Ok(());
        }
        fs::create_dir_all(holder)?;
        let mut file = if command.output.is_some() {
            // It may be a link, as for any output.
            let appends = std::mem::replace(&mut self.has_output, true);
            self.place.running.open_or_create(&path, appends)?.file()?
        } else if path.symlink_metadata().is_ok() {
            self.has_output = false;
            self.open(&path, Opening { truncate: true, ..Opening::to_write() })?
        } else {
            self.has_output = false;
            let mode = if exists { Some(FileStat::of(&source.symlink_metadata()?).mode & 0o7777) } else { None };
            self.replace(&path, mode.unwrap_or(0o666), mode.is_some())?
        };
        file.write_all(text)?;
        if cfg!(unix)
            && let Some(executable) = patch.is_executable
        {
            let mode = FileStat::of(&file.metadata()?).mode & 0o7777;
            let mode = if executable { mode | (mode & 0o444) >> 2 } else { mode & !0o111 };
            at::set_mode(&file, mode)?;
        }
        if new_name.is_some() && exists && command.output.is_none() {
            fs::remove_file(&source)?;
            self.remove_empty_directories(name);
        }
        Ok(())
    }

    /// Opens a file that no link leads to.
    fn open(&self, path: &Path, opening: Opening) -> std::io::Result<fs::File> {
        self.place.running.opening(Opening { no_follow: true, nonblocking: true, ..opening }).open(path)
    }

    pub(super) fn read(&self, path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
        let mut content = Vec::new();
        let file = self.open(path, Opening::to_read())?;
        if file.take(most.saturating_add(1)).read_to_end(&mut content)? as u64 > most {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        Ok(content)
    }

    /// Makes a new file in the place of what is there, with this mode, or (if that is not `exact`) less the umask.
    pub(super) fn replace(&self, path: &Path, mode: u32, exact: bool) -> std::io::Result<fs::File> {
        let running = self.place.running;
        match fs::remove_file(path) {
            Err(error) if !hookshell_process::is_missing(&error) => return Err(error),
            _ => {}
        }
        let umask = running.context().umask;
        let first = if exact { mode & 0o700 } else { mode & !umask.unwrap_or(0) };
        let file = running.opening(Opening { create_new: true, mode: first, ..Opening::to_write() }).open(path)?;
        // The host's umask may have taken more away.
        if exact || umask.is_some() {
            at::set_mode(&file, if exact { mode } else { first })?;
        }
        Ok(file)
    }

    /// The directories of a file that is gone, as far as nothing else is in them.
    fn remove_empty_directories(&self, name: &[u8]) {
        let mut name = name;
        while let Some(at) = name.iter().rposition(|byte| *byte == b'/') {
            name = name.get(..at).unwrap_or_default();
            if name.is_empty() || fs::remove_dir(self.place.path(name)).is_err() {
                return;
            }
        }
    }
}
