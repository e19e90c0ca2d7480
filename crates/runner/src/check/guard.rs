//! Guards that stay open: shell code that is valid, and does not do what a hook's author means.

use std::borrow::Cow;
use std::collections::HashMap;

use hookshell_syntax::ast::{
    AndOr, AndOrOp, Argument, Command, Compound, List, Parameter, ParameterExpansion, ParameterOperation, Pipeline,
    RedirectionKind, SimpleCommand, Word, WordPart,
};
use hookshell_syntax::{Dialect, ParseOptions, parse_for_analysis};

use super::programs::{Known, WrongProgram, known};
use super::walk::{Visitor, pipelines, values, words};
use super::{FindingCode, Severity};

/// What is wrong at a place of the source.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OpenGuard {
    /// Where, in bytes.
    pub(super) offset: usize,
    pub(super) severity: Severity,
    pub(super) code: FindingCode,
    pub(super) message: String,
}

/// What is known of where the code runs.
pub(super) struct Surroundings<'a> {
    /// Variables that the agent or the environment sets.
    pub(super) is_set: &'a (dyn Fn(&str) -> bool + Sync),
    /// Variables whose values are directories, in which there may be a blank one day: `CLAUDE_PROJECT_DIR`.
    pub(super) directories: &'a [(String, String)],
    /// Can the event be blocked?
    pub(super) can_block: bool,
    /// Does an exit code other than 0, 2 and 49 decide nothing?
    pub(super) only_two_denies: bool,
    /// Is what is printed read where the exit code is 0 only?
    pub(super) reads_at_zero: bool,
    /// What is wrong with a variable that nobody sets, beside that.
    pub(super) unset: &'a (dyn Fn(&str) -> String + Sync),
    /// Is the code a command of a config? What a script's variables are, other files may say.
    pub(super) is_inline: bool,
    /// Is a directory without a blank also told of?
    pub(super) is_strict: bool,
    /// A shell expands the variable of the project's directory (Gemini CLI puts it in itself, in quotes).
    pub(super) splits_projects: bool,
    /// The program in the words of a command that does not compile.
    pub(super) wrong_program: &'a (dyn Fn(Vec<Known>) -> Option<WrongProgram> + Sync),
}

/// Looks through valid shell code. Recurses as deep as the code nests: to be called on a stack that fits.
pub(super) fn open_guards(source: &[u8], around: &Surroundings<'_>) -> Vec<OpenGuard> {
    let options = ParseOptions { dialect: Dialect::Bash, ..ParseOptions::default() };
    let program = parse_for_analysis(source, &options);
    let text = String::from_utf8_lossy(source);
    let is_set_elsewhere = text.contains(". ")
        || text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| matches!(word, "source" | "eval"));
    let mut walk = Walk {
        source,
        text,
        is_set_elsewhere,
        around,
        found: Vec::new(),
        denies: false,
        failures: Vec::new(),
        lost: Vec::new(),
        own: HashMap::new(),
    };
    // Each line is a unit of its own.
    let mut said = Said::default();
    for unit in &program.units {
        walk.items(&unit.list, &mut said);
    }
    if around.can_block {
        if let Some(last) = program.units.last().and_then(|unit| unit.list.items.last())
            && !last.background
        {
            walk.last(&last.and_or);
        }
        walk.exit_codes();
    }
    walk.found.sort_by_key(|found| found.offset);
    walk.found
}

struct Walk<'a> {
    source: &'a [u8],
    /// The source as text.
    text: Cow<'a, str>,
    /// Does it run code that is not in it, which may set variables?
    is_set_elsewhere: bool,
    around: &'a Surroundings<'a>,
    found: Vec<OpenGuard>,
    /// Is there an exit with a code that denies, or one that is only known when it runs?
    denies: bool,
    /// Exits with other codes after a message on standard error: where, and the code.
    failures: Vec<(usize, u8)>,
    /// Exits with other codes after a deny on standard output: where, and the code.
    lost: Vec<(usize, u8)>,
    /// Names of commands, and whether the source may define them: it is searched once for each.
    own: HashMap<Vec<u8>, bool>,
}

