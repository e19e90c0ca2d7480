//! Wrapped tools, and what they give back.

use super::questions::Person;
use super::*;

/// Tools that give their input back, and fail where it says `fail`.
struct Echo;

impl ToolExecutor<Agent> for Echo {
    async fn execute(&self, call: &ToolCall, host: &mut Agent) -> ToolResult {
        host.messages.push(format!("{} {}", call.id, call.name));
        let text = call.input.get();
        if text.contains("fail") { ToolResult::error(text) } else { ToolResult::ok(text) }
    }
}

#[test]
fn a_wrapped_tool_is_checked_called_and_looked_at_in_one_call() {
    let mut hooks = HookRegistry::<Agent>::new();
    hooks.on_tool_call(async |ctx| {
        let input = ctx.tool_input.as_mut().unwrap();
        input["seen"] = json!(true);
        let what = input["do"].as_str().unwrap_or_default().to_owned();
        ctx.set_metadata("what", json!(what));
        match what.as_str() {
            "deny" => Response::deny("no").with_context("c"),
            "halt" => Response::halt("stop"),
            "ask" => Response::ask(),
            "allow" => Response::allow(),
            _ => Response::none().with_context("before"),
        }
    });
    hooks.on_tool_result(async |ctx| {
        let what = ctx.metadata()["what"].as_str().unwrap_or_default().to_owned();
        let result = ctx.tool_result.as_mut().unwrap();
        result.content = format!("{what} {} {}", result.is_error, result.content);
        if what == "late" { Response::halt("enough") } else { Response::none().with_context("after") }
    });
    let cases = [
        ("plain", None, r#"plain false {"do":"plain","seen":true}"#, "- - -", true, Some("before\nafter")),
        ("allow", None, r#"allow false {"do":"allow","seen":true}"#, "- - -", true, Some("after")),
        ("fail", None, r#"fail true {"do":"fail","seen":true}"#, "error - -", true, Some("before\nafter")),
        ("deny", None, "no", "error - -", false, Some("c")),
        ("halt", None, "stop", "error halt -", false, None),
        ("late", None, r#"late false {"do":"late","seen":true}"#, "- halt -", true, Some("before")),
        ("ask", None, "The call of tool was not permitted", "error - -", false, None),
        ("ask", Some("no"), "The call of tool was not permitted", "error - asked", false, None),
        ("ask", Some("yes"), r#"ask false {"do":"ask","seen":true}"#, "- - asked", true, Some("after")),
    ];
    for (what, says, content, flags, executed, context) in cases {
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let mut builder = HookRunner::builder().hooks(hooks.clone()).cwd(root());
        if says.is_some() {
            builder = builder.ui(Person { takes: Duration::ZERO, says, asked: Arc::clone(&asked) });
        }
        let tools = builder.build().unwrap().wrap(Echo);
        let mut agent = Agent::default();
        let input = ToolInput::parse(&json!({ "do": what }).to_string()).unwrap();
        let run = tokio().block_on(tools.call(ToolCall::new("c7", "tool", input), &mut agent));
        let flag = |is: bool, name| if is { name } else { "-" };
        let found = format!(
            "{} {} {}",
            flag(run.result.is_error, "error"),
            flag(run.halt, "halt"),
            flag(!asked.lock().unwrap().is_empty(), "asked")
        );
        assert_eq!((run.result.content.as_str(), found.as_str(), run.executed), (content, flags, executed), "{what}");
        assert_eq!(run.context.as_deref(), context, "{what}");
        assert_eq!(agent.messages.len(), usize::from(executed));
        let all = context.map_or(content.to_owned(), |context| format!("{content}\n\n{context}"));
        assert_eq!(run.into_result().content, all);
    }
}

#[test]
fn a_command_hook_replaces_a_result_as_the_hosts_hooks_do() {
    let cases = [
        (r#""new""#, "fail", ToolResult::error("new")),
        (r#""new""#, "ok", ToolResult::ok("new")),
        (r#"{"content":"new","details":{"n":1}}"#, "fail", ToolResult::ok("new").with_details(json!({ "n": 1 }))),
        (r#"[1]"#, "ok", ToolResult::ok("[1]").with_details(json!([1]))),
    ];
    for (updated, input, expected) in cases {
        let mut config = Config::default();
        for event in [EventKind::PostToolUse, EventKind::PostToolUseFailure] {
            config.push(HookConfig::new(event, format!("echo '{{\"updated_result\":{updated}}}'")));
        }
        let tools = HookRunner::builder().config(config).cwd(std::env::temp_dir()).build().unwrap().wrap(Echo);
        let input = ToolInput::parse(&json!({ "do": input }).to_string()).unwrap();
        let run = tokio().block_on(tools.call(ToolCall::new("c1", "t", input), &mut Agent::default()));
        assert_eq!(run.result, expected, "{updated}");
    }
}

#[test]
fn results_are_written_and_read_as_json() {
    let cases = [
        (ToolResult::ok("x"), r#"{"content":"x","is_error":false}"#),
        (ToolResult::error("x\ny"), r#"{"content":"x\ny","is_error":true}"#),
        (ToolResult::ok("").with_details(json!([1])), r#"{"content":"","is_error":false,"details":[1]}"#),
    ];
    for (result, expected) in cases {
        assert_eq!(result.to_json().get(), expected);
        assert_eq!(ToolResult::from_json(&result.to_json()), result);
    }
    let read = |text: &str| ToolResult::from_json(&JsonText::parse(text).unwrap());
    assert_eq!(read(r#""x""#), ToolResult::ok("x"));
    assert_eq!(read(r#"{"stdout":"x"}"#), ToolResult::ok(r#"{"stdout":"x"}"#).with_details(json!({ "stdout": "x" })));
    assert_eq!(read("null"), ToolResult::ok("null").with_details(Value::Null));
}
