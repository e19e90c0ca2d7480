//! How the binary is linked.

use std::env::var;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && is("CARGO_CFG_TARGET_ARCH", "x86_64")
    {
        // At a fixed address: nothing is relocated at start, which would take a third of the time of `hookshell sh -c :`
        // (docs/PERFORMANCE.md). The stack stays where the system puts it.
        println!("cargo::rustc-link-arg-bins=-no-pie");
        if let Some(dir) = static_libraries() {
            println!("cargo::rustc-link-arg-bins=-static");
            println!("cargo::rustc-link-arg-bins=-L{}", dir.display());
        }
        if let Some(script) = function_order() {
            println!("cargo::rustc-link-arg-bins=-T{}", script.display());
            // Functions of the same machine code are one: 0.4 MB less.
            println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
        }
    }
}

/// The linker's script by which what a start runs stands together: a third of the page faults of `hookshell run`
/// (docs/PERFORMANCE.md; `cargo xtask link-order` writes it). `None` in a debug build, whose functions are others, and where another
/// linker was asked for than LLD, with which rustup's compiler links on this target since 1.90: not all of them have such scripts.
fn function_order() -> Option<PathBuf> {
    let script = Path::new(&var("CARGO_MANIFEST_DIR").ok()?).join("link/start.ld");
    println!("cargo::rerun-if-changed={}", script.display());
    let flags = var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let is_lld = var("RUSTC_LINKER").is_err() && !flags.contains("fuse-ld") && !flags.contains("linker");
    (var("PROFILE").is_ok_and(|profile| profile == "release") && is_lld && links_with_lld() && script.exists())
        .then_some(script)
}

fn links_with_lld() -> bool {
    let rustc = var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let Ok(output) = Command::new(&rustc).arg("--version").output() else { return false };
    let version = String::from_utf8_lossy(&output.stdout);
    let minor = version.strip_prefix("rustc 1.").and_then(|version| version.split('.').next());
    let is_new = minor.is_some_and(|minor| minor.parse::<u32>().is_ok_and(|minor| minor >= 90));
    // A distribution's compiler may come without.
    let Ok(output) = Command::new(rustc).args(["--print", "sysroot"]).output() else { return false };
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    is_new && sysroot.join("lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld/ld.lld").exists()
}

/// The libraries that the standard library is linked with, by the names under which the linker looks for them, and the
/// archives that stand for them.
const LIBRARIES: [(&str, &str); 3] =
    [("libc.so", "libc.a"), ("libm.so", "libm.a"), ("libgcc_s.so", "libgcc_eh.a -lgcc -l:libc.a")];

/// A directory by which the linker puts the C library and the unwinder into the binary: to load them as libraries takes a
/// quarter of the time of `hookshell sh -c :`. `None` if there are no such archives (some distributions have a package of
/// their own for them, glibc-static): the binary loads the libraries then.
///
/// This is what `-C target-feature=+crt-static` does, which can be said only by who calls cargo, and together with
/// `--target`. A linker script of a library's name sends the linker to the archive.
fn static_libraries() -> Option<PathBuf> {
    let linker = var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned());
    let dir = Path::new(&var("OUT_DIR").ok()?).join("libraries");
    std::fs::create_dir_all(&dir).ok()?;
    for (library, archives) in LIBRARIES {
        let archive = archives.split(' ').next()?;
        let output = Command::new(&linker).arg(format!("-print-file-name={archive}")).output().ok()?;
        // Where the compiler has no such file it prints the bare name.
        if !Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_absolute() {
            return None;
        }
        std::fs::write(dir.join(library), format!("INPUT(-l:{archives})\n")).ok()?;
    }
    Some(dir)
}
