//! Guards in Python and JavaScript that deny by an exit code that denies nothing: `sys.exit(1)`, `process.exit(1)`.
//!
//! They are looked at line by line, as text. So only a file is told of that never denies in another way, and only an exit for which a
//! message stands beside it, or that a search in the event leads to; one in an `except` or a `catch` says that the hook itself failed.

use super::guard::denies_nothing;
use crate::config::ExitMeaning;

/// How many lines before an exit its message may stand.
const NEAR: usize = 4;

/// What a language calls its exit, its standard error, and the handling of an error.
struct Language {
    exits: &'static [&'static str],
    stderr: &'static [&'static str],
    handlers: &'static [&'static str],
    comment: &'static str,
    /// What reads the event.
    inputs: &'static [&'static str],
    /// How a text is searched.
    searches: &'static [&'static str],
    /// Does a text in the place of the code end with 1, and is it printed on standard error?
    takes_text: bool,
}

const PYTHON: Language = Language {
    exits: &["sys.exit(", "os._exit(", "SystemExit(", "exit("],
    stderr: &["stderr"],
    handlers: &["except"],
    comment: "#",
    inputs: &["stdin", "input("],
    searches: &[" in ", "search(", "match(", "startswith(", "endswith(", "==", "any(", "find(", "findall("],
    takes_text: true,
};
const JAVASCRIPT: Language = Language {
    exits: &["process.exit(", "Deno.exit("],
    stderr: &["console.error", "console.warn", "process.stderr"],
    handlers: &["catch"],
    comment: "//",
    inputs: &["stdin", "readFileSync(0"],
    searches: &["includes(", ".test(", ".match(", "startsWith(", "endsWith(", "==", ".some(", "indexOf("],
    takes_text: false,
};

/// Conditions with such a word ask for something else than a text of the event.
const NO_SEARCH: [&str; 19] = [
    "argv",
    "__name__",
    "require.main",
    "environ",
    "process.env",
    "platform",
    "version",
    "status",
    "returncode",
    "exists",
    "is_file",
    "None",
    "null",
    "undefined",
    "\"\"",
    "''",
    "len(",
    ".length",
    "not in",
];

/// What says a decision in another way than by the exit code.
const DECIDES: [&str; 10] = [
    "ecision",
    "\"deny\"",
    "'deny'",
    "\"block\"",
    "'block'",
    "\"continue\"",
    "'continue'",
    "halt",
    "exitCode",
    "execv",
];

/// The language that a program reads.
fn language(interpreter: &str) -> Option<&'static Language> {
    match interpreter.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "python" => Some(&PYTHON),
        "node" | "bun" | "deno" | "tsx" | "ts-node" => Some(&JAVASCRIPT),
        _ => None,
    }
}

/// Lines that exit with a code that denies nothing, with what is to be said of them.
pub(super) fn failures(
    text: &str,
    interpreter: &str,
    exit_meaning: &dyn Fn(u8) -> ExitMeaning,
) -> Vec<(usize, String)> {
    let Some(language) = language(interpreter) else { return Vec::new() };
    if DECIDES.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let reads_event = language.inputs.iter().any(|name| text.contains(name));
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(exit) = exit_of(line, language) else { continue };
        let (code, says_why) = match exit {
            Code::Known(code) => (code, is_told(&lines, at, language) || reads_event && is_found(&lines, at, language)),
            Code::Chosen(code) => (code, reads_event),
            Code::Text => (1, true),
            // It may be one that denies.
            Code::Unknown => return Vec::new(),
        };
        let meaning = exit_meaning(code);
        if meaning.is_deny() || meaning == ExitMeaning::Halt {
            return Vec::new();
        }
        let is_of_system = matches!(code, 0 | 64..=78 | 126 | 127);
        if says_why && !is_of_system && !is_handler(&lines, at, language) {
            found.push((at + 1, denies_nothing(code, exit_meaning)));
        }
    }
    found
}

enum Code {
    Known(u8),
    /// `sys.exit(1 if bad else 0)`
    Chosen(u8),
    /// `sys.exit("no")`
    Text,
    Unknown,
}

