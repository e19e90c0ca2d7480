//! `column`: make columns or a table.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::characters::{Decoded, are_bytes_in, decode, is_printable, width};

utility! {
    /// `column [-Lx] [-c COLUMNS] [FILE]…`, `column -t [-deL] [-N NAMES] [-H COLUMNS] [-O COLUMNS] [-R COLUMNS] [-l N] [-s SEPARATORS] [-o SEPARATOR]
    /// [FILE]…`, `column -J -N NAMES [-n NAME] [FILE]…` (util-linux 2.38): the text
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
    flag(b'J', "json"),
    value(b'n', "table-name"),
    value(b'H', "table-hide"),
    value(b'O', "table-order"),
    value(b'l', "table-columns-limit"),
    flag(b'd', "table-noheadings"),
    // Of pages, which only a terminal has.
    flag(b'e', "table-header-repeat"),
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
    /// Those that are not shown.
    hidden: Vec<usize>,
    /// Those that come first.
    first: Vec<usize>,
    /// All columns without a name are hidden.
    hides_unnamed: bool,
    has_headings: bool,
    /// The last column of so many takes the rest of the line.
    most: Option<usize>,
    /// The name of the table, in JSON.
    json: Option<Vec<u8>>,
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
    let is_json = parsed.has(b'J');
    let shape = match (parsed.has(b't') || is_json, parsed.has(b'x')) {
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
    let of_tables = [b'N', b'R', b'H', b'O', b'n'];
    if shape != Shape::Table && of_tables.iter().any(|letter| parsed.has(*letter)) {
        return Err(Unsupported::mistake("an option of tables without -t"));
    }
    if names.iter().any(|name| name.is_empty()) {
        return Err(Unsupported::new("-N like this"));
    }
    let column = |text: &[u8]| match names.iter().position(|name| *name == text) {
        Some(at) => Some(Some(at)),
        // There is no column 0, and nothing happens to it.
        None => Some(std::str::from_utf8(text).ok()?.parse::<usize>().ok()?.checked_sub(1)),
    };
    let columns_of = |letter| {
        let found = list(letter).into_iter().filter(|text| !text.is_empty() && *text != b"-").map(|text| {
            column(text).ok_or_else(|| Unsupported::mistake(format!("the column {}", text.escape_ascii())))
        });
        found.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()
    };
    let most = match parsed.last(b'l') {
        None => None,
        Some(text) => Some(
            std::str::from_utf8(text)
                .ok()
                .and_then(|text| text.parse::<usize>().ok())
                .filter(|most| (1..1 << 20).contains(most))
                .ok_or_else(|| Unsupported::mistake(format!("the limit {}", text.escape_ascii())))?,
        ),
    };
    if is_json && names.is_empty() {
        return Err(Unsupported::mistake("-J without -N"));
    }
    let (right, hidden, first) = (columns_of(b'R')?, columns_of(b'H')?, columns_of(b'O')?);
    let hides_unnamed = list(b'H').contains(&&b"-"[..]);
    Ok(Command {
        names,
        right,
        hidden,
        first,
        hides_unnamed,
        has_headings: !parsed.has(b'd'),
        most,
        json: is_json.then(|| parsed.last(b'n').unwrap_or(b"table").to_ascii_lowercase()),
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
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        // What the last column takes of the line begins right after one blank.
        let is_rest = !cells.is_empty() && command.most.is_some_and(|most| cells.len() + 1 >= most);
        if command.separators.is_none() && !is_rest {
            rest = rest.get(rest.iter().take_while(|byte| is_blank(byte)).count()..).unwrap_or_default();
            if rest.is_empty() {
                return cells;
            }
        }
        let ends =
            |byte: &u8| command.separators.map_or_else(|| is_blank(byte), |separators| separators.contains(byte));
        let end = match command.most {
            Some(most) if cells.len() + 1 >= most => None,
            _ => rest.iter().position(ends),
        };
        match end {
            Some(end) => {
                cells.push(cell(rest.get(..end).unwrap_or_default()));
                rest = rest.get(end + 1..).unwrap_or_default();
            }
            None => {
                cells.push(cell(rest));
                return cells;
            }
        }
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
    let status = u8::from(failed == command.files.len());
    let named = command.names.len();
    if command.json.is_some()
        && let Some(row) = rows.iter().position(|row| row.len() > named)
    {
        let text = format!("line {}: for JSON the name of the column {} is required", row + 2, named + 1);
        running.message(text.as_bytes())?;
        return Ok(1);
    }
    if rows.is_empty() {
        return Ok(status);
    }
    if named > 0 && command.has_headings && command.json.is_none() {
        rows.insert(0, command.names.iter().map(|name| cell(name, command.bytes)).collect());
    }
    let count = rows.iter().map(Vec::len).max().unwrap_or(0).max(named);
    let mut shown: Vec<usize> = Vec::with_capacity(count);
    for at in command.first.iter().copied().chain(0..count) {
        let is_hidden = command.hidden.contains(&at) || command.hides_unnamed && at >= named;
        if at < count && !is_hidden && !shown.contains(&at) {
            shown.push(at);
        }
    }
    let mut out = Output::new(running);
    match &command.json {
        Some(name) => print_json(&command, name, &rows, &shown, &mut out)?,
        None => print_table(&command, &rows, &shown, &mut out)?,
    }
    out.flush()?;
    Ok(status)
}

type Row = Vec<(Vec<u8>, usize)>;

fn print_table(command: &Command<'_>, rows: &[Row], shown: &[usize], out: &mut Output<'_, '_>) -> Result<(), Failure> {
    let columns = |row: &Row, at: usize| row.get(at).map_or(0, |(_, columns)| *columns);
    let widths: Vec<usize> =
        shown.iter().map(|at| rows.iter().map(|row| columns(row, *at)).max().unwrap_or(0)).collect();
    for row in rows {
        for (place, (at, widest)) in shown.iter().zip(&widths).enumerate() {
            let text = row.get(*at).map_or(&b""[..], |(text, _)| text);
            let missing = widest - columns(row, *at);
            let is_last = place + 1 == shown.len();
            // Nothing is not moved to the end of a line.
            let is_right = command.right.contains(at) && !(is_last && text.is_empty());
            if is_right {
                out.fill(b' ', missing)?;
            }
            out.push(text)?;
            if !is_last {
                out.fill(b' ', if is_right { 0 } else { missing })?;
                out.push(command.between)?;
            }
        }
        out.byte(b'\n')?;
    }
    Ok(())
}

fn print_json(
    command: &Command<'_>,
    name: &[u8],
    rows: &[Row],
    shown: &[usize],
    out: &mut Output<'_, '_>,
) -> Result<(), Failure> {
    out.push(&[b"{\n   ", &json(name)[..], b": [\n      "].concat())?;
    for (number, row) in rows.iter().enumerate() {
        out.push(if number == 0 { b"{\n" } else { b",{\n" })?;
        for (place, at) in shown.iter().enumerate() {
            let key = command.names.get(*at).copied().unwrap_or_default().to_ascii_lowercase();
            let value = row.get(*at).filter(|(text, _)| !text.is_empty());
            let value = value.map_or_else(|| b"null".to_vec(), |(text, _)| json(text));
            let end: &[u8] = if place + 1 < shown.len() { b",\n" } else { b"\n" };
            out.push(&[b"         ", &json(&key)[..], b": ", &value, end].concat())?;
        }
        out.push(b"      }")?;
    }
    out.push(b"\n   ]\n}\n")
}

/// A string of JSON.
fn json(text: &[u8]) -> Vec<u8> {
    let mut out = b"\"".to_vec();
    for &byte in text {
        let letter = match byte {
            b'"' | b'\\' => byte,
            8 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            12 => b'f',
            b'\r' => b'r',
            0..0x20 => {
                out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
                continue;
            }
            _ => {
                out.push(byte);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', letter]);
    }
    out.push(b'"');
    out
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
