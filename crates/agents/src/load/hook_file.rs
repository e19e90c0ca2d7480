//! Hook files: a script or a program that is a hook by itself.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::python_module::Module;
use crate::config::{Config, ConfigError, FILES, FoundFile, Origin, Place, unlisted, user_dir, with_cause};
use crate::dialect::Dialect;
use crate::event_kind::EventKind;
use crate::read_file::open_regular;

/// How much of a file is looked at.
const HEAD: u64 = 8 * 1024;
/// How much more of a Python file is looked at, for its `register`.
const MODULE_LIMIT: u64 = 1024 * 1024;
/// In how many lines the settings are looked for.
const LINES: usize = 30;
/// What the line with the settings has, after whatever begins a comment.
const MARK: &str = "hookshell:";

/// What a file is run by that has no `#!` line.
const INTERPRETERS: [(&str, &[&str]); 12] = [
    ("sh", &[]),
    ("bash", &[]),
    ("exe", &[]),
    ("cmd", &[]),
    ("bat", &[]),
    ("py", &["python3"]),
    ("js", &["node"]),
    ("mjs", &["node"]),
    ("cjs", &["node"]),
    ("rb", &["ruby"]),
    ("pl", &["perl"]),
    ("ps1", &["pwsh", "-NoProfile", "-File"]),
];

/// The hook files of the user's and the project's directories, in the order in which they are added: the user's first, in a
/// directory by name.
///
/// The directories are `hookshell/hooks` in the user's config directory ([`discover`](crate::discover)) and `.hookshell/hooks` in
/// the project. A file of them is a hook file ([`Config::add_hook_file`]), or a config where its name ends in `.json`. In a
/// sub-directory that has the name of an event are hook files for that event. Hidden files, `*~`, `*.md`, `*.txt`, `*.bak`,
/// `*.orig`, `*.disabled` and `*.hooktest.json` are none. `env` gives the value of a variable.
pub fn discover_hook_files(project_dir: &Path, env: impl Fn(&str) -> Option<OsString>) -> Vec<FoundFile> {
    let mut files = discover_user_hook_files(env);
    // One more than is read says that there are more.
    files.extend(hook_files(&project_dir.join(".hookshell").join("hooks"), Origin::Project, FILES + 1));
    files
}

/// The user's own hook files, as [`discover_hook_files`] finds them: nothing of a project is looked at.
pub fn discover_user_hook_files(env: impl Fn(&str) -> Option<OsString>) -> Vec<FoundFile> {
    let user = user_dir(cfg!(windows), env).map(|directory| directory.join("hookshell").join("hooks"));
    user.map(|directory| hook_files(&directory, Origin::User, usize::MAX)).unwrap_or_default()
}

/// At most so many hook files of a directory.
fn hook_files(directory: &Path, origin: Origin, most: usize) -> Vec<FoundFile> {
    let mut files = Vec::new();
    for path in entries(directory, most) {
        match path.is_dir() && path != directory {
            true if event_of(&path).is_some() => {
                files.extend(entries(&path, most).into_iter().filter(|found| !found.is_dir() || *found == path));
            }
            true => {}
            false => files.push(path),
        }
        if files.len() >= most {
            break;
        }
    }
    files.truncate(most);
    files.into_iter().map(|path| FoundFile { path, origin }).collect()
}

/// What is in a directory and may be a hook, by name: of more than `most` those that the system lists first. A directory that cannot be
/// listed is in its own list, so that reading it says why.
fn entries(directory: &Path, most: usize) -> Vec<PathBuf> {
    let Ok(entries) = directory.read_dir() else { return unlisted(directory).into_iter().collect() };
    let mut paths: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| !is_left_out(path)).take(most).collect();
    paths.sort();
    paths
}

fn is_left_out(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let ends = ["~", ".md", ".txt", ".bak", ".orig", ".disabled", ".hooktest.json"];
    name.starts_with('.') || ends.iter().any(|end| name.ends_with(end))
}

/// The event that a directory is named after: by our name in any case, or exactly by the name that an agent has for it.
fn event_of(dir: &Path) -> Option<EventKind> {
    let name = dir.file_name()?.to_str()?;
    name.parse().ok().or_else(|| exact_event(name))
}

