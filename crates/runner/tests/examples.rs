//! Every example that ships, run as an agent would run it.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "test helpers: a panic fails the test, and a skip is printed"
)]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use hookshell_dispatch::{Dispatcher, MissingShell};
use hookshell_runner::{Config, Decision, Event, Runner, RunnerBuilder, ToolInput, Verdict};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The process's environment with `dir` at the front of PATH.
fn environment(dir: &Path) -> Vec<(OsString, OsString)> {
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([dir.to_owned()].into_iter().chain(env::split_paths(&path))).unwrap();
    env::vars_os()
        .filter(|(name, _)| !name.eq_ignore_ascii_case("PATH"))
        .chain([(OsString::from("PATH"), path)])
        .collect()
}

/// A copy of `examples/reference`, so that a hook's files land in it.
fn copy_of_reference() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for dir in ["", "hooks", "stubs"] {
        fs::create_dir_all(copy.path().join(dir)).unwrap();
        for entry in fs::read_dir(examples().join("reference").join(dir)).unwrap() {
            let file = entry.unwrap().path();
            if file.is_file() {
                fs::copy(&file, copy.path().join(dir).join(file.file_name().unwrap())).unwrap();
            }
        }
    }
    copy
}

fn run(config: &Path, cwd: &Path, tool: &str, input: &str) -> Verdict {
    run_by(config, cwd, tool, input, |runner| runner.env(environment(&cwd.join("stubs"))))
}

/// Likewise on a machine that has no program at all: no sh, grep or jq, as a Windows machine may be.
fn run_without_programs(config: &Path, cwd: &Path, tool: &str, input: &str) -> Verdict {
    // The machine that runs the tests may have a /bin/sh.
    for stub in fs::read_dir(cwd.join("stubs")).unwrap() {
        let path = stub.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text.replace("#!/bin/sh", "#!/no/such/directory/sh")).unwrap();
    }
    let mut env = environment(Path::new(""));
    env.retain(|(name, _)| !name.eq_ignore_ascii_case("PATH"));
    env.push(("PATH".into(), cwd.join("stubs").into()));
    let dispatcher = Dispatcher::builder().missing_shell(MissingShell::Interpret).build();
    run_by(config, cwd, tool, input, |runner| runner.env(env).dispatcher(dispatcher))
}

fn run_by(
    config: &Path,
    cwd: &Path,
    tool: &str,
    input: &str,
    set_up: impl FnOnce(RunnerBuilder) -> RunnerBuilder,
) -> Verdict {
    let config = Config::load([config]).unwrap();
    assert_eq!(config.warnings(), []);
    let runner = set_up(Runner::builder().config(config)).build().unwrap();
    let event = Event::pre_tool_use(tool, ToolInput::parse(input).unwrap(), cwd).with_session_id("s1");
    runner.run_blocking(&event)
}

/// `exit-code decision reason context updated_input`, `-` for what there is not.
fn show(verdict: &Verdict) -> String {
    let text = |text: &Option<String>| text.as_ref().map_or("-".to_owned(), |text| format!("{text:?}"));
    format!(
        "{} {} {} {} {}",
        verdict.exit_code(),
        verdict.opinion.decision.map_or("-", Decision::as_str),
        text(&verdict.opinion.reason),
        text(&verdict.context()),
        verdict.updated_input().as_ref().map_or("-", ToolInput::get),
    )
}

const REFUSED: &str = "2 deny \"Refusing to run rm -rf against root\" - -";
const SILENT: &str = "0 - - - -";

