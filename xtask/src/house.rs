//! `cargo xtask house`: which crate uses which, which top-level module of a crate uses which, and that modules use each other in no
//! circle. Also that ARCHITECTURE.md's table of rooms says of each crate what it uses, and that the file of a module that has modules
//! of its own is `mod.rs` in its directory.
//!
//! Crates come from `cargo metadata`, modules from the paths in the sources (`crate::…`, `super::…`). An item that the crate's root
//! re-exports is the module's that it comes from; the root's own items are those of a module `crate`. Tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::Error;
use crate::workspace::Workspace;

/// The page with the table of rooms.
const PAGE: &str = "ARCHITECTURE.md";

/// Who uses whom.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Prints the arrows of the workspace.
///
/// # Errors
/// There is a circle. The table of rooms says otherwise. A module's file stands beside its directory.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    let crates = crates(workspace)?;
    println!("crates");
    for (name, krate) in &crates {
        println!("  {name} -> {}", list(krate.uses.iter()));
    }
    let mut faults = Vec::new();
    for (name, krate) in &crates {
        let mut sources = Vec::new();
        read(&krate.directory.join("src"), &mut Vec::new(), &mut sources)?;
        let arrows = arrows(&sources);
        println!("\n{name}");
        for (module, uses) in &arrows {
            println!("  {module} -> {}", list(uses.iter()));
        }
        for circle in circles(&arrows) {
            let circle = list(circle.iter());
            println!("  circle: {circle}");
            faults.push(format!("{name}: these modules stand in a circle, break it: {circle}"));
        }
    }
    let path = workspace.root().join(PAGE);
    let page = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
    faults.extend(untrue(&rooms(&page), &arrows_of_rooms(&crates, &workspace.root().join("crates"))));
    for krate in crates.values() {
        let mut files = Vec::new();
        rust_files(&krate.directory, &mut files)?;
        faults.extend(misplaced(&files));
        for file in &files {
            let text = fs::read_to_string(file).map_err(|source| Error::File { path: file.clone(), source })?;
            faults.extend(test_elsewhere(&text).map(|line| {
                format!("{}:{line}: unit tests stand where `mod tests;` finds them: take #[path] out", file.display())
            }));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Error::Unexpected(faults.join("\n"))) }
}

/// A crate of the workspace.
struct Krate {
    uses: BTreeSet<String>,
    directory: PathBuf,
}

fn crates(workspace: &Workspace) -> Result<BTreeMap<String, Krate>, Error> {
    let mut command = workspace.cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let output = command.output().map_err(|source| Error::Start { program: "cargo metadata".to_owned(), source })?;
    if !output.status.success() {
        return Err(Error::Failed { command: "cargo metadata".to_owned(), status: output.status });
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| Error::Unexpected(format!("cargo metadata gave no JSON: {error}")))?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    let names: BTreeSet<String> = packages.iter().map(name).collect();
    let mut crates = BTreeMap::new();
    for package in packages {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let Some(directory) = manifest.parent().filter(|directory| directory.join("src").is_dir()) else { continue };
        let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
        let normal = dependencies.iter().filter(|dependency| dependency["kind"].is_null()).map(name);
        let uses = normal.filter(|used| names.contains(used)).collect();
        crates.insert(name(package), Krate { uses, directory: directory.to_owned() });
    }
    Ok(crates)
}

/// The arrows between the crates in a directory, by the names of their own.
fn arrows_of_rooms(crates: &BTreeMap<String, Krate>, directory: &Path) -> Arrows {
    let room = |krate: &Krate| {
        let name = krate.directory.file_name().filter(|_| krate.directory.parent() == Some(directory))?;
        Some(name.to_string_lossy().into_owned())
    };
    let uses = |krate: &Krate| krate.uses.iter().filter_map(|used| room(crates.get(used)?)).collect();
    crates.values().filter_map(|krate| Some((room(krate)?, uses(krate)))).collect()
}

