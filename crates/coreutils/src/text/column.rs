//! `column`: make columns or a table.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::characters::{Decoded, are_bytes_in, decode, is_printable, width};

utility! {
    /// `column [-Lx] [-c COLUMNS] [FILE]…`, `column -t [-L] [-N NAMES] [-R COLUMNS] [-s SEPARATORS] [-o SEPARATOR] [FILE]…` (util-linux 2.38): the text
    /// is held in memory.
    Column, "column"
}

const OPTIONS: &[OptionSpec] = &[
    flag(b't', "table"),
    value(b's', "separator"),
    value(b'o', "output-separator"),
    value(b'c', "output-width"),
    flag(b'x', "fillrows"),
    value(b'N', "table-columns"),
    value(b'R', "table-right"),
    flag(b'L', "keep-empty-lines"),
];

struct Command<'a> {
    shape: Shape,
    /// The columns of the terminal.
    columns: usize,
    /// Lines of blanks count, too.
    keep_empty: bool,
    /// `None`: runs of blanks.
    separators: Option<&'a [u8]>,
    /// What stands over the columns.
    names: Vec<&'a [u8]>,
    /// Numbers of columns whose cells stand at the right, from 0 on.
    right: Vec<usize>,
    between: &'a [u8],
    bytes: bool,
    files: Vec<&'a [u8]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Table,
    /// The entries go down the columns.
    Columns,
    /// The entries go along the rows.
    Rows,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let shape = match (parsed.has(b't'), parsed.has(b'x')) {
        (true, true) => return Err(Unsupported::mistake("-t with -x")),
        (true, false) => Shape::Table,
        (false, true) => Shape::Rows,
        (false, false) => Shape::Columns,
    };
    let columns = |text: &str| text.parse::<usize>().ok().filter(|columns| (1..1 << 20).contains(columns));
    let columns = match parsed.last(b'c') {
        Some(text) => std::str::from_utf8(text)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(columns)
            .ok_or_else(|| Unsupported::mistake(format!("the width {}", text.escape_ascii())))?,
        None => call
            .env
            .iter()
            .find(|(name, _)| *name == "COLUMNS")
            .and_then(|(_, value)| value.to_str().and_then(columns))
            .unwrap_or(80),
    };
    let separators = parsed.last(b's');
    if separators.is_some_and(|text| text.is_empty() || !text.is_ascii()) {
        return Err(Unsupported::new("these separators"));
    }
    let list = |letter| {
        let text: &[u8] = parsed.last(letter).unwrap_or_default();
        text.split(|byte| *byte == b',').filter(|_| parsed.has(letter)).collect::<Vec<_>>()
    };
    let names = list(b'N');
    if shape != Shape::Table && (parsed.has(b'N') || parsed.has(b'R')) || names.iter().any(|name| name.is_empty()) {
        return Err(Unsupported::new("-N or -R like this"));
    }
    let column = |text: &[u8]| match names.iter().position(|name| *name == text) {
        Some(at) => Some(at),
        None => std::str::from_utf8(text).ok()?.parse::<usize>().ok()?.checked_sub(1),
    };
    let right = list(b'R')
        .into_iter()
        .map(|text| column(text).ok_or_else(|| Unsupported::mistake(format!("the column {}", text.escape_ascii()))))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Command {
        names,
        right,
        shape,
        columns,
        keep_empty: parsed.has(b'L'),
        separators,
        between: parsed.last(b'o').unwrap_or(b"  "),
        bytes: are_bytes_in(call),
        files: if parsed.operands.is_empty() { vec![b"/dev/stdin"] } else { parsed.operands },
    })
}

/// A cell's text as it is shown, and its columns.
fn cell(text: &[u8], bytes: bool) -> (Vec<u8>, usize) {
    let mut shown = Vec::new();
    let mut columns = 0;
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        let decoded = if bytes && first >= 0x80 { Decoded::Invalid } else { decode(rest) };
        match decoded {
            Decoded::Character(character, length) => {
                shown.extend_from_slice(rest.get(..length).unwrap_or_default());
                if is_printable(character) {
                    columns += width(character);
                }
                rest = rest.get(length..).unwrap_or_default();
            }
            Decoded::Incomplete | Decoded::Invalid => {
                shown.extend_from_slice(format!("\\x{first:02x}").as_bytes());
                columns += 4;
                rest = after;
            }
        }
    }
    (shown, columns)
}

