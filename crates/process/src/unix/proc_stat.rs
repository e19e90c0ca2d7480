//! What Linux says of a process in one line, `/proc/PID/stat` (proc(5)).

use std::fmt::Display;

/// The line of a process: `ID (NAME) STATE PARENT …`.
pub(crate) struct ProcStat {
    line: Vec<u8>,
    /// Where the parentheses around the name are, which may have anything in it.
    name: (usize, usize),
}

impl ProcStat {
    /// `None`: there is no such process, or the system does not tell.
    pub(crate) fn read(id: impl Display) -> Option<Self> {
        Self::parse(std::fs::read(format!("/proc/{id}/stat")).ok()?)
    }

    fn parse(line: Vec<u8>) -> Option<Self> {
        let begin = line.iter().position(|&byte| byte == b'(')?;
        let end = line.iter().rposition(|&byte| byte == b')').filter(|end| *end > begin)?;
        Some(Self { line, name: (begin, end) })
    }

    /// The first fifteen bytes of the program's name, unless it gave itself another.
    pub(crate) fn name(&self) -> &[u8] {
        &self.line[self.name.0 + 1..self.name.1]
    }

    /// A field by its number in proc(5), from 3 on: that is the state.
    pub(crate) fn field(&self, number: usize) -> Option<&[u8]> {
        let fields = self.line[self.name.1 + 1..].split(u8::is_ascii_whitespace);
        fields.filter(|field| !field.is_empty()).nth(number.checked_sub(3)?)
    }

    /// Likewise, of one that is a number.
    pub(crate) fn number<N: std::str::FromStr>(&self, field: usize) -> Option<N> {
        std::str::from_utf8(self.field(field)?).ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::ProcStat;

    #[test]
    fn a_name_may_have_anything_in_it() {
        let stat = ProcStat::parse(b"7 (a) b (c) S 3 7 7\n".to_vec()).unwrap();
        assert_eq!((stat.name(), stat.field(3), stat.number(4)), (&b"a) b (c"[..], Some(&b"S"[..]), Some(3_u32)));
        assert_eq!((stat.field(2), stat.field(7), stat.number::<u32>(3)), (None, None, None));
        assert!(ProcStat::parse(b"7 )(".to_vec()).is_none());
        assert!(
            ProcStat::read(std::process::id()).is_some_and(|stat| stat.number(4) == Some(crate::system::parent_id()))
        );
    }
}
