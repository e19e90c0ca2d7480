//! The text of a patch: what it says of each file.

use super::Unreadable;

/// What a patch changes in one file.
#[derive(Debug, Default, Clone)]
pub(super) struct FilePatch {
    /// The lines `--- name` and `+++ name`: the name, and what stands after it with its tab.
    pub(super) old: Header,
    pub(super) new: Header,
    /// There is no file before, or after it.
    pub(super) creates: bool,
    pub(super) deletes: bool,
    /// `rename from`, `rename to`
    pub(super) rename: Option<(Vec<u8>, Vec<u8>)>,
    pub(super) is_executable: Option<bool>,
    pub(super) hunks: Vec<Hunk>,
    /// The lines had CR at their ends, which were taken away.
    pub(super) had_carriage_returns: bool,
    /// The number of the first line, and the text that leads up to the first hunk.
    pub(super) line: usize,
    pub(super) leading: Vec<u8>,
}

/// A name in a header.
#[derive(Debug, Default, Clone)]
pub(super) struct Header {
    pub(super) name: Vec<u8>,
    pub(super) rest: Vec<u8>,
}

/// One hunk. Lines have their newline, which the last one of a file may lack.
#[derive(Debug, Default, Clone)]
pub(super) struct Hunk {
    pub(super) old_first: usize,
    pub(super) new_first: usize,
    /// What follows the second `@@`.
    pub(super) function: Vec<u8>,
    /// The lines in the order of the patch: ` `, `-` or `+`, and the text.
    pub(super) lines: Vec<(u8, Vec<u8>)>,
}

impl Hunk {
    /// The lines that must be there (`-`), or those that come instead (`+`).
    pub(super) fn side(&self, sign: u8) -> Vec<&[u8]> {
        self.lines.iter().filter(|(own, _)| *own == b' ' || *own == sign).map(|(_, text)| &**text).collect()
    }

    /// How many lines of context it begins and ends with.
    pub(super) fn context(&self) -> (usize, usize) {
        let is_context = |(sign, _): &&(u8, Vec<u8>)| *sign == b' ';
        (self.lines.iter().take_while(is_context).count(), self.lines.iter().rev().take_while(is_context).count())
    }

    /// The change the other way round.
    pub(super) fn reverse(&mut self) {
        std::mem::swap(&mut self.old_first, &mut self.new_first);
        for (sign, _) in &mut self.lines {
            *sign = match *sign {
                b'-' => b'+',
                b'+' => b'-',
                other => other,
            };
        }
        // The lines that go stand before those that come.
        let mut from = 0;
        while from < self.lines.len() {
            let changed = self.lines.iter().skip(from).take_while(|(sign, _)| *sign != b' ').count();
            if let Some(run) = self.lines.get_mut(from..from + changed) {
                run.sort_by_key(|(sign, _)| *sign == b'+');
            }
            from += changed + 1;
        }
    }
}

impl FilePatch {
    /// Is nothing left of the file?
    pub(super) fn empties(&self) -> bool {
        matches!(&*self.hunks, [hunk] if hunk.side(b'+').is_empty() && hunk.new_first <= 1)
    }

    /// The change the other way round.
    pub(super) fn reverse(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        std::mem::swap(&mut self.creates, &mut self.deletes);
        if let Some((from, to)) = &mut self.rename {
            std::mem::swap(from, to);
        }
        self.hunks.iter_mut().for_each(Hunk::reverse);
    }
}