fn cells(line: &[u8], command: &Command<'_>) -> Vec<(Vec<u8>, usize)> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let cell = |text: &[u8]| cell(text, command.bytes);
    match command.separators {
        None => line.split(is_blank).filter(|word| !word.is_empty()).map(cell).collect(),
        Some(separators) => line.split(|byte| separators.contains(byte)).map(cell).collect(),
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    /// What the places of a cell take beside its text.
    const PER_CELL: usize = 96;
    let mut rows = Vec::new();
    let mut bytes = 0;
    let mut kept = running.keep();
    let mut failed = 0;
    for &file in &command.files {
        // `-` is a file's name to it.
        let source = match running.open_file(file)? {
            Ok(source) => source,
            Err(error) => {
                running.report_error(file, &error)?;
                failed += 1;
                continue;
            }
        };
        let mut input = Input::new(source);
        while let Some(line) = input.text(running, b'\n')? {
            // C's strings end at a NUL byte.
            let line = line.split(|byte| *byte == 0).next().unwrap_or_default();
            if command.keep_empty || line.iter().any(|byte| !matches!(byte, b' ' | 0x09..=0x0d)) {
                let row = match command.shape {
                    Shape::Table => cells(line, &command),
                    Shape::Columns | Shape::Rows => vec![cell(line, command.bytes)],
                };
                bytes += line.len() + row.len() * PER_CELL + PER_CELL;
                kept.set(bytes)?;
                rows.push(row);
            }
        }
        if let Some(error) = &input.error {
            running.report_error(b"read failed", error)?;
            return Ok(1);
        }
    }
    if command.shape != Shape::Table {
        let entries: Vec<_> = rows.into_iter().flatten().collect();
        let mut out = Output::new(running);
        fill(&command, &entries, &mut out)?;
        out.flush()?;
        return Ok(u8::from(failed == command.files.len()));
    }
    if !command.names.is_empty() && !rows.is_empty() {
        rows.insert(0, command.names.iter().map(|name| cell(name, command.bytes)).collect());
    }
    let mut widths: Vec<usize> = Vec::new();
    for row in &rows {
        for (at, (_, columns)) in row.iter().enumerate() {
            match widths.get_mut(at) {
                Some(widest) => *widest = (*widest).max(*columns),
                None => widths.push(*columns),
            }
        }
    }
    let mut out = Output::new(running);
    for row in &rows {
        for (at, widest) in widths.iter().enumerate() {
            let (text, columns) = row.get(at).map_or((&b""[..], 0), |(text, columns)| (text, *columns));
            // Nothing is not moved to the end of a line.
            let is_right = command.right.contains(&at) && !(at + 1 == widths.len() && text.is_empty());
            if is_right {
                out.fill(b' ', widest - columns)?;
            }
            out.push(text)?;
            let is_last = at + 1 == widths.len();
            if !is_last {
                out.fill(b' ', if is_right { 0 } else { widest - columns })?;
                out.push(command.between)?;
            }
        }
        out.byte(b'\n')?;
    }
    out.flush()?;
    Ok(u8::from(failed == command.files.len()))
}

/// Prints the entries in columns that begin at tab stops; one to a line where the widest is as wide as the terminal.
fn fill(command: &Command<'_>, entries: &[(Vec<u8>, usize)], out: &mut Output<'_, '_>) -> Result<(), Failure> {
    const TAB: usize = 8;
    let widest = entries.iter().map(|(_, columns)| *columns).max().unwrap_or(0);
    if widest >= command.columns {
        for (text, _) in entries {
            out.push(text)?;
            out.byte(b'\n')?;
        }
        return Ok(());
    }
    let width = (widest + TAB) / TAB * TAB;
    let across = (command.columns / width).max(1);
    let down = entries.len().div_ceil(across);
    for row in 0..down {
        let mut column = 0;
        for place in 0..across {
            let at = |place: usize| match command.shape {
                Shape::Rows => row * across + place,
                _ => row + place * down,
            };
            let Some((text, columns)) = entries.get(at(place)) else { break };
            out.push(text)?;
            column += columns;
            if place + 1 < across && at(place + 1) < entries.len() {
                while (column / TAB + 1) * TAB <= (place + 1) * width {
                    out.byte(b'\t')?;
                    column = (column / TAB + 1) * TAB;
                }
            }
        }
        out.byte(b'\n')?;
    }
    Ok(())
}
