//! Processes that are ended in the middle, and configs that go back by other means (`git checkout`, `git stash`).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::agent::Agent;
use crate::machine::Machine;
use crate::plan::{Plan, Scope};

type Files = BTreeMap<PathBuf, String>;

struct Home {
    directory: TempDir,
    machine: Machine,
    agent: Agent,
    place: &'static str,
}

/// What the user has in the side file.
const OWN: &str =
    "{ \"hooks\": { \"BeforeTool\": [ { \"hooks\": [ { \"type\": \"command\", \"command\": \"MYOWN\" } ] } ] } }\n";

const SIDE: &str = ".gemini/hookshell/settings.json";

impl Home {
    fn new(agent: Agent, place: &'static str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut env: Vec<(OsString, OsString)> = Vec::new();
        for (name, path) in [
            ("HOME", ""),
            ("USERPROFILE", ""),
            ("XDG_CONFIG_HOME", "data"),
            ("XDG_DATA_HOME", "data"),
            ("LOCALAPPDATA", "data"),
        ] {
            env.push((name.into(), directory.path().join(path).into()));
        }
        let machine = Machine::new(env, directory.path());
        Self { directory, machine, agent, place }
    }

    fn gemini() -> Self {
        Self::new(Agent::Gemini, ".gemini/settings.json")
    }

    fn write(&self, place: &str, text: &str) {
        let path = self.directory.path().join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, place: &str) -> String {
        fs::read_to_string(self.directory.path().join(place)).unwrap()
    }

    fn plan(&self, is_install: bool) -> Plan {
        let make = if is_install { Plan::install } else { Plan::uninstall };
        make(&self.machine, &[self.agent], Scope::User)
    }

    fn run(&self, is_install: bool) -> Vec<String> {
        let mut plan = self.plan(is_install);
        let done = plan.apply(&|| false);
        assert!(plan.problems.is_empty(), "{:?}", plan.problems);
        done
    }

    fn files(&self) -> Files {
        let mut files = BTreeMap::new();
        collect(self.directory.path(), &mut files);
        files
    }

    /// Every file but hookshell's own. A backup may be one of an older text, and stays then.
    fn users(&self) -> Files {
        let data = self.directory.path().join("data").join("hookshell");
        let is_own = |path: &Path| path.starts_with(&data) || path.to_string_lossy().ends_with(".hookshell-backup");
        self.files().into_iter().filter(|(path, _)| !is_own(path)).collect()
    }

    fn set(&self, files: &Files) {
        for path in self.files().keys().filter(|path| !files.contains_key(*path)) {
            fs::remove_file(path).unwrap();
        }
        for (path, text) in files {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    /// How many files a plan changes, a file twice if it is changed twice.
    fn plan_steps(&self, from: &Files, is_install: bool) -> usize {
        self.set(from);
        self.plan(is_install).units().iter().map(|unit| unit.changes.len()).sum()
    }

    /// Ends a process after each of its steps: then `install` and `uninstall` come to where they come without that.
    fn end_everywhere(&self, name: &str) {
        let before = self.files();
        self.run(true);
        let (wired, wired_all) = (self.users(), self.files());
        self.run(false);
        let back = self.users();
        for (from, is_install) in [(&before, true), (&wired_all, false)] {
            for count in 0..=self.plan_steps(from, is_install) {
                for then_install in [true, false] {
                    self.set(from);
                    let plan = self.plan(is_install);
                    let changes: Vec<_> = plan.units().iter().flat_map(|unit| &unit.changes).take(count).collect();
                    changes.iter().for_each(|change| change.apply().unwrap());
                    let what =
                        format!("{name}: install {is_install}, ended after {count}, then install {then_install}");
                    // A process that did nothing has left the wiring that was there before.
                    if count == 0 && is_install && !then_install {
                        continue;
                    }
                    self.run(then_install);
                    assert_eq!(self.users(), if then_install { wired.clone() } else { back.clone() }, "{what}");
                    assert!(self.run(then_install).is_empty(), "{what}: a second run finds something to do");
                    self.run(false);
                    assert_eq!(self.users(), back, "{what}, then uninstall");
                    let is_record = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "installed");
                    assert!(!self.files().keys().any(is_record), "{what}");
                }
            }
        }
    }
}

fn collect(directory: &Path, files: &mut Files) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            let text = fs::read_to_string(&path).unwrap();
            files.insert(path, text);
        }
    }
}

