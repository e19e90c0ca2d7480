//! How a hook came to be run.

/// Who named the file that a hook's config stands in: what a [`TrustPolicy`](crate::TrustPolicy) goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The host or the user named it for this run, or a program made it.
    #[default]
    Given,
    /// It was found in the user's own folders.
    User,
    /// It was found in the project's folder: whoever wrote the project wrote it.
    Project,
}

impl Origin {
    /// One word: `given`, `user` or `project`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}
