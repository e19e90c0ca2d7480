//! What a file looks like: shell code, code of another language, a program, data.

use std::ffi::OsStr;
use std::path::Path;

use hookshell_dispatch::is_polyglot;

use super::names;

/// What a file looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Shell code.
    Shell,
    /// Code of another language.
    Script,
    /// Machine code.
    Program,
    Data,
}

impl Kind {
    pub(super) fn of(path: &Path, bytes: &[u8], metadata: &std::fs::Metadata) -> Self {
        const CODE: [&str; 26] = [
            "py", "pyw", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "rb", "pl", "pm", "lua", "php", "ps1",
            "psm1", "awk", "sed", "jq", "cmd", "bat", "vbs", "tcl", "r", "go",
        ];
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
        if let Some(line) = bytes.strip_prefix(b"#!") {
            let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let words = line.split(|byte| matches!(byte, b'/' | b' ' | b'\t' | b'\r'));
            let is_shell = words.into_iter().any(names::is_shell);
            return if is_shell { Self::Shell } else { Self::Script };
        }
        if names::is_shell(extension.as_bytes()) {
            return Self::Shell;
        }
        if matches!(&*extension, "cmd" | "bat") && is_polyglot(bytes) {
            return Self::Shell;
        }
        if CODE.contains(&&*extension) {
            return Self::Script;
        }
        let head = bytes.get(..256).unwrap_or(bytes);
        if head.contains(&0) {
            let is_program = extension == "exe"
                || [&b"\x7fELF"[..], b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"]
                    .iter()
                    .any(|magic| head.starts_with(magic));
            return if is_program { Self::Program } else { Self::Data };
        }
        // A file that may be executed and has no `#!` line is run as shell code.
        if is_executable(metadata) { Self::Shell } else { Self::Data }
    }
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    false
}
