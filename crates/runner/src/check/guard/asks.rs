//! Tests that ask something else than what they look like: `[ "$a"="$b" ]` is always true, a quoted pattern is no pattern.

use hookshell_syntax::ast::{CaseClause, Condition, ConditionOperator, RedirectionKind, SimpleCommand, Word, WordPart};

use super::super::FindingCode;
use super::Walk;

impl Walk<'_> {
    /// `[` and `test`, and what was meant for them.
    pub(super) fn asks_single(&mut self, simple: &SimpleCommand, name: &Word, operands: &[&Word]) {
        let place = self.place(name.span);
        let is_own = |walk: &mut Self, word: &Word| word.literal().is_some_and(|name| walk.is_own(&name));
        if let Some(WordPart::Literal(first)) = name.parts.first()
            && first.starts_with(b"[")
            && (first.len() > 2 || first.len() > 1 && **first != *b"[[" || name.parts.len() > 1)
            && !is_own(self, name)
        {
            let message = "there is no command of this name: a blank is missing after the bracket".to_owned();
            return self.error(place, FindingCode::AsksOtherwise, message);
        }
        let is_bracket = match name.literal().as_deref() {
            Some(b"[") => true,
            Some(b"test") => false,
            _ => return,
        };
        let mut operands = operands;
        if is_bracket {
            let Some((last, before)) = operands.split_last() else { return };
            // What is only known when it runs may end with it.
            if last.literal().as_deref() != Some(b"]") {
                if last.parts.iter().all(is_one_word) {
                    let message = "`[` ends with an error: there is no `]` as its last word".to_owned();
                    self.error(place, FindingCode::AsksOtherwise, message);
                }
                return;
            }
            if simple.redirections.iter().any(|redirection| {
                redirection.fd.is_none()
                    && redirection.span.start < last.span.start
                    && matches!(redirection.kind, RedirectionKind::Write(_) | RedirectionKind::Read(_))
            }) {
                let message = "`<` and `>` in `[` are redirections: write -lt and -gt, or `[[`".to_owned();
                self.error(place, FindingCode::AsksOtherwise, message);
            }
            operands = before;
        }
        match operands {
            [word] if is_comparison(word) => {
                let message = "this is one word, and so always true: blanks are missing around the `=`".to_owned();
                self.error(self.place(word.span), FindingCode::AsksOtherwise, message);
            }
            _ => {}
        }
        for pair in operands.windows(2) {
            let [operator, right] = pair else { continue };
            match operator.literal().as_deref() {
                Some(b"=~") => {
                    let message = "`[` has no `=~`: write `[[`, or grep -E".to_owned();
                    self.error(self.place(operator.span), FindingCode::AsksOtherwise, message);
                }
                Some(b"=" | b"==" | b"!=") if has_star(right) => {
                    let message = "`[` compares with no pattern, the shell puts names of files in its place: write `[[` or `case`";
                    self.warn(self.place(right.span), FindingCode::AsksOtherwise, message.to_owned());
                }
                _ => {}
            }
        }
    }

    /// `[[ … ]]`
    pub(super) fn asks_double(&mut self, condition: &Condition) {
        match condition {
            Condition::Unary(b'n', word) if is_comparison(word) && self.is_alone(word) => {
                let message = "this is one word, and so always true: blanks are missing around the operator".to_owned();
                self.error(self.place(word.span), FindingCode::AsksOtherwise, message);
            }
            Condition::Binary(
                ConditionOperator::Match | ConditionOperator::SingleMatch | ConditionOperator::NotMatch,
                _,
                right,
            ) => {
                self.quoted_pattern(right);
            }
            Condition::Binary(ConditionOperator::Regex, _, right)
                if quoted(right).is_some_and(|text| is_regex(&text)) =>
            {
                let message = "what is quoted after `=~` is compared as text: put the expression into a variable, or quote only \
                               parts of it";
                self.warn(self.place(right.span), FindingCode::AsksOtherwise, message.to_owned());
            }
            _ => {}
        }
    }

    /// `case $x in "*rm*")`
    pub(super) fn quoted_patterns(&mut self, clause: &CaseClause) {
        clause.items.iter().flat_map(|item| &item.patterns).for_each(|pattern| self.quoted_pattern(pattern));
    }

    fn quoted_pattern(&mut self, word: &Word) {
        let Some(text) = quoted(word) else { return };
        // A comment in C, an item of a list (`* main`): the star is meant.
        let is_meant = text.starts_with("* ") || ["/*", "*/", "**"].iter().any(|mark| text.contains(mark));
        let has_star = (text.starts_with('*') || text.ends_with('*')) && !is_meant;
        if has_star && text.chars().filter(|c| c.is_alphanumeric()).count() > 1 {
            let message = "a quoted `*` is no pattern, it stands for itself: leave it outside of the quotes".to_owned();
            self.warn(self.place(word.span), FindingCode::AsksOtherwise, message);
        }
    }

    /// Does the word stand in `[[ ]]` without an operator? The parser gives such a word `-n`.
    fn is_alone(&self, word: &Word) -> bool {
        let before = self.source.get(..word.span.start as usize).unwrap_or_default();
        // In backquotes its place is not known.
        self.in_backquotes.is_none() && !before.trim_ascii_end().ends_with(b"-n")
    }
}

