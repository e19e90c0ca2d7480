//! Windows' rules on every system, and the limits.

use std::ffi::OsString;
use std::fs;
use std::sync::Arc;

use bstr::{BStr, ByteSlice};
use hookshell_process::text;

use super::*;

struct Case {
    directory: tempfile::TempDir,
    env: Vec<(OsString, OsString)>,
    missing_shell: MissingShell,
    shell_scripts: ShellScripts,
    platform: Platform,
    needs_execute_bit: bool,
}

impl Case {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        Self {
            directory,
            env: vec![("PathExt".into(), ".exe;.cmd".into())],
            missing_shell: MissingShell::Interpret,
            shell_scripts: ShellScripts::Installed,
            platform: Platform::Windows,
            needs_execute_bit: false,
        }
    }

    /// Plans a command with `bin` as PATH, by Windows' rules unless set. Paths are relative to the directory, with slashes.
    fn plan(&self, words: &[&str]) -> Result<(String, Vec<String>), String> {
        let prober = Prober::default();
        let scripts = ScriptReader {
            cache: Arc::default(),
            limits: hookshell_shell::Limits::default(),
            dialect: hookshell_syntax::Dialect::Bash,
        };
        let mut planner = Planner {
            platform: self.platform,
            missing_shell: self.missing_shell,
            shell_scripts: self.shell_scripts,
            scripts: &scripts,
            prober: &prober,
            guard: None,
            env: &self.env,
            path: text::from_path(&self.directory.path().join("bin")).into_owned(),
            cwd: self.directory.path(),
            needs_execute_bit: self.needs_execute_bit,
            findings: Findings::default(),
        };
        let directory = format!("{}/", self.directory.path().display()).replace('\\', "/");
        let show = |bytes: &BStr| bytes.to_string().replace('\\', "/").replace(&directory, "");
        let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        match planner.command(words, None) {
            Err(error) => Err(error.to_string()),
            Ok(plan) => Ok(match plan.action {
                Action::Start { program, argv, .. } => {
                    (show(text::from_path(&program).as_bstr()), argv.iter().map(|arg| show(arg.as_bstr())).collect())
                }
                Action::Interpret(script) => (
                    format!("{}source of {}: {}", set_up(&script.setup), script.name, source(&script.source)),
                    script.args.iter().map(ToString::to_string).collect(),
                ),
            }),
        }
    }

    fn starts(&self, words: &[&str], program: &str, argv: &[&str]) {
        let argv = argv.iter().map(ToString::to_string).collect();
        assert_eq!(self.plan(words), Ok((program.to_owned(), argv)), "{words:?}");
    }
}

const EXE: &str = "MZ\0\0";

fn set_up(setup: &Setup) -> String {
    if setup.is_plain() { String::new() } else { format!("{setup:?}: ") }
}

fn source(source: &ScriptSource) -> String {
    match source {
        ScriptSource::File(text) | ScriptSource::CommandString(text) => text.as_bstr().to_string(),
        ScriptSource::Descriptor(fd) => format!("<descriptor {fd}>"),
        ScriptSource::Stdin => "<stdin>".into(),
    }
}

#[test]
fn windows_scripts_find_their_interpreter_by_its_base_name() {
    let case = Case::new(&[
        ("bin/bash.exe", EXE),
        ("bin/node.exe", EXE),
        ("bin/py.exe", EXE),
        ("a.sh", "#!/no/bin/bash -e\n"),
        ("crlf.sh", "#!/no/bin/bash -e\r\n"),
        ("a.js", "#!/usr/bin/env -S node --flag\r\n"),
        ("a.py", "#!/usr/bin/env python3\n"),
        ("b.py", "#!/no/bin/python3 -u\n"),
    ]);
    case.starts(&["./a.sh", "x y"], "bin/bash.exe", &["/no/bin/bash", "-e", "./a.sh", "x y"]);
    // Whose lines bash would not understand.
    case.starts(
        &["./crlf.sh", "x y"],
        "Setup { settings: [(Errexit, true)], restricted: false, reads_bash_env: true }: source of ./crlf.sh: #!/no/bin/bash -e\n",
        &["x y"],
    );
    case.starts(&["./a.js"], "bin/node.exe", &["node", "--flag", "./a.js"]);
    case.starts(&["./a.py"], "bin/py.exe", &["python3", "-3", "./a.py"]);
    case.starts(&["./b.py"], "bin/py.exe", &["/no/bin/python3", "-3", "-u", "./b.py"]);
    case.starts(&["python3", "x.py"], "bin/py.exe", &["python3", "-3", "x.py"]);
}

