//! The files that a hook names, looked for.

use std::io;

use crate::context_files::{ContextFile, DroppedFile};
use crate::event::Event;

/// The files that a hook named, in order, and those that are dropped. A path is relative to the event's working directory.
/// What is no file, and what lies outside the project once its links are resolved, is dropped: a hook's output must not have
/// the agent read what the project does not hold.
pub(crate) fn resolve(paths: Vec<String>, event: &Event) -> (Vec<ContextFile>, Vec<DroppedFile>) {
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    if paths.is_empty() {
        return (kept, dropped);
    }
    let project = event.project_dir().canonicalize().map_err(|_| "there is no project directory".to_owned());
    let resolved = |path: &str| {
        let project = project.as_ref().map_err(Clone::clone)?;
        let resolved = event.cwd().join(path).canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "no such file".to_owned(),
            _ => error.to_string(),
        })?;
        // An escape first: whether there is such a file elsewhere is nothing to tell.
        if !resolved.starts_with(project) {
            return Err("it lies outside the project".to_owned());
        }
        if resolved.is_file() { Ok(resolved) } else { Err("it is no file".to_owned()) }
    };
    for path in paths.into_iter().filter(|path| !path.is_empty()) {
        match resolved(&path) {
            Ok(resolved) => kept.push(ContextFile { path, resolved }),
            Err(reason) => {
                let file = DroppedFile { path, reason };
                tracing::warn!("{file}");
                dropped.push(file);
            }
        }
    }
    (kept, dropped)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::resolve;
    use crate::context_files::{ContextFile, unique};
    use crate::event::Event;

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
        let event = Event::user_prompt_submit("p", project.join("docs")).with_project_dir(&project);
        let names =
            ["A.md", "../README.md", "./A.md", "none", "", "../../secret", "../link", "..", "../docs/../README.md"];
        let (files, dropped) = resolve(names.map(str::to_owned).to_vec(), &event);
        let paths = |files: &[ContextFile]| unique(files.iter()).into_iter().map(|file| file.path).collect::<Vec<_>>();
        assert_eq!(paths(&files), ["A.md", "../README.md"]);
        let absolute = project.join("README.md").to_string_lossy().into_owned();
        assert_eq!(paths(&resolve(vec![absolute.clone()], &event).0), [absolute]);
        let dropped: Vec<_> = dropped.iter().map(ToString::to_string).collect();
        let link = if cfg!(unix) { "it lies outside the project" } else { "no such file" };
        let expected = [
            "context file `none` dropped: no such file".to_owned(),
            "context file `../../secret` dropped: it lies outside the project".to_owned(),
            format!("context file `../link` dropped: {link}"),
            "context file `..` dropped: it is no file".to_owned(),
        ];
        assert_eq!(dropped, expected);
    }
}
