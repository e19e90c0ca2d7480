use std::collections::BTreeSet;
use std::time::Duration;

use super::super::kind_reader::KIND_KEYS;
use super::super::{Config, HookConfig, OnFailure};
use super::{DEFAULTS, KEYS};
use crate::event_kind::EventKind;

fn hooks(text: &str) -> Config {
    Config::parse(text, "c.json").unwrap()
}

#[test]
fn a_hook_is_read_with_comments_trailing_commas_and_a_byte_order_mark() {
    let config = hooks(
        "\u{feff}// the agent's file\r\n{\n  \"model\": {\"a\": 1, \"a\": 2}, /* its own */\n  \"hooks\": {\n    \
         \"pre_tool_use\": [\n      {\n        \"matcher\": \"^bash$\", // a regex\n        \"command\": \
         \"./a.sh\",\n        \"timeout\": 0.5,\n        \"name\": \"guard\",\n        \"on_failure\": \"deny\",\n        \
         \"require_env\": false,\n      },\n    ],\n  },\n}\n",
    );
    let [hook] = config.hooks() else { panic!() };
    assert_eq!(hook.command, "./a.sh");
    assert_eq!(hook.matcher.pattern(), Some("^bash$"));
    assert_eq!(hook.timeout, Duration::from_millis(500));
    assert_eq!(hook.name.as_deref(), Some("guard"));
    assert_eq!(hook.on_failure, OnFailure::Deny);
    assert!(!hook.require_env);
    assert_eq!(hook.place.as_ref().unwrap().to_string(), "c.json:6:7");
    assert_eq!(config.warnings(), []);
}

