//! Where the workspace is and which cargo builds it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;

/// The workspace that this command works on.
pub(crate) struct Workspace {
    root: PathBuf,
    cargo: OsString,
}

impl Workspace {
    /// Finds the workspace from what `cargo run` sets, else from where xtask was compiled.
    pub(crate) fn locate() -> Result<Self, Error> {
        let package = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = package.parent().map(Path::to_path_buf).unwrap_or_default();
        if !root.join("Cargo.toml").is_file() {
            let found = root.display();
            return Err(Error::Unexpected(format!(
                "no workspace at {found}: start xtask as `cargo xtask` inside the repository"
            )));
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Ok(Self { root, cargo })
    }

    /// The directory of the workspace's Cargo.toml.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's target directory: `CARGO_TARGET_DIR`, else `target` in the workspace.
    pub(crate) fn target(&self) -> PathBuf {
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| self.root.join("target"), |dir| self.root.join(dir))
    }

    /// `program`, to be started in the workspace's root directory.
    pub(crate) fn program(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// The cargo that started xtask, with these arguments, in the workspace's root directory.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.program(&self.cargo);
        command.args(arguments);
        command
    }
}
