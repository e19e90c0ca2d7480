//! `--mutations`: errors planted in a copy of the interpreter, each of which the random programs must find.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::coverage::Coverage;
use super::differing;
use super::generate::Generator;
use super::options::Options;
use super::subject::Bench;
use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// How many programs a mutation may survive.
const COUNT: u64 = 3_000;

/// How often the original must be right about the program that finds a mutation: what a program does by chance proves
/// nothing.
const TRIES: usize = 10;

/// One planted error.
struct Mutation {
    what: &'static str,
    file: &'static str,
    /// Stands exactly once in the file.
    old: &'static str,
    new: &'static str,
}

const MUTATIONS: &[Mutation] = &[
    Mutation {
        what: "an and-or list leaves the rest out after the first operator that is not wanted",
        file: "crates/shell/src/interpreter/exec/mod.rs",
        old: "            if !wanted {\n                continue;",
        new: "            if !wanted {\n                break;",
    },
    Mutation {
        what: "errexit does not see a [[ ]] that is false",
        file: "crates/shell/src/interpreter/exec/compound.rs",
        old: "Compound::Subshell(_) | Compound::Arithmetic(_) | Compound::Condition(_))",
        new: "Compound::Subshell(_) | Compound::Arithmetic(_))",
    },
    Mutation {
        what: "pipefail takes the first failure, not the last",
        file: "crates/shell/src/interpreter/exec/pipeline.rs",
        old: "statuses.iter().rev().find(|status| **status != 0)",
        new: "statuses.iter().find(|status| **status != 0)",
    },
    Mutation {
        what: "${x:-} takes an empty value for a value",
        file: "crates/shell/src/interpreter/expand/parameter/operations.rs",
        old: "(Fetched::One(text), Check::UnsetOrNull) => !text.is_empty(),",
        new: "(Fetched::One(text), Check::UnsetOrNull) => !text.is_empty() || text.is_empty(),",
    },
    Mutation {
        what: "${x##p} removes the shortest match",
        file: "crates/shell/src/interpreter/expand/pattern_operation.rs",
        old: "compiled.longest_prefix(escaped, text, options)",
        new: "compiled.shortest_prefix(escaped, text, options)",
    },
    Mutation {
        what: ";& in case ends the command",
        file: "crates/shell/src/interpreter/exec/case.rs",
        old: "CaseTerminator::FallThrough => Some(index + 1),",
        new: "CaseTerminator::FallThrough => None,",
    },
    Mutation {
        what: "break 2 ends one loop",
        file: "crates/shell/src/interpreter/exec/loops.rs",
        old: "ControlFlow::Break(Divert::Break(levels)) if levels > 1 => Turn",
        new: "ControlFlow::Break(Divert::Break(levels)) if levels > 9 => Turn",
    },
    Mutation {
        what: ">> overwrites",
        file: "crates/shell/src/interpreter/exec/open.rs",
        old: "Mode::Append => (options.append, options.create) = (true, true),",
        new: "Mode::Append => (options.write, options.create, options.truncate) = (true, true, true),",
    },
    Mutation {
        what: ">> in arithmetic shifts without the sign",
        file: "crates/shell/src/interpreter/expand/arithmetic/mod.rs",
        old: "BinaryOperator::ShiftRight => left.wrapping_shr(right as u32),",
        new: "BinaryOperator::ShiftRight => left.unsigned_abs().wrapping_shr(right as u32) as i64,",
    },
    Mutation {
        what: "white space of IFS is no white space: empty fields appear",
        file: "crates/shell/src/ifs.rs",
        old: "class[usize::from(byte)] = SEPARATOR | WHITE,",
        new: "class[usize::from(byte)] = SEPARATOR | (WHITE & u8::from(byte == 0)),",
    },
];

