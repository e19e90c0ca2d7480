//! Names and times in headers.

use std::time::{SystemTime, UNIX_EPOCH};

use hookshell_process::text::from_os;
use hookshell_utility::io::Failure;
use hookshell_utility::output::Output;
use hookshell_utility::timezone;
use jiff::Timestamp;

/// The name (in C's quotes where it has blanks or control characters) and the time of the last change.
pub(super) fn write_header(name: &[u8], modified: SystemTime, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    out.push(&quoted(name))?;
    out.byte(b'\t')?;
    let (seconds, nanos) = match modified.duration_since(UNIX_EPOCH) {
        Ok(since) => (i64::try_from(since.as_secs()).unwrap_or(0), since.subsec_nanos()),
        Err(error) => {
            let before = error.duration();
            let seconds = -i64::try_from(before.as_secs()).unwrap_or(0);
            match before.subsec_nanos() {
                0 => (seconds, 0),
                nanos => (seconds - 1, 1_000_000_000 - nanos),
            }
        }
    };
    let tz = out.running().context().variable("TZ");
    let zone = timezone::of(tz.map(from_os).as_deref());
    let timestamp = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
    let offset = zone.to_offset(timestamp);
    let local = offset.to_datetime(timestamp);
    let (sign, minutes) =
        if offset.seconds() < 0 { ('-', -offset.seconds() / 60) } else { ('+', offset.seconds() / 60) };
    out.text(format_args!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{nanos:09} {sign}{:02}{:02}",
        local.year(),
        local.month(),
        local.day(),
        local.hour(),
        local.minute(),
        local.second(),
        minutes / 60,
        minutes % 60
    ))
}

/// A name as it stands in lines of output: in C's quotes where it needs them.
pub(super) fn quoted(name: &[u8]) -> Vec<u8> {
    if !name.iter().any(|byte| matches!(byte, 0..=b' ' | b'"' | b'\\' | 0x80..)) {
        return name.to_vec();
    }
    let mut text = b"\"".to_vec();
    for &byte in name {
        let letter = match byte {
            7 => b'a',
            8 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            11 => b'v',
            12 => b'f',
            b'\r' => b'r',
            b'"' | b'\\' => byte,
            // GNU's bytes have signs.
            0..b' ' | 0x80.. => {
                text.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                continue;
            }
            _ => {
                text.push(byte);
                continue;
            }
        };
        text.extend_from_slice(&[b'\\', letter]);
    }
    text.push(b'"');
    text
}

/// A word as a shell reads it, quoted where gnulib's `shell` style does it.
pub(super) fn shell_word(word: &[u8]) -> Vec<u8> {
    let is_special = |byte: &u8| b"\t\n\r !\"$&'()*;<=>?[\\^`|".contains(byte);
    let is_plain = !word.iter().any(is_special) && !matches!(word, [] | [b'#' | b'~', ..] | b"{" | b"}");
    if is_plain { word.to_vec() } else { hookshell_utility::quote::always(word) }
}