/// The event that an agent calls exactly so.
fn exact_event(name: &str) -> Option<EventKind> {
    Dialect::any_event(name).ok().filter(|(_, own)| own.is_some()).map(|(event, _)| event)
}

/// The event that a file is for where it does not say it: that of its directory, or of its own name, or else `PreToolUse`.
fn event_by_name(path: &Path) -> EventKind {
    let of_directory = path.parent().and_then(event_of);
    let of_name = || exact_event(path.file_stem()?.to_str()?);
    of_directory.or_else(of_name).unwrap_or(EventKind::PreToolUse)
}

impl Config {
    /// Adds a hook file: a script or a program that is a hook by itself. A file whose name ends in `.json` is a config.
    ///
    /// In one of its first lines a comment may say what it is for, with the keys of a hook's config except those of the
    /// command, and `event`, one or a list:
    ///
    /// ```text
    /// #!/usr/bin/env bash
    /// # hookshell: {"event": "PreToolUse", "matcher": "^bash$", "timeout": 5}
    /// ```
    ///
    /// Without `event` it is for the event that its directory or it itself is named after, by our name or an agent's, or else for
    /// `PreToolUse`. It is run as its `#!`
    /// line says, or its extension (`.py`: python3); shell code needs neither. A `.py` file without a `#!` line that defines
    /// `register` is a module, which stays loaded for the session; without `event` it is for the events whose handlers it
    /// registers, or where that cannot be seen, for all of the native contract. What is wrong is given back and left out.
    pub fn add_hook_file(&mut self, file: &FoundFile) -> Vec<ConfigError> {
        let is_config = file.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        if is_config {
            return self.add_found(file);
        }
        // Its settings are the native contract's, wherever it lies and whatever the configs beside it are.
        let mut own = Self::in_dialect(Some(Dialect::Native));
        if file.origin == Origin::Project {
            if let Err(reached) = self.budget.file() {
                return reached.into_iter().map(|reached| reached.error(&file.path, None)).collect();
            }
            own.origin = file.origin;
            own.budget = std::mem::take(&mut self.budget);
        }
        let errors = match read(&file.path) {
            Err(error) => vec![error],
            Ok(text) => own.add(&text, &file.path),
        };
        if file.origin == Origin::Project {
            self.budget = std::mem::take(&mut own.budget);
        }
        let path = std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone());
        for hook in &mut own.hooks {
            hook.origin = file.origin;
            // The place of its command is no place in a config.
            hook.command_text = None;
            hook.name.get_or_insert_with(|| path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        self.append(own);
        errors
    }
}

/// The config that a hook file stands for. It has the settings on their own line, so that messages have it.
fn read(path: &Path) -> Result<String, ConfigError> {
    let failed = |source| ConfigError::Read { file: path.to_owned(), source: with_cause(path, source) };
    let mut head = Vec::new();
    let mut file = open_regular(path).map_err(failed)?;
    (&mut file).take(HEAD).read_to_end(&mut head).map_err(failed)?;
    let module = match is_python(path) && !head.starts_with(b"#!") {
        true => {
            let mut text = head.clone();
            file.take(MODULE_LIMIT).read_to_end(&mut text).map_err(failed)?;
            Module::of(&String::from_utf8_lossy(&text))
        }
        false => None,
    };
    let place = |line| Place { file: path.into(), line, column: 1 };
    let syntax = |line, message: String| ConfigError::Syntax { place: place(line), message };

    let absolute = std::path::absolute(path).map_err(failed)?;
    let Some(name) = absolute.to_str() else {
        return Err(failed(std::io::Error::new(std::io::ErrorKind::InvalidData, "its path is not Unicode text")));
    };
    let mut words = command(&absolute, &head).map_err(|why| syntax(1, why))?.into_iter().map(str::to_owned);
    let (program, mut args): (String, Vec<String>) = match words.next() {
        Some(program) => (program, words.chain([name.to_owned()]).collect()),
        None => (name.to_owned(), Vec::new()),
    };
    // A name that begins with a dash would be an option of the interpreter: an absolute path never does.
    let (line, mut settings) = settings(&head).map_err(|(line, message)| syntax(line, message))?;
    for key in ["command", "args", "command_windows", "type"] {
        if settings.contains_key(key) {
            return Err(syntax(line, format!("`{key}` cannot be set: the file is the command")));
        }
    }
    let event = settings.shift_remove("event");
    let is_named = event.is_some() || absolute.parent().and_then(event_of).is_some();
    let events = match module.as_ref().filter(|_| !is_named) {
        Some(module) => module.events.iter().map(EventKind::to_string).collect(),
        None => events(event, &absolute).map_err(|message| syntax(line, message))?,
    };
    if module.is_some() {
        settings.insert("type".to_owned(), "module".into());
        settings.insert("module".to_owned(), name.into());
    } else {
        settings.insert("command".to_owned(), program.into());
        settings.insert("args".to_owned(), args.drain(..).collect());
    }
    let hook = Value::Object(settings);
    let hooks: Map<String, Value> = events.into_iter().map(|event| (event, Value::Array(vec![hook.clone()]))).collect();
    Ok(format!("{}{}", "\n".repeat(line - 1), serde_json::json!({ "hooks": hooks })))
}

fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("py"))
}

