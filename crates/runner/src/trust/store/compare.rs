//! What a hook is now beside what was trusted.

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{SIZE_LIMIT, TrustStatus, line};
use crate::config::HookConfig;
use crate::read_file::read_regular;
use crate::trust::path_text;
use crate::trust::record::{FileRecord, HookRecord};
use crate::trust::scan::{ScriptFile, hex};
use crate::trust::trace::Trace;
use crate::trust::watch::{leads_elsewhere, other_contents};

/// The status of a hook that is not trusted as it is defined now, whatever the files are that it names.
pub(super) fn unknown_definition(hook: &HookConfig, definition: &str, trusted: &[HookRecord]) -> Option<TrustStatus> {
    if trusted.iter().any(|record| record.definition == definition) {
        return None;
    }
    let (event, command) = (hook.event.to_string(), line(hook));
    Some(match trusted.iter().any(|record| record.event == event && record.command == command) {
        true => TrustStatus::Changed("its settings".to_owned()),
        false => TrustStatus::New,
    })
}

/// What was trusted of a hook that is as it was; or its status.
pub(super) fn as_trusted_before<'r>(
    hook: &HookConfig,
    definition: &str,
    files: &[ScriptFile],
    trusted: &'r [HookRecord],
    project_dir: &Path,
) -> Result<&'r HookRecord, TrustStatus> {
    if let Some(status) = unknown_definition(hook, definition, trusted) {
        return Err(status);
    }
    let mut what = String::new();
    for record in trusted.iter().filter(|record| record.definition == definition) {
        let new = || files.iter().find_map(|file| other_than(record, file));
        match record.files.iter().find_map(|file| missing(file, files, project_dir)).or_else(new) {
            None => return Ok(record),
            Some(difference) => what = difference,
        }
    }
    Err(TrustStatus::Changed(what))
}

/// What is different about a file that the hook names now, if it is not one of those that were trusted.
fn other_than(record: &HookRecord, file: &ScriptFile) -> Option<String> {
    let path = path_text::to_text(&file.path);
    if record.files.iter().any(|have| is_same(have, &path, &file.sha256)) {
        return None;
    }
    match record.files.iter().any(|have| is_same_path(&have.path, &path)) {
        true => Some(other_contents(&file.path)),
        false => Some(format!("{}: it is not one of the files that were trusted", file.path.display())),
    }
}

/// What is wrong with a file that was trusted, by the path by which it was named: it must be there, and lead to the same
/// place with the same contents, or the hook is another one. `files`: what was just read.
fn missing(record: &FileRecord, files: &[ScriptFile], project_dir: &Path) -> Option<String> {
    let Some(named) = &record.named else {
        return Some(format!(
            "{}: it was trusted by an older hookshell, which did not keep by what path it is named",
            record.path
        ));
    };
    let Some(named) = named_path(named, project_dir) else {
        return Some(format!("{named}: it is no path (trust.json is damaged)"));
    };
    let trace = match Trace::of(&named) {
        Ok(trace) => trace,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Some(format!("{}: it is not there any more", named.display()));
        }
        Err(error) => return Some(format!("{}: {error}", named.display())),
    };
    let end = path_text::to_text(trace.end());
    if !is_same_path(&record.path, &end) {
        return Some(leads_elsewhere(&named, trace.end()));
    }
    let read = files.iter().find(|file| is_same_path(&path_text::to_text(&file.path), &end));
    let sha256 = match read {
        Some(file) => file.sha256.clone(),
        // From another working directory the hook may not lead there.
        None => match read_regular(trace.end(), SIZE_LIMIT) {
            Ok(contents) => hex(&Sha256::digest(&contents)),
            Err(error) => return Some(format!("{}: {error}", named.display())),
        },
    };
    (sha256 != record.sha256).then(|| other_contents(trace.end()))
}

/// The path of a record's `named`.
pub(super) fn named_path(named: &str, project_dir: &Path) -> Option<PathBuf> {
    match named.strip_prefix("./") {
        Some(inside) => Some(project_dir.join(inside)),
        None => path_text::to_path(named),
    }
}

/// The same file with the same contents.
pub(super) fn is_same(have: &FileRecord, path: &str, sha256: &str) -> bool {
    is_same_path(&have.path, path) && have.sha256 == sha256
}

/// Where the system's file names know no case, a path may come in either.
fn is_same_path(left: &str, right: &str) -> bool {
    match cfg!(any(windows, target_os = "macos")) {
        true => left.to_lowercase() == right.to_lowercase(),
        false => left == right,
    }
}
