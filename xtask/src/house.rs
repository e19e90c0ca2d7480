//! `cargo xtask house`: which crate uses which, which top-level module of a crate uses which, and that modules use each other in no
//! circle.
//!
//! Crates come from `cargo metadata`, modules from the paths in the sources (`crate::…`, `super::…`). What is reached through an item
//! that the crate's root re-exports is not seen. Tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::Error;
use crate::workspace::Workspace;

/// The circles that remain. A line is `CRATE: MODULE MODULE …`; the list may only shrink. `CRATE: *` is a crate that is being taken
/// apart: its circles are printed only.
const BASELINE: &str = "xtask/house/circles.txt";

/// Stands for every module of a crate.
const ANY: &str = "*";

/// Who uses whom.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Prints the arrows of the workspace.
///
/// # Errors
/// There is a circle that is not in the list, or one in the list is smaller or gone.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    let crates = crates(workspace)?;
    println!("crates");
    for (name, krate) in &crates {
        println!("  {name} -> {}", list(krate.uses.iter()));
    }
    let mut found = BTreeMap::new();
    for (name, krate) in &crates {
        let mut sources = Vec::new();
        read(&krate.sources, &mut Vec::new(), &mut sources)?;
        let arrows = arrows(&sources);
        println!("\n{name}");
        for (module, uses) in &arrows {
            println!("  {module} -> {}", list(uses.iter()));
        }
        let circles = circles(&arrows);
        for circle in &circles {
            println!("  circle: {}", list(circle.iter()));
        }
        found.insert(name.clone(), circles.into_iter().flatten().collect());
    }
    let path = workspace.root().join(BASELINE);
    let known = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
    let faults = compare(&found, &baseline(&known));
    if faults.is_empty() { Ok(()) } else { Err(Error::Unexpected(faults.join("\n"))) }
}

/// A crate of the workspace.
struct Krate {
    uses: BTreeSet<String>,
    /// Its `src`.
    sources: PathBuf,
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
        crates.insert(name(package), Krate { uses, sources: directory.join("src") });
    }
    Ok(crates)
}

/// A file of a crate: the path of its module, and its text.
type Source = (Vec<String>, String);

fn read(directory: &Path, module: &mut Vec<String>, sources: &mut Vec<Source>) -> Result<(), Error> {
    let error = |source| Error::File { path: directory.to_path_buf(), source };
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory).map_err(error)? {
        entries.push(entry.map_err(error)?.path());
    }
    entries.sort();
    for path in entries {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if stem == "tests" || stem == "bin" && module.is_empty() {
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

/// The arrows between the top-level modules of a crate.
fn arrows(sources: &[Source]) -> Arrows {
    let mut arrows: Arrows =
        sources.iter().filter_map(|(module, _)| Some((module.first()?.clone(), BTreeSet::new()))).collect();
    let modules: BTreeSet<String> = arrows.keys().cloned().collect();
    for (module, text) in sources {
        let Some(top) = module.first() else { continue };
        let text = code(text);
        let mut used: Vec<String> = after(&text, "crate::").into_iter().flat_map(names).collect();
        // So many `super` as the module is deep lead to the root.
        let to_root = "super::".repeat(module.len());
        used.extend(after(&text, &to_root).into_iter().flat_map(names));
        let uses = arrows.entry(top.clone()).or_default();
        uses.extend(used.into_iter().filter(|name| name != top && modules.contains(name)));
    }
    arrows
}

/// A source without comments and without what stands behind its first `#[cfg(test)]` before a module.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text.get(..end).unwrap_or_default().lines();
    let lines = lines.map(|line| line.find("//").map_or(line, |at| line.get(..at).unwrap_or_default()));
    lines.collect::<Vec<_>>().join("\n")
}

/// What stands behind each `prefix` that is the beginning of a path.
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
    let Some(group) = path.strip_prefix('{') else { return vec![name(path)] };
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
    items.iter().map(|item| name(item)).collect()
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

/// The modules of each crate that stand in a circle.
type Circular = BTreeMap<String, BTreeSet<String>>;

fn baseline(text: &str) -> Circular {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.filter_map(|line| line.split_once(':'));
    lines.map(|(name, modules)| (name.to_owned(), modules.split_whitespace().map(str::to_owned).collect())).collect()
}

/// What is not as the list of the circles that remain says.
fn compare(found: &Circular, known: &Circular) -> Vec<String> {
    let (none, mut faults) = (BTreeSet::new(), Vec::new());
    for name in found.keys().chain(known.keys()).collect::<BTreeSet<_>>() {
        let (is, was) = (found.get(name).unwrap_or(&none), known.get(name).unwrap_or(&none));
        if was.contains(ANY) {
            continue;
        }
        let (new, gone) = (is.difference(was), was.difference(is));
        if new.clone().next().is_some() {
            faults.push(format!("{name}: these modules stand in a circle, break it: {}", list(new)));
        }
        if gone.clone().next().is_some() {
            faults.push(format!("{name}: in no circle any more, take them out of {BASELINE}: {}", list(gone)));
        }
    }
    faults
}

fn list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Source, arrows, baseline, circles, compare, list};

    fn source(module: &str, text: &str) -> Source {
        (module.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect(), text.to_owned())
    }

    #[test]
    fn a_circle_is_found_through_every_kind_of_path() {
        let crate_with_a_circle = [
            source("", "mod a; mod b; mod c; mod d; mod e;"),
            source("a", "use crate::{\n    b::{One, d},\n};\n// crate::e\nfn f() { my_crate::e(); }"),
            source("b::deep", "fn f() { super::super::c::run(); super::e(); }"),
            source("c", "use super::a::Two;\nuse crate::d;"),
            source("d", "#[cfg(test)]\nmod tests { use crate::a; }"),
            source("e", "use crate::d;"),
        ];
        let arrows = arrows(&crate_with_a_circle);
        let uses = |module: &str| list(arrows[module].iter());
        assert_eq!([uses("a"), uses("b"), uses("c"), uses("d"), uses("e")], ["b", "c", "a d", "", "d"]);
        let circles: Vec<_> = circles(&arrows).iter().map(|circle| list(circle.iter())).collect();
        assert_eq!(circles, ["a b c"]);
    }

    #[test]
    fn the_list_of_circles_may_only_shrink() {
        let known = baseline("# what remains\nshell: a b\n");
        assert_eq!(compare(&known, &known), Vec::<String>::new());
        let larger = compare(&baseline("shell: a b c"), &known);
        assert_eq!(larger, ["shell: these modules stand in a circle, break it: c"]);
        let smaller = compare(&baseline(""), &known);
        assert!(smaller.len() == 1 && smaller[0].ends_with("circles.txt: a b"), "{smaller:?}");
        assert_eq!(compare(&baseline("jq: x y"), &baseline("")).len(), 1);
        assert_eq!(compare(&baseline("jq: x y"), &baseline("jq: *")), Vec::<String>::new());
    }
}
