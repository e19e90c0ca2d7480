//! `base64`: encode and decode.

use hookshell_shell::{Unsupported, UtilityCall};

use super::input::Input;
use super::output::Output;
use crate::io::{Failure, Running, reason};
use crate::options::{OptionSpec, flag, parse, value};
use crate::quote;

utility! {
    /// `base64 [-di] [-w COLUMNS] [FILE]` (GNU's).
    Base64, "base64"
}

const OPTIONS: &[OptionSpec] = &[flag(b'd', "decode"), flag(b'i', "ignore-garbage"), value(b'w', "wrap")];

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct Command<'a> {
    decode: bool,
    ignore_garbage: bool,
    /// 0: no line breaks.
    wrap: usize,
    file: &'a [u8],
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    if parsed.operands.len() > 1 {
        return Err(Unsupported::new("several files"));
    }
    let wrap = match parsed.last(b'w') {
        None => 76,
        Some(text) => std::str::from_utf8(text)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Unsupported::new(format!("the width {}", text.escape_ascii())))?,
    };
    Ok(Command {
        decode: parsed.has(b'd'),
        ignore_garbage: parsed.has(b'i'),
        wrap,
        file: parsed.operands.first().copied().unwrap_or(b"-"),
    })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let source = match running.open(command.file)? {
        Ok(source) => source,
        Err(error) => {
            running.failed(&quote::if_needed(command.file), &error)?;
            return Ok(1);
        }
    };
    let mut input = Input::new(source);
    let mut out = Output::new(running);
    let valid = if command.decode {
        decode(&mut input, &mut out, command.ignore_garbage)?
    } else {
        encode(&mut input, &mut out, command.wrap)?;
        true
    };
    if let Some(error) = &input.error {
        out.message(format!("read error: {}", reason(error)).as_bytes())?;
        return Ok(1);
    }
    if !valid {
        out.message(b"invalid input")?;
        return Ok(1);
    }
    out.flush()?;
    Ok(0)
}

fn letter(bits: u32) -> u8 {
    ALPHABET.get((bits & 63) as usize).copied().unwrap_or(b'=')
}

fn encode(input: &mut Input, out: &mut Output<'_, '_>, wrap: usize) -> Result<(), Failure> {
    let running = out.running();
    let mut column = 0;
    let mut put = |out: &mut Output<'_, '_>, byte: u8| {
        if wrap > 0 && column == wrap {
            out.byte(b'\n')?;
            column = 0;
        }
        column += 1;
        out.byte(byte)
    };
    let mut any = false;
    loop {
        let block = input.at_least(running, 3)?;
        if block.is_empty() {
            break;
        }
        any = true;
        let mut used = 0;
        for group in block.chunks_exact(3) {
            let bits = group.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
            for shift in [18, 12, 6, 0] {
                put(out, letter(bits >> shift))?;
            }
            used += 3;
        }
        // Less than three bytes are at hand only at the end.
        match block {
            [one] => {
                put(out, letter(u32::from(*one) >> 2))?;
                put(out, letter(u32::from(*one) << 4))?;
                put(out, b'=')?;
                put(out, b'=')?;
                used = 1;
            }
            [one, two] => {
                let bits = u32::from(*one) << 8 | u32::from(*two);
                put(out, letter(bits >> 10))?;
                put(out, letter(bits >> 4))?;
                put(out, letter(bits << 2))?;
                put(out, b'=')?;
                used = 2;
            }
            _ => {}
        }
        input.consume(used);
    }
    if any && wrap > 0 {
        out.byte(b'\n')?;
    }
    Ok(())
}

/// The value of each letter.
fn values() -> [Option<u8>; 256] {
    let mut values = [None; 256];
    for (value, letter) in (0..).zip(ALPHABET) {
        if let Some(entry) = values.get_mut(usize::from(*letter)) {
            *entry = Some(value);
        }
    }
    values
}

/// Decodes; `false` where the input is not valid: what comes before that is written.
fn decode(input: &mut Input, out: &mut Output<'_, '_>, ignore_garbage: bool) -> Result<bool, Failure> {
    let running = out.running();
    let values = values();
    let value = |byte: u8| values.get(usize::from(byte)).copied().flatten();
    let mut group = [0; 4];
    let mut length = 0;
    loop {
        let block = input.block(running)?;
        if block.is_empty() {
            break;
        }
        for &byte in block {
            if byte == b'\n' || (ignore_garbage && byte != b'=' && value(byte).is_none()) {
                continue;
            }
            if let Some(place) = group.get_mut(length) {
                *place = byte;
            }
            length += 1;
            if length == group.len() {
                length = 0;
                let mut bytes = [0; 3];
                let (count, valid) = decode_group(&group, &value, &mut bytes);
                out.push(bytes.get(..count).unwrap_or_default())?;
                if !valid {
                    return Ok(false);
                }
            }
        }
        let used = block.len();
        input.consume(used);
    }
    if length == 0 {
        return Ok(true);
    }
    let mut bytes = [0; 3];
    let (count, _) = decode_group(group.get(..length).unwrap_or_default(), &value, &mut bytes);
    out.push(bytes.get(..count).unwrap_or_default())?;
    Ok(false)
}

/// Up to four letters: how many bytes they give, and whether they are complete and valid.
fn decode_group(group: &[u8], value: &impl Fn(u8) -> Option<u8>, bytes: &mut [u8; 3]) -> (usize, bool) {
    let letter = |at: usize| group.get(at).copied();
    let digit = |at: usize| letter(at).and_then(value);
    let (Some(a), Some(b)) = (digit(0), digit(1)) else { return (0, false) };
    let [one, two, three] = bytes;
    *one = a << 2 | b >> 4;
    if letter(2) == Some(b'=') {
        return (1, letter(3) == Some(b'='));
    }
    let Some(c) = digit(2) else { return (1, false) };
    *two = b << 4 | c >> 2;
    if letter(3) == Some(b'=') {
        return (2, true);
    }
    let Some(d) = digit(3) else { return (2, false) };
    *three = c << 6 | d;
    (3, true)
}
