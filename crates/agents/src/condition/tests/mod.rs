mod evasions;
mod paths;
mod plain;

use super::{Condition, ConditionError};
use crate::event::Event;
use crate::tool_input::ToolInput;

fn holds(rule: &str, tool: &str, input: &str) -> bool {
    let cwd = if cfg!(windows) { "C:\\w" } else { "/w" };
    let event = Event::pre_tool_use(tool, ToolInput::parse(input).unwrap(), cwd);
    rule.parse::<Condition>().unwrap().holds(&event, &[])
}

fn runs(rule: &str, command: &str) -> bool {
    is_for(&rule.parse().unwrap(), command)
}

/// The commands of a file, one on a line; `⏎` is a newline.
fn lines(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.is_empty()).map(|line| line.replace('⏎', "\n")).collect()
}

fn is_for(rule: &Condition, command: &str) -> bool {
    let cwd = if cfg!(windows) { "C:\\w" } else { "/w" };
    let input = format!("{{\"command\":{}}}", serde_json::to_string(command).unwrap());
    rule.holds(&Event::pre_tool_use("bash", ToolInput::parse(&input).unwrap(), cwd), &[])
}

#[test]
fn commands_match_wherever_they_stand() {
    let cases = [
        ("bash(git push *)", "git push", true),
        ("bash(git push *)", "git push origin main", true),
        ("Bash(git push *)", "cd x && git push -f", true),
        ("bash(git push:*)", "GIT_DIR=x git push", true),
        ("bash(git push *)", "sudo -u me git push", true),
        ("bash(git push *)", "x=$(git push)", true),
        ("bash(git push *)", "if true; then git push; fi", true),
        ("bash(git push *)", "timeout 5 git push", true),
        ("bash(git push *)", "git pushx", false),
        ("bash(git push *)", "git pull", false),
        ("bash(rm*)", "rm -rf /\nls", true),
        ("bash(git push *)", "git   push\t-f", true),
        ("bash(git push *)", "g''it \"push\" -f", true),
        ("bash(git push *)", "\\git pu\\\nsh", true),
        ("bash(git push *)", "bash -c 'git push'", true),
        ("bash(git push *)", "echo \"$(git push)\"", true),
        ("bash(git push *)|bash(rm *)", "rm x", true),
        ("edit, bash(rm *)", "rm x", true),
        ("bash(git push *)", ">log git push", true),
        ("bash(git push *)", "2>&1 >> log git push -f", true),
        ("bash(git push *)", "git 2>/dev/null push &> x", true),
        ("bash(git push *)", "cat <(git push)", true),
        ("bash(git push *)", "true &&>log git push", true),
        ("bash(git push *)", "cat < f > g", false),
        // What is no command of the shell may be one all the same.
        ("bash(git push *)", "cat >", true),
        ("bash(git push *)", "coproc git push", true),
        ("bash(git push *)", "find . -exec git push \\;", true),
        ("bash(git push *)", "trap 'git push' EXIT", true),
        ("bash(a, b|c)", "a, b|c", true),
        ("bash(*--force*)", "git push\n--force", true),
        ("bash", "anything", true),
        ("bash(*)", "anything", true),
        ("edit(git *)", "git push", false),
    ];
    for (rule, command, expected) in cases {
        let input = format!("{{\"command\":{}}}", serde_json::to_string(command).unwrap());
        assert_eq!(holds(rule, "bash", &input), expected, "{rule}: {command}");
    }
}

