//! Why a config file is read in a dialect.

/// Why a config file is read in a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Guess {
    /// It was said so.
    Told,
    /// By the file's name and directory.
    Path,
    /// By how the hooks stand in it, and what they are called.
    Shape,
    /// Nothing speaks for another.
    Default,
}

impl Guess {
    /// The reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Told => "as asked for",
            Self::Path => "by the file's path",
            Self::Shape => "by the shape of its hooks",
            Self::Default => "as nothing speaks for another",
        }
    }
}
