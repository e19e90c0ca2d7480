//! Modes as `chmod`, `mkdir -m` and `find -perm` read them (XCU `chmod`, gnulib's `modechange`).

/// A mode, or changes to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ModeChange {
    /// An octal number, and how many digits it has: with five and more it clears a directory's set-id bits too.
    Absolute(u32, usize),
    Symbolic(Vec<Change>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    /// The bits of the classes that are named; 0: all, as far as the umask leaves them.
    affected: u32,
    /// `+`, `-` or `=`
    operator: u8,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// Bits of all classes; with `X`.
    Bits(u32, bool),
    /// Those that this class has (0o700, 0o070 or 0o007).
    CopyOf(u32),
    /// All bits of the mode, by a number.
    Number(u32),
}

/// The bits of a mode that are not the type.
const ALL: u32 = 0o7777;

impl ModeChange {
    /// Reads a mode; `None` when it is none.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        if matches!(text.first(), Some(b'0'..=b'7')) {
            if !text.iter().all(|digit| matches!(digit, b'0'..=b'7')) || text.len() > 20 {
                return None;
            }
            let mode = u64::from_str_radix(std::str::from_utf8(text).ok()?, 8).ok()?;
            let mode = u32::try_from(mode).ok().filter(|mode| *mode <= ALL)?;
            return Some(Self::Absolute(mode, text.len()));
        }
        let mut changes = Vec::new();
        for clause in text.split(|byte| *byte == b',') {
            symbolic(clause, &mut changes)?;
        }
        Some(Self::Symbolic(changes))
    }

    /// The permissions of a file with these after the change, and the mask of the bits that the change mentions.
    pub(crate) fn apply(&self, old: u32, is_dir: bool, umask: u32) -> (u32, u32) {
        let old = old & ALL;
        match self {
            Self::Absolute(mode, digits) => {
                // Directories keep their set-id bits, unless they are mentioned.
                let kept = if is_dir && *digits < 5 { old & 0o6000 & !mode } else { 0 };
                let mentioned = if *digits < 5 { mode & 0o7000 | 0o777 } else { ALL };
                (mode | kept, mentioned)
            }
            Self::Symbolic(changes) => changes.iter().fold((old, 0), |(mode, mentioned), change| {
                let (mode, more) = change.apply(mode, is_dir, umask);
                (mode, mentioned | more)
            }),
        }
    }
}

fn symbolic(mut text: &[u8], changes: &mut Vec<Change>) -> Option<()> {
    let mut affected = 0;
    while let [class @ (b'u' | b'g' | b'o' | b'a'), rest @ ..] = text {
        affected |= match class {
            b'u' => 0o4700,
            b'g' => 0o2070,
            b'o' => 0o1007,
            _ => ALL,
        };
        text = rest;
    }
    if text.is_empty() {
        return None;
    }
    while let [operator, rest @ ..] = text {
        if !matches!(operator, b'+' | b'-' | b'=') {
            return None;
        }
        text = rest;
        let what = match text {
            // GNU's: the mode of all classes.
            [b'0'..=b'7', ..] if affected == 0 => {
                let digits = text;
                if digits.len() > 20 || !digits.iter().all(|digit| matches!(digit, b'0'..=b'7')) {
                    return None;
                }
                let mode = u64::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()?;
                let mode = u32::try_from(mode).ok().filter(|mode| *mode <= ALL)?;
                changes.push(Change { affected: ALL, operator: *operator, what: What::Number(mode) });
                return Some(());
            }
            [b'0'..=b'7', ..] => return None,
            [class @ (b'u' | b'g' | b'o'), rest @ ..] => {
                text = rest;
                What::CopyOf(match class {
                    b'u' => 0o700,
                    b'g' => 0o070,
                    _ => 0o007,
                })
            }
            _ => {
                let (mut bits, mut is_conditional) = (0, false);
                while let [letter, rest @ ..] = text {
                    match letter {
                        b'r' => bits |= 0o444,
                        b'w' => bits |= 0o222,
                        b'x' => bits |= 0o111,
                        b'X' => is_conditional = true,
                        // Set-id bits only where the class has them.
                        b's' => bits |= 0o6000,
                        b't' => bits |= 0o1000,
                        _ => break,
                    }
                    text = rest;
                }
                What::Bits(bits, is_conditional)
            }
        };
        changes.push(Change { affected, operator: *operator, what });
    }
    Some(())
}

impl Change {
    fn apply(self, mode: u32, is_dir: bool, umask: u32) -> (u32, u32) {
        // With no mention of it the set-id bits of directories stay.
        let omitted = if is_dir { 0o6000 } else { 0 };
        let mut value = match self.what {
            What::Number(bits) => bits,
            What::Bits(bits, is_conditional) => {
                let execute = is_conditional && (is_dir || mode & 0o111 != 0);
                bits | if execute { 0o111 } else { 0 }
            }
            What::CopyOf(class) => {
                let bits = mode & class;
                let has = |bit: u32, all: u32| if bits & bit != 0 { all } else { 0 };
                has(0o444, 0o444) | has(0o222, 0o222) | has(0o111, 0o111)
            }
        };
        let mentioned = match self.what {
            What::Bits(bits, _) => bits,
            What::CopyOf(_) => 0,
            What::Number(_) => ALL,
        };
        let omitted = omitted & !mentioned;
        // gnulib: a class that is named limits, and where none is, the umask does.
        let limit = if self.affected != 0 { self.affected } else { !umask };
        value &= limit & !omitted;
        match self.operator {
            b'=' => {
                let preserved = if self.affected != 0 { !self.affected } else { 0 } | omitted;
                ((mode & preserved | value) & ALL, !preserved & ALL)
            }
            b'+' => ((mode | value) & ALL, value),
            _ => (mode & !value & ALL, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ModeChange;

    #[test]
    fn modes_change_as_chmod_changes_them() {
        let cases: &[(&str, u32, bool, u32)] = &[
            ("755", 0, false, 0o755),
            ("0", 0o777, false, 0),
            ("u+x", 0o644, false, 0o744),
            ("+x", 0o644, false, 0o755),
            ("a-w", 0o666, false, 0o444),
            ("u=rwx,go=rx", 0, false, 0o755),
            ("go=", 0o777, false, 0o700),
            ("g=u", 0o640, false, 0o660),
            ("+X", 0o644, false, 0o644),
            ("+X", 0o744, false, 0o755),
            ("a+X", 0o644, true, 0o755),
            ("u+s,+t", 0o755, false, 0o5755),
            ("755", 0o2700, true, 0o2755),
            ("00755", 0o2700, true, 0o755),
            ("u=rwx-x", 0, false, 0o600),
            ("=755", 0o2700, true, 0o755),
            ("+111", 0o644, false, 0o755),
            ("u+x,-0022", 0o666, false, 0o744),
        ];
        for (text, old, is_dir, new) in cases {
            let change = ModeChange::parse(text.as_bytes()).unwrap();
            assert_eq!(format!("{:o}", change.apply(*old, *is_dir, 0o022).0), format!("{new:o}"), "{text}");
        }
        for text in ["", "888", "x", "u", "u+y", "10000", "u+x,", "u+7", "+8", "+17777", "+1+1"] {
            assert_eq!(ModeChange::parse(text.as_bytes()), None, "{text}");
        }
    }
}
