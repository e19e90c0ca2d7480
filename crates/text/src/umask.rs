//! The mode operand and the output of the `umask` utility (POSIX XCU umask, chmod).

use thiserror::Error;

/// Why a mode is not one, in bash's words; the caller puts `umask: ` in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UmaskError {
    /// A number with other digits than 0–7 or above 07777.
    #[error("octal number out of range")]
    OctalOutOfRange,
    /// Where one of `+ - =` must stand. `None` is the end of the mode.
    #[error("`{}': invalid symbolic mode operator", .0.map(char::from).unwrap_or(' '))]
    InvalidOperator(Option<u8>),
    /// No permission letter.
    #[error("`{}': invalid symbolic mode character", char::from(*.0))]
    InvalidCharacter(u8),
}

/// The mask that a mode gives, where `current` is in force. An octal number is the mask itself; a symbolic mode
/// (`u=rwx,g+r,o-w`) describes the permissions that the mask leaves. Permission copies (`g=u`) and `X`, which POSIX
/// has and bash rejects, are taken.
///
/// # Errors
///
/// A mode that is neither.
pub fn parse(mode: &[u8], current: u32) -> Result<u32, UmaskError> {
    if mode.first().is_some_and(u8::is_ascii_digit) {
        return parse_octal(mode);
    }
    let mut permissions = !current & 0o777;
    let mut rest = mode;
    loop {
        let mut who = 0;
        while let [letter @ (b'u' | b'g' | b'o' | b'a'), tail @ ..] = rest {
            who |= who_mask(*letter);
            rest = tail;
        }
        if who == 0 {
            who = 0o777;
        }
        let mut first = true;
        while let [operator @ (b'+' | b'-' | b'='), tail @ ..] = rest {
            first = false;
            rest = tail;
            let mut bits = 0;
            while let Some(&letter) = rest.first() {
                bits |= match letter {
                    b'r' => 0o444,
                    b'w' => 0o222,
                    b'x' => 0o111,
                    b'X' if permissions & 0o111 != 0 => 0o111,
                    b'X' => 0,
                    b'u' | b'g' | b'o' => copy(permissions, letter),
                    b',' | b'+' | b'-' | b'=' => break,
                    other => return Err(UmaskError::InvalidCharacter(other)),
                };
                rest = &rest[1..];
            }
            bits &= who;
            permissions = match operator {
                b'+' => permissions | bits,
                b'-' => permissions & !bits,
                _ => permissions & !who | bits,
            };
        }
        match rest {
            [] if !first => return Ok(!permissions & 0o777),
            [b',', tail @ ..] if !first => rest = tail,
            _ => return Err(UmaskError::InvalidOperator(rest.first().copied())),
        }
    }
}

fn parse_octal(mode: &[u8]) -> Result<u32, UmaskError> {
    let mut mask = 0;
    for &byte in mode {
        if !(b'0'..=b'7').contains(&byte) {
            return Err(UmaskError::OctalOutOfRange);
        }
        mask = mask * 8 + u32::from(byte - b'0');
        if mask > 0o7777 {
            return Err(UmaskError::OctalOutOfRange);
        }
    }
    Ok(mask & 0o777)
}

fn who_mask(letter: u8) -> u32 {
    match letter {
        b'u' => 0o700,
        b'g' => 0o070,
        b'o' => 0o007,
        _ => 0o777,
    }
}

/// The permissions of one class, given to all three.
fn copy(permissions: u32, class: u8) -> u32 {
    let bits = match class {
        b'u' => permissions >> 6,
        b'g' => permissions >> 3,
        _ => permissions,
    } & 7;
    bits * 0o111
}

/// What `umask` prints: four octal digits.
#[must_use]
pub fn octal(mask: u32) -> String {
    format!("{mask:04o}")
}

/// What `umask -S` prints: the permissions that the mask leaves, `u=rwx,g=rx,o=rx`.
#[must_use]
pub fn symbolic(mask: u32) -> String {
    let mut text = String::with_capacity(17);
    for (shift, class) in [(6, "u="), (3, ",g="), (0, ",o=")] {
        text.push_str(class);
        for (bit, letter) in [(4, 'r'), (2, 'w'), (1, 'x')] {
            if mask >> shift & bit == 0 {
                text.push(letter);
            }
        }
    }
    text
}
