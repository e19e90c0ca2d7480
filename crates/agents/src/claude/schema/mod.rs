//! What Claude Code refuses of a file of settings: as its own schema reads it (2.1.197).
//!
//! Claude Code checks the whole file, and where anything in it has the wrong shape it uses nothing of the file: no hook, no
//! switch. Only these cost no more than themselves: an event that it does not know, an event whose value is no list, and a value of
//! `hooks` that is no object. A file that is no strict JSON is not used either.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use crate::config::{Refusal, kind};

/// What a value must be.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    /// A text that is an absolute URL.
    Url,
    Boolean,
    Number,
    /// A number above 0.
    Positive,
    /// A whole number above 0.
    Count,
    Texts,
    Object,
    List,
    /// An object whose values are texts.
    TextMap,
    /// One of these words.
    Word(&'static [&'static str], &'static str),
    Permissions,
}

use Shape::{Boolean, Count, List, Number, Permissions, Positive, Text, TextMap, Texts, Url, Word};

const SHELLS: Shape = Word(&["bash", "powershell"], "\"bash\" or \"powershell\"");

/// The settings beside `hooks` whose wrong shape costs the file. Those that Claude Code drops alone where they are wrong
/// (`theme`, `effortLevel`, …) are not among them, nor is what an array of servers has in it.
const SETTINGS: &[(&str, Shape)] = &[
    ("$schema", Text),
    ("advisorModel", Text),
    ("agent", Text),
    ("agentPushNotifEnabled", Boolean),
    ("allowAllClaudeAiMcps", Boolean),
    ("allowManagedHooksOnly", Boolean),
    ("allowManagedMcpServersOnly", Boolean),
    ("allowManagedPermissionRulesOnly", Boolean),
    ("allowedHttpHookUrls", Texts),
    ("alwaysThinkingEnabled", Boolean),
    ("apiKeyHelper", Text),
    ("attribution", Shape::Object),
    ("autoCompactEnabled", Boolean),
    ("autoDreamEnabled", Boolean),
    ("autoMemoryDirectory", Text),
    ("autoMemoryEnabled", Boolean),
    ("autoScrollEnabled", Boolean),
    ("autoUpdatesChannel", Word(&["latest", "stable", "rc"], "\"latest\", \"stable\" or \"rc\"")),
    ("autoUploadSessions", Boolean),
    ("availableModels", Texts),
    ("awaySummaryEnabled", Boolean),
    ("awsAuthRefresh", Text),
    ("awsCredentialExport", Text),
    ("blockedMarketplaces", List),
    ("channelsEnabled", Boolean),
    ("claudeMd", Text),
    ("claudeMdExcludes", Texts),
    ("cleanupPeriodDays", Count),
    ("companyAnnouncements", Texts),
    ("defaultShell", SHELLS),
    ("disableAgentView", Boolean),
    ("disableAllHooks", Boolean),
    ("disableArtifact", Boolean),
    ("disableAutoMode", Word(&["disable"], "\"disable\"")),
    ("disableBundledSkills", Boolean),
    ("disableClaudeAiConnectors", Boolean),
    ("disableRemoteControl", Boolean),
    ("disableSideloadFlags", Boolean),
    ("disableSkillShellExecution", Boolean),
    ("disableWorkflows", Boolean),
    ("disabledMcpjsonServers", Texts),
    ("doneMeansMerged", Boolean),
    ("enableAllProjectMcpServers", Boolean),
    ("enableArtifact", Boolean),
    ("enableWorkflows", Boolean),
    ("enabledMcpjsonServers", Texts),
    ("enabledPlugins", Shape::Object),
    ("enforceAvailableModels", Boolean),
    ("env", Shape::Object),
    ("extraKnownMarketplaces", Shape::Object),
    ("fallbackModel", Texts),
    ("fastMode", Boolean),
    ("fastModePerSessionOptIn", Boolean),
    ("feedbackSurveyRate", Number),
    ("fileCheckpointingEnabled", Boolean),
    ("fileSuggestion", Shape::Object),
    ("forceRemoteSettingsRefresh", Boolean),
    ("gcpAuthRefresh", Text),
    ("httpHookAllowedEnvVars", Texts),
    ("includeCoAuthoredBy", Boolean),
    ("includeGitInstructions", Boolean),
    ("inputNeededNotifEnabled", Boolean),
    ("isolatePeerMachines", Boolean),
    ("language", Text),
    ("minimumVersion", Text),
    ("model", Text),
    ("modelOverrides", TextMap),
    ("otelHeadersHelper", Text),
    ("outputStyle", Text),
    ("permissions", Permissions),
    ("plansDirectory", Text),
    ("pluginConfigs", Shape::Object),
    ("pluginSuggestionMarketplaces", Texts),
    ("pluginTrustMessage", Text),
    ("prUrlTemplate", Text),
    ("precomputeCompactionEnabled", Boolean),
    ("prefersReducedMotion", Boolean),
    ("promptSuggestionEnabled", Boolean),
    ("proxyAuthHelper", Text),
    ("remote", Shape::Object),
    ("remoteControlAtStartup", Boolean),
    ("requiredMaximumVersion", Text),
    ("requiredMinimumVersion", Text),
    ("respectGitignore", Boolean),
    ("respondToBashCommands", Boolean),
    ("sandbox", Shape::Object),
    ("showClearContextOnPlanAccept", Boolean),
    ("showMessageTimestamps", Boolean),
    ("showThinkingSummaries", Boolean),
    ("showTurnDuration", Boolean),
    ("skillListingMaxDescChars", Count),
    ("skillOverrides", TextMap),
    ("skipDangerousModePermissionPrompt", Boolean),
    ("skipWebFetchPreflight", Boolean),
    ("skipWorkflowUsageWarning", Boolean),
    ("spinnerTipsEnabled", Boolean),
    ("spinnerTipsOverride", Shape::Object),
    ("spinnerVerbs", Shape::Object),
    ("sshConfigs", List),
    ("statusLine", Shape::Object),
    ("strictKnownMarketplaces", List),
    ("subagentStatusLine", Shape::Object),
    ("switchModelsOnFlag", Boolean),
    ("syntaxHighlightingDisabled", Boolean),
    ("terminalProgressBarEnabled", Boolean),
    ("terminalTitleFromRename", Boolean),
    ("todoFeatureEnabled", Boolean),
    ("tui", Word(&["default", "fullscreen"], "\"default\" or \"fullscreen\"")),
    ("verbose", Boolean),
    ("voice", Shape::Object),
    ("wheelScrollAccelerationEnabled", Boolean),
    ("workflowKeywordTriggerEnabled", Boolean),
    ("worktree", Shape::Object),
    ("wslInheritsWindowsSettings", Boolean),
];

