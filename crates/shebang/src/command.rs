//! What a `#!` line starts.

use std::borrow::Cow;
use std::fmt;

use crate::split::is_space;

/// What a `#!` line starts, from [`Shebang::resolve`](crate::Shebang::resolve).
///
/// The child's argument vector is the interpreter as written (the path or the name, not where it
/// was found), `args`, the script's path, and the script's own arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved<'a> {
    /// The program.
    pub interpreter: Interpreter<'a>,
    /// Its arguments from the line.
    pub args: Vec<Cow<'a, [u8]>>,
    /// What `env` sets for it, in order: name (never empty) and value. `env` sets these before it
    /// looks for the program, so that a `PATH` among them counts.
    pub assignments: Vec<(Vec<u8>, Vec<u8>)>,
}

/// The program that a `#!` line names, and how it is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Interpreter<'a> {
    /// A path as in the file, which the kernel opens as it is.
    Path(&'a [u8]),
    /// A command for `env`, found as `execvp` does: with a slash a path, else on PATH. Never empty.
    Name(Cow<'a, [u8]>),
}

/// A likely reason that an interpreter is not found.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// `#!/usr/bin/env python3 -u`: env takes `python3 -u` as one name.
    SplitStringMeant,
    /// `#!/opt/my interpreter/sh`: the path ends at the blank.
    BlankInPath,
    /// `#!/usr/bin/env python3 ` with no newline at the end of the file: the blank is in the name.
    BlankAtEndOfName,
}

impl Interpreter<'_> {
    /// The path or the name, as written: the child's `argv[0]`.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Path(path) => path,
            Self::Name(name) => name,
        }
    }
}

impl Resolved<'_> {
    /// The likely reason, for the message when the interpreter is not found. As GNU env, which says
    /// `use -[v]S to pass options in shebang lines` when the missing name has white space in it; but
    /// `None` if the line has a `-S` already.
    #[must_use]
    pub fn hint(&self) -> Option<Hint> {
        // A name that came out of a -S string is owned.
        let name = match &self.interpreter {
            Interpreter::Name(Cow::Borrowed(name)) => name,
            Interpreter::Path(_) => return self.has_rest_of_path().then_some(Hint::BlankInPath),
            Interpreter::Name(_) => return None,
        };
        let first = name.iter().position(is_space)?;
        if name.iter().skip(first).all(is_space) { Some(Hint::BlankAtEndOfName) } else { Some(Hint::SplitStringMeant) }
    }

    /// Does what stands after the path look like the rest of one: `#!/opt/my interpreter/sh`?
    fn has_rest_of_path(&self) -> bool {
        let is_new = |word: &&[u8]| word.first().is_some_and(|first| b"-/\\.".contains(first));
        let rest = self.args.first().map(Cow::as_ref).unwrap_or_default();
        let mut words = rest.split(is_space).take_while(|word| !is_new(word));
        words.any(|word| word.iter().any(|byte| b"/\\".contains(byte)))
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SplitStringMeant => {
                "env takes the rest of the line as one name: use -S to pass arguments, \
                 #!/usr/bin/env -S NAME ARGUMENTS"
            }
            Self::BlankInPath => {
                "a #! line ends the path at its first blank: name an interpreter whose path has none, or name it in the \
                 hook's command, in quotes and before the script"
            }
            Self::BlankAtEndOfName => "the name ends in white space: end the #! line with a newline right after it",
        })
    }
}
