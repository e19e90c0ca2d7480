//! hookshell as an agent's own shell: it is put into a directory under the name `bash`, and the agent is told where.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::agent::Agent;
use crate::error::{Error, Syntax};
use crate::files::{self, Change, Owner};
use crate::json_text::{self as json, Splice};
use crate::machine::Machine;
use crate::plan::Plan;

/// How an agent is told which shell to use.
enum ShellSetting {
    /// By a key of a config of the user's: the keys that lead to it.
    Key(PathBuf, &'static [&'static str]),
    /// By the user: what to do.
    ByHand(String),
}

/// The file that agents start as their bash: `bash`, on Windows `bash.exe`.
pub(crate) fn program(machine: &Machine) -> Result<PathBuf, Error> {
    let name = if cfg!(windows) { "bash.exe" } else { "bash" };
    Ok(machine.data_directory()?.join("bin").join(name))
}

fn shell_setting(machine: &Machine, agent: Agent, bash: &Path) -> Option<ShellSetting> {
    let directory = bash.parent().unwrap_or(bash).display().to_string();
    let home = machine.home()?;
    Some(match agent {
        Agent::Claude => {
            let settings = machine.user_directory("CLAUDE_CONFIG_DIR", ".claude")?.join("settings.json");
            let keys: &[&str] =
                if cfg!(windows) { &["env", "CLAUDE_CODE_GIT_BASH_PATH"] } else { &["env", "CLAUDE_CODE_SHELL"] };
            ShellSetting::Key(settings, keys)
        }
        Agent::Opencode => ShellSetting::Key(machine.config_home()?.join("opencode").join("opencode.json"), &["shell"]),
        Agent::Pi => ShellSetting::Key(home.join(".pi").join("agent").join("settings.json"), &["shellPath"]),
        Agent::Gemini if cfg!(windows) => {
            ShellSetting::ByHand("Gemini CLI takes PowerShell on Windows: its shell cannot be another".to_owned())
        }
        Agent::Gemini | Agent::Qwen => {
            ShellSetting::ByHand(format!("{} takes `bash` from PATH: put {directory} first on it", agent.name()))
        }
        Agent::Codex if !cfg!(windows) => ShellSetting::ByHand(format!(
            "Codex takes the login shell: add {0} to /etc/shells, then `chsh -s {0}`",
            bash.display()
        )),
        _ => ShellSetting::ByHand(format!("{} lets nobody choose its shell", agent.name())),
    })
}

impl Plan {
    /// Makes hookshell the shell of these agents. `exe` is hookshell's own file.
    pub fn install_shell(machine: &Machine, agents: &[Agent], exe: &Path) -> Self {
        let mut plan = Self::default();
        let bash = match program(machine) {
            Ok(bash) => bash,
            Err(error) => {
                plan.problems.push(error);
                return plan;
            }
        };
        plan.place(exe, &bash);
        for agent in chosen(machine, agents) {
            match shell_setting(machine, agent, &bash) {
                Some(ShellSetting::Key(config, keys)) => plan.set_key(agent, &config, keys, &bash),
                Some(ShellSetting::ByHand(what)) if agents.contains(&agent) => plan.notes.push(what),
                _ => {}
            }
        }
        plan
    }

    /// Brings the shell up to date that an earlier [`Plan::install_shell`] has put there: hookshell may have moved, and a copy (on Windows)
    /// stays as it was.
    pub fn update_shell(&mut self, machine: &Machine, exe: &Path) {
        if let Ok(bash) = program(machine)
            && bash.symlink_metadata().is_ok()
        {
            self.place(exe, &bash);
        }
    }

    /// Takes it back: the keys that name our file.
    pub fn uninstall_shell(machine: &Machine, agents: &[Agent]) -> Self {
        let mut plan = Self::default();
        let Ok(bash) = program(machine) else { return plan };
        for agent in Agent::ALL {
            if (agents.is_empty() || agents.contains(&agent))
                && let Some(ShellSetting::Key(config, keys)) = shell_setting(machine, agent, &bash)
            {
                plan.unset_key(agent, &config, keys, &bash);
            }
        }
        if agents.is_empty() && bash.symlink_metadata().is_ok() {
            plan.unplace(&bash);
        }
        plan
    }

