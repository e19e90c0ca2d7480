//! What is known of programs and variables by their names.
//!
//! Programs that are not named here count as unknown: what they load or run is only known when they do. So a name belongs here
//! only if such a program starts nothing and reads no code of the working directory by itself.

use std::ffi::OsStr;
use std::path::Path;

use hookshell_agents::programs::{self, Effect, Wrapper};
use hookshell_dispatch::command_line::KnownShell;

/// A language whose code is looked through for what it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Lua,
    Php,
    Awk,
    Sed,
    Jq,
    /// One whose code is not looked through.
    Other,
}

impl Language {
    /// What a file is written in, by its first line or its extension.
    pub(super) fn of_file(path: &Path, bytes: &[u8]) -> Option<Self> {
        if let Some(line) = bytes.strip_prefix(b"#!") {
            let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
            return words.find_map(|word| Self::of_interpreter(&stem(word)));
        }
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
        Some(match &*extension {
            "py" | "pyw" => Self::Python,
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Self::JavaScript,
            "pl" | "pm" => Self::Perl,
            "rb" => Self::Ruby,
            "lua" => Self::Lua,
            "php" => Self::Php,
            "awk" => Self::Awk,
            "sed" => Self::Sed,
            "jq" => Self::Jq,
            "ps1" | "psm1" | "cmd" | "bat" | "vbs" | "tcl" | "r" | "go" => Self::Other,
            _ => return None,
        })
    }

    /// What an interpreter runs, by its name without its version.
    pub(super) fn of_interpreter(name: &str) -> Option<Self> {
        Some(match name {
            "python" | "py" | "pypy" => Self::Python,
            "node" | "nodejs" | "deno" | "bun" | "tsx" | "ts-node" => Self::JavaScript,
            "perl" => Self::Perl,
            "ruby" => Self::Ruby,
            "lua" | "luajit" => Self::Lua,
            "php" => Self::Php,
            "awk" | "gawk" | "mawk" | "nawk" => Self::Awk,
            "sed" | "gsed" => Self::Sed,
            "jq" => Self::Jq,
            _ => return None,
        })
    }
}

/// Is it a shell of which the syntax is known?
pub(super) fn is_shell(name: &[u8]) -> bool {
    KnownShell::named(name).is_some_and(KnownShell::is_readable)
}

/// Programs that take a command line in a word, by rules that are not the shell's: `cmd /c "hooks\x.cmd a"`.
pub(super) const FOREIGN_SHELLS: [&str; 3] = ["cmd", "pwsh", "powershell"];

/// Programs that run what a project defines elsewhere.
pub(super) const RUNNERS: [&str; 14] =
    ["npm", "npx", "pnpm", "yarn", "make", "gmake", "just", "uv", "uvx", "poetry", "pipenv", "cargo", "go", "bundle"];

/// Built-in commands of the shell that run nothing and set nothing, whatever they are given.
pub(super) const PLAIN_BUILTINS: &[&str] = &[
    ":", "true", "false", "echo", "exit", "return", "break", "continue", "shift", "kill", "jobs", "bg", "fg", "disown",
    "umask", "ulimit", "pwd", "dirs", "times", "type", "set", "shopt", "unalias", "caller", "help", "logout",
    "suspend", "popd",
];

