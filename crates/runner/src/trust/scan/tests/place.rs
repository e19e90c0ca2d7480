//! A project, a store outside of it, and hooks that are really run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::DEADLINE;
use super::shapes::Shape;
use crate::{Config, Event, HookConfig, Runner, ToolInput, Trust, TrustStore};

pub(super) struct Place {
    root: tempfile::TempDir,
}

impl Place {
    pub(super) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for dir in ["project/sub/deep", "tmp", "home"] {
            std::fs::create_dir_all(root.path().join(dir)).unwrap();
        }
        Self { root }
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// A file that is there once a changed file was run.
    pub(super) fn marker(&self) -> PathBuf {
        self.root.path().join("tmp").join("marker")
    }

    pub(super) fn tmp(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    pub(super) fn store(&self) -> TrustStore {
        TrustStore::new(self.root.path().join("state"), self.env())
    }

    fn env(&self) -> Vec<(OsString, OsString)> {
        let inherited = ["PATH", "PYENV_ROOT", "PYENV_VERSION"];
        let inherited = inherited.into_iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
        inherited.chain([("HOME".into(), self.root.path().join("home").into())]).collect()
    }

    pub(super) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.project().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The files of a shape, all that may be started with the x bit. `is_changed`: the one that counts marks that it ran.
    pub(super) fn set_up(&self, shape: &Shape, is_changed: bool) {
        if shape.needs().contains(&"git".to_owned()) && !self.project().join(".git").exists() {
            let done = Command::new("git").args(["init", "-q"]).current_dir(self.project()).status();
            assert!(done.is_ok_and(|status| status.success()));
        }
        self.write("README.md", "text\n");
        for (path, text) in &shape.files {
            self.write_run(path, &self.filled(text));
        }
        self.write_run(&shape.target, &self.filled(if is_changed { &shape.changed } else { &shape.harmless }));
    }

    fn write_run(&self, path: &str, text: &str) {
        let path = self.write(path, text);
        #[cfg(unix)]
        if text.starts_with("#!") || shape_is_run(&path) {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        #[cfg(not(unix))]
        let _ = path;
    }

    pub(super) fn filled(&self, text: &str) -> String {
        text.replace("@MARK@", &format!("echo ran >{}", self.marker().display()))
            .replace("@MARKER@", &self.marker().display().to_string())
            .replace("@TMP@", &self.tmp().display().to_string())
            .replace("@PROJECT@", &self.project().display().to_string())
    }

    pub(super) fn run_by_bash(&self, hook: &HookConfig) -> bool {
        let mut command = match &hook.args {
            Some(args) => {
                let mut command = Command::new(&hook.command);
                command.args(args);
                command
            }
            None => {
                let mut command = Command::new("bash");
                command.arg("-c").arg(&hook.command);
                command
            }
        };
        command.env_clear().envs(self.env()).envs(hook.env.iter().map(|(name, value)| (name, value)));
        command.env("CLAUDE_PROJECT_DIR", self.project()).current_dir(self.project());
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let Ok(mut child) = child else { return false };
        let until = Instant::now() + DEADLINE;
        while matches!(child.try_wait(), Ok(None)) {
            if Instant::now() > until {
                let _ = child.kill();
                let _ = child.wait();
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        self.has_run()
    }

    pub(super) fn run_by_hookshell(&self, hook: &HookConfig) -> bool {
        let mut hook = hook.clone();
        hook.timeout = DEADLINE;
        let mut config = Config::default();
        config.push(hook);
        let trusts = |_: &HookConfig, _: &Event| Trust::Trusted;
        let runner = Runner::builder().config(config).trust(trusts).build().unwrap();
        runner.run_blocking(&self.event());
        self.has_run()
    }

    pub(super) fn event(&self) -> Event {
        Event::pre_tool_use("bash", ToolInput::default(), self.project()).with_project_dir(self.project())
    }

    /// What was left in the background may be a moment later.
    fn has_run(&self) -> bool {
        (0..10).any(|_| {
            let is_there = self.marker().exists();
            if !is_there {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            is_there
        })
    }
}

/// A file of a shape that is started by its name.
#[cfg(unix)]
fn shape_is_run(path: &Path) -> bool {
    let path = path.to_string_lossy();
    ["run", "interp", "tool", ".git/hooks/"].iter().any(|end| path.contains(end)) || path.ends_with("x.sh")
}

/// Is a program on PATH? With `REQUIRE_INTERPRETERS=1` a missing bash, python3, node or perl fails the test; a shape of
/// another program is left out.
pub(super) fn has_program(name: &str) -> bool {
    let is_there = hookshell_test_support::find(name).is_some();
    if !is_there && matches!(name, "bash" | "python3" | "node" | "perl") {
        hookshell_test_support::skip_part(&format!("{name} is not on PATH"));
    }
    is_there
}