/// Reads a patch of unified diffs, with git's headers or without.
pub(super) fn parse(text: &[u8]) -> Result<Vec<FilePatch>, Unreadable> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let line = |at: usize| lines.get(at).copied().unwrap_or_default();
    let mut patches = Vec::new();
    let mut git: Option<FilePatch> = None;
    let mut begin = 0;
    let mut at = 0;
    while at < lines.len() {
        let here = trimmed(line(at));
        if here.starts_with(b"diff --git ") {
            finish_git(git.take(), &mut patches);
            git = Some(FilePatch { line: at + 1, ..FilePatch::default() });
        } else if let Some(header) = &mut git
            && git_line(header, here)?
        {
        } else if here.starts_with(b"--- ") && line(at + 1).starts_with(b"+++ ") && line(at + 2).starts_with(b"@@ -") {
            let mut patch = git.take().unwrap_or_default();
            patch.line = at + 1;
            patch.had_carriage_returns = line(at).ends_with(b"\r\n");
            patch.old = header(here);
            patch.new = header(trimmed(line(at + 1)));
            let is_null = |header: &Header| header.name == b"/dev/null" || is_epoch(&header.rest);
            at += 2;
            patch.leading = lines.get(begin..at).unwrap_or_default().concat();
            while line(at).starts_with(b"@@ -") {
                let hunk;
                (hunk, at) = read_hunk(&lines, at, patch.had_carriage_returns)?;
                patch.hunks.push(hunk);
            }
            if let [hunk] = &*patch.hunks {
                patch.creates |= is_null(&patch.old) && hunk.side(b'-').is_empty();
                patch.deletes |= is_null(&patch.new) && hunk.side(b'+').is_empty();
            }
            patches.push(patch);
            begin = at;
            continue;
        } else if here.starts_with(b"*** ") && line(at + 1).starts_with(b"--- ") && line(at + 2).starts_with(b"*****") {
            return Err(Unreadable::Unsupported("context diffs"));
        } else if is_normal(here) && matches!(line(at + 1).first(), Some(b'<' | b'>')) {
            return Err(Unreadable::Unsupported("normal diffs"));
        }
        at += 1;
    }
    finish_git(git, &mut patches);
    if patches.is_empty() { Err(Unreadable::Garbage) } else { Ok(patches) }
}

/// A file of git's without a change of its text: renamed, empty, or with another mode.
fn finish_git(header: Option<FilePatch>, patches: &mut Vec<FilePatch>) {
    let Some(header) = header else { return };
    if header.rename.is_some() {
        patches.push(header);
    }
}

/// Takes a line of git's header.
fn git_line(patch: &mut FilePatch, line: &[u8]) -> Result<bool, Unreadable> {
    let executable = |mode: &[u8]| Some(mode.ends_with(b"755"));
    if let Some(mode) = line.strip_prefix(b"new file mode ") {
        patch.creates = true;
        patch.is_executable = executable(mode);
    } else if let Some(mode) = line.strip_prefix(b"new mode ") {
        patch.is_executable = executable(mode);
    } else if line.starts_with(b"deleted file mode ") {
        patch.deletes = true;
    } else if let Some(name) = line.strip_prefix(b"rename from ") {
        patch.rename.get_or_insert_default().0 = plain(name);
    } else if let Some(name) = line.strip_prefix(b"rename to ") {
        patch.rename.get_or_insert_default().1 = plain(name);
    } else if line.starts_with(b"copy from ") {
        return Err(Unreadable::Unsupported("copies of files"));
    } else if line == b"GIT binary patch" || line.starts_with(b"Binary files ") {
        return Err(Unreadable::Unsupported("binary diffs"));
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A name in quotes as in C, in which git writes what is not plain, and what stands after it.
fn unquoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((name, rest)),
            b'\\' => {
                let (&letter, after) = rest.split_first()?;
                rest = after;
                name.push(match letter {
                    b'a' => 7,
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    b'\\' | b'"' => letter,
                    b'0'..=b'3' => {
                        let digits =
                            after.get(..2).filter(|digits| digits.iter().all(|it| matches!(it, b'0'..=b'7')))?;
                        rest = after.get(2..).unwrap_or_default();
                        digits.iter().fold(letter - b'0', |value, digit| value * 8 + (digit - b'0'))
                    }
                    _ => return None,
                });
            }
            _ => name.push(byte),
        }
    }
}

/// A name that may be in quotes.
fn plain(name: &[u8]) -> Vec<u8> {
    unquoted(name).filter(|(_, rest)| rest.is_empty()).map_or_else(|| name.to_vec(), |(name, _)| name)
}

fn header(line: &[u8]) -> Header {
    let text = line.get(4..).unwrap_or_default();
    if let Some((name, rest)) = unquoted(text) {
        return Header { name, rest: rest.to_vec() };
    }
    let end = text.iter().position(|byte| *byte == b'\t').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    Header { name: name.to_vec(), rest: rest.to_vec() }
}

