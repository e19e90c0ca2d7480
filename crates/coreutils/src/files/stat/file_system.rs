//! `stat -f`: what the system knows of the file system of a file.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "the call is refused elsewhere"))]

use std::path::Path;

use super::format::Value;

/// The lines without a format.
pub(super) const FULL: &[u8] =
    b"  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\n\
    Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n";

/// What `-t` shows.
pub(super) const TERSE: &[u8] = b"%n %i %l %t %s %S %b %f %a %c %d\n";

/// What is known of a file system.
pub(super) struct FileSystem {
    id: u64,
    kind: u64,
    name_length: u64,
    block_size: u64,
    fragment_size: u64,
    blocks: u64,
    free: u64,
    available: u64,
    inodes: u64,
    free_inodes: u64,
}

impl FileSystem {
    /// # Errors
    /// The system's.
    #[cfg(target_os = "linux")]
    pub(super) fn of(path: &Path) -> std::io::Result<Self> {
        let found = rustix::fs::statvfs(path)?;
        let kind = rustix::fs::statfs(path)?;
        #[allow(
            clippy::unnecessary_cast,
            clippy::cast_sign_loss,
            clippy::cast_lossless,
            reason = "a number of the kernel's, whose type differs between processors"
        )]
        let (block_size, kind) = (kind.f_bsize as u64, kind.f_type as u64);
        Ok(Self {
            // GNU's has the first of the kernel's two words in front.
            id: found.f_fsid.rotate_left(32),
            kind,
            name_length: found.f_namemax,
            block_size,
            fragment_size: if found.f_frsize == 0 { block_size } else { found.f_frsize },
            blocks: found.f_blocks,
            free: found.f_bfree,
            available: found.f_bavail,
            inodes: found.f_files,
            free_inodes: found.f_ffree,
        })
    }

    /// Not asked for elsewhere: the call is refused before.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn of(_: &Path) -> std::io::Result<Self> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    /// What a letter of a format stands for; `None`: nothing.
    pub(super) fn value(&self, letter: u8, name: &[u8]) -> Option<Value> {
        // As GNU's, which prints some with a sign.
        let signed = |number: u64| Value::Signed(i64::try_from(number).unwrap_or(i64::MAX));
        Some(match letter {
            b'n' => Value::Text(name.to_vec()),
            b'i' => Value::Hexadecimal(self.id),
            b'l' => Value::Unsigned(self.name_length),
            b't' => Value::Hexadecimal(self.kind),
            b'T' => Value::Text(kind_name(self.kind)),
            b'b' => signed(self.blocks),
            b'f' => signed(self.free),
            b'a' => signed(self.available),
            b's' => Value::Unsigned(self.block_size),
            b'S' => Value::Unsigned(self.fragment_size),
            b'c' => Value::Unsigned(self.inodes),
            b'd' => signed(self.free_inodes),
            _ => return None,
        })
    }
}

