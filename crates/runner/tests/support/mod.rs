//! What more than one of the tests needs.

use std::env;

/// Are these programs on PATH? With `REQUIRE_INTERPRETERS=1` one that is missing fails the test.
pub(crate) fn have(programs: &[&str]) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = |program: &&&str| {
        let name = format!("{program}{}", env::consts::EXE_SUFFIX);
        env::split_paths(&path).any(|folder| folder.join(&name).is_file())
    };
    let Some(missing) = programs.iter().find(|program| !found(program)) else {
        return true;
    };
    assert!(
        env::var_os("REQUIRE_INTERPRETERS").is_none_or(|value| value != "1"),
        "{missing} is not on PATH, and REQUIRE_INTERPRETERS=1"
    );
    println!("skipped: {missing} is not on PATH");
    false
}
