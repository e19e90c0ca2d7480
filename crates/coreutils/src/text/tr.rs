//! `tr`: translate, squeeze and delete bytes.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::options::{OptionSpec, flag, parse_leading};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::tr_sets::{Set, bytes_of, delete_set, squeeze_set, translation};

utility! {
    /// `tr [-cCdst] SET1 [SET2]` (XCU `tr`; characters are bytes, as GNU's).
    Tr, "tr"
}

const OPTIONS: &[OptionSpec] = &[
    flag(b'c', "complement"),
    flag(b'C', ""),
    flag(b'd', "delete"),
    flag(b's', "squeeze-repeats"),
    flag(b't', "truncate-set1"),
];

struct Command {
    table: Option<Box<[u8; 256]>>,
    delete: Option<Box<[bool; 256]>>,
    squeeze: Option<Box<[bool; 256]>>,
    warnings: Vec<String>,
}

fn read(call: &UtilityCall<'_>) -> Result<Command, Unsupported> {
    let parsed = parse_leading(call.argv, OPTIONS)?;
    let complement = parsed.has(b'c') || parsed.has(b'C');
    let delete = parsed.has(b'd');
    let squeeze = parsed.has(b's');
    let least = 1 + usize::from(delete == squeeze);
    let most = 1 + usize::from(delete <= squeeze);
    if !(least..=most).contains(&parsed.operands.len()) {
        return Err(Unsupported::mistake("this number of operands"));
    }
    let set = |at: usize| parsed.operands.get(at).map(|text| Set::parse(text)).transpose();
    let (Some(first), second) = (set(0)?, set(1)?) else {
        return Err(Unsupported::mistake("no operand"));
    };
    if first.has_filling_repeat() {
        return Err(Unsupported::mistake("[c*] in the first set"));
    }
    let warnings = first.warnings.iter().chain(second.iter().flat_map(|set| &set.warnings)).cloned().collect();
    let mut command = Command { table: None, delete: None, squeeze: None, warnings };
    match second {
        None if delete => command.delete = Some(delete_set(&first, complement)),
        None => command.squeeze = Some(delete_set(&first, complement)),
        Some(second) if delete => {
            if second.has_filling_repeat() {
                return Err(Unsupported::mistake("[c*] where nothing is translated"));
            }
            command.delete = Some(delete_set(&first, complement));
            command.squeeze = Some(squeeze_set(&bytes_of(&second)));
        }
        Some(second) => {
            let (table, targets) = translation(&first, second, complement, parsed.has(b't'))?;
            command.table = Some(table);
            command.squeeze = squeeze.then(|| squeeze_set(&targets));
        }
    }
    Ok(command)
}

fn run(running: &Running<'_>, command: Command) -> Result<u8, Failure> {
    for warning in &command.warnings {
        running.message(format!("warning: {warning}").as_bytes())?;
    }
    let source = match running.descriptor(0) {
        Ok(stream) => hookshell_utility::io::Source::Stream(stream),
        Err(error) => {
            running.message(format!("read error: {}", reason(&error)).as_bytes())?;
            return Ok(1);
        }
    };
    let mut input = Input::new(source);
    let mut out = Output::new(running);
    let mut last: Option<u8> = None;
    loop {
        let block = input.block(running)?;
        if block.is_empty() {
            break;
        }
        let used = block.len();
        let mut data = Vec::with_capacity(used);
        match &command.delete {
            Some(delete) => data.extend(block.iter().filter(|byte| !is_in(delete, **byte))),
            None => data.extend_from_slice(block),
        }
        input.consume(used);
        if let Some(table) = &command.table {
            for byte in &mut data {
                *byte = table.get(usize::from(*byte)).copied().unwrap_or(*byte);
            }
        }
        if let Some(squeeze) = &command.squeeze {
            data.retain(|byte| {
                let again = last == Some(*byte) && is_in(squeeze, *byte);
                last = Some(*byte);
                !again
            });
        }
        out.push(&data)?;
    }
    if let Some(error) = &input.error {
        out.message(format!("read error: {}", reason(error)).as_bytes())?;
        return Ok(1);
    }
    out.flush()?;
    Ok(0)
}

fn is_in(set: &[bool; 256], byte: u8) -> bool {
    set.get(usize::from(byte)).copied().unwrap_or(false)
}
