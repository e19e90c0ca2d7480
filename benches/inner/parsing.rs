//! Text into trees: scripts, arithmetic, patterns.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput};
use hookshell_syntax::{DEFAULT_MAX_DEPTH, Dialect, ParseOptions, parse_arithmetic, parse_program};
use hookshell_text::pattern::{Options, Pattern};

/// A hook script of a hundred lines, the one whose instructions are counted too.
const SCRIPT: &str = include_str!("../../xtask/instructions/guard.sh");

pub(crate) fn benches(criterion: &mut Criterion) {
    parser(criterion);
    patterns(criterion);
    criterion.bench_function("arithmetic/parse", |bencher| {
        let text = b"(i * 31 + seen[i % 7]) >> 2 == limit ? i++ : (i += 3, -i)";
        bencher.iter(|| parse_arithmetic(black_box(text), Dialect::Bash, DEFAULT_MAX_DEPTH));
    });
}

/// Lexer and parser: bytes a second.
fn parser(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    for times in [1, 12] {
        let script: Arc<[u8]> = SCRIPT.repeat(times).into_bytes().into();
        let program = parse_program(Arc::clone(&script), &ParseOptions::default());
        assert!(program.error.is_none(), "{:?}", program.error);
        group.throughput(Throughput::Bytes(script.len() as u64));
        group.bench_function(BenchmarkId::new("script", format!("{} KB", script.len() / 1000)), |bencher| {
            bencher.iter(|| parse_program(black_box(Arc::clone(&script)), &ParseOptions::default()));
        });
    }
    group.finish();
}

/// The matcher of `case`, `[[ == ]]`, `#`, `%` and pathnames. Bytes a second must not fall with the length of the text.
fn patterns(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pattern");
    let cases: [(&str, &[u8], bool); 4] = [
        ("suffix", b"*.txt", false),
        ("set", b"file*[0-9].t?t", false),
        ("group", b"@(a|b|file)*.+(txt|md)", true),
        ("literal", b"file1234.txt", false),
    ];
    for (name, pattern, extglob) in cases {
        let options = Options { extglob, ..Options::default() };
        let compiled = Pattern::new(pattern, options);
        assert!(compiled.matches(b"file1234.txt"), "{name}");
        group.bench_function(BenchmarkId::new("compile", name), |bencher| {
            bencher.iter(|| Pattern::new(black_box(pattern), options));
        });
        group.bench_function(BenchmarkId::new("match", name), |bencher| {
            bencher.iter(|| compiled.matches(black_box(b"file1234.txt")));
        });
    }
    // A matcher that tries every place for each `*` takes the fourth power of the length.
    let pathological = Pattern::new(b"a*a*a*a*b", Options::default());
    for length in [100, 1_000, 10_000, 100_000] {
        let text = vec![b'a'; length];
        group.throughput(Throughput::Bytes(length as u64));
        group.bench_with_input(BenchmarkId::new("a*a*a*a*b", length), &text, |bencher, text| {
            bencher.iter(|| assert!(!pathological.matches(black_box(text))));
        });
    }
    group.finish();
}
