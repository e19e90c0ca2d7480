//! Case, as C.UTF-8 has it.

use crate::text::Encoding;

/// The characters that differ from this one only in case.
pub(crate) fn push_cases(unit: u32, encoding: Encoding, out: &mut Vec<u32>) {
    let large = upper(unit, encoding);
    for other in [large, lower(unit, encoding), lower(large, encoding)] {
        if other != unit && upper(other, encoding) == large {
            out.push(other);
        }
    }
    if encoding == Encoding::Utf8 {
        out.extend(LONELY.iter().filter(|&&other| other != unit && upper(other, encoding) == large));
    }
}

/// `towupper`.
pub(crate) fn upper(unit: u32, encoding: Encoding) -> u32 {
    if unit < 0x80 {
        return unit - if (0x61..=0x7a).contains(&unit) { 0x20 } else { 0 };
    }
    if encoding == Encoding::Bytes {
        return unit;
    }
    match unit {
        // One character each in C, several in Unicode's full mapping.
        0x1f80..=0x1f87 | 0x1f90..=0x1f97 | 0x1fa0..=0x1fa7 => unit + 8,
        0x1fb3 | 0x1fc3 | 0x1ff3 => unit + 9,
        _ => match char::from_u32(unit) {
            Some(character) => single(character.to_uppercase(), unit),
            None => unit,
        },
    }
}

/// `towlower`.
fn lower(unit: u32, encoding: Encoding) -> u32 {
    if unit < 0x80 {
        return unit + if (0x41..=0x5a).contains(&unit) { 0x20 } else { 0 };
    }
    match char::from_u32(unit) {
        _ if encoding == Encoding::Bytes => unit,
        Some('\u{130}') => 0x69,
        Some(character) => single(character.to_lowercase(), unit),
        None => unit,
    }
}

fn single(mut mapped: impl Iterator<Item = char>, unit: u32) -> u32 {
    match (mapped.next(), mapped.next()) {
        (Some(character), None) => u32::from(character),
        _ => unit,
    }
}

/// Characters that differ only in case from others although those do not lead to them: `towupper` of the first is
/// `towupper` of the second's lower case.
const LONELY: &[u32] = &[
    0xb5, 0x131, 0x17f, 0x1c5, 0x1c8, 0x1cb, 0x1f2, 0x345, 0x3c2, 0x3d0, 0x3d1, 0x3d5, 0x3d6, 0x3f0, 0x3f1, 0x3f5,
    0x1e9b, 0x1fbe,
];
