//! Scripts of sed that only GNU's takes.
//!
//! Source: the manual of macOS 14's sed (FreeBSD's), and POSIX.

/// What of sed's operands BSD's does not take, if it is a script.
pub(super) fn only_gnus(operands: &[String]) -> Option<&'static str> {
    let is_extended = operands.iter().any(|word| {
        matches!(&**word, "-E" | "-r" | "--regexp-extended")
            || word.strip_prefix('-').is_some_and(|cluster| {
                !cluster.starts_with('-')
                    && cluster.len() < 5
                    && cluster.contains(['E', 'r'])
                    && cluster.chars().all(|letter| "nErsuzi".contains(letter))
            })
    });
    scripts(operands).into_iter().find_map(|script| Reader { rest: script, is_extended }.script().err())
}

/// The scripts among sed's words.
fn scripts(operands: &[String]) -> Vec<&str> {
    let mut scripts = Vec::new();
    let mut words = operands.iter().map(String::as_str);
    let mut first = None;
    let mut has_option = false;
    while let Some(word) = words.next() {
        if let Some(script) = word.strip_prefix("--expression=") {
            scripts.push(script);
        } else if matches!(word, "-e" | "--expression" | "-ne" | "-Ee" | "-re" | "-nEe") {
            scripts.extend(words.next());
        } else if matches!(word, "-f" | "--file") {
            words.next();
            has_option = true;
        } else if !word.starts_with('-') && !word.is_empty() {
            // (An empty one is the suffix of BSD's `-i`.)
            first = first.or(Some(word));
        }
    }
    if scripts.is_empty() && !has_option {
        scripts.extend(first);
    }
    scripts.into_iter().filter(|script| !is_expanded(script)).collect()
}

/// Is what it will be not known? (`$d` is a script, `$x1` no part of one.)
fn is_expanded(script: &str) -> bool {
    let is_variable = script.strip_prefix('$').is_some_and(|rest| {
        let mut letters = rest.chars().map(|c| c.is_ascii_alphanumeric() || c == '_');
        letters.next() == Some(true) && letters.next() == Some(true)
    });
    is_variable || script.starts_with('"') || ["\"$", "$(", "${", "`"].iter().any(|mark| script.contains(mark))
}

struct Reader<'s> {
    rest: &'s str,
    is_extended: bool,
}

impl<'s> Reader<'s> {
    fn script(&mut self) -> Result<(), &'static str> {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']);
            if self.rest.is_empty() {
                return Ok(());
            }
            self.addresses()?;
            self.rest = self.rest.trim_start_matches([' ', '\t', '!']);
            if !self.command()? {
                return Ok(());
            }
        }
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = self.rest.get(next.len_utf8()..).unwrap_or_default();
        Some(next)
    }

    fn addresses(&mut self) -> Result<(), &'static str> {
        let is_zero = self.rest.starts_with("0,");
        if is_zero {
            return Err("sed has no address `0,/…/`");
        }
        self.address()?;
        self.rest = self.rest.trim_start_matches(' ');
        if let Some(rest) = self.rest.strip_prefix(',') {
            self.rest = rest.trim_start_matches(' ');
            if self.rest.starts_with('~') {
                return Err("sed has no addresses like `2~3` and `1,~4`");
            }
            self.rest = self.rest.trim_start_matches('+');
            self.address()?;
        }
        Ok(())
    }

    fn address(&mut self) -> Result<(), &'static str> {
        match self.rest.chars().next() {
            Some('$') => drop(self.next()),
            Some(first) if first.is_ascii_digit() => {
                self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
                if self.rest.starts_with('~') {
                    return Err("sed has no addresses like `2~3` and `1,~4`");
                }
            }
            Some(delimiter @ ('/' | '\\')) => {
                self.next();
                let delimiter = if delimiter == '\\' { self.next().unwrap_or('/') } else { '/' };
                let pattern = self.until(delimiter);
                self.pattern(pattern)?;
                self.rest = self.rest.trim_start_matches(['I', 'M']);
            }
            _ => {}
        }
        Ok(())
    }

    /// The text before the next delimiter, which is passed.
    fn until(&mut self, delimiter: char) -> &'s str {
        let text = self.rest;
        let mut is_escaped = false;
        let mut is_in_brackets = false;
        for (at, c) in text.char_indices() {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' if !is_in_brackets => is_escaped = true,
                '[' => is_in_brackets = true,
                ']' => is_in_brackets = false,
                c if c == delimiter && !is_in_brackets => {
                    self.rest = text.get(at + c.len_utf8()..).unwrap_or_default();
                    return text.get(..at).unwrap_or_default();
                }
                _ => {}
            }
        }
        self.rest = "";
        text
    }

    fn pattern(&self, pattern: &str) -> Result<(), &'static str> {
        if !self.is_extended && escapes(pattern).any(|letter| matches!(letter, '+' | '?' | '|')) {
            return Err("sed without -E has no `\\+`, `\\?` and `\\|`: use -E and `+`, `?`, `|`");
        }
        Ok(())
    }

    /// Passes a command. Is there more after it?
    fn command(&mut self) -> Result<bool, &'static str> {
        let Some(command) = self.next() else { return Ok(false) };
        match command {
            's' | 'y' => {
                let Some(delimiter) = self.next() else { return Ok(false) };
                let pattern = self.until(delimiter);
                let replacement = self.until(delimiter);
                if command == 's' {
                    self.pattern(pattern)?;
                    if escapes(replacement).any(|letter| matches!(letter, 'U' | 'L' | 'u' | 'l' | 'E')) {
                        return Err("sed does not change case (`\\U`, `\\L`) in a replacement: use awk or tr");
                    }
                }
                let flags = self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).len();
                let (flags, rest) = self.rest.split_at(flags);
                if flags.contains(['e', 'M', 'm']) {
                    return Err("`s` of sed has no flags e and m");
                }
                if flags.contains('w') {
                    return Ok(false);
                }
                self.rest = rest;
                self.end()
            }
            'a' | 'i' | 'c' => {
                let text = self.rest.trim_start_matches([' ', '\t']);
                let after = text.strip_prefix('\\').map(|text| text.trim_start_matches([' ', '\t']));
                let is_on_next_line = after.is_some_and(|text| text.is_empty() || text.starts_with('\n'));
                if !is_on_next_line && !text.is_empty() {
                    return Err("`a`, `i` and `c` of sed need a backslash and a new line before their text");
                }
                // The text ends with the first line that no backslash ends.
                while let Some((line, after)) = self.rest.split_once('\n') {
                    self.rest = after;
                    if !line.ends_with('\\') {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            ':' | 'b' | 't' => {
                let line = self.rest.split('\n').next().unwrap_or_default();
                if line.contains([';', '}']) {
                    return Err("a label of sed ends with its line: write each command with -e of its own");
                }
                self.rest = self.rest.get(line.len()..).unwrap_or_default();
                Ok(true)
            }
            'r' | 'w' | '#' => {
                let line = self.rest.split('\n').next().unwrap_or_default();
                self.rest = self.rest.get(line.len()..).unwrap_or_default();
                Ok(true)
            }
            'e' | 'F' | 'v' | 'z' | 'Q' | 'R' | 'T' | 'W' => Err("sed has no commands e, F, Q, R, T, v, W and z"),
            'q' if self.rest.trim_start().starts_with(|c: char| c.is_ascii_digit()) => {
                Err("`q` of sed takes no exit code")
            }
            'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'l' | 'n' | 'N' | 'p' | 'P' | 'q' | 'x' | '=' => self.end(),
            '{' => Ok(true),
            // What this is, sed itself says.
            _ => Ok(false),
        }
    }

    /// What stands after a command.
    fn end(&mut self) -> Result<bool, &'static str> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        match self.rest.chars().next() {
            Some('}') => Err(BRACE),
            Some(';' | '\n' | '#') => Ok(true),
            _ => Ok(false),
        }
    }
}