/// Is it the time at which diff says that there is no file?
fn is_epoch(stamp: &[u8]) -> bool {
    let stamp = stamp.trim_ascii();
    stamp.starts_with(b"1970-01-01 ") || stamp.starts_with(b"1969-12-31 ")
}

/// `1,2c3`
fn is_normal(line: &[u8]) -> bool {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(|byte| byte.is_ascii_digit() || *byte == b',');
    match line.iter().position(|byte| b"acd".contains(byte)) {
        Some(at) => digits(line.get(..at).unwrap_or_default()) && digits(line.get(at + 1..).unwrap_or_default()),
        None => false,
    }
}

/// `12,3`: the first line and how many.
fn range(text: &[u8]) -> Option<(usize, usize)> {
    let text = std::str::from_utf8(text).ok()?;
    match text.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// How many blank lines may be missing at the end of a patch.
const MOST_LOST: usize = 3;

fn read_hunk(lines: &[&[u8]], start: usize, carriage_returns: bool) -> Result<(Hunk, usize), Unreadable> {
    let malformed =
        |at: usize| Unreadable::Malformed(at + 1, trimmed(lines.get(at).copied().unwrap_or_default()).to_vec());
    let head = trimmed(lines.get(start).copied().unwrap_or_default());
    let wrong = || malformed(start);
    let text = head.strip_prefix(b"@@ -").ok_or_else(wrong)?;
    let at = memchr::memmem::find(text, b" +").ok_or_else(wrong)?;
    let (old, text) = (text.get(..at).unwrap_or_default(), text.get(at + 2..).unwrap_or_default());
    let at = memchr::memmem::find(text, b" @@").ok_or_else(wrong)?;
    let (new, function) = (text.get(..at).unwrap_or_default(), text.get(at + 3..).unwrap_or_default());
    let ((old_first, mut old_left), (new_first, mut new_left)) = range(old).zip(range(new)).ok_or_else(wrong)?;
    let mut hunk = Hunk {
        // After a line, where there are none.
        old_first: old_first.saturating_add(usize::from(old_left == 0)),
        new_first: new_first.saturating_add(usize::from(new_left == 0)),
        function: function.to_vec(),
        lines: Vec::new(),
    };
    let mut at = start + 1;
    while old_left > 0 || new_left > 0 {
        let Some(line) = lines.get(at) else {
            // Blank lines at its end were lost.
            if old_left != new_left || old_left > MOST_LOST {
                return Err(Unreadable::Truncated(at));
            }
            hunk.lines.extend((0..old_left).map(|_| (b' ', b"\n".to_vec())));
            break;
        };
        let mut text = line.get(1..).unwrap_or_default().to_vec();
        if carriage_returns && text.ends_with(b"\r\n") {
            text.truncate(text.len() - 2);
            text.push(b'\n');
        }
        let (sign, old, new) = match line.first() {
            Some(b'-') => (b'-', 1, 0),
            Some(b'+') => (b'+', 0, 1),
            Some(b' ') => (b' ', 1, 1),
            // Mailers take the blank off an empty line.
            Some(b'\n' | b'\r') => {
                text = b"\n".to_vec();
                (b' ', 1, 1)
            }
            Some(b'\\') => {
                without_newline(&mut hunk);
                at += 1;
                continue;
            }
            _ => return Err(malformed(at)),
        };
        old_left = usize::checked_sub(old_left, old).ok_or_else(|| malformed(at))?;
        new_left = usize::checked_sub(new_left, new).ok_or_else(|| malformed(at))?;
        hunk.lines.push((sign, text));
        at += 1;
    }
    if lines.get(at).is_some_and(|line| line.starts_with(b"\\")) {
        without_newline(&mut hunk);
        at += 1;
    }
    Ok((hunk, at))
}

/// `\ No newline at end of file`
fn without_newline(hunk: &mut Hunk) {
    if let Some((_, text)) = hunk.lines.last_mut()
        && text.last() == Some(&b'\n')
    {
        text.pop();
    }
}
