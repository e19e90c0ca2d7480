//! What only Windows has: batch files, and limits of its own.
#![cfg(windows)]
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod common;

use std::io::Read;
use std::path::Path;

use common::{Start, stopped, ticks};
use hookshell_process::{ProcessTree, SpawnError, SpawnPart, SpawnRequest, pipe, replace_process};
use hookshell_test_support::eventually;

fn batch(directory: &Path, text: &str, arguments: &[&str]) -> Start {
    let script = directory.join("a script.cmd");
    std::fs::write(&script, text.replace('\n', "\r\n")).unwrap();
    let mut start = Start::helper(arguments);
    start.program = script;
    start
}

#[test]
fn a_batch_file_gets_its_arguments_and_gives_its_status() {
    let directory = tempfile::tempdir().unwrap();
    let text = format!("@echo off\n\"{}\" argv %*\nexit /b 7\n", common::HELPER);
    let arguments = ["a b", "c&d", "e|f", "(g)", "<h>", "i^j", "!k!", "é", "l\"m"];
    let start = batch(directory.path(), &text, &arguments);
    let tree = ProcessTree::isolated();
    let (mut reader, writer) = pipe().unwrap();
    let child = start.spawn(&tree, &[(1, &writer)]).unwrap();
    drop((start, writer));
    let mut output = String::new();
    reader.read_to_string(&mut output).unwrap();
    assert_eq!(child.wait().unwrap().shell_status(), 7);
    let lines: Vec<&str> = output.lines().skip(1).collect();
    let expected: Vec<String> = arguments.iter().map(|argument| format!("{argument:?}")).collect();
    assert_eq!(lines, expected);
}

#[test]
fn an_argument_that_cmd_cannot_be_given_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    for argument in ["a\nb", "a\rb"] {
        let start = batch(directory.path(), "@exit /b 0\n", &[argument]);
        let error = start.spawn(&ProcessTree::isolated(), &[]).unwrap_err();
        assert!(
            matches!(&error, SpawnError::UnsafeBatchArgument { argument: found, .. } if found == argument),
            "{error:?}"
        );
        assert!(error.to_string().contains("BatBadBut"), "{error}");
    }
    let long = "x".repeat(9000);
    let error = batch(directory.path(), "@exit /b 0\n", &[&long]).spawn(&ProcessTree::isolated(), &[]).unwrap_err();
    assert!(matches!(error, SpawnError::TooLong { what: SpawnPart::CommandLine, limit: 8191, .. }), "{error:?}");
    let mut start = batch(directory.path(), "", &[]);
    start.program = directory.path().join("missing.cmd");
    assert!(matches!(start.spawn(&ProcessTree::isolated(), &[]), Err(SpawnError::NotFound)));
}

#[test]
fn a_batch_file_is_killed_with_what_it_started() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ticks");
    let text = format!("@\"{}\" parent tick \"{}\"\n", common::HELPER, file.display());
    let tree = ProcessTree::isolated();
    let child = batch(directory.path(), &text, &[]).spawn(&tree, &[]).unwrap();
    eventually("it ticks", || ticks(&file) > 0);
    tree.kill();
    assert_eq!(child.wait().unwrap().shell_status(), 137);
    assert!(stopped(&file));
}

#[test]
fn a_descriptor_above_two_is_refused() {
    let (reader, _writer) = pipe().unwrap();
    let error = Start::helper(&["exit", "0"]).spawn(&ProcessTree::isolated(), &[(3, &reader)]).unwrap_err();
    assert!(matches!(error, SpawnError::UnsupportedFd(3)), "{error:?}");
}

