//! Whether the code compiles for a system that is not this one: its types and all that stands after a `cfg`, as far as a
//! compiler alone can tell.
//!
//! With rustup the target's standard library is installed (`rustup target add`), else it is built from Debian's source package
//! by Debian's own rustc (`-Zbuild-std`), as the Windows tests build theirs. Nothing is linked, so neither a linker nor an SDK of
//! that system is needed.

use std::path::Path;
use std::process::Command;

use hookshell_test_support::requires_programs;

use crate::error::Error;
use crate::run::{capture, run};
use crate::workspace::Workspace;

/// What belongs to no product: developer commands and tests.
const LEFT_OUT: [&str; 3] = ["xtask", "hookshell-tests", "hookshell-test-support"];

/// Debian's compiler and cargo, of the packages `rustc-web` and `cargo-web`.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";

/// What `cargo xtask` and rustup set, and what would lead Debian's cargo to another compiler or directory.
const UNSET: [&str; 9] = [
    "CARGO",
    "RUSTUP_TOOLCHAIN",
    "LD_LIBRARY_PATH",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_TARGET",
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_MANIFEST_DIR",
];

/// What is compiled.
#[derive(Clone, Copy)]
pub(crate) enum What {
    /// All that is no developer's tool.
    Products,
    /// One crate, and what it depends on.
    Package(&'static str),
}

/// Compiles the products, or one crate of them, for `triple`. Where there is no standard library for it and no source of one, it
/// says so and passes; with `REQUIRE_INTERPRETERS=1` that is an error.
pub(crate) fn check(workspace: &Workspace, triple: &str, what: What) -> Result<(), Error> {
    if cfg!(windows) {
        return skipped(&format!("{triple} is not checked on Windows"));
    }
    let mut command = if is_installed(workspace, triple)? {
        let mut command = workspace.cargo(&["clippy", "--locked", "--target", triple]);
        command.env("CARGO_TARGET_DIR", workspace.target().join("cross"));
        select(&mut command, what);
        command.args(["--", "-D", "warnings"]);
        command
    } else if has_debian_source(workspace)? {
        from_source(workspace, triple, what)
    } else {
        let why = format!(
            "{triple} is not checked: it needs `rustup target add {triple}`, or Debian's packages rustc-web, cargo-web and \
             rust-web-src"
        );
        return if requires_programs() { Err(Error::Unexpected(why)) } else { skipped(&why) };
    };
    without_c(workspace, triple, &mut command)?;
    run(&mut command)
}

/// Parts in C (ring's) are not compiled: `cargo check` asks no library for its objects, so a program that does nothing is enough.
fn without_c(workspace: &Workspace, triple: &str, command: &mut Command) -> Result<(), Error> {
    let directory = workspace.target().join("cross").join("no-compiler");
    let clang = directory.join("clang");
    let failed = |source| Error::File { path: clang.clone(), source };
    std::fs::create_dir_all(&directory).map_err(failed)?;
    std::fs::write(&clang, "#!/bin/sh\nexit 0\n").map_err(failed)?;
    run(workspace.program("chmod").arg("+x").arg(&clang))?;
    // For Windows on ARM ring asks for clang by name.
    let own = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(directory).chain(std::env::split_paths(&own)))
        .map_err(|error| Error::Unexpected(error.to_string()))?;
    let suffix = triple.replace('-', "_");
    command.env(format!("CC_{suffix}"), &clang).env(format!("AR_{suffix}"), &clang);
    command.env("SDKROOT", "/").env("PATH", path);
    Ok(())
}

fn skipped(why: &str) -> Result<(), Error> {
    println!("skipped: {why}");
    Ok(())
}

fn select(command: &mut Command, what: What) {
    match what {
        What::Package(package) => {
            command.args(["--package", package]);
        }
        What::Products => {
            command.arg("--workspace");
            for package in LEFT_OUT {
                command.args(["--exclude", package]);
            }
        }
    }
}

/// Has this toolchain the target's standard library?
fn is_installed(workspace: &Workspace, triple: &str) -> Result<bool, Error> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = capture(workspace.program(rustc).args(["--print", "target-libdir", "--target", triple]))?;
    let directory = String::from_utf8_lossy(&output.stdout);
    Ok(output.status.success() && Path::new(directory.trim()).is_dir())
}

/// Is there a compiler of Debian's with the source of its own standard library?
fn has_debian_source(workspace: &Workspace) -> Result<bool, Error> {
    if !cfg!(target_os = "linux") || !Path::new(DEBIAN_RUSTC).exists() || !Path::new(DEBIAN_CARGO).exists() {
        return Ok(false);
    }
    let mut command = workspace.program(DEBIAN_RUSTC);
    let output = capture(without_rustup(&mut command).args(["--print", "sysroot"]))?;
    let sysroot = String::from_utf8_lossy(&output.stdout);
    Ok(Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/Cargo.lock").is_file())
}

fn without_rustup(command: &mut Command) -> &mut Command {
    for name in UNSET {
        command.env_remove(name);
    }
    command
}

/// `cargo check` of Debian's cargo with a standard library that it builds along, in a target directory of its own. Its compiler is
/// another one than the workspace's and may warn of more: warnings are shown, and are no errors.
fn from_source(workspace: &Workspace, triple: &str, what: What) -> Command {
    let mut command = workspace.program(DEBIAN_CARGO);
    without_rustup(&mut command)
        .args(["check", "--locked", "--target", triple, "-Zbuild-std=std,panic_abort,panic_unwind"])
        .env("RUSTC", DEBIAN_RUSTC)
        // `-Z` on a stable compiler.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", workspace.target().join("cross"));
    if matches!(what, What::Package(_)) {
        // Nothing runs: neither machine code nor back-traces are needed, which take most of the time for a small crate.
        command.arg("-Zbuild-std-features=").env("RUSTFLAGS", "-Zno-codegen");
    }
    select(&mut command, what);
    command
}
