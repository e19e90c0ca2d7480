use super::failures;
use crate::config::ExitMeaning;

fn lines(text: &str, interpreter: &str) -> Vec<usize> {
    let exit_meaning = |code| match code {
        0 => ExitMeaning::Envelope,
        2 => ExitMeaning::Deny,
        _ => ExitMeaning::Error,
    };
    failures(text, interpreter, &exit_meaning).into_iter().map(|(line, _)| line).collect()
}

/// The cases of a file: the lines that a program is told of are marked.
fn compare(cases: &str, interpreter: &str, mark: &str) {
    let mut count = 0;
    for case in cases.split("\n=== ").skip(1) {
        let (name, program) = case.split_once('\n').unwrap();
        let marked = program.lines().enumerate().filter(|(_, line)| line.ends_with(mark));
        let expected: Vec<usize> = marked.map(|(at, _)| at + 1).collect();
        assert_eq!(lines(program, interpreter), expected, "{name}");
        // Whatever ends a line.
        assert_eq!(lines(&program.replace('\n', "\r\n"), interpreter), expected, "{name}, with CRLF");
        count += 1;
    }
    assert!(count >= 60, "{count}");
}

#[test]
fn guards_in_python_are_told_from_other_exits() {
    compare(include_str!("guards.py.txt"), "python3", "# HS313");
}

#[test]
fn guards_in_javascript_are_told_from_other_exits() {
    compare(include_str!("guards.js.txt"), "node", "// HS313");
}

/// Nothing of a program that is cut off or no program at all takes long, or more than what it says.
#[test]
fn a_broken_program_is_read_to_its_end() {
    for name in ["python3", "node"] {
        for text in [include_str!("guards.py.txt"), include_str!("guards.js.txt")] {
            for (end, _) in text.char_indices().step_by(97) {
                lines(text.get(..end).unwrap(), name);
                lines(text.get(end..).unwrap(), name);
            }
        }
        for piece in [
            "(",
            "{",
            "[",
            "}",
            "`${",
            "f\"{",
            "f\"{\"",
            "if (a) {\n",
            "if x:\n ",
            "else ",
            "'",
            "/",
            "sys.exit(",
            "process.exit(",
            "x = ",
            "code = 1\nsys.exit(code)\n",
            "code = 1;\nprocess.exit(code);\n",
            "def f(): return 1\nsys.exit(f())\n",
            "function f() { return 1 }\nprocess.exit(f());\n",
            "if 'x' in stdin: sys.exit(1)\n",
            "if (stdin.includes(x)) process.exit(1);\n",
            "if stdin == 'x':\n    sys.exit(0)\nsys.exit(1)\n",
            "if\n",
            "x{}",
            "export a{",
            "a?b:c {} ",
        ] {
            let start = std::time::Instant::now();
            lines(&piece.repeat(5_000), name);
            assert!(start.elapsed() < std::time::Duration::from_secs(20), "{name}: {piece}");
        }
    }
}

/// Each name is looked up, and each slash looks for its end no further than a regular expression is long.
#[test]
fn many_names_functions_and_slashes_take_no_time_each() {
    let numbered = |line: &str| (0..20_000).map(|at| line.replace('#', &at.to_string())).collect::<String>();
    for (name, text) in [
        ("python3", numbered("def f#(x): return g\nsys.exit(f#(1))\n")),
        ("python3", numbered("c# = g\nsys.exit(c#)\n")),
        ("node", numbered("const f# = (x) => x; process.exit(f#(1));\n")),
        ("node", numbered("let c# = g#; process.exit(c#);\n")),
        ("node", "=/[a".repeat(100_000)),
        ("node", "x{}".repeat(100_000)),
    ] {
        let start = std::time::Instant::now();
        assert_eq!(lines(&text, name), [0_usize; 0]);
        assert!(start.elapsed() < std::time::Duration::from_secs(20), "{name}: {}", text.get(..40).unwrap());
    }
}

