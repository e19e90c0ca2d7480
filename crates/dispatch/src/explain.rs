//! What would be done with a command, and why.

use std::fmt;
use std::path::PathBuf;

use crate::route::Route;

/// What would be done with a command, without running it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The command's words; expansions as they stand in the source.
    pub tokens: Vec<String>,
    /// The first word of a command that is one simple command.
    pub argv0: Option<String>,
    /// Where it goes.
    pub route: Route,
    /// The program that would be started, where one would be.
    pub program: Option<PathBuf>,
    /// The arguments it would be given, `argv[0]` included.
    pub argv: Vec<String>,
    /// The why, step by step.
    pub reasons: Vec<String>,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |words: &[String]| {
            let quoted: Vec<_> = words.iter().map(|word| shell_words::quote(word).into_owned()).collect();
            quoted.join(" ")
        };
        writeln!(f, "tokens:  {}", list(&self.tokens))?;
        writeln!(f, "argv[0]: {}", self.argv0.as_deref().unwrap_or("(none)"))?;
        writeln!(f, "route:   {}", self.route)?;
        if let Some(program) = &self.program {
            writeln!(f, "starts:  {}", program.display())?;
            writeln!(f, "argv:    {}", list(&self.argv))?;
        }
        for reason in &self.reasons {
            writeln!(f, "because: {reason}")?;
        }
        Ok(())
    }
}
