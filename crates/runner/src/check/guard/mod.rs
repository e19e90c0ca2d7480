//! Guards that stay open: shell code that is valid, and does not do what a hook's author means.

mod asks;
mod branch;
mod exit;
mod of_event;
mod reason;
mod removal;
mod variable;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hookshell_syntax::ast::{
    Assignment, Command, CommandSubstitution, Compound, CompoundCommand, Condition, FunctionDefinition, List,
    ParameterExpansion, Redirection, RedirectionKind, SimpleCommand, Word, WordPart,
};
use hookshell_syntax::{Dialect, ParseOptions, Span, parse_for_analysis};

pub(super) use self::exit::denies_nothing;
use self::exit::writes_to_stderr;
pub(super) use self::reason::ReasonOn;
use super::programs::{Known, WrongProgram, known};
use super::walk::{self, Visitor, pipelines, words};
use super::{FindingCode, Severity};
use crate::config::ExitMeaning;

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
    /// What an exit code means where a reason stands on standard error.
    pub(super) exit_meaning: &'a (dyn Fn(u8) -> ExitMeaning + Sync),
    /// Where a reason must stand, without which an exit code denies nothing; `None`: it denies all the same.
    pub(super) reason_on: Option<ReasonOn>,
    /// Is what is printed read where the exit code is 0 only?
    pub(super) reads_at_zero: bool,
    /// Does a variable's name say that a part of the event is meant, or that an agent sets it?
    pub(super) is_of_event: &'a (dyn Fn(&str) -> bool + Sync),
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
    let mut other_code = OtherCode { is_found: false };
    program.units.iter().for_each(|unit| other_code.list(&unit.list));
    let mut walk = Walk {
        source,
        text,
        is_set_elsewhere: other_code.is_found,
        around,
        found: Vec::new(),
        denies: false,
        failures: Vec::new(),
        lost: Vec::new(),
        silent_denies: Vec::new(),
        may_say: false,
        own: HashMap::new(),
        functions: HashMap::new(),
        exits_known: HashSet::new(),
        in_backquotes: None,
        of_event: HashSet::new(),
        is_nounset: is_nounset(source),
    };
    if program.units.is_empty() && program.error.is_none() {
        walk.no_command();
    }
    // Each line is a unit of its own.
    let mut said = PriorOutput::default();
    for unit in &program.units {
        walk.items(&unit.list, &mut said);
    }
    if around.can_block {
        if let Some(last) = program.units.last().and_then(|unit| unit.list.items.last())
            && !last.background
        {
            walk.last(&last.and_or, 0);
        }
        if let Some(unit) = program.units.last() {
            walk.ends_with_false(&unit.list, 0);
        }
        walk.exit_codes();
        walk.reasons();
    }
    walk.found.sort_by_key(|found| found.offset);
    // A script is an operand too.
    walk.found
        .dedup_by(|one, other| one.offset == other.offset && one.code == other.code && one.message == other.message);
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
    /// Exits with other codes after a message on standard error, or where something was found: where, and the code.
    failures: Vec<(usize, u8)>,
    /// Exits with other codes after a deny on standard output: where, and the code.
    lost: Vec<(usize, u8)>,
    /// Exits with codes that deny: where, and the code.
    silent_denies: Vec<(usize, u8)>,
    /// Is there a command that may say why it denies?
    may_say: bool,
    /// Names of commands, and whether the source may define them: it is searched once for each.
    own: HashMap<Vec<u8>, bool>,
    /// The script's functions so far.
    functions: HashMap<Vec<u8>, Arc<CompoundCommand>>,
    /// Those of them whose exits are among the failures.
    exits_known: HashSet<*const CompoundCommand>,
    /// Where the backquotes stand that the code is in. Its own places are those of their text without backslashes.
    in_backquotes: Option<usize>,
    /// The variables so far that hold text of the event.
    of_event: HashSet<Vec<u8>>,
    /// Does a variable without a value end the script?
    is_nounset: bool,
}

