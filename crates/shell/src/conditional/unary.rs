//! Operators with one operand.

use std::cmp::Ordering;

use hookshell_text::integer::parse_integer;

use super::access::{self, Access};
use super::file::{FileInfo, FileKind, Place};
use super::{Environment, TestError};

/// Whether `-` and this letter are a unary operator.
#[must_use]
pub(crate) fn is_unary(letter: u8) -> bool {
    matches!(
        letter,
        b'a' | b'b'
            | b'c'
            | b'd'
            | b'e'
            | b'f'
            | b'g'
            | b'h'
            | b'k'
            | b'n'
            | b'o'
            | b'p'
            | b'r'
            | b's'
            | b't'
            | b'u'
            | b'v'
            | b'w'
            | b'x'
            | b'z'
            | b'G'
            | b'L'
            | b'N'
            | b'O'
            | b'R'
            | b'S'
    )
}

/// The value of `-LETTER OPERAND`. A file that does not exist or cannot be looked at makes it false.
///
/// # Errors
///
/// The letter is no unary operator.
pub(crate) fn unary(letter: u8, operand: &[u8], env: &dyn Environment) -> Result<bool, TestError> {
    Ok(match letter {
        b'n' => !operand.is_empty(),
        b'z' => operand.is_empty(),
        b'v' => env.variable_is_set(operand),
        b'R' => env.is_nameref(operand),
        b'o' => env.option_is_set(operand),
        b't' => parse_integer(operand)
            .and_then(|number| u32::try_from(number).ok())
            .is_some_and(|descriptor| env.is_terminal(descriptor)),
        b'r' => may(operand, Access::Read, env),
        b'w' => may(operand, Access::Write, env),
        b'x' => may(operand, Access::Execute, env) || (!operand.contains(&b'/') && env.is_bundled_only(operand)),
        b'h' | b'L' => match Place::of(operand, env) {
            Place::Path(path) => FileInfo::of_link(&path).is_some_and(|info| info.kind == FileKind::Link),
            // What a descriptor's name leads to is never a link itself.
            Place::Descriptor(_) | Place::Nowhere => false,
        },
        _ if is_unary(letter) => FileInfo::of_operand(operand, env).is_some_and(|info| describes(letter, &info)),
        _ => return Err(TestError::NotUnary(letter)),
    })
}

/// The operators that need nothing but the file's description.
fn describes(letter: u8, info: &FileInfo) -> bool {
    /// S_ISUID, S_ISGID and S_ISVTX.
    const SET_USER_ID: u32 = 0o4000;
    const SET_GROUP_ID: u32 = 0o2000;
    const STICKY: u32 = 0o1000;
    match letter {
        b'a' | b'e' => true,
        b'b' => info.kind == FileKind::Block,
        b'c' => info.kind == FileKind::Character,
        b'd' => info.kind == FileKind::Directory,
        b'f' => info.kind == FileKind::Regular,
        b'p' => info.kind == FileKind::Fifo,
        b'S' => info.kind == FileKind::Socket,
        // A directory has no size on Windows; elsewhere it is never empty.
        b's' => info.size > 0 || cfg!(windows) && info.kind == FileKind::Directory,
        b'u' => info.mode & SET_USER_ID != 0,
        b'g' => info.mode & SET_GROUP_ID != 0,
        b'k' => info.mode & STICKY != 0,
        b'O' => access::is_own_user(info),
        b'G' => access::is_own_group(info),
        b'N' => match (info.modified, info.accessed) {
            (Some(modified), Some(accessed)) => modified.cmp(&accessed) == Ordering::Greater,
            _ => false,
        },
        _ => false,
    }
}

fn may(operand: &[u8], wanted: Access, env: &dyn Environment) -> bool {
    match Place::followed(operand, env) {
        Place::Path(path) => access::access(&path, wanted),
        Place::Descriptor(descriptor) => match wanted {
            Access::Read => descriptor.readable,
            Access::Write => descriptor.writable,
            Access::Execute => false,
        },
        Place::Nowhere => false,
    }
}