/// The keys of every hook.
const OF_ALL: &[(&str, Shape)] = &[("if", Text), ("timeout", Positive), ("statusMessage", Text), ("once", Boolean)];

/// The keys of a hook's type, and those of them that must be there.
type Keys = (&'static [(&'static str, Shape)], &'static [&'static str]);

fn keys_of(kind: &str) -> Option<Keys> {
    Some(match kind {
        "command" => (
            &[
                ("command", Text),
                ("args", Texts),
                ("shell", SHELLS),
                ("async", Boolean),
                ("asyncRewake", Boolean),
                ("rewakeMessage", Text),
                ("rewakeSummary", Text),
            ],
            &["command"],
        ),
        "prompt" => (&[("prompt", Text), ("model", Text), ("continueOnBlock", Boolean)], &["prompt"]),
        "agent" => (&[("prompt", Text), ("model", Text)], &["prompt"]),
        "http" => (&[("url", Url), ("headers", TextMap), ("allowedEnvVars", Texts)], &["url"]),
        "mcp_tool" => (&[("server", Text), ("tool", Text), ("input", Shape::Object)], &["server", "tool"]),
        _ => return None,
    })
}

/// Why Claude Code uses nothing of a file of settings with this tree; `None` if it uses it. `is_event` knows its events.
///
/// `needs_type`: is a hook without a `type` wrong? Else it is a command.
pub(super) fn refusal(root: &Object<'_>, is_event: impl Fn(&str) -> bool, needs_type: bool) -> Option<Refusal> {
    for prop in last_ones(root) {
        let name = prop.name.as_str();
        if let Some((_, shape)) = SETTINGS.iter().find(|(setting, _)| *setting == name) {
            let refusal = shape.refusal(&prop.value, &|| name.to_owned());
            if refusal.is_some() {
                return refusal;
            }
        }
    }
    // Of a key that stands twice the last counts.
    let Some(Value::Object(events)) = member(root, "hooks") else { return None };
    last_ones(events).filter(|prop| is_event(prop.name.as_str())).find_map(|prop| {
        let Value::Array(groups) = &prop.value else { return None };
        let event = prop.name.as_str();
        groups
            .elements
            .iter()
            .enumerate()
            .find_map(|(index, group)| group_refusal(group, &format!("hooks.{event}[{index}]"), needs_type))
    })
}