#[test]
fn only_the_command_is_required() {
    let config = hooks(r#"{"hooks":{"PreToolUse":[{"command":"true"}]}}"#);
    let [hook] = config.hooks() else { panic!() };
    assert_eq!(hook.timeout, Duration::from_secs(30));
    assert_eq!(hook.matcher.pattern(), None);
    assert_eq!(hook.on_failure, OnFailure::Ignore);
    assert!(hook.require_env);
    assert_eq!(hook.display_name(), "true");
}

#[test]
fn missing_shell_can_be_set_per_file_and_per_hook() {
    use hookshell_shell::MissingShell::{Fail, Interpret};
    let config = hooks(
        r#"{"hooks":{"missing_shell":"fail","PreToolUse":[{"command":"a"},{"command":"b","missing_shell":"interpret"}]}}"#,
    );
    let settings: Vec<_> = config.hooks().iter().map(|hook| hook.missing_shell).collect();
    assert_eq!(settings, [Some(Fail), Some(Interpret)]);
    assert_eq!(hooks(r#"{"hooks":{"Stop":[{"command":"a"}]}}"#).hooks()[0].missing_shell, None);
    let toml = "[hooks]\nmissing_shell = \"interpret\"\n[[hooks.Stop]]\ncommand = \"a\"\n";
    assert_eq!(Config::parse(toml, "c.toml").unwrap().hooks()[0].missing_shell, Some(Interpret));
    assert_eq!(config.warnings(), []);
}

#[test]
fn shell_scripts_can_be_set_per_file_and_per_hook() {
    use hookshell_shell::ShellScripts::{InProcess, Installed};
    let config = hooks(
        r#"{"hooks":{"shell_scripts":"in-process","PreToolUse":[{"command":"a"},{"command":"b","shell_scripts":"installed"}]}}"#,
    );
    let settings: Vec<_> = config.hooks().iter().map(|hook| hook.shell_scripts).collect();
    assert_eq!(settings, [Some(InProcess), Some(Installed)]);
    assert_eq!(hooks(r#"{"hooks":{"Stop":[{"command":"a"}]}}"#).hooks()[0].shell_scripts, None);
    assert_eq!(config.warnings(), []);
}

#[test]
fn what_configures_no_hooks() {
    for text in [
        "",
        "// nothing",
        "{}",
        r#"{"hooks":{}}"#,
        r#"{"hooks":{"PreToolUse":[]}}"#,
        r#"{"options":[1,2],"providers":{}}"#,
    ] {
        assert_eq!(hooks(text).hooks().len(), 0, "{text}");
    }
}

#[test]
fn both_spellings_of_an_event_are_taken_in_order() {
    let config = hooks(r#"{"hooks":{"PreToolUse":[{"command":"a"}],"pre_tool_use":[{"command":"b"}]}}"#);
    let commands: Vec<_> = config.hooks().iter().map(|hook| hook.command.as_str()).collect();
    assert_eq!(commands, ["a", "b"]);
}

#[test]
fn what_is_wrong_is_an_error_with_its_place() {
    let cases = [
        ("{", "c.json:1:1: Unterminated object"),
        ("{\n  \"hooks\": {},\n  oops: 1\n}", "c.json:3:3: Expected string for object property"),
        ("{} {}", "c.json:1:4: Text cannot contain more than one JSON value"),
        ("[]", "c.json:1:1: `the config` must be an object, found an array"),
        (r#"{"hooks":[]}"#, "c.json:1:10: `hooks` must be an object, found an array"),
        (
            r#"{"hooks":{"PreToolUse":{}}}"#,
            "c.json:1:24: `hooks.PreToolUse` must be an array of hooks, found an object",
        ),
        (
            r#"{"hooks":{"PreToolUse":["./a.sh"]}}"#,
            "c.json:1:25: `hooks.PreToolUse[0]` must be an object, found a string",
        ),
        (r#"{"hooks":{"PreToolUse":[{"matcher":"x"}]}}"#, "c.json:1:25: `hooks.PreToolUse[0].command` is missing"),
        (
            r#"{"hooks":{"PreToolUse":[{"command":["a"]}]}}"#,
            "c.json:1:36: `hooks.PreToolUse[0].command` must be a string, found an array",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"command":" "}]}}"#,
            "c.json:1:36: `hooks.PreToolUse[0].command` must be a shell command, found only blanks",
        ),
        (
            "{\"hooks\":{\"PreToolUse\":[{\"command\":\"é\",\n\"timeout\":\"10\"}]}}",
            "c.json:2:11: `hooks.PreToolUse[0].timeout` must be a number of seconds, found a string",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"command":"a","matcher":"ba(sh"}]}}"#,
            "c.json:1:50: `hooks.PreToolUse[0].matcher` is not a regular expression: unclosed group",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"command":"a","matcher":"*"}]}}"#,
            "c.json:1:50: `hooks.PreToolUse[0].matcher` is not a regular expression: to match every tool leave the \
             matcher out, or write \".*\"",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"command":"a","on_failure":"block"}]}}"#,
            "c.json:1:53: `hooks.PreToolUse[0].on_failure` must be \"ignore\" or \"deny\", found \"block\"",
        ),
        (
            r#"{"hooks":{"missing_shell":"deny"}}"#,
            "c.json:1:27: `hooks.missing_shell` must be \"interpret\" or \"fail\", found \"deny\"",
        ),
        (
            r#"{"hooks":{"shell_scripts":"bash"}}"#,
            "c.json:1:27: `hooks.shell_scripts` must be \"installed\" or \"in-process\", found \"bash\"",
        ),
        (
            "{\"hooks\":{\"PreToolUse\":[{\"command\":\"a\",\n\"command\":\"b\"}]}}",
            "c.json:2:1: `hooks.PreToolUse[0].command` stands here a second time, first on line 1",
        ),
        (
            "{\"hooks\":{\"PreToolUse\":[],\n\"PreToolUse\":[]}}",
            "c.json:2:1: `hooks.PreToolUse` stands here a second time, first on line 1",
        ),
        ("{\"hooks\":{},\n \"hooks\":{}}", "c.json:2:2: `hooks` stands here a second time, first on line 1"),
    ];
    for (text, expected) in cases {
        assert_eq!(Config::parse(text, "c.json").unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn every_key_has_its_type() {
    let cases = [
        (r#""async":1"#, "`hooks.Stop[0].async` must be true or false, found a number"),
        (r#""once":"x""#, "`hooks.Stop[0].once` must be true or false, found a string"),
        (r#""include_sub_agents":[]"#, "`hooks.Stop[0].include_sub_agents` must be true or false, found an array"),
        (r#""status_message":1"#, "`hooks.Stop[0].status_message` must be a string, found a number"),
        (r#""command_windows":" ""#, "`hooks.Stop[0].command_windows` must be a shell command, found only blanks"),
        (r#""cwd":1"#, "`hooks.Stop[0].cwd` must be a string, found a number"),
        (r#""args":"x""#, "`hooks.Stop[0].args` must be an array of strings, found a string"),
        (r#""args":["x",1]"#, "`hooks.Stop[0].args[1]` must be a string, found a number"),
        (r#""args":["\u0000"]"#, "`hooks.Stop[0].args[0]` must be a text without a NUL, found a NUL in it"),
        (r#""env":[]"#, "`hooks.Stop[0].env` must be an object, found an array"),
        (r#""env":{"A":1}"#, "`hooks.Stop[0].env.A` must be a string, found a number"),
        (r#""env":{"A=B":"1"}"#, "`hooks.Stop[0].env.A=B` must be the name of a variable, found \"A=B\""),
        (
            r#""if":"bash(x""#,
            "`hooks.Stop[0].if` must be a rule as `bash(git push *)`, found \"bash(x\": the parentheses must enclose the \
             rest: `Tool(pattern)`",
        ),
    ];
    for (key, expected) in cases {
        let text = format!("{{\"hooks\":{{\"Stop\":[{{\"command\":\"a\",{key}}}]}}}}");
        let error = Config::parse(&text, "c.json").unwrap_err().to_string();
        assert!(error.ends_with(expected), "{key}: {error}");
    }
    let error = Config::parse(r#"{"hooks":{"include_sub_agents":1}}"#, "c.json").unwrap_err().to_string();
    assert_eq!(error, "c.json:1:32: `hooks.include_sub_agents` must be true or false, found a number");
}

#[test]
fn what_is_odd_is_a_warning_with_its_place() {
    let cases = [
        (
            r#"{"hooks":{"PreToolUse":[{"comand":"a","command":"b"}]}}"#,
            "c.json:1:26: unknown key `hooks.PreToolUse[0].comand` is ignored: did you mean `command`?",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"command":"b","colour":1}]}}"#,
            "c.json:1:40: unknown key `hooks.PreToolUse[0].colour` is ignored",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"command":"b","asinc":true}]}}"#,
            "c.json:1:40: unknown key `hooks.PreToolUse[0].asinc` is ignored: did you mean `async`?",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"command":"é","timeout":0}]}}"#,
            "c.json:1:50: `hooks.PreToolUse[0].timeout` is 0: 30 s are used instead",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"command":"a","timeout":-1}]}}"#,
            "c.json:1:50: `hooks.PreToolUse[0].timeout` is -1: 30 s are used instead",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"command":"a","timeout":1e300}]}}"#,
            "c.json:1:50: `hooks.PreToolUse[0].timeout` is 1e300: 604800 s are used instead",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"type":"http","url":"https://a"}]}}"#,
            "c.json:1:33: this hook will not run: `hooks.PreToolUse[0].type` is \"http\", and only command, prompt, agent and module are supported",
        ),
        (
            r#"{"hooks":{"PreToolUze":[{"command":"b"}]}}"#,
            "c.json:1:11: these hooks will not run: unknown event `PreToolUze`: did you mean `PreToolUse`?",
        ),
    ];
    for (text, expected) in cases {
        let config = hooks(text);
        assert_eq!(config.warnings().first().unwrap().to_string(), expected, "{text}");
    }
}

