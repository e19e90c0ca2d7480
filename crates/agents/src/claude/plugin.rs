//! Plugins of Claude Code: where their hooks stand, and what these are given: a directory for the plugin's data, and the options that
//! the user has set for it.

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};

use hookshell_process::Environment;
use serde_json::Value;

use crate::config::{FILE_BYTES as PROJECT_FILE_BYTES, FoundFile, Origin, directory_with};
use crate::read_file::{CONFIG_LIMIT, read_regular};

/// The user's directory of Claude Code.
fn user(host: &Environment) -> Option<PathBuf> {
    let find = |wanted: &str| host.iter().find(|(name, _)| name == wanted).map(|(_, value)| PathBuf::from(value));
    let home = || find(if cfg!(windows) { "USERPROFILE" } else { "HOME" }).map(|home| home.join(".claude"));
    find("CLAUDE_CONFIG_DIR").or_else(home)
}

fn json(file: &Path) -> Option<Value> {
    serde_json::from_slice(&read_regular(file, CONFIG_LIMIT).ok()?).ok()
}

/// What the plugin of a directory is called, `NAME@MARKETPLACE`: as the list of installed ones has it.
fn id(user: &Path, root: &Path) -> Option<String> {
    let installed = json(&user.join("plugins").join("installed_plugins.json"))?;
    let plugins = installed.get("plugins")?.as_object()?;
    let is_it = |install: &Value| {
        install.get("installPath").and_then(Value::as_str).is_some_and(|path| Path::new(path) == root)
    };
    let found = plugins.iter().find(|(_, installs)| match installs {
        Value::Array(installs) => installs.iter().any(is_it),
        install => is_it(install),
    });
    found.map(|(name, _)| name.clone())
}

/// Where a plugin keeps its data: `plugins/data/ID` in the user's directory, in the identifier only letters, digits, `-` and `_`. Of one
/// that is not in the list of installed ones the directory's name is its name.
pub(super) fn data(root: &Path, host: &Environment) -> Option<PathBuf> {
    let user = user(host)?;
    let name = id(&user, root).or_else(|| root.file_name().map(|name| name.to_string_lossy().into_owned()))?;
    let is_kept = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let name: String = name.chars().map(|letter| if is_kept(letter) { letter } else { '-' }).collect();
    Some(user.join("plugins").join("data").join(name))
}

/// The options of a plugin: of the user's settings and the user's secrets, else the defaults of its manifest. A project's settings
/// set none: they would change what a plugin of the user's does.
pub(super) fn options(root: &Path, host: &Environment) -> BTreeMap<String, String> {
    let mut options = BTreeMap::new();
    let manifest = json(&root.join(MANIFEST));
    let described = manifest.as_ref().and_then(|said| said.get("userConfig")).and_then(Value::as_object);
    for (name, option) in described.into_iter().flatten() {
        options.extend(option.get("default").and_then(text_of).map(|text| (name.clone(), text)));
    }
    let Some(user) = user(host) else { return options };
    let Some(id) = id(&user, root) else { return options };
    let files = [("settings.json", "pluginConfigs", Some("options")), (".credentials.json", "pluginSecrets", None)];
    for (file, key, below) in files {
        let Some(settings) = json(&user.join(file)) else { continue };
        let of_plugin = settings.get(key).and_then(|all| all.get(&id));
        let values = below.map_or(of_plugin, |below| of_plugin?.get(below));
        for (name, value) in values.and_then(Value::as_object).into_iter().flatten() {
            options.extend(text_of(value).map(|text| (name.clone(), text)));
        }
    }
    options
}

/// An option's value as the text of a variable.
fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        // As JavaScript makes a text of a list.
        Value::Array(list) => {
            let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            texts.join(",")
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Null | Value::Object(_) => return None,
    };
    (!text.contains('\0')).then_some(text)
}