#[test]
fn a_working_directory_beyond_the_limit_is_refused() {
    let mut start = Start::helper(&["exit", "0"]);
    start.cwd = Path::new(r"C:\").join("x".repeat(300));
    let error = start.spawn(&ProcessTree::isolated(), &[]).unwrap_err();
    assert!(
        matches!(error, SpawnError::TooLong { what: SpawnPart::WorkingDirectory, limit: 259, len: 304 }),
        "{error:?}"
    );
}

#[test]
fn a_command_line_is_taken_at_the_limit_and_refused_above_it() {
    let tree = ProcessTree::isolated();
    let with_padding = |length: usize| {
        let start = Start::helper(&["exit", "4", &"x".repeat(length)]);
        start.spawn(&tree, &[])
    };
    // `"program" exit 4 xxx` and the NUL.
    let fixed = common::HELPER.encode_utf16().count() + 2 + 5 + 2 + 1 + 1;
    assert_eq!(with_padding(32_767 - fixed).unwrap().wait().unwrap().shell_status(), 4);
    let error = with_padding(32_768 - fixed).unwrap_err();
    assert!(
        matches!(error, SpawnError::TooLong { what: SpawnPart::CommandLine, limit: 32_767, len: 32_768 }),
        "{error:?}"
    );
}

#[test]
fn a_verbatim_working_directory_is_passed_plain() {
    let directory = tempfile::tempdir().unwrap();
    let mut start = Start::helper(&["cwd"]);
    start.cwd = directory.path().canonicalize().unwrap();
    assert!(!start.output().starts_with(r"\\?\"));
    start.cwd = directory.path().to_str().unwrap().replace('\\', "/").into();
    assert!(!start.output().contains('/'));
}

#[test]
fn there_is_no_exec() {
    let directory = tempfile::tempdir().unwrap();
    let error = replace_process(&SpawnRequest {
        program: Path::new(common::HELPER),
        argv: &[],
        env: &[],
        cwd: directory.path(),
        fds: &[],
        umask: None,
        close_missing: false,
        ignored_signals: 0,
        limits: &[],
    });
    assert!(matches!(&error, SpawnError::Os(error) if error.kind() == std::io::ErrorKind::Unsupported), "{error:?}");
}

#[test]
fn a_text_in_the_registry_is_read() {
    let key = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";
    let product = hookshell_process::system::registry_string(false, key, "ProductName").unwrap();
    assert!(product.to_string_lossy().contains("Windows"), "{product:?}");
    assert_eq!(hookshell_process::system::registry_string(false, key, "No such value"), None);
    assert_eq!(hookshell_process::system::registry_string(true, r"SOFTWARE\No such key", "x"), None);
}

/// A file that is made an app execution alias, as the Store makes them.
#[test]
#[allow(unsafe_code, reason = "a reparse point has no safe interface")]
fn an_app_execution_alias_is_read_from_its_file() {
    use std::os::windows::fs::OpenOptionsExt;
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_OPEN_REPARSE_POINT;
    use windows_sys::Win32::System::IO::DeviceIoControl;
    use windows_sys::Win32::System::Ioctl::FSCTL_SET_REPARSE_POINT;

    if hookshell_test_support::under_wine("such reparse points") {
        return;
    }
    let target = r"C:\Program Files\WindowsApps\X\AppInstallerPythonRedirector.exe";
    let texts = ["Microsoft.DesktopAppInstaller_8wekyb3d8bbwe", "X!PythonRedirector", target, "0"];
    let mut body = 3u32.to_le_bytes().to_vec();
    for text in texts {
        body.extend(text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
    }
    let length = u16::try_from(body.len()).unwrap();
    let data = [&0x8000_001bu32.to_le_bytes()[..], &length.to_le_bytes(), &[0, 0], &body].concat();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("python3.exe");
    std::fs::write(&path, "").unwrap();
    assert_eq!(hookshell_process::AppAlias::of(&path), None);
    let file = std::fs::OpenOptions::new().write(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(&path).unwrap();
    let mut unused = 0u32;
    // SAFETY: the handle is open, the input is of the size that is given, and there is no output.
    let done = unsafe {
        DeviceIoControl(
            file.as_raw_handle(),
            FSCTL_SET_REPARSE_POINT,
            data.as_ptr().cast(),
            u32::try_from(data.len()).unwrap(),
            std::ptr::null_mut(),
            0,
            &raw mut unused,
            std::ptr::null_mut(),
        )
    };
    drop(file);
    assert_ne!(done, 0, "{}", std::io::Error::last_os_error());
    let alias = hookshell_process::AppAlias::of(&path).unwrap();
    assert_eq!(alias.target, target);
    assert!(alias.is_store_redirector());
}