/// What a list has said before one of its commands.
#[derive(Default)]
struct Said {
    /// A message on standard error.
    message: bool,
    /// A deny on standard output.
    deny: bool,
}

impl Walk<'_> {
    /// The commands of a list, after what was said before it.
    fn items(&mut self, list: &List, said: &mut Said) {
        for stage in list.items.iter().flat_map(|item| pipelines(&item.and_or)).flat_map(|pipeline| &pipeline.stages) {
            if let Command::Simple(simple) = &stage.command {
                self.exit(simple, said);
                said.message |= writes_to_stderr(simple);
                said.deny |= self.prints_deny(simple);
            }
            self.command(&stage.command);
        }
    }

    /// Does it print a deny: `echo '{"decision":"deny"}'`?
    fn prints_deny(&self, simple: &SimpleCommand) -> bool {
        let name = simple.literal_name();
        let is_printer = name.is_some_and(|name| [&b"echo"[..], b"printf", b"jq"].contains(&&*name));
        let range = simple.span.start as usize..simple.span.end as usize;
        let text = String::from_utf8_lossy(self.source.get(range).unwrap_or_default());
        let has = |parts: [&str; 2]| parts.iter().any(|part| text.contains(part));
        is_printer && simple.redirections.is_empty() && has(["ecision", "\"continue\""]) && has(["deny", "block"])
    }

    fn warn(&mut self, offset: usize, code: FindingCode, message: String) {
        self.found.push(OpenGuard { offset, severity: Severity::Warning, code, message });
    }

    fn error(&mut self, offset: usize, code: FindingCode, message: String) {
        self.found.push(OpenGuard { offset, severity: Severity::Error, code, message });
    }

    /// A command `exit`: what its code means after what was said.
    fn exit(&mut self, simple: &SimpleCommand, said: &Said) {
        if simple.literal_name().as_deref() != Some(b"exit") {
            return;
        }
        let code = match simple.arguments.get(1) {
            None => return,
            Some(Argument::Word(word)) => word.literal().and_then(|text| std::str::from_utf8(&text).ok()?.parse().ok()),
            Some(Argument::Assignment(_)) => None,
        };
        match code {
            Some(0) => {}
            Some(2 | 49) | None => self.denies = true,
            Some(code) if said.deny => self.lost.push((simple.span.start as usize, code)),
            Some(code) if said.message => self.failures.push((simple.span.start as usize, code)),
            Some(_) => {}
        }
    }

    /// A guard that tells why on standard error and exits with 1 lets everything through.
    fn exit_codes(&mut self) {
        if self.around.reads_at_zero {
            for (offset, code) in std::mem::take(&mut self.lost) {
                let message = format!(
                    "the deny on standard output does not count: it is read where the exit code is 0, and this is {code}. Write exit 0"
                );
                self.error(offset, FindingCode::DeniesNothing, message);
            }
        }
        let decides = ["\"deny\"", "\"block\"", "permissionDecision", "decision", "\"continue\"", "halt"];
        if self.denies || !self.around.only_two_denies || decides.iter().any(|word| self.text.contains(word)) {
            return;
        }
        for (offset, code) in std::mem::take(&mut self.failures) {
            let message = format!(
                "exit code {code} denies nothing: it is a failure, and the call goes through. Only 2 denies (49 halts)"
            );
            self.warn(offset, FindingCode::DeniesNothing, message);
        }
    }

    /// `test && exit 2` as the last command: a harmless call ends with the status of the test, 1.
    fn last(&mut self, and_or: &AndOr) {
        let [.., (AndOrOp::And, last)] = &*and_or.rest else { return };
        if and_or.rest.iter().any(|(op, _)| *op == AndOrOp::Or) || !is_exit(last) {
            return;
        }
        let Some(exit) = only_simple(last) else { return };
        let start = exit.span.start as usize;
        let message =
            "as the last command this makes a failure of every call that it does not deny: the status of the \
                       test is left. Write `if …; then …; fi`, or `exit 0` after it"
                .to_owned();
        self.warn(start, FindingCode::EndsWithTest, message);
    }

    /// The word that names a program or a script: is it one word whatever the directory is called, and is it expanded at all?
    fn path_of_program(&mut self, word: &Word) {
        let start = word.span.start as usize;
        match word.parts.first() {
            Some(WordPart::Parameter(expansion)) if word.parts.len() > 1 => {
                let Some(name) = variable(expansion) else { return };
                let Some((_, value)) = self.around.directories.iter().find(|(known, _)| *known == name) else { return };
                let has_blank = value.contains([' ', '\t']);
                // Any project may be in such a directory one day; what else is in a directory of the user's stays where it is.
                let is_any = self.around.splits_projects && name.ends_with("_PROJECT_DIR");
                if has_blank || is_any || self.around.is_strict {
                    let shown = if has_blank { value.as_str() } else { "a directory with a blank in its name" };
                    let message = format!("${name} is split at blanks ({shown}): write \"${name}\"/… in double quotes");
                    match has_blank {
                        true => self.error(start, FindingCode::UnquotedPath, message),
                        false => self.warn(start, FindingCode::UnquotedPath, message),
                    }
                }
            }
            Some(WordPart::Quoted(text)) => {
                let text = String::from_utf8_lossy(text).into_owned();
                let raw = self.source.get(start..start + 1);
                if raw == Some(b"'") && placeholder(&text) {
                    let message = format!("in single quotes {text} is not expanded: use double quotes");
                    self.error(start, FindingCode::QuotedPlaceholder, message);
                }
            }
            _ => {}
        }
    }

    /// `rm -rf $UNSET/tmp`
    fn removed(&mut self, word: &Word) {
        let mut parts = word.parts.iter();
        let expansion = match parts.next() {
            Some(WordPart::Parameter(expansion) | WordPart::QuotedParameter(expansion)) => expansion,
            Some(WordPart::DoubleQuoted(inner)) => match &**inner {
                [WordPart::Parameter(expansion), WordPart::Literal(rest), ..] if rest.starts_with(b"/") => {
                    return self.removed_below(expansion, word);
                }
                _ => return,
            },
            _ => return,
        };
        if let Some(WordPart::Literal(rest)) = parts.next()
            && rest.starts_with(b"/")
        {
            self.removed_below(expansion, word);
        }
    }

    fn removed_below(&mut self, expansion: &ParameterExpansion, word: &Word) {
        let Some(name) = variable(expansion) else { return };
        if self.is_known(&name) {
            return;
        }
        let range = word.span.start as usize..word.span.end as usize;
        let text = String::from_utf8_lossy(self.source.get(range).unwrap_or_default()).into_owned();
        let message = format!("without a value of {name}, {text} is a path from the root on: write ${{{name}:?}}/…");
        self.error(word.span.start as usize, FindingCode::EmptyPath, message);
    }

    /// A filter of jq, a script of sed or awk, a pattern of grep that does not compile.
    fn program(&mut self, words: &[&Word]) {
        let given: Vec<_> = words.iter().map(|word| known(word)).collect();
        let Some(wrong) = (self.around.wrong_program)(given) else { return };
        // What runs it, and the wrappers before that.
        if words.iter().take(wrong.name + 1).any(|word| word.literal().is_some_and(|name| self.is_own(&name))) {
            return;
        }
        let Some(span) = words.get(wrong.word).map(|word| word.span.start as usize..word.span.end as usize) else {
            return;
        };
        let text = self.source.get(span.clone()).unwrap_or_default();
        let line: usize = text.split_inclusive(|byte| *byte == b'\n').take(wrong.line).map(<[u8]>::len).sum();
        let tell = if wrong.is_certain { Self::error } else { Self::warn };
        tell(self, span.start + line, FindingCode::WrongProgram, wrong.message);
    }

    /// May something of the script's own have this name?
    fn is_own(&mut self, name: &[u8]) -> bool {
        if let Some(is_own) = self.own.get(name) {
            return *is_own;
        }
        let shown = String::from_utf8_lossy(name);
        let forms = ["{}()", "{} ()", "function {}", "alias {}="];
        let is_own = forms.iter().any(|form| self.text.contains(&form.replace("{}", &shown)));
        self.own.insert(name.to_owned(), is_own);
        is_own
    }

    fn word(&mut self, word: &Word) {
        word.parts.iter().for_each(|part| self.part(part));
    }

    fn part(&mut self, part: &WordPart) {
        match part {
            WordPart::Parameter(expansion) | WordPart::QuotedParameter(expansion) => self.expansion(expansion),
            WordPart::DoubleQuoted(parts) => parts.iter().for_each(|part| self.part(part)),
            WordPart::CommandSubstitution(substitution) => {
                if let Ok(body) = &substitution.body {
                    self.list(body);
                }
            }
            WordPart::ProcessSubstitution(substitution) => self.list(&substitution.body),
            _ => {}
        }
    }

    fn expansion(&mut self, expansion: &ParameterExpansion) {
        let Some(name) = variable(expansion) else { return };
        if !self.around.is_inline || expansion.operation != ParameterOperation::None || self.is_known(&name) {
            return;
        }
        let message = format!("nobody sets {name}: {}", (self.around.unset)(&name));
        self.warn(expansion.span.start as usize, FindingCode::UnsetVariable, message);
    }

    /// Is the variable set by somebody: the agent, the environment, the shell, or anything in the source that names it without expanding it?
    fn is_known(&self, name: &str) -> bool {
        if (self.around.is_set)(name) || is_of_the_shell(name) || self.is_set_elsewhere {
            return true;
        }
        let text = &self.text;
        text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + name.len()..).unwrap_or_default();
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let is_whole = !before.ends_with(is_word) && !after.starts_with(is_word);
            let is_expanded = before.ends_with('$')
                || before.strip_suffix('{').is_some_and(|rest| rest.ends_with('$')) && !after.starts_with([':', '=']);
            is_whole && !is_expanded
        })
    }
}

