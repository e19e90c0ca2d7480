//! The `echo` utility (POSIX XCU echo, with the XSI escapes) as bash has it.

use super::escape::{digits, push_unicode, simple};

/// What the leading option words of `echo` say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EchoOptions {
    /// No newline at the end (`-n`).
    pub no_newline: bool,
    /// Backslash escapes are interpreted (`-e`, `-E`, `xpg_echo`).
    pub escapes: bool,
}

/// Reads the leading options. A word counts only when it consists of the letters `neE`. With `xpg_echo` escapes are
/// on from the start; in posix mode with `xpg_echo` there are no options at all. Returns how many words they are.
#[must_use]
pub fn options(arguments: &[&[u8]], xpg_echo: bool, posix: bool) -> (EchoOptions, usize) {
    let mut options = EchoOptions { no_newline: false, escapes: xpg_echo };
    if xpg_echo && posix {
        return (options, 0);
    }
    let mut count = 0;
    for word in arguments {
        match word {
            [b'-', letters @ ..] if !letters.is_empty() && letters.iter().all(|letter| b"neE".contains(letter)) => {
                for letter in letters {
                    match letter {
                        b'n' => options.no_newline = true,
                        b'e' => options.escapes = true,
                        _ => options.escapes = false,
                    }
                }
                count += 1;
            }
            _ => break,
        }
    }
    (options, count)
}

/// Appends everything that `echo ARGUMENTS` prints.
pub fn echo(arguments: &[&[u8]], xpg_echo: bool, posix: bool, bytes: bool, out: &mut Vec<u8>) {
    let (options, count) = options(arguments, xpg_echo, posix);
    for (index, word) in arguments[count..].iter().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        if !options.escapes {
            out.extend_from_slice(word);
        } else if !expand(word, bytes, out) {
            return;
        }
    }
    if !options.no_newline {
        out.push(b'\n');
    }
}

/// Appends `text` with its escapes interpreted: `\a \b \c \e \E \f \n \r \t \v \\ \0nnn \xHH \uHHHH \UHHHHHHHH`.
/// Others stay as they are. Returns false at `\c`: nothing more is to be written.
pub fn expand(text: &[u8], bytes: bool, out: &mut Vec<u8>) -> bool {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let Some(&letter) = rest.get(at + 1) else {
            out.push(b'\\');
            return true;
        };
        let tail = &rest[at + 2..];
        rest = tail;
        let (base, most) = match letter {
            b'c' => return false,
            b'0' => {
                let (value, count) = digits(tail, 8, 3);
                out.push((value & 0xFF) as u8);
                rest = &tail[count..];
                continue;
            }
            b'x' => (16, 2),
            b'u' => (16, 4),
            b'U' => (16, 8),
            _ => {
                match simple(letter) {
                    Some(byte) => out.push(byte),
                    None => out.extend_from_slice(&[b'\\', letter]),
                }
                continue;
            }
        };
        let (value, count) = digits(tail, base, most);
        rest = &tail[count..];
        match (count, letter) {
            (0, _) => out.extend_from_slice(&[b'\\', letter]),
            (_, b'x') => out.push((value & 0xFF) as u8),
            _ => push_unicode(value, bytes, out),
        }
    }
    out.extend_from_slice(rest);
    true
}
