//! What a child gets, and why one does not start.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod common;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use common::Start;
use hookshell_process::{ChildStatus, ProcessTree, SpawnError, SpawnPart, anonymous_file, pipe, system};

#[test]
fn arguments_arrive_unchanged() {
    let arguments = [
        "",
        " ",
        "a b",
        "\"",
        "\\",
        "a\\",
        "a b\\",
        "\\\"",
        "'",
        "$HOME",
        "%PATH%",
        "*",
        "a&b|c",
        "^",
        "é😀",
        "\t",
        "{\"k\": \"v\"}",
        "--",
        "C:\\x\\",
        "!x!",
    ];
    let mut all = vec!["argv"];
    all.extend(arguments);
    let expected: Vec<String> = arguments.iter().map(|argument| format!("{argument:?}")).collect();
    let output = Start::helper(&all).output();
    let lines: Vec<&str> = output.lines().skip(1).collect();
    assert_eq!(lines, expected);
}

#[test]
fn argument_zero_is_the_requests_on_unix_and_the_program_on_windows() {
    let mut start = Start::helper(&["argv"]);
    start.argv[0] = "-some name".into();
    let expected = if cfg!(windows) {
        format!("{:?}\n", common::HELPER.replace('/', "\\"))
    } else {
        "\"-some name\"\n".to_owned()
    };
    assert_eq!(start.output(), expected);
}

#[test]
fn the_environment_is_exactly_the_requests() {
    let mut start = Start::helper(&["env"]);
    start.env.extend([("B".into(), "2".into()), ("A".into(), "é = x".into()), ("EMPTY".into(), OsString::new())]);
    let output = start.output();
    let mut lines: Vec<&str> = output.lines().filter(|line| !from_the_system(line)).collect();
    if cfg!(windows) {
        assert_eq!(lines, ["\"A\"=\"é = x\"", "\"B\"=\"2\"", "\"EMPTY\"=\"\""]);
    } else {
        assert_eq!(lines, ["\"B\"=\"2\"", "\"A\"=\"é = x\"", "\"EMPTY\"=\"\""]);
    }
    lines.clear();
    assert!(!output.contains("CARGO"), "{output}");
}

/// What the test itself gave, and what Wine passes to every child, whatever the block says.
fn from_the_system(line: &str) -> bool {
    let names = ["\"SystemRoot\"", "\"SystemDrive\"", "\"WINE", "\"UNIX"];
    cfg!(windows) && names.iter().any(|name| line.starts_with(name))
}