impl Visitor for Walk<'_> {
    fn list(&mut self, list: &List) {
        self.items(list, &mut Said::default());
    }

    fn compound(&mut self, compound: &Compound) {
        match compound {
            Compound::For(clause) | Compound::Select(clause) => {
                clause.words.iter().flatten().for_each(|word| self.word(word));
            }
            Compound::Case(clause) => self.word(&clause.subject),
            _ => {}
        }
        compound.lists().into_iter().for_each(|list| self.list(list));
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        values(simple).chain(words(simple)).for_each(|word| self.word(word));
        let words: Vec<&Word> = words(simple).collect();
        if let Some((name, operands)) = words.split_first() {
            self.path_of_program(name);
            let is_interpreter = name.literal().is_some_and(|name| {
                let name = String::from_utf8_lossy(&name).into_owned();
                let base = name.rsplit('/').next().unwrap_or_default();
                super::command::is_interpreter(base)
            });
            if is_interpreter && let Some(script) = operands.iter().find(|word| !begins_with_hyphen(word)) {
                self.path_of_program(script);
            }
            self.program(&words);
            if name.literal().as_deref() == Some(b"rm") {
                operands.iter().for_each(|word| self.removed(word));
            }
        }
    }
}

/// Variables that the shell itself sets.
fn is_of_the_shell(name: &str) -> bool {
    const OWN: [&str; 28] = [
        "DIRSTACK",
        "EPOCHREALTIME",
        "EPOCHSECONDS",
        "EUID",
        "FUNCNAME",
        "GROUPS",
        "HISTCMD",
        "HOME",
        "HOSTNAME",
        "HOSTTYPE",
        "IFS",
        "LINENO",
        "MACHTYPE",
        "MAPFILE",
        "OLDPWD",
        "OPTARG",
        "OPTERR",
        "OPTIND",
        "OSTYPE",
        "PATH",
        "PIPESTATUS",
        "PPID",
        "PWD",
        "RANDOM",
        "REPLY",
        "SECONDS",
        "SHELL",
        "UID",
    ];
    // In the environment of every session, if not of this one.
    const SESSION: [&str; 10] =
        ["USER", "LOGNAME", "TMPDIR", "TEMP", "TMP", "LANG", "TERM", "USERPROFILE", "EDITOR", "SHLVL"];
    name.starts_with("BASH")
        || name.starts_with("XDG_")
        || name.starts_with("LC_")
        || name.starts_with("COMP_")
        || OWN.contains(&name)
        || SESSION.contains(&name)
}

