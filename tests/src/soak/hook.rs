//! The hooks: cases of the spec suite, each started in one of several ways, and some that decide.

use std::path::Path;
use std::time::Duration;

use hookshell_runner::{EventKind, HookConfig, Matcher};

use crate::spec::{Case, Mode};
use fastrand::Rng;

/// What one hook does.
#[derive(Debug)]
pub(super) struct Entry {
    /// What messages call it.
    pub(super) name: String,
    /// The case that it is made from: what its directory holds.
    pub(super) case: Option<Case>,
    command: String,
    env: Vec<(String, String)>,
    /// How long it may run where it is to be timed out.
    short: Duration,
}

/// The ways in which an entry is a hook of the config; each has its letter in the tool's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// With more time than it needs.
    Calm,
    /// With some seconds: for faults under which it may wait for ever.
    Brief,
    /// With less time than it needs, perhaps.
    Short,
    /// Nobody waits for it.
    Async,
}

impl Variant {
    fn letter(self) -> char {
        match self {
            Self::Calm => 'c',
            Self::Brief => 'b',
            Self::Short => 's',
            Self::Async => 'a',
        }
    }

    /// The part of a tool's name that this hook is for, which is also the hook's name.
    pub(super) fn tag(self, index: usize) -> String {
        format!("{}{index}", self.letter())
    }

    /// The entry's index and the variant of a hook's name.
    pub(super) fn of_tag(tag: &str) -> Option<(usize, Self)> {
        let variant = [Self::Calm, Self::Brief, Self::Short, Self::Async]
            .into_iter()
            .find(|variant| tag.starts_with(variant.letter()))?;
        Some((tag.get(1..)?.parse().ok()?, variant))
    }
}

/// Time that no case needs, also beside many others.
pub(super) const CALM: Duration = Duration::from_secs(60);

/// Time for hooks that may wait for what a fault has taken from them.
pub(super) const BRIEF: Duration = Duration::from_secs(3);

/// Where the directory of an entry is, from the event's.
pub(super) fn directory(index: usize) -> String {
    format!("h{index}")
}

impl Entry {
    /// A hook that runs a case; `None` if it cannot be one.
    pub(super) fn of_case(case: &Case, random: &mut Rng) -> Option<Self> {
        let mut env = Vec::new();
        for (name, value) in &case.env {
            let value = String::from_utf8(value.clone()).ok().filter(|value| !value.contains('\0'))?;
            env.push((name.clone(), value));
        }
        if !case.bundled.is_empty() {
            env.push(("PATH".into(), "/no-programs".into()));
        }
        let has = |name: &str| env.iter().any(|(other, _)| other == name);
        let own = |name: &str, directory: &str| {
            if has(name) { String::new() } else { format!("{name}=\"${{PWD%/*}}/{directory}\" ") }
        };
        let vars = own("HOME", "home") + &own("TMPDIR", "tmp");
        let mut args = String::new();
        for arg in &case.args {
            let arg = std::str::from_utf8(arg).ok()?;
            args += &format!(" '{}'", arg.replace('\'', r"'\''"));
        }
        let script = std::str::from_utf8(&case.script).ok().filter(|script| !script.contains('\0'));
        let inline = |script: &str| {
            let export = if vars.is_empty() { String::new() } else { format!("export {vars}; ") };
            let set = if args.is_empty() { String::new() } else { format!("set --{args}; ") };
            // The case's own input: the event names other hooks each time.
            format!("exec < ../stdin; {export}{set}{script}")
        };
        let command = match (case.mode, random.usize(..5), script) {
            (Mode::Stdin, _, _) => format!("{vars}bash -s --{args} < ../stdin"),
            (Mode::Command, _, script) => inline(script?),
            (Mode::File, 0 | 1, Some(script)) => inline(script),
            (Mode::File, 2, _) => format!("cat ../stdin | {vars}../case.sh{args}"),
            (Mode::File, 3, _) => format!("{vars}../case.sh{args} < ../stdin > ../out"),
            (Mode::File, ..) => format!("{vars}../case.sh{args} < ../stdin"),
        };
        let short = Duration::from_millis(1 + random.usize(..150) as u64);
        Some(Self { name: case.name(), case: Some(case.clone()), command, env, short })
    }

    /// Hooks that decide, and some that live long enough to be killed.
    pub(super) fn of_contract() -> Vec<Self> {
        let entry = |(name, command): &(&str, &str)| Self {
            name: format!("contract: {name}"),
            case: None,
            command: (*command).to_owned(),
            env: Vec::new(),
            short: Duration::from_millis(40),
        };
        CONTRACT.iter().map(entry).collect()
    }

    /// The command.
    pub(super) fn command(&self) -> &str {
        &self.command
    }

    /// Is what it gives the same each time, as far as its text says?
    pub(super) fn depends_on_time(&self) -> bool {
        self.case.as_ref().is_some_and(|case| {
            let script = String::from_utf8_lossy(&case.script);
            TIMED.iter().any(|word| script.contains(word))
        })
    }

