//! `-e` and `-n`: scripts that make one file of the other.

use hookshell_utility::io::Failure;

use super::compare::Change;
use super::print::Printer;

impl Printer<'_, '_, '_, '_> {
    /// For `ed`: from the end, so that line numbers hold.
    pub(super) fn ed(&mut self, changes: &[Change]) -> Result<(), Failure> {
        let right = self.right;
        for change in changes.iter().rev().filter(|change| !change.ignored) {
            self.range(change.lines[0], change.deleted)?;
            self.out.push(match (change.deleted, change.inserted) {
                (0, _) => b"a\n",
                (_, 0) => b"d\n",
                _ => b"c\n",
            })?;
            if change.inserted == 0 {
                continue;
            }
            let mut inserting = true;
            for line in right.lines.iter().skip(change.lines[1]).take(change.inserted) {
                if !inserting {
                    self.out.push(b"a\n")?;
                    inserting = true;
                }
                if *line == b".\n" {
                    // A line of one dot ends the text.
                    self.out.push(b"..\n.\ns/.//\n")?;
                    inserting = false;
                } else {
                    self.text(line)?;
                }
            }
            if inserting {
                self.out.push(b".\n")?;
            }
        }
        Ok(())
    }

    /// For RCS.
    pub(super) fn rcs(&mut self, changes: &[Change]) -> Result<(), Failure> {
        let right = self.right;
        for change in changes.iter().filter(|change| !change.ignored) {
            if change.deleted > 0 {
                self.out.text(format_args!("d{} {}\n", change.lines[0] + 1, change.deleted))?;
            }
            if change.inserted > 0 {
                self.out.text(format_args!("a{} {}\n", change.lines[0] + change.deleted, change.inserted))?;
                for line in right.lines.iter().skip(change.lines[1]).take(change.inserted) {
                    self.text(line)?;
                }
            }
        }
        Ok(())
    }
}
