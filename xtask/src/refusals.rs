//! `cargo xtask refusals`: what the bundled utilities leave to the real programs, and why.
//!
//! `xtask/refusals.txt` declares each refusal with its reason. The sources are searched for all places that make one, so that none
//! is there without a row, and no row without a place. `docs/refusals.md` is written from the table.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::workspace::Workspace;

const TABLE: &str = "xtask/refusals.txt";
const PAGE: &str = "docs/refusals.md";

/// The crates that have utilities, and what these are made of.
const CRATES: [&str; 8] = ["awk", "coreutils", "files", "grep", "jq", "regex", "sed", "utility"];

/// How a refusal is made: what stands before its text. A call that the real program would call wrong as well
/// (`Unsupported::mistake`) is none, nor is an option that does not exist.
const MAKERS: [&str; 2] = ["Unsupported::new(", "::Unsupported("];

/// In these crates' parsers a text alone becomes a refusal.
const FROM_TEXT: [(&str, &[&str]); 2] =
    [("jq", &["lex", "parse", "resolve", "linker"]), ("awk", &["parser", "compile", "lexer"])];

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    utility: String,
    /// What follows `NAME: hookshell's own NAME does not support `; `{}` stands for a part of the call.
    what: String,
    reason: String,
}

/// Runs the command: prints the list; `--check`: an error where the table, the sources and the page differ; `--write`: the page.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let rows = table(workspace.root())?;
    match arguments {
        [] => {
            for row in &rows {
                println!("{}: {} ({})", row.utility, row.what, row.reason);
            }
            println!("{} refusals", rows.len());
            Ok(())
        }
        [option] if option == "--check" => check(workspace.root(), &rows),
        [option] if option == "--write" => {
            let path = workspace.root().join(PAGE);
            std::fs::write(&path, page(&rows)).map_err(|source| Error::File { path, source })
        }
        other => Err(Error::Usage(format!("refusals takes --check or --write, found {other:?}"))),
    }
}

fn table(root: &Path) -> Result<Vec<Row>, Error> {
    let path = root.join(TABLE);
    let text = std::fs::read_to_string(&path).map_err(|source| Error::File { path: path.clone(), source })?;
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty()) {
        match line.split('\t').collect::<Vec<_>>()[..] {
            [utility, what, reason] if !reason.trim().is_empty() => {
                rows.push(Row { utility: utility.to_owned(), what: what.to_owned(), reason: reason.to_owned() })
            }
            _ => {
                return Err(Error::Malformed {
                    path,
                    line: index + 1,
                    expected: "utility, what and reason, tabs between",
                });
            }
        }
    }
    Ok(rows)
}

fn check(root: &Path, rows: &[Row]) -> Result<(), Error> {
    let declared: BTreeSet<(&str, &str)> = rows.iter().map(|row| (&*row.utility, &*row.what)).collect();
    let found = found(root)?;
    let made: BTreeSet<(&str, &str)> = found.iter().map(|(utility, what)| (&**utility, &**what)).collect();
    let mut wrong = String::new();
    for (utility, what) in made.difference(&declared) {
        let _ = writeln!(wrong, "not in {TABLE}: {utility}\t{what}\tREASON");
    }
    for (utility, what) in declared.difference(&made) {
        let _ = writeln!(wrong, "in {TABLE}, but nothing refuses it: {utility}\t{what}");
    }
    let path = root.join(PAGE);
    let written = std::fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
    if written != page(rows) {
        let _ = writeln!(wrong, "{PAGE} is not what the table says: cargo xtask refusals --write");
    }
    if wrong.is_empty() { Ok(()) } else { Err(Error::Unexpected(wrong)) }
}

/// The page for users.
fn page(rows: &[Row]) -> String {
    let mut page = "# What bundled utilities refuse\n\n\
        <!-- Written by `cargo xtask refusals --write` from xtask/refusals.txt. -->\n\n\
        A bundled utility that would not do a call exactly as the real program does refuses it before it reads any input\n\
        ([utilities.md](utilities.md)). Where the program is on `PATH`, that one runs. These are all refusals that there are. `{}` stands for a part of the call.\n\n\
        | utility | what it does not support | reason |\n| --- | --- | --- |\n"
        .to_owned();
    for row in rows {
        let cell = |text: &str| text.replace('|', "\\|").replace('<', "&lt;");
        let _ = writeln!(page, "| `{}` | {} | {} |", row.utility, cell(&row.what), cell(&row.reason));
    }
    page
}

