//! Finding the programs that tests compare with.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::skip::skip;

/// Where a program is on this process's PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?).map(|directory| directory.join(&file)).find(|path| path.is_file())
}

/// Is the program on PATH? Says that the test is skipped where it is not.
///
/// # Panics
/// It is not, and `REQUIRE_INTERPRETERS=1`.
pub fn has(program: &str) -> bool {
    has_all(&[program])
}

/// Are they all on PATH? Says that the test is skipped where one is not.
///
/// # Panics
/// One is not, and `REQUIRE_INTERPRETERS=1`.
pub fn has_all(programs: &[&str]) -> bool {
    let Some(missing) = programs.iter().find(|program| find(program).is_none()) else {
        return true;
    };
    skip(&format!("{missing} is not on PATH"));
    false
}

/// Does `PROGRAM --version` begin with this text? Says that the test is skipped where it does not.
///
/// # Panics
/// It does not, and `REQUIRE_INTERPRETERS=1`.
pub fn says_version(program: &str, version: &str) -> bool {
    let is_it = is_version(program, version);
    if !is_it {
        skip(&format!("{version} is not installed"));
    }
    is_it
}

/// Does what `PROGRAM --version` prints begin with this text? Nothing is skipped where it does not.
#[must_use]
pub fn is_version(program: &str, version: &str) -> bool {
    version_of(program).is_some_and(|text| text.starts_with(version))
}

/// Is the program of this name GNU's? Says that the test is skipped where it is not.
///
/// # Panics
/// It is not, and `REQUIRE_INTERPRETERS=1`.
pub fn is_gnu(program: &str) -> bool {
    let is_gnu = version_of(program).is_some_and(|text| text.contains("GNU"));
    if !is_gnu {
        skip(&format!("GNU {program} is not installed"));
    }
    is_gnu
}

/// What `PROGRAM --version` prints; `None` if it cannot be started.
fn version_of(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