/// Looks for code that is not in the source: `. FILE`, `source FILE`, `eval TEXT`.
struct OtherCode {
    is_found: bool,
}

impl Visitor for OtherCode {
    fn simple(&mut self, simple: &SimpleCommand) {
        let names = words(simple).take(2).map(walk::text).collect::<Vec<_>>();
        let name = match &*names {
            [wrapper, name] if matches!(&**wrapper, "builtin" | "command") => name,
            [name, ..] => name,
            [] => return walk::simple(self, simple),
        };
        self.is_found |= matches!(&**name, "." | "source" | "eval");
        walk::simple(self, simple);
    }
}

/// `#!/bin/bash -eu`
fn is_nounset(source: &[u8]) -> bool {
    let line = source.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(u8::is_ascii_whitespace);
    line.starts_with(b"#!") && words.any(|word| word.starts_with(b"-") && word.contains(&b'u'))
}

/// What a list has said before one of its commands.
#[derive(Default)]
struct PriorOutput {
    /// A message on standard error.
    message: bool,
    /// A deny on standard output.
    deny: bool,
}

impl Walk<'_> {
    /// There are only blanks and comments.
    fn no_command(&mut self) {
        let blanks = self.source.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let (at, is) = match self.source.get(blanks) {
            Some(_) => (blanks, "only a comment"),
            None => (0, "empty"),
        };
        let what = if self.around.is_inline { "the command" } else { "the script" };
        self.warn(at, FindingCode::NoCommand, format!("{what} is {is}: it runs nothing and lets every call through"));
    }

    /// The commands of a list, after what was said before it.
    fn items(&mut self, list: &List, said: &mut PriorOutput) {
        for item in &list.items {
            self.found_before(&item.and_or);
            for stage in pipelines(&item.and_or).flat_map(|pipeline| &pipeline.stages) {
                if let Command::Simple(simple) = &stage.command {
                    self.exit(simple, said);
                    said.message |= writes_to_stderr(simple);
                    said.deny |= self.prints_deny(simple);
                }
                self.command(&stage.command);
            }
        }
    }

    fn warn(&mut self, offset: usize, code: FindingCode, message: String) {
        self.found.push(OpenGuard { offset, severity: Severity::Warning, code, message });
    }

    fn error(&mut self, offset: usize, code: FindingCode, message: String) {
        self.found.push(OpenGuard { offset, severity: Severity::Error, code, message });
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
        tell(self, self.in_backquotes.unwrap_or(span.start + line), FindingCode::WrongProgram, wrong.message);
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

    /// Where something stands in the source.
    fn place(&self, span: Span) -> usize {
        self.in_backquotes.unwrap_or(span.start as usize)
    }
}

impl Visitor for Walk<'_> {
    fn list(&mut self, list: &List) {
        self.items(list, &mut PriorOutput::default());
    }

    fn compound(&mut self, compound: &Compound) {
        match compound {
            Compound::Case(clause) => {
                self.quoted_patterns(clause);
                self.found_in_case(clause);
            }
            Compound::If(clause) => self.found_in_if(clause),
            _ => {}
        }
        walk::compound(self, compound);
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.assigns_event(assignment);
        walk::assignment(self, assignment);
    }

    fn condition(&mut self, condition: &Condition) {
        self.asks_double(condition);
        walk::condition(self, condition);
    }

    fn function(&mut self, function: &FunctionDefinition) {
        self.functions.insert(function.name.as_bytes().to_vec(), Arc::clone(&function.body));
        walk::function(self, function);
    }

    fn redirection(&mut self, redirection: &Redirection) {
        if let RedirectionKind::Read(word)
        | RedirectionKind::Write(word)
        | RedirectionKind::Clobber(word)
        | RedirectionKind::Append(word)
        | RedirectionKind::WriteBoth(word)
        | RedirectionKind::AppendBoth(word) = &redirection.kind
        {
            self.split_path(word);
        }
        walk::redirection(self, redirection);
    }

    fn expansion(&mut self, expansion: &ParameterExpansion) {
        self.expanded(expansion);
        walk::expansion(self, expansion);
    }

    fn substitution(&mut self, substitution: &CommandSubstitution) {
        let Ok(body) = &substitution.body else { return };
        let around = self.in_backquotes;
        if substitution.backquoted {
            self.in_backquotes = around.or(Some(substitution.span.start as usize));
        }
        self.list(body);
        self.in_backquotes = around;
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        walk::simple(self, simple);
        self.may_say_why(simple);
        self.reads_event(simple);
        self.sets_nounset(simple);
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
            self.asks_single(simple, name, operands);
            self.operands(&name.literal().unwrap_or_default(), operands);
            self.removes(&words);
        }
    }
}

