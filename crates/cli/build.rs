//! How the binary is linked.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| var(name).is_ok_and(|found| found == value);
    // At a fixed address: nothing is relocated at start, which would take a third of the time of `hookshell sh -c :`
    // (docs/PERFORMANCE.md). The libraries and the stack stay where the system puts them.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && is("CARGO_CFG_TARGET_ARCH", "x86_64")
    {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
