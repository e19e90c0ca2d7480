//! What is refused.

use std::path::Path;
use std::sync::Arc;

use hookshell_utility::{Args, Utility, UtilityCall};

use super::Jq;

fn refusal(words: &[&str]) -> Option<String> {
    let argv: Args = words.iter().collect();
    let env = Arc::new(Vec::new());
    let call = UtilityCall { argv: &argv, env: &env, cwd: Path::new("/") };
    match Jq::default().prepare(&call) {
        Ok(prepared) => prepared.yields().then(|| "a real one".to_owned()),
        Err(unsupported) => Some(unsupported.to_string()),
    }
}

#[test]
fn what_is_not_done_exactly_is_refused() {
    let refused = [
        &["jq", "-L"][..],
        &["jq", "test(\"\\\\X\")"],
        &["jq", "--arg", "x"],
        &["jq", "--indent", "9", "."],
        &["jq", "-rz", "."],
        &["jq", "1 +"],
        &["jq", "--debug-dump-disasm", "."],
        &["jq", ". as {(\"a\",\"b\"): $x} ?// $x | $x"],
        &["jq", "-f", "/dev/stdin"],
    ];
    for words in refused {
        assert!(refusal(words).is_some(), "{words:?}");
    }
}

#[test]
fn what_hooks_use_is_accepted() {
    let accepted = [
        &["jq"][..],
        &["jq", "-r", ".tool_input.command // empty"],
        &["jq", "-n", "--arg", "r", "no", "{decision:\"deny\",reason:$r}"],
        &["jq", "-nce", "--argjson", "x", "1", "[$x, $ARGS.named]"],
        &["jq", "-e", ".tool_input.command | test(\"^rm +-rf\"; \"i\")"],
        &["jq", "undefined_function"],
        &["jq", "ascii"],
        &["jq", "getpath(1; 2)"],
        &["jq", "gamma, lgamma_r, jn(1; 2)"],
        &["jq", "-h"],
        &["jq", "--version"],
        &["jq", "$JQ_BUILD_CONFIGURATION"],
        &["jq", "strftime(\"%Ey\"), strptime(\"%s\")"],
        &["jq", ". as {(\"a\",\"b\"): $x} | $x"],
    ];
    for words in accepted {
        assert_eq!(refusal(words), None, "{words:?}");
    }
}
