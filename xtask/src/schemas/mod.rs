//! `cargo xtask schemas`: the files that are made from others: JSON schemas and parts of pages from Rust types, and copies.

mod config;
mod event;
mod events;
mod fixture;
mod log;
mod shape;

use std::fs;
use std::path::Path;

use crate::counts::TestCounts;
use crate::error::Error;
use crate::workspace::Workspace;

/// A schema, its file below `schemas/`, and what makes it. Another schema is a row here.
const SCHEMAS: &[(&str, MakeSchema)] = &[
    ("config.json", config::schema),
    ("event.json", event::schema),
    ("fixture.json", fixture::schema),
    ("log.json", log::schema),
    ("serve.json", hookshell_serve::schema::schema),
    ("verdict.json", verdict),
];

/// A verdict is a part of the protocol too.
fn verdict() -> serde_json::Value {
    shape::of::<hookshell_serve::protocol::Verdict>()
}

/// What makes a schema.
type MakeSchema = fn() -> serde_json::Value;

/// What makes a page's parts: the name of each, and its text.
type PageParts = fn() -> Vec<(&'static str, String)>;

/// A page below `docs/`, with parts that are made: each stands between `<!-- made: NAME -->` and `<!-- end: NAME -->`.
const PAGES: &[(&str, PageParts)] = &[("serve.md", hookshell_serve::schema::page_parts)];

/// Files that a crate needs and that are at home elsewhere: what is published of a crate is its own directory. The file, and its
/// copy.
const COPIES: &[(&str, &str)] = &[
    ("sdk/python/hookshell/__init__.py", "crates/runner/src/module/python/__init__.py"),
    ("sdk/python/hookshell/_host.py", "crates/runner/src/module/python/_host.py"),
];

/// Runs the command.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    match arguments {
        [] => write(workspace),
        [option] if option == "--check" => check(workspace, &mut TestCounts::default()),
        other => Err(Error::Usage(format!("schemas takes only --check, found {other:?}"))),
    }
}

/// The step of CI: what is committed is what would be made.
pub(crate) fn check(workspace: &Workspace, _: &mut TestCounts) -> Result<(), Error> {
    let mut old = Vec::new();
    for (path, text) in made(workspace)? {
        // Git may have written the line ends of the system.
        let committed = fs::read_to_string(workspace.root().join(&path)).unwrap_or_default().replace("\r\n", "\n");
        if committed != text {
            old.push(path);
        }
    }
    if old.is_empty() {
        return Ok(());
    }
    Err(Error::Unexpected(format!("not up to date: {}; run `cargo xtask schemas` and commit them", old.join(", "))))
}

fn write(workspace: &Workspace) -> Result<(), Error> {
    for (path, text) in made(workspace)? {
        let file = workspace.root().join(&path);
        if let Some(directory) = file.parent() {
            fs::create_dir_all(directory).map_err(|source| failed(directory, source))?;
        }
        fs::write(&file, text).map_err(|source| failed(&file, source))?;
        println!("{path}");
    }
    Ok(())
}

/// Every file, by its path below the root, with what it should be.
fn made(workspace: &Workspace) -> Result<Vec<(String, String)>, Error> {
    let mut files = Vec::new();
    for (name, schema) in SCHEMAS {
        let text = serde_json::to_string_pretty(&schema()).map_err(|error| Error::Unexpected(error.to_string()))?;
        files.push((format!("schemas/{name}"), text + "\n"));
    }
    for (name, parts) in PAGES {
        let path = format!("docs/{name}");
        let file = workspace.root().join(&path);
        let page = fs::read_to_string(&file).map_err(|source| failed(&file, source))?.replace("\r\n", "\n");
        files.push((path, with_parts(page, &parts())?));
    }
    for (from, to) in COPIES {
        let file = workspace.root().join(from);
        let text = fs::read_to_string(&file).map_err(|source| failed(&file, source))?.replace("\r\n", "\n");
        files.push(((*to).to_owned(), text));
    }
    Ok(files)
}

/// A page with its parts in their places.
fn with_parts(mut page: String, parts: &[(&str, String)]) -> Result<String, Error> {
    for (name, text) in parts {
        let (begin, end) = (format!("<!-- made: {name} -->\n"), format!("<!-- end: {name} -->"));
        let missing = || Error::Unexpected(format!("the page has no {}…{end}", begin.trim_end()));
        let (before, rest) = page.split_once(&begin).ok_or_else(missing)?;
        let (_, after) = rest.split_once(&end).ok_or_else(missing)?;
        page = format!("{before}{begin}\n{text}\n{end}{after}");
    }
    Ok(page)
}

fn failed(path: &Path, source: std::io::Error) -> Error {
    Error::File { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::with_parts;

    #[test]
    fn a_part_stands_between_its_marks() {
        let page = "a\n<!-- made: x -->\nold\n<!-- end: x -->\nb\n".to_owned();
        let made = with_parts(page, &[("x", "new\n".to_owned())]).unwrap();
        assert_eq!(made, "a\n<!-- made: x -->\n\nnew\n\n<!-- end: x -->\nb\n");
        assert_eq!(with_parts(made.clone(), &[("x", "new\n".to_owned())]).unwrap(), made);
        assert!(with_parts(made, &[("y", String::new())]).is_err());
    }
}
