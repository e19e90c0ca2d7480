//! What a Python file says of the handlers that it registers, without running it.

use crate::event_kind::EventKind;

/// A Python file that defines a function `register` of its own.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Module {
    /// The events that it has handlers for; all of the native contract where that cannot be seen.
    pub(super) events: Vec<EventKind>,
}

impl Module {
    /// `None` if the text defines no such function.
    pub(super) fn of(text: &str) -> Option<Self> {
        let parameter = text.lines().find_map(parameter)?;
        let mut events = seen(text, parameter).unwrap_or_default();
        if events.is_empty() {
            events = EventKind::native().collect();
        }
        Some(Self { events })
    }
}

/// The parameter of a line that begins the function.
fn parameter(line: &str) -> Option<&str> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let arguments = line.strip_prefix("def register")?.trim_start().strip_prefix('(')?.trim_start();
    Some(arguments.split(|c: char| !is_name(c)).next().unwrap_or_default())
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The events by the methods that are called on the parameter. `None` if anything else is done with it: then it may be
/// some other code that registers handlers.
fn seen(text: &str, parameter: &str) -> Option<Vec<EventKind>> {
    if parameter.is_empty() {
        return None;
    }
    let mut events = Vec::new();
    for line in text.lines() {
        let code = line.split('#').next().unwrap_or_default();
        if self::parameter(line).is_some() || code.trim_start().starts_with("from ") {
            continue;
        }
        for (at, _) in code.match_indices(parameter) {
            let before = code.get(..at).unwrap_or_default();
            let after = code.get(at + parameter.len()..).unwrap_or_default();
            if before.ends_with(is_name) || after.starts_with(is_name) {
                continue;
            }
            events.extend(of_call(after)?);
        }
    }
    let all = EventKind::native();
    Some(all.filter(|event| events.contains(event)).collect())
}

/// The events of `.on_tool_call(…` or `.on("Stop", …`.
fn of_call(code: &str) -> Option<Vec<EventKind>> {
    use EventKind::{
        PostToolUse, PostToolUseFailure, PreToolUse, SessionBeforeBranch, SessionBeforeSwitch, SessionBranch,
        SessionEnd, SessionStart, SessionSwitch, TurnEnd, TurnStart,
    };
    let (method, arguments) = code.strip_prefix('.')?.split_once('(')?;
    Some(match method {
        "on_tool_call" => vec![PreToolUse],
        "on_tool_result" => vec![PostToolUse, PostToolUseFailure],
        "on_session" => {
            vec![SessionStart, SessionEnd, SessionBeforeBranch, SessionBranch, SessionBeforeSwitch, SessionSwitch]
        }
        "on_turn_start" => vec![TurnStart],
        "on_turn_end" => vec![TurnEnd],
        "on" => {
            let arguments = arguments.trim_start();
            let quote = arguments.chars().next().filter(|first| ['"', '\''].contains(first))?;
            let name = arguments.get(1..)?.split(quote).next()?;
            vec![name.parse().ok()?]
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::Module;

    #[test]
    fn the_events_are_those_of_its_handlers() {
        let all = 16;
        let cases: [(&str, &[&str], usize); 12] = [
            ("def register(hooks):\n    hooks.on_tool_call(f)  # hooks and more\n", &["PreToolUse"], 1),
            (
                "from rollouts.hooks import X\n\ndef register(hooks: HookAPI) -> None:\n    hooks.on_tool_result(f)\n",
                &["PostToolUse", "PostToolUseFailure"],
                2,
            ),
            ("def register(api):\n    api.on('Stop', f)\n    api.on(\"session_end\", f)\n", &["SessionEnd", "Stop"], 2),
            ("def register( h ):\n    h.on_session(f); h.on_turn_end(g)\n", &["SessionStart", "TurnEnd"], 7),
            ("async def register (hooks):\n    myhooks = 1\n    hooks.on_turn_start(f)\n", &["TurnStart"], 1),
            // What cannot be seen.
            ("def register(hooks):\n    other.register(hooks)\n    hooks.on_tool_call(f)\n", &[], all),
            ("def register(hooks):\n    hooks.on(NAME, f)\n", &[], all),
            ("def register(hooks):\n    hooks.on('NoSuchEvent', f)\n", &[], all),
            ("def register(hooks):\n    on = hooks.on_tool_call\n    on(f)\n", &[], all),
            ("def register(hooks):\n    pass\n", &[], all),
            ("def register(*args):\n    args[0].on_tool_call(f)\n", &[], all),
            ("def register(hooks):\n    (hooks\n     .on_tool_call(f))\n", &[], all),
        ];
        for (text, expected, count) in cases {
            let events = Module::of(text).unwrap().events;
            assert_eq!(events.len(), count, "{text}");
            for event in expected {
                assert!(events.iter().any(|has| has.as_str() == *event), "{text}: {event}");
            }
        }
        for text in
            ["", "class A:\n    def register(self): pass\n", "def registered(hooks): pass\n", "x = register(1)\n"]
        {
            assert_eq!(Module::of(text), None, "{text}");
        }
    }
}