fn groups(event: &str, commands: &[&str]) -> String {
    let hooks: Vec<String> = commands
        .iter()
        .map(|command| format!("{{ \"hooks\": [ {{ \"type\": \"command\", \"command\": \"{command}\" }} ] }}"))
        .collect();
    format!("{{ \"hooks\": {{ \"{event}\": [ {} ] }} }}\n", hooks.join(", "))
}

fn toml(command: &str) -> String {
    format!("[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"{command}\"\n")
}

/// The commands of a text, in order.
fn commands(text: &str) -> Vec<&str> {
    let values = text.split("\"command\":").skip(1);
    values.filter_map(|rest| rest.trim_start().trim_start_matches('"').split('"').next()).collect()
}

#[test]
fn a_process_that_is_ended_after_any_step_leaves_nothing_to_trip_over() {
    let cases = [
        (Agent::Claude, ".claude/settings.json", groups("PreToolUse", &["h1"])),
        (Agent::Crush, "data/crush/crush.json", r#"{"hooks":{"PreToolUse":[{"command":"h1"}]}}"#.to_owned()),
        (Agent::Gemini, ".gemini/settings.json", groups("BeforeTool", &["h1"])),
        (Agent::Cursor, ".cursor/hooks.json", r#"{"version":1,"hooks":{"preToolUse":[{"command":"h1"}]}}"#.to_owned()),
        (Agent::Codex, ".codex/config.toml", toml("h1")),
    ];
    for (agent, place, text) in cases {
        let home = Home::new(agent, place);
        home.write(place, &text);
        home.end_everywhere(place);
    }
    let home = Home::gemini();
    home.write(home.place, &groups("BeforeTool", &["h1"]));
    home.write(SIDE, OWN);
    home.end_everywhere("with hooks of the user's in the side file");
    // A hook is added to what is wired.
    let home = Home::gemini();
    home.write(home.place, &groups("BeforeTool", &["h1"]));
    home.run(true);
    let line = home.read(home.place);
    let at = line.rfind("] }").unwrap();
    let with = format!(
        "{}, {{ \"hooks\": [ {{ \"type\": \"command\", \"command\": \"h2\" }} ] }} {}",
        line[..at].trim_end(),
        &line[at..]
    );
    home.write(home.place, &with);
    home.end_everywhere("a second install");
    let home = Home::new(Agent::Codex, ".codex/config.toml");
    home.write(home.place, &toml("h1"));
    home.run(true);
    home.write(home.place, &format!("{}{}", home.read(home.place), toml("h2").replace("PreToolUse", "Stop")));
    home.end_everywhere("a second install of TOML");
}

#[test]
fn what_the_user_has_in_the_side_file_stays() {
    let home = Home::gemini();
    let text = groups("BeforeTool", &["h1"]);
    home.write(home.place, &text);
    home.write(SIDE, OWN);
    let before = home.files();
    home.run(true);
    let wired = home.files();
    assert_eq!(commands(&home.read(SIDE)), ["MYOWN", "h1"]);
    // `git checkout` of the config.
    home.write(home.place, &text);
    home.run(true);
    assert_eq!(home.files(), wired);
    home.run(false);
    assert_eq!(home.files(), before);
    // A hook that is added to the side file comes to the config, the user's do not.
    home.run(true);
    home.write(SIDE, &home.read(SIDE).replace("\"h1\"", "\"h1 --edited\""));
    home.run(false);
    assert_eq!((commands(&home.read(home.place)), &*home.read(SIDE)), (vec!["h1 --edited"], OWN));
}

#[test]
fn what_a_config_needs_that_comes_back_is_not_removed() {
    for (agent, place, text) in [
        (Agent::Gemini, ".gemini/settings.json", groups("BeforeTool", &["h1"])),
        (Agent::Claude, ".claude/settings.json", groups("PreToolUse", &["h1"])),
        (Agent::Codex, ".codex/config.toml", toml("h1")),
    ] {
        let home = Home::new(agent, place);
        home.write(place, &text);
        let before = home.files();
        home.run(true);
        let wired = home.files();
        // `git stash`.
        let stashed = home.read(place);
        home.write(place, &text);
        assert_eq!(home.run(false), [""; 0], "{place}");
        home.write(place, &stashed);
        assert_eq!(home.files(), wired, "{place}");
        home.run(false);
        assert_eq!(home.files(), before, "{place}");
    }
}

/// A record of an older version says neither what was found nor whether it was completed.
#[test]
fn a_record_of_an_older_version_counts_as_complete() {
    let home = Home::gemini();
    let text = groups("BeforeTool", &["h1"]);
    home.write(home.place, &text);
    let before = home.files();
    home.run(true);
    let installed = home.directory.path().join("data").join("hookshell").join("installed");
    let path = fs::read_dir(installed).unwrap().next().unwrap().unwrap().path();
    let mut record: serde_json::Map<_, _> = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    for key in ["found", "side_found", "own", "is_complete"] {
        record.remove(key);
    }
    fs::write(&path, serde_json::to_string(&record).unwrap()).unwrap();
    let wired = home.read(home.place);
    home.write(home.place, &text);
    assert_eq!(home.run(false), [""; 0]);
    home.write(home.place, &wired);
    home.run(false);
    assert_eq!(home.files(), before);
}

#[test]
fn a_dry_run_names_what_would_be_removed() {
    let home = Home::new(Agent::Claude, ".claude/settings.json");
    home.write(home.place, &groups("PreToolUse", &["h1"]));
    let before = home.files();
    home.plan(true).units()[0].changes.iter().take(2).for_each(|change| change.apply().unwrap());
    let diff = home.plan(false).diff();
    let left: Vec<PathBuf> = home.files().into_keys().filter(|path| !before.contains_key(path)).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    for path in left {
        let line = format!("{}: it would be removed", path.file_name().unwrap().to_string_lossy());
        assert!(diff.contains(&line), "{line}: {diff}");
    }
    assert_eq!(diff.lines().count(), 2, "{diff}");
    home.run(false);
    assert_eq!(home.files(), before);
}

/// Until no config names the program it is there.
#[cfg(unix)]
#[test]
fn the_shell_is_taken_away_after_the_configs() {
    let home = Home::new(Agent::Pi, ".pi/agent/settings.json");
    let exe = home.directory.path().join("exe");
    home.write("exe", "");
    home.write("data/hookshell/x", "");
    home.write(home.place, "{}");
    let before = home.files();
    Plan::install_shell(&home.machine, &[Agent::Pi], &exe).apply(&|| false);
    let bash = home.directory.path().join("data/hookshell/bin/bash");
    assert!(bash.is_symlink() && home.read(home.place).contains("shellPath"));
    let uninstall = |times: i32| {
        let asked = std::cell::Cell::new(0);
        let mut plan = Plan::uninstall_shell(&home.machine, &[]);
        plan.apply(&|| asked.replace(asked.get() + 1) >= times);
        plan
    };
    // At the begin, before the config, before the program.
    let plan = uninstall(1);
    assert!(bash.is_symlink() && home.read(home.place).contains("shellPath") && plan.summaries().count() == 1);
    let plan = uninstall(2);
    assert!(bash.is_symlink() && home.read(home.place) == "{}" && plan.summaries().count() == 0 && !plan.is_empty());
    // A config that cannot be read may name it.
    home.write(home.place, "{");
    let plan = uninstall(9);
    assert!(bash.is_symlink() && plan.problems.len() == 1 && plan.notes[0].contains("it stays"), "{:?}", plan.notes);
    home.write(home.place, "{}");
    assert!(uninstall(9).is_empty() && !bash.is_symlink());
    assert_eq!(home.files(), before);
}