/// The text of a word that is quoted as a whole and has no expansion.
fn quoted(word: &Word) -> Option<String> {
    match &*word.parts {
        [WordPart::Quoted(text)] => Some(String::from_utf8_lossy(text).into_owned()),
        [WordPart::DoubleQuoted(parts)] => match &**parts {
            [WordPart::Literal(text) | WordPart::Quoted(text)] => Some(String::from_utf8_lossy(text).into_owned()),
            _ => None,
        },
        _ => None,
    }
}

/// Is the part one word, or a part of one, whatever it is expanded to?
fn is_one_word(part: &WordPart) -> bool {
    matches!(
        part,
        WordPart::Literal(_)
            | WordPart::Quoted(_)
            | WordPart::DoubleQuoted(_)
            | WordPart::QuotedParameter(_)
            | WordPart::Tilde(_)
    )
}

/// `"$a"="$b"`: an operator that is a part of the word.
fn is_comparison(word: &Word) -> bool {
    let expands = word.parts.iter().any(|part| {
        matches!(part, WordPart::Parameter(_) | WordPart::QuotedParameter(_) | WordPart::CommandSubstitution(_))
            || matches!(part, WordPart::DoubleQuoted(_))
    });
    expands && word.parts.iter().any(|part| matches!(part, WordPart::Literal(text) if text.contains(&b'=')))
}

/// Has it a `*` outside of quotes?
fn has_star(word: &Word) -> bool {
    word.parts.iter().any(|part| matches!(part, WordPart::Literal(text) if text.contains(&b'*')))
}

/// Does a text look like a regular expression?
fn is_regex(text: &str) -> bool {
    let escapes = ["\\s", "\\b", "\\d", "\\w", "\\.", "[[:"];
    text.starts_with('^')
        || text.ends_with('$')
        || text.contains(".*")
        || text.contains(".+")
        || text.contains('|') && text.contains('(')
        || escapes.iter().any(|escape| text.contains(escape))
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn tests_that_ask_something_else_are_found() {
        for (source, place) in [
            ("if [ \"$c\" = x; then exit 2; fi", 3),
            ("if [\"$c\" = x ]; then exit 2; fi", 3),
            ("if [[\"$c\" == x ]]; then exit 2; fi", 3),
            ("[ \"$c\" = x] && exit 2; exit 0", 0),
            ("[ \"$c\"=\"x\" ] && exit 2; exit 0", 2),
            ("test \"$c\"=x && exit 2; exit 0", 5),
            ("[[ $c==x ]] && exit 2; exit 0", 3),
            ("[ \"$c\" =~ rm ] && exit 2; exit 0", 7),
            ("[ \"$c\" == *rm* ] && exit 2; exit 0", 10),
            ("[ \"$n\" > 5 ] && exit 2; exit 0", 0),
            ("[[ $c == \"*rm*\" ]] && exit 2; exit 0", 9),
            ("[[ $c =~ \"rm .*\" ]] && exit 2; exit 0", 9),
            ("case $c in '*rm*') exit 2;; esac", 11),
        ] {
            assert_eq!(found(&format!("c=1 n=2\n{source}"), false), [format!("{} HS318", place + 8)], "{source}");
        }
        for source in [
            "[ \"$c\" = x ] && exit 2; exit 0",
            "[[ $c == *rm* && $c =~ ^rm && -n $c ]] && exit 2; exit 0",
            "[[ $c == \"rm\"* || $c = '*' ]] && exit 2; exit 0",
            "[[ $c =~ \"rm -rf\" || $c =~ $n ]] && exit 2; exit 0",
            "[ \"$c\" ] && [ -n \"a=$c\" ] && [ -f x ] 2>/dev/null; [[ -n x=$c ]]; exit 0",
            "[ $args; exit 0",
            "case $c in '*') : ;; \"rm\"*) exit 2;; esac",
            "test \"$c\" = \"a*\"; exit 0",
            "[ \"$c\" -gt 5 ] > log; exit 0",
            "case $c in */x|\"/*\") : ;; esac",
            "[[ $c == \"* main\" || $c == '**bold**' ]]; exit 0",
        ] {
            assert_eq!(found(&format!("c=1 n=2 args=x\n{source}"), false), [""; 0], "{source}");
        }
    }
}
