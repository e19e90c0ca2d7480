//! The texts of here-documents, which are data of the commands that read them.

use std::borrow::Cow;

/// A line without its here-documents, as far as these are plain texts: nothing in them is expanded. One that stands in a
/// substitution of its own, `$(cat <<'EOF' …)`, goes with the substitution, which is a text as well: so Claude Code writes the message of
/// a commit. What cannot be told apart stays.
///
/// It is for a reader who has looked at the whole line before: who gives a text to a shell is found there.
pub(crate) fn without_documents(line: &str) -> Cow<'_, str> {
    let mut kept = Cow::Borrowed(line);
    while let Some(shorter) = without_first(&kept) {
        kept = shorter.into();
    }
    kept
}

/// The line without the first here-document.
fn without_first(line: &str) -> Option<String> {
    let (before, operator) = line.split_once("<<")?;
    let (strips_tabs, rest) = match operator.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, operator),
    };
    let (delimiter, is_quoted, rest) = delimiter(rest.trim_start_matches([' ', '\t']))?;
    let (same_line, body) = rest.split_once('\n')?;
    if same_line.contains("<<") {
        return None;
    }
    let mut length = 0;
    let end = body.split_inclusive('\n').find(|text| {
        let bare = text.strip_suffix('\n').unwrap_or(text);
        let bare = if strips_tabs { bare.trim_start_matches('\t') } else { bare };
        let is_end = bare == delimiter;
        length += if is_end { 0 } else { text.len() };
        is_end
    })?;
    let (document, after) = body.split_at_checked(length)?;
    let after = after.get(end.len()..)?;
    if !is_quoted && document.contains(['$', '`', '\\']) {
        return None;
    }
    let substitution = before.trim_end().strip_suffix("$(cat").filter(|_| same_line.trim().is_empty());
    if let Some(outer) = substitution
        && let Some(after) = after.trim_start().strip_prefix(')')
    {
        return Some([outer, after].concat());
    }
    Some([before, same_line, "\n", after].concat())
}

/// The delimiter at the beginning, whether it is quoted, and what follows it.
fn delimiter(text: &str) -> Option<(&str, bool, &str)> {
    for quote in ['\'', '"'] {
        if let Some(rest) = text.strip_prefix(quote) {
            let (word, rest) = rest.split_once(quote)?;
            let is_plain = !word.is_empty() && !word.contains(['\n', '\\', '$', '`']);
            return is_plain.then_some((word, true, rest)).filter(|_| ends_word(rest));
        }
    }
    let (is_quoted, text) = match text.strip_prefix('\\') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
    let (word, rest) = text.split_at_checked(end)?;
    (!word.is_empty() && ends_word(rest)).then_some((word, is_quoted, rest))
}

/// Does a word end where this begins?
fn ends_word(text: &str) -> bool {
    text.starts_with([' ', '\t', '\n', ';', '&', '|', '<', '>', ')'])
}

#[cfg(test)]
mod tests {
    use super::without_documents;

    #[test]
    fn plain_documents_are_left_out() {
        let cases = [
            ("cat <<E\ngit push\nE\n", "cat \n"),
            ("cat <<E\ngit push\nE", "cat \n"),
            ("cat > x <<'E' && ls\n$(x) `y`\nE\npwd", "cat > x  && ls\npwd"),
            ("cat <<-\"E\"\n\ta\n\tE\nls", "cat \nls"),
            ("cat << \\E\n$x\nE\n", "cat \n"),
            ("git commit -m \"$(cat <<'EOF'\nfix: x\n\ngit push works\nEOF\n)\"", "git commit -m \"\""),
            ("git commit -m \"$(cat <<'EOF'\nfix\nEOF\n)\" && git push", "git commit -m \"\" && git push"),
            ("cat <<A\na\nA\ncat <<B\nb\nB\n", "cat \ncat \n"),
        ];
        for (line, expected) in cases {
            assert_eq!(without_documents(line), expected, "{line:?}");
        }
    }

    #[test]
    fn what_is_expanded_or_cannot_be_told_apart_stays() {
        let cases = [
            "cat <<E\n$(git push)\nE\n",
            "cat <<E\n`x`\nE\n",
            "cat <<E\nno end\n",
            "cat <<E",
            "cat <<A <<B\na\nA\nb\nB\n",
            "cat <<<x\nx\n",
            "cat <<E\"F\"\na\nEF\n",
            "cat <<$x\na\n$x\n",
            "echo $((1 << 2))",
            "ls",
            "",
        ];
        for line in cases {
            assert_eq!(without_documents(line), line);
        }
    }
}
