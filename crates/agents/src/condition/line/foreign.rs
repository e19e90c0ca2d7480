//! Programs in other languages than the shell's, as an argument or on standard input.
//!
//! They are not parsed. What has nothing in it by which a program can start another one, or make code of a text, is tame; all else
//! may run any command.

use super::command::{joined, named_file};
use super::{Executed, Fields, HOLE, Judge, Word, is_device};
use crate::programs::Language;

/// Parts of names by which programs start others or make code of text, in any of the languages. Small letters.
const STARTING: [&str; 21] = [
    "system",
    "exec",
    "spawn",
    "popen",
    "fork",
    "eval",
    "subprocess",
    "child_process",
    "passthru",
    "syscall",
    "ctypes",
    "ffi",
    "pty",
    "posix",
    "__import__",
    "compile",
    "os.start",
    "startfile",
    "dlopen",
    "shell",
    "subclasses",
];

impl Judge<'_> {
    /// Code in a language.
    pub(super) fn foreign(&mut self, language: Language, code: &[u8]) {
        self.step(code.len());
        let is_tame = match language {
            Language::Awk => super::awk::is_tame(code),
            Language::Sed => super::sed::is_tame(code),
            Language::Other => false,
            _ => is_tame(language, code),
        };
        if !is_tame || code.contains(&HOLE) {
            return self.found();
        }
        // Of the languages that are parsed, all that stands in them is known.
        if !matches!(language, Language::Awk | Language::Sed) && self.pattern.is_mentioned(code) {
            self.found();
        }
    }

    fn foreign_word(&mut self, language: Language, word: Option<&Word>) {
        match word {
            Some(word) if word.fields == Fields::One => self.foreign(language, &word.text),
            _ => self.found(),
        }
    }

    pub(super) fn language(&mut self, language: Language, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        let asks =
            |word: &Word| matches!(word.text.as_slice(), b"--version" | b"-V" | b"-v" | b"--help" | b"-h" | b"version");
        if arguments.len() == 1 && arguments.iter().all(asks) {
            return;
        }
        match language {
            Language::Awk | Language::Sed => self.text_tool(language, arguments),
            Language::Other => {
                // Code, or a script: which it is depends on the program.
                let is_option = |word: &Word| word.text.starts_with(b"-") || word.text.contains(&HOLE);
                match arguments.first() {
                    Some(first) if !is_option(first) => self.script_operand(language, arguments),
                    Some(_) => self.found(),
                    None => self.read_input(Some(language)),
                }
            }
            _ => self.interpreter(language, arguments),
        }
    }

    fn script_operand(&mut self, language: Language, words: &[Word]) {
        let Some(first) = words.first() else { return };
        match named_file(first) {
            Some(path) if is_device(path) => self.read_input(Some(language)),
            Some(path) => {
                let path = path.to_vec();
                self.file_operand(&path, Executed::Language(language), words);
                if !self.is_found {
                    let rest = joined(words.get(1..).unwrap_or_default());
                    if self.pattern.is_mentioned(&rest) && !rest.contains(&HOLE) {
                        self.found();
                    }
                }
            }
            None => self.found(),
        }
    }

    /// awk and sed: the program is the first operand, unless an option has it.
    fn text_tool(&mut self, language: Language, arguments: &[Word]) {
        let is_awk = language == Language::Awk;
        let mut program: Vec<u8> = Vec::new();
        let mut has_program = false;
        let mut rest = arguments;
        while let Some((word, after)) = rest.split_first() {
            if word.fields == Fields::Any {
                return self.found();
            }
            let text = word.text.as_slice();
            rest = after;
            let mut next = || {
                let value = rest.first().cloned().unwrap_or_else(Word::any);
                rest = rest.get(1..).unwrap_or_default();
                value
            };
            let mut code: Option<Word> = None;
            let attached = |at: usize| Word { text: text.get(at..).unwrap_or_default().to_vec(), ..word.clone() };
            match text {
                b"--" => {
                    if !has_program {
                        code = Some(next());
                    }
                    program.extend(code.map(|code| code.text).unwrap_or_default());
                    break;
                }
                [b'-', b'-', name @ ..] => {
                    let value = name.iter().position(|byte| *byte == b'=');
                    let given = name.get(..value.unwrap_or(name.len())).unwrap_or_default();
                    let is = |long: &str| !given.is_empty() && long.as_bytes().starts_with(given);
                    let takes_code = if is_awk { is("source") } else { is("expression") };
                    let takes_file = is("file") || is_awk && is("exec");
                    let other = is_awk && (is("assign") || is("field-separator")) || !is_awk && is("line-length");
                    if is_awk && (is("load") || is("include") || is("debug")) {
                        return self.found();
                    }
                    let value = match value {
                        Some(at) => attached(at + 3),
                        None if takes_code || takes_file || other => next(),
                        None => continue,
                    };
                    if takes_code {
                        code = Some(value);
                    } else if takes_file {
                        has_program = true;
                        if value.has_hole() || is_device(&value.text) {
                            return self.found();
                        }
                        self.executes(&value.text, Executed::Language(language));
                    }
                }
                [b'-', letters @ ..] if !letters.is_empty() => {
                    let with_value: &[u8] = if is_awk { b"Ffveil" } else { b"efl" };
                    let stops: &[u8] = if is_awk { b"WEDL" } else { b"i" };
                    let at = letters.iter().position(|letter| with_value.contains(letter));
                    let stop = letters.iter().position(|letter| stops.contains(letter));
                    if is_awk && stop.is_some_and(|stop| at.is_none_or(|at| stop < at)) {
                        return self.found();
                    }
                    let Some(at) = at.filter(|at| stop.is_none_or(|stop| *at < stop)) else { continue };
                    let value = if at + 1 < letters.len() { attached(at + 2) } else { next() };
                    match letters.get(at) {
                        Some(b'e') => code = Some(value),
                        Some(b'f') => {
                            has_program = true;
                            if value.has_hole() || is_device(&value.text) {
                                return self.found();
                            }
                            self.executes(&value.text, Executed::Language(language));
                        }
                        Some(b'i') if value.text != b"inplace" => return self.found(),
                        Some(b'l') if is_awk => return self.found(),
                        _ => {}
                    }
                }
                _ if has_program => continue,
                _ => code = Some(word.clone()),
            }
            if let Some(code) = code {
                has_program = true;
                program.extend_from_slice(&code.text);
                program.push(b'\n');
                if code.fields != Fields::One {
                    return self.found();
                }
            }
        }
        if !program.is_empty() {
            self.foreign(language, &program);
        }
    }

    /// `-c CODE`, `-e CODE`, a script, or standard input.
    fn interpreter(&mut self, language: Language, arguments: &[Word]) {
        let code_letters: &[u8] = match language {
            Language::Python => b"c",
            Language::Perl => b"eE",
            Language::Node => b"ep",
            Language::Php => b"rRBE",
            _ => b"e",
        };
        let value_letters: &[u8] = match language {
            Language::Python => b"WXQ",
            Language::Ruby => b"CEIrx",
            Language::Node => b"rC",
            Language::Php => b"cdzFfS",
            Language::Lua => b"l",
            _ => b"",
        };
        let mut has_code = false;
        let mut rest = arguments;
        while let Some((word, after)) = rest.split_first() {
            let text = word.text.as_slice();
            let is_unknown = text.first() == Some(&HOLE) && named_file(word).is_none();
            if word.fields == Fields::Any || is_unknown && !has_code {
                return self.found();
            }
            match text {
                b"-" => return self.read_input(Some(language)),
                b"--" => {
                    rest = after;
                    break;
                }
                [b'-', b'-', name @ ..] => {
                    let equals = name.iter().position(|byte| *byte == b'=');
                    let given = name.get(..equals.unwrap_or(name.len())).unwrap_or_default();
                    let has = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
                    if matches!(given, b"eval" | b"print" | b"run" | b"process-code" | b"exec")
                        && !(given == b"run" && language != Language::Php)
                    {
                        has_code = true;
                        let value = match equals {
                            Some(at) => {
                                Some(Word { text: name.get(at + 1..).unwrap_or_default().to_vec(), ..word.clone() })
                            }
                            None => after.first().cloned(),
                        };
                        self.foreign_word(language, value.as_ref());
                        rest = if equals.is_some() { after } else { after.get(1..).unwrap_or_default() };
                        continue;
                    }
                    if has(b"data:") || self.pattern.is_mentioned(text) {
                        return self.found();
                    }
                    let takes = matches!(
                        given,
                        b"require"
                            | b"import"
                            | b"loader"
                            | b"experimental-loader"
                            | b"conditions"
                            | b"env-file"
                            | b"config"
                    ) && equals.is_none();
                    if takes && after.first().is_some_and(|word| word.has_hole() || word.text.starts_with(b"data:")) {
                        return self.found();
                    }
                    rest = if takes { after.get(1..).unwrap_or_default() } else { after };
                }
                [b'-', letters @ ..] => {
                    // perl's `-i.bak`, `-F:`, `-0777`, `-MModule=…` have their value in the same word.
                    if language == Language::Perl
                        && matches!(letters.first(), Some(b'M' | b'm' | b'd' | b'x' | b'I' | b'C'))
                    {
                        let is_module = matches!(letters.first(), Some(b'M' | b'm'));
                        if letters.contains(&HOLE)
                            || letters.first() == Some(&b'd')
                            || is_module && !is_tame(language, letters)
                        {
                            return self.found();
                        }
                        rest = after;
                        continue;
                    }
                    if language == Language::Python
                        && letters.contains(&b'm')
                        && !letters.starts_with(b"W")
                        && !letters.starts_with(b"X")
                        && !letters.contains(&b'c')
                    {
                        let module = match letters.iter().position(|letter| *letter == b'm') {
                            Some(at) if at + 1 < letters.len() => letters.get(at + 1..).unwrap_or_default().to_vec(),
                            _ => after.first().map(|word| word.text.clone()).unwrap_or_default(),
                        };
                        return self.module(&module, after);
                    }
                    let at = letters
                        .iter()
                        .position(|letter| code_letters.contains(letter) || value_letters.contains(letter));
                    let in_place = matches!(language, Language::Perl | Language::Ruby)
                        && letters.iter().position(|letter| matches!(letter, b'i' | b'F' | b'0' | b'l')).is_some_and(
                            |i| {
                                // `-i.bak`: what follows is a suffix; `-pie` is one too, which perl's users know.
                                letters.get(i) == Some(&b'i')
                                    && at.is_some_and(|at| i < at)
                                    && letters.get(i + 1) == Some(&b'.')
                            },
                        );
                    let Some(at) = at.filter(|_| !in_place) else {
                        rest = after;
                        continue;
                    };
                    let is_code = letters.get(at).is_some_and(|letter| code_letters.contains(letter));
                    let attached = letters.get(at + 1..).unwrap_or_default();
                    // Only where one letter is not an option of its own: `node -pe CODE`.
                    let is_attached =
                        !attached.is_empty() && !attached.iter().all(|letter| code_letters.contains(letter));
                    let value = match is_attached {
                        true => Some(Word { text: attached.to_vec(), ..word.clone() }),
                        false => after.first().cloned(),
                    };
                    rest = if is_attached { after } else { after.get(1..).unwrap_or_default() };
                    if is_code {
                        has_code = true;
                        self.foreign_word(language, value.as_ref());
                        // What stands behind python's code is for the code.
                        if language == Language::Python {
                            break;
                        }
                    } else if letters.get(at) == Some(&b'r') && value.as_ref().is_some_and(Word::has_hole) {
                        return self.found();
                    }
                }
                _ => break,
            }
            if self.is_found {
                return;
            }
        }
        if has_code {
            // perl opens its operands, and those may be commands: `perl -ne print 'rm x |'`.
            if matches!(language, Language::Perl | Language::Ruby) && rest.iter().any(|word| word.text.contains(&b'|'))
            {
                self.found();
            }
            return;
        }
        // `deno run x.ts`, `bun test`, `node inspect x`
        let rest = match rest.first().map(|word| word.text.as_slice()) {
            Some(b"eval" | b"repl" | b"x" | b"exec" | b"task") if language == Language::Node => {
                return self.starter(rest);
            }
            Some(
                b"run" | b"test" | b"inspect" | b"watch" | b"serve" | b"install" | b"add" | b"build" | b"fmt" | b"lint"
                | b"check",
            ) if language == Language::Node => rest.get(1..).unwrap_or_default(),
            _ if rest.is_empty()
                && arguments
                    .iter()
                    .any(|word| word.text.starts_with(b"--test") || word.text == b"-l" || word.text == b"-v") =>
            {
                return;
            }
            None => return self.read_input(Some(language)),
            Some(_) => rest,
        };
        let operand = rest.iter().position(|word| !word.text.starts_with(b"-"));
        if let Some(at) = operand {
            self.script_operand(language, rest.get(at..).unwrap_or_default());
        }
    }

    /// `python -m MODULE`
    fn module(&mut self, module: &[u8], arguments: &[Word]) {
        let top = module.split(|byte| *byte == b'.').next().unwrap_or_default();
        let starts: [&[u8]; 14] = [
            b"timeit",
            b"pdb",
            b"trace",
            b"cprofile",
            b"profile",
            b"code",
            b"runpy",
            b"idlelib",
            b"pydoc",
            b"bdb",
            b"tkinter",
            b"pty",
            b"webbrowser",
            b"doctest",
        ];
        let text = joined(arguments);
        if module.contains(&HOLE) || starts.contains(&top.to_ascii_lowercase().as_slice()) {
            return self.found();
        }
        let is_known =
            [&b"pytest"[..], b"pip", b"unittest", b"mypy", b"ruff", b"black", b"json", b"venv", b"http"].contains(&top);
        if !is_known && self.pattern.is_mentioned(&text) && !text.contains(&HOLE) {
            self.found();
        }
    }
}

