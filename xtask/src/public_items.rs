//! `cargo xtask public`: how many public items each library crate has, by rustdoc's JSON.

use std::collections::HashSet;
use std::fs;

use serde_json::Value;

use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// What is counted: items and their members. Not `use`, which names another's item, and not what an `impl` of a trait repeats.
const COUNTED: [&str; 15] = [
    "assoc_const",
    "assoc_type",
    "constant",
    "enum",
    "function",
    "macro",
    "module",
    "proc_macro",
    "static",
    "struct",
    "struct_field",
    "trait",
    "type_alias",
    "union",
    "variant",
];

/// Prints the number of each crate, most first.
///
/// # Errors
/// A crate does not compile, or rustdoc's JSON has another form.
pub(crate) fn print(workspace: &Workspace) -> Result<(), Error> {
    let names = libraries(workspace)?;
    let mut command = workspace.cargo(&["doc", "--no-deps", "--lib"]);
    for name in &names {
        command.args(["-p", name]);
    }
    // The JSON is not stable: the form is that of the toolchain. Build scripts look at RUSTC_BOOTSTRAP: apart from other builds, which
    // would all be made anew otherwise.
    let target = workspace.target().join("public");
    command.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", &target);
    run(command.env("RUSTDOCFLAGS", "-Zunstable-options --output-format json"))?;
    let mut counts = Vec::new();
    for name in names {
        let path = target.join("doc").join(format!("{}.json", name.replace('-', "_")));
        let text = fs::read_to_string(&path).map_err(|source| Error::File { path: path.clone(), source })?;
        let doc: Value = serde_json::from_str(&text)
            .map_err(|error| Error::Unexpected(format!("{}: no JSON: {error}", path.display())))?;
        counts.push((count(&doc), name.trim_start_matches("hookshell-").to_owned()));
    }
    counts.sort_by(|one, other| other.cmp(one));
    let line: Vec<String> = counts.iter().map(|(count, name)| format!("{name} {count}")).collect();
    println!("{}", line.join(", "));
    Ok(())
}

/// The packages that others may depend on.
fn libraries(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let path = workspace.root().join("crates");
    let error = |source| Error::File { path: path.clone(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(&path).map_err(error)? {
        let name = entry.map_err(error)?.file_name().to_string_lossy().into_owned();
        if !matches!(&*name, "cli" | "test-support") {
            names.push(format!("hookshell-{name}"));
        }
    }
    names.sort();
    Ok(names)
}

fn count(doc: &Value) -> usize {
    let Some(items) = doc["index"].as_object() else { return 0 };
    let kind = |item: &Value| item["inner"].as_object().and_then(|inner| inner.keys().next().cloned());
    // The members of a trait's `impl` are the trait's.
    let repeated: HashSet<String> = items
        .values()
        .filter_map(|item| item["inner"].get("impl"))
        .filter(|block| !block["trait"].is_null())
        .flat_map(|block| block["items"].as_array().into_iter().flatten())
        .map(Value::to_string)
        .collect();
    let is_counted = |item: &&Value| {
        item["crate_id"] == 0
            && matches!(item["visibility"].as_str(), Some("public" | "default"))
            && kind(item).is_some_and(|kind| COUNTED.contains(&&*kind))
            && !repeated.contains(&item["id"].to_string())
    };
    items.values().filter(is_counted).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::count;

    #[test]
    fn items_and_members_are_counted_once() {
        let item = |id: u32, visibility: &str, inner: serde_json::Value| json!({"id": id, "crate_id": 0, "visibility": visibility, "inner": inner});
        let doc = json!({"index": {
            "1": item(1, "public", json!({"struct": {}})),
            "2": item(2, "public", json!({"struct_field": {}})),
            "3": item(3, "default", json!({"impl": {"trait": null, "items": [4]}})),
            "4": item(4, "public", json!({"function": {}})),
            "5": item(5, "default", json!({"impl": {"trait": {"path": "Clone"}, "items": [6]}})),
            "6": item(6, "default", json!({"function": {}})),
            "7": item(7, "public", json!({"use": {}})),
            "8": item(8, "crate", json!({"function": {}})),
        }});
        assert_eq!(count(&doc), 3);
    }
}
