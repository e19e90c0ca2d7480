//! The hookshell command line.
fn main() {}
