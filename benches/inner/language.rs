//! What commands cost. Each bench runs a command a thousand times in a loop; `empty turn` is what the loop itself takes.

use criterion::{BenchmarkId, Criterion, Throughput};

use crate::workbench::{Workbench, program};

/// Turns of a loop.
const TURNS: u64 = 1000;

/// Group, name, what the shell has run before, the command.
const COMMANDS: &[(&str, &str, &str, &str)] = &[
    ("command", "empty turn", "", ":"),
    ("expansion", "plain words", "", ": one two three four five six seven eight"),
    ("expansion", "\"$x\"", "x=value", ": \"$x\" \"$x\" \"$x\" \"$x\""),
    ("expansion", "text \"$x\" text", "x=value", ": one$x-two \"a $x b\""),
    ("expansion", "${p##*/} and ${p%.*}", "p=/usr/share/doc/file.txt", ": \"${p##*/}\" \"${p%.*}\""),
    ("expansion", "${s//a/b}", "s=banana-banana-banana", ": \"${s//a/b}\""),
    ("field splitting", "eight fields", "x='one two three four five six seven eight'", ": $x"),
    ("field splitting", "one field", "x=one", ": $x"),
    ("field splitting", "IFS=:", "IFS=:; x=/usr/local/bin:/usr/bin:/bin:/usr/games", ": $x"),
    ("arithmetic", "$((i+1))", "i=41", ": $((i+1))"),
    ("arithmetic", "(( )) of six operators", "i=41", "((j = (i * 31 + 7) % 1000 >> 1 ^ 5))"),
    ("variable", "set", "", "x=value"),
    ("variable", "get", "x=value", ": $x"),
    ("variable", "set one of 1,000", "for ((i = 0; i < 1000; i++)); do declare v$i=$i; done", "v777=value"),
    ("variable", "append", "", "s+=x; case ${#s} in 1000) s= ;; esac"),
    ("variable", "array element", "a=({1..1000})", ": ${a[777]}"),
    ("variable", "slice of an array", "a=({1..1000})", ": \"${a[@]:500:5}\""),
    ("function", "call", "f() { :; }", "f"),
    ("function", "call with arguments and a local", "f() { local x=$1; }", "f one two three"),
    ("condition", "[ ]", "i=41", "[ \"$i\" -lt 300 ]"),
    ("condition", "[[ == ]]", "p=file.txt", "[[ $p == *.txt ]]"),
    ("condition", "[[ =~ ]]", "p=file123.txt", "[[ $p =~ ^([a-z]+)([0-9]+) ]]"),
    (
        "condition",
        "case of six patterns",
        "p=file.txt",
        "case $p in *.rs) ;; *.md) ;; *.toml) ;; a?c) ;; [0-9]*) ;; *.txt) ;; esac",
    ),
    ("substitution", "$( ) of a builtin", "", ": $(echo word)"),
    ("subshell", "(x=1)", "", "(x=1)"),
    ("subshell", "(x=1) beside 1,000 variables", "for ((i = 0; i < 1000; i++)); do declare v$i=$i; done", "(x=1)"),
    ("pipeline", "two builtins", "", "echo word | read -r x"),
    ("redirection", ">/dev/null", "", "echo word >/dev/null"),
    ("redirection", "here-string", "", "read -r x <<<word"),
];

pub(crate) fn benches(criterion: &mut Criterion) {
    for &(group, name, setup, command) in COMMANDS {
        let workload = program(&format!("for _ in {{1..{TURNS}}}; do\n{command}\ndone"));
        let mut group = criterion.benchmark_group(group);
        group.throughput(Throughput::Elements(TURNS));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            let workbench = Workbench::new(setup);
            bencher.iter_custom(|count| workbench.time(&workload, count));
        });
        group.finish();
    }
}