/// Is there nothing in the code that can start a program?
fn is_tame(language: Language, code: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(code) else { return false };
    let lower = text.to_lowercase();
    let has = |part: &str| lower.contains(part);
    if STARTING.iter().any(|part| has(part)) {
        return false;
    }
    // Names may be spelled in escapes.
    let is_escaped = text.as_bytes().windows(2).any(|pair| {
        pair.first() == Some(&b'\\')
            && pair.get(1).is_some_and(|byte| matches!(byte, b'x' | b'u' | b'U' | b'N' | b'0'..=b'7' | b'o' | b'c'))
    });
    if is_escaped && !matches!(language, Language::Perl | Language::Ruby)
        || text.contains("\\x")
        || text.contains("\\u")
    {
        return false;
    }
    match language {
        Language::Python => {
            // A name is the same in other letters.
            text.is_ascii()
                && !has_dunder(text)
                && [
                    "getattr",
                    "globals",
                    "locals",
                    "vars(",
                    "importlib",
                    "import_module",
                    "builtins",
                    "modules",
                    "pickle",
                    "marshal",
                    "shelve",
                    "code.",
                    "runpy",
                    "timeit",
                    "profile",
                    "pdb",
                    "trace",
                    "webbrowser",
                    "pydoc",
                    "gc.",
                    "inspect",
                    "attrgetter",
                    "methodcaller",
                    "functiontype",
                    "codetype",
                    "ensurepip",
                    "antigravity",
                    "tkinter",
                    "pexpect",
                    "plumbum",
                    "fabric",
                    "invoke",
                    "breakpoint",
                    "interact",
                    "run(",
                    "call(",
                    "check_",
                    "getoutput",
                    "loads(base64",
                    "b64",
                    "rot13",
                    "chr(",
                    "yaml.load(",
                    "yaml.unsafe",
                    "execut",
                    "multiprocessing",
                    "asyncio",
                    "pipes",
                    "commands",
                    "from os ",
                    "import *",
                    "docker",
                    "paramiko",
                    "open_code",
                    "sh.",
                ]
                .iter()
                .all(|part| !has(part))
                && is_os_tame(&lower)
        }
        Language::Node => {
            [
                "function(",
                "constructor",
                "binding",
                "vm",
                "worker",
                "cluster",
                "repl",
                "global",
                "reflect",
                "proxy",
                "atob",
                "fromcharcode",
                "buffer",
                "module",
                "dlopen",
                "mainmodule",
                "createrequire",
                "process[",
                "deno",
                "bun.",
                "import(",
                "this[",
                "](",
            ]
            .iter()
            .all(|part| !has(part))
                && requires_are_tame(text)
        }
        Language::Perl => {
            [
                "`", "qx", "open", "require", "use ", "no ", " do ", "do{", "do {", "do(", "do\"", "do'", "&$", "&{",
                "*{", "->$", "->can", "can(", "(?{", "(??{", "glob", "<\"", "<$", "core::", "kill", "dump", "ipc",
                "sub ", "tie", "pipe", "chr", "pack", "ref(", "=>",
            ]
            .iter()
            .all(|part| !has(part))
                && !has_double_e(text)
                && !text.trim_start().starts_with("do")
        }
        Language::Ruby => [
            "`",
            "%x",
            "open",
            "send",
            "method",
            "kernel",
            "io.",
            "io:",
            "load",
            "binding",
            "const_get",
            "|rm",
            "drb",
            "thread",
            "require_relative",
            "instance_",
            "class_",
            "define_",
            "pack",
            "chr",
            "callcc",
            "trap",
            "at_exit",
            "::process",
            "process.",
            "<<",
        ]
        .iter()
        .all(|part| !has(part)),
        Language::Php => {
            [
                "`",
                "assert",
                "create_function",
                "call_user",
                "array_",
                "include",
                "require",
                "preg_replace",
                "mail",
                "pcntl",
                "dl(",
                "reflection",
                "proc_",
                "chr(",
                "base64",
                "\"(",
                "'(",
                ")(",
                "](",
                "}(",
                "->$",
                "::$",
                "new $",
                "usort",
                "ob_start",
                "register_",
                "imap",
                "putenv",
                "str_rot",
            ]
            .iter()
            .all(|part| !has(part))
                && !has_variable_call(text)
        }
        Language::Lua => {
            [
                "load",
                "dofile",
                "require",
                "debug",
                "package",
                "_g",
                "_env",
                "getfenv",
                "os[",
                "io[",
                "string.char",
                "setmetatable",
                "pairs(os",
                "pairs(io",
            ]
            .iter()
            .all(|part| !has(part))
                && !aliases_lua(&lower)
        }
        Language::Awk | Language::Sed | Language::Other => false,
    }
}