/// The variable that is expanded as it is.
fn variable(expansion: &ParameterExpansion) -> Option<String> {
    match &expansion.parameter {
        Parameter::Variable(name) if !expansion.indirect && expansion.operation == ParameterOperation::None => {
            Some(String::from_utf8_lossy(name.as_bytes()).into_owned())
        }
        _ => None,
    }
}

/// Does a text look like a variable that is to be expanded: `${CLAUDE_PROJECT_DIR}/x`?
fn placeholder(text: &str) -> bool {
    let rest = text.strip_prefix("${").or_else(|| text.strip_prefix('$'));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest.contains(['/', '\\', '}']))
}

fn begins_with_hyphen(word: &Word) -> bool {
    matches!(word.parts.first(), Some(WordPart::Literal(text)) if text.starts_with(b"-"))
}

/// Does it write a message: `echo no >&2`?
fn writes_to_stderr(simple: &SimpleCommand) -> bool {
    simple.redirections.iter().any(|redirection| {
        matches!(&redirection.kind, RedirectionKind::DuplicateOutput(word) if word.literal().as_deref() == Some(b"2"))
    })
}

fn only_simple(pipeline: &Pipeline) -> Option<&SimpleCommand> {
    match &*pipeline.stages {
        [stage] => match &stage.command {
            Command::Simple(simple) => Some(simple),
            Command::Compound(compound) => match &compound.kind {
                Compound::Brace(list) => match &list.items.last()?.and_or {
                    and_or if and_or.rest.is_empty() => only_simple(&and_or.first),
                    _ => None,
                },
                _ => None,
            },
            Command::Function(_) => None,
        },
        _ => None,
    }
}

