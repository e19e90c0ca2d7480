//! A directory to run hooks in, through the library and through the binary.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookshell_runner::{Config, Event, Runner, ToolInput};
use hookshell_test_support::{MAX_WAIT, RunOutcome, run_program, with_default_signals, within};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A directory with the helper program as `tool` and hookshell as `hs` in its `bin`, and an environment that depends on nothing outside.
pub struct Place {
    directory: TempDir,
    hookshell: PathBuf,
    system_path: bool,
}

/// What a front gave.
#[derive(Debug)]
pub struct Seen {
    /// Which front it was: for messages.
    pub front: &'static str,
    /// The verdict's exit code.
    pub code: i32,
    /// The verdict as JSON.
    pub verdict: Value,
}

impl Place {
    /// A new directory; `helper` and `hookshell` are the two binaries.
    pub fn new(helper: &str, hookshell: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let bin = directory.path().join("bin");
        fs::create_dir(&bin).unwrap();
        for (name, program) in [("tool", helper), ("hs", hookshell)] {
            put(Path::new(program), &bin.join(format!("{name}{}", env::consts::EXE_SUFFIX)));
        }
        Self { directory, hookshell: hookshell.into(), system_path: true }
    }

    /// The helper program under another name, which has no extension: the system's is added.
    pub fn helper_as(&self, name: &str) {
        let suffix = env::consts::EXE_SUFFIX;
        let helper = self.file(&format!("bin/tool{suffix}"));
        put(&helper, &self.file(&format!("{name}{suffix}")));
    }

    /// The same with nothing on PATH but these two.
    #[must_use]
    pub fn without_system_path(mut self) -> Self {
        self.system_path = false;
        self
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Its text.
    ///
    /// # Panics
    /// It cannot be read.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Writes a file that may be executed.
    pub fn script(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(name);
        fs::write(&path, text).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        path
    }

    /// The environment that everything gets here.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        let mut path = vec![self.file("bin")];
        if self.system_path {
            path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        }
        let mut vars: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), env::join_paths(path).unwrap()),
            ("HOME".into(), self.path().into()),
            ("TMPDIR".into(), self.path().into()),
            ("TEMP".into(), self.path().into()),
            ("LC_ALL".into(), "C.UTF-8".into()),
        ];
        // Without the first no program starts on Windows.
        for name in ["SystemRoot", "WINEPREFIX", "WINEDEBUG", "WINEDLLOVERRIDES"] {
            vars.extend(env::var_os(name).map(|value| (name.into(), value)));
        }
        vars
    }

    /// The `hookshell` command line, in the directory and the environment.
    pub fn hookshell(&self, args: &[&str]) -> Command {
        let mut command = with_default_signals(&self.hookshell);
        command.args(args).current_dir(self.path()).env_clear().envs(self.env());
        command
    }

    /// `hookshell exec COMMAND` with nothing on standard input.
    pub fn exec(&self, command: &str) -> RunOutcome {
        self.exec_with(command, b"")
    }

    /// `hookshell exec COMMAND`.
    pub fn exec_with(&self, command: &str, stdin: &[u8]) -> RunOutcome {
        run_program(self.hookshell(&["exec", command]), stdin, MAX_WAIT)
    }

    /// A runner of these hooks, each the object that a config has.
    pub fn runner(&self, hooks: &[Value]) -> Runner {
        self.runner_with(hooks, |builder| builder)
    }

    /// Likewise, with more settings.
    pub fn runner_with(
        &self,
        hooks: &[Value],
        more: impl FnOnce(hookshell_runner::RunnerBuilder) -> hookshell_runner::RunnerBuilder,
    ) -> Runner {
        let config = Config::parse(&config(hooks), "crush.json").unwrap();
        more(Runner::builder().config(config).env(self.env())).build().unwrap()
    }

    /// A call of the tool `bash`.
    pub fn event(&self, input: &Value) -> Event {
        let input = ToolInput::parse(&input.to_string()).unwrap();
        Event::pre_tool_use("bash", input, self.path()).with_session_id("s1").with_project_dir(self.path())
    }

    /// The verdict of the hooks through `Runner`.
    pub fn through_runner(&self, hooks: &[Value], input: &Value) -> Seen {
        self.through(self.runner(hooks), input)
    }

    /// The verdict of a runner.
    pub fn through(&self, runner: Runner, input: &Value) -> Seen {
        let event = self.event(input);
        let verdict = within(MAX_WAIT, "Runner::run_blocking", move || runner.run_blocking(&event));
        let shown = serde_json::from_str(&verdict.to_json()).unwrap();
        Seen { front: "Runner", code: verdict.exit_code().into(), verdict: shown }
    }

    /// The verdict of the hooks through `hookshell run`.
    ///
    /// # Panics
    /// The binary gives no verdict.
    pub fn through_run(&self, hooks: &[Value], input: &Value) -> Seen {
        let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
        fs::write(file.path(), config(hooks)).unwrap();
        let event = json!({"event": "PreToolUse", "session_id": "s1", "tool_name": "bash", "tool_input": input});
        let config = file.path().to_str().unwrap();
        let command = self.hookshell(&["run", "PreToolUse", "--config", config]);
        let ran = run_program(command, event.to_string().as_bytes(), MAX_WAIT);
        let verdict = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {hooks:?}: {ran:?}"));
        Seen { front: "hookshell run", code: ran.code.unwrap(), verdict }
    }

    /// The verdict of the hooks through each front.
    pub fn verdicts(&self, hooks: &[Value], input: &Value) -> [Seen; 2] {
        [self.through_runner(hooks, input), self.through_run(hooks, input)]
    }
}

/// Puts a program there. Not copied where that can be helped: a program that is still open for writing in a forked child is
/// "busy".
fn put(program: &Path, link: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(program, link).unwrap();
    #[cfg(not(unix))]
    if fs::hard_link(program, link).is_err() {
        fs::copy(program, link).unwrap();
    }
}

fn config(hooks: &[Value]) -> String {
    json!({"hooks": {"PreToolUse": hooks}}).to_string()
}

impl Seen {
    /// How each hook came out.
    pub fn outcomes(&self) -> Vec<&str> {
        self.hooks().iter().map(|hook| hook["outcome"].as_str().unwrap()).collect()
    }

    /// The hooks' results.
    pub fn hooks(&self) -> &[Value] {
        self.verdict["hooks"].as_array().unwrap()
    }

    /// A text of the verdict; empty where there is none.
    pub fn text(&self, key: &str) -> &str {
        self.verdict[key].as_str().unwrap_or_default()
    }
}