#[test]
fn hooks_that_are_no_commands_have_keys_of_their_own() {
    let text = r#"{"hooks":{"PreToolUse":[
        {"type":"prompt","prompt":"ok?","model":"m","cache":true,"timeout":5},
        {"type":"prompt","prompt":"ok?"},
        {"type":"agent","prompt":"look","tools":["grep"],"max_turns":3},
        {"type":"agent","prompt":"look"},
        {"type":"module","module":"hooks/gate.py"},
        {"type":"http","url":"https://a"}
    ]}}"#;
    let config = hooks(text);
    let shown: Vec<_> = config
        .hooks()
        .iter()
        .map(|hook| format!("{} {:?} {:?}", hook.display_name(), hook.timeout, hook.kind))
        .collect();
    assert_eq!(
        shown,
        [
            r#"ok? 5s Prompt(PromptHook { prompt: "ok?", model: Some("m"), cache: true })"#,
            r#"ok? 30s Prompt(PromptHook { prompt: "ok?", model: None, cache: false })"#,
            r#"look 60s Agent(AgentHook { prompt: "look", model: None, tools: ["grep"], max_turns: 3, cache: false })"#,
            r#"look 60s Agent(AgentHook { prompt: "look", model: None, tools: ["read", "glob", "grep"], max_turns: 10, cache: false })"#,
            r#"hooks/gate.py 30s Module(ModuleHook { module: "hooks/gate.py" })"#,
            r#"http 30s Unsupported { kind: "http" }"#,
        ]
    );
    let cases = [
        (r#"{"type":"prompt"}"#, "`hooks.PreToolUse[0].prompt` is missing"),
        (r#"{"type":"agent","prompt":" "}"#, "`hooks.PreToolUse[0].prompt` must be a text, found only blanks"),
        (r#"{"type":"module"}"#, "`hooks.PreToolUse[0].module` is missing"),
        (
            r#"{"type":"agent","prompt":"a","max_turns":0}"#,
            "`hooks.PreToolUse[0].max_turns` must be a whole number from 1 to 1000, found 0",
        ),
        (
            r#"{"type":"agent","prompt":"a","tools":"read"}"#,
            "`hooks.PreToolUse[0].tools` must be an array of strings, found a string",
        ),
        (
            r#"{"type":"prompt","prompt":"a","cache":1}"#,
            "`hooks.PreToolUse[0].cache` must be true or false, found a number",
        ),
        (r#"{"type":7,"command":"a"}"#, "`hooks.PreToolUse[0].type` must be a string, found a number"),
    ];
    for (hook, expected) in cases {
        let text = format!("{{\"hooks\":{{\"PreToolUse\":[{hook}]}}}}");
        let error = Config::parse(&text, "c.json").unwrap_err().to_string();
        assert!(error.ends_with(expected), "{hook}: {error}");
    }
    let text = r#"{"hooks":{"PreToolUse":[{"type":"prompt","prompt":"a","max_turn":1},{"command":"a","model":"m"}]}}"#;
    let warnings: Vec<_> = hooks(text).warnings().iter().map(|warning| warning.kind.to_string()).collect();
    assert_eq!(
        warnings,
        ["unknown key `hooks.PreToolUse[0].max_turn` is ignored", "unknown key `hooks.PreToolUse[1].model` is ignored",]
    );
}

#[test]
fn everything_that_is_wrong_is_found_and_the_rest_is_kept() {
    let mut config = Config::default();
    let errors = config.add(
        r#"{"hooks":{"PreToolUse":[{"command":1},{"command":"ok"},{"command":"a","timeout":true,"matcher":")"}]}}"#,
        "c.json",
    );
    assert_eq!(errors.len(), 3);
    let commands: Vec<_> = config.hooks().iter().map(|hook| hook.command.as_str()).collect();
    assert_eq!(commands, ["ok"]);
}

#[test]
fn files_are_taken_in_order_and_one_that_cannot_be_read_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let user = directory.path().join("user.json");
    let project = directory.path().join("project.json");
    std::fs::write(&user, r#"{"hooks":{"PreToolUse":[{"command":"user"}]}}"#).unwrap();
    std::fs::write(&project, r#"{"hooks":{"PreToolUse":[{"command":"project"}]}}"#).unwrap();
    let config = Config::load([&user, &project]).unwrap();
    let commands: Vec<_> = config.hooks().iter().map(|hook| hook.command.as_str()).collect();
    assert_eq!(commands, ["user", "project"]);

    let missing = directory.path().join("missing.json");
    let error = Config::load([&missing]).unwrap_err().to_string();
    assert!(error.starts_with(&missing.display().to_string()), "{error}");

    std::fs::write(&missing, b"{\n\xff}").unwrap();
    let error = Config::load([&missing]).unwrap_err().to_string();
    assert!(error.ends_with("line 2 is not UTF-8 text: save the file as UTF-8"), "{error}");

    let text = r#"{"hooks":{"PreToolUse":[{"command":"é"}]}}"#;
    let utf16: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    std::fs::write(&missing, utf16).unwrap();
    assert_eq!(Config::load([&missing]).unwrap().hooks()[0].command, "é");
}

#[test]
fn a_member_that_is_null_is_absent() {
    let keys = ["matcher", "timeout", "name", "on_failure", "if", "env", "cwd", "async", "type", "args", "once"];
    let nulls: String = keys.iter().map(|key| format!(",\"{key}\":null")).collect();
    let with = Config::parse(&format!(r#"{{"hooks":{{"PreToolUse":[{{"command":"x"{nulls}}}]}}}}"#), "c.json").unwrap();
    let hook = &with.hooks()[0];
    assert!(with.warnings().is_empty() && hook.matcher.pattern().is_none() && hook.args.is_none());
    assert_eq!(hook.timeout, Duration::from_secs(30));
    for text in [r#"{"hooks":null}"#, r#"{"hooks":{"PreToolUse":null}}"#] {
        let config = Config::parse(text, ".claude/settings.json").unwrap();
        assert_eq!((config.hooks().len(), config.warnings().len()), (0, 0), "{text}");
    }
    let error = Config::parse(r#"{"hooks":{"PreToolUse":[{"command":null}]}}"#, "c.json").unwrap_err().to_string();
    assert_eq!(error, "c.json:1:25: `hooks.PreToolUse[0].command` is missing");
    assert!(Config::parse(r#"{"hooks":{"PreToolUse":[null]}}"#, "c.json").is_err());
}

#[test]
fn events_outside_of_hooks_are_warned_of() {
    let warned = |text: &str, file: &str| -> Vec<String> {
        Config::parse(text, file).unwrap().warnings().iter().map(ToString::to_string).collect()
    };
    let expected = "hooks.json:1:2: these hooks will not run: `PreToolUse` stands outside of `hooks`: write { \"hooks\": \
                    { \"PreToolUse\": [ … ] } }";
    assert_eq!(warned(r#"{"PreToolUse":[{"command":"x"}]}"#, "hooks.json"), [expected]);
    assert_eq!(warned(r#"{"beforeShellExecution":[{"command":"x"}]}"#, ".cursor/hooks.json").len(), 1);
    // Beside `hooks` too, where nobody would miss them.
    for (text, file) in [
        (r#"{"hooks":{"Stop":[{"command":"x"}]},"PreToolUse":[{"command":"x"}]}"#, "crush.json"),
        (r#"{"hooks":{},"hook":{"PreToolUse":[{"command":"x"}]}}"#, "crush.json"),
        (r#"{"hooks":{},"PreToolUse":[{"hooks":[]}]}"#, ".claude/settings.json"),
        (r#"{"version":1,"hooks":{},"preToolUse":[{"type":"command","bash":"x"}]}"#, ".github/hooks/a.json"),
    ] {
        assert_eq!(warned(text, file).len(), 1, "{text}: {:?}", warned(text, file));
    }
    // The agent's own keys are none of our business.
    assert!(warned(r#"{"stop":["a"],"notification":true,"hooks":{}}"#, "crush.json").is_empty());
}

#[test]
fn nesting_cannot_overflow_a_small_stack() {
    let text = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let read = std::thread::Builder::new()
        .stack_size(512 * 1024)
        .spawn(move || Config::parse(&text, "c.json").map(|_| ()).map_err(|error| error.to_string()))
        .unwrap();
    assert_eq!(read.join().unwrap(), Err("c.json:1:69: nested deeper than 64 levels".to_owned()));

    let brackets = "[".repeat(1000);
    hooks(&format!("// {brackets}\n{{\"a\": \"\\\"{brackets}\" /* \" {brackets} */}}"));
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text: String) {
        let _ = Config::parse(&text, "c.json");
    }
}

#[test]
fn the_program_of_the_exec_form_is_no_keyword_and_no_assignment() {
    let cases: [(&str, &[&str], &str); 5] = [
        ("if", &["a b", ""], "'if' 'a b' ''"),
        ("A=b", &[], "'A=b'"),
        ("~/x", &["$HOME"], "'~/x' '$HOME'"),
        ("C:\\a b\\x.exe", &["-q"], "'C:\\a b\\x.exe' -q"),
        ("it's", &["x"], "'it'\\''s' x"),
    ];
    for (program, args, expected) in cases {
        let mut hook = HookConfig::new(EventKind::PreToolUse, program);
        hook.args = Some(args.iter().map(ToString::to_string).collect());
        assert_eq!(hook.command_line(), expected, "{program}");
    }
}

#[test]
fn very_many_large_matchers_are_not_kept_compiled() {
    // Each would take some 4 MB.
    let hooks: Vec<String> = (0..60).map(|at| format!(r#"{{"command":"x","matcher":"\\w{{60}}x{at}"}}"#)).collect();
    let text = format!(r#"{{"hooks":{{"PreToolUse":[{}]}}}}"#, hooks.join(","));
    let config = Config::parse(&text, "crush.json").unwrap();
    assert_eq!(config.hooks().len(), 60);
    assert!(config.hooks().iter().all(|hook| !hook.matcher.is_compiled()));
    let error = Config::parse(r#"{"hooks":{"PreToolUse":[{"command":"x","matcher":"\\w{9999}"}]}}"#, "crush.json");
    assert!(error.unwrap_err().to_string().contains("exceeds size limit"));
}

/// The schema is made of types in xtask, as the reader here is made for trees with places.
#[test]
fn the_schema_of_configs_has_the_keys_that_are_read() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/config.json");
    let schema: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let keys = |pointer: &str| -> BTreeSet<String> {
        schema.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect()
    };
    let of_hook = KEYS.into_iter().chain(KIND_KEYS).chain(["type"]).map(str::to_owned).collect();
    assert_eq!(keys("/definitions/Hook/properties"), of_hook);
    let mut others = keys("/definitions/Hooks/properties");
    others.retain(|name| name.parse::<EventKind>().is_err());
    assert_eq!(others, DEFAULTS.into_iter().map(str::to_owned).collect());
}
