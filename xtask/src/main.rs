//! Developer commands: `cargo xtask COMMAND`.
//!
//! CI calls the same commands, so what passes here passes there. `cargo xtask help` lists them.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's command line tool: its output is its result"
)]

mod agents;
mod bench;
mod beside;
mod ci;
mod counts;
mod cross;
mod debug_build;
mod demo;
mod deny;
mod error;
mod fuzz_diff;
mod house;
mod instructions;
mod jq;
mod link_order;
mod macos;
mod memory;
mod miri;
mod package;
mod public_items;
mod refusals;
mod run;
mod schemas;
mod sdk;
mod soak;
mod spec;
mod steps;
mod test_run;
mod wasm;
mod windows;
mod workspace;

use std::process::ExitCode;

use counts::TestCounts;
use error::Error;
use workspace::Workspace;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  ci [--keep-going]      fmt, house, clippy, release, macos, wasm, schemas, doc, deny, links, workflows, crates, jq, test, sdk, agents (reduced), fuzz-diff, soak (2
                         minutes), demo, package, memory and instructions, then a summary; stops at the first failure;
                         with --keep-going release, macos and wasm run beside the others, with the lowest priority
  fmt                    check the format of the whole workspace
  house                  print which crate and which module uses which; an error where the modules of a crate use each
                         other in a circle, ARCHITECTURE.md says otherwise of a crate, or a module's file is not
                         mod.rs in its directory
  clippy                 clippy over all targets, warnings are errors
  release                build the release binary
  macos                  check the products for macOS (aarch64), with rustup's target or with Debian's rustc and rust-web-src;
                         skipped where neither is there
  wasm                   check the hook contract for wasm32-unknown-unknown, in the same way, and that it asks no system
  doc                    build the documentation, warnings are errors
  schemas [--check]      write what is made from Rust types: schemas/*.json and parts of docs/serve.md; --check: an error
                         where the committed files are not what would be made
  test [ARG…]            cargo test, the tests of all binaries added up; -p PACKAGE for one package
  sdk                    the tests of sdk/node and sdk/python, with tsc, ruff and mypy, against the built binary; that their
                         types are those of schemas/; skipped where Node or Python is absent
  jq                     build the real jqs that ours is compared with (1.7.1 and the newest) below target/oracles, once;
                         skipped where they cannot be fetched (Linux; python3, cc, make)
  demo                   the README's first command: a deny verdict as JSON, exit code 2
  spec [FILTER…] [--against SHELL] [--record FILE] [--index] [--list]
                         the cases of tests/spec in process, or by in-process-posix, bash, bash-posix, dash, busybox,
                         hookshell (the built binary) or all; --record fills in what bash says, --index brings
                         INDEX.md up to date and counts
  fuzz-diff [--count N] [--seed S] [--keep-going] [--coverage] [--binary PATH] [--print N] [--mutations]
            [--hooks]
                         random programs under bash and hookshell: stdout, status and messages must agree; a difference
                         is made small and printed as a case of tests/spec; without --seed the clock gives one, which is
                         printed; --mutations: planted errors must be found; --hooks: hook projects of several files by
                         bash, hookshell sh and in process
  soak --minutes N [--seed S] [--only PART] [--release]
       --hostile EVENTS [--seed S] [--release]
       --serve SECONDS [--seed S] [--release]
                         random hooks from the cases of tests/spec through one runner, under faults (Linux): nothing may
                         leak, every hook has a result, and those left in peace give what they give in a quiet run;
                         --hostile: cloned repositories beside a user's guard, which denies every time; --serve: random
                         requests through the built hookshell serve
  windows [--fetch | --build-only | --check-arm] [-- ARG…]
                         build for Windows and run the tests under Wine (Debian 12; packages are
                         installed when missing), `-- -p PACKAGE` for one package; on a Windows host: cargo test
  refusals [--check | --write]
                         what the bundled utilities refuse, with the reasons (xtask/refusals.txt); --check: an error where the
                         sources have another refusal; --write: docs/refusals.md
  deny [--advisories]    cargo deny: the dependencies' licences, versions and sources, and with --advisories their
                         known faults; skipped where cargo-deny is not installed (or its database cannot be fetched)
  agents [NAME…] [--reduced] [-k WORD] [--as-hook] [--shell] [--latest] [--record]
                         the real agents beside hookshell (tests/agents/README.md), claude, codex, copilot, gemini, pi and
                         qwen, or those that are named, also opencode: an error where less than 97 % of the behaviours are equal or something is let through that
                         is not excused; skipped where npm's registry cannot be reached (Linux, x86_64; python3)
  workflows              actionlint and zizmor over .github/workflows and action.yml, and a parse of install.ps1; skipped where
                         they cannot be fetched
  links                  the links and anchors of the documentation, and its book where mdbook is installed
  crates                 cargo package: the crates as crates.io would get them
  package [--binary TARGET=PATH]…
                         archives, npm's and PyPI's packages, manifests and sums in target/packages, of the binaries that are
                         named or of the release build; on Linux (x86_64) they are installed into empty prefixes and run
  public                 how many public items each library crate has, by rustdoc's JSON
  miri [ARG…]            the tests that Miri can run, with a nightly toolchain that has it
  instructions [--record]
                         count the instructions of fixed workloads with callgrind; an error when one takes 5 % more
                         than xtask/instructions/figures.txt says for this toolchain; --record: write the figures
  link-order             write crates/cli/link/start.ld, by which the release binary has together what runs together, by what
                         the workloads of `instructions` run (Linux, x86_64; valgrind)
  memory                 the resident memory of `hookshell sh -c :` at its peak: below 6 MB
  bench [--quick] [--only PART]… [--serve] [--growth] [--binary PATH]
                         time hookshell beside the shells and tools that are installed; writes target/bench/report.md
                         and report.svg; --only: the workloads whose names hold PART; --serve: only what clients of
                         `hookshell serve` measure, of which --binary alone builds nothing; --growth: only how the time
                         grows with the size, an error where it grows faster

Environment:
  REQUIRE_INTERPRETERS=1    a test that needs an absent program fails instead of being skipped
  REQUIRE_AGENTS=1          `agents` fails where an agent cannot be fetched
  AGENTS_ROOT=DIRECTORY     where `agents` keeps the agents that it has fetched
  XTASK_COUNTS_FILE=FILE    ci, test and windows append a line `PASSED FAILED` and a line `# WHAT` for each
                            failure to FILE";

/// `EX_USAGE` of sysexits.h.
const EXIT_USAGE: u8 = 64;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match command(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Usage(what)) => {
            eprintln!("xtask: {what}\n\n{USAGE}");
            ExitCode::from(EXIT_USAGE)
        }
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn command(arguments: &[String]) -> Result<(), Error> {
    let Some((name, rest)) = arguments.split_first() else {
        return Err(Error::Usage("no command given".into()));
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        println!("{USAGE}");
        return Ok(());
    }
    let workspace = Workspace::locate()?;
    match name.as_str() {
        "agents" => agents::command(&workspace, rest),
        "ci" => ci::command(&workspace, rest),
        "test" => steps::test_command(&workspace, rest),
        "windows" => windows::command(&workspace, rest),
        "spec" => spec::command(&workspace, rest),
        "fuzz-diff" => fuzz_diff::command(&workspace, rest),
        "sdk" => sdk::command(&workspace, rest),
        "schemas" => schemas::command(&workspace, rest),
        "soak" => soak::command(&workspace, rest),
        "bench" => bench::command(&workspace, rest),
        "refusals" => refusals::command(&workspace, rest),
        "deny" => deny::command(&workspace, rest),
        "package" => package::command(&workspace, rest),
        "miri" => miri::command(&workspace, rest),
        "public" if rest.is_empty() => public_items::print(&workspace),
        "instructions" => instructions::command(&workspace, rest),
        "link-order" => link_order::write(&workspace),
        name => match steps::STEPS.iter().find(|step| step.name == name) {
            Some(_) if !rest.is_empty() => Err(Error::Usage(format!("{name} takes no arguments, found {:?}", rest[0]))),
            Some(step) => (step.run)(&workspace, &mut TestCounts::default()),
            None => Err(Error::Usage(format!("no such command: {name}"))),
        },
    }
}
