//! Codex: what it trusts, what it keeps off, and hooks in TOML.

use serde_json::Value;

use crate::place::Place;

#[test]
fn status_says_that_codex_does_not_trust_a_line_yet() {
    let place = Place::new();
    let hooks = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"exit 2"}]}]}}"#;
    place.write("home/.codex/hooks.json", hooks);
    let status = || place.run("project", &["status"], "").stdout;
    assert!(!status().contains("TRUSTED BY CODEX"));
    place.install(&[]);
    assert!(status().contains("wired, NOT TRUSTED BY CODEX, which skips it: trust it in `/hooks`"), "{}", status());
    let json: Value = serde_json::from_str(&place.run("project", &["status", "--json"], "").stdout).unwrap();
    assert_eq!(json["agents"][0]["configs"][0]["hooks"][0]["trusted_by_agent"], false);
}

/// Codex knows a hook by its place: the line that takes the place of one that is off is off, with all hooks of the event.
#[test]
fn a_line_that_codex_keeps_off_is_told() {
    let place = Place::new();
    let hooks =
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"b"}]}]}}"#;
    for (index, is_off) in [(0, true), (1, false)] {
        place.write("home/.codex/hooks.json", hooks);
        let config = place.shown("home/.codex/hooks.json");
        let state = format!("[hooks.state.'{config}:pre_tool_use:0:{index}']\nenabled = false\n");
        place.write("home/.codex/config.toml", &state);
        for _ in 0..2 {
            let said = place.install(&["codex"]);
            assert_eq!(
                (said.code, said.stderr.contains("PreToolUse: Codex has switched off")),
                (Some(0), is_off),
                "{said:?}"
            );
        }
        let status = place.run("project", &["status"], "").stdout;
        assert_eq!(status.contains("wired, SWITCHED OFF IN CODEX: switch it on"), is_off, "{status}");
        assert_eq!(place.run("project", &["uninstall"], "").code, Some(0));
    }
}

/// What can be wired is wired, however it is written: `status` sends nobody to a command that does nothing.
#[test]
fn codex_hooks_in_one_inline_table_are_wired() {
    let place = Place::new();
    let text = "# mine\nhooks = { PreToolUse = [{ matcher = \"^Bash$\", hooks = [{ type = \"command\", command = 'x' }] }], state = { a = 1 } } # why\n[tui]\na = 1\n";
    place.write("home/.codex/config.toml", text);
    let output = place.install(&[]);
    assert!(output.code == Some(0) && output.stdout.contains("1 hook is wired"), "{output:?}");
    let wired = place.read("home/.codex/config.toml");
    assert!(
        wired.contains(
            "\nhooks = { PreToolUse = [{ hooks = [{ type = \"command\", command = \"hookshell run PreToolUse "
        ),
        "{wired}"
    );
    assert!(wired.contains(" }] }], state = { a = 1 } }\n") && wired.contains("\n#hookshell# hooks = "), "{wired}");
    assert_eq!(place.run("project", &["status"], "").code, Some(0));
    assert_eq!(place.install(&[]).stdout, "every hook that can be wired is\n");
    assert_eq!(place.run("project", &["uninstall"], "").code, Some(0));
    assert_eq!(place.read("home/.codex/config.toml"), text);
}

/// In TOML one key has all events, so a new hook can only be written where hookshell's line is.
#[test]
fn codex_hooks_that_were_added_beside_the_line_are_not_dropped() {
    let config = "home/.codex/config.toml";
    for (text, line, more) in [
        ("hooks = { PreToolUse = [{ hooks = [{ type = \"command\", command = 'x' }] }] }\n", "\nhooks = { ", "Stop = "),
        ("[hooks]\nPreToolUse = [{ hooks = [{ type = \"command\", command = 'x' }] }]\n", "\nPreToolUse = [", ""),
    ] {
        let place = Place::new();
        place.write(config, text);
        assert_eq!(place.install(&[]).code, Some(0));
        let wired = place.read(config);
        let hook = match more {
            "" => "{ hooks = [{ type = \"command\", command = 'new' }] }, ".to_owned(),
            event => format!("{event}[{{ hooks = [{{ type = \"command\", command = 'new' }}] }}], "),
        };
        let added = wired.replacen(line, &format!("{line}{hook}"), 1);
        assert_ne!(added, wired);
        place.write(config, &added);
        for command in ["install", "uninstall"] {
            let output = place.run("project", &[command], "");
            assert!(output.code != Some(0) && output.stderr.contains("were added between"), "{command}: {output:?}");
            assert_eq!(place.read(config), added, "{command}");
        }
        place.write(config, &wired);
        assert_eq!(place.run("project", &["uninstall"], "").code, Some(0));
        assert_eq!(place.read(config), text);
    }
}

#[test]
fn a_config_that_was_never_wired_is_given_back_as_it_is() {
    let text = "#hookshell# mine\nmodel = \"x\"\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"\"\"x\n#hookshell# y\n\"\"\"\n";
    let place = Place::new();
    place.write("home/.codex/config.toml", text);
    let output = place.run("project", &["uninstall"], "");
    assert_eq!(output.stdout, "nothing is wired\n", "{output:?}");
    assert_eq!(place.read("home/.codex/config.toml"), text);
    place.install(&["codex"]);
    place.run("project", &["uninstall"], "");
    assert_eq!(place.read("home/.codex/config.toml"), text);
}
