//! Where the parts of a word go while it is expanded.

use hookshell_utility::Args;
use smallvec::SmallVec;

use crate::ifs::Ifs;

/// Takes the text of a word as it is expanded. One implementation for each of the three things that a word is expanded
/// to: fields, one string, and a pattern.
pub(crate) trait Sink {
    /// It makes fields; otherwise `$*` is joined like `"$*"`.
    const FIELDS: bool = false;

    /// It is the value of an assignment: bash joins a changed `"${a[@]#x}"` there like `"${a[*]#x}"`.
    const ASSIGNMENT: bool = false;

    /// It is that of an argument of a declaration utility.
    const DECLARATION: bool = false;

    /// The bytes that it has got so far.
    fn size(&self) -> usize;

    /// Literal text that is never split; with `quoted` its characters have no meaning in a pattern.
    fn text(&mut self, bytes: &[u8], quoted: bool);

    /// The result of an expansion outside double quotes: split where the sink makes fields.
    fn expansion(&mut self, bytes: &[u8], ifs: &Ifs);

    /// The end of one element of `"$@"` (`quoted`) or `$@`, with another one after it.
    fn boundary(&mut self, quoted: bool, ifs: &Ifs);

    /// Double quotes begin that hold a list.
    fn begin_list(&mut self) {}

    /// Ends a field between such double quotes, if anything follows in them; an empty one only where the separator is
    /// `hard`, that is no white space.
    fn separator(&mut self, hard: bool) {
        let _ = hard;
    }

    /// The quotes end.
    fn end_list(&mut self) {}

    /// The run was told to stop: what comes is not complete.
    fn stop(&mut self) {}
}

/// Everything as one string: assignments, here-documents, the subject of `case`.
pub(crate) struct StringSink<'a>(pub(crate) &'a mut Vec<u8>);

impl Sink for StringSink<'_> {
    #[inline]
    fn size(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn text(&mut self, bytes: &[u8], _: bool) {
        self.0.extend_from_slice(bytes);
    }

    #[inline]
    fn expansion(&mut self, bytes: &[u8], _: &Ifs) {
        self.0.extend_from_slice(bytes);
    }

    fn boundary(&mut self, _: bool, _: &Ifs) {
        self.0.push(b' ');
    }
}

/// The value of an assignment, as one string.
pub(crate) struct AssignmentSink<'a, const DECLARATION: bool>(pub(crate) &'a mut Vec<u8>);

impl<const DECLARATION: bool> Sink for AssignmentSink<'_, DECLARATION> {
    const ASSIGNMENT: bool = true;
    const DECLARATION: bool = DECLARATION;

    #[inline]
    fn size(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn text(&mut self, bytes: &[u8], _: bool) {
        self.0.extend_from_slice(bytes);
    }

    #[inline]
    fn expansion(&mut self, bytes: &[u8], _: &Ifs) {
        self.0.extend_from_slice(bytes);
    }

    fn boundary(&mut self, _: bool, _: &Ifs) {
        self.0.push(b' ');
    }
}

/// A pattern in which quoted characters are escaped by a backslash.
pub(crate) struct PatternSink<'a>(pub(crate) &'a mut Vec<u8>);

impl Sink for PatternSink<'_> {
    #[inline]
    fn size(&self) -> usize {
        self.0.len()
    }

    fn text(&mut self, bytes: &[u8], quoted: bool) {
        if quoted {
            hookshell_text::pattern::escape(bytes, self.0);
        } else {
            self.0.extend_from_slice(bytes);
        }
    }

    fn expansion(&mut self, bytes: &[u8], _: &Ifs) {
        self.0.extend_from_slice(bytes);
    }

    fn boundary(&mut self, _: bool, _: &Ifs) {
        self.0.push(b' ');
    }
}

/// A pattern in which every quoted character is escaped, as bash's trace shows it.
pub(crate) struct TracedPatternSink<'a>(pub(crate) &'a mut Vec<u8>);

impl Sink for TracedPatternSink<'_> {
    #[inline]
    fn size(&self) -> usize {
        self.0.len()
    }

    fn text(&mut self, bytes: &[u8], quoted: bool) {
        if !quoted {
            return self.0.extend_from_slice(bytes);
        }
        for (start, end, _) in bstr::ByteSlice::char_indices(bytes) {
            self.0.push(b'\\');
            self.0.extend_from_slice(&bytes[start..end]);
        }
    }

    fn expansion(&mut self, bytes: &[u8], _: &Ifs) {
        self.0.extend_from_slice(bytes);
    }

    fn boundary(&mut self, _: bool, _: &Ifs) {
        self.0.push(b' ');
    }
}

/// How the last field ended, as far as what follows depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    None,
    /// White space of IFS: another separator that is not white space belongs to the same delimiter.
    White,
    Other,
}

