//! Strings with parameters (terminfo(5), "Parameterized Strings").

/// Puts numbers into a string: `tparm`. `None` if it has something that is no number's.
pub(super) fn expand(text: &[u8], numbers: &[i32; 9]) -> Option<Vec<u8>> {
    let mut parameters = *numbers;
    let mut out = Vec::new();
    let mut stack: Vec<i32> = Vec::new();
    let (mut dynamic, mut fixed) = ([0_i32; 26], [0_i32; 26]);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let code = *text.get(at)?;
        at += 1;
        let mut pop = || stack.pop().unwrap_or(0);
        match code {
            b'%' => out.push(b'%'),
            b'i' => {
                for parameter in parameters.iter_mut().take(2) {
                    *parameter = parameter.wrapping_add(1);
                }
            }
            b'p' => {
                let index = text.get(at)?.checked_sub(b'1')?;
                at += 1;
                stack.push(*parameters.get(usize::from(index))?);
            }
            // A NUL byte is written as 0x80.
            b'c' => out.push(u8::try_from(pop() & 0xff).ok().filter(|byte| *byte != 0).unwrap_or(0x80)),
            b'd' => out.extend_from_slice(pop().to_string().as_bytes()),
            b'0'..=b'9' | b'.' | b'x' | b'X' | b'o' => {
                let zeros = code == b'0';
                at -= 1;
                let width = digits(text, &mut at)?;
                let mut precision = 1;
                if text.get(at) == Some(&b'.') {
                    at += 1;
                    precision = digits(text, &mut at)?;
                }
                let conversion = *text.get(at)?;
                at += 1;
                let value = pop();
                let number = match conversion {
                    b'd' if zeros && precision == 1 => format!("{value:0width$}"),
                    b'd' => format!("{value:0precision$}"),
                    b'x' => format!("{value:0precision$x}"),
                    b'X' => format!("{value:0precision$X}"),
                    b'o' => format!("{value:0precision$o}"),
                    _ => return None,
                };
                let number = if zeros { format!("{number:0>width$}") } else { format!("{number:>width$}") };
                out.extend_from_slice(number.as_bytes());
            }
            b'P' | b'g' => {
                let name = *text.get(at)?;
                at += 1;
                let place = match name {
                    b'a'..=b'z' => dynamic.get_mut(usize::from(name - b'a'))?,
                    b'A'..=b'Z' => fixed.get_mut(usize::from(name - b'A'))?,
                    _ => return None,
                };
                if code == b'P' { *place = pop() } else { stack.push(*place) }
            }
            b'\'' => {
                stack.push((*text.get(at)?).into());
                if text.get(at + 1) != Some(&b'\'') {
                    return None;
                }
                at += 2;
            }
            b'{' => {
                let end = at + text.get(at..)?.iter().position(|byte| *byte == b'}')?;
                stack.push(std::str::from_utf8(text.get(at..end)?).ok()?.parse().ok()?);
                at = end + 1;
            }
            b'!' => {
                let value = pop();
                stack.push(i32::from(value == 0));
            }
            b'~' => {
                let value = pop();
                stack.push(!value);
            }
            b'+' | b'-' | b'*' | b'/' | b'm' | b'&' | b'|' | b'^' | b'=' | b'>' | b'<' | b'A' | b'O' => {
                let (right, left) = (pop(), pop());
                stack.push(match code {
                    b'+' => left.wrapping_add(right),
                    b'-' => left.wrapping_sub(right),
                    b'*' => left.wrapping_mul(right),
                    b'/' => left.checked_div(right).unwrap_or(0),
                    b'm' => left.checked_rem(right).unwrap_or(0),
                    b'&' => left & right,
                    b'|' => left | right,
                    b'^' => left ^ right,
                    b'=' => i32::from(left == right),
                    b'>' => i32::from(left > right),
                    b'<' => i32::from(left < right),
                    b'A' => i32::from(left != 0 && right != 0),
                    _ => i32::from(left != 0 || right != 0),
                });
            }
            b'?' | b';' => {}
            b't' => {
                if pop() == 0 {
                    at = skip(text, at, true);
                }
            }
            b'e' => at = skip(text, at, false),
            _ => return None,
        }
    }
    Some(out)
}

/// A number of at most a few digits.
fn digits(text: &[u8], at: &mut usize) -> Option<usize> {
    let mut number = 0;
    while let Some(digit @ b'0'..=b'9') = text.get(*at) {
        number = number * 10 + usize::from(digit - b'0');
        *at += 1;
        if number > 100 {
            return None;
        }
    }
    Some(number)
}

/// After the `%e` (where that ends it) or `%;` that belongs to a `%t` or `%e` before `at`.
fn skip(text: &[u8], mut at: usize, to_else: bool) -> usize {
    let mut depth = 0;
    while at < text.len() {
        if text.get(at) == Some(&b'%') {
            at += 1;
            match text.get(at) {
                Some(b'?') => depth += 1,
                Some(b';') if depth == 0 => return at + 1,
                Some(b';') => depth -= 1,
                Some(b'e') if depth == 0 && to_else => return at + 1,
                _ => {}
            }
        }
        at += 1;
    }
    at
}

/// How many parameters a string uses.
pub(super) fn count(text: &[u8]) -> usize {
    let used = text.windows(3).filter_map(|three| match three {
        [b'%', b'p', digit @ b'1'..=b'9'] => Some(usize::from(digit - b'0')),
        _ => None,
    });
    used.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{count, expand};

    #[test]
    fn numbers_are_put_into_strings() {
        let setaf = b"\x1b[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m";
        for (text, numbers, expected) in [
            (&setaf[..], [1, 0], "\x1b[31m"),
            (setaf, [9, 0], "\x1b[91m"),
            (setaf, [200, 0], "\x1b[38;5;200m"),
            (b"\x1b[%i%p1%d;%p2%dH", [3, 4], "\x1b[4;5H"),
            (b"%%%p1%c%p2%03d", [65, 7], "%A007"),
            (b"%?%p1%t;2%;x", [0, 0], "x"),
            (b"%p1%02x%p2%2.2X", [10, 200], "0aC8"),
        ] {
            let mut all = [0; 9];
            all[..2].copy_from_slice(&numbers);
            assert_eq!(expand(text, &all).as_deref(), Some(expected.as_bytes()));
        }
        assert_eq!(expand(b"%p1%s", &[0; 9]), None);
        assert_eq!((count(setaf), count(b"%i%p1%d;%p2%d"), count(b"x")), (1, 2, 0));
    }
}
