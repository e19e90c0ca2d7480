//! The start and the end of a program, beside the standard library's, which calls `posix_spawn`.

use std::path::Path;
use std::process::{Command, Stdio};

use criterion::Criterion;
use hookshell_process::{ProcessTree, SpawnRequest};

pub(crate) fn benches(criterion: &mut Criterion) {
    let program = Path::new("/bin/true");
    if !program.exists() {
        eprintln!("spawn: skipped: there is no /bin/true");
        return;
    }
    let mut group = criterion.benchmark_group("spawn /bin/true");
    group.bench_function("hookshell", |bencher| {
        let tree = ProcessTree::isolated();
        bencher.iter(|| {
            let child = tree
                .spawn(&SpawnRequest {
                    program,
                    argv: &["true".into()],
                    env: &[],
                    cwd: Path::new("/"),
                    fds: &[],
                    umask: None,
                    close_missing: false,
                    ignored_signals: 0,
                    limits: &[],
                })
                .unwrap();
            assert!(child.wait().unwrap().success());
        });
    });
    group.bench_function("posix_spawn", |bencher| {
        bencher.iter(|| {
            let mut command = Command::new(program);
            command.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            assert!(command.status().unwrap().success());
        });
    });
    group.finish();
}