/// Programs that start no other program and load no code, whatever they are given (but for what `command.rs` says of a few
/// of their options). Their operands are data.
pub(super) const PURE: &[&str] = &[
    "cat",
    "tac",
    "head",
    "tail",
    "wc",
    "cut",
    "tr",
    "uniq",
    "sort",
    "comm",
    "join",
    "paste",
    "nl",
    "rev",
    "fold",
    "fmt",
    "expand",
    "unexpand",
    "pr",
    "column",
    "shuf",
    "tsort",
    "seq",
    "numfmt",
    "factor",
    "expr",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "zgrep",
    "zcat",
    "gzip",
    "gunzip",
    "bzip",
    "xz",
    "zstd",
    "ls",
    "dir",
    "vdir",
    "tree",
    "stat",
    "file",
    "du",
    "df",
    "basename",
    "dirname",
    "readlink",
    "realpath",
    "pathchk",
    "mkdir",
    "rmdir",
    "rm",
    "unlink",
    "cp",
    "mv",
    "ln",
    "link",
    "install",
    "touch",
    "truncate",
    "tee",
    "dd",
    "mktemp",
    "mkfifo",
    "chmod",
    "chown",
    "chgrp",
    "sync",
    "cmp",
    "diff",
    "sdiff",
    "md5sum",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shasum",
    "b2sum",
    "sum",
    "cksum",
    "md",
    "base",
    "base64",
    "base32",
    "basenc",
    "od",
    "xxd",
    "hexdump",
    "strings",
    "iconv",
    "date",
    "sleep",
    "uname",
    "hostname",
    "whoami",
    "id",
    "groups",
    "who",
    "users",
    "logname",
    "nproc",
    "uptime",
    "free",
    "ps",
    "pgrep",
    "pkill",
    "killall",
    "printenv",
    "tty",
    "stty",
    "tput",
    "clear",
    "getconf",
    "locale",
    "yes",
    "bc",
    "cal",
    "which",
    "cygpath",
    "uuidgen",
    "curl",
    "logger",
    "notify-send",
    "say",
    "afplay",
    "paplay",
    "aplay",
    "shellcheck",
];

/// More of them: formatters and checkers that load no code of a project, and clipboards.
pub(super) const PURE_TOOLS: &[&str] =
    &["shfmt", "gofmt", "rustfmt", "ruff", "yq", "pbcopy", "pbpaste", "xclip", "xsel", "wl-copy", "wl-paste", "cmark"];

/// A program that starts what stands after its options and operands, and that much is known of.
pub(super) fn wrapper(name: &str) -> Option<Wrapper> {
    programs::wrapper(name).filter(|wrapper| wrapper.effect != Effect::Unknown)
}

/// Does a variable of this name say what is run, or where code is looked for? By the manuals of bash, the dynamic loaders of
/// glibc and macOS, Python, Node.js, Perl, Ruby, Lua, PHP, Java, Go, git, less, make and others.
pub(super) fn names_code(name: &[u8]) -> bool {
    const WHOLE: &[&str] = &[
        "BASH_ENV",
        "ENV",
        "ZDOTDIR",
        "FPATH",
        "CDPATH",
        "BASHOPTS",
        "SHELLOPTS",
        "INPUTRC",
        "PROMPT_COMMAND",
        "PS0",
        "PS1",
        "PS2",
        "PS4",
        "BASH_ALIASES",
        "BASH_CMDS",
        "BASH_LOADABLES_PATH",
        "EXECIGNORE",
        "HISTFILE",
        "SHELL",
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_CONFIG_DIRS",
        "XDG_DATA_HOME",
        "XDG_DATA_DIRS",
        "EDITOR",
        "VISUAL",
        "FCEDIT",
        "PAGER",
        "MANPAGER",
        "BROWSER",
        "LESS",
        "LESSOPEN",
        "LESSCLOSE",
        "LESSKEY",
        "LESSKEYIN",
        "LESSKEY_SYSTEM",
        "LESSEDIT",
        "GCONV_PATH",
        "LOCPATH",
        "NLSPATH",
        "TERMINFO",
        "TERMINFO_DIRS",
        "OPENSSL_CONF",
        "OPENSSL_MODULES",
        "OPENSSL_ENGINES",
        "SSH_ASKPASS",
        "SUDO_ASKPASS",
        "RSYNC_RSH",
        "CVS_RSH",
        "TAR_OPTIONS",
        "GZIP",
        "GREP_OPTIONS",
        "RIPGREP_CONFIG_PATH",
        "CURL_HOME",
        "MAKEFILES",
        "MAKEFLAGS",
        "GNUMAKEFLAGS",
        "NODE_OPTIONS",
        "NODE_PATH",
        "NODE_REPL_EXTERNAL_MODULE",
        "PYTHONPATH",
        "PYTHONHOME",
        "PYTHONSTARTUP",
        "PYTHONUSERBASE",
        "PYTHONEXECUTABLE",
        "PYTHONPLATLIBDIR",
        "PYTHONPYCACHEPREFIX",
        "PYTHONBREAKPOINT",
        "PYTHONWARNINGS",
        "PYTHONINSPECT",
        "PERLLIB",
        "RUBYOPT",
        "RUBYLIB",
        "RUBYSHELL",
        "RUBYPATH",
        "GEM_HOME",
        "GEM_PATH",
        "CLASSPATH",
        "JAVA_TOOL_OPTIONS",
        "_JAVA_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "AWKPATH",
        "AWKLIBPATH",
        "PHPRC",
        "PHP_INI_SCAN_DIR",
        "VIMINIT",
        "EXINIT",
        "VIM",
        "VIMRUNTIME",
        "MYVIMRC",
        "COMSPEC",
        "PATHEXT",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_ASKPASS",
        "GIT_EXEC_PATH",
        "GIT_TEMPLATE_DIR",
        "GIT_EDITOR",
        "GIT_SEQUENCE_EDITOR",
        "GIT_PAGER",
        "GIT_EXTERNAL_DIFF",
        "GIT_PROXY_COMMAND",
        "GIT_DIR",
        "GIT_COMMON_DIR",
        "GIT_WORK_TREE",
        "GIT_ATTR_SOURCE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_MAN_VIEWER",
        "GIT_REDIRECT_STDIN",
    ];
    const STARTS: [&str; 7] = ["PERL5", "BUNDLE_", "LUA_", "GIT_CONFIG", "LD_", "DYLD_", "BASH_FUNC_"];
    let Ok(name) = std::str::from_utf8(name) else { return true };
    WHOLE.contains(&name) || STARTS.iter().any(|start| name.starts_with(start))
}

