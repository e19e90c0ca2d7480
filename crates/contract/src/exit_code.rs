//! The exit codes that say something, of a hook and of `hookshell run`.

/// The exit code that blocks the call.
pub const DENY: u8 = 2;
/// The exit code that ends the turn. It lies between generic errors (1–30), sysexits (64–78) and signals (128 up), so
/// that nothing exits with it by accident.
pub const HALT: u8 = 49;
