//! What a project's files can do to the user's and an administrator's hooks: nothing.

use std::ffi::OsString;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Plan, select};
use crate::config::{Config, FoundFile, HookConfig, Origin};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::runner::Runner;
use crate::session::Sessions;
use crate::tool_input::ToolInput;
use crate::trust::Trust;
use hookshell_dispatch::Environment;

/// A user's and an administrator's hooks in a dialect, and where a project's files of it are.
struct Place {
    dialect: Dialect,
    /// In the user's home directory, and the text.
    user: Vec<(&'static str, String)>,
    managed: Option<String>,
    project: &'static [&'static str],
}

fn groups(event: &str, hooks: &[Value]) -> String {
    json!({ "hooks": { event: [{ "matcher": "", "hooks": hooks }] } }).to_string()
}

fn flat(event: &str, hooks: &[Value]) -> String {
    json!({ "version": 1, "hooks": { event: hooks } }).to_string()
}

fn hook(command: &str) -> Value {
    json!({ "type": "command", "command": command, "name": command, "timeout": 7 })
}

fn places() -> Vec<Place> {
    let guards = [hook("user-1"), hook("user-2"), hook("shared")];
    let managed = [hook("managed-1"), hook("shared-managed")];
    let plugins = json!({ "version": 2, "plugins": {
        "on@m": [{ "installPath": "HOME/plugins/on" }],
        "off@m": [{ "installPath": "HOME/plugins/off" }],
        "unnamed@m": [{ "installPath": "HOME/plugins/unnamed" }],
    }});
    let mut settings: Value = serde_json::from_str(&groups("PreToolUse", &guards)).unwrap();
    settings["enabledPlugins"] = json!({ "on@m": true, "off@m": false });
    let plugin = |name: &str| groups("PreToolUse", &[hook(name)]);
    let native = [json!({ "command": "user-1", "timeout": 7 }), json!({ "command": "shared", "async": true })];
    vec![
        Place {
            dialect: Dialect::Native,
            user: vec![(".config/crush/crush.json", json!({ "hooks": { "PreToolUse": native } }).to_string())],
            managed: None,
            project: &["crush.json", ".crush.json", ".hookshell/hooks/x.json"],
        },
        Place {
            dialect: Dialect::Claude,
            user: vec![
                (".claude/settings.json", settings.to_string()),
                (".claude/plugins/installed_plugins.json", plugins.to_string()),
                ("plugins/on/hooks/hooks.json", plugin("plugin-on")),
                ("plugins/off/hooks/hooks.json", plugin("plugin-off")),
                ("plugins/unnamed/hooks/hooks.json", plugin("plugin-unnamed")),
            ],
            managed: Some(groups("PreToolUse", &managed)),
            project: &[".claude/settings.json", ".claude/settings.local.json"],
        },
        Place {
            dialect: Dialect::Codex,
            // A `version` is a key that Codex does not know: it passes over the whole file.
            user: vec![(
                ".codex/hooks.json",
                json!({ "hooks": { "PreToolUse": [{ "matcher": "", "hooks": guards }] } }).to_string(),
            )],
            managed: None,
            project: &[".codex/hooks.json"],
        },
        Place {
            dialect: Dialect::Gemini,
            user: vec![(".gemini/settings.json", groups("BeforeTool", &guards))],
            managed: Some(groups("BeforeTool", &managed)),
            project: &[".gemini/settings.json"],
        },
        Place {
            dialect: Dialect::Cursor,
            user: vec![(".cursor/hooks.json", flat("preToolUse", &guards))],
            managed: Some(flat("preToolUse", &managed)),
            project: &[".cursor/hooks.json"],
        },
        Place {
            dialect: Dialect::Qwen,
            user: vec![
                (".qwen/settings.json", groups("PreToolUse", &guards)),
                (".qwen/extensions/tidy/hooks/hooks.json", groups("PreToolUse", &[hook("extension")])),
            ],
            managed: Some(groups("PreToolUse", &managed)),
            project: &[".qwen/settings.json"],
        },
        Place {
            dialect: Dialect::Copilot,
            user: vec![(".copilot/hooks/a.json", flat("preToolUse", &guards))],
            managed: None,
            project: &[".github/hooks/a.json", ".claude/settings.json"],
        },
    ]
}

