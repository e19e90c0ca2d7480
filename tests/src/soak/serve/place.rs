//! The projects of a soak through `serve`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use serde_json::{Value, json};

/// The sessions of each project.
pub(super) const SESSIONS: [&str; 3] = ["s1", "s2", "s3"];

/// How many projects there are.
const PROJECTS: usize = 3;

/// Directories with configs, whose guards all deny `rm`.
pub(super) struct Place {
    pub(super) root: PathBuf,
    projects: Vec<Project>,
}

/// A project.
pub(super) struct Project {
    pub(super) root: PathBuf,
    pub(super) config: PathBuf,
    text: String,
    /// What its guard says.
    pub(super) reason: String,
}

impl Place {
    pub(super) fn make(root: &Path) -> io::Result<Self> {
        fs::create_dir(root.join("tmp"))?;
        // One guard of each kind: shell code, a bundled utility, a real program.
        let guards = [
            "case $CRUSH_TOOL_INPUT_COMMAND in (*rm*) echo 'by case' >&2; exit 2;; esac",
            "if jq -r .tool_input.command | grep -q rm; then echo 'by jq' >&2; exit 2; fi",
            "/bin/sh -c 'case $CRUSH_TOOL_INPUT_COMMAND in (*rm*) echo by sh >&2; exit 2;; esac'",
        ];
        let mut projects = Vec::new();
        for (number, guard) in guards.iter().take(PROJECTS).enumerate() {
            let directory = root.join(format!("project-{number}"));
            fs::create_dir(&directory)?;
            let hooks = json!({"hooks": {"PreToolUse": [
                {"name": "guard", "command": guard, "status_message": "looking"},
                {"name": "once", "command": "echo '{\"context\":\"once\"}'", "once": true},
                {"name": "background", "command": "sleep 0.2 & wait", "async": true, "timeout": 5},
                {"name": "helper", "command": "n=$(seq 1 20 | wc -l); [ \"$n\" -eq 20 ]"},
            ]}});
            let project = Project {
                config: directory.join("crush.json"),
                root: directory,
                text: hooks.to_string(),
                reason: format!("by {}", ["case", "jq", "sh"][number]),
            };
            fs::write(&project.config, &project.text)?;
            projects.push(project);
        }
        Ok(Self { root: root.to_owned(), projects })
    }

    /// One of them.
    pub(super) fn project(&self, random: &mut Rng) -> &Project {
        &self.projects[random.usize(..self.projects.len())]
    }

    /// Puts a new file in a config's place, which says the same.
    pub(super) fn rewrite_a_config(&self, random: &mut Rng) {
        let project = self.project(random);
        let new = project.root.join("new.json");
        let text = format!("{}{}", project.text, " ".repeat(random.usize(..8)));
        if fs::write(&new, text).is_ok() {
            let _ = fs::rename(&new, &project.config);
        }
    }
}

impl Project {
    /// The options of a request in it.
    pub(super) fn options(&self, random: &mut Rng) -> Value {
        let session = SESSIONS[random.usize(..SESSIONS.len())];
        json!({"cwd": self.root, "configs": [self.config], "session": session})
    }
}