fn group_refusal(group: &Value<'_>, path: &str, needs_type: bool) -> Option<Refusal> {
    let Value::Object(object) = group else { return Some(wrong(group, path.to_owned(), "an object")) };
    if let Some(matcher) = member(object, "matcher")
        && !matches!(matcher, Value::StringLit(_))
    {
        return Some(wrong(matcher, format!("{path}.matcher"), "a string"));
    }
    let hooks = match member(object, "hooks") {
        Some(Value::Array(hooks)) => hooks,
        Some(other) => return Some(wrong(other, format!("{path}.hooks"), "an array of hooks")),
        None => return Some(missing(object, format!("{path}.hooks"), "an array of hooks")),
    };
    let mut hooks = hooks.elements.iter().enumerate();
    hooks.find_map(|(index, hook)| hook_refusal(hook, &format!("{path}.hooks[{index}]"), needs_type))
}

fn hook_refusal(hook: &Value<'_>, path: &str, needs_type: bool) -> Option<Refusal> {
    const TYPES: &str = "\"command\", \"prompt\", \"agent\", \"http\" or \"mcp_tool\"";
    let Value::Object(object) = hook else { return Some(wrong(hook, path.to_owned(), "an object")) };
    let kind = member(object, "type");
    let keys = match kind {
        None if needs_type => return Some(missing(object, format!("{path}.type"), TYPES)),
        None => keys_of("command"),
        Some(kind) => kind.as_string_lit().and_then(|kind| keys_of(&kind.value)),
    };
    let Some((keys, needed)) = keys else { return kind.map(|kind| wrong(kind, format!("{path}.type"), TYPES)) };
    for (name, shape) in keys.iter().chain(OF_ALL) {
        match member(object, name) {
            Some(value) => {
                let refusal = shape.refusal(value, &|| format!("{path}.{name}"));
                if refusal.is_some() {
                    return refusal;
                }
            }
            None if needed.contains(name) => return Some(missing(object, format!("{path}.{name}"), "a string")),
            None => {}
        }
    }
    None
}

/// Would Claude Code run this hook, whatever else stands in its file?
pub(super) fn takes(hook: &Object<'_>) -> bool {
    let kind = member(hook, "type").and_then(Value::as_string_lit).map_or("command", |kind| &kind.value);
    keys_of(kind).is_some_and(|(keys, needed)| {
        keys.iter().chain(OF_ALL).all(|(name, shape)| match member(hook, name) {
            Some(value) => shape.refusal(value, &String::new).is_none(),
            None => !needed.contains(name),
        })
    })
}

