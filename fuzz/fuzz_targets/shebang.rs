//! The `#!` line: Linux's and env's rules on any first bytes of a file.
#![no_main]

use hookshell_shebang::{Head, Interpreter, classify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|head: &[u8]| {
    let Head::Shebang(shebang) = classify(head) else { return };
    assert!(!shebang.interpreter().is_empty());
    assert!(!shebang.line().contains(&b'\n'));
    assert!(shebang.kernel_argv(b"script").count() >= 2);
    let lookup = |name: &[u8]| (name == b"HOME").then(|| b"/home/user".to_vec());
    if let Ok(resolved) = shebang.resolve(&lookup) {
        if let Interpreter::Name(name) = &resolved.interpreter {
            assert!(!name.is_empty());
        }
        assert!(resolved.assignments.iter().all(|(name, _)| !name.is_empty()));
        let _ = resolved.hint();
    }
});