/// Plants one after another into a copy of the committed state and looks whether the programs notice.
pub(super) fn command(workspace: &Workspace, options: &Options, bash: &Path) -> Result<(), Error> {
    let place = workspace.target().join("fuzz-diff-mutations");
    let tree = place.join("tree");
    checkout(workspace, &tree)?;
    // The mutated ones are built over it.
    let original = place.join(format!("unmutated{}", std::env::consts::EXE_SUFFIX));
    let built = build(workspace, &tree, &place)?;
    fs::copy(&built, &original).map_err(|source| Error::File { path: built, source })?;
    let options = Options { count: COUNT, seed: options.seed, keep_going: true, no_shrink: true, ..Options::default() };
    // What differs without a mutation says nothing about one.
    let before: BTreeSet<u64> = differing(workspace, &options, bash, &original)?;
    println!("mutations: seed {}, {COUNT} programs each; without a mutation {} differ", options.seed, before.len());
    // The first new difference is enough.
    let mut options = Options { ignored: before, keep_going: false, ..options };
    let mut survived = Vec::new();
    for mutation in MUTATIONS {
        let path = tree.join(mutation.file);
        let source = read(&path)?;
        if source.matches(mutation.old).count() != 1 {
            let (file, old) = (mutation.file, mutation.old);
            return Err(Error::Unexpected(format!("{file} does not hold exactly once what is to be mutated: {old:?}")));
        }
        write(&path, &source.replacen(mutation.old, mutation.new, 1))?;
        let mutated = build(workspace, &tree, &place);
        write(&path, &source)?;
        match first_caught(workspace, &mut options, bash, &mutated?, &original)? {
            Some(first) => println!("caught   {}: by program {first}", mutation.what),
            None => {
                println!("SURVIVED {}", mutation.what);
                survived.push(mutation.what);
            }
        }
    }
    println!("mutations: {} of {} caught", MUTATIONS.len() - survived.len(), MUTATIONS.len());
    if survived.is_empty() { Ok(()) } else { Err(Error::Unexpected(format!("survived: {}", survived.join("; ")))) }
}

/// The first program that the mutated binary gets wrong and the original one right, however often it is asked.
fn first_caught(
    workspace: &Workspace,
    options: &mut Options,
    bash: &Path,
    mutated: &Path,
    original: &Path,
) -> Result<Option<u64>, Error> {
    loop {
        let found = differing(workspace, options, bash, mutated)?;
        let Some(first) = found.first().copied() else { return Ok(None) };
        if is_right(workspace, options.seed, first, bash, original)? {
            return Ok(Some(first));
        }
        options.ignored.insert(first);
    }
}

fn is_right(workspace: &Workspace, seed: u64, index: u64, bash: &Path, binary: &Path) -> Result<bool, Error> {
    let script = Generator::new(seed, index, &mut Coverage::default()).program().render();
    let place = workspace.target().join("fuzz-diff").join(format!("{}-again", std::process::id()));
    let bench = Bench::new(place.clone(), bash, binary)?;
    let mut right = true;
    for _ in 0..TRIES {
        let (expected, ours) = bench.both(&script)?;
        right &= expected.agrees(&ours);
    }
    // What is left behind disturbs nobody.
    let _ = fs::remove_dir_all(&place);
    Ok(right)
}

/// The committed state in a directory of its own.
fn checkout(workspace: &Workspace, tree: &Path) -> Result<(), Error> {
    if tree.join(".git").exists() {
        let head = std::process::Command::new("git")
            .current_dir(workspace.root())
            .args(["rev-parse", "HEAD"])
            .output()
            .map_err(|source| Error::Start { program: "git".into(), source })?;
        let head = String::from_utf8_lossy(&head.stdout).trim().to_owned();
        return run(std::process::Command::new("git")
            .current_dir(tree)
            .args(["checkout", "--quiet", "--force", "--detach", &head]));
    }
    let mut command = workspace.program("git");
    run(command.args(["worktree", "add", "--quiet", "--force", "--detach"]).arg(tree).arg("HEAD"))
}

fn build(workspace: &Workspace, tree: &Path, place: &Path) -> Result<PathBuf, Error> {
    let target = place.join("target");
    let mut command = workspace.cargo(&["build", "--quiet", "--package", "hookshell"]);
    // The variables of the cargo that started xtask belong to the original.
    command.current_dir(tree).env("CARGO_TARGET_DIR", &target).env_remove("CARGO_MANIFEST_DIR");
    run(&mut command)?;
    Ok(target.join("debug").join(format!("hookshell{}", std::env::consts::EXE_SUFFIX)))
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::File { path: path.to_path_buf(), source })
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|source| Error::File { path: path.to_path_buf(), source })
}

#[cfg(test)]
mod tests {
    use super::MUTATIONS;
    use crate::workspace::Workspace;

    /// `--mutations` itself takes too long for each run of CI.
    #[test]
    fn the_source_holds_what_is_to_be_mutated() {
        let workspace = Workspace::locate().unwrap();
        for mutation in MUTATIONS {
            let source = std::fs::read_to_string(workspace.root().join(mutation.file)).unwrap();
            assert_eq!(source.matches(mutation.old).count(), 1, "{}: {:?}", mutation.file, mutation.old);
        }
    }
}