/// `__subclasses__` and its like; `__name__` and `__version__` are harmless.
fn has_dunder(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("__") {
        let harmless = ["version__", "name__", "file__", "doc__", "main__", "init__.py", "future__"];
        match harmless.iter().find_map(|name| after.strip_prefix(name)) {
            Some(after) => rest = after,
            None => return true,
        }
    }
    false
}

/// Python's `os`: what is used of it reads.
fn is_os_tame(text: &str) -> bool {
    let harmless = [
        "path",
        "environ",
        "getcwd",
        "listdir",
        "sep",
        "linesep",
        "getenv",
        "walk",
        "scandir",
        "stat",
        "name",
        "cpu_count",
        "getpid",
        "makedirs",
        "mkdir",
        "chdir",
        "pathsep",
    ];
    let is_word = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let bytes = text.as_bytes();
    for (at, _) in text.match_indices("os") {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at).copied());
        let after = bytes.get(at + 2).copied();
        if is_word(before) || is_word(after) {
            continue;
        }
        let rest = text.get(at + 2..).unwrap_or_default();
        let is_imported = matches!(after, None | Some(b',' | b';' | b'\n' | b'\r'))
            || rest.trim_start_matches([' ', '\t']).starts_with([',', ';', '\n']);
        let front = text.get(..at).unwrap_or_default().trim_end();
        let is_import = is_imported && (front.ends_with("import") || front.ends_with(','));
        let is_used = rest.strip_prefix('.').is_some_and(|rest| {
            harmless
                .iter()
                .any(|name| rest.strip_prefix(name).is_some_and(|rest| !is_word(rest.as_bytes().first().copied())))
        });
        // `posixpath.os`, `random._os`
        let is_member = before == Some(b'.');
        if is_member || !(is_import || is_used) {
            return false;
        }
    }
    // `random._os`
    !text.contains("_os")
}

