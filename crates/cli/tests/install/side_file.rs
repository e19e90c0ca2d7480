//! The file beside a config that holds the hooks of a line.

use std::fs;

use serde_json::Value;

use crate::place::{GEMINI, Place};

/// The agent's line reads the hooks from another file: without it none of them runs.
#[test]
fn a_missing_side_file_is_an_error_and_comes_back() {
    let place = Place::new();
    place.write("home/.gemini/settings.json", GEMINI);
    place.write(
        "home/.codex/config.toml",
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"true\"\n",
    );
    assert_eq!(place.install(&[]).code, Some(0));
    let sides = ["home/.gemini/hookshell/settings.json", "home/.codex/hookshell/config.json"];
    let moved = sides.map(|side| place.read(side));
    for side in sides {
        fs::remove_file(place.path(side)).unwrap();
    }
    let status = place.run("project", &["status"], "");
    assert_eq!(status.code, Some(1), "{status:?}");
    for side in sides {
        let message = format!(
            "    error: its hooks were moved to {}, which is missing, and none of them runs: `hookshell install` writes it again\n",
            place.shown(side)
        );
        assert!(status.stdout.contains(&message), "{status:?}");
    }
    let doctor = place.run("project", &["doctor"], "");
    assert!(doctor.stdout.contains("settings.json (user): error: its hooks were moved to "), "{doctor:?}");
    let output = place.install(&[]);
    assert_eq!(
        (output.code, output.stdout.matches("the file of its hooks was missing, and is back\n").count()),
        (Some(0), 2)
    );
    assert_eq!(sides.map(|side| place.read(side)), moved);
    assert_eq!(place.run("project", &["status"], "").code, Some(0));
    // On another machine nobody knows what was in it.
    for side in sides {
        fs::remove_file(place.path(side)).unwrap();
    }
    fs::remove_dir_all(place.path(if cfg!(windows) { "home/local" } else { "home/.local" })).unwrap();
    for command in ["install", "status"] {
        let output = place.run("project", &[command], "");
        assert!(matches!(output.code, Some(1 | 65)), "{output:?}");
        let said = format!("{}{}", output.stdout, output.stderr);
        assert_eq!(said.matches("bring that file back, from version control or a backup").count(), 2, "{said}");
    }
    // What does not parse is an error, too.
    place.write(sides[0], "{");
    place.write(sides[1], "");
    let status = place.run("project", &["status"], "");
    assert_eq!(status.code, Some(1), "{status:?}");
    assert!(status.stdout.contains("settings.json: line 1, column 1: Unterminated object;"), "{status:?}");
    assert!(status.stdout.contains("its line for Stop runs no hook, as there is none in "), "{status:?}");
}

