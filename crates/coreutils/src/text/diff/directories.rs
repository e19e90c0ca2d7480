//! Two directories: what is in both of them, and what in one only.

use hookshell_process::text::from_os;
use hookshell_text::pattern::{Options, matches};
use hookshell_utility::io::Failure;

use super::{Comparison, Side, TROUBLE, joined};

impl Comparison<'_, '_, '_> {
    fn entries(&mut self, side: &Side) -> Result<Option<Vec<Vec<u8>>>, Failure> {
        if side.metadata.is_none() {
            return Ok(Some(Vec::new()));
        }
        let listed = std::fs::read_dir(self.running().path(&side.name))
            .and_then(|entries| entries.map(|entry| Ok(from_os(&entry?.file_name()).into_owned())).collect());
        match listed {
            Ok(names) => {
                let mut names: Vec<Vec<u8>> = names;
                names.sort();
                Ok(Some(names))
            }
            Err(error) => {
                self.out.report_error(&side.name, &error)?;
                Ok(None)
            }
        }
    }

    pub(super) fn directories(&mut self, left: &Side, right: &Side, within: bool) -> Result<u8, Failure> {
        let (Some(lefts), Some(rights)) = (self.entries(left)?, self.entries(right)?) else {
            return Ok(TROUBLE);
        };
        let mut all: Vec<&Vec<u8>> = lefts.iter().chain(&rights).collect();
        all.sort();
        all.dedup();
        let options = Options { extglob: false, nocase: false, bytes: false };
        all.retain(|name| !self.command.excluded.iter().any(|pattern| matches(pattern, name, options)));
        if let Some(first) = self.command.first_name.filter(|_| !within) {
            all.retain(|name| &***name >= first);
        }
        let mut status = 0;
        for name in all {
            let here = [lefts.binary_search(name).is_ok(), rights.binary_search(name).is_ok()];
            let paths = [joined(&left.name, name), joined(&right.name, name)];
            let is_empty_left = self.command.new_file_left && !here[0];
            if !self.command.new_file && !is_empty_left && here != [true, true] {
                self.out.push(b"Only in ")?;
                self.out.push(if here[0] { &left.name } else { &right.name })?;
                self.out.push(b": ")?;
                self.out.push(name)?;
                self.out.byte(b'\n')?;
                status = status.max(1);
                continue;
            }
            let mut sides = Vec::new();
            for (path, here) in paths.iter().zip(here) {
                if !here {
                    sides.push(Side { name: path.clone(), metadata: None, source: None, kept: None });
                    continue;
                }
                match std::fs::metadata(self.running().path(path)) {
                    Ok(metadata) => {
                        sides.push(Side { name: path.clone(), metadata: Some(metadata), source: None, kept: None });
                    }
                    Err(error) => {
                        self.out.report_error(path, &error)?;
                        status = TROUBLE;
                    }
                }
            }
            if let (Some(right), Some(left)) = (sides.pop(), sides.pop()) {
                // A directory that is on one side only is gone through with -r.
                let one_sided = left.metadata.is_none() || right.metadata.is_none();
                if one_sided && (left.is_dir() || right.is_dir()) && !self.command.recursive {
                    self.out.push(b"Common subdirectories: ")?;
                    self.names(&left, &right, b" and ", b"\n")?;
                    continue;
                }
                status = status.max(self.pair(left, right, true)?);
            }
        }
        Ok(status)
    }
}
