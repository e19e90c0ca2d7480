//! What the system knows of a file, alike on every system.

use std::fs::Metadata;

/// The fields of C's `struct stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileStat {
    /// The device that it is on.
    pub device: u64,
    /// The file's number.
    pub inode: u64,
    /// Type and permissions.
    pub mode: u32,
    /// How many names it has.
    pub links: u64,
    /// Its owner.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// The device that a device file is.
    pub rdev: u64,
    /// In bytes.
    pub size: u64,
    /// The best size to read and write at once.
    pub block_size: u64,
    /// Of 512 bytes.
    pub blocks: u64,
    /// Seconds and nanoseconds since 1970.
    pub accessed: (i64, u32),
    /// Seconds and nanoseconds since 1970.
    pub modified: (i64, u32),
    /// Seconds and nanoseconds since 1970: of the change of what is said here.
    pub changed: (i64, u32),
}

/// The bits of the type.
pub const TYPE: u32 = 0o170_000;
/// A socket.
pub const SOCKET: u32 = 0o140_000;
/// A symbolic link.
pub const LINK: u32 = 0o120_000;
/// A regular file.
pub const REGULAR: u32 = 0o100_000;
/// A block device.
pub const BLOCK: u32 = 0o060_000;
/// A directory.
pub const DIRECTORY: u32 = 0o040_000;
/// A character device.
pub const CHARACTER: u32 = 0o020_000;
/// A named pipe.
pub const FIFO: u32 = 0o010_000;

impl FileStat {
    /// Of what the standard library knows.
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let nanos = |nanos: i64| u32::try_from(nanos).unwrap_or(0);
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            mode: metadata.mode(),
            links: metadata.nlink(),
            uid: metadata.uid(),
            gid: metadata.gid(),
            rdev: metadata.rdev(),
            size: metadata.size(),
            block_size: metadata.blksize(),
            blocks: metadata.blocks(),
            accessed: (metadata.atime(), nanos(metadata.atime_nsec())),
            modified: (metadata.mtime(), nanos(metadata.mtime_nsec())),
            changed: (metadata.ctime(), nanos(metadata.ctime_nsec())),
        }
    }

    /// Of what the system call gave.
    #[cfg(unix)]
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        clippy::cast_lossless,
        clippy::useless_conversion,
        reason = "the fields' types differ between systems"
    )]
    pub(crate) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        Self {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            mode: stat.st_mode as u32,
            links: stat.st_nlink as u64,
            uid: stat.st_uid,
            gid: stat.st_gid,
            rdev: stat.st_rdev as u64,
            size: stat.st_size as u64,
            block_size: stat.st_blksize as u64,
            blocks: stat.st_blocks as u64,
            accessed: (stat.st_atime as i64, stat.st_atime_nsec as u32),
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
        }
    }

    /// Windows has no modes, owners and links that could be told: those of Git Bash's `noacl` mounts.
    #[cfg(not(unix))]
    pub fn of(metadata: &Metadata) -> Self {
        use hookshell_utility::zone::since_epoch;
        let time = |time: std::io::Result<std::time::SystemTime>| time.map_or((0, 0), since_epoch);
        let mode = if metadata.is_symlink() {
            LINK | 0o777
        } else if metadata.is_dir() {
            DIRECTORY | 0o755
        } else if metadata.permissions().readonly() {
            REGULAR | 0o444
        } else {
            REGULAR | 0o644
        };
        let modified = time(metadata.modified());
        Self {
            device: 0,
            inode: 0,
            mode,
            links: 1,
            uid: 1000,
            gid: 1000,
            rdev: 0,
            size: if metadata.is_dir() { 0 } else { metadata.len() },
            block_size: 4096,
            blocks: metadata.len().div_ceil(4096) * 8,
            accessed: time(metadata.accessed()),
            modified,
            changed: modified,
        }
    }

    /// The null device, where the system has no file for it: as Linux shows it.
    pub fn null() -> Self {
        Self {
            device: 0,
            inode: 0,
            mode: CHARACTER | 0o666,
            links: 1,
            uid: 1000,
            gid: 1000,
            rdev: 0x103,
            size: 0,
            block_size: 4096,
            blocks: 0,
            accessed: (0, 0),
            modified: (0, 0),
            changed: (0, 0),
        }
    }

    /// The type's bits of the mode.
    pub fn kind(&self) -> u32 {
        self.mode & TYPE
    }

    /// Is it a directory?
    pub fn is_dir(&self) -> bool {
        self.kind() == DIRECTORY
    }

    /// Is it a symbolic link?
    pub fn is_link(&self) -> bool {
        self.kind() == LINK
    }

    /// As `ls -l` shows type and permissions: ten characters.
    pub fn mode_text(&self) -> [u8; 10] {
        let mode = self.mode;
        let bit = |bit: u32, letter: u8| if mode & bit != 0 { letter } else { b'-' };
        let execute = |bit: u32, special: u32, both: u8, alone: u8| match (mode & bit != 0, mode & special != 0) {
            (true, true) => both,
            (false, true) => alone,
            (true, false) => b'x',
            (false, false) => b'-',
        };
        [
            kind_letter(self.kind()),
            bit(0o400, b'r'),
            bit(0o200, b'w'),
            execute(0o100, 0o4000, b's', b'S'),
            bit(0o040, b'r'),
            bit(0o020, b'w'),
            execute(0o010, 0o2000, b's', b'S'),
            bit(0o004, b'r'),
            bit(0o002, b'w'),
            execute(0o001, 0o1000, b't', b'T'),
        ]
    }
}

/// The letter of `ls -l` for a type.
pub fn kind_letter(kind: u32) -> u8 {
    match kind {
        SOCKET => b's',
        LINK => b'l',
        REGULAR => b'-',
        BLOCK => b'b',
        DIRECTORY => b'd',
        CHARACTER => b'c',
        FIFO => b'p',
        _ => b'?',
    }
}