/// The variable of an option: in capitals, with `_` for what no name of a variable has.
pub(super) fn variable(key: &str) -> String {
    let upper =
        key.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' });
    format!("CLAUDE_PLUGIN_OPTION_{}", upper.collect::<String>())
}

/// What a plugin says of itself, below its directory.
const MANIFEST: &str = ".claude-plugin/plugin.json";

/// The files that have a plugin's hooks: `hooks/hooks.json`, those that its manifest names below its directory, and the manifest
/// where hooks stand in it.
pub(super) fn hook_files(root: &Path) -> Vec<PathBuf> {
    let mut files = vec![root.join("hooks").join("hooks.json")];
    let manifest = root.join(MANIFEST);
    let said = json(&manifest);
    let is_below =
        |path: &str| Path::new(path).components().all(|part| matches!(part, Component::CurDir | Component::Normal(_)));
    match said.as_ref().and_then(|said| said.get("hooks")) {
        Some(Value::Object(_)) => files.push(manifest),
        Some(named) => {
            let named = named.as_array().map_or(std::slice::from_ref(named), Vec::as_slice);
            let named = named.iter().filter_map(Value::as_str).filter(|path| is_below(path));
            // Without the `.` that paths begin with.
            let named = named.map(|path| root.join(path).components().collect::<PathBuf>());
            files.extend(named.filter(|file| file.exists()));
        }
        None => {}
    }
    // The second time it would be passed over.
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    files
}

/// The directory of the plugin that a file of hooks is of, which is no file of settings.
pub(super) fn root(file: &Path) -> Option<PathBuf> {
    if file.file_name()?.to_string_lossy().contains("settings") {
        return None;
    }
    directory_with(MANIFEST.as_ref(), file)
}

/// The hooks of the plugins that are installed and enabled. What cannot be read names no plugin.
///
/// A plugin is enabled or not by the user's and the administrator's settings. One that only the project's settings enable has
/// the project's hooks, which run where they are trusted: a repository can neither disable the user's guards nor start what the
/// user has installed and disabled.
pub(super) fn of_settings(user: &Path, settings: &[FoundFile]) -> Vec<FoundFile> {
    let read = |file: &Path, most| -> Option<Value> { serde_json::from_slice(&read_regular(file, most).ok()?).ok() };
    let Some(installed) = read(&user.join("plugins").join("installed_plugins.json"), CONFIG_LIMIT) else {
        return Vec::new();
    };
    // The last file of an origin that names a plugin counts, and of origins the highest.
    let mut enabled: BTreeMap<String, (bool, Origin)> = BTreeMap::new();
    for file in settings {
        let settings = read(&file.path, if file.origin == Origin::Project { PROJECT_FILE_BYTES } else { CONFIG_LIMIT });
        let plugins = settings.as_ref().and_then(|settings| settings.get("enabledPlugins")?.as_object());
        for (name, value) in plugins.into_iter().flatten() {
            let is_enabled = value.as_bool() == Some(true);
            match enabled.get_mut(name) {
                // The project may switch off what it alone has enabled.
                Some(known) if file.origin.may_change(known.1) => *known = (is_enabled, file.origin),
                // Disabled by the user, and enabled by the project: as the project's.
                Some(known) if is_enabled && !known.0 => *known = (true, file.origin),
                Some(_) => {}
                None => _ = enabled.insert(name.clone(), (is_enabled, file.origin)),
            }
        }
    }
    let mut files = Vec::new();
    for (name, installs) in installed.get("plugins").and_then(Value::as_object).into_iter().flatten() {
        let Some((true, origin)) = enabled.get(name) else { continue };
        // One object in the files of older versions, and a list since a plugin may be installed for several projects.
        let installs = installs.as_array().map_or(std::slice::from_ref(installs), Vec::as_slice);
        if let Some(path) = installs.iter().rev().find_map(|install| install.get("installPath")?.as_str()) {
            files.extend(hook_files(Path::new(path)).into_iter().map(|file| FoundFile::new(file, *origin)));
        }
    }
    files
}