fn exit_of(line: &str, language: &Language) -> Option<Code> {
    let code = line.trim_start();
    if code.starts_with(language.comment) {
        return None;
    }
    let (at, name) = language.exits.iter().find_map(|name| Some((code.find(name)?, *name)))?;
    // `self.on_exit(`, `def exit(`
    let before = code.get(..at).unwrap_or_default();
    if before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.')) || before.ends_with("def ") {
        return None;
    }
    let argument = code.get(at + name.len()..)?.trim_start();
    let (number, rest) = number(argument);
    Some(match number {
        Some(code) if rest.starts_with(')') => Code::Known(code),
        _ if argument.starts_with(')') => Code::Known(0),
        _ if language.takes_text && argument.trim_start_matches(['f', 'r', 'b']).starts_with(['"', '\'']) => Code::Text,
        _ => chosen(argument).map_or(Code::Unknown, Code::Chosen),
    })
}

/// The number that a text begins with, and what follows it.
fn number(text: &str) -> (Option<u8>, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (digits.parse().ok(), rest.trim_start())
}

/// `1 if bad else 0`, `bad ? 1 : 0`: of two codes the one that is not 0.
fn chosen(argument: &str) -> Option<u8> {
    let (one, other) = match number(argument) {
        (Some(one), rest) => (Some(one), rest.strip_prefix("if ")?.split_once(" else ")?.1),
        (None, _) => {
            let (one, rest) = number(argument.split_once('?')?.1.trim_start());
            (one, rest.strip_prefix(':')?.trim_start())
        }
    };
    match (one?, number(other)) {
        (0, (Some(code), rest)) | (code, (Some(0), rest)) if code != 0 && rest.starts_with(')') => Some(code),
        _ => None,
    }
}

/// Does a message on standard error stand before it?
fn is_told(lines: &[&str], at: usize, language: &Language) -> bool {
    let near = lines.get(at.saturating_sub(NEAR)..=at).unwrap_or_default();
    near.iter().any(|line| language.stderr.iter().any(|name| line.contains(name)))
}

/// Does a search in a text lead to it: `if "rm" in command:`?
fn is_found(lines: &[&str], at: usize, language: &Language) -> bool {
    let own = lines.get(at).copied().unwrap_or_default();
    let has_own = condition(own).is_some_and(|condition| !condition.trim().is_empty());
    let head = if has_own { Some(own) } else { heads(lines, at).next() };
    head.and_then(condition).is_some_and(|condition| {
        language.searches.iter().any(|search| condition.contains(search))
            && !NO_SEARCH.iter().any(|word| condition.contains(word))
    })
}

/// What stands after `if` in a line.
fn condition(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['}', ' ', '\t']);
    let line = line.strip_prefix("else ").unwrap_or(line).trim_start();
    let line = line.strip_prefix("elif").or_else(|| line.strip_prefix("if"))?;
    line.starts_with([' ', '(']).then_some(line)
}

/// The lines that the blocks begin with in which a line stands, by how far they are indented; the nearest first.
fn heads<'l>(lines: &[&'l str], at: usize) -> impl Iterator<Item = &'l str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut inner = lines.get(at).map_or(0, |line| indent(line));
    let mut before = lines.get(..at).unwrap_or_default().iter().rev().copied();
    std::iter::from_fn(move || {
        // No block is around what is not indented.
        let head =
            before.by_ref().take_while(|_| inner > 0).find(|line| !line.trim().is_empty() && indent(line) < inner)?;
        inner = indent(head);
        Some(head)
    })
}

/// Does it stand in the handling of an error?
fn is_handler(lines: &[&str], at: usize, language: &Language) -> bool {
    let is_handler = |line: &str| language.handlers.iter().any(|name| line.contains(name));
    let is_alone = lines.get(at).is_some_and(|line| !line.starts_with([' ', '\t']));
    // What is not indented says nothing of its block.
    let near = lines.get(at.saturating_sub(NEAR)..at).unwrap_or_default().iter().filter(|_| is_alone);
    lines.get(at).copied().into_iter().chain(heads(lines, at)).any(is_handler) || near.copied().any(is_handler)
}

#[cfg(test)]
mod tests {
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
}
