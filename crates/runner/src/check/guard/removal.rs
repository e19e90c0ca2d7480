//! Paths that are removed or changed with all that is below them, and begin with a variable that may be empty.

use hookshell_syntax::ast::{ParameterExpansion, SimpleCommand, Word, WordPart};
use hookshell_syntax::print_word;

use super::super::{FindingCode, wrapper};
use super::Walk;
use super::variable::variable;
use super::walk::text;

/// How many wrappers stand before a command: `sudo nice rm`.
const MOST_WRAPPERS: usize = 8;

impl Walk<'_> {
    /// `set -u`, `set -euo pipefail`, `set -o nounset`: a variable without a value ends the script. What follows `--` is no option.
    pub(super) fn sets_nounset(&mut self, simple: &SimpleCommand) {
        if simple.literal_name().as_deref() != Some(b"set") {
            return;
        }
        let mut before = String::new();
        for word in super::walk::words(simple).skip(1).map(text).take_while(|word| word != "--") {
            match word.as_bytes() {
                b"nounset" if before.ends_with('o') && before.starts_with('-') => self.is_nounset = true,
                b"nounset" if before.ends_with('o') && before.starts_with('+') => self.is_nounset = false,
                [b'-', letters @ ..] if letters.contains(&b'u') => self.is_nounset = true,
                [b'+', letters @ ..] if letters.contains(&b'u') => self.is_nounset = false,
                _ => {}
            }
            before = word;
        }
    }

    /// `rm -rf $UNSET/tmp`, also after `sudo` and the like.
    pub(super) fn removes(&mut self, words: &[&Word]) {
        let mut words = words;
        for _ in 0..MOST_WRAPPERS {
            let Some((name, operands)) = words.split_first() else { return };
            let shown: Vec<String> = operands.iter().map(|word| text(word)).collect();
            match wrapper::any(&base_name(name), &shown).and_then(|at| operands.get(at..)) {
                Some(command) => words = command,
                None => break,
            }
        }
        let Some((name, operands)) = words.split_first() else { return };
        let is_option = |word: &Word| text(word).starts_with('-');
        let has = |is_it: &dyn Fn(&str) -> bool| operands.iter().any(|word| is_it(&text(word)));
        let paths: Vec<&Word> = match &*base_name(name) {
            "rm" | "shred" => operands.iter().copied().filter(|word| !is_option(word)).collect(),
            // What stands before the tests is searched.
            "find" if has(&|word| word == "-delete") || has(&|word| base(word) == "rm") => {
                operands.iter().copied().take_while(|word| !is_option(word)).collect()
            }
            "mv" => operands.split_last().map(|(_, from)| from.to_vec()).unwrap_or_default(),
            "chmod" | "chown" | "chgrp" if has(&is_recursive) => {
                operands.iter().copied().filter(|word| !is_option(word)).skip(1).collect()
            }
            "rsync" if has(&|word| word.starts_with("--delete")) => operands.last().copied().into_iter().collect(),
            _ => return,
        };
        paths.into_iter().for_each(|path| self.removed(path));
    }

    /// Does the path begin at the root where its variables are empty?
    fn removed(&mut self, path: &Word) {
        let mut unset: Vec<String> = Vec::new();
        let mut is_root = false;
        for part in flat(&path.parts) {
            match part {
                WordPart::Parameter(expansion) | WordPart::QuotedParameter(expansion) => match self.unset(expansion) {
                    Some(name) => unset.push(name),
                    None => return,
                },
                WordPart::Literal(rest) | WordPart::Quoted(rest) if rest.is_empty() => {}
                WordPart::Literal(rest) | WordPart::Quoted(rest) if rest.starts_with(b"/") => {
                    is_root = true;
                    break;
                }
                _ => return,
            }
        }
        let Some(first) = unset.first().filter(|_| is_root && !self.is_nounset) else { return };
        let names = unset.join(" and ");
        let shown = String::from_utf8_lossy(&print_word(path)).into_owned();
        let message = format!("without a value of {names}, {shown} is a path from the root on: write ${{{first}:?}}/…");
        self.error(self.place(path.span), FindingCode::EmptyPath, message);
    }

    /// The variable that is expanded as it is, where nobody sets it.
    fn unset(&self, expansion: &ParameterExpansion) -> Option<String> {
        variable(expansion).filter(|name| !self.is_known(name))
    }
}

/// The parts of a word, those in double quotes by themselves.
fn flat(parts: &[WordPart]) -> impl Iterator<Item = &WordPart> {
    parts.iter().flat_map(|part| match part {
        WordPart::DoubleQuoted(inner) => inner.as_slice(),
        other => std::slice::from_ref(other),
    })
}

fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// `/bin/rm` and `\rm` are `rm`.
fn base_name(word: &Word) -> String {
    base(&text(word)).to_owned()
}

fn is_recursive(option: &str) -> bool {
    option == "--recursive" || option.starts_with('-') && !option.starts_with("--") && option.contains('R')
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn a_path_of_a_variable_that_nobody_sets_is_found() {
        for (source, place) in [
            ("rm -rf $UNSET/x", 7),
            ("rm -rf \"$UNSET/\"", 7),
            ("/bin/rm -rf \"${UNSET}\"/*", 12),
            ("sudo -u me rm -r \"$UNSET$OTHER/x\"", 17),
            ("command rm $UNSET'/x'", 11),
            ("env A=b nice rm -- $UNSET/x", 19),
            ("find $UNSET/ -name x -delete", 5),
            ("find . \"$UNSET/x\" -exec rm {} +", 7),
            ("mv $UNSET/* /tmp", 3),
            ("chmod -R 777 $UNSET/x", 13),
            ("chown -hR me \"$UNSET/\"", 13),
            ("rsync -a --delete x/ $UNSET/", 21),
            ("set -e; rm -rf $UNSET/x", 15),
            ("set -u; set +u; rm -rf $UNSET/x", 23),
            ("set -u; set +o nounset; rm -rf $UNSET/x", 31),
            ("set -- -u; rm -rf $UNSET/x", 18),
        ] {
            let found = found(source, false);
            assert!(found.contains(&format!("{place} HS315")), "{source}: {found:?}");
        }
        for source in [
            "rm -rf \"${UNSET:?}/x\" \"$UNSET\" x/$UNSET/y $HOME/x \"$FOO_HOME/x\"",
            "UNSET=/x; rm -rf \"$UNSET/x\" && rm -rf \"$UNSET$OTHER\"",
            "set -eu; rm -rf $UNSET/x",
            "set -o pipefail -o nounset; rm -rf $UNSET/x",
            "find $UNSET/x -name y; chmod 777 $UNSET/x; mv x $UNSET/y; rsync -a x/ $UNSET/; cp $UNSET/x y",
            "command -v rm $UNSET/x; echo rm $UNSET/x",
        ] {
            let found = found(source, false);
            assert!(!found.iter().any(|line| line.ends_with("HS315")), "{source}: {found:?}");
        }
    }
}
