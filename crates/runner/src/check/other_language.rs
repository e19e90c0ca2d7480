//! Guards in Python and JavaScript that deny by an exit code that denies nothing: `sys.exit(1)`, `process.exit(1)`.
//!
//! They are looked at line by line, as text. So only a file is told of that never denies in another way, and only an exit for which a
//! message stands beside it; one in an `except` or a `catch` says that the hook itself failed.

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
    /// Does a text in the place of the code end with 1, and is it printed on standard error?
    takes_text: bool,
}

const PYTHON: Language = Language {
    exits: &["sys.exit(", "os._exit(", "SystemExit(", "exit("],
    stderr: &["stderr"],
    handlers: &["except"],
    comment: "#",
    takes_text: true,
};
const JAVASCRIPT: Language = Language {
    exits: &["process.exit("],
    stderr: &["console.error", "console.warn", "process.stderr"],
    handlers: &["catch"],
    comment: "//",
    takes_text: false,
};

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
        "node" | "bun" => Some(&JAVASCRIPT),
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
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(exit) = exit_of(line, language) else { continue };
        let (code, says_why) = match exit {
            Code::Known(code) => (code, is_told(&lines, at, language)),
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
    let number: String = argument.chars().take_while(char::is_ascii_digit).collect();
    let rest = argument.get(number.len()..).unwrap_or_default().trim_start();
    Some(match number.parse() {
        Ok(code) if rest.starts_with(')') => Code::Known(code),
        _ if argument.starts_with(')') => Code::Known(0),
        _ if language.takes_text && argument.trim_start_matches(['f', 'r', 'b']).starts_with(['"', '\'']) => Code::Text,
        _ => Code::Unknown,
    })
}

/// Does a message on standard error stand before it?
fn is_told(lines: &[&str], at: usize, language: &Language) -> bool {
    let near = lines.get(at.saturating_sub(NEAR)..=at).unwrap_or_default();
    near.iter().any(|line| language.stderr.iter().any(|name| line.contains(name)))
}

/// Does it stand in the handling of an error?
fn is_handler(lines: &[&str], at: usize, language: &Language) -> bool {
    let near = lines.get(at.saturating_sub(NEAR)..=at).unwrap_or_default();
    near.iter().any(|line| language.handlers.iter().any(|name| line.contains(name)))
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
}