/// Is the value of a variable of this name expanded or run as shell code?
pub(super) fn holds_code(name: &[u8]) -> bool {
    const CODE: [&[u8]; 21] = [
        b"BASH_ENV",
        b"ENV",
        b"PROMPT_COMMAND",
        b"PS0",
        b"PS1",
        b"PS2",
        b"PS4",
        b"BASH_ALIASES",
        b"BASH_CMDS",
        b"GIT_SSH_COMMAND",
        b"GIT_EDITOR",
        b"GIT_SEQUENCE_EDITOR",
        b"GIT_PAGER",
        b"GIT_EXTERNAL_DIFF",
        b"EDITOR",
        b"VISUAL",
        b"PAGER",
        b"MANPAGER",
        b"LESSOPEN",
        b"LESSCLOSE",
        b"RSYNC_RSH",
    ];
    CODE.contains(&name)
}

/// Variables that the shell sets by itself to numbers.
pub(super) const NUMBERS: [&[u8]; 16] = [
    b"RANDOM",
    b"SRANDOM",
    b"SECONDS",
    b"LINENO",
    b"UID",
    b"EUID",
    b"PPID",
    b"BASHPID",
    b"SHLVL",
    b"EPOCHSECONDS",
    b"COLUMNS",
    b"LINES",
    b"OPTIND",
    b"BASH_SUBSHELL",
    b"HISTCMD",
    b"PIPESTATUS",
];

/// Variables that the shell sets by itself, to what is only known when it runs.
pub(super) const DYNAMIC: [&[u8]; 14] = [
    b"_",
    b"REPLY",
    b"OPTARG",
    b"BASH_COMMAND",
    b"BASH_REMATCH",
    b"BASH_ARGV",
    b"BASH_ARGC",
    b"BASH_ARGV0",
    b"BASH_EXECUTION_STRING",
    b"FUNCNAME",
    b"MAPFILE",
    b"COPROC",
    b"COPROC_PID",
    b"EPOCHREALTIME",
];

/// No program that is known by its name has a longer one.
const NAME_LIMIT: usize = 64;

/// A program's name without directory, extension and version: `/usr/bin/python3.12` is `python`. Empty for what is too long to
/// be one that is known.
pub(super) fn stem(word: &[u8]) -> String {
    if word == b"." || word == b":" {
        return String::from_utf8_lossy(word).into_owned();
    }
    // The end of a long one is that of a name that is too long as well.
    let word = word.get(word.len().saturating_sub(NAME_LIMIT + 1)..).unwrap_or(word);
    let name = word.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    if name.len() > NAME_LIMIT {
        return String::new();
    }
    let name = match cfg!(any(windows, target_os = "macos")) {
        true => String::from_utf8_lossy(name).to_ascii_lowercase(),
        false => String::from_utf8_lossy(name).into_owned(),
    };
    let name = name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd")).unwrap_or(&name);
    name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.').to_owned()
}
