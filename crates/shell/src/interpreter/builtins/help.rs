//! bash: `help`, and the synopses that usage errors show.

use hookshell_syntax::ast::Argument;
use hookshell_text::pattern::{self, Pattern};
use hookshell_utility::Args;

use super::{USAGE, done, options};
use crate::flow::Flow;
use crate::shell::Shell;

/// Name, synopsis as bash has it, and one sentence.
struct Topic(&'static str, &'static str, &'static str);

static TOPICS: &[Topic] = &[
    Topic("(( ... ))", "(( expression ))", "Evaluate an arithmetic expression; succeeds when it is not 0."),
    Topic(".", ". filename [arguments]", "Run the commands of a file in this shell."),
    Topic(":", ":", "Do nothing but expand the arguments; succeeds."),
    Topic("[", "[ arg... ]", "Evaluate a conditional expression, as test does."),
    Topic("[[ ... ]]", "[[ expression ]]", "Evaluate a conditional expression without splitting words."),
    Topic("alias", "alias [-p] [name[=value] ... ]", "Define or show aliases."),
    Topic("bg", "bg [job_spec ...]", "Needs job control, which this shell does not have."),
    Topic(
        "bind",
        "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]",
        "Needs line editing, which this shell does not have.",
    ),
    Topic("break", "break [n]", "Leave the n innermost loops."),
    Topic("builtin", "builtin [shell-builtin [arg ...]]", "Run a built-in even if a function has its name."),
    Topic("caller", "caller [expr]", "Show where the running function was called."),
    Topic(
        "case",
        "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
        "Run the commands of the first pattern that matches a word.",
    ),
    Topic("cd", "cd [-L|[-P [-e]] [-@]] [dir]", "Change the working directory."),
    Topic(
        "command",
        "command [-pVv] command [arg ...]",
        "Run a command that is no function, or tell what a name stands for.",
    ),
    Topic(
        "compgen",
        "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]",
        "List names, files or words that begin with a word.",
    ),
    Topic(
        "complete",
        "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]",
        "Note how a command's arguments would be completed, or show it.",
    ),
    Topic("compopt", "compopt [-o|+o option] [-DEI] [name ...]", "Change what complete has noted."),
    Topic("continue", "continue [n]", "Continue with the next round of the n-th enclosing loop."),
    Topic(
        "coproc",
        "coproc [NAME] command [redirections]",
        "Run a command in the background with pipes to and from it.",
    ),
    Topic(
        "declare",
        "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]",
        "Declare variables, give them attributes, or show them.",
    ),
    Topic("dirs", "dirs [-clpv] [+N] [-N]", "Show the directory stack."),
    Topic("disown", "disown [-h] [-ar] [jobspec ... | pid ...]", "Forget background jobs."),
    Topic("echo", "echo [-neE] [arg ...]", "Write the arguments to standard output."),
    Topic("enable", "enable [-a] [-dnps] [-f filename] [name ...]", "Turn built-ins on or off, or list them."),
    Topic("eval", "eval [arg ...]", "Run the arguments as commands."),
    Topic(
        "exec",
        "exec [-cl] [-a name] [command [argument ...]] [redirection ...]",
        "Replace the shell by a program, or keep redirections.",
    ),
    Topic("exit", "exit [n]", "End the shell with status n."),
    Topic("export", "export [-fn] [name[=value] ...] or export -p", "Pass variables on to programs."),
    Topic("false", "false", "Fail."),
    Topic(
        "fc",
        "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
        "Needs a history, which this shell does not keep.",
    ),
    Topic("fg", "fg [job_spec]", "Needs job control, which this shell does not have."),
    Topic("for", "for NAME [in WORDS ... ] ; do COMMANDS; done", "Run commands once for each word."),
    Topic(
        "for ((",
        "for (( exp1; exp2; exp3 )); do COMMANDS; done",
        "Run commands for as long as an arithmetic expression is not 0.",
    ),
    Topic("function", "function name { COMMANDS ; } or name () { COMMANDS ; }", "Define a function."),
    Topic("getopts", "getopts optstring name [arg ...]", "Read the next option of the positional parameters."),
    Topic("hash", "hash [-lr] [-p pathname] [-dt] [name ...]", "Look programs up."),
    Topic("help", "help [-dms] [pattern ...]", "Show a short text about built-ins."),
    Topic(
        "history",
        "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
        "Needs a history, which this shell does not keep.",
    ),
    Topic(
        "if",
        "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
        "Run commands where others succeed.",
    ),
    Topic("jobs", "jobs [-lnprs] [jobspec ...] or jobs -x command [args]", "Show the background jobs."),
    Topic(
        "kill",
        "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
        "Send a signal to processes or jobs, or list the signals.",
    ),
    Topic("let", "let arg [arg ...]", "Evaluate arithmetic expressions; succeeds when the last one is not 0."),
    Topic("local", "local [option] name[=value] ...", "Declare variables of a function."),
    Topic("logout", "logout [n]", "Leave a login shell, which this one is not."),
    Topic(
        "mapfile",
        "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
        "Read lines into an indexed array.",
    ),
    Topic("popd", "popd [-n] [+N | -N]", "Remove a directory from the stack, and enter the one below the top."),
    Topic("printf", "printf [-v var] format [arguments]", "Write the arguments in a format."),
    Topic("pushd", "pushd [-n] [+N | -N | dir]", "Enter a directory and put the old one on the stack, or rotate it."),
    Topic("pwd", "pwd [-LP]", "Write the working directory."),
    Topic(
        "read",
        "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]",
        "Read a line and split it into fields.",
    ),
    Topic(
        "readarray",
        "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
        "Read lines into an indexed array.",
    ),
    Topic("readonly", "readonly [-aAf] [name[=value] ...] or readonly -p", "Make variables unchangeable."),
    Topic("return", "return [n]", "Leave a function or a sourced file with status n."),
    Topic("select", "select NAME [in WORDS ... ;] do COMMANDS; done", "Let the user choose among words."),
    Topic(
        "set",
        "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]",
        "Set options and positional parameters, or show the variables.",
    ),
    Topic("shift", "shift [n]", "Drop the first n positional parameters."),
    Topic("shopt", "shopt [-pqsu] [-o] [optname ...]", "Set or show the options of bash."),
    Topic("source", "source filename [arguments]", "Run the commands of a file in this shell."),
    Topic("suspend", "suspend [-f]", "Needs job control, which this shell does not have."),
    Topic("test", "test [expr]", "Evaluate a conditional expression."),
    Topic("time", "time [-p] pipeline", "Show how long a pipeline took."),
    Topic("times", "times", "Show the processor time used so far."),
    Topic("trap", "trap [-lp] [[arg] signal_spec ...]", "Set or show what is done on signals and events."),
    Topic("true", "true", "Succeed."),
    Topic("type", "type [-afptP] name [name ...]", "Tell what names stand for."),
    Topic(
        "typeset",
        "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",
        "Declare variables, as declare does.",
    ),
    Topic(
        "ulimit",
        "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]",
        "Show the limits of the process. They cannot be changed here.",
    ),
    Topic("umask", "umask [-p] [-S] [mode]", "Set or show the file mode creation mask."),
    Topic("unalias", "unalias [-a] name [name ...]", "Remove aliases."),
    Topic("unset", "unset [-f] [-v] [-n] [name ...]", "Remove variables and functions."),
    Topic("until", "until COMMANDS; do COMMANDS-2; done", "Run commands until others succeed."),
    Topic("wait", "wait [-fn] [-p var] [id ...]", "Wait for background jobs."),
    Topic("while", "while COMMANDS; do COMMANDS-2; done", "Run commands for as long as others succeed."),
    Topic("{ ... }", "{ COMMANDS ; }", "Run commands as one."),
];

/// Writes the usage line of a built-in.
pub(super) fn usage(shell: &mut Shell, name: &[u8]) {
    let synopsis = TOPICS.iter().find(|topic| topic.0.as_bytes() == name).map_or("", |topic| topic.1);
    shell.write_error(&[name, b": usage: ", synopsis.as_bytes(), b"\n"].concat());
    shell.scratch.special_failed = true;
}

/// `NAME --help`: what `help NAME` shows; it counts as wrong usage all the same.
pub(super) fn help_option(shell: &mut Shell, name: &[u8]) -> Flow<u8> {
    let mut output = Vec::new();
    if let Some(topic) = TOPICS.iter().find(|topic| topic.0.as_bytes() == name) {
        describe(topic, None, &mut output);
    }
    shell.scratch.special_failed = true;
    shell.print(name, &output).map_continue(|_| USAGE)
}

/// Writes that a built-in has no such option, and its usage; gives the status of that.
pub(super) fn invalid_option(shell: &mut Shell, name: &[u8], option: &[u8]) -> u8 {
    shell.builtin_error(name, [option, b": invalid option"].concat());
    usage(shell, name);
    USAGE
}

/// `help [-dms] [pattern …]`
pub(super) fn help(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"help";
    let (letters, first) = match options(shell, args, b"dms") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    // Of several the first in this order counts, as in bash.
    let form = [b'd', b'm', b's'].into_iter().find(|letter| letters.contains(letter));
    let mut output = Vec::new();
    if first >= args.len() {
        for topic in TOPICS {
            output.extend_from_slice(topic.1.as_bytes());
            output.push(b'\n');
        }
        return shell.print(NAME, &output);
    }
    let mut found = false;
    for operand in args.iter_from(first) {
        for topic in matching(operand) {
            found = true;
            describe(topic, form, &mut output);
        }
    }
    let printed = shell.print(NAME, &output)?;
    if !found {
        let last = args.get(args.len() - 1).unwrap_or_default();
        shell.builtin_error(
            NAME,
            [b"no help topics match `", last, b"'.  Try `help help' or `man -k ", last, b"' or `info ", last, b"'."]
                .concat(),
        );
        return done(1);
    }
    done(printed)
}

/// The topics that a pattern matches, or else those whose names begin with it.
fn matching(operand: &[u8]) -> Vec<&'static Topic> {
    let pattern = Pattern::new(operand, pattern::Options::default());
    let exact = |topic: &&Topic| topic.0.as_bytes() == operand || pattern.matches(topic.0.as_bytes());
    let found: Vec<&Topic> = TOPICS.iter().filter(exact).collect();
    if !found.is_empty() {
        return found;
    }
    TOPICS.iter().filter(|topic| topic.0.as_bytes().starts_with(operand)).collect()
}

fn describe(topic: &Topic, form: Option<u8>, out: &mut Vec<u8>) {
    let Topic(name, synopsis, sentence) = topic;
    let text = match form {
        Some(b'd') => format!("{name} - {sentence}\n"),
        Some(b's') => format!("{name}: {synopsis}\n"),
        Some(_) => format!("NAME\n    {name} - {sentence}\n\nSYNOPSIS\n    {synopsis}\n\n"),
        None => format!("{name}: {synopsis}\n    {sentence}\n"),
    };
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::BUILTINS;
    use super::{TOPICS, matching};

    #[test]
    fn every_builtin_has_a_topic() {
        for builtin in BUILTINS {
            assert!(TOPICS.iter().any(|topic| topic.0 == builtin.name), "{}", builtin.name);
        }
    }

    #[test]
    fn a_name_comes_before_what_it_begins() {
        let names = |operand: &str| matching(operand.as_bytes()).iter().map(|topic| topic.0).collect::<Vec<_>>();
        assert_eq!(names("read"), ["read"]);
        assert_eq!(names("compl"), ["complete"]);
        assert_eq!(names("un*"), ["unalias", "unset", "until"]);
        assert_eq!(names("nothing"), [""; 0]);
    }
}