/// JavaScript's `require`: of a module whose name stands there, and is none that starts programs.
fn requires_are_tame(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("require") {
        let Some(argument) = after.strip_prefix('(') else {
            // `require.resolve('x')` says where it is.
            match after.strip_prefix(".resolve(") {
                Some(after) => {
                    rest = after;
                    continue;
                }
                None => return false,
            }
        };
        let Some(quote) = argument.chars().next().filter(|quote| matches!(quote, '\'' | '"')) else { return false };
        let Some((name, after)) = argument.get(1..).unwrap_or_default().split_once(quote) else { return false };
        let is_known = name.starts_with('.')
            || name.starts_with('/')
            || matches!(
                name.strip_prefix("node:").unwrap_or(name),
                "fs" | "fs/promises"
                    | "path"
                    | "os"
                    | "util"
                    | "url"
                    | "crypto"
                    | "assert"
                    | "http"
                    | "https"
                    | "zlib"
                    | "events"
                    | "stream"
                    | "querystring"
                    | "readline"
                    | "perf_hooks"
            )
            || !name.contains(':')
                && !matches!(
                    name,
                    "shelljs"
                        | "execa"
                        | "zx"
                        | "cross-spawn"
                        | "node-pty"
                        | "module"
                        | "process"
                        | "inspector"
                        | "domain"
                );
        if !is_known || !after.starts_with(')') {
            return false;
        }
        rest = after;
    }
    true
}

