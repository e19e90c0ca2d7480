//! How the binary is linked.

use std::env::var;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && is("CARGO_CFG_TARGET_ARCH", "x86_64")
    {
        // At a fixed address: nothing is relocated at start, which would take a third of the time of `hookshell sh -c :`
        // (docs/PERFORMANCE.md). The libraries and the stack stay where the system puts them.
        println!("cargo::rustc-link-arg-bins=-no-pie");
        link_unwinder_statically();
    }
}

/// Puts the unwinder, a few pages of code, into the binary: to load it as a library takes a tenth of the time of
/// `hookshell sh -c :`. The standard library asks the linker for `libgcc_s.so`, and a linker script of that name sends it
/// to the archive; and to the C library, which so stands before the mathematical one, where the loader looks for each
/// symbol in turn.
fn link_unwinder_statically() {
    let linker = var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned());
    let Ok(output) = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output() else { return };
    // Where the compiler has no such file it prints the bare name.
    let has_archive = Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_absolute();
    let Ok(folder) = var("OUT_DIR") else { return };
    let folder = Path::new(&folder).join("unwinder");
    let script = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join("libgcc_s.so"), "INPUT(-lgcc_eh -lgcc -lc)\n"));
    if has_archive && script.is_ok() {
        println!("cargo::rustc-link-arg-bins=-L{}", folder.display());
    }
}
