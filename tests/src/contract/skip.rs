//! Tests that need something that is not there.

use std::env;

/// Is the program on PATH? Says that the test is skipped where it is not.
///
/// # Panics
/// It is not, and `REQUIRE_INTERPRETERS=1`.
pub fn has(program: &str) -> bool {
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    let found = env::split_paths(&env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(&file).is_file());
    if !found {
        let required = env::var_os("REQUIRE_INTERPRETERS").is_some_and(|value| value == "1");
        assert!(!required, "REQUIRE_INTERPRETERS=1, but {program} is not on PATH");
        println!("skipped: {program} is not on PATH");
    }
    found
}

/// Does Wine run this? Then says that the test is skipped: it stands in `windows-only.txt` with the reason.
pub fn under_wine(reason: &str) -> bool {
    let skip = env::var_os("UNDER_WINE").is_some();
    if skip {
        println!("skipped under Wine: {reason}");
    }
    skip
}
