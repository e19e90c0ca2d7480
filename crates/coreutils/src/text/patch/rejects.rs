//! The hunks that were rejected.

use super::Work;
use super::hunks::{FilePatch, Hunk};

impl Work<'_, '_> {
    /// The hunks that were rejected, as a patch of the file itself.
    pub(super) fn rejects_text(&self, patch: &FilePatch, rejected: &[(Hunk, isize)]) -> Vec<u8> {
        let mut text = Vec::new();
        for (sign, header) in [("--- ", &patch.old), ("+++ ", &patch.new)] {
            text.extend_from_slice(sign.as_bytes());
            let name = match &*header.name {
                b"/dev/null" => Vec::new(),
                name => self.stripped(name),
            };
            text.extend_from_slice(if name.is_empty() { b"/dev/null" } else { &name });
            text.extend_from_slice(&header.rest);
            text.push(b'\n');
        }
        let range = |first: usize, moved: isize, count: usize| {
            let first = isize::try_from(first).unwrap_or(isize::MAX).saturating_add(moved);
            match count {
                0 => format!("{},0", first.saturating_sub(1)),
                1 => format!("{first}"),
                _ => format!("{first},{count}"),
            }
        };
        for (hunk, moved) in rejected {
            let old = range(hunk.old_first, *moved, hunk.side(b'-').len());
            let new = range(hunk.new_first, *moved, hunk.side(b'+').len());
            text.extend_from_slice(format!("@@ -{old} +{new} @@").as_bytes());
            text.extend_from_slice(&hunk.function);
            text.push(b'\n');
            for (sign, line) in &hunk.lines {
                text.push(*sign);
                text.extend_from_slice(line);
                if line.last() != Some(&b'\n') {
                    text.extend_from_slice(b"\n\\ No newline at end of file\n");
                }
            }
        }
        text
    }
}