/// The names of the kinds of file systems (coreutils 9.1, `human_fstype`).
fn kind_name(kind: u64) -> Vec<u8> {
    let name = match kind {
        0x6163_6673 => "acfs",
        0xadf5 => "adfs",
        0xadff => "affs",
        0x5346_414f => "afs",
        0x0904_1934 => "anon-inode FS",
        0x6175_6673 => "aufs",
        0x0187 => "autofs",
        0x4246_5331 => "befs",
        0x6264_6576 => "bdevfs",
        0x1bad_face => "bfs",
        0xcafe_4a11 => "bpf_fs",
        0x4249_4e4d => "binfmt_misc",
        0x9123_683e => "btrfs",
        0x7372_7279 => "btrfs_test",
        0x00c3_6400 => "ceph",
        0x0027_e0eb => "cgroupfs",
        0x6367_7270 => "cgroup2fs",
        0xff53_4d42 => "cifs",
        0x7375_7245 => "coda",
        0x012f_f7b7 => "coh",
        0x6265_6570 => "configfs",
        0x28cd_3d45 => "cramfs",
        0x453d_cd28 => "cramfs-wend",
        0x6462_6720 => "debugfs",
        0x1373 => "devfs",
        0x1cd1 => "devpts",
        0xf15f => "ecryptfs",
        0xde5e_81e4 => "efivarfs",
        0x0041_4a53 => "efs",
        0x5df5 => "exofs",
        0x137d => "ext",
        0xef53 => "ext2/ext3",
        0xef51 => "ext2",
        0x4006 => "fat",
        0x1983_0326 => "fhgfs",
        0x6573_5546 => "fuseblk",
        0x6573_5543 => "fusectl",
        0x0bad_1dea => "futexfs",
        0x0116_1970 => "gfs/gfs2",
        0x4750_4653 => "gpfs",
        0x4244 => "hfs",
        0x482b => "hfs+",
        0x4858 => "hfsx",
        0x00c0_ffee => "hostfs",
        0xf995_e849 => "hpfs",
        0x9584_58f6 => "hugetlbfs",
        0x1130_7854 => "inodefs",
        0x0131_11a8 => "ibrix",
        0x2bad_1dea => "inotifyfs",
        0x9660 => "isofs",
        0x4004 => "isofs",
        0x4000 => "isofs",
        0x07c0 => "jffs",
        0x72b6 => "jffs2",
        0x3153_464a => "jfs",
        0x6b41_4653 => "k-afs",
        0xc97e_8168 => "logfs",
        0x0bd0_0bd0 => "lustre",
        0x5346_314d => "m1fs",
        0x137f => "minix",
        0x138f => "minix (30 char.)",
        0x2468 => "minix v2",
        0x2478 => "minix v2 (30 char.)",
        0x4d5a => "minix3",
        0x1980_0202 => "mqueue",
        0x4d44 => "msdos",
        0x564c => "novell",
        0x6969 => "nfs",
        0x6e66_7364 => "nfsd",
        0x3434 => "nilfs",
        0x6e73_6673 => "nsfs",
        0x5346_544e => "ntfs",
        0x9fa1 => "openprom",
        0x7461_636f => "ocfs2",
        0x794c_7630 => "overlayfs",
        0xaad7_aaea => "panfs",
        0x5049_5045 => "pipefs",
        0xc763_6c61 => "ppc-cmm-fs",
        0x7c7c_6673 => "prl_fs",
        0x9fa0 => "proc",
        0x6165_676c => "pstorefs",
        0x002f => "qnx4",
        0x6819_1122 => "qnx6",
        0x8584_58f6 => "ramfs",
        0x0765_5821 => "rdt",
        0x5265_4973 => "reiserfs",
        0x7275 => "romfs",
        0x6759_6969 => "rpc_pipefs",
        0x5345_434d => "securityfs",
        0xf97c_ff8c => "selinux",
        0x4341_5d53 => "smackfs",
        0x517b => "smb",
        0xfe53_4d42 => "smb2",
        0xbeef_dead => "snfs",
        0x534f_434b => "sockfs",
        0x7371_7368 => "squashfs",
        0x6265_6572 => "sysfs",
        0x012f_f7b6 => "sysv2",
        0x012f_f7b5 => "sysv4",
        0x0102_1994 => "tmpfs",
        0x7472_6163 => "tracefs",
        0x2405_1905 => "ubifs",
        0x1501_3346 => "udf",
        0x0001_1954 => "ufs",
        0x5419_0100 => "ufs",
        0x9fa2 => "usbdevfs",
        0x0102_1997 => "v9fs",
        0x786f_4256 => "vboxsf",
        0xbacb_acbc => "vmhgfs",
        0xa501_fcf5 => "vxfs",
        0x565a_4653 => "vzfs",
        0x5346_4846 => "wslfs",
        0xabba_1974 => "xenfs",
        0x012f_f7b4 => "xenix",
        0x5846_5342 => "xfs",
        0x012f_d16d => "xia",
        0x2fc1_2fc1 => "zfs",
        0x5a4f_4653 => "zonefs",
        other => return format!("UNKNOWN (0x{other:x})").into_bytes(),
    };
    name.as_bytes().to_vec()
}
