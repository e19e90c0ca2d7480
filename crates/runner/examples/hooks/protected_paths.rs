//! Keeps tools from writing to files that are not the agent's: secrets, installed packages, git's own files.
//!
//! As a shell hook: `examples/lifecycle/hooks/protected-paths.sh`.

use std::path::{Path, PathBuf};

use hookshell_runner::inprocess::{BadPattern, EventKind, HookRegistry, Response};

/// Adds the hook for tools that write files.
pub(crate) fn register<H: Send + 'static>(hooks: &mut HookRegistry<H>) -> Result<(), BadPattern> {
    hooks.add_with_pattern(EventKind::PreToolUse, "(?i)^(write|edit|multiedit)$", async |ctx| {
        let input = ctx.tool_input.as_ref();
        let path = |key: &str| input.and_then(|input| input[key].as_str());
        let Some(path) = path("file_path").or_else(|| path("path")) else {
            return Response::none();
        };
        // As it is written, and where a link leads.
        let places = [PathBuf::from(path), resolved(&ctx.cwd().join(path))];
        match places.iter().find_map(|place| protected(place)) {
            Some(name) => Response::deny(format!("{path} is protected ({name})")),
            None => Response::none(),
        }
    })?;
    Ok(())
}

/// The part of a path that is protected. Names are compared without case: so do Windows and macOS.
fn protected(path: &Path) -> Option<String> {
    let path = path.to_string_lossy().replace('\\', "/").to_ascii_lowercase();
    let is_protected = |name: &&str| {
        matches!(*name, ".git" | "node_modules" | ".env") || name.starts_with(".env.") && *name != ".env.example"
    };
    path.split('/').find(is_protected).map(str::to_owned)
}

/// A path with the links of what of it exists followed.
fn resolved(path: &Path) -> PathBuf {
    let mut rest = PathBuf::new();
    for parent in path.ancestors() {
        if let Ok(real) = parent.canonicalize() {
            return real.join(path.strip_prefix(parent).unwrap_or(Path::new("")));
        }
        rest = parent.to_owned();
    }
    rest
}
