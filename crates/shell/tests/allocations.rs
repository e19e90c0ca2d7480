//! A loop takes no more memory at its end than at its start.
//!
//! The only test of its program, because the allocator that counts is the whole process's.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use std::alloc::System;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hookshell_shell::{
    ExecError, ExecRequest, Executor, ExitCause, FIRST_VIRTUAL_ID, FdTable, Identity, Limits, Pool, RunToken, Shell,
    ShellConfig, Started, Stream,
};
use hookshell_syntax::{Dialect, ParseOptions, parse_program};
use hookshell_utility::{Prepared, Stopped, Unsupported, Utility, UtilityCall, UtilityContext, UtilitySet};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What a loop does in a turn, and into how many parts its turns are divided, each of [`TURNS`].
const LOOPS: &[(usize, &str)] = &[
    (100, r#"n=$((n+1)); x="a $n"; [ "$n" -gt 0 ] && f "$x""#),
    // All that needs no other execution environment.
    (
        5,
        r#"n=$((n+1)); x="a $n b"; f "$x" "${x##* }" $x; s=${x//a/bb}; a[n%10]=$s; m[k$((n%10))]=$x
        case $x in *[13579]\ b) o=odd;; *) o=even;; esac; [ "$n" -gt 0 ] && [[ $x == a*b && $x =~ ([0-9]+) ]]
        set -- one two "$@"; shift "$#"; printf -v p '%05d' "$n"; ((q = (q * 31 + n) % 1000)); t+=x
        case ${#t} in 100) t=;; esac; unset u; u=${BASH_REMATCH[1]}; echo "$u" >/dev/null; eval "v=$n"; : {1..5} "${a[@]}""#,
    ),
    (5, "x=$(echo $n); y=$(f $x; echo $REPLY)"),
    (5, "(x=1; f 1 2 3; n=5)"),
    (5, "read -r x y <<<'one two'; read -r z <<END\n$x\nEND\n"),
    (
        5,
        "{ echo $n; } >/dev/null 2>&1; trap 'x=1' USR1; trap - USR1; local_() { local n=1; f; }; local_; declare -g g=$n",
    ),
];

/// Turns between two samples.
const TURNS: usize = 1000;

/// Bytes in use and allocations made so far.
type Sample = (i64, i64);

/// The utility `sample` of the scripts below.
struct Sampler(Mutex<Vec<Sample>>);

impl Utility for Sampler {
    fn name(&self) -> &'static str {
        "sample"
    }

    fn prepare<'a>(&'a self, _: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        Ok(Box::new(self))
    }
}

impl Prepared for &Sampler {
    fn run(self: Box<Self>, _: &UtilityContext<'_>) -> Result<u8, Stopped> {
        let stats = ALLOCATOR.stats();
        let count = |number: usize| i64::try_from(number).unwrap();
        let live = count(stats.bytes_allocated) - count(stats.bytes_deallocated);
        self.0.lock().unwrap().push((live, count(stats.allocations + stats.reallocations)));
        Ok(0)
    }
}

impl UtilitySet for Sampler {
    fn utility(&self, name: &[u8]) -> Option<&dyn Utility> {
        (name == b"sample").then_some(self)
    }
}

struct StartsNothing;

impl Executor for StartsNothing {
    fn start(&self, _: &ExecRequest<'_>) -> Result<Started, ExecError> {
        Err(ExecError::CommandNotFound)
    }

    fn find(&self, _: &[u8], _: &[u8], _: &Path) -> Option<PathBuf> {
        None
    }
}

#[test]
fn a_loop_has_and_makes_no_more_allocations_at_its_end_than_at_its_start() {
    let pool = Pool::new();
    for &(parts, body) in LOOPS {
        let samples = samples(&pool, parts, body);
        assert_eq!(samples.len(), parts, "{body}");
        // In the first part caches are filled and buffers grow to the size that they need.
        let (start, end) = (samples[1], samples[parts - 1]);
        let allocations = |part: usize| samples[part].1 - samples[part - 1].1;
        println!(
            "{} turns: {} to {} bytes, {} to {} allocations in {TURNS} turns: {body}",
            parts * TURNS,
            start.0,
            end.0,
            allocations(2),
            allocations(parts - 1)
        );
        // A table may grow once more, but nothing for each turn.
        assert!(end.0 - start.0 < 1024, "{} bytes more: {body}", end.0 - start.0);
        assert!(allocations(parts - 1) <= allocations(2) + 10, "{samples:?}: {body}");
    }
}

/// Runs the loop; a sample after each part.
fn samples(pool: &Pool, parts: usize, body: &str) -> Vec<Sample> {
    let source = format!(
        "declare -A m; f() {{ local y=$1; REPLY=${{y%?}}; }}; n=100000\n\
         for _ in {{1..{parts}}}; do for _ in {{1..{TURNS}}}; do\n{body}\ndone; sample; done"
    );
    let sampler = Arc::new(Sampler(Mutex::new(Vec::with_capacity(parts))));
    let (stderr, errors) = Stream::capture(1 << 16);
    let config = ShellConfig {
        executor: Arc::new(StartsNothing),
        utilities: sampler.clone(),
        pool: pool.clone(),
        cancel: RunToken::isolated(),
        env: Arc::new(Vec::new()),
        cwd: std::env::temp_dir(),
        fds: FdTable::new(Arc::new(Stream::null()), Arc::new(Stream::null()), Arc::new(stderr)),
        name: "loop".into(),
        args: Vec::new(),
        dialect: Dialect::Bash,
        limits: Limits::default(),
        identity: Identity::Virtual(FIRST_VIRTUAL_ID),
        is_command_string: false,
    };
    let exit = pool
        .call(move || {
            let program = parse_program(source.into_bytes(), &ParseOptions::default());
            assert!(program.error.is_none(), "{:?}", program.error);
            Shell::new(config).run_program(&program)
        })
        .unwrap();
    assert_eq!(exit.cause, ExitCause::Normal, "{}", String::from_utf8_lossy(&errors.take()));
    sampler.0.lock().unwrap().clone()
}