/// All places in the sources that make a refusal of a text of their own: utility and text.
fn found(root: &Path) -> Result<BTreeSet<(String, String)>, Error> {
    let mut found = BTreeSet::new();
    for name in CRATES {
        let directory = root.join("crates").join(name).join("src");
        let mut files = Vec::new();
        collect(&directory, &mut files)?;
        for path in files {
            let source = std::fs::read_to_string(&path).map_err(|source| Error::File { path: path.clone(), source })?;
            let inner = path.strip_prefix(&directory).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let utility = utility(name, &inner);
            for text in texts(&source, &MAKERS) {
                found.insert((utility.clone(), text));
            }
            if FROM_TEXT.iter().any(|(own, files)| *own == name && files.iter().any(|file| inner.starts_with(file))) {
                for text in texts(&source, &["Err("]).into_iter().filter(|text| is_refused(&source, text)) {
                    found.insert((utility.clone(), text));
                }
            }
        }
    }
    Ok(found)
}

/// Does `.into()` make a refusal of this text?
fn is_refused(source: &str, text: &str) -> bool {
    let quoted = format!("\"{text}\"");
    source.split(&quoted).skip(1).any(|rest| {
        let rest = rest.split(';').next().unwrap_or_default();
        rest.starts_with(".into()") || rest.starts_with(".to_owned().into()") || rest.contains(").into()")
    })
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failed = |source| Error::File { path: directory.to_owned(), source };
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Whose a file is, by its path below `src`.
fn utility(package: &str, path: &str) -> String {
    if package == "regex" {
        return if path.starts_with("oniguruma") { "jq" } else { "regular expressions" }.to_owned();
    }
    if package != "coreutils" {
        return package.to_owned();
    }
    let mut parts = path.trim_end_matches(".rs").split('/');
    let first = parts.next().unwrap_or_default();
    let name = if matches!(first, "files" | "system" | "text") { parts.next().unwrap_or(first) } else { first };
    match name {
        "count" | "follow" => "tail",
        "sums" => "sha256sum",
        "split_string" => "env",
        "tree_view" => "tree",
        "tr_sets" => "tr",
        name => name,
    }
    .to_owned()
}

/// The texts that stand after `makers`, outside of the file's tests.
fn texts(source: &str, makers: &[&str]) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut texts = Vec::new();
    for maker in makers {
        for rest in source.split(maker).skip(1) {
            let rest = rest.trim_start();
            let rest = rest.strip_prefix("format!(").map_or(rest, str::trim_start);
            if let Some(text) = rest.strip_prefix('"').and_then(literal) {
                texts.push(text);
            }
        }
    }
    texts
}

/// A string literal after its opening quote; names in braces are left out.
fn literal(rest: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' => text.push(chars.next()?),
            '{' => {
                let inner: String = chars.by_ref().take_while(|c| *c != '}').collect();
                // `{{}}` is written for `{}`.
                if inner.starts_with('{') {
                    let _ = chars.next();
                }
                text.push_str("{}");
            }
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_refusal_is_undeclared_and_none_is_stale() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let rows = table(&root).unwrap();
        assert!(rows.len() > 80, "{}", rows.len());
        if let Err(error) = check(&root, &rows) {
            panic!("{error}");
        }
    }

    #[test]
    fn texts_are_found_after_what_makes_refusals() {
        let source = "Unsupported::new(\"a {name} b\"); Err(Wrong::Unsupported(format!(\n    \"the \\\"x\\\" {}\", y)));\n\
                      Unsupported::mistake(\"no\"); Unsupported::new(what);\n#[cfg(test)]\nmod tests {\nUnsupported::new(\"t\")";
        assert_eq!(texts(source, &MAKERS), ["a {} b", "the \"x\" {}"]);
    }

    #[test]
    fn files_belong_to_utilities() {
        for (package, path, expected) in [
            ("coreutils", "files/ls/options.rs", "ls"),
            ("coreutils", "text/tr_sets.rs", "tr"),
            ("coreutils", "date/mod.rs", "date"),
            ("jq", "parse/term.rs", "jq"),
            ("regex", "oniguruma/parse/escape.rs", "jq"),
        ] {
            assert_eq!(utility(package, path), expected, "{path}");
        }
    }
}