fn begins_with_hyphen(word: &Word) -> bool {
    matches!(word.parts.first(), Some(WordPart::Literal(text)) if text.starts_with(b"-"))
}

#[cfg(test)]
mod tests {
    use super::{ExitMeaning, OpenGuard, ReasonOn, Surroundings, open_guards};

    pub(super) fn found(source: &str, blank: bool) -> Vec<String> {
        found_where(source, blank, None)
    }

    fn found_where(source: &str, blank: bool, reason_on: Option<ReasonOn>) -> Vec<String> {
        let project = if blank { "/my project" } else { "/project" };
        let around = Surroundings {
            is_set: &|name| matches!(name, "CLAUDE_PROJECT_DIR" | "FOO_HOME"),
            directories: &[("CLAUDE_PROJECT_DIR".to_owned(), project.to_owned())],
            can_block: true,
            exit_meaning: &|code| match code {
                0 => ExitMeaning::Envelope,
                2 => ExitMeaning::Deny,
                49 => ExitMeaning::Halt,
                _ => ExitMeaning::Error,
            },
            reason_on,
            reads_at_zero: true,
            is_of_event: &|name| name.starts_with("TOOL"),
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
            ("#exit 2", false, &["0 HS317"]),
            ("\n  # exit 2\n\n# 3\n", false, &["3 HS317"]),
            ("", false, &["0 HS317"]),
            ("# why\n:", false, &[]),
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
            ("[ $# = 1 ] || { echo usage >&2; exit 64; }; echo none >&2; exit 127", false, &[]),
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
            ("'$CLAUDE_PROJECT_DIR'/guard.sh", false, &["0 HS311"]),
            ("sh '$CLAUDE_PROJECT_DIR'/guard.sh", false, &["3 HS311"]),
            ("'$dir'/guard.sh", false, &[]),
            ("echo '$HOME/x'", false, &[]),
            ("rm -rf $UNSET/tmp", false, &["7 HS314", "7 HS315"]),
            ("rm -rf \"$UNSET/tmp\"", false, &["7 HS315", "8 HS314"]),
            ("rm -rf \"${UNSET:?}/tmp\" $FOO_HOME/x", false, &[]),
            ("UNSET=/a; rm -rf $UNSET/tmp", false, &[]),
            ("# It ends. So\nfind . -x\nrm -rf $UNSET/tmp", false, &["31 HS314", "31 HS315"]),
            ("if x; then y=$(builtin source lib); fi; rm -rf $UNSET/tmp", false, &[]),
            ("echo $TOOL_NAME", false, &["5 HS314"]),
            ("read -r TOOL_NAME; echo $TOOL_NAME", false, &[]),
            ("for f in $FILES; do echo $f; done", false, &["9 HS314"]),
            ("echo ${TOOL_NAME-} $RANDOM $1 $BASH_VERSION $_", false, &[]),
            ("source lib.sh; echo $TOOL_NAME", false, &[]),
            ("x=$(echo $TOOL_NAME)", false, &["9 HS314"]),
            // In every place where a word may stand.
            ("[[ $TOOL_NAME == x ]]", false, &["3 HS314"]),
            ("grep x <<< $TOOL_NAME", false, &["11 HS314"]),
            ("cat <<E\n$TOOL_NAME\nE", false, &["8 HS314"]),
            ("x=(a $TOOL_NAME)", false, &["5 HS314"]),
            ("x=${1:-$TOOL_NAME}", false, &["7 HS314"]),
            ("(( $TOOL_NAME > 1 ))", false, &["3 HS314"]),
            ("x=`echo \\$TOOL_NAME`", false, &["2 HS314"]),
            ("echo ${TOOL_NAME:0:3} ${#TOOL_NAME} ${TOOL_NAME%x}", false, &["5 HS314", "22 HS314", "36 HS314"]),
            ("[ -n \"$TOOL_NAME\" ] || exit 0", false, &["6 HS314"]),
            ("[ -n \"$NTFY_URL\" ] && curl \"$NTFY_URL\"; [ -z $CI ] || exit 0", false, &[]),
            ("cat $CLAUDE_PROJECT_DIR/x; cd $CLAUDE_PROJECT_DIR && ls", false, &["4 HS310", "30 HS310"]),
            ("timeout 5 $CLAUDE_PROJECT_DIR/x.sh", false, &["10 HS310"]),
            ("x > $CLAUDE_PROJECT_DIR/log", false, &["4 HS310"]),
            ("echo $CLAUDE_PROJECT_DIR/x; [[ -f $CLAUDE_PROJECT_DIR/x ]]; exit 0", false, &[]),
            ("if grep -q rm; then echo no > /dev/stderr; exit 1; fi", false, &["43 HS313"]),
            ("if grep -q rm; then echo no >&2; exit -1; fi", false, &["33 HS313"]),
            ("cat <<E\n{\"decision\":\"block\"}\nE\nexit 1", false, &["31 HS313"]),
            ("f() {\n  grep -q rm && exit 2\n}\nf", false, &["22 HS312"]),
            ("no() { echo x >&2; exit 2; }\ngrep -q rm && no", false, &["43 HS312"]),
            ("no() { echo x; }\ngrep -q rm && no", false, &[]),
        ];
        for (source, blank, expected) in cases {
            assert_eq!(found(source, *blank), *expected, "{source}");
        }
    }

