//! What `y` and `l` make of a text.

use crate::program::Translation;
use crate::text::units;

pub(super) fn translate(translation: &Translation, text: &mut Vec<u8>) {
    match translation {
        Translation::Bytes(table) => {
            for byte in text {
                *byte = table.get(usize::from(*byte)).copied().unwrap_or(*byte);
            }
        }
        Translation::Characters(pairs) => {
            let mut out = Vec::with_capacity(text.len());
            for unit in units(text) {
                let to = pairs.iter().find(|(from, _)| **from == *unit).map_or(unit, |(_, to)| to);
                out.extend_from_slice(to);
            }
            *text = out;
        }
    }
}

/// `l`: the text without ambiguity, in lines of less than `width`.
pub(super) fn listed(text: &[u8], width: u64, end: u8) -> Vec<u8> {
    let wraps = width > 0;
    let most = usize::try_from(width).unwrap_or(usize::MAX).saturating_sub(1);
    let mut out = Vec::new();
    let mut column = 0;
    for &byte in text {
        let shown: Vec<u8> = match byte {
            b'\\' => b"\\\\".to_vec(),
            7 => b"\\a".to_vec(),
            8 => b"\\b".to_vec(),
            12 => b"\\f".to_vec(),
            b'\n' => b"\\n".to_vec(),
            b'\r' => b"\\r".to_vec(),
            b'\t' => b"\\t".to_vec(),
            11 => b"\\v".to_vec(),
            0x20..=0x7e => vec![byte],
            _ => format!("\\{byte:03o}").into_bytes(),
        };
        if wraps && column + shown.len() > most {
            out.extend_from_slice(&[b'\\', end]);
            column = 0;
        }
        column += shown.len();
        out.extend_from_slice(&shown);
    }
    out.push(b'$');
    out
}