/// Is it `exit 2`, or a group that ends with it?
fn is_exit(pipeline: &Pipeline) -> bool {
    only_simple(pipeline).is_some_and(|simple| {
        let code = match simple.arguments.get(1) {
            Some(Argument::Word(word)) => word.literal().map(|text| text.into_owned()),
            _ => None,
        };
        simple.literal_name().as_deref() == Some(b"exit") && code.is_some_and(|code| code != b"0")
    })
}

#[cfg(test)]
mod tests {
    use super::{OpenGuard, Surroundings, open_guards};

    fn found(source: &str, blank: bool) -> Vec<String> {
        let project = if blank { "/my project" } else { "/project" };
        let around = Surroundings {
            is_set: &|name| matches!(name, "CLAUDE_PROJECT_DIR" | "FOO_HOME"),
            directories: &[("CLAUDE_PROJECT_DIR".to_owned(), project.to_owned())],
            can_block: true,
            only_two_denies: true,
            reads_at_zero: true,
            unset: &|_| String::new(),
            is_inline: true,
            is_strict: false,
            splits_projects: true,
            wrong_program: &|_| None,
        };
        let show = |OpenGuard { offset, code, .. }: OpenGuard| format!("{offset} {code}");
        open_guards(source.as_bytes(), &around).into_iter().map(show).collect()
    }

