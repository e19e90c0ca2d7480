//! Whether code in another language can start a program.

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

/// Is there nothing in the code that can start a program?
pub(super) fn is_tame(language: Language, code: &[u8]) -> bool {
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