    fn set_key(&mut self, agent: Agent, config: &Path, keys: &[&str], bash: &Path) {
        let value = bash.display().to_string();
        let edit = |text: &str| with_key(text, keys, &value);
        self.edit(agent, config, format!("its shell is {value}"), Some(new_config(keys, &value)), edit);
    }

    fn unset_key(&mut self, agent: Agent, config: &Path, keys: &[&str], bash: &Path) {
        let value = bash.display().to_string();
        let made = new_config(keys, &value);
        let edit = |text: &str| if text == made { Ok(Edit::Gone) } else { without_key(text, keys, &value) };
        self.edit(agent, config, "its shell is its own again".to_owned(), None, edit);
    }

    fn edit(
        &mut self,
        agent: Agent,
        config: &Path,
        what: String,
        new: Option<String>,
        edit: impl Fn(&str) -> Result<Edit, Syntax>,
    ) {
        let found = files::read(config).and_then(|before| match &before {
            None => Ok((config.to_owned(), before, new.map_or(Edit::None, Edit::Text))),
            Some(text) => {
                let target = files::target(config, &Owner::User)?;
                let edited = edit(text).map_err(|syntax| Error::Syntax { path: config.to_owned(), syntax })?;
                Ok((target, before, edited))
            }
        });
        match found {
            Err(error) => self.problems.push(error),
            Ok((_, _, Edit::None)) => {}
            Ok((_, _, Edit::Taken(other))) => self.notes.push(format!(
                "{}: its shell is {other} already; take that out to have hookshell there",
                config.display()
            )),
            Ok((path, before, edited)) => {
                let after = if let Edit::Text(text) = edited { Some(text) } else { None };
                let (shown, owner) = (config.to_owned(), Owner::User);
                let change = Change { path, shown, before, after, is_private: true, is_shown: true, owner };
                self.add(agent, &what, vec![change]);
            }
        }
    }
}

/// The agents that are named; else those that are found.
fn chosen(machine: &Machine, agents: &[Agent]) -> Vec<Agent> {
    let is_found = |agent: &Agent| machine.find(*agent).is_some() || !agent.configs(machine).is_empty();
    match agents {
        [] => Agent::ALL.into_iter().filter(is_found).collect(),
        named => named.to_vec(),
    }
}

/// How a config is edited.
enum Edit {
    None,
    Text(String),
    /// The file was made for the key, and goes with it.
    Gone,
    /// The key has another value.
    Taken(String),
}

fn literal(text: &str) -> String {
    Json::String(text.to_owned()).to_string()
}

/// A config that has nothing but the key.
fn new_config(keys: &[&str], value: &str) -> String {
    match keys {
        [outer, inner] => format!("{{\n  {}: {{ {}: {} }}\n}}\n", literal(outer), literal(inner), literal(value)),
        _ => format!("{{\n  {}: {}\n}}\n", literal(keys.first().unwrap_or(&"")), literal(value)),
    }
}

/// The text with the key. It stands first in its object, so that taking it out gives the text back as it was.
fn with_key(text: &str, keys: &[&str], value: &str) -> Result<Edit, Syntax> {
    let root = json::parse(text)?;
    let Some(object) = root.as_ref().and_then(|root| root.as_object()) else {
        return Ok(Edit::Taken("unknown, as the file is no object".to_owned()));
    };
    let (mut object, mut keys) = (object, keys);
    let mut value = literal(value);
    while let [outer, inner @ ..] = keys
        && !inner.is_empty()
    {
        match json::last(object, outer) {
            Some(found) => match found.as_object() {
                Some(found) => (object, keys) = (found, inner),
                None => return Ok(Edit::Taken(format!("unknown, as `{outer}` is no object"))),
            },
            None => {
                // With blanks inside: an object that was there and empty gets none.
                value = inner.iter().rev().fold(value, |value, key| format!("{{ {}: {value} }}", literal(key)));
                keys = keys.get(..1).unwrap_or_default();
            }
        }
    }
    let Some(key) = keys.first() else { return Ok(Edit::None) };
    if let Some(found) = json::last(object, key) {
        let found = json::data(found).to_string();
        return Ok(if found == value { Edit::None } else { Edit::Taken(found) });
    }
    let at = json::range(object).start + 1;
    let body = json::body(text);
    let key = literal(key);
    let with = match object.properties.first() {
        None => format!("{key}: {value}"),
        Some(first) => {
            // The blanks before the first key, if they are only that.
            let blanks = body.get(at..json::range(first).start).unwrap_or_default();
            let blanks = if blanks.trim().is_empty() { blanks } else { " " };
            format!("{blanks}{key}: {value},")
        }
    };
    Ok(Edit::Text(json::spliced(text, vec![Splice { range: at..at, with }])))
}

