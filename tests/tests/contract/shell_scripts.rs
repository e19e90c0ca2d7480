//! Whose shell runs a hook's script: the setting of a file, of a hook, of the command line, and what the report says.

use serde_json::{Value, json};

use crate::place;

#[test]
fn a_hook_that_is_run_in_process_needs_no_shell_and_says_so() {
    let place = place().without_system_path();
    place
        .script("s.sh", "#!/usr/bin/env bash\njq -r .tool_name >tool; echo \"no $(cat tool)\" >&2\nbash -c 'exit 2'\n");
    for command in ["./s.sh", "bash ./s.sh", "timeout 20 bash s.sh", "cat s.sh >t.sh; cat - | bash t.sh"] {
        let hook = [json!({"command": command, "shell_scripts": "in-process", "missing_shell": "fail"})];
        for seen in place.verdicts(&hook, &json!({})) {
            assert_eq!((seen.code, seen.text("reason")), (2, "no bash"), "{command}: {seen:?}");
            let shells = seen.hooks()[0]["shells"].as_array().unwrap().clone();
            assert_eq!(shells.len(), 2, "{command}: {seen:?}");
            let why = |shell: &Value| (shell["shell"].clone(), shell["reason"].clone());
            let expected = (json!("in-process"), json!("shell_scripts = in-process"));
            assert!(shells.iter().all(|shell| why(shell) == expected), "{command}: {seen:?}");
        }
        let hook = [json!({"command": command, "shell_scripts": "installed", "missing_shell": "fail"})];
        for seen in place.verdicts(&hook, &json!({})) {
            assert_eq!((seen.code, seen.outcomes()), (0, vec!["NotFound"]), "{command}: {seen:?}");
        }
    }
}

#[test]
fn the_setting_is_a_key_of_the_file_and_an_option_of_the_commands() {
    let place = place().without_system_path();
    place.script("s.sh", "#!/no/such/place/bash\nexit 2\n");
    let config = |hooks: Value| std::fs::write(place.file("crush.json"), json!({"hooks": hooks}).to_string()).unwrap();
    let explained = |options: &[&str]| {
        let args = [&["explain", "--config", "crush.json", "--missing-shell", "fail"], options].concat();
        String::from_utf8(place.hookshell(&args).output().unwrap().stdout).unwrap()
    };
    let in_process = "shell_scripts = in-process";
    config(json!({"shell_scripts": "in-process", "Stop": [{"command": "./s.sh"}]}));
    assert!(explained(&[]).contains(in_process), "{}", explained(&[]));
    config(json!({"shell_scripts": "in-process", "Stop": [{"command": "./s.sh", "shell_scripts": "installed"}]}));
    assert!(!explained(&["--shell-scripts", "in-process"]).contains(in_process));
    config(json!({"Stop": [{"command": "./s.sh"}]}));
    assert!(!explained(&[]).contains(in_process), "{}", explained(&[]));
    assert!(explained(&["--shell-scripts", "in-process"]).contains(in_process));
    for command in ["exec", "check", "run", "test"] {
        let wrong = place.hookshell(&[command, "--shell-scripts", "mine"]).output().unwrap();
        let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
        assert!(said.contains("installed") && said.contains("in-process"), "{command}: {said}");
    }
}