    /// A guard that says nothing and ends with 1 where it has found what it looks for.
    #[test]
    fn a_failure_where_something_was_found_is_no_deny() {
        let cases: &[(&str, &[&str])] = &[
            ("if grep -q rm; then exit 1; fi", &["20 HS313"]),
            ("if echo \"$1\" | grep -q rm; then { x; exit 1; }; fi", &["37 HS313"]),
            ("if true; then :; elif [[ $1 =~ rm ]]; then exit 1; fi", &["43 HS313"]),
            ("[[ $1 == *rm* ]] && exit 1; exit 0", &["20 HS313"]),
            ("[[ -n $1 && ( $1 = rm* || $1 == x ) ]] && exit 1; exit 0", &["42 HS313"]),
            ("grep -q rm && exit 1; exit 0", &["14 HS313"]),
            ("read -r p; case $p in *rm*|*mv*) exit 1;; esac", &["33 HS313"]),
            ("echo DENY; false", &["11 HS313"]),
            ("if grep -q rm; then echo no; false; fi", &["29 HS313"]),
            ("case $1 in a) printf no; (echo; false);; esac", &["32 HS313"]),
            ("grep -q rm && [ -z \"$USER\" ] && exit 1; exit 0", &["32 HS313"]),
            ("if grep -q mv && [ -z \"$USER\" ]; then exit 1; fi", &["38 HS313"]),
            (
                "if [ -n \"$(grep rm)\" ]; then exit 1; fi; [ $(grep -c rm) -gt 0 ] && exit 1; exit 0",
                &["29 HS313", "68 HS313"],
            ),
            ("if jq -e '.x | test(\"rm\")' >/dev/null; then exit 1; fi", &["44 HS313"]),
            ("no() { exit 1; }; if grep -q rm; then no; fi", &["7 HS313"]),
            // Text of the event is compared, or it is none of those that may run.
            ("c=$(jq -r .x)\nif [ \"$c\" = \"rm -rf /\" ]; then exit 1; fi", &["45 HS313"]),
            ("c=$(cat); [[ $(jq -r .t <<< \"$c\") == Bash ]] && exit 1; exit 0", &["48 HS313"]),
            ("read -r c; d=${c%% *}; case $d in rm|mv) exit 1;; esac", &["41 HS313"]),
            ("c=$(jq -r .x); if ! echo \"$c\" | grep -q ^ls; then exit 1; fi", &["50 HS313"]),
            ("c=$(jq -r .x); grep -q ^ls <<< \"$c\" || exit 1", &["39 HS313"]),
            (
                "c=$(jq -r .x); [ \"$c\" = null ] && exit 1; [ -z \"$c\" ] && exit 1; [ \"$c\" != Bash ] && exit 1; exit 0",
                &[],
            ),
            ("c=$(jq -r .x package.json); [ \"$c\" = a ] && exit 1; case $c in '') exit 1;; *) exit 1;; esac", &[]),
            ("c=$(uname); [ \"$c\" = Linux ] && exit 1; d=$(jq . < x); [ \"$d\" = x ] && exit 1; exit 0", &[]),
            // Nothing was found, or it is no search.
            ("if ! grep -q rm; then exit 1; fi", &[]),
            ("if ! [[ $1 == *rm* ]]; then exit 1; fi; [[ $1 != *x* ]] && exit 1; exit 0", &[]),
            ("grep -q rm || exit 1; command -v jq >/dev/null || exit 1; [ -f x ] && exit 1; exit 0", &[]),
            ("case $1 in start) ;; *) exit 1;; esac; case $1 in -x) exit 1;; esac", &[]),
            // Something else is asked in between, or it denies.
            ("if grep -q rm; then [ -f x ] || exit 1; fi", &[]),
            ("if grep -q rm; then exit 2; fi; if grep -q mv; then exit 1; fi", &[]),
            ("if grep -q rm; then exit 0; fi; if grep -q x; then exit 64; fi", &[]),
            ("if grep -q rm; then echo no; false; fi; exit 0", &[]),
            ("false; echo; x || false", &[]),
        ];
        for (source, expected) in cases {
            assert_eq!(found(source, false), *expected, "{source}");
        }
    }

