//! Dumps back to bytes.

use hookshell_utility::input::Input;
use hookshell_utility::io::Failure;
use hookshell_utility::output::Output;

use super::Command;

/// Makes bytes of a dump with addresses; a gap between them becomes NUL bytes. `false`: an address lies before what
/// was written, which was told.
pub(super) fn reverse_dump(
    command: &Command<'_>,
    input: &mut Input,
    out: &mut Output<'_, '_>,
) -> Result<bool, Failure> {
    let running = out.running();
    let mut written: u64 = 0;
    while let Some(line) = input.text(running, b'\n')? {
        let mut bytes = line.iter().copied().filter(|byte| *byte != b'\r');
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let mut wanted: u64 = 0;
        let mut begun = false;
        let mut has_address = false;
        for byte in bytes.by_ref() {
            match digit(byte) {
                Some(digit) => wanted = wanted << 4 | u64::from(digit),
                None if !begun => continue,
                None => {
                    has_address = true;
                    break;
                }
            }
            begun = true;
        }
        if !has_address {
            continue;
        }
        // The last three characters' values; the first two of them are not yet known to be no digits.
        let (mut first, mut second) = (None, Some(0));
        let mut count = 0;
        for byte in bytes {
            let third = second;
            second = first;
            first = digit(byte);
            if !fill(place(command, wanted), &mut written, out)? {
                return Ok(false);
            }
            if let (Some(high), Some(low)) = (second, first) {
                out.byte(u8::try_from(high << 4 | low).unwrap_or(0))?;
                written += 1;
                wanted += 1;
                first = None;
                count += 1;
                if count >= command.columns {
                    break;
                }
            } else if first.is_none() && second.is_none() && third.is_none() {
                break;
            }
        }
    }
    Ok(true)
}

/// Where an address lies with `-s`.
fn place(command: &Command<'_>, address: u64) -> i128 {
    let skip = i128::from(command.skip);
    i128::from(address) + if command.from_end { -skip } else { skip }
}

/// Writes NUL bytes up to a place. `false`: it lies before what was written, which was told.
fn fill(place: i128, written: &mut u64, out: &mut Output<'_, '_>) -> Result<bool, Failure> {
    let Some(place) = u64::try_from(place).ok().filter(|place| *place >= *written) else {
        out.message(b"Sorry, cannot seek backwards.")?;
        return Ok(false);
    };
    while *written < place {
        let gap = (place - *written).min(1 << 16);
        out.fill(0, usize::try_from(gap).unwrap_or(0))?;
        *written += gap;
    }
    Ok(true)
}

/// Pairs of hexadecimal digits become bytes; what is none ends a pair, and three such in a row skip the line. `false`: as in
/// [`reverse_dump`].
pub(super) fn reverse(command: &Command<'_>, input: &mut Input, out: &mut Output<'_, '_>) -> Result<bool, Failure> {
    let running = out.running();
    // The last three characters' values; `None` if one is no digit.
    let (mut first, mut second): (Option<u8>, Option<u8>) = (None, None);
    let mut garbage = true;
    let mut skips_line = false;
    let mut placed = false;
    loop {
        let block = input.block(running)?;
        if block.is_empty() {
            return Ok(true);
        }
        for &byte in block {
            if skips_line {
                skips_line = byte != b'\n';
                continue;
            }
            if matches!(byte, b'\r' | b' ' | b'\n' | b'\t') {
                continue;
            }
            let third = second;
            second = first;
            first = char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            if first.is_none() && garbage {
                continue;
            }
            garbage = false;
            if !std::mem::replace(&mut placed, true) && !fill(place(command, 0), &mut 0, out)? {
                return Ok(false);
            }
            if let (Some(high), Some(low)) = (second, first) {
                out.byte(high << 4 | low)?;
                first = None;
            } else if first.is_none() && second.is_none() && third.is_none() {
                skips_line = true;
                garbage = true;
            }
        }
        let used = block.len();
        input.consume(used);
    }
}
