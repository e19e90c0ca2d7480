//! A config whose user has taken a line of ours out of it by hand: what that line ran is not put back unasked, and not lost.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use hookshell_install::{Agent, Machine, Plan, Scope};
use serde_json::{Value, json};
use tempfile::TempDir;

struct Home {
    directory: TempDir,
    machine: Machine,
    agent: Agent,
    config: &'static str,
    side: &'static str,
}

impl Home {
    fn new(agent: Agent, config: &'static str, side: &'static str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let of = |part: &str| -> OsString { directory.path().join(part).into() };
        let env = [("HOME", ""), ("USERPROFILE", ""), ("XDG_DATA_HOME", "data"), ("LOCALAPPDATA", "data")];
        let env = env.map(|(name, part)| (OsString::from(name), of(part))).to_vec();
        let machine = Machine::new(env, directory.path());
        Self { directory, machine, agent, config, side }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, text: &str) {
        let path = self.path(self.config);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self) -> String {
        fs::read_to_string(self.path(self.config)).unwrap()
    }

    /// The hooks of the side file for an event; `None`: there is no file.
    fn side(&self) -> Option<Value> {
        let text = fs::read_to_string(self.path(self.side)).ok()?;
        Some(serde_json::from_str::<Value>(&text).unwrap()["hooks"].take())
    }

    fn run(&self, make: fn(&Machine, &[Agent], Scope) -> Plan) -> Vec<String> {
        let mut plan = make(&self.machine, &[self.agent], Scope::User);
        plan.apply(&|| false);
        assert!(plan.problems.is_empty(), "{:?}", plan.problems);
        plan.notes
    }

    fn install(&self) -> Vec<String> {
        self.run(Plan::install)
    }

    fn uninstall(&self) -> Vec<String> {
        self.run(Plan::uninstall)
    }
}

