//! Names in columns, as GNU's `ls` lays them out.

use std::ops::Range;

use super::color::Color;

/// No column is narrower: one character and the gap.
const NARROWEST: usize = 3;

/// A name with what stands around it.
pub(super) struct Cell {
    pub(super) text: Vec<u8>,
    /// Where the name stands in it.
    pub(super) name: Range<usize>,
    pub(super) color: Option<Color>,
    /// The address that the name is a link to.
    pub(super) address: Option<Vec<u8>>,
}

/// Writes a cell that begins at a column.
type Put<'p> = &'p mut dyn FnMut(&mut Vec<u8>, &Cell, usize);

fn length(cell: &Cell) -> usize {
    width_of(&cell.text)
}

/// The columns of a text: what moves the cursor elsewhere takes none.
pub(super) fn width_of(text: &[u8]) -> usize {
    String::from_utf8_lossy(text).chars().filter(|character| !character.is_control()).count()
}

/// The widths of the columns: as many as fit.
fn widths(lengths: &[usize], line: usize, is_down: bool) -> Vec<usize> {
    let most = line.div_ceil(NARROWEST).clamp(1, lengths.len().max(1));
    let mut best = vec![0];
    for count in 1..=most {
        let mut columns = vec![NARROWEST; count];
        let mut total = count * NARROWEST;
        let rows = lengths.len().div_ceil(count).max(1);
        let mut fits = true;
        for (at, length) in lengths.iter().enumerate() {
            let column = if is_down { at / rows } else { at % count };
            let wanted = length + if column == count - 1 { 0 } else { 2 };
            if let Some(width) = columns.get_mut(column)
                && *width < wanted
            {
                total += wanted - *width;
                *width = wanted;
                // As GNU's, which looks only when a column grows.
                if total >= line {
                    fits = false;
                    break;
                }
            }
        }
        if fits {
            best = columns;
        }
    }
    best
}

/// From one place in the line to another, with tabs where they reach one.
fn indent(out: &mut Vec<u8>, mut from: usize, to: usize, tab: usize) {
    while from < to {
        if tab != 0 && to / tab > (from + 1) / tab {
            out.push(b'\t');
            from += tab - from % tab;
        } else {
            out.push(b' ');
            from += 1;
        }
    }
}

pub(super) fn down(cells: &[Cell], line: usize, tab: usize, end_of_line: u8, put: Put<'_>) -> Vec<u8> {
    let lengths: Vec<usize> = cells.iter().map(length).collect();
    let widths = widths(&lengths, line, true);
    let rows = cells.len().div_ceil(widths.len().max(1));
    let mut out = Vec::new();
    for row in 0..rows {
        let mut place = 0;
        let mut at = row;
        for width in &widths {
            let Some(cell) = cells.get(at) else { break };
            put(&mut out, cell, place);
            let end = place + lengths.get(at).copied().unwrap_or(0);
            at += rows;
            if at >= cells.len() {
                break;
            }
            indent(&mut out, end, place + width, tab);
            place += width;
        }
        out.push(end_of_line);
    }
    out
}

pub(super) fn across(cells: &[Cell], line: usize, tab: usize, end_of_line: u8, put: Put<'_>) -> Vec<u8> {
    let lengths: Vec<usize> = cells.iter().map(length).collect();
    let widths = widths(&lengths, line, false);
    let mut out = Vec::new();
    let mut place = 0;
    let mut end = 0;
    for (at, cell) in cells.iter().enumerate() {
        let column = at % widths.len().max(1);
        if at > 0 {
            if column == 0 {
                out.push(end_of_line);
                place = 0;
            } else {
                let before = widths.get(column - 1).copied().unwrap_or(0);
                indent(&mut out, end, place + before, tab);
                place += before;
            }
        }
        put(&mut out, cell, place);
        end = place + lengths.get(at).copied().unwrap_or(0);
    }
    if !cells.is_empty() {
        out.push(end_of_line);
    }
    out
}

/// One after the other with a separator; a line of 0 is without end.
pub(super) fn separated(cells: &[Cell], separator: u8, line: usize, end_of_line: u8, put: Put<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut place = 0;
    for (at, cell) in cells.iter().enumerate() {
        let length = length(cell);
        if at > 0 {
            out.push(separator);
            if line == 0 || place + length + 2 < line {
                place += 2;
                out.push(b' ');
            } else {
                place = 0;
                out.push(end_of_line);
            }
        }
        put(&mut out, cell, place);
        place += length;
    }
    if !cells.is_empty() {
        out.push(end_of_line);
    }
    out
}
