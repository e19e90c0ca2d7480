//! `install` and then `uninstall` give back what was there, byte for byte: for every config of the repository, and for generated ones.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use hookshell_install::{Agent, Machine, Plan, Scope};
use proptest::prelude::*;
use tempfile::TempDir;

/// Where the config of an agent stands in the home directory.
const PLACES: [(Agent, &str); 8] = [
    (Agent::Claude, ".claude/settings.json"),
    (Agent::Codex, ".codex/hooks.json"),
    (Agent::Codex, ".codex/config.toml"),
    (Agent::Gemini, ".gemini/settings.json"),
    (Agent::Cursor, ".cursor/hooks.json"),
    (Agent::Copilot, ".copilot/hooks/guard.json"),
    (Agent::Crush, ".config/crush/crush.json"),
    (Agent::Qwen, ".qwen/settings.json"),
];

struct Home {
    directory: TempDir,
    machine: Machine,
}

impl Home {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("home");
        fs::create_dir(&home).unwrap();
        let names = ["HOME", "USERPROFILE"];
        let mut env: Vec<(OsString, OsString)> = names.iter().map(|name| (name.into(), home.clone().into())).collect();
        env.push(("XDG_CONFIG_HOME".into(), home.join(".config").into()));
        env.push(("XDG_DATA_HOME".into(), home.join("data").into()));
        env.push(("LOCALAPPDATA".into(), home.join(".config").into()));
        let machine = Machine::new(env, directory.path());
        Self { directory, machine }
    }

    fn path(&self, place: &str) -> PathBuf {
        self.directory.path().join("home").join(place)
    }

    fn write(&self, place: &str, text: &str) {
        let path = self.path(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn install(&self, agent: Agent) -> Plan {
        let mut plan = Plan::install(&self.machine, &[agent], Scope::User);
        plan.apply(&|| false);
        plan
    }

    fn uninstall(&self, agent: Agent) -> Plan {
        let mut plan = Plan::uninstall(&self.machine, &[agent], Scope::User);
        plan.apply(&|| false);
        plan
    }

    /// Every file, and what is in it.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.directory.path(), &mut files);
        files
    }
}

fn collect(directory: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

/// Installs and uninstalls, and says whether something was wired.
fn round_trip(agent: Agent, place: &str, text: &str) -> bool {
    let home = Home::new();
    home.write(place, text);
    let before = home.files();
    let plan = home.install(agent);
    let wired = home.files();
    let is_wired = wired != before;
    assert!(is_wired || fs::read(home.path(place)).unwrap() == text.as_bytes());
    assert!(plan.problems.len() <= 1, "{:?}", plan.problems);
    let again = home.install(agent);
    assert!(again.problems.is_empty() || !is_wired, "{text}\n{:?}", again.problems);
    assert_eq!(home.files(), wired, "a second run changes nothing: {text}");
    if is_wired {
        home.uninstall(agent);
        let after = home.files();
        assert_eq!(String::from_utf8_lossy(&after[&home.path(place)]), text);
        assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    }
    is_wired
}

/// Every config in the texts of the repository: files, and blocks of the documentation.
fn corpus() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = Vec::new();
    for directory in ["tests", "docs", "crates"] {
        add_texts(&root.join(directory), &mut texts);
    }
    texts
}

fn add_texts(directory: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !path.ends_with("target") {
                add_texts(&path, texts);
            }
        } else if matches!(extension, "json" | "toml" | "md" | "rs") {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            match extension {
                "md" => {
                    let blocks = text.split("```").skip(1).step_by(2);
                    texts.extend(blocks.filter_map(|block| Some(block.split_once('\n')?.1.to_owned())));
                }
                // The configs that tests of Rust have in raw strings.
                "rs" => texts
                    .extend(text.split("r#\"").skip(1).filter_map(|rest| Some(rest.split_once("\"#")?.0.to_owned()))),
                _ => texts.push(text),
            }
        }
    }
}

#[test]
fn every_config_of_the_repository_comes_back() {
    let mut texts = corpus();
    texts.sort();
    texts.dedup();
    // Each is written and read some twenty times, which takes long under Wine: there every twentieth.
    let step = if cfg!(windows) { 20 } else { 1 };
    let mut wired = 0;
    // A text is one agent's, whoever reads it: what each makes of it has to come back.
    for text in texts.iter().filter(|text| text.contains("hooks") && !text.contains("exec")).step_by(step) {
        for (agent, place) in PLACES {
            wired += usize::from(round_trip(agent, place, text));
        }
    }
    assert!(wired > 100 / step, "only {wired} were wired");
}

