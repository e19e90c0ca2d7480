//! Paths in the arguments of Windows' programs, as scripts for Git Bash write them.
//!
//! Git Bash (MSYS2) changes arguments on the way to a program that is no program of its own: `/c/x` becomes `C:/x`. What it takes for
//! a path is often none (`/c` of `cmd`, a regular expression, the right half of `docker -v /c/x:/app`). Here an argument is only
//! changed where it can hardly be anything else: below a drive or `/tmp`, where that file or its directory is.

use std::borrow::Cow;

/// What decides about paths.
pub(crate) struct Paths<'a> {
    /// The path of Windows that a script's path below a drive or `/tmp` stands for; `None` for every other path.
    pub(crate) mounted: &'a dyn Fn(&[u8]) -> Option<Vec<u8>>,
    /// Is there something of this path?
    pub(crate) is_there: &'a dyn Fn(&[u8]) -> bool,
}

/// The arguments of a program, each as the program is to get it. `excluded`: MSYS2's `MSYS2_ARG_CONV_EXCL`, beginnings of arguments
/// that stay, with `;` between them, or `*`.
pub(crate) fn convert(arguments: &mut [Vec<u8>], excluded: &[u8], paths: &Paths<'_>) {
    let excluded: Vec<&[u8]> = excluded.split(|byte| *byte == b';').filter(|part| !part.is_empty()).collect();
    if excluded.contains(&&b"*"[..]) {
        return;
    }
    for argument in arguments {
        if !excluded.iter().any(|part| argument.starts_with(part))
            && let Cow::Owned(converted) = one(argument, paths)
        {
            *argument = converted;
        }
    }
}

fn one<'a>(argument: &'a [u8], paths: &Paths<'_>) -> Cow<'a, [u8]> {
    if let Some(rest) = argument.strip_prefix(b"//") {
        // `cmd //c`: how an option with a slash is written for Git Bash. Another slash makes it a share.
        let is_option = !rest.is_empty() && !rest.iter().any(|byte| matches!(byte, b'/' | b'\\' | b' ' | b'\n'));
        return if is_option { Cow::Owned([b"/", rest].concat()) } else { Cow::Borrowed(argument) };
    }
    let has = |part: &[u8]| argument.windows(part.len()).any(|found| found == part);
    let is_text = argument.iter().any(|byte| matches!(byte, b'\'' | b'"' | b'`' | b'<' | b'>' | b'|' | b';' | b'\n'));
    if is_text || has(b"://") {
        return Cow::Borrowed(argument);
    }
    let (before, path) = argument.split_at(before_path(argument));
    let converted = match path.contains(&b':') {
        _ if path == b"/dev/null" => Some(b"nul".to_vec()),
        false => converted(path, paths),
        true => list(path, paths),
    };
    converted.map_or(Cow::Borrowed(argument), |path| Cow::Owned([before, &path].concat()))
}

/// How long what stands before a path is: nothing, `--option=`, `NAME=`, `-I`, `@`.
fn before_path(argument: &[u8]) -> usize {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let name = argument.iter().take_while(|byte| is_name(byte)).count();
    match argument {
        [b'@', b'/', ..] => 1,
        [b'-', letter, b'/', ..] if letter.is_ascii_alphabetic() => 2,
        _ if name > 0 && argument.get(name) == Some(&b'=') => name + 1,
        _ => 0,
    }
}

/// `/c/x`: `C:/x`.
fn converted(path: &[u8], paths: &Paths<'_>) -> Option<Vec<u8>> {
    let mounted = (paths.mounted)(path)?;
    let converted: Vec<u8> = mounted.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect();
    // A pattern that the program expands: what stands before it is there.
    let fixed = converted.iter().position(|byte| matches!(byte, b'*' | b'?' | b'[')).unwrap_or(converted.len());
    let fixed = converted.get(..fixed).unwrap_or_default();
    let parent = fixed.iter().rposition(|byte| *byte == b'/').map(|at| fixed.get(..at).unwrap_or_default());
    // Nearly every argument that begins with `/c/` has the root of the drive above it.
    let has_parent = parent.is_some_and(|parent| parent.len() > 2 && (paths.is_there)(parent));
    (fixed.len() == converted.len() && (paths.is_there)(fixed) || has_parent).then_some(converted)
}