/// What the file is run by: nothing where it is run by itself.
fn command(path: &Path, head: &[u8]) -> Result<Vec<&'static str>, String> {
    if head.starts_with(b"#!") {
        return Ok(Vec::new());
    }
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    if let Some((_, words)) = INTERPRETERS.iter().find(|(known, _)| *known == extension) {
        return Ok(words.to_vec());
    }
    let is_program = [&b"\x7fELF"[..], b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];
    if is_program.iter().any(|magic| head.starts_with(magic)) || extension.is_empty() && is_executable(path) {
        return Ok(Vec::new());
    }
    Err("it is no hook: it has no `#!` line and no extension that says how it is run (.sh, .py, .js, .ps1, …)"
        .to_owned())
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    false
}

/// The settings, and the line that they stand on; none, on the first line, where there are none.
fn settings(head: &[u8]) -> Result<(usize, Map<String, Value>), (usize, String)> {
    let lines = head.split(|byte| *byte == b'\n').take(LINES).map(String::from_utf8_lossy).enumerate();
    for (index, line) in lines {
        let Some(text) = settings_text(&line) else { continue };
        if !text.starts_with('{') {
            let message =
                "the settings must be a JSON object: # hookshell: {\"event\": \"PreToolUse\", \"matcher\": \"^bash$\"}";
            return Err((index + 1, message.to_owned()));
        }
        return match serde_json::from_str(text) {
            Ok(Value::Object(settings)) => Ok((index + 1, settings)),
            Ok(_) => Err((index + 1, "the settings must be a JSON object".to_owned())),
            Err(error) => Err((index + 1, format!("the settings are no JSON object: {error}"))),
        };
    }
    Ok((1, Map::new()))
}

/// `{…}` after the mark, which stands at the beginning of a comment; or what is not written so and names a setting all the same:
/// `event=Stop`.
fn settings_text(line: &str) -> Option<&str> {
    let (before, text) = line.split_once(MARK)?;
    let is_comment = ["#", "//", "--", ";", "rem", "::", "@rem", "/*", "*", "<#"];
    let is_comment = is_comment.contains(&before.trim().to_ascii_lowercase().as_str());
    let text = text.trim().trim_end_matches("*/").trim_end_matches("#>").trim();
    let key = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    let is_setting = ["event", "matcher", "timeout", "if", "name", "on_failure", "async", "once", "cwd", "env"]
        .contains(&key)
        && text.get(key.len()..).is_some_and(|rest| rest.trim_start().starts_with([':', '=']));
    (is_comment && (text.starts_with('{') || is_setting)).then_some(text)
}

