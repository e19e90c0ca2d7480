//! `cargo xtask package`: archives, npm's and PyPI's packages and manifests, by the programs of `packaging/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// What is built where no binary is named: the host's own. Elsewhere binaries are named.
const HOST: Option<&str> = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    Some("x86_64-unknown-linux-gnu")
} else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    Some("aarch64-apple-darwin")
} else if cfg!(all(target_os = "macos", target_arch = "x86_64")) {
    Some("x86_64-apple-darwin")
} else {
    None
};

/// The most that the release build of this machine may have, in bytes (docs/PERFORMANCE.md, "Size").
const MOST_BYTES: u64 = 20_400_000;

/// Packs the binaries that are named (`--binary TARGET=PATH`), or the release build of this machine, and installs the packed files
/// into empty prefixes (Linux, x86_64). Also publishes small packages to registries on 127.0.0.1.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    if !has_python() {
        println!("package: skipped: there is no python3");
        return Ok(());
    }
    let out = workspace.target().join("packages");
    let mut pack = workspace.program("python3");
    pack.arg("packaging/package.py").arg("--out").arg(&out).args(arguments);
    let is_named = arguments.iter().any(|argument| argument.starts_with("--binary"));
    if !is_named {
        let Some(target) = HOST else {
            return Err(Error::Usage("name the binaries on this system: --binary TARGET=PATH".to_owned()));
        };
        run(&mut workspace.cargo(&["build", "--release", "-p", "hookshell"]))?;
        let binary: PathBuf = workspace.target().join("release/hookshell");
        is_small_enough(&binary, MOST_BYTES)?;
        pack.arg(format!("--binary={target}={}", binary.display()));
    }
    run(&mut pack)?;
    run(workspace.program("python3").arg("packaging/check_publish.py"))?;
    let installs = cfg!(all(target_os = "linux", target_arch = "x86_64"))
        && (!is_named || arguments.iter().any(|argument| argument.contains("x86_64-unknown-linux")));
    if installs { run(workspace.program("python3").arg("packaging/check.py").arg(&out)) } else { Ok(()) }
}

/// Has the release build, without symbols as it is packed, grown beyond what docs/PERFORMANCE.md says of it?
fn is_small_enough(binary: &Path, most: u64) -> Result<(), Error> {
    let metadata = binary.metadata().map_err(|source| Error::File { path: binary.to_owned(), source })?;
    let size = metadata.len();
    println!("package: {} has {size} bytes; at most {most} are allowed", binary.display());
    if size <= most {
        return Ok(());
    }
    let hint = "find what has grown (docs/PERFORMANCE.md, \"Size\"), or where it is worth it raise MOST_BYTES in xtask/src/package.rs";
    Err(Error::Unexpected(format!("package: the release build has {size} bytes, more than {most}; {hint}")))
}

fn has_python() -> bool {
    let status = Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The crates as crates.io would get them. They are not compiled once more, so what they include is looked at.
pub(crate) fn crates(workspace: &Workspace) -> Result<(), Error> {
    includes_stay_inside(workspace)?;
    let mut command =
        workspace.cargo(&["package", "--workspace", "--no-verify", "--allow-dirty", "--offline", "--quiet"]);
    for ours in ["hookshell-test-support", "hookshell-tests", "hookshell-benches", "xtask"] {
        command.args(["--exclude", ours]);
    }
    run(&mut command)
}

/// A published crate has only what is in its own directory: a file that is included from elsewhere would be found missing by those who
/// build it. Tests are not built there.
fn includes_stay_inside(workspace: &Workspace) -> Result<(), Error> {
    let crates = workspace.root().join("crates");
    let failed = |path: &Path, source| Error::File { path: path.to_owned(), source };
    let mut outside = Vec::new();
    for entry in fs::read_dir(&crates).map_err(|source| failed(&crates, source))? {
        let root = entry.map_err(|source| failed(&crates, source))?.path();
        let mut directories = vec![root.join("src")];
        while let Some(directory) = directories.pop() {
            let Ok(entries) = fs::read_dir(&directory) else { continue };
            for path in entries.flatten().map(|entry| entry.path()) {
                if path.is_dir() && path.file_name().is_none_or(|name| name != "tests") {
                    directories.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = fs::read_to_string(&path).map_err(|source| failed(&path, source))?;
                    let depth = path.strip_prefix(&root).map_or(0, |inside| inside.components().count() - 1);
                    outside
                        .extend(included_from_outside(&text, depth).map(|name| format!("{}: {name}", path.display())));
                }
            }
        }
    }
    if outside.is_empty() {
        return Ok(());
    }
    let hint = "a published crate has only its own directory; a copy is a row of COPIES in xtask/src/schemas/mod.rs";
    Err(Error::Unexpected(format!("files outside of their crate are included: {}; {hint}", outside.join(", "))))
}

/// The files that a source includes from outside of its crate, whose root is `depth` directories above the source's own directory
/// (`src/a.rs`: 1).
fn included_from_outside(text: &str, depth: usize) -> impl Iterator<Item = &str> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let names = code.split("include_str!(\"").skip(1).chain(code.split("include_bytes!(\"").skip(1));
    let names = names.filter_map(|rest| rest.split('"').next());
    names.filter(move |name| name.split('/').take_while(|part| *part == "..").count() > depth)
}

/// The documentation's links, and the book with those of its pages.
pub(crate) fn links(workspace: &Workspace) -> Result<(), Error> {
    if !has_python() {
        println!("links: skipped: there is no python3");
        return Ok(());
    }
    run(workspace.program("python3").arg("packaging/links.py"))?;
    run(workspace.program("python3").arg("packaging/book.py"))
}

/// Lints the workflows and the action.
pub(crate) fn workflows(workspace: &Workspace) -> Result<(), Error> {
    if !has_python() {
        println!("workflows: skipped: there is no python3");
        return Ok(());
    }
    run(workspace.program("python3").arg("packaging/lint.py"))
}

/// The step of `ci`.
pub(crate) fn step(workspace: &Workspace) -> Result<(), Error> {
    if HOST.is_none() {
        println!("package: skipped: there is no release of this system's own");
        return Ok(());
    }
    command(workspace, &[])
}

#[cfg(test)]
mod tests {
    use super::{included_from_outside, is_small_enough};

    #[test]
    fn a_binary_that_has_grown_is_an_error() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let size = file.metadata().unwrap().len();
        assert!(is_small_enough(&file, size).is_ok());
        let error = is_small_enough(&file, size - 1).unwrap_err().to_string();
        assert!(error.contains(&format!("{size} bytes, more than {}", size - 1)), "{error}");
        assert!(is_small_enough(&file.join("none"), size).is_err());
    }

    #[test]
    fn what_is_included_stays_in_the_crate() {
        let text = "include_str!(\"a.py\") include_bytes!(\"../../x\") include_str!(\"../a.md\")\n#[cfg(test)]\ninclude_str!(\"../../../y\")";
        assert_eq!(included_from_outside(text, 1).collect::<Vec<_>>(), ["../../x"]);
        assert_eq!(included_from_outside(text, 2).count(), 0);
    }
}