#[test]
fn the_shipped_config_needs_no_other_program() {
    let cases = [
        ("bash", r#"{"command":"rm -rf /"}"#, REFUSED),
        ("bash", r#"{"command":"sudo rm -fr /home && echo"}"#, REFUSED),
        ("bash", r#"{"command":"rm -r build"}"#, SILENT),
        ("bash", "{}", SILENT),
        ("view", r#"{"file_path":"a.go"}"#, "0 allow - - -"),
        ("edit", r#"{"file_path":"main.go"}"#, "0 - - \"Remember: run gofumpt after editing Go files.\" -"),
        ("edit", r#"{"file_path":"main.rs"}"#, SILENT),
        ("mcp_github_create_pull_request", "{}", "2 deny \"MCP tools are disabled\" - -"),
    ];
    let cwd = tempfile::tempdir().unwrap();
    for (tool, input, expected) in cases {
        let verdict = run(&examples().join("crush.json"), cwd.path(), tool, input);
        assert_eq!(show(&verdict), expected, "{tool} {input}: {}", verdict.to_json());
    }
}

/// Runs one config of the reference with each call: with the programs that it needs, if they are there, and without any
/// program where shells and bundled utilities are all that it needs.
fn reference(config: &str, needs: &[&str], calls: &[(&str, &str, &str)]) {
    let check = |how: &str, run: &dyn Fn(&Path, &Path, &str, &str) -> Verdict| {
        let copy = copy_of_reference();
        for (tool, input, expected) in calls {
            let verdict = run(&copy.path().join(config), copy.path(), tool, input);
            assert_eq!(show(&verdict), *expected, "{config} {how}: {tool} {input}: {}", verdict.to_json());
            assert!(!verdict.hooks.iter().any(|hook| hook.outcome.is_failure()), "{how}: {}", verdict.to_json());
        }
    };
    let own = hookshell_utilities::standard();
    if needs.iter().all(|program| *program == "bash" || own.names().any(|name| name == *program)) {
        check("without any program", &run_without_programs);
    } else {
        assert!(!needs.iter().any(|program| ["bash", "jq", "grep", "sed"].contains(program)), "{config}: {needs:?}");
    }
    if hookshell_test_support::has_all(needs) {
        check("with the programs", &run);
    }
}

#[test]
fn no_rm_rf_in_bash() {
    reference(
        "no-rm-rf.json",
        &["bash", "grep"],
        &[
            ("bash", r#"{"command":"rm -rf /"}"#, REFUSED),
            ("bash", r#"{"command":"ls"}"#, SILENT),
            ("edit", r#"{"command":"rm -rf /"}"#, SILENT),
        ],
    );
}

#[test]
fn no_rm_rf_in_python() {
    let calls = [("bash", r#"{"command":"rm  -fr /"}"#, REFUSED), ("bash", r#"{"command":"ls"}"#, SILENT)];
    reference("no-rm-rf-python.json", &["python3"], &calls);
}

#[test]
fn no_rm_rf_in_lua() {
    let calls = [("bash", r#"{ "command": "rm -rf /" }"#, REFUSED), ("bash", r#"{"command":"ls"}"#, SILENT)];
    reference("no-rm-rf-lua.json", &["lua"], &calls);
}

#[test]
fn no_rm_rf_in_javascript() {
    let calls = [("bash", r#"{"command":"rm -rf /"}"#, REFUSED), ("bash", r#"{"command":"ls"}"#, SILENT)];
    reference("no-rm-rf-javascript.json", &["node"], &calls);
}

#[test]
fn read_only_tools_are_approved() {
    let calls = [("view", "{}", "0 allow - - -"), ("grep", "{}", "0 allow - - -"), ("bash", "{}", SILENT)];
    reference("auto-approve.json", &[], &calls);
}

#[test]
fn read_only_commands_are_approved() {
    let calls = [("bash", r#"{"command":"ls -l"}"#, "0 allow - - -"), ("bash", r#"{"command":"make"}"#, SILENT)];
    reference("safe-bash.json", &["bash"], &calls);
}

#[test]
fn a_note_on_go_files() {
    let note = "0 - - \"Remember: run gofumpt after editing Go files.\" -";
    let calls = [("edit", r#"{"file_path":"/x/main.go"}"#, note), ("write", r#"{"file_path":"README.md"}"#, SILENT)];
    reference("go-context.json", &["bash"], &calls);
}

#[test]
fn mcp_tools_are_blocked() {
    let calls = [("mcp_x", "{}", "2 deny \"MCP tools are disabled\" - -"), ("bash", "{}", SILENT)];
    reference("block-mcp.json", &[], &calls);
}

#[test]
fn the_event_is_read_with_jq() {
    let calls = [
        ("bash", r#"{"command":"ls"}"#, SILENT),
        ("bash", "{}", "2 deny \"Blocked: a bash call without a command\" - -"),
    ];
    reference("read-stdin-jq.json", &["bash", "jq"], &calls);
}

#[test]
fn a_command_is_rewritten() {
    let calls = [(
        "bash",
        r#"{"command":"curl -H sk-abc123","timeout":60000}"#,
        "0 allow - \"Scrubbed secrets\" {\"command\":\"curl -H sk-REDACTED\",\"timeout\":60000}",
    )];
    reference("scrub-secrets.json", &["bash", "jq", "sed"], &calls);
}

#[test]
fn a_command_is_rewritten_with_its_quotes() {
    let calls = [
        (
            "bash",
            r#"{"command":"git commit -m \"a b\"","timeout":1.50}"#,
            "0 - - \"Rewrote with RTK\" {\"command\":\"rtk git commit -m \\\"a b\\\"\",\"timeout\":1.50}",
        ),
        ("bash", r#"{"command":"ls"}"#, SILENT),
    ];
    reference("rtk-rewrite.json", &["bash", "jq"], &calls);
}

#[test]
fn the_turn_is_halted() {
    let halted = "49 deny \"The agent reached for production.env\" - -";
    let calls =
        [("bash", r#"{"command":"cat production.env"}"#, halted), ("bash", r#"{"command":"cat .env"}"#, SILENT)];
    reference("halt.json", &["bash"], &calls);
}

#[test]
fn several_hooks_compose_in_config_order() {
    let note = "\"The tests are run with\\ncargo xtask ci.\"";
    let calls = [
        ("bash", r#"{"command":"ls"}"#, format!("0 allow - {note} -")),
        ("bash", r#"{"command":"echo rm -rf /"}"#, format!("2 deny \"Refusing to run rm -rf against root\" {note} -")),
        ("edit", "{}", format!("0 - - {note} -")),
    ];
    let calls = calls.each_ref().map(|(tool, input, expected)| (*tool, *input, expected.as_str()));
    reference("several.json", &["bash", "grep"], &calls);
}

#[test]
fn calls_are_logged() {
    let check = |run: &dyn Fn(&Path, &Path, &str, &str) -> Verdict| {
        let copy = copy_of_reference();
        for (config, file, end) in
            [("log-every-call.json", "tools.log", " bash\n"), ("log-bash.json", "bash.log", ": s1 / ls")]
        {
            let verdict = run(&copy.path().join(config), copy.path(), "bash", r#"{"command":"ls"}"#);
            assert_eq!(show(&verdict), SILENT, "{}", verdict.to_json());
            let log = fs::read_to_string(copy.path().join(file)).unwrap();
            assert!(log.starts_with("20") && log.ends_with(end), "{log:?}");
        }
    };
    check(&run_without_programs);
    if hookshell_test_support::has_all(&["bash", "date"]) {
        check(&run);
    }
}

#[test]
fn every_config_is_listed_in_the_readme() {
    let readme = fs::read_to_string(examples().join("README.md")).unwrap();
    for entry in fs::read_dir(examples().join("reference")).unwrap() {
        let file = entry.unwrap().path();
        let is_fixture = file.to_string_lossy().ends_with(".hooktest.json");
        if !is_fixture && file.extension().is_some_and(|extension| extension == "json") {
            let name = format!("`{}`", file.file_name().unwrap().to_str().unwrap());
            assert!(readme.contains(&name), "{name} is not in examples/README.md");
        }
    }
}
