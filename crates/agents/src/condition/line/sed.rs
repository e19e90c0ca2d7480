//! sed's scripts (POSIX XCU sed, and GNU sed 4.9): may one start a command?

/// Is there neither the command `e` nor the flag `e` of `s`? What is no script is not tame.
pub(super) fn is_tame(script: &[u8]) -> bool {
    let mut rest = script;
    loop {
        let skipped = rest.iter().position(|byte| !byte.is_ascii_whitespace() && !b";{}!".contains(byte));
        let Some(at) = skipped else { return true };
        rest = rest.get(at..).unwrap_or_default();
        let Some(next) = command(rest) else { return false };
        rest = next;
    }
}

/// Does a script write files: the commands `w` and `W`, the flag `w` of `s`? What is no script may.
pub(super) fn may_write(script: &[u8]) -> bool {
    let mut rest = script;
    loop {
        let skipped = rest.iter().position(|byte| !byte.is_ascii_whitespace() && !b";{}!".contains(byte));
        let Some(at) = skipped else { return false };
        rest = rest.get(at..).unwrap_or_default();
        let Some(next) = command(rest) else { return rest.iter().any(|byte| b"wW".contains(byte)) };
        let read = rest.get(..rest.len() - next.len()).unwrap_or_default();
        if is_writing(read) {
            return true;
        }
        rest = next;
    }
}

/// Is this one command, of which [`command`] has found the end, one that writes?
fn is_writing(command: &[u8]) -> bool {
    let Some(rest) = addressed(command) else { return true };
    match rest.split_first() {
        Some((b'w' | b'W', _)) => true,
        Some((b's', after)) => {
            let flags =
                after.split_first().and_then(|(delimiter, after)| delimited(replaced(after, *delimiter)?, *delimiter));
            flags.is_none_or(|flags| flags.contains(&b'w'))
        }
        _ => false,
    }
}

/// What follows the addresses of a command.
fn addressed(script: &[u8]) -> Option<&[u8]> {
    let mut rest = script;
    loop {
        let (byte, after) = rest.split_first()?;
        match byte {
            b'0'..=b'9' | b'$' | b',' | b'~' | b'+' | b'!' | b' ' | b'\t' => rest = after,
            b'/' => {
                rest = delimited(after, b'/')?;
                rest = flags(rest, b"IM");
            }
            b'\\' => {
                let (delimiter, after) = after.split_first()?;
                rest = delimited(after, *delimiter)?;
                rest = flags(rest, b"IM");
            }
            _ => return Some(rest),
        }
    }
}

/// What follows a command with its addresses.
fn command(script: &[u8]) -> Option<&[u8]> {
    let (name, after) = addressed(script)?.split_first()?;
    match name {
        b'{' | b'}' | b'=' | b'd' | b'D' | b'g' | b'G' | b'h' | b'H' | b'n' | b'N' | b'p' | b'P' | b'x' | b'z'
        | b'F' => Some(after),
        b'q' | b'Q' | b'l' | b'L' => Some(flags(after, b" 0123456789")),
        b'#' | b'r' | b'R' | b'w' | b'W' => Some(line(after)),
        // The text continues after a newline that a backslash stands before.
        b'a' | b'i' | b'c' => {
            let mut rest = after;
            loop {
                let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                let before = rest.get(..end).unwrap_or_default();
                rest = rest.get(end..).unwrap_or_default();
                let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
                if backslashes % 2 == 0 || rest.is_empty() {
                    return Some(rest);
                }
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        b':' | b'b' | b't' | b'T' | b'v' => {
            let end = after.iter().position(|byte| matches!(byte, b'\n' | b';' | b'}')).unwrap_or(after.len());
            after.get(end..)
        }
        b'y' => {
            let (delimiter, after) = after.split_first()?;
            delimited(delimited(after, *delimiter)?, *delimiter)
        }
        b's' => {
            let (delimiter, after) =
                after.split_first().filter(|(delimiter, _)| !matches!(delimiter, b'\n' | b'\\'))?;
            let rest = delimited(replaced(after, *delimiter)?, *delimiter)?;
            let rest = flags(rest, b"gpiImM0123456789");
            match rest.first() {
                Some(b'w') => Some(line(rest)),
                None | Some(b';' | b'}' | b'\n' | b' ' | b'\t' | b'\r' | b'#') => Some(rest),
                _ => None,
            }
        }
        // `e`, and what is not known.
        _ => None,
    }
}

fn flags<'t>(text: &'t [u8], flags: &[u8]) -> &'t [u8] {
    let end = text.iter().position(|byte| !flags.contains(byte)).unwrap_or(text.len());
    text.get(end..).unwrap_or_default()
}

fn line(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    text.get(end..).unwrap_or_default()
}

/// What follows a regular expression: its end, which may not stand in a set by some and may by others.
fn replaced(text: &[u8], delimiter: u8) -> Option<&[u8]> {
    delimited(text, delimiter)
}

/// What follows the closing delimiter. In a set of characters GNU's sed takes it for an ordinary one, others do not.
fn delimited(text: &[u8], delimiter: u8) -> Option<&[u8]> {
    let mut at = 0;
    let mut in_set = false;
    loop {
        match text.get(at)? {
            b'\\' => at += 1,
            b'[' if delimiter != b'[' => in_set = true,
            b']' => in_set = false,
            byte if *byte == delimiter => return if in_set { None } else { text.get(at + 1..) },
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{is_tame, may_write};

    #[test]
    fn commands_are_told_from_text() {
        for tame in [
            "s/foo/bar/g",
            "1,5p",
            "/re/d",
            "$!N;s/\\n/ /",
            "s|/usr|/opt|g;s#a#b#",
            "/start/,/end/{p;d}",
            "1i\\\nexec e",
            "y/abc/xyz/",
            "s/[0-9]+/n/gp",
            ":a;N;$!ba;s/x/y/",
            "2q",
            "s/e/e/w out",
        ] {
            assert!(is_tame(tame.as_bytes()), "{tame}");
        }
        for wild in [
            "1e",
            "e rm x",
            "s/x/rm y/e",
            "s/x/y/ge",
            "1{e rm\n}",
            "s/a/b/;1e",
            "s/x/y",
            "s/[/]x/e;/e",
            "/x/I,/y/e",
            "s,a,b,pe",
        ] {
            assert!(!is_tame(wild.as_bytes()), "{wild}");
        }
    }

    #[test]
    fn what_writes_is_told_from_letters() {
        for writing in ["w x", "1,3w x", "/re/W x", "s/a/b/w x", "s,a,b,gpw x", "p;s/a/b/;w x", "$!{w x", "s/[/]w/x/"] {
            assert!(may_write(writing.as_bytes()), "{writing}");
        }
        for other in ["s/new/wow/g", "/window/d", "1i w x", "y/w/x/", "s|w x|w y|", "b w; :w", "r w", "s/a/b/;# w x"] {
            assert!(!may_write(other.as_bytes()), "{other}");
        }
    }
}