/// A command, as a JSON string.
fn command() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(r#""\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/x.sh""#.to_owned()),
        Just(r#""${CLAUDE_PROJECT_DIR}/x.sh --strict""#.to_owned()),
        Just(r#""\u0024{CLAUDE_PROJECT_DIR}/x.sh""#.to_owned()),
        Just(r#""${CLAUDE_PROJECT_DIR-}/x.sh""#.to_owned()),
        Just(r#""it's \u00e9 and é""#.to_owned()),
        Just(r#""hookshell run PreToolUse""#.to_owned()),
        Just(r#""""#.to_owned()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ]
}

/// A hook's properties, in some order.
fn hook() -> impl Strategy<Value = String> {
    let extra = prop_oneof![
        Just(r#""timeout": 5"#),
        Just(r#""shell": "bash""#),
        Just(r#""shell": "powershell""#),
        Just(r#""statusMessage": "…""#),
        Just(r#""type": "prompt""#),
        Just(r#""args": ["a"]"#),
        Just(r#""matcher": "x""#),
        Just(r#""failClosed": true"#),
    ];
    (command(), prop::collection::vec(extra, 0..3), any::<bool>(), blank(), any::<prop::sample::Index>()).prop_map(
        |(command, extras, has_type, blank, index)| {
            let mut props: Vec<String> = extras.into_iter().map(str::to_owned).collect();
            if has_type {
                props.push(r#""type": "command""#.to_owned());
            }
            let at = index.index(props.len() + 1);
            props.insert(at, format!("\"command\":{blank}{command}"));
            format!("{{{blank}{}{blank}}}", props.join(&format!(",{blank}")))
        },
    )
}

fn blank() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just(""),
        Just(" "),
        Just("\n    "),
        Just("\r\n\t"),
        Just(" // why\n  "),
        Just(" /* é */ "),
        Just("\t"),
        Just("\r\n")
    ]
}

fn config() -> impl Strategy<Value = String> {
    let group = (prop::collection::vec(hook(), 0..3), blank(), any::<bool>()).prop_map(|(hooks, blank, comma)| {
        let comma = if comma && !hooks.is_empty() { "," } else { "" };
        format!("{{ \"matcher\": \"Bash\",{blank}\"hooks\": [{blank}{}{comma}{blank}] }}", hooks.join(","))
    });
    let entry = prop_oneof![group, hook()];
    let event = prop_oneof![
        Just("PreToolUse"),
        Just("Stop"),
        Just("BeforeTool"),
        Just("preToolUse"),
        Just("beforeShellExecution"),
        Just("nothing"),
    ];
    let events = prop::collection::vec((event, prop::collection::vec(entry, 0..3), blank()), 0..4);
    let end = prop_oneof![Just(""), Just("\n"), Just("\r\n"), Just("\n\n\t"), Just("\n// end"), Just(" ")];
    (events, any::<bool>(), blank(), end).prop_map(|(events, mark, blank, end)| {
        let mark = if mark { "\u{feff}" } else { "" };
        let events: Vec<String> = events
            .iter()
            .map(|(name, entries, blank)| format!("{blank}\"{name}\": [{blank}{}{blank}]", entries.join(", ")))
            .collect();
        format!(
            "{mark}{{{blank}\"version\": 1, \"hooks\": {{{}{blank}}},{blank}\"model\": \"x\"{blank}}}{end}",
            events.join(",")
        )
    })
}

/// Makes a text of another one.
type Edit = fn(&str) -> String;

/// Edits of the text around the hooks, and whether they are of its line ends.
const EDITS: [(bool, Edit); 5] = [
    (false, |text| text.replace("\"model\": \"x\"", "\"model\": \"y\" /* new */")),
    (false, |text| text.replacen("\"version\": 1", "// mine\n\"more\": [1, 2], \"version\": 1", 1)),
    (true, |text| text.replace("\r\n", "\n")),
    (true, |text| text.replace("\r\n", "\n").replace('\n', "\r\n")),
    (false, |text| format!("{text}\n")),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_generated_config_comes_back(text in config(), place in prop::sample::select(PLACES.to_vec())) {
        round_trip(place.0, place.1, &text);
    }

    /// What the user, an editor or git has done to the rest of the file stays, and what was wired comes back.
    #[test]
    fn every_generated_config_comes_back_after_edits(
        text in config(),
        place in prop::sample::select(PLACES.to_vec()),
        edits in prop::sample::subsequence(&EDITS[..], 1..EDITS.len()),
        is_side_lost in any::<bool>(),
    ) {
        let (agent, place) = place;
        let home = Home::new();
        home.write(place, &text);
        home.install(agent);
        let wired = fs::read_to_string(home.path(place)).unwrap();
        if wired != text {
            // Of a text with both kinds of line ends nobody knows which one a list had.
            let has_both = text.contains("\r\n") && text.replace("\r\n", "").contains('\n');
            let edits = edits.iter().filter(|(is_of_lines, _)| !has_both || !is_of_lines);
            let edit = |text: &str| edits.clone().fold(text.to_owned(), |text, (_, edit)| edit(&text));
            home.write(place, &edit(&wired));
            let sides = home.files().into_keys().filter(|path| path.components().any(|part| part.as_os_str() == "hookshell"));
            for side in sides.filter(|side| is_side_lost && side.starts_with(home.path(place).parent().unwrap())) {
                fs::write(side, "{}").unwrap();
            }
            home.uninstall(agent);
            prop_assert_eq!(fs::read_to_string(home.path(place)).unwrap(), edit(&text));
        }
    }

    #[test]
    fn every_generated_toml_comes_back(
        commands in prop::collection::vec("[a-z '\"\\\\#\n]{1,12}", 1..4),
        ending in prop_oneof![Just("\n"), Just("\r\n")],
        shape in 0..4,
        has_end in any::<bool>(),
        mark in prop_oneof![Just(""), Just("\u{feff}")],
    ) {
        let mut lines = vec!["# my settings".to_owned(), "model = \"x\" # fast".to_owned(), String::new()];
        for command in &commands {
            let command = serde_json::to_string(command).unwrap();
            match shape {
                0 => lines.extend([
                    "[[hooks.PreToolUse]]".to_owned(), "matcher = \"^Bash$\"".to_owned(), "# why".to_owned(),
                    "[[hooks.PreToolUse.hooks]]".to_owned(), "type = \"command\"".to_owned(), format!("command = {command}"),
                    String::new(), "# after".to_owned(),
                ]),
                1 => lines.extend([
                    "[[hooks.Stop]]".to_owned(), format!("hooks = [ {{ type = \"command\", command = {command} }},"),
                    " ] # end".to_owned(),
                ]),
                _ => {}
            }
        }
        let command = serde_json::to_string(&commands[0]).unwrap();
        match shape {
            2 => lines.extend(["[hooks]".to_owned(), format!("Stop = [{{ hooks = [{{ type = \"command\", command = {command} }}] }}]"), "PreCompact = []".to_owned()]),
            3 => lines.insert(2, format!("hooks.Stop = [{{ hooks = [{{ type = 'command', command = {command} }}] }}]")),
            _ => {}
        }
        lines.extend(["[profiles.x]".to_owned(), "model = \"y\"".to_owned()]);
        let text = format!("{mark}{}{}", lines.join(ending), if has_end { ending } else { "" });
        let wired = round_trip(Agent::Codex, ".codex/config.toml", &text);
        prop_assert!(wired || commands.iter().all(|command| command.trim().is_empty()) || shape > 1 && commands[0].trim().is_empty() || commands.iter().any(|command| command.trim().is_empty()));
    }
}

/// A config of each agent with one hook.
fn small(agent: Agent, place: &str) -> &'static str {
    let groups = r#"{ "hooks": { "PreToolUse": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] } }"#;
    match agent {
        Agent::Codex if place.ends_with(".toml") => {
            "model = \"x\" # keep\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"true\"\n"
        }
        Agent::Gemini => {
            r#"{ "hooks": { "BeforeTool": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] } }"#
        }
        Agent::Cursor => r#"{"version":1,"hooks":{"beforeShellExecution":[{"command":"true"}]}}"#,
        Agent::Copilot => r#"{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"true"}]}}"#,
        Agent::Crush => r#"{"hooks":{"PreToolUse":[{"command":"true"}]}}"#,
        _ => groups,
    }
}

#[test]
fn a_config_that_went_back_is_wired_as_before() {
    for (agent, place) in PLACES {
        let text = small(agent, place);
        let home = Home::new();
        home.write(place, text);
        let before = home.files();
        home.install(agent);
        let wired = home.files();
        assert_ne!(wired[&home.path(place)], text.as_bytes(), "{place}");
        home.write(place, text);
        home.install(agent);
        assert_eq!(home.files(), wired, "{place}: the hooks stand twice in the side file");
        let plan = home.uninstall(agent);
        assert!(plan.notes.is_empty() && plan.problems.is_empty(), "{place}: {:?} {:?}", plan.notes, plan.problems);
        assert_eq!(home.files(), before, "{place}");
    }
}

#[test]
fn a_plan_that_is_stopped_leaves_whole_configs() {
    let home = Home::new();
    for agent in [Agent::Claude, Agent::Gemini] {
        let (_, place) = PLACES.into_iter().find(|(other, _)| *other == agent).unwrap();
        home.write(place, small(agent, place));
    }
    let before = home.files();
    let mut plan = Plan::install(&home.machine, &[], Scope::User);
    let asked = std::cell::Cell::new(0);
    // It is asked at the begin and before each config.
    let done = plan.apply(&|| asked.replace(asked.get() + 1) >= 2);
    assert!(done.len() == 1 && done[0].starts_with("Claude Code: "), "{done:?}");
    assert_eq!(plan.summaries().count(), 1);
    let gemini = home.path(".gemini/settings.json");
    assert_eq!(home.files()[&gemini], before[&gemini]);
    assert!(Plan::install(&home.machine, &[], Scope::User).apply(&|| true).is_empty());
    home.uninstall(Agent::Claude);
    assert_eq!(home.files(), before);
}
