//! `fmt`: fill and join lines of paragraphs.

mod fill;

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse, parse_from, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use self::fill::{Filler, MAX_BYTES};

utility! {
    /// `fmt [-WIDTH] [-cstu] [-p PREFIX] [-w WIDTH] [-g GOAL] [FILE]…` (GNU's, with its choice of the lines' ends; columns are
    /// bytes).
    Fmt, "fmt"
}

const OPTIONS: &[OptionSpec] = &[
    flag(b'c', "crown-margin"),
    flag(b's', "split-only"),
    flag(b't', "tagged-paragraph"),
    flag(b'u', "uniform-spacing"),
    value(b'p', "prefix"),
    value(b'w', "width"),
    value(b'g', "goal"),
];

struct Command<'a> {
    /// The second line's margin is that of all that follow.
    crown: bool,
    /// The same, and the first line's must be another one.
    tagged: bool,
    split_only: bool,
    uniform: bool,
    /// Without the blanks around it.
    prefix: &'a [u8],
    /// Blanks before it.
    lead: usize,
    /// Its length with the blanks after it.
    full_prefix: usize,
    width: usize,
    goal: usize,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    // The old form: `-72` as the first word.
    let old = call
        .argv
        .get(1)
        .and_then(|word| word.strip_prefix(b"-"))
        .filter(|rest| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit));
    let parsed = match old {
        Some(_) => parse_from(call.argv, 2, OPTIONS)?,
        None => parse(call.argv, OPTIONS)?,
    };
    let number = |text: &[u8], most: usize| {
        std::str::from_utf8(text)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|text| text.parse::<usize>().ok())
            .filter(|number| *number <= most)
            .ok_or_else(|| Unsupported::mistake(format!("the width {}", text.escape_ascii())))
    };
    let given = parsed.last(b'w').or(old).map(|text| number(text, MAX_BYTES / 2)).transpose()?;
    let (width, goal) = match parsed.last(b'g') {
        Some(text) => {
            let goal = number(text, given.unwrap_or(75))?;
            (given.unwrap_or(goal + 10), goal)
        }
        None => {
            let width = given.unwrap_or(75);
            // 7 % shorter than the longest line.
            (width, width * (2 * (100 - 7) + 1) / 200)
        }
    };
    let prefix = parsed.last(b'p').unwrap_or_default();
    let lead = prefix.iter().take_while(|byte| **byte == b' ').count();
    let prefix = prefix.get(lead..).unwrap_or_default();
    let length = prefix.iter().rposition(|byte| *byte != b' ').map_or(0, |at| at + 1);
    Ok(Command {
        crown: parsed.has(b'c'),
        tagged: parsed.has(b't'),
        split_only: parsed.has(b's'),
        uniform: parsed.has(b'u'),
        prefix: prefix.get(..length).unwrap_or_default(),
        lead,
        full_prefix: prefix.len(),
        width,
        goal,
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let mut status = 0;
    for file in &command.files {
        let source = match running.open(file)? {
            Ok(source) => source,
            Err(error) => {
                let what = [&b"cannot open "[..], &quote::always(file), b" for reading"].concat();
                out.report_error(&what, &error)?;
                status = 1;
                continue;
            }
        };
        let mut filler = Filler::new(&command, Input::new(source), &mut out);
        filler.all()?;
        if filler.input.error.is_some() {
            out.message(b"read error")?;
            status = 1;
        }
    }
    out.flush()?;
    Ok(status)
}
