//! What Claude Code refuses of a file of settings. Each was tried with the real one (2.1.197).

use crate::config::{Config, ConfigError, FoundFile, Origin};
use crate::dialect::Dialect;

const HOOK: &str = r#"{"type":"command","command":"x"}"#;

/// How many hooks of the file run, and what is said of it as a whole.
fn read(text: &str) -> (usize, Option<String>) {
    let mut config = Config::in_dialect(Some(Dialect::Claude));
    let errors = config.add(text, "s.json");
    let ignored = errors.iter().find(|error| matches!(error, ConfigError::FileIgnored { .. }));
    (config.hooks().len(), ignored.map(ToString::to_string))
}

/// A file whose PreToolUse has these groups.
fn groups(groups: &str) -> String {
    format!(r#"{{"hooks":{{"PreToolUse":[{groups}]}}}}"#)
}

/// A file with a valid hook and this one.
fn beside(hook: &str) -> String {
    groups(&format!(r#"{{"hooks":[{HOOK},{hook}]}}"#))
}

#[test]
fn one_wrong_entry_costs_the_whole_file() {
    let wrong = [
        r#"{"command":"x"}"#,
        r#"{"type":"nope","command":"x"}"#,
        r#"{"type":"command"}"#,
        r#"{"type":"command","command":5}"#,
        r#"{"type":"command","command":null}"#,
        r#"{"type":"command","command":"x","timeout":0}"#,
        r#"{"type":"command","command":"x","timeout":-1}"#,
        r#"{"type":"command","command":"x","timeout":"5"}"#,
        r#"{"type":"command","command":"x","timeout":null}"#,
        r#"{"type":"command","command":"x","async":"yes"}"#,
        r#"{"type":"command","command":"x","asyncRewake":1}"#,
        r#"{"type":"command","command":"x","once":1}"#,
        r#"{"type":"command","command":"x","shell":"zsh"}"#,
        r#"{"type":"command","command":"x","args":"a"}"#,
        r#"{"type":"command","command":"x","args":[1]}"#,
        r#"{"type":"command","command":"x","if":1}"#,
        r#"{"type":"command","command":"x","statusMessage":1}"#,
        r#"{"type":"prompt"}"#,
        r#"{"type":"mcp_tool","server":"s"}"#,
        r#"{"type":"http"}"#,
        r#"{"type":"http","url":"x"}"#,
        r#"{"type":"http","url":"http://"}"#,
        "5",
        "null",
    ];
    for hook in wrong {
        let (hooks, ignored) = read(&beside(hook));
        assert_eq!(hooks, 0, "{hook}");
        let ignored = ignored.unwrap_or_else(|| panic!("{hook}"));
        assert!(
            ignored.contains("Claude Code uses nothing of this file") && ignored.starts_with("s.json:1:"),
            "{ignored}"
        );
    }
    for wrong in [
        format!(r#"{{"matcher":5,"hooks":[{HOOK}]}},{{"hooks":[{HOOK}]}}"#),
        format!(r#"{{"matcher":"Bash"}},{{"hooks":[{HOOK}]}}"#),
        format!(r#"{{"hooks":{HOOK}}},{{"hooks":[{HOOK}]}}"#),
        HOOK.to_owned(),
        format!(r#"null,{{"hooks":[{HOOK}]}}"#),
    ] {
        assert_eq!(read(&groups(&wrong)).0, 0, "{wrong}");
    }
}

#[test]
fn a_wrong_setting_beside_the_hooks_costs_them_too() {
    let whole = beside(HOOK);
    let with = |setting: &str| whole.replacen('{', &format!("{{{setting},"), 1);
    for wrong in [
        r#""permissions":"x""#,
        r#""permissions":{"allow":"Bash"}"#,
        r#""permissions":{"defaultMode":"never"}"#,
        r#""disableAllHooks":"no""#,
        r#""model":5"#,
        r#""model":null"#,
        r#""env":[]"#,
        r#""cleanupPeriodDays":0"#,
        r#""companyAnnouncements":[1]"#,
    ] {
        assert_eq!(read(&with(wrong)).0, 0, "{wrong}");
    }
    for right in [
        r#""permissions":{"allow":["Bash(x)"],"defaultMode":"plan","new":1}"#,
        r#""env":{"A":5}"#,
        r#""theme":5"#,
        r#""unknown":{"a":null}"#,
        r#""model":5,"model":"m""#,
    ] {
        assert_eq!(read(&with(right)).0, 2, "{right}");
    }
}

#[test]
fn a_file_that_is_no_strict_json_is_not_used() {
    let right = beside(HOOK);
    for (text, hooks) in [
        (right.clone(), 2),
        (format!("\u{feff}{right}"), 2),
        (format!("// x\n{right}"), 0),
        (format!("/* x */{right}"), 0),
        (right.replacen("]}]}", "]},]}", 1), 0),
    ] {
        assert_eq!(read(&text).0, hooks, "{text}");
    }
    let (_, why) = read(&format!("{{}} // {right}"));
    assert_eq!(
        why.as_deref(),
        Some(
            "s.json:1:4: Claude Code uses nothing of this file, no hook of it runs: it must be JSON without comments and \
             trailing commas, found trailing characters at line 1 column 4"
        )
    );
}

#[test]
fn what_costs_only_itself_leaves_the_other_hooks() {
    let good = format!(r#"{{"hooks":[{HOOK}]}}"#);
    for text in [
        format!(r#"{{"hooks":{{"PreTolUse":[{HOOK}],"PreToolUse":[{good}]}}}}"#),
        format!(r#"{{"hooks":{{"pretooluse":[{good}],"PreToolUse":[{good}]}}}}"#),
        format!(r#"{{"hooks":{{"Stop":{{}},"PreToolUse":[{good}]}}}}"#),
        format!(r#"{{"hooks":{{"PreToolUse":[{good},{good}],"PreToolUse":[{good}]}}}}"#),
        format!(r#"{{"hooks":5,"hooks":{{"PreToolUse":[{good}]}}}}"#),
        groups(&format!(r#"{{"matcher":"[","hooks":[{HOOK}]}},{good}"#)),
        groups(&format!(r#"{good},{{"hooks":[{{"type":"command","command":"y","if":"Bash(git"}}]}}"#)),
        groups(r#"{"hooks":[{"type":"command","command":"y","command":"x"}]}"#),
        groups(r#"{"hooks":[{"type":"command","command":"x","name":5,"env":[],"on_failure":"x","cwd":{}}]}"#),
    ] {
        assert_eq!(read(&text), (1, None), "{text}");
    }
    // An empty `if` is no condition.
    let mut config = Config::in_dialect(Some(Dialect::Claude));
    assert!(config.add(&beside(r#"{"type":"command","command":"y","if":""}"#), "s.json").is_empty());
    assert_eq!(config.hooks().len(), 2);
    assert!(config.hooks()[1].condition.is_none());
}

#[test]
fn a_guard_in_a_file_of_the_users_is_not_lost_by_a_slip_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("settings.json");
    let texts = [
        beside(r#"{"type":"nope"}"#),
        format!("// mine\n{}", beside(HOOK)),
        beside(r#"{"command":"x","timeout":0}"#),
        groups(HOOK),
        beside(HOOK).replacen("PreToolUse", "pretooluse", 1),
        beside(HOOK).replacen('{', r#"{"permissions":"x","disableAllHooks":true,"#, 1),
    ];
    for text in texts {
        std::fs::write(&path, &text).unwrap();
        for (origin, runs) in
            [(Origin::User, true), (Origin::Managed, true), (Origin::Project, false), (Origin::Given, false)]
        {
            let mut config = Config::in_dialect(Some(Dialect::Claude));
            config.add_found(&FoundFile { path: path.clone(), origin });
            assert_eq!(!config.hooks().is_empty(), runs, "{origin:?} {text}");
            let says = config
                .warnings()
                .iter()
                .any(|warning| warning.to_string().contains("Claude Code uses nothing of this file"));
            assert_eq!(says, runs && !text.contains("pretooluse"), "{origin:?} {text}");
        }
    }
}

#[test]
fn a_projects_hook_without_a_type_runs_where_the_project_is_trusted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("settings.json");
    for (hook, hooks) in [(r#"{"command":"x"}"#, 2), (r#"{"command":"x","timeout":0}"#, 0)] {
        std::fs::write(&path, beside(hook)).unwrap();
        let mut config = Config::in_dialect(Some(Dialect::Claude));
        config.add_found(&FoundFile { path: path.clone(), origin: Origin::Project });
        assert_eq!(config.hooks().len(), hooks, "{hook}");
    }
}

#[test]
fn a_file_that_is_only_shaped_like_claude_codes_is_read_as_before() {
    let config =
        Config::parse(r#"{"hooks":{"PreToolUse":[{"hooks":[{"command":"x","timeout":0}]}]}} // x"#, "x.json").unwrap();
    assert_eq!(config.hooks().len(), 1);
}

#[test]
fn a_file_that_is_not_used_switches_no_hooks_off() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        FoundFile { path, origin: Origin::Given }
    };
    let hooks = write("a.json", &beside(HOOK));
    for (text, left) in [(r#"{"disableAllHooks":true}"#, 0), (r#"{"disableAllHooks":true,}"#, 2)] {
        let mut config = Config::in_dialect(Some(Dialect::Claude));
        config.add_found(&hooks);
        config.add_found(&write("b.json", text));
        assert_eq!(config.hooks().len(), left, "{text}");
    }
}

#[test]
fn what_costs_the_file_is_not_told_to_be_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.json");
    for timeout in ["-1", "0"] {
        let hook = HOOK.replacen('{', &format!("{{\"timeout\":{timeout},"), 1);
        std::fs::write(&path, beside(&hook)).unwrap();
        let mut config = Config::in_dialect(Some(Dialect::Claude));
        let errors = config.add_found(&FoundFile { path: path.clone(), origin: Origin::Given });
        assert_eq!((errors.len(), config.hooks().len()), (1, 0), "{timeout}: {errors:?}");
        assert!(config.warnings().iter().all(|warning| !warning.to_string().contains("instead")), "{timeout}");
    }
}

#[test]
fn each_key_of_a_hook_has_its_type_and_others_have_none() {
    // Every value of every kind for every key: what the agent takes runs, and what it does not costs the file.
    let values = ["\"t\"", "1", "0", "true", "[]", "[\"a\"]", "{}", "\"bash\""];
    let keys: [(&str, &[&str]); 9] = [
        ("if", &["\"t\"", "\"bash\""]),
        ("statusMessage", &["\"t\"", "\"bash\""]),
        ("timeout", &["1"]),
        ("once", &["true"]),
        ("async", &["true"]),
        ("asyncRewake", &["true"]),
        ("args", &["[]", "[\"a\"]"]),
        ("shell", &["\"bash\""]),
        ("unknown", &values),
    ];
    for (key, right) in keys {
        for value in values {
            let hook = format!(r#"{{"type":"command","command":"y","{key}":{value}}}"#);
            let expected = if right.contains(&value) { 2 } else { 0 };
            assert_eq!(read(&beside(&hook)).0, expected, "{hook}");
        }
    }
}

#[test]
fn an_address_is_read_as_it_is_for_the_request() {
    let right = ["http://a", "HTTP:\\\\a", " https://a:9/x ", "http://12\t7.0.0.1/", "http://a\n.b", "http:a"];
    // They are addresses, and no request is sent to them.
    let other = ["mailto:x", "ws://a"];
    let wrong = ["", "a", "/a", "http://", "http:", "http://a b", "http://a:x/", "ws://", "1http://a"];
    for (texts, expected) in [(&right[..], 2), (&other, 1), (&wrong, 0)] {
        for text in texts {
            let hook = serde_json::json!({"type": "http", "url": text}).to_string();
            assert_eq!(read(&beside(&hook)).0, expected, "{text:?}");
        }
    }
}

#[test]
fn what_is_secret_in_a_wrong_address_is_not_shown() {
    for url in ["http://[bad/?key=secret", "127.0.0.1:5/a?key=secret", "http://x:secret@h:99999/", "x://u:secret@"] {
        let mut config = Config::in_dialect(Some(Dialect::Claude));
        let errors = config.add(&beside(&format!(r#"{{"type":"http","url":"{url}"}}"#)), "s.json");
        assert!(!errors.is_empty(), "{url}");
        assert!(!errors.iter().any(|error| error.to_string().contains("secret")), "{url}: {errors:?}");
    }
}
