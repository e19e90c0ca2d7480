//! What `dd` says of what it copied.

use hookshell_utility::io::{Failure, Running};

use super::command::Status;

/// Blocks, whole ones and others, and bytes.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) read_full: u64,
    pub(super) read_partial: u64,
    pub(super) written_full: u64,
    pub(super) written_partial: u64,
    pub(super) bytes: u64,
    pub(super) truncated: u64,
}

pub(super) fn report(running: &Running<'_>, counts: &Counts, seconds: f64, status: Status) -> Result<(), Failure> {
    if status == Status::None {
        return Ok(());
    }
    let mut text = format!(
        "{}+{} records in\n{}+{} records out\n",
        counts.read_full, counts.read_partial, counts.written_full, counts.written_partial
    );
    if counts.truncated > 0 {
        let records = if counts.truncated == 1 { "record" } else { "records" };
        text.push_str(&format!("{} truncated {records}\n", counts.truncated));
    }
    if status != Status::NoTransfer {
        text.push_str(&transferred(counts.bytes, seconds));
        text.push('\n');
    }
    // After the line that says how far it is.
    if status == Status::Progress && seconds >= 1.0 {
        text.insert(0, '\n');
    }
    say(running, &text);
    Ok(())
}

pub(super) fn say(running: &Running<'_>, text: &str) {
    if let Some(stderr) = running.context().stderr() {
        let _ = stderr.write_all(text.as_bytes(), running.interrupt());
    }
}

/// `1024 bytes (1.0 kB, 1.0 KiB) copied, 0.1 s, 10 kB/s`
pub(super) fn transferred(bytes: u64, seconds: f64) -> String {
    let unit = if bytes == 1 { "byte" } else { "bytes" };
    let mut text = format!("{bytes} {unit}");
    if bytes >= 1000 {
        text.push_str(&format!(" ({}B", scaled(bytes_as_float(bytes), 1000.0)));
        if bytes >= 1024 {
            text.push_str(&format!(", {}iB", scaled(bytes_as_float(bytes), 1024.0).replace('k', "K")));
        }
        text.push(')');
    }
    let speed = speed(bytes_as_float(bytes) / seconds.max(1e-9));
    text.push_str(&format!(" copied, {} s, {speed}B/s", significant(seconds)));
    text
}

#[allow(clippy::cast_precision_loss, reason = "it is shown with two digits")]
fn bytes_as_float(bytes: u64) -> f64 {
    bytes as f64
}

/// At least in thousands, and with a digit after the point below 100.
fn speed(value: f64) -> String {
    let units = ["k", "M", "G", "T", "P", "E"];
    let mut value = value / 1000.0;
    let mut at = 0;
    while value >= 1000.0 && at + 1 < units.len() {
        value /= 1000.0;
        at += 1;
    }
    let unit = units.get(at).copied().unwrap_or_default();
    let text = format!("{value:.1}");
    if text.len() > 4 { format!("{value:.0} {unit}") } else { format!("{text} {unit}") }
}

/// Two digits and a unit.
fn scaled(mut value: f64, base: f64) -> String {
    let units = ["", "k", "M", "G", "T", "P", "E"];
    let mut at = 0;
    while value >= base && at + 1 < units.len() {
        value /= base;
        at += 1;
    }
    let unit = units.get(at).copied().unwrap_or_default();
    // GNU rounds to the nearest.
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// Six significant digits, as C's `%g`.
fn significant(value: f64) -> String {
    let text = format!("{value:.5e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 {
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        return format!("{digits}e-{:02}", -exponent);
    }
    let decimals = usize::try_from(5 - exponent).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