/// `/c/a:/d/b`: `C:\\a;D:\\b`, where each element is such a path.
fn list(path: &[u8], paths: &Paths<'_>) -> Option<Vec<u8>> {
    let elements: Option<Vec<Vec<u8>>> = path.split(|byte| *byte == b':').map(|path| converted(path, paths)).collect();
    let mut joined = elements?.join(&b';');
    joined.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = b'\\');
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::{Paths, convert};

    #[test]
    fn only_what_is_a_path_below_a_drive_is_changed() {
        let cases = [
            ("/c/app/x.js", "C:/app/x.js"),
            ("/c/app", "C:/app"),
            ("/c/app/new.txt", "C:/app/new.txt"),
            ("/c/app/*.js", "C:/app/*.js"),
            ("/tmp/x", "C:/Temp/x"),
            ("--out=/c/app/x", "--out=C:/app/x"),
            ("OUT=/c/app/x", "OUT=C:/app/x"),
            ("-I/c/app", "-IC:/app"),
            ("@/c/app/x", "@C:/app/x"),
            ("/c/app:/d/lib", "C:\\app;D:\\lib"),
            ("--path=/c/app:/d/lib", "--path=C:\\app;D:\\lib"),
            ("//c", "/c"),
            ("//nologo", "/nologo"),
            ("//t:Build", "/t:Build"),
            ("/dev/null", "nul"),
            ("--output=/dev/null", "--output=nul"),
            // Options, patterns, other roots, what is no file.
            ("/c", "/c"),
            ("/q/x", "/q/x"),
            ("/c/.test(x)", "/c/.test(x)"),
            ("/c/nothing/x", "/c/nothing/x"),
            ("/usr/bin/env", "/usr/bin/env"),
            ("/c/app:/inside", "/c/app:/inside"),
            ("/c/app/x.ts:12", "/c/app/x.ts:12"),
            ("//server/share", "//server/share"),
            ("// a comment", "// a comment"),
            ("/dev/null/x", "/dev/null/x"),
            ("/dev/stdin", "/dev/stdin"),
            ("http://c/app", "http://c/app"),
            ("file:///c/app", "file:///c/app"),
            ("cat /c/app/x", "cat /c/app/x"),
            ("require('/c/app/x')", "require('/c/app/x')"),
            ("/c/app/x\ny", "/c/app/x\ny"),
            ("C:/app/x", "C:/app/x"),
            ("a/c/app", "a/c/app"),
            ("-/c/app", "-/c/app"),
            ("//", "//"),
            ("", ""),
        ];
        for (argument, expected) in cases {
            assert_eq!(converted(argument, ""), expected, "{argument:?}");
        }
    }

    #[test]
    fn beginnings_that_are_excluded_stay() {
        for excluded in ["*", "/c/app", "x;/c/", ";/c"] {
            assert_eq!(converted("/c/app", excluded), "/c/app", "{excluded}");
        }
        for excluded in ["", "/d", "--out="] {
            assert_eq!(converted("/c/app", excluded), "C:/app", "{excluded}");
        }
    }

    fn converted(argument: &str, excluded: &str) -> String {
        let mounted = |path: &[u8]| {
            let path = std::str::from_utf8(path).ok()?;
            let below = |root: &str, to: &str| path.strip_prefix(root).map(|rest| format!("{to}{rest}").into_bytes());
            below("/c/", "C:\\").or_else(|| below("/d/", "D:\\")).or_else(|| below("/tmp/", "C:\\Temp\\"))
        };
        let is_there =
            |path: &[u8]| [&b"C:/app"[..], b"C:/app/x.js", b"C:/app/x", b"D:/lib", b"C:/Temp"].contains(&path);
        let mut arguments = [argument.as_bytes().to_vec()];
        convert(&mut arguments, excluded.as_bytes(), &Paths { mounted: &mounted, is_there: &is_there });
        String::from_utf8(arguments.concat()).unwrap_or_default()
    }
}
