//! Hooks of which each is started by itself: Claude Code's `command` with `args`, which no shell reads, and Crush's command line.

use std::collections::VecDeque;

use jsonc_parser::ast::Object;
use serde_json::Value as Json;

use crate::command_line::{PROGRAM, is_ours, quoted_exec, unquoted_exec};
use crate::error::Syntax;
use crate::json_text::{self as json, Splice};
use crate::listed::{Listed, State};

/// How a hook names a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `"command": "hookshell", "args": ["exec", COMMAND]`, in groups of hooks.
    Arguments,
    /// `"command": "hookshell exec 'COMMAND'"`, in lists of hooks.
    Quoted,
}

/// The text with every hook wired that can be.
pub(crate) fn wire(form: Form, text: &str) -> Result<String, Syntax> {
    let root = json::parse(text)?;
    let body = json::body(text);
    let mut splices = Vec::new();
    for hook in root.iter().flat_map(|root| hooks(form, root)) {
        if let Some(found) = Plain::of(form, hook) {
            splices.extend(found.wired(form, body, hook));
        }
    }
    Ok(json::spliced(text, splices))
}

/// The text with every wired hook as it was. `was`: the text before it was wired, as far as it is known.
pub(crate) fn unwire(form: Form, text: &str, was: Option<&str>) -> Result<String, Syntax> {
    let mut originals = was.map_or_else(|| Ok(VecDeque::new()), |was| originals(form, was))?;
    // What was wired by hand stays so.
    let mut by_hand = was.map_or_else(|| Ok(Vec::new()), |was| wired_commands(form, was))?;
    let root = json::parse(text)?;
    let mut splices = Vec::new();
    for hook in root.iter().flat_map(|root| hooks(form, root)) {
        let Some(wired) = Wired::of(form, hook) else { continue };
        let found = originals.iter().position(|original| original.wired == wired.command);
        if found.is_none()
            && let Some(index) = by_hand.iter().position(|command| *command == wired.command)
        {
            by_hand.remove(index);
            continue;
        }
        let original = found.and_then(|index| originals.remove(index)).unwrap_or_else(|| wired.original(form));
        let Some(command) = json::string(hook, "command") else { continue };
        splices.push(Splice { range: json::range(command), with: original.literal });
        if form == Form::Arguments {
            splices.extend(without_args(hook, original.shell));
        }
    }
    Ok(json::spliced(text, splices))
}

/// The hooks of a config.
fn hooks<'v, 'a>(form: Form, root: &'v jsonc_parser::ast::Value<'a>) -> Vec<&'v Object<'a>> {
    let events = json::hooks(root).into_iter().flat_map(|hooks| &hooks.properties);
    let entries = events.filter_map(|event| event.value.as_array()).flat_map(json::objects);
    match form {
        Form::Quoted => entries.collect(),
        Form::Arguments => {
            entries.filter_map(|group| json::last(group, "hooks")?.as_array()).flat_map(json::objects).collect()
        }
    }
}

/// Is the type of a hook a command's?
fn is_command(form: Form, hook: &Object<'_>) -> bool {
    match json::last(hook, "type") {
        None => form == Form::Quoted,
        Some(kind) => kind.as_string_lit().is_some_and(|kind| kind.value == "command"),
    }
}

/// A hook that is not wired, and can be.
struct Plain {
    command: String,
    has_shell: bool,
}

impl Plain {
    fn of(form: Form, hook: &Object<'_>) -> Option<Self> {
        let is_odd = ["command", "args", "shell"].iter().any(|key| json::has_twice(hook, key));
        if is_odd || !is_command(form, hook) || json::last(hook, "args").is_some() {
            return None;
        }
        let command = &json::string(hook, "command")?.value;
        let shell = json::last(hook, "shell");
        let is_bash = shell.is_none_or(|shell| shell.as_string_lit().is_some_and(|shell| shell.value == "bash"));
        let is_plain = !command.trim().is_empty() && !is_ours(command) && (is_bash || form == Form::Quoted);
        is_plain.then(|| Self { command: command.to_string(), has_shell: shell.is_some() && form == Form::Arguments })
    }

    fn wired(&self, form: Form, body: &str, hook: &Object<'_>) -> Vec<Splice> {
        let Some(literal) = json::string(hook, "command") else { return Vec::new() };
        let range = json::range(literal);
        if form == Form::Quoted {
            return vec![Splice { range, with: Json::String(quoted_exec(&self.command)).to_string() }];
        }
        let text = json::slice(body, literal);
        // The literal stays as it is written, where that says the same.
        let argument = [text.replace(PLACEHOLDER, IN_ARGUMENTS)]
            .into_iter()
            .find(|text| serde_json::from_str::<String>(text).is_ok_and(|text| text == in_arguments(&self.command)))
            .unwrap_or_else(|| Json::String(in_arguments(&self.command)).to_string());
        let args = format!("\"args\": [\"exec\", {argument}]");
        let shell = hook.properties.iter().find(|prop| self.has_shell && prop.name.as_str() == "shell");
        match shell {
            // Bash is not asked for any more: the arguments stand where it stood.
            Some(shell) => {
                vec![Splice { range, with: format!("\"{PROGRAM}\"") }, Splice { range: json::range(shell), with: args }]
            }
            None => vec![Splice { range, with: format!("\"{PROGRAM}\", {args}") }],
        }
    }
}