/// The fields of a command's words.
pub(crate) struct FieldSink<'a> {
    out: &'a mut Args,
    /// Fields that are patterns: index in `out` and the escaped pattern.
    pub(crate) patterns: Vec<(usize, Vec<u8>)>,
    /// Pathname expansion is on.
    globbing: bool,
    extglob: bool,
    /// The current field holds something, if only an empty quoted string.
    started: bool,
    /// The current field holds an unquoted pattern character.
    special: bool,
    /// The quoted ranges of the current field.
    quoted: SmallVec<[(usize, usize); 4]>,
    delimiter: Delimiter,
    /// Nothing has come yet from the quotes that hold a list, or after the separator in them.
    fresh: bool,
    /// A separator has come: what follows in the same quotes is another field.
    separated: bool,
    /// The fields are not complete: the run was told to stop.
    pub(crate) stopped: bool,
}

impl<'a> FieldSink<'a> {
    pub(crate) fn new(out: &'a mut Args, globbing: bool, extglob: bool) -> Self {
        Self {
            out,
            patterns: Vec::new(),
            globbing,
            extglob,
            started: false,
            special: false,
            quoted: SmallVec::new(),
            delimiter: Delimiter::None,
            fresh: false,
            separated: false,
            stopped: false,
        }
    }

    /// The words so far.
    pub(crate) fn out(&mut self) -> &mut Args {
        self.out
    }

    /// Ends a word: a field that holds anything is finished.
    pub(crate) fn end_word(&mut self) {
        if self.started {
            self.finish();
        }
        self.delimiter = Delimiter::None;
    }

    fn finish(&mut self) {
        // The command's name `[` is no pattern.
        if self.special && self.globbing && *self.out.opened() != *b"[" {
            let field = self.out.opened();
            let mut pattern = Vec::with_capacity(field.len() + 8);
            let mut done = 0;
            for &(mut start, end) in &self.quoted {
                pattern.extend_from_slice(&field[done..start]);
                if field[start] == b'/' {
                    // No escape is put before a slash, so that a backslash before it stays the last of its name.
                    pattern.push(b'/');
                    start += 1;
                }
                hookshell_text::pattern::escape(&field[start..end], &mut pattern);
                done = end;
            }
            pattern.extend_from_slice(&field[done..]);
            self.patterns.push((self.out.len(), pattern));
        }
        self.out.finish();
        self.started = false;
        self.special = false;
        self.quoted.clear();
    }

    #[inline]
    fn note_special(&mut self, bytes: &[u8]) {
        if self.globbing
            && !self.special
            && (memchr::memchr3(b'*', b'?', b'[', bytes).is_some() || (self.extglob && bytes.contains(&b'(')))
        {
            self.special = true;
        }
    }
}

impl Sink for FieldSink<'_> {
    const FIELDS: bool = true;

    #[inline]
    fn size(&self) -> usize {
        self.out.memory()
    }

    #[inline]
    fn text(&mut self, bytes: &[u8], quoted: bool) {
        if self.separated {
            self.finish();
            self.separated = false;
        }
        self.fresh = false;
        self.started = true;
        self.delimiter = Delimiter::None;
        if quoted {
            if self.globbing && !bytes.is_empty() {
                let start = self.out.opened().len();
                if self.out.opened().last() == Some(&b'\\')
                    && self.quoted.last().is_none_or(|&(_, end)| end < start)
                    && bytes[0] != b'/'
                {
                    // An expansion's backslash is for the quoted character's own escape, and leaves the character unquoted.
                    self.note_special(&bytes[..1]);
                }
                self.quoted.push((start, start + bytes.len()));
            }
        } else {
            self.note_special(bytes);
        }
        self.out.open().extend_from_slice(bytes);
    }

    fn expansion(&mut self, bytes: &[u8], ifs: &Ifs) {
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            let length = ifs.separator(rest);
            if length == 0 {
                let (run, after) = rest.split_at(ifs.run(rest));
                self.note_special(run);
                self.out.open().extend_from_slice(run);
                self.started = true;
                self.delimiter = Delimiter::None;
                rest = after;
                continue;
            }
            rest = &rest[length..];
            if self.started {
                self.finish();
                self.delimiter = if ifs.is_white(byte) { Delimiter::White } else { Delimiter::Other };
            } else if !ifs.is_white(byte) {
                if self.delimiter == Delimiter::White {
                    self.delimiter = Delimiter::Other;
                } else {
                    // Two separators in a row, or one at the start: an empty field between them.
                    self.finish();
                    self.delimiter = Delimiter::Other;
                }
            }
        }
    }

    fn boundary(&mut self, quoted: bool, ifs: &Ifs) {
        if !quoted && ifs.joiner_delimits() {
            return self.expansion(ifs.joiner(), ifs);
        }
        if quoted || self.started {
            self.finish();
        }
        self.started = quoted;
        self.delimiter = Delimiter::None;
    }

    fn begin_list(&mut self) {
        self.fresh = true;
    }

    fn separator(&mut self, hard: bool) {
        if self.separated && hard {
            self.finish();
        }
        if hard {
            self.started = true;
        }
        self.separated |= hard || !self.fresh;
    }

    fn end_list(&mut self) {
        self.separated = false;
    }

    fn stop(&mut self) {
        self.stopped = true;
    }
}
