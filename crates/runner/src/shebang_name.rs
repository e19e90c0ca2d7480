//! Whose script a file is.

/// The name of the interpreter that a script's `#!` line asks for, without its directory.
pub(crate) fn shebang_name(script: &[u8]) -> Option<String> {
    let line = script.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).into_owned();
    let mut words = line.split_whitespace();
    let base = |word: &str| word.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let name = base(words.next()?);
    if name != "env" {
        return Some(name.trim_end_matches(".exe").to_owned());
    }
    words.find(|word| !word.starts_with('-') && !word.contains('=')).map(base)
}

#[cfg(test)]
mod tests {
    use super::shebang_name;

    #[test]
    fn whose_script_it_is() {
        let cases: [(&str, Option<&str>); 6] = [
            ("#!/bin/bash\necho", Some("bash")),
            ("#!/usr/bin/env python3\r\n", Some("python3")),
            ("#!/usr/bin/env -S node --flag\n", Some("node")),
            ("#! C:/Git/bin/sh.exe -e\n", Some("sh")),
            ("#!\n", None),
            ("echo\n", None),
        ];
        for (script, expected) in cases {
            assert_eq!(shebang_name(script.as_bytes()).as_deref(), expected, "{script:?}");
        }
    }
}
