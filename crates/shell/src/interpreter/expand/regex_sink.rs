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
        // After the last bracket that closes none is looked for.
        let last = bytes.iter().zip(quoted).rposition(|(byte, is_quoted)| *byte == b']' && !is_quoted);
        let mut searched = vec![0; bytes.len()];
        let mut source = Vec::with_capacity(bytes.len() + 8);
        let mut at = 0;
        while let (Some(&byte), Some(&is_quoted)) = (bytes.get(at), quoted.get(at)) {
            if byte == b'['
                && !is_quoted
                && Some(at) < last
                && let Some(bracket) = self.bracket_end(at, &mut searched).and_then(|end| bytes.get(at..=end))
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
    ///
    /// Many that are not closed are searched in linear time: `searched` has a bit at each byte for each class in which a
    /// search has come there, and another one finds what that one did, which is none.
    fn bracket_end(&self, open: usize, searched: &mut [u8]) -> Option<usize> {
        let plain = |at: usize| self.bytes.get(at).copied().filter(|_| self.quoted.get(at) == Some(&false));
        let mut at = open + 1;
        at += usize::from(plain(at) == Some(b'^'));
        at += usize::from(plain(at) == Some(b']'));
        // bash takes the first one as it is.
        let mut is_first = true;
        // In `[:alpha:]`, `[=a=]` or `[.-.]`.
        let mut class = None;
        while let Some(before) = searched.get_mut(at) {
            if !is_first {
                let bit = match class {
                    None => 1,
                    Some(b':') => 2,
                    Some(b'=') => 4,
                    Some(_) => 8,
                };
                if *before & bit != 0 {
                    return None;
                }
                *before |= bit;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_that_are_not_closed_take_linear_time() {
        // What is quadratic takes minutes.
        const MANY: usize = 200_000;
        for (open, end) in [("[:", ":]"), ("[=", "=]"), ("[", "[:x:]"), ("[[.", ".]"), ("[:[=", "=]")] {
            let text = [open.repeat(MANY), end.to_owned()].concat();
            let mut sink = RegexSink::default();
            sink.push(b"a.", true);
            sink.push(text.as_bytes(), false);
            let expected = [br"a\.", text.as_bytes()].concat();
            assert!(sink.into_source() == expected, "{open}{end}");
        }
    }
}
