//! The options of `read`.

use std::time::Duration;

use hookshell_text::integer;
use hookshell_utility::Args;

use crate::interpreter::builtins::help::invalid_option;
use crate::interpreter::builtins::letters::Letters;
use crate::shell::Shell;

/// What `read` was asked for.
#[derive(Default)]
pub(super) struct Request {
    /// `-r`: a backslash is a character as any other.
    pub(super) raw: bool,
    /// `-a`
    pub(super) array: Option<Vec<u8>>,
    /// `-d`, or a newline; none with `-N`.
    pub(super) delimiter: Option<u8>,
    /// `-n`: characters.
    pub(super) most: Option<usize>,
    /// `-N`: characters.
    pub(super) exactly: Option<usize>,
    /// `-u`
    pub(super) fd: u32,
    /// `-t`
    pub(super) timeout: Option<Duration>,
    /// `-p`
    pub(super) prompt: Option<Vec<u8>>,
}

impl Request {
    /// What ends a line, where a line is asked for and neither characters nor the time are counted.
    pub(super) fn line_delimiter(&self) -> Option<u8> {
        let counts = self.most.is_some() || self.exactly.is_some() || self.timeout.is_some();
        self.delimiter.filter(|_| !counts)
    }
}

/// The options, and where the names begin. What is no option of `read` has been reported; that is its status.
pub(super) fn request(shell: &mut Shell, args: &Args) -> Result<(Request, usize), u8> {
    let mut request = Request { delimiter: Some(b'\n'), ..Request::default() };
    let mut letters = Letters::of(args);
    while let Some(letter) = letters.next() {
        match letter {
            b'r' => request.raw = true,
            // Without a terminal there is nothing to hide and no line editor.
            b's' | b'e' => {}
            b'a' | b'd' | b'i' | b'n' | b'N' | b'p' | b't' | b'u' => {
                let value = letters.value(shell, letter)?.to_vec();
                let invalid = |shell: &mut Shell, what: &[u8]| {
                    shell.builtin_error(b"read", [&*value, b": ", what].concat());
                    1
                };
                let number = integer::parse_integer(&value).and_then(|n| usize::try_from(n).ok());
                match letter {
                    b'a' => request.array = Some(value),
                    b'd' => request.delimiter = Some(value.first().copied().unwrap_or(0)),
                    b'n' | b'N' => {
                        let Some(count) = number else { return Err(invalid(shell, b"invalid number")) };
                        if letter == b'n' {
                            request.most = Some(count);
                        } else {
                            request.exactly = Some(count);
                            request.delimiter = None;
                        }
                    }
                    b'p' => request.prompt = Some(value),
                    b't' => {
                        let Some(seconds) = seconds(&value) else {
                            return Err(invalid(shell, b"invalid timeout specification"));
                        };
                        request.timeout = Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
                    }
                    b'u' => {
                        let fd = number.and_then(|n| u32::try_from(n).ok());
                        let Some(fd) = fd else {
                            return Err(invalid(shell, b"invalid file descriptor specification"));
                        };
                        request.fd = fd;
                    }
                    _ => {}
                }
            }
            other => return Err(invalid_option(shell, b"read", &[b'-', other])),
        }
    }
    Ok((request, letters.operands()))
}

/// A number of seconds: digits with at most one point (bash's `uconvert`).
fn seconds(text: &[u8]) -> Option<f64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    if !text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') {
        return None;
    }
    match text {
        b"" | b"." => Some(0.0),
        _ => std::str::from_utf8(text).ok()?.parse().ok(),
    }
}