/// What a table of rooms says: rows of a directory `crates/NAME`, whose last cell has the rooms that it uses.
fn rooms(page: &str) -> Arrows {
    let row = |line: &str| {
        let (name, cells) = line.strip_prefix("| `crates/")?.split_once('`')?;
        let (_, uses) = cells.trim_end().strip_suffix('|')?.rsplit_once('|')?;
        let uses = uses.split(',').map(str::trim).filter(|used| *used != "–");
        Some((name.to_owned(), uses.map(str::to_owned).collect()))
    };
    page.lines().filter_map(row).collect()
}

/// What is not as a table of rooms says.
fn untrue(said: &Arrows, found: &Arrows) -> Vec<String> {
    let names: BTreeSet<&String> = said.keys().chain(found.keys()).collect();
    let fault = |name: &String| match (said.get(name), found.get(name)) {
        (Some(said), Some(found)) if said == found => None,
        (Some(said), Some(found)) => {
            Some(format!("{PAGE}: crates/{name} uses {}, and not {}", list(found.iter()), list(said.iter())))
        }
        (None, _) => Some(format!("{PAGE}: crates/{name} has no row in the table of rooms")),
        (_, None) => Some(format!("{PAGE}: there is no crates/{name}")),
    };
    names.into_iter().filter_map(fault).collect()
}

/// A file of a crate: the path of its module, and its text.
type Source = (Vec<String>, String);

fn read(directory: &Path, module: &mut Vec<String>, sources: &mut Vec<Source>) -> Result<(), Error> {
    for path in entries(directory)? {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if stem == "tests" || stem.ends_with("_tests") || stem == "bin" && module.is_empty() {
            continue;
        }
        let is_own = stem == "mod" || module.is_empty() && matches!(&*stem, "lib" | "main");
        if !is_own {
            module.push(stem);
        }
        if path.is_dir() {
            read(&path, module, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).map_err(|source| Error::File { path: path.clone(), source })?;
            sources.push((module.clone(), text));
        }
        if !is_own {
            module.pop();
        }
    }
    Ok(())
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let error = |source| Error::File { path: directory.to_path_buf(), source };
    let entries = fs::read_dir(directory).map_err(error)?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(error)?;
    paths.sort();
    Ok(paths)
}

