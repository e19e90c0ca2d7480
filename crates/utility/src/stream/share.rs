//! What a child inherits of a stream: memory becomes an object of the system.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hookshell_process::{FileKind, start_thread};

use super::read::READ_AHEAD;
use super::{Memory, OsFile, Stream, open_null};

/// How much a new pipe takes without a reader on every system that we run on; more goes through a file.
const PIPE_ROOM: usize = if cfg!(target_os = "linux") { 64 * 1024 } else { 4096 };

impl Stream {
    /// The OS object for a child to inherit, made now if the stream is still in memory; large input goes through an
    /// unnamed file in `temp_dir` where the system has none without a name.
    ///
    /// # Errors
    /// As the system says (no more descriptors, temporary directory not writable).
    pub fn share(&self, temp_dir: &Path) -> io::Result<Arc<File>> {
        self.share_by(temp_dir, feed)
    }

    /// [`Self::share`] with somebody who makes a pipe that first gives what was read ahead, and then what comes from the file.
    pub fn share_by(
        &self,
        temp_dir: &Path,
        feed: impl FnOnce(Vec<u8>, &Arc<File>) -> io::Result<Arc<File>>,
    ) -> io::Result<Arc<File>> {
        // From now on others read it as well: nothing is read ahead that cannot be given back.
        self.private.store(false, Ordering::Release);
        if let Some(os) = self.os() {
            self.give_back(os);
            return self.share_unread(os, feed);
        }
        let memory = self.memory();
        if let Some(os) = self.os() {
            return Ok(os.file.clone());
        }
        let file = match &*memory {
            Memory::Null | Memory::ReadAhead { .. } => open_null()?,
            Memory::Input { data, position } => input_file(&data[*position..], temp_dir)?,
            Memory::Capture(state) => state.promote()?,
        };
        let kind = FileKind::of(&file);
        let os = OsFile { file: Arc::new(file), kind };
        let file = os.file.clone();
        let _ = self.os.set(os);
        drop(memory);
        // What was unread is in the OS object now.
        let mut memory = self.memory();
        if matches!(&*memory, Memory::Input { .. }) {
            *memory = Memory::ReadAhead { data: Vec::new(), position: 0 };
        }
        Ok(file)
    }

    /// The OS object, with what was read ahead of it and cannot be given back: a pipe takes its place that gives that
    /// first, to this stream as well.
    fn share_unread(
        &self,
        os: &OsFile,
        feed: impl FnOnce(Vec<u8>, &Arc<File>) -> io::Result<Arc<File>>,
    ) -> io::Result<Arc<File>> {
        if let Memory::ReadAhead { data, position } = &mut *self.memory()
            && *position < data.len()
            && self.relay.get().is_none()
        {
            let file = feed(data[*position..].to_vec(), &os.file)?;
            data.clear();
            *position = 0;
            let kind = FileKind::of(&file);
            let _ = self.relay.set(OsFile { file: file.clone(), kind });
            return Ok(file);
        }
        Ok(self.os().map_or_else(|| os.file.clone(), |os| os.file.clone()))
    }
}

/// A pipe that first gives `left` and then everything that comes from `rest`. The thread ends when either side does.
pub fn feed(left: Vec<u8>, rest: &Arc<File>) -> io::Result<Arc<File>> {
    let (reader, mut writer) = hookshell_process::pipe()?;
    let rest = rest.clone();
    start_thread("hookshell-feed", 64 * 1024, move || {
        hookshell_process::block_sigpipe_on_this_thread();
        if writer.write_all(&left).is_ok() {
            let mut buffer = vec![0; READ_AHEAD];
            while let Ok(count) = (&*rest).read(&mut buffer) {
                if count == 0 || writer.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
        }
    })?;
    Ok(Arc::new(reader))
}

fn input_file(data: &[u8], temp_dir: &Path) -> io::Result<File> {
    if data.len() <= PIPE_ROOM {
        let (reader, mut writer) = hookshell_process::pipe()?;
        writer.write_all(data)?;
        return Ok(reader);
    }
    let mut file = hookshell_process::anonymous_file(temp_dir)?;
    file.write_all(data)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}