/// What Claude Code puts the project's directory in for, also in `args`: there the shell would then read the path as code.
const PLACEHOLDER: &str = "${CLAUDE_PROJECT_DIR}";

/// What means the same to a shell, and nothing to Claude Code.
const IN_ARGUMENTS: &str = "${CLAUDE_PROJECT_DIR-}";

fn in_arguments(command: &str) -> String {
    command.replace(PLACEHOLDER, IN_ARGUMENTS)
}

/// A hook that is wired.
struct Wired {
    /// What hookshell is given to run.
    command: String,
}

impl Wired {
    fn of(form: Form, hook: &Object<'_>) -> Option<Self> {
        let command = &json::string(hook, "command")?.value;
        if !is_command(form, hook) {
            return None;
        }
        let command = match form {
            Form::Quoted => unquoted_exec(command)?,
            Form::Arguments if command == PROGRAM => {
                let args = json::last(hook, "args")?.as_array()?;
                match &*args.elements {
                    [exec, command] if exec.as_string_lit()?.value == "exec" => {
                        command.as_string_lit()?.value.to_string()
                    }
                    _ => return None,
                }
            }
            Form::Arguments => return None,
        };
        Some(Self { command })
    }

    /// As it was, as far as that can be seen.
    fn original(&self, form: Form) -> Original {
        let command = match form {
            Form::Arguments => self.command.replace(IN_ARGUMENTS, PLACEHOLDER),
            Form::Quoted => self.command.clone(),
        };
        Original { wired: String::new(), literal: Json::String(command).to_string(), shell: None }
    }
}

/// A hook as it was before it was wired.
struct Original {
    /// What hookshell is given for it.
    wired: String,
    /// Its command, as it was written.
    literal: String,
    /// The property that names its shell.
    shell: Option<String>,
}

fn originals(form: Form, was: &str) -> Result<VecDeque<Original>, Syntax> {
    let root = json::parse(was)?;
    let body = json::body(was);
    let mut originals = VecDeque::new();
    for hook in root.iter().flat_map(|root| hooks(form, root)) {
        let (Some(plain), Some(literal)) = (Plain::of(form, hook), json::string(hook, "command")) else { continue };
        let shell = hook.properties.iter().find(|prop| plain.has_shell && prop.name.as_str() == "shell");
        originals.push_back(Original {
            wired: if form == Form::Arguments { in_arguments(&plain.command) } else { plain.command },
            literal: json::slice(body, literal).to_owned(),
            shell: shell.map(|shell| json::slice(body, shell).to_owned()),
        });
    }
    Ok(originals)
}

fn wired_commands(form: Form, text: &str) -> Result<Vec<String>, Syntax> {
    let root = json::parse(text)?;
    let hooks = root.iter().flat_map(|root| hooks(form, root));
    Ok(hooks.filter_map(|hook| Some(Wired::of(form, hook)?.command)).collect())
}

/// Takes the arguments of a hook away, or puts back what stood there.
fn without_args(hook: &Object<'_>, shell: Option<String>) -> Option<Splice> {
    let index = hook.properties.iter().position(|prop| prop.name.as_str() == "args")?;
    let args = json::range(hook.properties.get(index)?);
    if let Some(shell) = shell {
        return Some(Splice { range: args, with: shell });
    }
    // With the comma before it, or where it is the first the one after it.
    let previous = index.checked_sub(1).and_then(|previous| hook.properties.get(previous));
    let next = hook.properties.get(index + 1);
    let range = match (previous, next) {
        (Some(previous), _) => json::range(previous).end..args.end,
        (None, Some(next)) => args.start..json::range(next).start,
        (None, None) => args,
    };
    Some(Splice { range, with: String::new() })
}

/// Every hook of a config.
pub(crate) fn list(form: Form, text: &str) -> Result<Vec<Listed>, Syntax> {
    let root = json::parse(text)?;
    let mut listed = Vec::new();
    for event in root.iter().filter_map(json::hooks).flat_map(|hooks| &hooks.properties) {
        let entries = event.value.as_array().into_iter().flat_map(json::objects);
        for entry in entries {
            let matcher = json::string(entry, "matcher").map(|matcher| matcher.value.to_string());
            let group = json::last(entry, "hooks").and_then(|hooks| hooks.as_array());
            let hooks: Vec<&Object<'_>> = match (form, group) {
                (Form::Quoted, _) => vec![entry],
                (Form::Arguments, Some(group)) => json::objects(group).collect(),
                (Form::Arguments, None) => Vec::new(),
            };
            for hook in hooks {
                let shown = |name| json::string(hook, name).map(|text| text.value.to_string());
                let (command, state) = match (Wired::of(form, hook), Plain::of(form, hook)) {
                    (Some(wired), _) => (wired.command, State::Wired),
                    (None, Some(plain)) => (plain.command, State::Plain),
                    (None, None) => (shown("command").unwrap_or_default(), State::other(shown("type"))),
                };
                let (event, matcher) = (event.name.as_str().to_owned(), matcher.clone());
                listed.push(Listed {
                    event,
                    matcher,
                    command,
                    other_commands: Vec::new(),
                    state,
                    trusted_by_agent: None,
                    enabled_by_agent: None,
                });
            }
        }
    }
    Ok(listed)
}
