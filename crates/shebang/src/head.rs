//! What a file is, by its first bytes.

use crate::shebang::{HEAD_LEN, Shebang};

/// The UTF-8 byte order mark that Windows editors put before the text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a file is, by its first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head<'a> {
    /// A script that names its interpreter.
    Shebang(Shebang<'a>),
    /// Not text: the system's to start.
    Binary(BinaryKind),
    /// Everything else, an empty file too: shell source, maybe after a byte order mark.
    ShellSource,
}

/// Why a file counts as a binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryKind {
    /// `\x7fELF`: Linux and most Unix systems.
    Elf,
    /// A Mach-O magic number, one architecture or several: macOS. (A Java class file shares the
    /// number of the latter.)
    MachO,
    /// `MZ` and a NUL in the head: Windows.
    Pe,
    /// No known format, but a NUL byte in the first line, which no text has.
    Nul,
}

/// Says what a file is, by its first bytes.
///
/// `head` is the file's first [`HEAD_LEN`] bytes; a shorter one is the whole file, so the caller
/// reads until it has that many or the file ends. Bytes past [`HEAD_LEN`] are not looked at.
///
/// A `#!` line that Linux would not take (`ENOEXEC`: no interpreter named, or a path that the
/// head may have cut) is no shebang: as after an `execvp` that failed so, the file is shell source
/// unless its first line has a NUL. Later lines may have one, so that a self-extracting script
/// (shell text, then an archive) stays a script.
#[must_use]
pub fn classify(head: &[u8]) -> Head<'_> {
    let is_whole_file = head.len() < HEAD_LEN;
    let head = head.get(..HEAD_LEN).unwrap_or(head);
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    if let Some(shebang) = Shebang::parse(text, is_whole_file) {
        return Head::Shebang(shebang);
    }
    match BinaryKind::of(head) {
        Some(kind) => Head::Binary(kind),
        None => Head::ShellSource,
    }
}

impl BinaryKind {
    fn of(head: &[u8]) -> Option<Self> {
        let has_nul = || memchr::memchr(0, head).is_some();
        match head {
            [0x7f, b'E', b'L', b'F', ..] => Some(Self::Elf),
            // 32 and 64 bits, in both byte orders; then several architectures in one file.
            [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..]
            | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..]
            | [0xca, 0xfe, 0xba, 0xbe | 0xbf, ..] => Some(Self::MachO),
            // Two letters are no proof: a script may begin `MZ=1`. The 64-byte MZ header of a
            // program that Windows can start always has zeros.
            [b'M', b'Z', ..] if has_nul() => Some(Self::Pe),
            _ => match memchr::memchr2(b'\n', 0, head) {
                Some(at) if head.get(at) == Some(&0) => Some(Self::Nul),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_shebang_is_a_binary_or_shell_source() {
        use BinaryKind::{Elf, MachO, Nul, Pe};
        let cases: &[(&[u8], Head<'_>)] = &[
            (b"", Head::ShellSource),
            (b"\n", Head::ShellSource),
            (b"echo hi\n", Head::ShellSource),
            (b"# !/bin/sh\n", Head::ShellSource),
            (b" #!/bin/sh\n", Head::ShellSource),
            (b"\n#!/bin/sh\n", Head::ShellSource),
            (b"#", Head::ShellSource),
            (b"\xef\xbb\xbf", Head::ShellSource),
            (b"\xef\xbb\xbfecho hi\r\n", Head::ShellSource),
            (b"#!", Head::ShellSource),
            (b"#! \t ", Head::ShellSource),
            (b"#!\necho hi\n", Head::ShellSource),
            (b"#!\r\necho hi\r\n", Head::ShellSource),
            (b"#! \t\r\n", Head::ShellSource),
            (b"#!\0/bin/sh\n", Head::Binary(Nul)),
            (b"#!  \0", Head::Binary(Nul)),
            (b"\0", Head::Binary(Nul)),
            (b"a\0b\n", Head::Binary(Nul)),
            (b"\xff\xfee\0c\0h\0o\0", Head::Binary(Nul)),
            (b"tail -n +3 \"$0\" | tar x; exit\n\0\0", Head::ShellSource),
            (b"\x7fELF\x02\x01\x01", Head::Binary(Elf)),
            (b"\x7fELF", Head::Binary(Elf)),
            (b"\x7fEL", Head::ShellSource),
            (b"\xfe\xed\xfa\xce\n", Head::Binary(MachO)),
            (b"\xfe\xed\xfa\xcf\n", Head::Binary(MachO)),
            (b"\xce\xfa\xed\xfe\n", Head::Binary(MachO)),
            (b"\xcf\xfa\xed\xfe\n", Head::Binary(MachO)),
            (b"\xca\xfe\xba\xbe\n", Head::Binary(MachO)),
            (b"\xca\xfe\xba\xbf\n", Head::Binary(MachO)),
            (b"MZ\x90\0\x03\0\0\0", Head::Binary(Pe)),
            (b"MZqFpD='\n\n\0\x10", Head::Binary(Pe)),
            (b"MZ=1; echo $MZ\n", Head::ShellSource),
            (b"MZ", Head::ShellSource),
        ];
        for (head, expected) in cases {
            assert_eq!(&classify(head), expected, "{}", head.escape_ascii());
        }
    }

    #[test]
    fn bytes_past_the_head_are_not_looked_at() {
        let mut file = vec![b'a'; HEAD_LEN];
        file.push(0);
        assert_eq!(classify(&file), Head::ShellSource);
    }
}