/// `s/…/…/ee` runs what it makes.
fn has_double_e(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let is_delimiter = !byte.is_ascii_alphanumeric() && *byte != b'_' && !byte.is_ascii_whitespace();
        at += 1;
        if is_delimiter {
            let flags: Vec<u8> =
                bytes.get(at..).unwrap_or_default().iter().copied().take_while(u8::is_ascii_alphabetic).collect();
            let is_flags = flags.iter().all(|flag| b"msixpodualngcer".contains(flag));
            if is_flags && flags.iter().filter(|flag| **flag == b'e').count() >= 2 {
                return true;
            }
        }
    }
    false
}

/// PHP's `$f(…)`
fn has_variable_call(text: &str) -> bool {
    text.split('$').skip(1).any(|rest| {
        let name = rest.trim_start_matches(|byte: char| {
            byte.is_alphanumeric() || byte == '_' || byte == '$' || byte == '{' || byte == '}'
        });
        name.trim_start().starts_with('(')
    })
}

/// Lua's `local o = os`
fn aliases_lua(text: &str) -> bool {
    let bytes = text.as_bytes();
    ["os", "io"].iter().any(|module| {
        text.match_indices(module).any(|(at, _)| {
            let is_word = |byte: Option<&u8>| {
                byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.')
            };
            let before = at.checked_sub(1).and_then(|at| bytes.get(at));
            let after = bytes.get(at + 2);
            !is_word(before) && !is_word(after)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::is_tame;
    use crate::programs::Language::{Lua, Node, Perl, Php, Python, Ruby};

    #[test]
    fn code_that_starts_nothing_is_tame() {
        let tame = [
            (Python, "import json; print(json.load(open('x.json'))['name'])"),
            (Python, "import os, sys; print(os.path.join('a', sys.argv[1]), os.environ.get('HOME'))"),
            (Python, "import torch; print(torch.__version__)"),
            (Python, "print(1 + 1)"),
            (Node, "console.log(require('./package.json').version)"),
            (Node, "const fs = require('fs'); console.log(fs.readFileSync('x', 'utf8').length)"),
            (Perl, "s/foo/bar/g"),
            (Perl, "print if /x/"),
            (Ruby, "puts 1"),
            (Php, "echo PHP_VERSION;"),
            (Lua, "print(1)"),
        ];
        for (language, code) in tame {
            assert!(is_tame(language, code.as_bytes()), "{language:?}: {code}");
        }
    }

    #[test]
    fn code_that_may_start_something_is_not() {
        let wild = [
            (Python, "import os; os.system('x')"),
            (Python, "import os as o; o.sys"),
            (Python, "from os import *"),
            (Python, "import random; random._os.abort()"),
            (Python, "__import__('o'+'s')"),
            (Python, "getattr(x, 'y')()"),
            (Python, "().__class__.__base__.__subclasses__()"),
            (Python, "import pty"),
            (Python, "ｅxec('x')"),
            (Node, "require('child_process')"),
            (Node, "require('child_'+'process')"),
            (Node, "const r = require; r('x')"),
            (Node, "require('child\\x5fprocess')"),
            (Node, "[].map.constructor('x')()"),
            (Node, "process.binding('x')"),
            (Perl, "system 'x'"),
            (Perl, "print `x`"),
            (Perl, "s/x/y/ee"),
            (Perl, "&$x('y')"),
            (Perl, "open F, 'x|'"),
            (Ruby, "`x`"),
            (Ruby, "Kernel.send(:a, 'x')"),
            (Php, "$f('x');"),
            (Php, "('sys'.'tem')('x');"),
            (Lua, "local o = os"),
            (Lua, "io.popen('x')"),
        ];
        for (language, code) in wild {
            assert!(!is_tame(language, code.as_bytes()), "{language:?}: {code}");
        }
    }
}
