//! What a utility declares of the program that it stands in for.

/// The name in its messages, and the statuses with which it ends where it cannot do its work.
///
/// Most programs give 1 for everything; what is another status is declared by the utility: `Profile::new("sed").write_error(Some(4))`.
#[derive(Debug, Clone, Copy)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// What it ends with when its command line is wrong.
    pub usage: u8,
    /// What it ends with when standard output takes nothing more; `None`: it does not look, and ends well.
    pub write_error: Option<u8>,
}

impl Profile {
    /// Of a utility that ends with 1 for everything.
    pub const fn new(name: &'static str) -> Self {
        Self { name, usage: 1, write_error: Some(1) }
    }

    /// Another status for a wrong command line.
    pub const fn usage(self, status: u8) -> Self {
        Self { usage: status, ..self }
    }

    /// Another status for standard output that takes nothing more.
    pub const fn write_error(self, status: Option<u8>) -> Self {
        Self { write_error: status, ..self }
    }
}

impl From<&'static str> for Profile {
    fn from(name: &'static str) -> Self {
        Self::new(name)
    }
}
