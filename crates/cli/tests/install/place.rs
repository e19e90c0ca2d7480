//! A home directory and a project, and the configs in them.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Output, hookshell};

pub(crate) const CLAUDE: &str = "{\r\n\t// mine\r\n\t\"hooks\": { \"PreToolUse\": [\r\n\t\t{ \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \
                      \"shell\": \"bash\", \"command\": \"${CLAUDE_PROJECT_DIR}/x.sh\" }, { \"type\": \"prompt\", \"prompt\": \"p\" } ] },\r\n\t] }\r\n}\r\n";

pub(crate) const GEMINI: &str = r#"{
  "hooks": {
    "BeforeTool": [
      { "matcher": "run_shell_command", "hooks": [ { "type": "command", "command": "echo no >&2; exit 2", "timeout": 5000 } ] }
    ]
  }
}
"#;

pub(crate) const RM: &str = r#"{"session_id":"s","cwd":"","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"rm"}}"#;

/// A home directory, and a project beside it.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(place.path("home")).unwrap();
        fs::create_dir_all(place.path("project/.git")).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A path as it is printed.
    pub(crate) fn shown(&self, name: &str) -> String {
        self.path(name).display().to_string().replace('/', std::path::MAIN_SEPARATOR_STR)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn run(&self, cwd: &str, args: &[&str], stdin: &str) -> Output {
        let home = self.path("home");
        let run = hookshell(args).cwd(&self.path(cwd)).stdin(stdin).env("HOME", &home).env("USERPROFILE", &home);
        // No agent of this machine's.
        run.env("PATH", self.path("bin")).env("LOCALAPPDATA", home.join("local")).output()
    }

    pub(crate) fn install(&self, args: &[&str]) -> Output {
        self.run("project", &[&["install"], args].concat(), "")
    }
}

/// The command line that an agent has been given for an event.
pub(crate) fn line(config: &str, event: &str) -> Vec<String> {
    let config: Value = serde_json::from_str(config).unwrap();
    let line = config["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" /._-~".contains(&byte)), "{line}");
    line.split(' ').map(str::to_owned).collect()
}
