//! The real path of a file, as gnulib's `canonicalize_filename_mode` finds it.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use hookshell_process::{is_missing, text};

/// What has to exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Every component.
    All,
    /// Every component but the last.
    AllButLast,
    /// No component.
    Nothing,
}

/// More symbolic links than this on a way are a loop: so many the kernel follows.
const MOST_LINKS: usize = 40;

/// The path without `.`, `..` and, if they are followed, symbolic links. `cwd` need not be the real one.
///
/// # Errors
/// What has to exist does not, or links lead in a circle.
pub fn canonicalize(cwd: &Path, name: &[u8], existing: Existing, follow: bool) -> io::Result<Vec<u8>> {
    if name.is_empty() {
        return Err(ErrorKind::NotFound.into());
    }
    if cfg!(windows) {
        return canonicalize_windows(&cwd.join(text::to_path(name)), existing);
    }
    let mut result = if name.first() == Some(&b'/') {
        Vec::new()
    } else {
        let real = cwd.canonicalize().unwrap_or_else(|_| cwd.to_path_buf());
        let bytes = text::from_path(&real).into_owned();
        if bytes == b"/" { Vec::new() } else { bytes }
    };
    let mut rest: VecDeque<Vec<u8>> = name.split(|byte| *byte == b'/').map(<[u8]>::to_vec).collect();
    let mut links = 0;
    while let Some(component) = rest.pop_front() {
        match &component[..] {
            b"" | b"." => continue,
            b".." => {
                let end = result.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
                result.truncate(end);
                continue;
            }
            _ => {}
        }
        let before = result.len();
        result.push(b'/');
        result.extend_from_slice(&component);
        let path = text::to_path(&result).into_owned();
        // Where links are not followed, a component in the middle is not looked at, and the last one counts as what it leads to.
        let is_middle = !rest.is_empty() && !needs_directory(&rest);
        if !follow && is_middle {
            continue;
        }
        let error = match if follow { path.symlink_metadata() } else { path.metadata() } {
            Ok(metadata) if follow && metadata.is_symlink() => {
                links += 1;
                if links > MOST_LINKS {
                    if existing == Existing::Nothing {
                        continue;
                    }
                    return Err(too_many_links());
                }
                let target = std::fs::read_link(&path)?;
                let target = text::from_path(&target).into_owned();
                if target.first() == Some(&b'/') {
                    result.clear();
                } else {
                    result.truncate(before);
                }
                for part in target.split(|byte| *byte == b'/').rev() {
                    rest.push_front(part.to_vec());
                }
                continue;
            }
            Ok(_) if needs_directory(&rest) => match path.metadata() {
                Ok(metadata) if metadata.is_dir() => continue,
                Ok(_) => ErrorKind::NotADirectory.into(),
                Err(error) => error,
            },
            Ok(_) => continue,
            Err(error) => error,
        };
        let is_last = rest.iter().all(Vec::is_empty);
        let may_miss = match existing {
            Existing::Nothing => true,
            Existing::AllButLast => is_missing(&error) && is_last,
            Existing::All => false,
        };
        if !may_miss {
            return Err(error);
        }
    }
    if result.is_empty() {
        result.push(b'/');
    }
    Ok(result)
}

/// Does what follows a component make sense after a directory only: a slash at the end, `.` at the end, or `..`?
fn needs_directory(rest: &VecDeque<Vec<u8>>) -> bool {
    let mut rest = rest.iter().peekable();
    if rest.peek().is_none() {
        return false;
    }
    for component in rest {
        match &component[..] {
            b"" | b"." => {}
            b".." => return true,
            _ => return false,
        }
    }
    true
}

fn too_many_links() -> io::Error {
    // ELOOP: 40 on Linux, 62 on macOS.
    io::Error::from_raw_os_error(if cfg!(target_os = "linux") { 40 } else { 62 })
}

/// With forward slashes, as `pwd` shows paths there.
fn canonicalize_windows(path: &Path, existing: Existing) -> io::Result<Vec<u8>> {
    let shown = |path: &Path| {
        let bytes = text::from_path(path).into_owned();
        let bytes = match bytes.strip_prefix(br"\\?\UNC\") {
            Some(share) => [br"\\", share].concat(),
            None => bytes.strip_prefix(br"\\?\").map_or(bytes.clone(), <[u8]>::to_vec),
        };
        bytes.into_iter().map(|byte| if byte == b'\\' { b'/' } else { byte }).collect::<Vec<u8>>()
    };
    match path.canonicalize() {
        Ok(real) => Ok(shown(&real)),
        Err(error) if existing == Existing::All => Err(error),
        Err(error) => {
            let lexical: PathBuf = path.components().fold(PathBuf::new(), |mut built, component| {
                match component {
                    std::path::Component::CurDir => {}
                    std::path::Component::ParentDir => {
                        built.pop();
                    }
                    component => built.push(component),
                }
                built
            });
            let (Some(parent), Some(name)) = (lexical.parent(), lexical.file_name()) else { return Err(error) };
            match parent.canonicalize() {
                Ok(real) => Ok(shown(&real.join(name))),
                Err(error) if existing == Existing::AllButLast => Err(error),
                Err(_) => Ok(shown(&lexical)),
            }
        }
    }
}

/// The way from a directory to a file; both are canonical.
pub fn relative(path: &[u8], base: &[u8]) -> Vec<u8> {
    let split = |path: &[u8]| -> Vec<Vec<u8>> {
        path.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let (path, base) = (split(path), split(base));
    let common = path.iter().zip(&base).take_while(|(a, b)| a == b).count();
    let ups = std::iter::repeat_n(b"..".to_vec(), base.len() - common);
    let parts: Vec<Vec<u8>> = ups.chain(path.into_iter().skip(common)).collect();
    if parts.is_empty() { b".".to_vec() } else { parts.join(&b'/') }
}

/// Is the file the directory or below it? Both are canonical.
pub fn is_below(path: &[u8], base: &[u8]) -> bool {
    base == b"/" || path.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.first() == Some(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::{is_below, relative};

    #[test]
    fn ways_between_paths() {
        let cases = [
            ("/a/b", "/a", "b"),
            ("/a", "/a", "."),
            ("/a", "/a/b", ".."),
            ("/a/c/d", "/a/b", "../c/d"),
            ("/", "/a", ".."),
            ("/x", "/", "x"),
            ("/", "/", "."),
        ];
        for (path, base, expected) in cases {
            assert_eq!(relative(path.as_bytes(), base.as_bytes()), expected.as_bytes(), "{path} {base}");
        }
        assert!(is_below(b"/a/b", b"/a") && is_below(b"/a", b"/a") && is_below(b"/x", b"/"));
        assert!(!is_below(b"/ab", b"/a"));
    }
}