/// Adds the Rust sources below a directory.
fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    for path in entries(directory)? {
        if path.is_dir() {
            if !path.ends_with("target") {
                rust_files(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// What is wrong with the names of files: `NAME.rs` beside a directory `NAME` that has sources.
fn misplaced(files: &[PathBuf]) -> Vec<String> {
    let directories: BTreeSet<&Path> = files.iter().flat_map(|file| file.ancestors().skip(1)).collect();
    let own = files.iter().map(|file| (file, file.with_extension("")));
    let wrong = own.filter(|(_, own)| directories.contains(own.as_path()));
    wrong.map(|(file, own)| format!("{}: move it to {}", file.display(), own.join("mod.rs").display())).collect()
}

/// The line of a `#[path]` that says where a module of unit tests stands.
fn test_elsewhere(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let names_tests = |line: &str| {
        let name = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
        name.is_some_and(|name| name == "tests" || name.ends_with("_tests"))
    };
    let is_path = |at: &usize| lines.get(*at).is_some_and(|line| line.starts_with("#[path"));
    let of_module =
        |at: usize| lines.iter().skip(at).find(|line| !line.starts_with("#[")).is_some_and(|line| names_tests(line));
    (0..lines.len()).find(|at| is_path(at) && of_module(*at)).map(|at| at + 1)
}

/// The module that the root's own items stand in.
const ROOT: &str = "crate";

/// The arrows between the top-level modules of a crate.
fn arrows(sources: &[Source]) -> Arrows {
    let mut arrows: Arrows =
        sources.iter().filter_map(|(module, _)| Some((module.first()?.clone(), BTreeSet::new()))).collect();
    let root = Root::new(arrows.keys().cloned().collect(), sources);
    for (module, text) in sources {
        let Some(top) = module.first() else { continue };
        let text = code(text);
        let mut used: Vec<String> = after(&text, "crate::").into_iter().flat_map(names).collect();
        // So many `super` as the module is deep lead to the root.
        let to_root = "super::".repeat(module.len());
        used.extend(after(&text, &to_root).into_iter().flat_map(names));
        let uses = arrows.entry(top.clone()).or_default();
        uses.extend(used.iter().flat_map(|name| root.modules_of(name)).filter(|name| name != top));
    }
    if arrows.values().any(|uses| uses.contains(ROOT)) {
        arrows.insert(ROOT.to_owned(), root.uses);
    }
    arrows
}

/// What the root of a crate (`lib.rs`, `main.rs`) says.
struct Root {
    modules: BTreeSet<String>,
    /// The names that it takes out of modules, and these. A name may be another module's on another system.
    taken: Arrows,
    /// What it defines itself.
    own: BTreeSet<String>,
    /// The modules that its own items use.
    uses: BTreeSet<String>,
}

impl Root {
    fn new(modules: BTreeSet<String>, sources: &[Source]) -> Self {
        let mut root = Self { modules, taken: Arrows::new(), own: BTreeSet::new(), uses: BTreeSet::new() };
        let texts: Vec<String> =
            sources.iter().filter(|(module, _)| module.is_empty()).map(|(_, text)| code(text)).collect();
        for (name, path) in texts.iter().flat_map(|text| uses(text)) {
            root.taken.entry(name).or_default().extend(path.first().cloned());
        }
        for text in &texts {
            root.own.extend(DEFINING.iter().flat_map(|word| after(text, word)).flat_map(names));
        }
        let used: Vec<String> = texts.iter().flat_map(|text| beginnings(text)).collect();
        root.uses = used.iter().flat_map(|name| root.modules_of(name)).filter(|name| name != ROOT).collect();
        root
    }

    /// The modules in which a name of the root is defined.
    fn modules_of(&self, name: &str) -> BTreeSet<String> {
        let (mut found, mut seen, mut next) = (BTreeSet::new(), BTreeSet::new(), vec![name.to_owned()]);
        while let Some(name) = next.pop() {
            if self.modules.contains(&name) {
                found.insert(name);
            } else if let Some(from) = self.taken.get(&name).filter(|_| seen.insert(name.clone())) {
                next.extend(from.iter().cloned());
            } else if self.own.contains(&name) {
                found.insert(ROOT.to_owned());
            }
        }
        found
    }
}

/// What stands before the name of an item.
const DEFINING: [&str; 8] = ["fn ", "struct ", "enum ", "trait ", "type ", "const ", "static ", "macro_rules! "];

/// The names that `use` brings into a module, each with its path, without `crate` and `self` at the path's beginning.
fn uses(text: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for tree in after(text, "use ") {
        let tree = tree.split(';').next().unwrap_or_default();
        flatten(tree, &[], &mut found);
    }
    found
}

/// The leaves of a tree of `use`.
fn flatten(tree: &str, before: &[String], found: &mut Vec<(String, Vec<String>)>) {
    let tree = tree.trim();
    let (path, group) = tree.split_once('{').map_or((tree, None), |(path, group)| (path, Some(group)));
    let (path, alias) = path.split_once(" as ").map_or((path, None), |(path, alias)| (path, Some(alias.trim())));
    let mut whole = before.to_vec();
    let parts = path.split("::").map(str::trim).filter(|part| !matches!(*part, "" | "crate" | "self"));
    whole.extend(parts.map(str::to_owned));
    match (group, whole.last()) {
        (Some(group), _) => items(group).iter().for_each(|item| flatten(item, &whole, found)),
        (None, Some(last)) => found.push((alias.unwrap_or(last).to_owned(), whole)),
        (None, None) => {}
    }
}

/// The first names of all paths in a text, those of `use` left out.
fn beginnings(text: &str) -> Vec<String> {
    let mut rest = text.to_owned();
    for tree in after(text, "use ") {
        let tree = tree.split(';').next().unwrap_or_default();
        rest = rest.replacen(tree, "", 1);
    }
    let name = |before: &str| {
        let from = before.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
        before.get(from..).unwrap_or_default().to_owned()
    };
    let paths = rest.match_indices("::").filter_map(|(at, _)| rest.get(..at)).map(name);
    paths.filter(|name| !name.is_empty()).collect()
}

/// A source without comments and without what stands after its first `#[cfg(test)]` before a module.
fn code(text: &str) -> String {
    let is_module = |at: usize| {
        let next = text.get(at..).unwrap_or_default().lines().nth(1).unwrap_or_default();
        next.contains("mod ") && next.ends_with('{')
    };
    let end = text.match_indices("#[cfg(test)]\n").map(|(at, _)| at).find(|at| is_module(*at));
    let lines = text.get(..end.unwrap_or(text.len())).unwrap_or_default().lines();
    let lines = lines.map(|line| line.find("//").map_or(line, |at| line.get(..at).unwrap_or_default()));
    lines.collect::<Vec<_>>().join("\n")
}

/// What stands after each `prefix` that is the beginning of a path.
fn after<'t>(text: &'t str, prefix: &str) -> Vec<&'t str> {
    let begins = |at: usize| {
        let before = text.get(..at).unwrap_or_default().chars().next_back();
        before.is_none_or(|before| !(before.is_alphanumeric() || matches!(before, '_' | ':' | '$')))
    };
    let places = text.match_indices(prefix).filter(|(at, _)| begins(*at));
    places.filter_map(|(at, found)| text.get(at + found.len()..)).collect()
}

/// The first names of a path: one, or those in braces.
fn names(path: &str) -> Vec<String> {
    let name = |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    match path.strip_prefix('{') {
        Some(group) => items(group).iter().map(|item| name(item)).collect(),
        None => vec![name(path)],
    }
}

/// What stands between commas up to the brace that ends the group.
fn items(group: &str) -> Vec<String> {
    let (mut depth, mut items, mut item) = (0_usize, Vec::new(), String::new());
    for c in group.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => items.push(std::mem::take(&mut item)),
            _ => {
                depth = if c == '{' {
                    depth + 1
                } else if c == '}' {
                    depth - 1
                } else {
                    depth
                };
                item.push(c);
            }
        }
    }
    items.push(item);
    items
}

