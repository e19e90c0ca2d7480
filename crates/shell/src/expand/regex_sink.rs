//! The right side of `[[ =~ ]]`.

use super::sink::Sink;
use crate::ifs::Ifs;

/// A regular expression of `[[ =~ ]]`, in which quoted characters stand for themselves.
#[derive(Default)]
pub(crate) struct RegexSink {
    bytes: Vec<u8>,
    /// Which of them are quoted.
    quoted: Vec<bool>,
}

impl RegexSink {
    /// The expression, as bash makes it (`quote_string_for_globbing`): a quoted character that means something has a backslash. In a
    /// bracket expression, where POSIX has a backslash stand for itself, there is none: `[\]x]` is `[]x]`, and `["^"x]` is
    /// `[^x]`.
    pub(crate) fn into_source(self) -> Vec<u8> {
        let Self { bytes, quoted } = &self;
        if !quoted.contains(&true) {
            return self.bytes;
        }
        // Behind the last bracket that closes none is looked for: each of many that open would search to the end.
        let last = bytes.iter().zip(quoted).rposition(|(byte, is_quoted)| *byte == b']' && !is_quoted);
        let mut source = Vec::with_capacity(bytes.len() + 8);
        let mut at = 0;
        while let (Some(&byte), Some(&is_quoted)) = (bytes.get(at), quoted.get(at)) {
            if byte == b'['
                && !is_quoted
                && Some(at) < last
                && let Some(bracket) = self.bracket_end(at).and_then(|end| bytes.get(at..=end))
            {
                source.extend_from_slice(bracket);
                at += bracket.len();
                continue;
            }
            if is_quoted && b".[\\()*+?{|^$".contains(&byte) {
                source.push(b'\\');
            }
            source.push(byte);
            at += 1;
        }
        source
    }

    /// Where the bracket expression that begins at `open` has its last bracket.
    fn bracket_end(&self, open: usize) -> Option<usize> {
        let plain = |at: usize| self.bytes.get(at).copied().filter(|_| self.quoted.get(at) == Some(&false));
        let mut at = open + 1;
        at += usize::from(plain(at) == Some(b'^'));
        at += usize::from(plain(at) == Some(b']'));
        // bash takes the first one as it is.
        let mut is_first = true;
        // In `[:alpha:]`, `[=a=]` or `[.-.]`.
        let mut class = None;
        while at < self.bytes.len() {
            match (plain(at), plain(at + 1)) {
                (Some(b']'), _) if !is_first => return Some(at),
                (Some(b'['), Some(kind @ (b':' | b'=' | b'.'))) => {
                    class = Some(kind);
                    at += 2;
                    at += usize::from(kind != b':' && plain(at) == Some(b']'));
                }
                (Some(kind), Some(b']')) if class == Some(kind) => {
                    class = None;
                    at += 2;
                }
                _ => at += 1,
            }
            is_first = false;
        }
        None
    }

    fn push(&mut self, bytes: &[u8], quoted: bool) {
        self.bytes.extend_from_slice(bytes);
        self.quoted.resize(self.bytes.len(), quoted);
    }
}

impl Sink for RegexSink {
    #[inline]
    fn size(&self) -> usize {
        self.bytes.len()
    }

    fn text(&mut self, bytes: &[u8], quoted: bool) {
        self.push(bytes, quoted);
    }

    fn expansion(&mut self, bytes: &[u8], _: &Ifs) {
        self.push(bytes, false);
    }

    fn boundary(&mut self, _: bool, _: &Ifs) {
        self.push(b" ", false);
    }
}
