//! What docs/agents shows before and after is what `install` makes.
#![allow(clippy::unwrap_used, reason = "a test's helpers fail the test so")]

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use hookshell_install::{Agent, Machine, Plan, Scope};
use serde_json::Value;

/// Where the config of an agent is, and what stands around the hooks that its page shows.
const PAGES: [(Agent, &str, &str); 7] = [
    (Agent::Claude, ".claude/settings.json", r#"{"hooks":{"PreToolUse":[{"hooks":[HOOKS]}]}}"#),
    (Agent::Codex, ".codex/hooks.json", r#"{"hooks":{HOOKS}}"#),
    (Agent::Gemini, ".gemini/settings.json", r#"{"hooks":{HOOKS}}"#),
    (Agent::Cursor, ".cursor/hooks.json", r#"{"version":1,"hooks":{HOOKS}}"#),
    (Agent::Copilot, ".copilot/hooks/guard.json", r#"{"version":1,"hooks":{HOOKS}}"#),
    (Agent::Crush, ".config/crush/crush.json", r#"{"hooks":{"PreToolUse":[HOOKS]}}"#),
    (Agent::Qwen, ".qwen/settings.json", r#"{"hooks":{HOOKS}}"#),
];

#[test]
fn every_page_shows_what_is_written() {
    for (agent, place, around) in PAGES {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/agents/{}.md", agent.as_str()));
        let page = fs::read_to_string(page).unwrap().replace("\r\n", "\n");
        let (_, shown) = page.split_once("## Before and after").unwrap();
        let blocks: Vec<&str> = shown.split("```").skip(1).step_by(2).collect();
        let hooks = |index: usize| around.replace("HOOKS", blocks[index].split_once('\n').unwrap().1);
        let (before, after) = (hooks(0), hooks(1));

        let home = tempfile::tempdir().unwrap();
        let config = home.path().join(place);
        fs::create_dir_all(config.parent().unwrap()).unwrap();
        fs::write(&config, &before).unwrap();
        let directory = |name: &str, path: &Path| (OsString::from(name), path.to_owned().into_os_string());
        let env = vec![
            directory("HOME", home.path()),
            directory("USERPROFILE", home.path()),
            directory("XDG_CONFIG_HOME", &home.path().join(".config")),
            directory("XDG_DATA_HOME", &home.path().join("data")),
            directory("LOCALAPPDATA", &home.path().join(".config")),
        ];
        let machine = Machine::new(env, home.path());
        let mut plan = Plan::install(&machine, &[agent], Scope::User);
        plan.apply(&|| false);
        assert!(plan.problems.is_empty(), "{agent:?}: {:?}", plan.problems);
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(json(&fs::read_to_string(&config).unwrap()), json(&after), "{agent:?}");

        let name = config.file_name().unwrap().to_string_lossy().into_owned();
        assert!(page.contains(&format!("`{name}.hookshell-backup`")), "{agent:?}");
        if let Some((_, rest)) = page.split_once("and the hooks are in `~/") {
            let side = home.path().join(rest.split_once('`').unwrap().0);
            assert_eq!(json(&fs::read_to_string(side).unwrap())["hooks"], json(&before)["hooks"], "{agent:?}");
        }
        Plan::uninstall(&machine, &[agent], Scope::User).apply(&|| false);
        assert_eq!(fs::read_to_string(&config).unwrap(), before, "{agent:?}");
    }
}
