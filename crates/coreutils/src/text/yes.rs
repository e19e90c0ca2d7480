//! `yes`: repeat a line for ever.

use hookshell_utility::io::{BUFFER, Failure, Running};
use hookshell_utility::options::parse_leading;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `yes [STRING]…` (GNU's).
    Yes, "yes"
}

fn read(call: &UtilityCall<'_>) -> Result<Vec<u8>, Unsupported> {
    let parsed = parse_leading(call.argv, &[])?;
    let mut line = if parsed.operands.is_empty() { b"y".to_vec() } else { parsed.operands.join(&b' ') };
    line.push(b'\n');
    Ok(line)
}

fn run(running: &Running<'_>, line: Vec<u8>) -> Result<u8, Failure> {
    let block = line.repeat((BUFFER / line.len()).max(1));
    loop {
        running.write(&block)?;
    }
}