const BRACE: &str = "sed needs a `;` before `}`";

/// The characters after backslashes.
fn escapes(text: &str) -> impl Iterator<Item = char> {
    let mut letters = text.chars();
    std::iter::from_fn(move || {
        letters.find(|c| *c == '\\')?;
        Some(letters.next().unwrap_or('\\'))
    })
}

#[cfg(test)]
mod tests {
    use super::only_gnus;

    #[test]
    fn what_only_gnus_sed_takes() {
        let found = |line: &str| {
            let words = shell_words::split(line).unwrap_or_default();
            only_gnus(words.get(1..).unwrap_or_default())
        };
        for line in [
            r"sed 's/a/\U&/'",
            r"sed -E 's/(a)/\u\1/g' f",
            r"sed 's/a\|b/c/'",
            r"sed -n '/a\+/p' f",
            r"sed -e p -e 's/a\?//'",
            "sed '1~2d' f",
            "sed '0,/x/d' f",
            "sed '/x/a text' f",
            "sed '1i\\text' f",
            "sed '$a text' f",
            "sed ':a;N;$!ba;s/\\n/ /g'",
            "sed -n '/x/{p;q}'",
            "sed '/x/{s/a/b/}' f",
            "sed 5q1",
            "sed z",
            "sed --expression='s/x/\\L&/'",
        ] {
            assert!(found(line).is_some(), "{line}");
        }
        for line in [
            "sed s/a/b/",
            r"sed -E 's/a+|b?/c/g'",
            r"sed 's/a\.b/c/'",
            r"sed 's|/|\\U|'",
            "sed -n '/x/{p;q;}'",
            "sed '/x/!d'",
            "sed '$d'",
            "sed -n '2,4p;6p'",
            "sed -n '2,+3p'",
            "sed '/x/a\\\ntext\n'",
            "sed -e '/x/a\\' -e text",
            "sed -e ':a' -e 'N' -e '$!ba' -e 's/\\n/ /g'",
            "sed 's/^[[:space:]]*//;s/[[:space:]]*$//'",
            "sed 's,[/+|],_,g'",
            "sed -n '/a/,/b/p'",
            "sed 's/x/y/;t\ns/a/b/'",
            "sed \"s/x/$y/\"",
            "sed '/^#/d;/^$/d'",
            "sed -n 's/.*\"a\": *\"\\([^\"]*\\)\".*/\\1/p'",
            "sed '1d;$d' | tr a b",
            "sed 'y/abc/ABC/'",
            "sed -i '' s/a/b/ f",
            "sed -f x.sed f",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}