/// The text without the key, if it has this value.
fn without_key(text: &str, keys: &[&str], value: &str) -> Result<Edit, Syntax> {
    let root = json::parse(text)?;
    let body = json::body(text);
    let Some(root) = root.as_ref().and_then(|root| root.as_object()) else { return Ok(Edit::None) };
    let (key, inside) = match keys {
        [outer, key] => (key, json::last(root, outer).and_then(|inner| inner.as_object()).map(|inner| (outer, inner))),
        [key] => (key, None),
        _ => return Ok(Edit::None),
    };
    let object = match (keys, inside) {
        ([_, _], None) => return Ok(Edit::None),
        (_, Some((_, inner))) => inner,
        (_, None) => root,
    };
    if json::string(object, key).is_none_or(|found| found.value != value) {
        return Ok(Edit::None);
    }
    // The object that was made for the key goes with it.
    let made = format!("{{ {}: {} }}", literal(key), literal(value));
    let (object, key) = match inside {
        Some((outer, inner)) if json::slice(body, inner) == made => (root, outer),
        _ => (object, key),
    };
    let Some(index) = object.properties.iter().rposition(|prop| prop.name.as_str() == *key) else {
        return Ok(Edit::None);
    };
    let Some(prop) = object.properties.get(index) else { return Ok(Edit::None) };
    let (start, end) = (json::range(prop).start, json::range(prop).end);
    let open = json::range(object).start + 1;
    let rest = body.get(end..).unwrap_or_default();
    let comma = rest.starts_with(',').then_some(end + 1);
    let range = match (index.checked_sub(1).and_then(|before| object.properties.get(before)), comma) {
        // As it was put in.
        (None, Some(comma)) if body.get(open..start).is_some_and(|blanks| blanks.trim().is_empty()) => open..comma,
        (None, comma) => start..comma.unwrap_or(end),
        (Some(before), _) => json::range(before).end..end,
    };
    Ok(Edit::Text(json::spliced(text, vec![Splice { range, with: String::new() }])))
}

#[cfg(test)]
mod tests {
    use super::{Edit, new_config, with_key, without_key};

    #[test]
    fn a_key_comes_and_goes_without_a_trace() {
        let texts = [
            "{}",
            "{ }",
            "{\n}\n",
            "{\"env\": {}}",
            "{\"env\":{ },\"a\":1}",
            "{\r\n\t// mine\r\n\t\"a\": 1,\r\n\t\"env\": {\r\n\t\t\"X\": \"y\" // z\r\n\t},\r\n}",
            "\u{feff}{ \"a\": 1 }",
            "{/* c */\"a\":1}",
        ];
        for keys in [&["env", "KEY"][..], &["shell"]] {
            for text in texts {
                let value = "C:\\Users\\a b\\bash.exe";
                let Ok(Edit::Text(with)) = with_key(text, keys, value) else { panic!("{text}") };
                assert!(matches!(with_key(&with, keys, value), Ok(Edit::None)), "{with}");
                assert!(matches!(with_key(&with, keys, "other"), Ok(Edit::Taken(_))), "{with}");
                assert!(matches!(without_key(&with, keys, "other"), Ok(Edit::None)), "{with}");
                let Ok(Edit::Text(back)) = without_key(&with, keys, value) else { panic!("{with}") };
                assert_eq!(back, text, "{with}");
            }
            assert!(matches!(with_key(&new_config(keys, "x"), keys, "x"), Ok(Edit::None)));
        }
    }
}