    #[test]
    fn guards_that_stay_open_are_found() {
        let cases: &[(&str, bool, &[&str])] = &[
            ("grep -q rm && exit 2", false, &["14 HS312"]),
            ("[[ $x == y ]] && { echo no >&2; exit 2; }; x=1", false, &[]),
            ("x=1; [ -n \"$x\" ] && { echo no >&2; exit 2; }", false, &["35 HS312"]),
            ("grep -q rm && exit 2 || exit 0", false, &[]),
            ("grep -q rm && exit 2; exit 0", false, &[]),
            ("if grep -q rm; then exit 2; fi", false, &[]),
            ("true && exit 0", false, &[]),
            ("if grep -q rm; then echo no >&2; exit 1; fi", false, &["33 HS313"]),
            ("if grep -q rm; then echo no >&2; exit 1; fi; test -f x || { echo y >&2; exit 2; }", false, &[]),
            ("echo no >&2\nexit 1\n", false, &["12 HS313"]),
            ("command -v jq >/dev/null || exit 1", false, &[]),
            ("echo '{\"decision\":\"block\"}'; echo no >&2; exit 1", false, &["42 HS313"]),
            ("jq -n '{decision:\"deny\"}'\nexit 1", false, &["26 HS313"]),
            ("echo '{\"decision\":\"block\"}'; exit 0", false, &[]),
            ("if grep -q rm; then echo '{\"decision\":\"deny\"}'; exit 1; fi; exit 2", false, &["48 HS313"]),
            ("case $TOOL_NAME in x) exit 2;; esac", false, &["5 HS314"]),
            ("export A=$TOOL_NAME B=$TOOL_NAME; C=$TOOL_NAME", false, &["9 HS314", "22 HS314", "36 HS314"]),
            ("$CLAUDE_PROJECT_DIR/guard.sh", false, &["0 HS310"]),
            ("\"$CLAUDE_PROJECT_DIR\"/guard.sh; x=$CLAUDE_PROJECT_DIR/y; cat $CLAUDE_PROJECT_DIR", false, &[]),
            ("$CLAUDE_PROJECT_DIR/guard.sh", true, &["0 HS310"]),
            ("bash -e ${CLAUDE_PROJECT_DIR}/guard.sh", true, &["8 HS310"]),
            ("\"$CLAUDE_PROJECT_DIR\"/guard.sh", true, &[]),
            ("'${CLAUDE_PROJECT_DIR}/guard.sh'", false, &["0 HS311"]),
            ("node '$CLAUDE_PROJECT_DIR/guard.js'", false, &["5 HS311"]),
            ("echo '$HOME/x'", false, &[]),
            ("rm -rf $UNSET/tmp", false, &["7 HS314", "7 HS315"]),
            ("rm -rf \"$UNSET/tmp\"", false, &["7 HS315", "8 HS314"]),
            ("rm -rf \"${UNSET:?}/tmp\" $FOO_HOME/x", false, &[]),
            ("UNSET=/a; rm -rf $UNSET/tmp", false, &[]),
            ("echo $TOOL_NAME", false, &["5 HS314"]),
            ("read -r TOOL_NAME; echo $TOOL_NAME", false, &[]),
            ("for f in $FILES; do echo $f; done", false, &["9 HS314"]),
            ("echo ${TOOL_NAME-} $RANDOM $1 $BASH_VERSION", false, &[]),
            ("source lib.sh; echo $TOOL_NAME", false, &[]),
            ("x=$(echo $TOOL_NAME)", false, &["9 HS314"]),
        ];
        for (source, blank, expected) in cases {
            assert_eq!(found(source, *blank), *expected, "{source}");
        }
    }
}