#[test]
fn an_exit_with_1_after_a_message_denies_nothing() {
    let cases: &[(&str, &[usize])] = &[
        ("import sys\nif bad:\n    print('no', file=sys.stderr)\n    sys.exit(1)\n", &[4]),
        ("import sys\nif bad:\n    sys.exit('no rm')\n", &[3]),
        ("if bad:\n    raise SystemExit(f\"no {x}\")\nsys.exit(0)\n", &[2]),
        ("sys.stderr.write('no'); exit(3)\n", &[1]),
        // It denies, or may do so.
        ("print('no', file=sys.stderr)\nsys.exit(2)\n", &[]),
        ("if usage:\n    sys.exit('usage')\nif bad:\n    print('no', file=sys.stderr)\n    sys.exit(2)\n", &[]),
        ("print('no', file=sys.stderr)\nsys.exit(main())\nsys.exit('x')\n", &[]),
        ("print(json.dumps({'decision': 'block'}))\nsys.exit('x')\n", &[]),
        // The hook itself failed, or nothing is said.
        ("try:\n    x()\nexcept ValueError as error:\n    print(error, file=sys.stderr)\n    sys.exit(1)\n", &[]),
        ("if not path:\n    sys.exit(1)\n", &[]),
        (
            "print('x', file=sys.stderr)\n# sys.exit(1)\nself.on_exit(1)\ndef exit(1): pass\nsys.exit(64)\nsys.exit()\n",
            &[],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(lines(text, "python3.12"), *expected, "{text}");
    }
    let script = "if (bad) {\n  console.error('no');\n  process.exit(1);\n}\n";
    assert_eq!(lines(script, "node"), [3]);
    assert_eq!(lines(&script.replace('1', "2"), "node"), [0_usize; 0]);
    assert_eq!(lines(&format!("{script}main().catch(() => {{ process.exitCode = 2 }})"), "node"), [0_usize; 0]);
    assert_eq!(lines("main().catch((e) => {\n  console.error(e);\n  process.exit(1);\n});", "node"), [0_usize; 0]);
    assert_eq!(lines(script, "ruby"), [0_usize; 0]);
}

#[test]
fn an_exit_with_1_that_a_search_leads_to_denies_nothing() {
    let read = "import json, re, sys\nd = json.load(sys.stdin)\nc = d['tool_input']['command']\n";
    let cases: &[(&str, &[usize])] = &[
        ("if 'rm -rf' in c:\n    sys.exit(1)\n", &[5]),
        ("if 'rm -rf' in c: sys.exit(1)\n", &[4]),
        ("if c:\n    x()\nelif re.search(r'rm', c):\n    print('no')\n    sys.exit(1)\nsys.exit(0)\n", &[8]),
        ("if d['tool_name'] == 'Bash':\n\n    sys.exit(1)\n", &[6]),
        ("sys.exit(1 if 'rm' in c else 0)\n", &[4]),
        ("sys.exit(0 if ok(c) else 3)\n", &[4]),
        ("try:\n    x()\nexcept ValueError:\n    pass\nif 'rm' in c:\n    sys.exit(1)\n", &[9]),
        // No search, or in the handling of an error.
        ("if not c:\n    sys.exit(1)\n", &[]),
        ("if len(sys.argv) == 1:\n    sys.exit(1)\nif d.get('x') == None: sys.exit(1)\n", &[]),
        ("if x.returncode == 1:\n    sys.exit(1)\n", &[]),
        ("try:\n    x()\nexcept ValueError as e:\n    if 'rm' in str(e):\n        sys.exit(1)\n", &[]),
        ("if 'rm' in c:\n    sys.exit(2)\nif 'mv' in c:\n    sys.exit(1)\n", &[]),
        ("sys.exit(2 if 'rm' in c else 0)\nif 'x' in c: sys.exit(1)\n", &[]),
        ("sys.exit(1 if 'rm' in c else 2)\n", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(lines(&format!("{read}{text}"), "python3"), *expected, "{text}");
    }
    // It reads no event.
    assert_eq!(lines("if 'x' in open('y').read():\n    sys.exit(1)\n", "python3"), [0_usize; 0]);
    let read = "const d = JSON.parse(require('fs').readFileSync(0));\n";
    for (text, expected) in [
        ("if (d.tool_input.command.includes('rm')) process.exit(1);\n", &[2_usize][..]),
        ("if (/rm/.test(d.c)) {\n  console.log('no');\n  process.exit(1);\n}\n", &[4]),
        ("if (a) {\n} else if (d.tool_name === 'Bash') {\n  process.exit(1);\n}\n", &[4]),
        ("process.exit(/rm/.test(d.c) ? 1 : 0);\n", &[2]),
        ("process.exit(ok(d) ? 0 : 1);\n", &[2]),
        ("if (process.argv.length === 2) process.exit(1);\nif (d.x === undefined) process.exit(1);\n", &[]),
        ("try { x() } catch (e) { process.exit(1); }\n", &[]),
        ("process.exit(bad ? 2 : 0);\n", &[]),
    ] {
        assert_eq!(lines(&format!("{read}{text}"), "node"), *expected, "{text}");
    }
}
