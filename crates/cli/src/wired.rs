//! Configs that `hookshell run` is given by a line of an agent's config, as `hookshell install` writes it.

use std::path::{Path, PathBuf};

use hookshell_runner::{Dialect, FoundFile, HookSource, Origin};

/// A config that was named, and the project that it is of, if it is of one.
struct Named {
    file: FoundFile,
    project: Option<PathBuf>,
}

/// Finds the configs that were named, and gives the project that one of them is of.
pub(crate) fn resolve(files: &mut [HookSource], starts: &[PathBuf], is_hook: bool) -> Option<PathBuf> {
    let mut project = None;
    for source in files.iter_mut().filter(|source| source.file.origin == Origin::Given && !source.is_hook) {
        let Named { file, project: of_file } = named(&source.file.path, starts, is_hook);
        source.file = file;
        project = project.or(of_file);
    }
    project
}

/// The file that `--config` names. `starts` are the directories in and above which a relative path is looked for where it is not
/// in the working directory: an agent may have gone to a directory below its project. `is_hook`: an agent waits for the verdict.
fn named(path: &Path, starts: &[PathBuf], is_hook: bool) -> Named {
    let given = |path: PathBuf| Named { file: FoundFile { path, origin: Origin::Given }, project: None };
    // A shell of Unix has put the home directory in already; cmd and PowerShell have not.
    if let Some(rest) = path.to_str().and_then(|path| path.strip_prefix("~/").or_else(|| path.strip_prefix("~\\")))
        && !path.exists()
        && let Some(home) = home()
    {
        return given(home.join(rest));
    }
    if !is_hook || path.is_absolute() {
        return given(path.to_owned());
    }
    let found = starts.iter().flat_map(|start| start.ancestors()).find(|directory| directory.join(path).is_file());
    let Some(root) = found else { return given(path.to_owned()) };
    let file = root.join(path);
    // What an agent's own trust covers is the line, and not what the file has that it names.
    if is_side(&file) {
        return Named { file: FoundFile { path: file, origin: Origin::Project }, project: Some(root.to_owned()) };
    }
    given(file)
}

/// Is it a file that `hookshell install` moves hooks to?
pub(crate) fn is_side(file: &Path) -> bool {
    file.parent().and_then(Path::file_name).is_some_and(|name| name == Dialect::SIDE_DIRECTORY)
}

/// The user's home directory.
fn home() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let profile = if cfg!(windows) { variable("USERPROFILE") } else { None };
    profile.or_else(|| variable("HOME"))
}
