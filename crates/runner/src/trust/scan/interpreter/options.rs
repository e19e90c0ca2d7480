//! The options of interpreters: which are given code, which load a file.

use hookshell_process::text;

use super::super::Use;
use super::super::names::Language;
use super::super::source::Source;
use super::super::word::{Values, is_known};

/// What `-c`, `-e` and the like of an interpreter are.
pub(super) struct Spelling {
    /// Letters whose next word, or the rest of theirs, is code.
    pub(super) code: &'static [u8],
    /// Letters whose next word, or the rest of theirs, is something else.
    pub(super) value: &'static [u8],
    /// Long options whose next word is code.
    pub(super) long_code: &'static [&'static str],
    /// Long options whose next word is something else.
    pub(super) long_value: &'static [&'static str],
}

pub(super) fn spelling(language: Language) -> Spelling {
    match language {
        Language::Python => {
            Spelling { code: b"c", value: b"mWX", long_code: &[], long_value: &["--check-hash-based-pycs"] }
        }
        Language::JavaScript => Spelling {
            code: b"ep",
            value: b"rC",
            long_code: &["--eval", "--print"],
            long_value: &[
                "--require",
                "--import",
                "--loader",
                "--experimental-loader",
                "--env-file",
                "--conditions",
                "--input-type",
                "--title",
            ],
        },
        Language::Perl => Spelling { code: b"eE", value: b"", long_code: &[], long_value: &[] },
        Language::Ruby => Spelling { code: b"e", value: b"rIEC", long_code: &[], long_value: &["--encoding"] },
        Language::Lua => Spelling { code: b"e", value: b"l", long_code: &[], long_value: &[] },
        Language::Php => Spelling {
            code: b"rBRE",
            value: b"cdfFgStTz",
            long_code: &["--run", "--process-begin", "--process-code", "--process-end"],
            long_value: &["--define", "--file", "--process-file", "--php-ini", "--server", "--docroot"],
        },
        Language::Awk => Spelling {
            code: b"e",
            value: b"FvfilmoE",
            long_code: &["--source"],
            long_value: &["--field-separator", "--assign", "--file", "--include", "--load", "--exec"],
        },
        Language::Sed => Spelling {
            code: b"e",
            value: b"fl",
            long_code: &["--expression"],
            long_value: &["--file", "--line-length"],
        },
        Language::Jq => Spelling {
            code: b"",
            value: b"fL",
            long_code: &[],
            long_value: &["--from-file", "--library-path", "--indent"],
        },
        Language::Other => Spelling { code: b"", value: b"", long_code: &[], long_value: &[] },
    }
}

impl Source<'_, '_> {
    /// Is this option's value a file with code, so that no operand is code?
    pub(super) fn loads(&self, language: Language, option: &[u8]) -> bool {
        match language {
            Language::Awk if option == b"-E" || option.len() > 2 && b"--exec".starts_with(option) => true,
            Language::Awk | Language::Sed => option == b"-f" || option.len() > 2 && b"--file".starts_with(option),
            Language::Jq => option == b"-f" || option.len() > 2 && b"--from-file".starts_with(option),
            _ => false,
        }
    }

    /// The value of an interpreter's option.
    pub(super) fn option_value(&mut self, language: Language, option: &[u8], values: &Values, shown: &str) {
        let is_data = match language {
            Language::Awk => {
                matches!(option, b"-v" | b"-F" | b"-m" | b"-o")
                    || option.len() > 2 && (b"--assign".starts_with(option) || b"--field-separator".starts_with(option))
            }
            Language::Sed => option == b"-l" || option.starts_with(b"--l"),
            Language::Jq => option.starts_with(b"--in"),
            Language::JavaScript => matches!(option, b"-C" | b"--conditions" | b"--input-type" | b"--title"),
            Language::Ruby => matches!(option, b"-E" | b"--encoding"),
            _ => false,
        };
        if is_data {
            return;
        }
        if !is_known(values) {
            self.unknown(shown);
        }
        for value in values {
            match (language, option) {
                (Language::Python, b"-m") => self.python_module(value),
                (Language::Python, _) => {
                    // `-W error::module.Class` imports the module.
                    let module = value.rsplit(|byte| *byte == b':').next().unwrap_or_default();
                    if value.contains(&b':') && module.contains(&b'.') {
                        let parent = module.iter().rposition(|byte| *byte == b'.').unwrap_or(0);
                        self.python_module(module.get(..parent).unwrap_or_default());
                    }
                }
                _ => {
                    self.path(value, Use::Script(language));
                    self.candidates(value, Use::Given);
                    self.included(language, value);
                    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:=,-./".contains(byte);
                    if language == Language::Perl && matches!(option, b"-M" | b"-m") {
                        // `-M'POSIX; do "./x"'` is `use POSIX; do "./x"`.
                        if !value.iter().all(is_name) {
                            self.foreign(language, &[b"use ", &value[..], b";"].concat());
                        }
                        if value.starts_with(b"lib") {
                            self.scan.uncertain(format!("the code below {}", String::from_utf8_lossy(value)));
                        }
                    }
                    if language == Language::Php && option == b"-d" && value.starts_with(b"auto_") {
                        self.scan.uncertain(format!("what `php -d {}` loads", String::from_utf8_lossy(value)));
                    }
                    let is_dir = self.scan.dirs.iter().any(|dir| {
                        let path = dir.join(text::to_path(value));
                        path.is_dir() && self.scan.is_inside(&path)
                    });
                    if is_dir || option == b"-x" {
                        self.scan.uncertain(format!("the code below {}", String::from_utf8_lossy(value)));
                    }
                }
            }
        }
    }

    /// `python3 -m NAME`, from the working directory first.
    pub(super) fn python_module(&mut self, name: &[u8]) {
        const HARMLESS: [&[u8]; 16] = [
            b"",
            b"json.tool",
            b"json",
            b"base64",
            b"gzip",
            b"zipfile",
            b"tarfile",
            b"calendar",
            b"platform",
            b"py_compile",
            b"compileall",
            b"tabnanny",
            b"tokenize",
            b"ast",
            b"uuid",
            b"http.server",
        ];
        let before = self.scan.pass.listed.len();
        self.module(name);
        let is_of_project = self.scan.pass.listed.len() > before
            || self.scan.dirs.iter().any(|dir| {
                let path = String::from_utf8_lossy(name).replace('.', "/");
                ["py", "/__main__.py", "/__init__.py"].iter().any(|end| match end.strip_prefix('/') {
                    Some(file) => dir.join(&path).join(file).is_file(),
                    None => dir.join(format!("{path}.{end}")).is_file(),
                })
            });
        self.shadowed_modules();
        if !is_of_project && !HARMLESS.contains(&name) {
            self.scan.uncertain(format!("what `python3 -m {}` loads or runs", String::from_utf8_lossy(name)));
        }
    }
}

/// A long option of Node.js that loads nothing.
pub(super) fn is_harmless_for_node(option: &[u8]) -> bool {
    const STARTS: [&[u8]; 17] = [
        b"--no-",
        b"--trace-",
        b"--max-",
        b"--enable-source-maps",
        b"--check",
        b"--version",
        b"--help",
        b"--stack-",
        b"--use-strict",
        b"--harmony",
        b"--unhandled-rejections",
        b"--disable-warning",
        b"--throw-deprecation",
        b"--experimental-strip-types",
        b"--experimental-vm-modules",
        b"--pending-deprecation",
        b"--abort-on",
    ];
    STARTS.iter().any(|start| option.starts_with(start))
}
