//! The `#!` line as the kernel reads it.

/// How many bytes of a file decide what it is: `BINPRM_BUF_SIZE`, the kernel's own limit since
/// Linux 5.1 (128 before).
pub const HEAD_LEN: usize = 256;

/// A `#!` line as the kernel reads it: an interpreter and at most one argument.
///
/// All slices lie inside the head that [`classify`](crate::classify) was given. What the line
/// starts, once `env` is taken into account, says [`Shebang::resolve`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shebang<'a> {
    line: &'a [u8],
    interpreter: &'a [u8],
    argument: Option<&'a [u8]>,
    argument_at: usize,
}

/// The part of a line that the kernel takes, and whether blanks at its end belong to it.
struct Visible<'a> {
    line: &'a [u8],
    trims_end: bool,
}

impl<'a> Shebang<'a> {
    /// The line from its `#!` to its end, blanks included, without the newline (and the CR before
    /// it); up to the first NUL, and to what fits the head. Error positions count from here.
    #[must_use]
    pub fn line(&self) -> &'a [u8] {
        self.line
    }

    /// The interpreter's path as written. Never empty, and not necessarily absolute.
    #[must_use]
    pub fn interpreter(&self) -> &'a [u8] {
        self.interpreter
    }

    /// The one optional argument: all that follows the interpreter, blanks inside it kept.
    ///
    /// It can be empty, and end in blanks: where no newline ends the line the kernel trims nothing,
    /// so that `#!/bin/sh ` at the end of a file passes an empty argument.
    #[must_use]
    pub fn argument(&self) -> Option<&'a [u8]> {
        self.argument
    }

    /// The argument's place in [`Shebang::line`]; the interpreter's end when there is none.
    pub(crate) fn argument_at(&self) -> usize {
        self.argument_at
    }

    /// Whether the interpreter is `env`: the path's last component is `env` or `env.exe`. In a path
    /// with a drive letter or backslashes the case of the letters does not matter.
    #[must_use]
    pub fn is_env(&self) -> bool {
        let name = base_name(self.interpreter);
        if is_windows_path(self.interpreter) {
            name.eq_ignore_ascii_case(b"env") || name.eq_ignore_ascii_case(b"env.exe")
        } else {
            name == b"env" || name == b"env.exe"
        }
    }

    /// The argument vector that the kernel gives the interpreter: its path as `argv[0]`, the
    /// optional argument, the script's path. The script's own arguments follow.
    pub fn kernel_argv(&self, script: &'a [u8]) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        [Some(self.interpreter), self.argument, Some(script)].into_iter().flatten()
    }

    /// Reads the `#!` line at the start of `text`; `None` when there is none that the kernel would
    /// take. Unless `is_whole_file`, `text` ends where the head ends, not where the file does.
    ///
    /// This is `load_script` of Linux, on a buffer that is filled up with NUL when the file is
    /// shorter.
    pub(crate) fn parse(text: &'a [u8], is_whole_file: bool) -> Option<Self> {
        if !text.starts_with(b"#!") {
            return None;
        }
        let Visible { line, trims_end } = visible(text, is_whole_file)?;
        let content = if trims_end { trim_end(line) } else { line };
        let start = next_non_blank(content, 2);
        let end = next_blank(content, start);
        let interpreter = content.get(start..end).filter(|path| !path.is_empty())?;
        let (argument, argument_at) = if end < content.len() {
            let at = next_non_blank(content, end);
            (content.get(at..), at)
        } else {
            (None, end)
        };
        Some(Self { line, interpreter, argument, argument_at })
    }
}

/// What of `text`, which begins with `#!`, is the kernel's to read; `None` when it would refuse the
/// line because the head may have cut the interpreter's path.
fn visible(text: &[u8], is_whole_file: bool) -> Option<Visible<'_>> {
    let capacity = if is_whole_file { HEAD_LEN } else { text.len() };
    let last = capacity.checked_sub(1)?;
    let stop = memchr::memchr2(b'\n', 0, text).unwrap_or(text.len());
    if text.get(stop) == Some(&b'\n') {
        let line = text.get(..stop)?;
        return Some(Visible { line: line.strip_suffix(b"\r").unwrap_or(line), trims_end: true });
    }
    if stop < last {
        // A NUL, or the padding after a short file. The kernel trims at the buffer's end only, so
        // that blanks before the NUL stay.
        return Some(Visible { line: text.get(..stop)?, trims_end: false });
    }
    if stop == capacity {
        // Neither newline nor NUL: a cut argument is acceptable, a cut path is not. The path is
        // whole if anything ends it, even the very last byte.
        let start = next_non_blank(text, 2);
        if next_blank(text, start) == text.len() {
            return None;
        }
    }
    // The buffer's last byte is lost: the kernel writes its terminating NUL there.
    Some(Visible { line: text.get(..last)?, trims_end: true })
}

/// The last component of a path: what is looked up on PATH when the literal path does not exist.
/// A backslash separates components in a path that begins with a drive letter (`C:`) or a
/// backslash, and is an ordinary character in any other, as on Unix. Empty when the path ends in a
/// separator.
#[must_use]
pub fn base_name(path: &[u8]) -> &[u8] {
    let at = if is_windows_path(path) {
        path.iter().rposition(|byte| matches!(byte, b'/' | b'\\' | b':'))
    } else {
        memchr::memrchr(b'/', path)
    };
    at.and_then(|at| path.get(at + 1..)).unwrap_or(path)
}

fn is_windows_path(path: &[u8]) -> bool {
    match path {
        [b'\\', ..] => true,
        [letter, b':', ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The place of the first byte from `from` on that is no blank, or the end.
fn next_non_blank(text: &[u8], from: usize) -> usize {
    let found = text.iter().skip(from).position(|byte| !is_blank(byte));
    found.map_or(text.len(), |offset| from + offset)
}

/// The place of the first blank from `from` on, or the end.
fn next_blank(text: &[u8], from: usize) -> usize {
    let found = text.iter().skip(from).position(is_blank);
    found.map_or(text.len(), |offset| from + offset)
}

fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !is_blank(byte)).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or(text)
}
