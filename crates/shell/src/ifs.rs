//! The separators of field splitting (XCU 2.6.5).

use smallvec::SmallVec;

/// IFS, prepared for splitting.
#[derive(Debug, Clone)]
pub(crate) struct Ifs {
    class: [u8; 256],
    /// The first character, that joins `"$*"`: a space where IFS is unset.
    first: SmallVec<[u8; 4]>,
}

const SEPARATOR: u8 = 1;
const WHITE: u8 = 2;

impl Ifs {
    /// Of the value of IFS; `None` where it is unset.
    pub(crate) fn new(value: Option<&[u8]>) -> Self {
        let value = value.unwrap_or(b" \t\n");
        let mut class = [0; 256];
        for &byte in value {
            class[usize::from(byte)] = if matches!(byte, b' ' | b'\t' | b'\n') { SEPARATOR | WHITE } else { SEPARATOR };
        }
        let first = bstr::ByteSlice::char_indices(value)
            .next()
            .map(|(start, end, _)| SmallVec::from_slice(&value[start..end]))
            .unwrap_or_default();
        Self { class, first }
    }

    #[inline]
    pub(crate) fn is_separator(&self, byte: u8) -> bool {
        self.class[usize::from(byte)] != 0
    }

    #[inline]
    pub(crate) fn is_white(&self, byte: u8) -> bool {
        self.class[usize::from(byte)] & WHITE != 0
    }

    /// What stands between the parts of `"$*"`.
    pub(crate) fn joiner(&self) -> &[u8] {
        &self.first
    }
}

impl Default for Ifs {
    fn default() -> Self {
        Self::new(None)
    }
}