#[test]
fn the_working_directory_is_the_requests() {
    let directory = tempfile::tempdir().unwrap();
    let cwd = directory.path().canonicalize().unwrap().join("ä b");
    std::fs::create_dir(&cwd).unwrap();
    let mut start = Start::helper(&["cwd"]);
    start.cwd = cwd.clone();
    let expected = cwd.display().to_string();
    assert_eq!(start.output().trim_end(), expected.strip_prefix(r"\\?\").unwrap_or(&expected));
}

#[test]
fn standard_streams_are_the_files_given() {
    let directory = tempfile::tempdir().unwrap();
    let (out, err) = (directory.path().join("out"), directory.path().join("err"));
    let tree = ProcessTree::isolated();
    let (out_file, err_file) = (File::create(&out).unwrap(), File::create(&err).unwrap());
    let child = Start::helper(&["echo", "to out", "to err"]).spawn(&tree, &[(1, &out_file), (2, &err_file)]).unwrap();
    assert_eq!(child.wait().unwrap(), ChildStatus::Exited(0));
    assert_eq!(std::fs::read_to_string(out).unwrap(), "to out\n");
    assert_eq!(std::fs::read_to_string(err).unwrap(), "to err\n");
}

#[test]
fn standard_input_is_read_from_an_anonymous_file() {
    let directory = tempfile::tempdir().unwrap();
    let mut input = anonymous_file(directory.path()).unwrap();
    input.write_all(b"the payload").unwrap();
    std::io::Seek::rewind(&mut input).unwrap();
    assert_eq!(Start::helper(&["cat"]).output_with(&[(0, &input)]), "the payload");
}

#[test]
fn a_missing_stream_is_the_null_device() {
    // Reads the end at once, and writes without an error.
    assert_eq!(Start::helper(&["cat"]).output(), "");
    let tree = ProcessTree::isolated();
    let child = Start::helper(&["echo", "a", "b"]).spawn(&tree, &[]).unwrap();
    assert_eq!(child.wait().unwrap(), ChildStatus::Exited(0));
}

#[test]
fn two_descriptors_can_be_swapped_and_shared() {
    let (mut reader, writer) = pipe().unwrap();
    let tree = ProcessTree::isolated();
    let child = Start::helper(&["echo", "one", "two"]).spawn(&tree, &[(2, &writer), (1, &writer)]).unwrap();
    drop(writer);
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text.replace('\r', ""), "one\ntwo\n");
    assert!(child.wait().unwrap().success());
}

#[test]
fn exit_codes_are_kept() {
    let tree = ProcessTree::isolated();
    for code in [0, 1, 2, 49, 127, 255] {
        let child = Start::helper(&["exit", &code.to_string()]).spawn(&tree, &[]).unwrap();
        assert_eq!(child.wait().unwrap(), ChildStatus::Exited(code));
        // Remembered, and whoever asks.
        assert_eq!(child.wait().unwrap(), ChildStatus::Exited(code));
        assert_eq!(child.try_wait().unwrap(), Some(ChildStatus::Exited(code)));
        assert_eq!(child.wait().unwrap().shell_status(), u8::try_from(code).unwrap());
    }
    assert_eq!(tree.live_children(), 0);
}

#[test]
fn many_threads_wait_for_one_child() {
    let tree = ProcessTree::isolated();
    let _leader = Start::helper(&["exit", "0"]).spawn(&tree, &[]).unwrap();
    for _ in 0..20 {
        let child = Start::helper(&["exit", "7"]).spawn(&tree, &[]).unwrap();
        std::thread::scope(|scope| {
            let waiters: Vec<_> = (0..4).map(|_| scope.spawn(|| child.wait().unwrap())).collect();
            for waiter in waiters {
                assert_eq!(waiter.join().unwrap(), ChildStatus::Exited(7));
            }
        });
    }
}

fn error_of(change: impl FnOnce(&mut Start)) -> SpawnError {
    let mut start = Start::helper(&["exit", "0"]);
    change(&mut start);
    start.spawn(&ProcessTree::isolated(), &[]).unwrap_err()
}

#[test]
fn a_program_that_is_not_there_is_not_found() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing.exe");
    assert!(matches!(error_of(|start| start.program = missing.clone()), SpawnError::NotFound));
    assert!(matches!(error_of(|start| start.program = missing.join("below")), SpawnError::NotFound));
    assert_eq!(SpawnError::NotFound.shell_status(), 127);
}

#[test]
fn a_working_directory_that_is_not_there_is_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing");
    let error = error_of(|start| start.cwd = missing.clone());
    assert!(
        matches!(&error, SpawnError::Cwd { path, source } if *path == missing && source.kind() == std::io::ErrorKind::NotFound),
        "{error:?}"
    );
    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = error_of(|start| start.cwd = file.clone());
    assert!(matches!(&error, SpawnError::Cwd { path, .. } if *path == file), "{error:?}");
}

#[test]
fn a_directory_is_not_a_program() {
    let directory = tempfile::tempdir().unwrap();
    let error = error_of(|start| start.program = directory.path().to_path_buf());
    assert!(matches!(error, SpawnError::IsDirectory), "{error:?}");
    assert_eq!(error.shell_status(), 126);
}

#[test]
fn an_unknown_format_is_an_error_and_no_shell_script() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("noformat.exe");
    std::fs::write(&file, "echo started by a shell\n").unwrap();
    make_executable(&file);
    let error = error_of(|start| start.program = file.clone());
    assert!(matches!(error, SpawnError::ExecFormat), "{error:?}");
    if cfg!(unix) {
        // The other way to start a program.
        let error = error_of(|start| {
            start.program = file.clone();
            start.umask = Some(0o22);
        });
        assert!(matches!(error, SpawnError::ExecFormat), "{error:?}");
    }
}