    /// Some agents take an exit code for a deny only where a reason stands beside it.
    #[test]
    fn a_deny_without_a_reason_is_found() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("exit 2", &["0 HS313"], &["0 HS313"]),
            ("if jq -r .x | grep -q rm; then exit 2; fi", &["31 HS313"], &[]),
            ("if grep -q rm; then exit 2; fi", &["20 HS313"], &["20 HS313"]),
            ("no() { exit 2; }; [[ $1 == x ]] && no; exit 0", &["7 HS313"], &["7 HS313"]),
            ("echo no; exit 2", &["9 HS313"], &[]),
            ("echo no >&2; exit 2", &[], &[]),
            ("exec 2>&1; ./lint; exit 2", &[], &[]),
            ("./lint || exit 2", &[], &[]),
            ("x=$(./lint); exit 2", &[], &[]),
            (". lib.sh; exit 2", &[], &[]),
            ("echo '{\"decision\":\"deny\"}'; exit 0", &[], &[]),
            ("exit 0", &[], &[]),
        ];
        for (source, on_stderr, on_any) in cases {
            assert_eq!(found_where(source, false, Some(ReasonOn::Stderr)), *on_stderr, "{source}");
            assert_eq!(found_where(source, false, Some(ReasonOn::Any)), *on_any, "{source}");
        }
    }
}
