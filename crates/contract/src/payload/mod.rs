//! What a hook reads on its standard input, and the same text read back as an event.

mod read;
mod write;

pub use self::read::{PayloadContext, PayloadError};
pub use self::write::{Object, build, write_detail};

#[cfg(test)]
mod tests;
