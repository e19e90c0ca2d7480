//! The conversions of `dd` that make lines of blocks and blocks of lines, and its tables of EBCDIC.

/// A conversion between lines and blocks of `cbs=` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// Each line becomes a block.
    ToBlocks,
    /// Each block becomes a line without the spaces at its end.
    FromBlocks,
}

/// What a conversion remembers from block to block.
pub(super) struct Converter {
    kind: Lines,
    size: usize,
    newline: u8,
    space: u8,
    column: usize,
    spaces: usize,
    /// Lines that were longer than a block.
    pub(super) truncated: u64,
}

impl Converter {
    /// `table`: what newlines and spaces become.
    pub(super) fn new(kind: Lines, size: usize, table: Option<&[u8; 256]>) -> Self {
        let of = |byte: u8| table.and_then(|table| table.get(usize::from(byte)).copied()).unwrap_or(byte);
        // From EBCDIC the text is ASCII by then.
        let (newline, space) = if kind == Lines::ToBlocks { (of(b'\n'), of(b' ')) } else { (b'\n', b' ') };
        Self { kind, size, newline, space, column: 0, spaces: 0, truncated: 0 }
    }

    pub(super) fn take(&mut self, data: &[u8], out: &mut Vec<u8>) {
        for &byte in data {
            match self.kind {
                Lines::ToBlocks => self.take_of_line(byte, out),
                Lines::FromBlocks => self.take_of_block(byte, out),
            }
        }
    }

    fn take_of_line(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte == self.newline {
            out.resize(out.len() + self.size.saturating_sub(self.column), self.space);
            self.column = 0;
            return;
        }
        if self.column == self.size {
            self.truncated += 1;
        } else if self.column < self.size {
            out.push(byte);
        }
        self.column += 1;
    }

    fn take_of_block(&mut self, byte: u8, out: &mut Vec<u8>) {
        if self.column >= self.size {
            (self.column, self.spaces) = (0, 0);
            out.push(self.newline);
        }
        self.column += 1;
        if byte == self.space {
            self.spaces += 1;
            return;
        }
        out.resize(out.len() + std::mem::take(&mut self.spaces), self.space);
        out.push(byte);
    }

    /// What is missing at the end of the input.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        match self.kind {
            _ if self.column == 0 => {}
            Lines::ToBlocks => out.resize(out.len() + self.size.saturating_sub(self.column), self.space),
            Lines::FromBlocks => out.push(self.newline),
        }
    }
}

/// `conv=ascii`: from EBCDIC, so that `ebcdic` is taken back.
pub(super) const ASCII: [u8; 256] = {
    let mut ascii = [0; 256];
    let mut byte = 0_u8;
    loop {
        ascii[EBCDIC[byte as usize] as usize] = byte;
        if byte == u8::MAX {
            break ascii;
        }
        byte += 1;
    }
};

/// `conv=ebcdic`: from ASCII.
#[rustfmt::skip]
pub(super) const EBCDIC: [u8; 256] = [
    0x00, 0x01, 0x02, 0x03, 0x37, 0x2d, 0x2e, 0x2f, 0x16, 0x05, 0x25, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
    0x10, 0x11, 0x12, 0x13, 0x3c, 0x3d, 0x32, 0x26, 0x18, 0x19, 0x3f, 0x27, 0x1c, 0x1d, 0x1e, 0x1f,
    0x40, 0x5a, 0x7f, 0x7b, 0x5b, 0x6c, 0x50, 0x7d, 0x4d, 0x5d, 0x5c, 0x4e, 0x6b, 0x60, 0x4b, 0x61,
    0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0x7a, 0x5e, 0x4c, 0x7e, 0x6e, 0x6f,
    0x7c, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6,
    0xd7, 0xd8, 0xd9, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xad, 0xe0, 0xbd, 0x9a, 0x6d,
    0x79, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96,
    0x97, 0x98, 0x99, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xc0, 0x4f, 0xd0, 0x5f, 0x07,
    0x20, 0x21, 0x22, 0x23, 0x24, 0x15, 0x06, 0x17, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x09, 0x0a, 0x1b,
    0x30, 0x31, 0x1a, 0x33, 0x34, 0x35, 0x36, 0x08, 0x38, 0x39, 0x3a, 0x3b, 0x04, 0x14, 0x3e, 0xe1,
    0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57,
    0x58, 0x59, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75,
    0x76, 0x77, 0x78, 0x80, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x90, 0x6a, 0x9b, 0x9c, 0x9d, 0x9e,
    0x9f, 0xa0, 0xaa, 0xab, 0xac, 0x4a, 0xae, 0xaf, 0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7,
    0xb8, 0xb9, 0xba, 0xbb, 0xbc, 0xa1, 0xbe, 0xbf, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xda, 0xdb,
    0xdc, 0xdd, 0xde, 0xdf, 0xea, 0xeb, 0xec, 0xed, 0xee, 0xef, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff,
];

/// `conv=ibm`: from ASCII, as some printers have it: `^`, `~` and three bytes that ASCII does not have.
pub(super) const IBM: [u8; 256] = {
    let mut ibm = EBCDIC;
    ibm[0x5e] = 0x5f;
    ibm[0x7e] = 0xa1;
    ibm[0xcb] = 0x9a;
    ibm[0xd5] = 0xad;
    ibm[0xe5] = 0xbd;
    ibm
};

#[cfg(test)]
mod tests {
    use super::{Converter, Lines};

    #[test]
    fn lines_become_blocks_and_come_back() {
        let convert = |kind, size, parts: &[&[u8]]| {
            let mut converter = Converter::new(kind, size, None);
            let mut out = Vec::new();
            parts.iter().for_each(|part| converter.take(part, &mut out));
            converter.finish(&mut out);
            (String::from_utf8(out).unwrap(), converter.truncated)
        };
        assert_eq!(convert(Lines::ToBlocks, 4, &[b"ab\nab", b"cdef\n\nx"]), ("ab  abcd    x   ".to_owned(), 1));
        assert_eq!(convert(Lines::FromBlocks, 4, &[b"ab  ab", b"cd    x "]), ("ab\nabcd\n\nx\n".to_owned(), 0));
    }
}
