//! What the two comparisons with the system share.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes an executable script.
pub(crate) fn write_script(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The program that prints its argument vector, each element ended by a NUL. It is a script itself,
/// which the kernel takes as an interpreter, so that no helper binary is needed.
pub(crate) const SHOW: &[u8] = b"#!/bin/sh\nprintf '%s\\0' \"$0\" \"$@\"\n";