    /// The hook of a config.
    pub(super) fn config(&self, index: usize, variant: Variant) -> Option<HookConfig> {
        let tag = variant.tag(index);
        let mut hook = HookConfig::new(EventKind::PreToolUse, self.command.clone());
        hook.matcher = Matcher::new(&format!(",{tag},")).ok()?;
        hook.name = Some(tag);
        hook.env.clone_from(&self.env);
        hook.cwd = Some(Path::new(&directory(index)).join("work"));
        hook.is_async = variant == Variant::Async;
        hook.timeout = match variant {
            Variant::Calm | Variant::Async => CALM,
            Variant::Brief => BRIEF,
            Variant::Short => self.short,
        };
        Some(hook)
    }
}

/// Words of scripts whose result may follow from how fast the machine is.
const TIMED: [&str; 15] = [
    "sleep", "timeout", "SECONDS", "EPOCH", "read -t", "jobs", "kill", "date", "wait -n", " & ", "&\n", "mkfifo",
    "touch", "find", "stat",
];

/// Name and command; what the tool is called with is [`super::batch::INPUT`].
const CONTRACT: [(&str, &str); 24] = [
    ("allow", r#"echo '{"decision":"allow","reason":"fine"}'"#),
    ("ask, with a reason", r#"printf '{"decision":"ask","reason":"%s"}' "$CRUSH_TOOL_INPUT_COMMAND""#),
    ("deny by a variable", "case $CRUSH_TOOL_INPUT_COMMAND in (*'rm -rf'*) echo 'not that' >&2; exit 2;; esac"),
    ("deny by jq and grep", "jq -r .tool_input.command | grep -q 'rm -rf' && { echo denied >&2; exit 2; }"),
    ("deny by real programs", "/bin/cat | /bin/grep -q 'rm -rf' && { echo denied >&2; exit 2; }"),
    ("halt", "echo enough >&2; exit 49"),
    ("new input", r#"jq -c '{updated_input:{command:(.tool_input.command + " --dry-run")}}'"#),
    ("context", r#"read -r line; echo "{\"context\":\"${#line} ${line:0:9}\"}" | sed 's/[0-9][0-9]*/N/'"#),
    ("a syntax error", "if true; then"),
    ("no such program", "./not-there --x"),
    ("no envelope", "echo hello"),
    ("too much output", "yes | head -c 3000000"),
    ("too much output of a program", "/usr/bin/yes | /usr/bin/head -c 3000000"),
    ("a chain of programs", "/bin/cat | /bin/cat | /bin/cat | /usr/bin/wc -l >&2; exit 3"),
    ("a chain of built-ins", "x=$(cat | tr a-z A-Z | tr A-Z a-z | grep -c tool_input); echo \"$x\" >&2; exit 4"),
    ("a large here-document", "x=$(printf '%0100000d' 7); /usr/bin/wc -c <<< \"$x\" >&2; exit 5"),
    ("process substitution", "diff <(echo a; /bin/echo b) <(echo a) >&2; exit 6"),
    (
        "a temporary file",
        "t=$(mktemp -p .) && trap 'rm -f \"$t\"' EXIT; echo x > \"$t\"; exec 5< \"$t\"; read -ru5 y; exit 7",
    ),
    ("many descriptors", "for i in {10..40}; do eval \"exec $i> f$i\" || exit 9; done; echo x >&30; exit 8"),
    ("a loop of programs", "for i in 1 2 3 4 5 6; do /bin/true; done; (exit 11); exit $?"),
    ("programs in the background", "/bin/sleep 0.1 & /bin/sleep 0.2 & wait; exit 12"),
    ("a pipeline that takes a while", "/bin/sleep 0.3 | cat | /bin/cat; exit 13"),
    ("shells of the system", "/bin/sh -c '/bin/sleep 0.2; exit 3'; exit $?"),
    ("a background list", "( sleep 0.1; : > ../late ) & exit 14"),
];

#[cfg(test)]
mod tests {
    use super::{CONTRACT, Entry, Variant};

    #[test]
    fn a_tag_names_its_hook() {
        for (index, variant) in [(0, Variant::Calm), (17, Variant::Brief), (5, Variant::Short), (9, Variant::Async)] {
            assert_eq!(Variant::of_tag(&variant.tag(index)), Some((index, variant)));
        }
        assert_eq!(Variant::of_tag("x3"), None);
    }

    #[test]
    fn every_hook_is_one_of_a_config() {
        let entries = Entry::of_contract();
        assert_eq!(entries.len(), CONTRACT.len());
        let hook = entries[0].config(3, Variant::Short).unwrap();
        assert!(hook.matcher.matches(",c1,s3,") && !hook.matcher.matches(",c1,s31,"));
    }
}
