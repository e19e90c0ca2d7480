//! Names that load or run something, by language.

use super::super::names::Language;

/// What counts in Perl, Ruby, Lua and PHP; of Python and JavaScript only for texts with code in them.
pub(super) struct Rules {
    /// Its text is a file that is loaded.
    pub(super) includes: &'static [&'static str],
    /// Its text is code of the same language.
    pub(super) evaluates: &'static [&'static str],
    /// Its text is a command.
    pub(super) runs: &'static [&'static str],
    /// What it does is only known when it runs.
    pub(super) always: &'static [&'static str],
}

impl Rules {
    pub(super) fn all(&self) -> impl Iterator<Item = &'static str> {
        [self.includes, self.evaluates, self.runs, self.always].into_iter().flatten().copied()
    }

    /// Is one of the names in a text, as a word with a parenthesis after it?
    pub(super) fn is_named_in(&self, text: &[u8]) -> bool {
        let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        self.all().any(|name| {
            let name = name.as_bytes();
            text.windows(name.len()).enumerate().any(|(at, part)| {
                part == name
                    && !is_part(at.checked_sub(1).and_then(|at| text.get(at)))
                    && text.get(at + name.len()..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"("))
            })
        })
    }
}

pub(super) fn rules(language: Language) -> Rules {
    match language {
        Language::Perl => Rules {
            includes: &["use", "require", "do", "no"],
            evaluates: &["eval"],
            runs: &["system", "exec", "open", "qx", "readpipe"],
            always: &["syscall", "dbmopen", "AUTOLOAD", "evalbytes", "ee", "open2", "open3"],
        },
        Language::Ruby => Rules {
            includes: &["require", "require_relative", "load", "autoload"],
            evaluates: &["eval", "instance_eval", "class_eval", "module_eval"],
            runs: &[
                "system",
                "exec",
                "spawn",
                "popen",
                "open",
                "capture2",
                "capture2e",
                "capture3",
                "popen3",
                "popen2",
                "pipeline",
            ],
            always: &[
                "send",
                "public_send",
                "__send__",
                "Marshal",
                "unsafe_load",
                "fork",
                "syscall",
                "Fiddle",
                "const_get",
                "RubyVM",
                "binding",
                "instance_exec",
                "method",
                "instance_method",
                "x",
            ],
        },
        Language::Lua => Rules {
            includes: &["require", "dofile", "loadfile"],
            evaluates: &["load", "loadstring"],
            runs: &["execute", "popen"],
            always: &["package", "loadlib", "setfenv", "_G", "_ENV", "debug"],
        },
        Language::Php => Rules {
            includes: &["include", "include_once", "require", "require_once"],
            evaluates: &["eval", "assert"],
            runs: &["system", "exec", "shell_exec", "passthru", "popen"],
            always: &[
                "proc_open",
                "pcntl_exec",
                "create_function",
                "call_user_func",
                "call_user_func_array",
                "unserialize",
                "dl",
                "array_map",
                "spl_autoload_register",
                "ReflectionFunction",
                "FFI",
                "putenv",
            ],
        },
        Language::JavaScript => Rules {
            includes: &["require", "import"],
            evaluates: &["eval", "Function"],
            runs: &["exec", "execSync", "spawn", "spawnSync", "execFile", "execFileSync", "fork"],
            always: &["constructor", "createRequire", "Worker", "dlopen", "binding", "_load"],
        },
        _ => Rules {
            includes: &["__import__", "import_module"],
            evaluates: &["exec", "eval", "compile"],
            runs: &["system", "popen", "Popen", "check_output", "check_call", "run", "call"],
            always: &["__builtins__", "execfile", "CDLL", "globals", "run_path", "run_module"],
        },
    }
}

/// Node's own modules that start nothing and load no code.
pub(super) const NODE_MODULES: &str = "assert assert/strict async_hooks buffer console constants crypto dgram diagnostics_channel dns \
    dns/promises domain events fs fs/promises http http2 https net os path path/posix path/win32 perf_hooks process punycode querystring \
    readline readline/promises stream stream/promises stream/web stream/consumers string_decoder sys timers timers/promises tls trace_events \
    tty url util util/types v8 zlib sqlite";

/// Those that run what they are given.
pub(super) const NODE_MODULES_THAT_RUN: &[&str] =
    &["vm", "module", "worker_threads", "cluster", "inspector", "inspector/promises", "repl", "wasi", "test", "sea"];

/// Modules of Python that run what they are given, or load code by other ways.
pub(super) const PYTHON_MODULES_THAT_RUN: &[&str] = &[
    "importlib",
    "runpy",
    "imp",
    "zipimport",
    "pkgutil",
    "ctypes",
    "cffi",
    "code",
    "codeop",
    "pty",
    "multiprocessing",
    "builtins",
    "site",
    "pexpect",
    "sh",
    "plumbum",
    "invoke",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "commands",
    "bdb",
    "pdb",
    "trace",
    "timeit",
    "profile",
    "cProfile",
    "doctest",
    "unittest",
    "ensurepip",
    "venv",
    "idlelib",
    "distutils",
    "setuptools",
    "webbrowser",
    "pydoc",
];

/// The names of Python's own modules (3.8 to 3.13), which a file in the script's directory stands in for.
pub(super) const PYTHON_MODULES: &str = "__future__ _ast _bisect _bootlocale _codecs _collections _collections_abc _compat_pickle _compression \
    _csv _datetime _decimal _elementtree _functools _hashlib _heapq _io _json _locale _lsprof _markupbase _md5 _operator _osx_support \
    _opcode _opcode_metadata _pickle _posixsubprocess _py_abc _pydatetime _pydecimal _pyio _queue _random _sha1 _sha2 _sha256 _sha512 _signal _sitebuiltins \
    _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct _symtable _sysconfig _thread _threading_local _tracemalloc _uuid \
    _warnings _weakref _weakrefset _winapi _zoneinfo abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit \
    audioop base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys \
    compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib \
    dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools \
    gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io \
    ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib \
    msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle \
    pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pyexpat queue \
    quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site sitecustomize \
    smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct \
    subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit \
    tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib usercustomize uu uuid venv \
    warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo";
