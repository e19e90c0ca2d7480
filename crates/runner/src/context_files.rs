//! Files that hooks refer the agent to.

use std::path::PathBuf;

use crate::event::HookEvent;

/// A file that a hook refers the agent to: it is named to the agent, never read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextFile {
    /// The path as the hook gave it.
    pub path: String,
    /// Where it leads, all links resolved.
    pub resolved: PathBuf,
}

/// The files that a hook named, in order. A path is relative to the event's working directory. What is no file, and what
/// lies outside the project once its links are resolved, is dropped: a hook's output must not have the agent read what
/// the project does not hold.
pub(crate) fn resolve(paths: Vec<String>, event: &HookEvent) -> Vec<ContextFile> {
    if paths.is_empty() {
        return Vec::new();
    }
    let project = match event.project_dir().canonicalize() {
        Ok(project) => project,
        Err(error) => {
            tracing::warn!(project = %event.project_dir().display(), %error, "context_files dropped: no project folder");
            return Vec::new();
        }
    };
    let keep = |path: String| {
        let resolved = match event.cwd().join(&path).canonicalize() {
            Ok(resolved) if resolved.is_file() => resolved,
            Ok(_) => {
                tracing::debug!(path, "context file dropped: it is no file");
                return None;
            }
            Err(error) => {
                tracing::debug!(path, %error, "context file dropped");
                return None;
            }
        };
        if !resolved.starts_with(&project) {
            tracing::warn!(path, "context file dropped: it lies outside the project");
            return None;
        }
        Some(ContextFile { path, resolved })
    };
    paths.into_iter().filter(|path| !path.is_empty()).filter_map(keep).collect()
}

/// The paths of all hooks' files in order, each file once.
pub(crate) fn unique<'r>(files: impl Iterator<Item = &'r ContextFile>) -> Vec<String> {
    let mut seen: Vec<&ContextFile> = Vec::new();
    for file in files {
        if !seen.iter().any(|other| other.resolved == file.resolved) {
            seen.push(file);
        }
    }
    seen.into_iter().map(|file| file.path.clone()).collect()
}

/// What the agent is told of the files.
pub(crate) fn note(paths: &[String]) -> Option<String> {
    if paths.is_empty() {
        return None;
    }
    let lines: String = paths.iter().map(|path| format!("\n- {path}")).collect();
    Some(format!("## Referenced files{lines}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{note, resolve, unique};
    use crate::event::HookEvent;

    #[test]
    fn files_of_the_project_are_kept_in_order_and_once() {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().join("project");
        fs::create_dir_all(project.join("docs")).unwrap();
        fs::write(project.join("README.md"), "x").unwrap();
        fs::write(project.join("docs/A.md"), "x").unwrap();
        fs::write(root.path().join("secret"), "x").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path().join("secret"), project.join("link")).unwrap();
        let event = HookEvent::user_prompt_submit("p", project.join("docs")).with_project_dir(&project);
        let names =
            ["A.md", "../README.md", "./A.md", "none", "", "../../secret", "../link", "..", "../docs/../README.md"];
        let files = resolve(names.map(str::to_owned).to_vec(), &event);
        assert_eq!(unique(files.iter()), ["A.md", "../README.md"]);
        let absolute = project.join("README.md").to_string_lossy().into_owned();
        assert_eq!(unique(resolve(vec![absolute.clone()], &event).iter()), [absolute]);
    }

    #[test]
    fn the_note_lists_the_paths() {
        assert_eq!(note(&[]), None);
        let paths = ["README.md".to_owned(), "docs/ARCHITECTURE.md".to_owned()];
        assert_eq!(note(&paths).as_deref(), Some("## Referenced files\n- README.md\n- docs/ARCHITECTURE.md"));
    }
}