#[test]
fn windows_extensions_say_what_first_bytes_do_not() {
    let case = Case::new(&[
        ("bin/pwsh.exe", EXE),
        ("bin/npx.cmd", "@echo off\r\n"),
        ("bin/npx", "#!/no/bin/sh\n"),
        ("plain.sh", "echo hi\r\n"),
        ("run.cmd", ": << 'CMDBLOCK'\r\n@echo off\r\nCMDBLOCK\r\necho sh\r\n"),
        ("a.ps1", "exit 2\n"),
        ("a.py", "print(1)\n"),
        ("tool.exe", EXE),
    ]);
    case.starts(&["npx", "x"], "bin/npx.cmd", &["npx", "x"]);
    case.starts(&["./tool"], "tool.exe", &["./tool"]);
    case.starts(&["./plain.sh", "x"], "source of ./plain.sh: echo hi\n", &["x"]);
    case.starts(&["./run.cmd", "x"], "source of ./run.cmd: : << 'CMDBLOCK'\n@echo off\nCMDBLOCK\necho sh\n", &["x"]);
    case.starts(
        &["./a.ps1", "x"],
        "bin/pwsh.exe",
        &["pwsh", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File", "./a.ps1", "x"],
    );
    let error = case.plan(&["./a.py"]).unwrap_err();
    assert!(error.contains("not guessed from `.py`"), "{error}");
}

#[test]
fn a_script_of_another_language_without_its_first_line_is_no_shell_source() {
    let mut case = Case::new(&[("a.py", "print(1)\n"), ("b.MJS", "1\n"), ("c.awk", "END {}\n"), ("d.sh", "exit 2\n")]);
    for platform in [Platform::Windows, Platform::Unix] {
        (case.platform, case.needs_execute_bit) = (platform, false);
        for (file, wanted) in [
            ("./a.py", "`.py`: write `python3 ./a.py` as the command, or #!/usr/bin/env python3 as its first line"),
            ("./b.MJS", "`.mjs`: write `node ./b.MJS` as the command, or #!/usr/bin/env node as its first line"),
            ("./c.awk", "`.awk`: write `awk -f ./c.awk` as the command, or #!/usr/bin/env -S awk -f as its first line"),
        ] {
            let error = case.plan(&[file]).unwrap_err();
            assert!(error.ends_with(wanted), "{platform:?} {error}");
        }
        case.starts(&["./d.sh"], "source of ./d.sh: exit 2\n", &[]);
    }
}

#[cfg(unix)]
#[test]
fn in_sh_every_file_without_its_first_line_is_shell_source() {
    use std::os::unix::fs::PermissionsExt;

    let mut case = Case::new(&[("a.py", "echo 1\n")]);
    fs::set_permissions(case.directory.path().join("a.py"), fs::Permissions::from_mode(0o755)).unwrap();
    (case.platform, case.needs_execute_bit) = (Platform::Unix, true);
    case.starts(&["./a.py"], "source of ./a.py: echo 1\n", &[]);
}

#[test]
fn windows_interprets_scripts_for_a_shell_that_is_not_there() {
    let mut case = Case::new(&[
        ("a.sh", "#!/no/bin/bash\r\necho hi\r\n"),
        ("e.sh", "#!/usr/bin/env -S bash -eu\necho hi\n"),
        ("z.sh", "#!/no/bin/zsh\n"),
        ("l.sh", "#!/no/bin/bash -D\n"),
        ("r.sh", "#!/no/bin/rbash\necho hi\n"),
    ]);
    case.starts(&["./a.sh", "1"], "source of ./a.sh: #!/no/bin/bash\necho hi\n", &["1"]);
    let set_up = "Setup { settings: [(Errexit, true), (Nounset, true)], restricted: false, reads_bash_env: true }";
    case.starts(&["./e.sh"], &format!("{set_up}: source of ./e.sh: #!/usr/bin/env -S bash -eu\necho hi\n"), &[]);
    case.starts(
        &["./r.sh"],
        "Setup { settings: [], restricted: true, reads_bash_env: true }: source of ./r.sh: #!/no/bin/rbash\necho hi\n",
        &[],
    );
    case.starts(&["bash", "a.sh", "1"], "source of a.sh: #!/no/bin/bash\necho hi\n", &["1"]);
    case.starts(&["/no/bin/sh", "-c", "echo $1", "me", "1"], "source of me: echo $1", &["1"]);
    case.starts(&["bash.exe", "-c", "x"], "source of bash.exe: x", &[]);
    case.starts(
        &["bash", "-es", "a"],
        "Setup { settings: [(Errexit, true)], restricted: false, reads_bash_env: true }: source of bash: <stdin>",
        &["a"],
    );
    let error = case.plan(&["./z.sh"]).unwrap_err();
    assert!(error.contains("zsh is not on PATH"), "{error}");
    let error = case.plan(&["./l.sh"]).unwrap_err();
    assert!(error.contains("does not take its command line: -D: not supported"), "{error}");
    case.missing_shell = MissingShell::Fail;
    let error = case.plan(&["./a.sh"]).unwrap_err();
    assert!(error.contains("missing_shell"), "{error}");
    assert_eq!(case.plan(&["bash", "a.sh"]), Err("command not found".into()));
}

#[test]
fn a_script_whose_interpreter_is_itself_ends() {
    let case = Case::new(&[("a", "#!./a\n")]);
    assert_eq!(
        case.plan(&["./a"]).map_err(|error| error.contains("symbolic links") || error.contains("bad interpreter")),
        Err(true)
    );
}

#[test]
fn utf16_is_shell_source_unless_its_first_line_says_otherwise() {
    let utf16 = |text: &str| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    let case = Case::new(&[]);
    fs::write(case.directory.path().join("a.sh"), utf16("echo hi\r\n")).unwrap();
    fs::write(case.directory.path().join("b.sh"), utf16("#!/no/bin/sh\r\necho hi\r\n")).unwrap();
    fs::write(case.directory.path().join("c.py"), utf16("#!/usr/bin/env python3\r\n")).unwrap();
    case.starts(&["./a.sh"], "source of ./a.sh: echo hi\n", &[]);
    case.starts(&["./b.sh"], "source of ./b.sh: #!/no/bin/sh\necho hi\n", &[]);
    assert!(case.plan(&["./c.py"]).unwrap_err().contains("UTF-8"));
}