/// Nor does one run whose hooks somebody has taken out of that file: the agent's line stands there all the same.
#[test]
fn a_side_file_without_the_hooks_of_a_line_is_an_error_and_they_come_back() {
    let place = Place::new();
    let codex = "[[hooks.Stop]] # why\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"true\"\n";
    let cursor = r#"{"version":1, "hooks":{ "stop":[ {"command":"true"} ], "preToolUse":[ {"command":"exit 2"} ]}}"#;
    let configs = [
        ("home/.gemini/settings.json", GEMINI, "home/.gemini/hookshell/settings.json", "BeforeTool"),
        ("home/.codex/config.toml", codex, "home/.codex/hookshell/config.json", "Stop"),
        ("home/.cursor/hooks.json", cursor, "home/.cursor/hookshell/hooks.json", "stop, preToolUse"),
    ];
    configs.iter().for_each(|(config, text, ..)| place.write(config, text));
    assert_eq!(place.install(&[]).code, Some(0));
    let moved = configs.map(|(_, _, side, _)| place.read(side));
    for emptied in ["{}", "", " \n", "null", "[]", "{\"hooks\": {}}", "{\"hooks\": []}", "\u{feff}{ /* none */ }"] {
        configs.iter().for_each(|(_, _, side, _)| place.write(side, emptied));
        let status = place.run("project", &["status"], "");
        assert_eq!(status.code, Some(1), "{emptied}: {status:?}");
        for (_, _, side, events) in &configs {
            let (lines, run) = if events.contains(',') { ("lines", "run") } else { ("line", "runs") };
            let message = format!(
                "    error: its {lines} for {events} {run} no hook, as there is none in {}, where the hooks were moved: \
                 `hookshell install` brings them back, or take the {lines} out\n",
                place.shown(side)
            );
            assert!(status.stdout.contains(&message), "{emptied}: {status:?}");
        }
        let doctor = place.run("project", &["doctor"], "");
        assert!(doctor.stdout.contains("its line for BeforeTool runs no hook"), "{emptied}: {doctor:?}");
        let output = place.install(&[]);
        let told = output.stdout.matches("the hooks that were missing in the file of its hooks are back\n").count();
        assert_eq!((output.code, told), (Some(0), 3), "{emptied}: {output:?}");
        assert_eq!(configs.map(|(_, _, side, _)| place.read(side)), moved, "{emptied}");
        assert_eq!(place.install(&[]).stdout, "every hook that can be wired is\n", "{emptied}");
        assert_eq!(place.run("project", &["status"], "").code, Some(0), "{emptied}");
    }
    // Only those of one event: the others stay as the user has them, and are listed.
    let side = "home/.cursor/hookshell/hooks.json";
    place.write(side, "// mine\n{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"echo mine\"},],}}\n");
    let status = place.run("project", &["status"], "");
    assert!(status.stdout.contains("its line for preToolUse runs no hook"), "{status:?}");
    assert!(status.stdout.contains("    stop: echo mine: wired\n"), "{status:?}");
    assert_eq!(place.install(&[]).code, Some(0));
    let side: Value = serde_json::from_str(&place.read(side)).unwrap();
    assert_eq!(side["hooks"]["stop"][0]["command"], "echo mine");
    assert_eq!(side["hooks"]["preToolUse"][0]["command"], "exit 2");
    // `uninstall` needs none of them.
    for emptied in ["{}", "", "{\"hooks\": {}}"] {
        configs.iter().for_each(|(_, _, side, _)| place.write(side, emptied));
        let output = place.run("project", &["uninstall"], "");
        assert_eq!((output.code, &*output.stderr), (Some(0), ""), "{emptied}: {output:?}");
        for (config, text, side, _) in &configs {
            assert_eq!(place.read(config), *text, "{emptied}");
            assert!(!place.path(side).exists(), "{emptied}: {side}");
        }
        assert_eq!(place.install(&[]).code, Some(0));
    }
}

/// As `/hooks disable x` of Gemini CLI does.
#[test]
fn a_moved_hook_that_is_switched_off_is_not_missed() {
    for more in ["", ",\"SessionStart\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"true\"}]}]"] {
        let place = Place::new();
        let hook = r#""BeforeTool":[{"hooks":[{"name":"x","type":"command","command":"exit 2"}]}]"#;
        let text = format!("{{\"hooksConfig\":{{\"disabled\":[\"x\"]}},\"hooks\":{{{hook}{more}}}}}");
        place.write("home/.gemini/settings.json", &text);
        assert_eq!(place.install(&[]).code, Some(0));
        let side = place.path("home/.gemini/hookshell/settings.json");
        let side = side.to_str().unwrap();
        let args = ["run", "BeforeTool", "--dialect", "gemini", "--output", "gemini", "--config", side];
        let payload =
            r#"{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#;
        let output = place.run("project", &args, payload);
        assert!(output.code == Some(0) && !output.stdout.contains("systemMessage"), "{output:?}");
    }
}

/// A line that somebody has taken out leaves hooks behind that nobody runs.
#[test]
fn hooks_whose_line_is_gone_are_told() {
    let place = Place::new();
    place.write("home/.gemini/settings.json", GEMINI);
    assert_eq!(place.install(&[]).code, Some(0));
    place.write("home/.gemini/settings.json", "{}\n");
    let status = place.run("project", &["status"], "");
    let line = "    BeforeTool run_shell_command: echo no >&2; exit 2: NOT RUN: its event has no line in the config; \
                put the hook back there, or remove it from the file that it was moved to\n";
    assert!(status.code == Some(1) && status.stdout.contains(line), "{status:?}");
    assert!(status.stdout.ends_with("not everything is wired: there are hooks that nobody runs\n"), "{status:?}");
    let output = place.run("project", &["uninstall"], "");
    assert_eq!((output.code, &*output.stdout), (Some(0), "nothing is wired\n"), "{output:?}");
    assert!(output.stderr.contains("has no line any more that runs what is in it, and it stays"), "{output:?}");
}
