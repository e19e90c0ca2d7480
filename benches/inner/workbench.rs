//! A shell that runs the same program again and again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use hookshell_shell::{
    ExecError, ExecRequest, Executor, ExitCause, FIRST_VIRTUAL_ID, FdTable, Identity, Limits, NoUtilities, Pool,
    RunToken, Shell, ShellConfig, Started, Stream,
};
use hookshell_syntax::{Dialect, ParseOptions, Program, parse_program};

/// Nothing of what is timed here starts a program.
struct StartsNothing;

impl Executor for StartsNothing {
    fn start(&self, _: &ExecRequest<'_>) -> Result<Started, ExecError> {
        Err(ExecError::CommandNotFound)
    }

    fn find(&self, _: &[u8], _: &[u8], _: &Path) -> Option<PathBuf> {
        None
    }
}

/// A shell on a thread of its own, as all shells are: the thread has the stack that they count on.
pub(crate) struct Workbench {
    orders: mpsc::Sender<(Arc<Program>, u64)>,
    times: mpsc::Receiver<Duration>,
    _pool: Pool,
}

impl Workbench {
    /// A shell that has run `setup`.
    pub(crate) fn new(setup: &str) -> Self {
        let pool = Pool::new();
        let (orders, taken) = mpsc::channel::<(Arc<Program>, u64)>();
        let (sender, times) = mpsc::channel();
        let config = config(&pool);
        let setup = program(setup);
        pool.run(move || {
            let mut shell = Shell::new(config);
            run(&mut shell, &setup);
            for (program, count) in taken {
                let start = Instant::now();
                for _ in 0..count {
                    run(&mut shell, &program);
                }
                if sender.send(start.elapsed()).is_err() {
                    return;
                }
            }
        })
        .unwrap();
        Self { orders, times, _pool: pool }
    }

    /// The time that so many runs of the program take.
    pub(crate) fn time(&self, program: &Arc<Program>, count: u64) -> Duration {
        self.orders.send((Arc::clone(program), count)).unwrap();
        self.times.recv().unwrap()
    }
}

/// Parses what must be right.
pub(crate) fn program(source: &str) -> Arc<Program> {
    let program = parse_program(source.as_bytes(), &ParseOptions::default());
    assert!(program.error.is_none(), "{source}: {:?}", program.error);
    Arc::new(program)
}

fn run(shell: &mut Shell, program: &Program) {
    let exit = shell.run_program(program);
    assert_eq!((exit.status, exit.cause), (0, ExitCause::Normal));
}

fn config(pool: &Pool) -> ShellConfig {
    let null = Arc::new(Stream::null());
    ShellConfig {
        executor: Arc::new(StartsNothing),
        utilities: Arc::new(NoUtilities),
        pool: pool.clone(),
        cancel: RunToken::isolated(),
        env: Arc::new(Vec::new()),
        cwd: std::env::temp_dir(),
        fds: FdTable::new(Arc::clone(&null), Arc::clone(&null), null),
        name: "bench".into(),
        args: Vec::new(),
        dialect: Dialect::Bash,
        limits: Limits::default(),
        identity: Identity::Virtual(FIRST_VIRTUAL_ID),
        is_command_string: false,
    }
}