/// An agent's config as JSON, with two events, and where its hooks are moved to.
fn jsons() -> Vec<(Home, [&'static str; 2], Value)> {
    let group = |command: &str| json!({ "hooks": [{ "type": "command", "command": command }] });
    let plain = |command: &str| json!({ "command": command });
    let copilot = |command: &str| json!({ "type": "command", "bash": command, "powershell": command });
    let of = |events: [&str; 2], hook: &dyn Fn(&str) -> Value| json!({ "hooks": { events[0]: [hook("kept")], events[1]: [hook("mine"), hook("mine too")] } });
    let versioned = |mut config: Value| {
        config["version"] = 1.into();
        config
    };
    let claudes = ["PreToolUse", "Stop"];
    vec![
        (
            Home::new(Agent::Gemini, ".gemini/settings.json", ".gemini/hookshell/settings.json"),
            ["BeforeTool", "AfterAgent"],
            of(["BeforeTool", "AfterAgent"], &group),
        ),
        (Home::new(Agent::Codex, ".codex/hooks.json", ".codex/hookshell/hooks.json"), claudes, of(claudes, &group)),
        (Home::new(Agent::Qwen, ".qwen/settings.json", ".qwen/hookshell/settings.json"), claudes, of(claudes, &group)),
        (
            Home::new(Agent::Cursor, ".cursor/hooks.json", ".cursor/hookshell/hooks.json"),
            ["beforeShellExecution", "stop"],
            versioned(of(["beforeShellExecution", "stop"], &plain)),
        ),
        (
            Home::new(Agent::Copilot, ".copilot/hooks/guard.json", ".copilot/hookshell/hooks-guard.json"),
            ["preToolUse", "agentStop"],
            versioned(of(["preToolUse", "agentStop"], &copilot)),
        ),
    ]
}

#[test]
fn hooks_whose_line_was_taken_out_stay_in_the_side_file() {
    for (home, [kept, taken], config) in jsons() {
        let name = home.agent.name();
        let text = format!("{config:#}\n");
        home.write(&text);
        home.install();
        let all = home.side().unwrap();
        let mut wired: Value = serde_json::from_str(&home.read()).unwrap();
        wired["hooks"].as_object_mut().unwrap().remove(taken).unwrap();
        home.write(&format!("{wired:#}\n"));

        let notes = home.uninstall();
        let mut expected = config.clone();
        expected["hooks"].as_object_mut().unwrap().remove(taken).unwrap();
        let now: Value = serde_json::from_str(&home.read()).unwrap();
        assert_eq!(now, expected, "{name}: what was taken out is not put back");
        assert_eq!(home.side(), Some(json!({ taken: all[taken] })), "{name}: and not lost");
        // Windows has two separators.
        let side = home.path(home.side).display().to_string().replace('\\', "/");
        let is_told = |note: &String| {
            note.replace('\\', "/").contains(&side) && note.contains(&format!("its hooks for {taken} stay there"))
        };
        assert!(notes.iter().any(is_told), "{name}: {notes:?}");

        // A second run has nothing to do, and says it again.
        let notes = home.uninstall();
        assert!(notes.iter().any(|note| note.contains("has no line any more that runs what is in it")), "{notes:?}");
        assert_eq!(home.side(), Some(json!({ taken: all[taken] })), "{name}");

        // Who copies them back has each once, and the file goes with the next `uninstall`.
        home.write(&text);
        home.install();
        assert_eq!(home.side(), Some(json!({ kept: all[kept], taken: all[taken] })), "{name}");
        let notes = home.uninstall();
        assert_eq!((home.read(), home.side()), (text, None), "{name}: {notes:?}");
    }
}

/// A new hook of the event brings back the line, and with it what is still in the side file: that is told.
#[test]
fn hooks_that_run_again_with_a_new_one_are_told() {
    for (home, [_, taken], config) in jsons() {
        let name = home.agent.name();
        home.write(&format!("{config:#}\n"));
        home.install();
        let mut wired: Value = serde_json::from_str(&home.read()).unwrap();
        let mut added = config["hooks"][taken].clone();
        added.as_array_mut().unwrap().truncate(1);
        let added = serde_json::from_str::<Value>(&added.to_string().replace("\"mine\"", "\"new\"")).unwrap();
        wired["hooks"][taken] = added;
        home.write(&format!("{wired:#}\n"));
        let notes = home.install();
        assert!(
            notes.iter().any(|note| note.contains(&format!("what was there for {taken} and did not run"))),
            "{name}: {notes:?}"
        );
        assert_eq!(home.side().unwrap()[taken].as_array().unwrap().len(), 3, "{name}");
        // The config gets back what it had, and the others are where they were.
        let notes = home.uninstall();
        let now: Value = serde_json::from_str(&home.read()).unwrap();
        assert_eq!(now["hooks"][taken].as_array().unwrap().len(), 1, "{name}: {notes:?}");
        assert_eq!(home.side(), Some(json!({ taken: config["hooks"][taken] })), "{name}: {notes:?}");
        assert!(
            notes.iter().any(|note| note.contains(&format!("its hooks for {taken} stay there"))),
            "{name}: {notes:?}"
        );
    }
}

const TOML: &str = "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"kept\"\n\n\
                    [[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"mine\"\n";

/// In TOML the hooks stand in the config as comments: who has taken those out, too, has them in the side file alone.
#[test]
fn hooks_of_a_toml_config_stay_where_their_comments_are_gone() {
    let home = Home::new(Agent::Codex, ".codex/config.toml", ".codex/hookshell/config.json");
    for with_comments in [false, true] {
        home.write(TOML);
        home.install();
        let all = home.side().unwrap();
        let wired = home.read();
        let start = wired.rfind("# hookshell: the hooks").unwrap();
        let block = wired[start..].find("# hookshell: end\n").unwrap() + "# hookshell: end\n".len();
        let rest = if with_comments { &wired[start + block..] } else { "" };
        home.write(&format!("{}{rest}", &wired[..start]));
        let notes = home.uninstall();
        if with_comments {
            assert_eq!((home.read(), home.side()), (TOML.to_owned(), None), "{notes:?}");
            continue;
        }
        assert_eq!(home.read(), TOML.split("[[hooks.Stop]]").next().unwrap(), "{notes:?}");
        assert_eq!(home.side(), Some(json!({ "Stop": all["Stop"] })));
        assert!(notes.iter().any(|note| note.contains("its hooks for Stop stay there")), "{notes:?}");
    }
}