/// The groups of modules of which each leads to every other.
fn circles(arrows: &Arrows) -> Vec<BTreeSet<String>> {
    let reached = |from: &String| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            for used in arrows.get(module).into_iter().flatten() {
                if seen.insert(used.clone()) {
                    next.push(used);
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&String, BTreeSet<String>> = arrows.keys().map(|module| (module, reached(module))).collect();
    let mut circles = BTreeSet::new();
    for (module, seen) in &reach {
        if seen.contains(*module) {
            let back = seen.iter().filter(|other| reach.get(other).is_some_and(|seen| seen.contains(*module)));
            circles.insert(back.cloned().collect::<BTreeSet<_>>());
        }
    }
    circles.into_iter().collect()
}

fn list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Source, arrows, circles, list, misplaced, rooms, test_elsewhere, untrue};

    fn source(module: &str, text: &str) -> Source {
        (module.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect(), text.to_owned())
    }

    #[test]
    fn unit_tests_stand_beside_their_module() {
        assert_eq!(test_elsewhere("#[cfg(test)]\nmod tests;\n#[path = \"absent.rs\"]\nmod export;\n"), None);
        assert_eq!(test_elsewhere("\n#[cfg(test)]\n#[path = \"x/tests.rs\"]\nmod tests;\n"), Some(3));
        assert_eq!(test_elsewhere("#[path = \"x.rs\"]\n#[cfg(test)]\nmod schema_tests;\n"), Some(1));
    }

    #[test]
    fn a_circle_is_found_through_every_kind_of_path() {
        let crate_with_a_circle = [
            source("", "mod a; mod b; mod c; mod d; mod e;"),
            source("a", "use crate::{\n    b::{One, d},\n};\n// crate::e\nfn f() { my_crate::e(); }"),
            source("b::deep", "fn f() { super::super::c::run(); super::e(); }"),
            source("c", "use super::a::Two;\nuse crate::d;"),
            source("d", "#[cfg(test)]\nuse c::x;\n#[cfg(test)]\npub(super) mod testing {\nuse crate::a; }"),
            source("e", "use crate::d;"),
        ];
        let arrows = arrows(&crate_with_a_circle);
        let uses = |module: &str| list(arrows[module].iter());
        assert_eq!([uses("a"), uses("b"), uses("c"), uses("d"), uses("e")], ["b", "c", "a d", "", "d"]);
        let circles: Vec<_> = circles(&arrows).iter().map(|circle| list(circle.iter())).collect();
        assert_eq!(circles, ["a b c"]);
    }

    #[test]
    fn what_the_root_hands_on_is_the_modules_that_it_comes_from() {
        let root = "mod a; mod b; mod c; mod unix; mod windows;\n#[cfg(unix)]\nuse unix as platform;\n\
            #[cfg(windows)]\nuse windows as platform;\n// pub use c::Commented;\n\
            pub use a::{One, deep::{Two as Second, self}};\npub use self::b::Three;\npub(crate) use crate::platform::call;\n\
            pub fn own() { c::run(b::Three::new()) }\npub struct Plain;\n";
        let with_root = [
            source("", root),
            source("a", "use crate::Three;\nuse crate::platform::Deep;"),
            source("b", "use crate::{Second, own};"),
            source("c", "fn f(_: crate::One) { super::call() }"),
            source("unix", "use crate::deep::x; fn f(_: super::Commented) {}"),
            source("windows", "use super::Plain;"),
        ];
        let arrows = arrows(&with_root);
        let uses = |module: &str| list(arrows[module].iter());
        assert_eq!([uses("a"), uses("b"), uses("c")], ["b unix windows", "a crate", "a unix windows"]);
        assert_eq!([uses("unix"), uses("windows"), uses("crate")], ["a", "crate", "b c"]);
    }

    #[test]
    fn the_table_of_rooms_is_compared() {
        let page =
            "| directory | uses |\n| `crates/a` | `x | y`, first | – |\n| `crates/b` | | a, c |\n| `tests` | | all |\n";
        let said = rooms(page);
        assert_eq!(
            (list(said.keys()), list(said["a"].iter()), list(said["b"].iter())),
            ("a b".to_owned(), String::new(), "a c".to_owned())
        );
        assert_eq!(untrue(&said, &said), Vec::<String>::new());
        let found = rooms("| `crates/b` | | a |\n| `crates/c` | | – |");
        let faults =
            ["there is no crates/a", "crates/b uses a, and not a c", "crates/c has no row in the table of rooms"];
        assert_eq!(untrue(&said, &found), faults.map(|fault| format!("ARCHITECTURE.md: {fault}")));
    }

    #[test]
    fn a_modules_file_stands_in_its_directory() {
        let files = ["src/lib.rs", "src/a/mod.rs", "src/a/deep/one.rs", "src/b.rs", "src/b.x/mod.rs", "tests/a.rs"];
        let mut files = files.map(PathBuf::from).to_vec();
        assert_eq!(misplaced(&files), Vec::<String>::new());
        files.push(PathBuf::from("src/a/deep.rs"));
        let to = PathBuf::from("src/a/deep").join("mod.rs");
        assert_eq!(misplaced(&files), [format!("src/a/deep.rs: move it to {}", to.display())]);
    }
}