impl Shape {
    fn refusal(self, value: &Value<'_>, key: &dyn Fn() -> String) -> Option<Refusal> {
        let number = || value.as_number_lit().and_then(|number| number.value.parse::<f64>().ok());
        let all_texts = |value: &Value<'_>| match value {
            Value::Array(list) => list.elements.iter().all(|element| matches!(element, Value::StringLit(_))),
            _ => false,
        };
        let (is_right, expected) = match self {
            Text => (matches!(value, Value::StringLit(_)), "a string"),
            Url => (value.as_string_lit().is_some_and(|url| is_url(&url.value)), "a URL"),
            Boolean => (matches!(value, Value::BooleanLit(_)), "true or false"),
            Number => (number().is_some(), "a number"),
            Positive => (number().is_some_and(|number| number > 0.0 && number.is_finite()), "a number above 0"),
            Count => (number().is_some_and(|number| number > 0.0 && number.fract() == 0.0), "a whole number above 0"),
            Texts => (all_texts(value), "an array of strings"),
            Self::Object => (matches!(value, Value::Object(_)), "an object"),
            List => (matches!(value, Value::Array(_)), "an array"),
            TextMap => {
                let is_right = value.as_object().is_some_and(|object| {
                    object.properties.iter().all(|prop| matches!(prop.value, Value::StringLit(_)))
                });
                (is_right, "an object of strings")
            }
            Word(words, expected) => {
                (value.as_string_lit().is_some_and(|word| words.contains(&&*word.value)), expected)
            }
            Permissions => {
                let Value::Object(object) = value else { return Some(wrong(value, key(), "an object")) };
                // What is no rule in a list of rules is left out of it.
                let lists = [("allow", List), ("deny", List), ("ask", List), ("additionalDirectories", Texts)];
                let modes = ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];
                let rest = [("defaultMode", Text), ("disableBypassPermissionsMode", Word(&["disable"], "\"disable\""))];
                let wrong_mode = member(object, "defaultMode")
                    .filter(|mode| mode.as_string_lit().is_some_and(|mode| !modes.contains(&&*mode.value)));
                if let Some(mode) = wrong_mode {
                    return Some(wrong(mode, format!("{}.defaultMode", key()), "a mode of permissions"));
                }
                return lists
                    .iter()
                    .chain(&rest)
                    .find_map(|(name, shape)| shape.refusal(member(object, name)?, &|| format!("{}.{name}", key())));
            }
        };
        (!is_right).then(|| {
            let refusal = wrong(value, key(), expected);
            match (self, value.as_string_lit()) {
                (Url, Some(url)) => Refusal { found: excerpt(&crate::http::without_secrets(&url.value)), ..refusal },
                _ => refusal,
            }
        })
    }
}

/// Does a text begin with a scheme, and has one of the web's a host? Those that a hook may be sent to are read as they are for it.
fn is_url(text: &str) -> bool {
    let text = crate::http::Url::without_blanks(text);
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_one_of = |schemes: &[&str]| schemes.iter().any(|other| scheme.eq_ignore_ascii_case(other));
    if is_one_of(&["http", "https"]) {
        return crate::http::Url::parse_any(&text).is_ok();
    }
    let is_scheme = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let host = rest.trim_start_matches(['/', '\\']).split(['/', '\\', '?', '#']).next().unwrap_or_default();
    is_scheme && (!is_one_of(&["ws", "wss", "ftp"]) || !host.is_empty() && !host.contains(char::is_whitespace))
}

fn excerpt(text: &str) -> String {
    format!("{:?}", text.chars().take(60).collect::<String>())
}

fn wrong(value: &Value<'_>, key: String, expected: &'static str) -> Refusal {
    let found = match value {
        Value::StringLit(text) => excerpt(&text.value),
        Value::NumberLit(number) => number.value.to_owned(),
        other => kind(other).to_owned(),
    };
    Refusal { range: value.range(), key, expected, found }
}

fn missing(object: &Object<'_>, key: String, expected: &'static str) -> Refusal {
    Refusal { range: object.range, key, expected, found: "nothing".to_owned() }
}

/// A member by its name: of several the last, as `JSON.parse` has it.
fn member<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v Value<'a>> {
    object.properties.iter().rev().find(|prop| prop.name.as_str() == name).map(|prop| &prop.value)
}

/// The members, of each name the last.
fn last_ones<'v, 'a>(object: &'v Object<'a>) -> impl Iterator<Item = &'v ObjectProp<'a>> {
    let mut seen = std::collections::HashSet::with_capacity(object.properties.len());
    let mut last: Vec<&ObjectProp<'a>> =
        object.properties.iter().rev().filter(|prop| seen.insert(prop.name.as_str())).collect();
    last.reverse();
    last.into_iter()
}

#[cfg(test)]
mod tests;