/// The names of the events.
fn events(setting: Option<Value>, path: &Path) -> Result<Vec<String>, String> {
    let message = || "`event` must be the name of an event, or a list of them".to_owned();
    match setting {
        None => Ok(vec![event_by_name(path).to_string()]),
        Some(Value::String(event)) => Ok(vec![event]),
        Some(Value::Array(list)) if !list.is_empty() => list
            .into_iter()
            .map(|event| match event {
                Value::String(event) => Ok(event),
                _ => Err(message()),
            })
            .collect(),
        Some(_) => Err(message()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::discover_hook_files;
    use crate::config::{Config, FoundFile, Origin};

    fn add(dir: &Path, name: &str, text: &str) -> (Config, Vec<String>) {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let mut config = Config::default();
        let errors = config.add_hook_file(&FoundFile { path: path.clone(), origin: Origin::Project });
        let shown = path.display().to_string();
        (config, errors.iter().map(|error| error.to_string().replace(&shown, "FILE")).collect())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.sh");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let errors = Config::default().add_hook_file(&FoundFile { path, origin: Origin::Project });
        assert!(errors[0].to_string().ends_with("it is no regular file"), "{errors:?}");
    }

    #[test]
    fn a_hook_file_says_what_it_is_for() {
        let dir = tempfile::tempdir().unwrap();
        type Case = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);
        // Name, text; events; what the command is, with the file's own path as `.`.
        let cases: [Case; 12] = [
            ("a.sh", "exit 2\n", &["PreToolUse"], &["."]),
            ("Stop/b.sh", "exit 2\n", &["Stop"], &["."]),
            ("Stop/c", "#!/bin/sh\n# hookshell: {\"event\": \"session_start\"}\n", &["SessionStart"], &["."]),
            (
                "d.py",
                "# hookshell: {\"event\": [\"PreToolUse\", \"Stop\"]}\n",
                &["PreToolUse", "Stop"],
                &["python3", "."],
            ),
            ("e.py", "#!/usr/bin/env python3\n", &["PreToolUse"], &["."]),
            ("f.js", "// hookshell: {\"matcher\": \"^bash$\"}\n", &["PreToolUse"], &["node", "."]),
            ("g.ps1", "<# hookshell: {\"timeout\": 5} #>\r\n", &["PreToolUse"], &["pwsh", "-NoProfile", "-File", "."]),
            ("h.sh", "echo 'hookshell: {' # a text\n", &["PreToolUse"], &["."]),
            ("SessionStart.sh", "exit 2\n", &["SessionStart"], &["."]),
            ("beforeSubmitPrompt.sh", "exit 2\n", &["UserPromptSubmit"], &["."]),
            ("AfterTool/k.sh", "exit 2\n", &["PostToolUse"], &["."]),
            ("i.json", "{\"hooks\":{\"Stop\":[{\"command\":\"true\"}]}}", &["Stop"], &["true"]),
        ];
        for (name, text, events, words) in cases {
            let (config, errors) = add(dir.path(), name, text);
            assert_eq!(errors, Vec::<String>::new(), "{name}");
            let found: Vec<&str> = config.hooks().iter().map(|hook| hook.event.as_str()).collect();
            assert_eq!(found, events, "{name}");
            let hook = &config.hooks()[0];
            assert_eq!(hook.origin, Origin::Project);
            let path = name.split('/').fold(dir.path().to_owned(), |path, part| path.join(part)).display().to_string();
            let all = std::iter::once(&hook.command).chain(hook.args.iter().flatten());
            let all: Vec<&str> = all.map(|word| if *word == path { "." } else { word }).collect();
            assert_eq!(all, words, "{name}");
            if !name.ends_with(".json") {
                assert_eq!(hook.display_name(), name.rsplit('/').next().unwrap());
            }
        }
        let (config, _) = add(dir.path(), "f.js", "// hookshell: {\"matcher\": \"^bash$\", \"name\": \"js\"}\n");
        assert_eq!(
            (config.hooks()[0].matcher.pattern(), config.hooks()[0].display_name()),
            (Some("^bash$"), "js".into())
        );
    }

    #[test]
    fn a_python_file_with_a_register_is_a_module() {
        let dir = tempfile::tempdir().unwrap();
        let register = "def register(hooks):\n    pass\n";
        let cases = [
            ("a.py", format!("import re\n{register}"), "module", 16),
            ("h.py", "def register(hooks):\n    hooks.on_turn_start(f)\n".to_owned(), "module", 1),
            ("b.py", format!("# hookshell: {{\"event\": \"Stop\", \"timeout\": 5}}\nasync {register}"), "module", 1),
            ("Stop/c.py", register.to_owned(), "module", 1),
            ("d.py", format!("{}{register}", "# long\n".repeat(2000)), "module", 16),
            // What says by what it is run is a script, and so is what only has a method of that name.
            ("e.py", format!("#!/usr/bin/env python3\n{register}"), "command", 1),
            ("f.py", format!("class A:\n    {register}"), "command", 1),
            ("g.py", "def registered(hooks): pass\n".to_owned(), "command", 1),
        ];
        for (name, text, kind, count) in cases {
            let (config, errors) = add(dir.path(), name, &text);
            assert_eq!(errors, Vec::<String>::new(), "{name}");
            let hook = &config.hooks()[0];
            assert_eq!((hook.kind.as_str(), config.hooks().len()), (kind, count), "{name}");
            assert_eq!(hook.display_name(), name.rsplit('/').next().unwrap());
            if let crate::HookKind::Module(module) = &hook.kind {
                assert_eq!(module.module, name.split('/').fold(dir.path().to_owned(), |path, part| path.join(part)));
            }
        }
    }

    #[test]
    fn what_is_wrong_with_the_settings_has_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let cases = [
            ("a.sh", "#!/bin/sh\n\n# hookshell: {\"timeout\": \"5\"}\n", "FILE:3:"),
            ("a.sh", "# hookshell: {\"timeout\": }\n", "FILE:1:1: the settings are no JSON object: "),
            (
                "a.sh",
                "# hookshell: {\"command\": \"x\"}\n",
                "FILE:1:1: `command` cannot be set: the file is the command",
            ),
            (
                "a.sh",
                "# hookshell: {\"event\": []}\n",
                "FILE:1:1: `event` must be the name of an event, or a list of them",
            ),
            ("a.sh", "# hookshell: event=Stop\n", "FILE:1:1: the settings must be a JSON object: "),
            ("a.sh", "\n# hookshell: matcher: bash\n", "FILE:2:1: the settings must be a JSON object: "),
            ("a.md2", "text\n", "FILE:1:1: it is no hook: "),
        ];
        for (name, text, expected) in cases {
            let (config, errors) = add(dir.path(), name, text);
            assert_eq!((errors.len(), config.hooks().len()), (1, 0), "{text}: {errors:?}");
            assert!(errors[0].starts_with(expected), "{errors:?}");
        }
        // Prose, and what is for `check`.
        let (config, errors) = add(dir.path(), "p.sh", "# hookshell: runs this\n# hookshell: ignore=HS401\n");
        assert_eq!((errors.len(), config.hooks().len()), (0, 1));
        let (config, errors) = add(dir.path(), "w.sh", "\n# hookshell: {\"matchr\": \"x\"}\n");
        assert_eq!((errors.len(), config.warnings().len(), config.warnings()[0].place.line), (0, 1, 2));
        let (config, errors) = add(dir.path(), "e.sh", "# hookshell: {\"event\": \"PreTolUse\"}\n");
        assert_eq!((errors.len(), config.warnings().len(), config.hooks().len()), (0, 1, 0));
    }

    #[test]
    fn dirs_are_read_by_name() {
        let root = tempfile::tempdir().unwrap();
        let (user, project) = (root.path().join("config"), root.path().join("project"));
        let theirs = user.join("hookshell").join("hooks");
        let ours = project.join(".hookshell").join("hooks");
        std::fs::create_dir_all(theirs.join("Stop")).unwrap();
        std::fs::create_dir_all(ours.join("lib")).unwrap();
        for (dir, names) in [
            (
                &theirs,
                &["20-b.sh", "10-a.sh", "Stop/s.sh", "README.md", ".hidden.sh", "old.sh~", "a.hooktest.json"][..],
            ),
            (&ours, &["p.json", "lib/not.sh"]),
        ] {
            names.iter().for_each(|name| std::fs::write(dir.join(name), "").unwrap());
        }
        let found = discover_hook_files(&project, |name| {
            matches!(name, "XDG_CONFIG_HOME" | "LOCALAPPDATA").then(|| user.clone().into_os_string())
        });
        let found: Vec<_> = found
            .iter()
            .map(|file| {
                let dir = if file.origin == Origin::User { &theirs } else { &ours };
                file.path.strip_prefix(dir).unwrap().display().to_string().replace('\\', "/")
            })
            .collect();
        assert_eq!(found, ["10-a.sh", "20-b.sh", "Stop/s.sh", "p.json"]);
    }
}