fn make_executable(path: &Path) {
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    #[cfg(not(unix))]
    let _ = path;
}

#[test]
fn a_nul_is_refused_and_named() {
    let error = error_of(|start| start.argv.push("a\0b".into()));
    assert!(matches!(error, SpawnError::Nul { what: SpawnPart::Argument(3) }), "{error:?}");
    let error = error_of(|start| start.env.push(("V".into(), "a\0b".into())));
    assert!(matches!(&error, SpawnError::Nul { what: SpawnPart::Variable(name) } if name == "V"), "{error:?}");
    let error = error_of(|start| start.program = "/a\0b".into());
    assert!(matches!(error, SpawnError::Nul { what: SpawnPart::Program }), "{error:?}");
    let error = error_of(|start| start.cwd = "/a\0b".into());
    assert!(matches!(error, SpawnError::Nul { what: SpawnPart::WorkingDirectory }), "{error:?}");
}

#[test]
fn what_is_too_long_is_refused_and_named() {
    let long = "x".repeat(200_000);
    let error = error_of(|start| start.env.push(("TOOL_INPUT".into(), long.clone().into())));
    assert!(
        matches!(&error, SpawnError::TooLong { what: SpawnPart::Variable(name), .. } if name == "TOOL_INPUT")
            || !cfg!(any(target_os = "linux", windows)),
        "{error:?}"
    );
    assert!(error.to_string().contains("TOOL_INPUT") || !cfg!(any(target_os = "linux", windows)), "{error}");
    let error = error_of(|start| start.argv.push(long.clone().into()));
    let what = if cfg!(windows) { SpawnPart::CommandLine } else { SpawnPart::Argument(3) };
    assert!(
        matches!(&error, SpawnError::TooLong { what: found, .. } if *found == what)
            || !cfg!(any(target_os = "linux", windows)),
        "{error:?}"
    );
    let many = "x".repeat(20_000);
    let error = error_of(|start| start.argv.extend(std::iter::repeat_n(many.clone().into(), 500)));
    assert!(matches!(&error, SpawnError::TooLong { len: 10_000_000.., .. }), "{error:?}");
}

#[test]
fn nothing_starts_after_the_end() {
    let tree = ProcessTree::isolated();
    tree.kill();
    assert!(matches!(Start::helper(&["exit", "0"]).spawn(&tree, &[]), Err(SpawnError::Ended)));
    let tree = ProcessTree::inherited();
    tree.release();
    assert!(matches!(Start::helper(&["exit", "0"]).spawn(&tree, &[]), Err(SpawnError::Ended)));
}

#[test]
fn twenty_threads_start_children_and_nothing_is_mixed_up() {
    let tree = Arc::new(ProcessTree::isolated());
    std::thread::scope(|scope| {
        for index in 0..20 {
            let tree = Arc::clone(&tree);
            scope.spawn(move || {
                let (mut reader, writer) = pipe().unwrap();
                let child = Start::helper(&["echo", &format!("child {index}")]).spawn(&tree, &[(1, &writer)]).unwrap();
                drop(writer);
                let mut text = String::new();
                // An end that another child had inherited would keep this from ending while that one lives.
                reader.read_to_string(&mut text).unwrap();
                assert_eq!(text.trim_end(), format!("child {index}"));
                assert!(child.wait().unwrap().success());
            });
        }
    });
    assert_eq!(tree.live_children(), 0);
}

#[test]
fn only_our_own_live_children_are_signalled() {
    let tree = ProcessTree::isolated();
    for pid in [0, 1, system::process_id(), system::parent_id(), u32::MAX] {
        assert!(tree.signal(pid, 0).is_err(), "{pid}");
    }
    let child = Start::helper(&["sleep", "60"]).spawn(&tree, &[]).unwrap();
    tree.signal(child.id(), 0).unwrap();
    tree.signal(child.id(), 15).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.shell_status(), 128 + 15, "{status:?}");
    assert!(tree.signal(child.id(), 0).is_err());
}