fn any_hook() -> impl Strategy<Value = Value> {
    let command = prop::sample::select(vec!["user-1", "user-2", "shared", "managed-1", "shared-managed", "own"]);
    let keys = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), 0_u32..9000);
    (command, keys).prop_map(|(command, (sequential, once, is_async, fails, timeout))| {
        json!({
            "type": "command", "command": command, "name": command, "timeout": timeout, "sequential": sequential,
            "once": once, "async": is_async, "on_failure": if fails { "deny" } else { "ignore" }, "failClosed": fails,
            "require_env": fails,
        })
    })
}

/// A project's file: any of the keys that switch something in one of the dialects, with any value, and hooks that look like
/// the user's.
fn any_file() -> impl Strategy<Value = String> {
    let hooks = prop::collection::vec(any_hook(), 0..4);
    let event = prop::sample::select(vec!["PreToolUse", "BeforeTool", "preToolUse", "beforeShellExecution"]);
    let switch =
        prop::sample::select(vec![json!(true), json!(false), json!(null), json!("true"), json!([]), json!({})]);
    let names = json!(["user-1", "user-2", "shared", "managed-1", "plugin-on"]);
    let plugins =
        prop::collection::vec((prop::sample::select(vec!["on@m", "off@m", "unnamed@m"]), switch.clone()), 0..3);
    let cut = prop::option::weighted(0.15, 0.0_f64..1.0);
    (hooks, event, any::<bool>(), prop::collection::vec(switch, 8), plugins, cut).prop_map(
        move |(hooks, event, grouped, switches, plugins, cut)| {
            let list = if grouped {
                json!([{ "matcher": "", "sequential": switches[7].clone(), "hooks": hooks }])
            } else {
                json!(hooks)
            };
            let plugins: serde_json::Map<String, Value> =
                plugins.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            let text = json!({
                "disableAllHooks": switches[0], "allowManagedHooksOnly": switches[1], "disabled": names,
                "hooksConfig": { "enabled": switches[2], "disabled": names, "notifications": switches[3] },
                "enabledPlugins": plugins,
                "hooks": {
                    "enabled": switches[4], "disabled": names, "on_failure": "deny", "missing_shell": "fail",
                    "include_sub_agents": switches[5], event: list,
                },
                "features": { "hooks": switches[6] },
            });
            let text = text.to_string();
            let end = cut.map_or(text.len(), |part| (text.len() as f64 * part) as usize);
            text.get(..end).unwrap_or(&text).to_owned()
        },
    )
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The hooks that an event runs, but the project's, with every setting and whether they wait for others; and what the work that
/// is started before any has ended is.
fn own_hooks(config: Config, event: &Event) -> Vec<String> {
    let runner = Runner::builder()
        .config(config)
        .env(Environment::new())
        .trust(|_: &HookConfig, _: &Event| Trust::Trusted)
        .build()
        .unwrap();
    let selected = select(&runner.engine.settings, &Sessions::default(), event);
    let (_, to_start) = Plan::new(&runner.engine.settings, &Sessions::default(), event);
    let mut at = 0;
    let mut shown = Vec::new();
    for (hook, gate) in selected {
        let distrust = gate.err();
        let waits = !hook.is_async && to_start.awaited.sequence.as_ref().is_some_and(|sequence| sequence.waits(at));
        at += usize::from(!hook.is_async);
        if hook.origin != Origin::Project {
            let file = hook.place.as_ref().map(|place| place.file.display().to_string());
            shown.push(format!(
                "{} {:?} {:?} {} {:?} {:?} async={} env={} once={} waits={waits} {distrust:?}",
                hook.command,
                hook.origin,
                file,
                hook.dialect_event_name,
                hook.timeout,
                hook.on_failure,
                hook.is_async,
                hook.require_env,
                hook.once
            ));
        }
    }
    shown
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn no_file_of_a_project_changes_which_hooks_of_the_user_or_an_administrator_run(files in prop::collection::vec(any_file(), 3)) {
        let event = |project: &Path| Event::pre_tool_use("bash", ToolInput::parse(r#"{"command":"ls"}"#).unwrap(), project);
        for place in places() {
            let root = tempfile::tempdir().unwrap();
            let (home, project) = (root.path().join("home"), root.path().join("project"));
            std::fs::create_dir_all(&project).unwrap();
            for (path, text) in &place.user {
                let installed = home.display().to_string().replace('\\', "/");
                write(&home, path, &text.replace("HOME", &installed));
            }
            let managed = place.managed.map(|text| {
                write(root.path(), "managed-settings.json", &text);
                FoundFile::new(root.path().join("managed-settings.json"), Origin::Managed)
            });
            let env = |name: &str| -> Option<OsString> {
                match name {
                    "HOME" | "USERPROFILE" => Some(home.clone().into()),
                    "XDG_CONFIG_HOME" | "LOCALAPPDATA" => Some(home.join(".config").into()),
                    // Nothing of the machine's own is read.
                    "ProgramData" => Some(root.path().join("data").into()),
                    _ => None,
                }
            };
            let hooks = || {
                let mut config = Config::in_dialect(Some(place.dialect));
                let found = place.dialect.discover(&project, env).into_iter();
                let found = found.filter(|file| file.path.starts_with(root.path()));
                for file in found.chain(managed.clone()).chain(hookshell_agents::discover_hook_files(&project, env)) {
                    let _ = config.add_hook_file(&file);
                }
                own_hooks(config, &event(&project))
            };
            let alone = hooks();
            prop_assert!(alone.len() >= 2, "{:?}: {:?}", place.dialect, alone);
            for (path, text) in place.project.iter().zip(&files) {
                match serde_json::from_str::<Value>(text) {
                    // It drops a file with any other key.
                    Ok(text) if place.dialect == Dialect::Codex => {
                        write(&project, path, &json!({ "hooks": text["hooks"] }).to_string());
                    }
                    _ => write(&project, path, text),
                }
            }
            prop_assert_eq!(hooks(), alone, "{:?}: {:?}", place.dialect, files);
        }
    }
}

/// Copilot CLI lays answers over each other; a project's takes none of the user's back.
#[test]
fn a_projects_answer_takes_no_users_back() {
    use crate::decision::Decision;
    let result = |origin, decision| {
        let mut hook = HookConfig::new(crate::EventKind::PermissionRequest, "x");
        (hook.dialect, hook.dialect_event_name, hook.origin) = (Dialect::Copilot, "permissionRequest", origin);
        let mut result = crate::interpret::denied_unrun(&hook, "no".to_owned());
        result.opinion.decision = Some(decision);
        Some(result)
    };
    let event = Event::permission_request("bash", ToolInput::default(), "/");
    for (earlier, later, kept) in [
        (Origin::User, Origin::Project, true),
        (Origin::Managed, Origin::User, true),
        (Origin::User, Origin::User, false),
        (Origin::Project, Origin::Project, false),
        (Origin::Project, Origin::User, false),
    ] {
        let mut results = [result(earlier, Decision::Deny), result(later, Decision::Allow)];
        super::settle(&event, &[Dialect::Copilot; 2], &mut results);
        let decision = results[0].as_ref().and_then(|result| result.opinion.decision);
        assert_eq!(decision.is_some(), kept, "{earlier:?} {later:?}");
    }
}

/// And it keeps none of the user's from being asked.
#[test]
fn a_projects_deny_stops_the_projects_hooks_alone() {
    use crate::interpret::Allowed;
    use crate::sequence::Sequence;
    use crate::work::Completion;
    use hookshell_dispatch::{End, Outcome};
    let hook = |origin| {
        let mut hook = HookConfig::new(crate::EventKind::PreToolUse, "x");
        (hook.dialect, hook.dialect_event_name, hook.origin) = (Dialect::Copilot, "preToolUse", origin);
        hook
    };
    let allowed = Allowed { timeout: std::time::Duration::from_secs(1), output_limit: 100 };
    let mut sequence = Sequence::new(Event::pre_tool_use("bash", ToolInput::default(), "/"));
    for (index, origin) in [Origin::Project, Origin::Project, Origin::User, Origin::Managed].into_iter().enumerate() {
        sequence.push(index, std::sync::Arc::new(hook(origin)), allowed);
    }
    let denied = || Completion::Ran(Outcome { status: 2, ..Outcome::ended(End::Exited, std::time::Duration::ZERO) });
    sequence.apply(0, &denied());
    assert_eq!((sequence.after(0), sequence.stopped_by(1).is_some(), sequence.stopped_by(2)), (Some(2), true, None));
    sequence.apply(2, &denied());
    assert_eq!((sequence.after(2), sequence.stopped_by(3)), (Some(3), None));
}