#[test]
fn paths_and_hosts_match() {
    let cases = [
        ("Write(**/*.py)", "write", r#"{"file_path":"a.py"}"#, true),
        ("Write(**/*.py)", "write", r#"{"file_path":"src/deep/a.py"}"#, true),
        ("Write(*.py)", "write", r#"{"file_path":"src/a.py"}"#, true),
        ("Write(*.py)", "write", r#"{"file_path":"a.py/b"}"#, false),
        ("Write(.env)", "write", r#"{"file_path":"x/.env"}"#, true),
        ("Write(src/**)", "write", r#"{"file_path":"x/../src//./a.py"}"#, true),
        ("Write(src/**)", "write", r#"{"file_path":"src/../a.py"}"#, false),
        ("Write(/src/**)", "write", r#"{"file_path":"src/a.py"}"#, true),
        ("Write(//etc/*)", "write", r#"{"file_path":"/etc/../etc/passwd"}"#, true),
        ("Write(~/.ssh/*)", "write", r#"{"file_path":"/home/me/.ssh/id"}"#, true),
        ("Write(node_modules)", "write", r#"{"file_path":"a/node_modules/b/c"}"#, true),
        ("Write(src/)", "write", r#"{"file_path":"src/a/b"}"#, true),
        ("Write(*.{ts,tsx})", "write", r#"{"file_path":"a/b.tsx"}"#, true),
        ("Write(*.{ts,tsx})", "write", r#"{"file_path":"a/b.tsxx"}"#, false),
        ("Write([a-c]?.[!x])", "write", r#"{"file_path":"b1.y"}"#, true),
        ("Write([a-c]?.[!x])", "write", r#"{"file_path":"b1.x"}"#, false),
        ("Write([z-a])", "write", r#"{"file_path":"[z-a]"}"#, true),
        ("Write(a{b)", "write", r#"{"file_path":"a{b"}"#, true),
        ("Write(*.py)", "write", r#"{"file_path":["a.rs"]}"#, true),
        ("Bash(rm *)", "bash", r#"{"command":["ls"]}"#, true),
        ("Bash(rm *)", "bash", r#"{"command":5}"#, true),
        ("Bash(rm *)", "bash", r#"{"command":null}"#, true),
        ("mcp__x", "mcp__x__y", "{}", true),
        ("mcp__x", "mcp__xy__z", "{}", false),
        ("mcp__x__*", "mcp__x__y", "{}", true),
        ("mcp__x__a*", "mcp__x__b", "{}", false),
        ("*", "anything", "{}", true),
        ("Write(src/**)", "write", r#"{"file_path":"./src/x/a.py"}"#, true),
        ("Write(src/*)", "write", r#"{"file_path":"src/x/a.py"}"#, false),
        ("Write(.env)", "write", r#"{"file_path":".env.local"}"#, false),
        ("WebFetch(domain:example.com)", "webfetch", r#"{"url":"https://me@api.Example.com:8/x"}"#, true),
        ("WebFetch(domain:example.com)", "webfetch", r#"{"url":"https://badexample.com"}"#, false),
        ("mcp__x(anything)", "mcp__x", r#"{"other":1}"#, true),
    ];
    for (rule, tool, input, expected) in cases {
        assert_eq!(holds(rule, tool, input), expected, "{rule}: {input}");
    }
    let inside = if cfg!(windows) { r#"{"file_path":"C:\\w\\a.py"}"# } else { r#"{"file_path":"/w/a.py"}"# };
    assert!(holds("Write(*.py)", "write", inside));
    for cwd in ["/w/../w/", "/", "//w", "."] {
        let input = ToolInput::parse(r#"{"file_path":"src/a.py"}"#).unwrap();
        let event = Event::pre_tool_use("write", input, cwd);
        assert!("Write(src/**)".parse::<Condition>().unwrap().holds(&event, &[]), "{cwd}");
    }
}

#[test]
fn what_is_no_rule_is_an_error() {
    let error = |text: &str| text.parse::<Condition>().unwrap_err();
    assert_eq!(error(""), ConditionError::NoTool);
    assert_eq!(error("(x)"), ConditionError::NoTool);
    assert_eq!(error("bash(x"), ConditionError::Parentheses);
    assert_eq!(error("bash(x) y"), ConditionError::Parentheses);
    assert_eq!(error("bash x"), ConditionError::Parentheses);
}

#[test]
fn rules_are_split_outside_their_parentheses() {
    assert_eq!(super::alternatives("Bash(a|b) | Write(**/*.py),Edit"), ["Bash(a|b)", "Write(**/*.py)", "Edit"]);
}
