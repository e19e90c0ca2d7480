use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{TrustError, TrustStatus, TrustStore};
use crate::{Config, Event, EventKind, HookConfig, Origin, Runner, ToolInput};

#[cfg(unix)]
mod start;

/// A project with a script, and a store outside of it.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("project").join("hooks")).unwrap();
        let place = Self { root };
        place.write("hooks/x.sh", "echo x >&2; exit 2\n");
        place
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    fn state(&self) -> PathBuf {
        self.root.path().join("state")
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.project().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn store(&self) -> TrustStore {
        let env: Vec<(OsString, OsString)> = vec![
            ("HOME".into(), self.root.path().into()),
            ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
        ];
        TrustStore::new(self.state(), env)
    }

    fn trust(&self, hooks: &[&HookConfig]) {
        let store = self.store();
        let examined: Vec<_> = hooks.iter().map(|hook| store.examine(hook, &self.project()).unwrap()).collect();
        store.trust(&self.project(), &examined).unwrap();
    }

    fn status(&self, hook: &HookConfig) -> TrustStatus {
        self.store().examine(hook, &self.project()).unwrap().status
    }

    /// The names of the files that a command names, relative to the project.
    fn files(&self, command: &str) -> Vec<String> {
        let examined = self.store().examine(&hook(command), &self.project()).unwrap();
        let project = self.project().canonicalize().unwrap();
        let name = |path: &Path| match path.strip_prefix(&project) {
            Ok(path) => path.display().to_string().replace('\\', "/"),
            Err(_) => format!("outside: {}", path.display()),
        };
        let mut files: Vec<String> = examined.files.iter().map(|file| name(&file.path)).collect();
        files.sort();
        files
    }

    fn outcome(&self, hook: &HookConfig, cwd: &Path) -> (String, Option<String>) {
        let mut config = Config::default();
        config.push(hook.clone());
        let runner = Runner::builder().config(config).trust(self.store().project(self.project())).build().unwrap();
        let event = Event::pre_tool_use("bash", ToolInput::default(), cwd).with_project_dir(self.project());
        let result = runner.run_blocking(&event).hooks.remove(0);
        (result.outcome.as_str().to_owned(), result.opinion.reason)
    }
}

fn hook(command: &str) -> HookConfig {
    let mut hook = HookConfig::new(EventKind::PreToolUse, command);
    hook.origin = Origin::Project;
    hook
}

#[test]
fn what_is_trusted_runs_and_what_is_not_does_not() {
    let place = Place::new();
    let guard = hook("./hooks/x.sh");
    assert_eq!(place.status(&guard), TrustStatus::New);
    let (outcome, reason) = place.outcome(&guard, &place.project());
    assert_eq!(outcome, "Untrusted");
    assert_eq!(reason.as_deref(), Some("it was found in the project, and nobody has trusted it yet"));
    place.trust(&[&guard]);
    assert_eq!(place.status(&guard), TrustStatus::Trusted);
    assert_eq!(place.outcome(&guard, &place.project()), ("Decided".to_owned(), Some("x".to_owned())));
    assert!(place.store().revoke(&place.project()).unwrap());
    assert!(!place.store().revoke(&place.project()).unwrap());
    assert_eq!(place.status(&guard), TrustStatus::New);
}

#[test]
fn every_change_of_the_definition_asks_again() {
    let place = Place::new();
    let guard = hook("./hooks/x.sh");
    place.trust(&[&guard]);
    let changes: [fn(&mut HookConfig); 7] = [
        |hook| hook.matcher = crate::Matcher::new("^bash$").unwrap(),
        |hook| hook.env.push(("BASH_ENV".to_owned(), "x".to_owned())),
        |hook| hook.cwd = Some("hooks".into()),
        |hook| hook.event = EventKind::Stop,
        |hook| hook.command_windows = Some("calc.exe".to_owned()),
        |hook| hook.is_async = true,
        |hook| hook.args = Some(Vec::new()),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let mut changed = guard.clone();
        change(&mut changed);
        assert_ne!(place.status(&changed), TrustStatus::Trusted, "{index}");
    }
    let mut timeout = guard.clone();
    timeout.timeout *= 2;
    assert_eq!(place.status(&timeout), TrustStatus::Changed("its settings".to_owned()));
    assert_eq!(place.status(&hook("./hooks/x.sh ")), TrustStatus::New);
}

#[test]
fn a_script_that_is_edited_or_replaced_asks_again() {
    let place = Place::new();
    let guard = hook("./hooks/x.sh");
    place.trust(&[&guard]);
    let script = place.write("hooks/x.sh", "echo y\n");
    let canonical = script.canonicalize().unwrap().display().to_string();
    let what = format!("{canonical}: its contents have changed");
    assert_eq!(place.status(&guard), TrustStatus::Changed(what.clone()));
    let reason = format!("it has changed since it was trusted: {what}");
    assert_eq!(place.outcome(&guard, &place.project()), ("Untrusted".to_owned(), Some(reason)));
    // The same contents are the same script.
    place.write("hooks/x.sh", "echo x >&2; exit 2\n");
    assert_eq!(place.status(&guard), TrustStatus::Trusted);
}

#[test]
fn a_script_that_appears_later_is_not_trusted() {
    let place = Place::new();
    let guard = hook("[ -x hooks/later.sh ] && ./hooks/later.sh; true");
    place.trust(&[&guard]);
    assert_eq!(place.status(&guard), TrustStatus::Trusted);
    place.write("hooks/later.sh", "exit 2\n");
    assert!(matches!(place.status(&guard), TrustStatus::Changed(_)));
}

#[test]
#[cfg(unix)]
fn a_link_is_what_it_leads_to() {
    let place = Place::new();
    place.write("hooks/a.sh", "exit 0\n");
    let link = place.project().join("hooks/link.sh");
    std::os::unix::fs::symlink("a.sh", &link).unwrap();
    let guard = hook("./hooks/link.sh");
    assert_eq!(place.files("./hooks/link.sh"), ["hooks/a.sh"]);
    place.trust(&[&guard]);
    place.write("hooks/a.sh", "exit 2\n");
    assert!(matches!(place.status(&guard), TrustStatus::Changed(_)), "its target was edited");
    place.write("hooks/a.sh", "exit 0\n");
    assert_eq!(place.status(&guard), TrustStatus::Trusted);
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("x.sh", &link).unwrap();
    assert!(matches!(place.status(&guard), TrustStatus::Changed(_)), "it leads elsewhere");
    std::fs::remove_file(&link).unwrap();
    let outside = place.root.path().join("outside.sh");
    std::fs::write(&outside, "exit 0\n").unwrap();
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    assert!(matches!(place.status(&guard), TrustStatus::Changed(_)), "it leads out of the project");
}

#[test]
#[cfg(unix)]
fn a_linked_dir_is_where_it_leads() {
    let place = Place::new();
    place.write("other/x.sh", "exit 0\n");
    std::os::unix::fs::symlink("hooks", place.project().join("current")).unwrap();
    let guard = hook("./current/x.sh");
    place.trust(&[&guard]);
    std::fs::remove_file(place.project().join("current")).unwrap();
    std::os::unix::fs::symlink("other", place.project().join("current")).unwrap();
    assert!(matches!(place.status(&guard), TrustStatus::Changed(_)));
    // The project itself may be reached by any path.
    let alias = place.root.path().join("alias");
    std::os::unix::fs::symlink(place.project(), &alias).unwrap();
    let direct = hook("./hooks/x.sh");
    place.trust(&[&direct]);
    assert_eq!(place.store().examine(&direct, &alias).unwrap().status, TrustStatus::Trusted);
}

#[test]
fn another_working_directory_is_another_script() {
    let place = Place::new();
    let guard = hook("./hooks/x.sh");
    place.trust(&[&guard]);
    place.write("sub/hooks/x.sh", "echo other >&2; exit 2\n");
    assert_eq!(place.outcome(&guard, &place.project().join("sub")).0, "Untrusted");
    // Where there is none the hook is as it was: it does not find its script.
    std::fs::create_dir_all(place.project().join("empty")).unwrap();
    assert_eq!(place.outcome(&guard, &place.project().join("empty")).0, "NotFound");
}

#[test]
fn another_project_is_not_trusted() {
    let place = Place::new();
    let guard = hook("exit 2");
    place.trust(&[&guard]);
    let other = place.root.path().join("other");
    std::fs::create_dir(&other).unwrap();
    assert_eq!(place.store().examine(&guard, &other).unwrap().status, TrustStatus::New);
}

#[test]
fn names_in_another_case_are_the_file_that_they_lead_to() {
    let place = Place::new();
    let ignores_case = place.project().join("HOOKS").join("X.SH").exists();
    let lower = hook("./hooks/x.sh");
    place.trust(&[&lower]);
    match ignores_case {
        true => assert_eq!(place.files("./HOOKS/X.SH").len(), 1),
        false => {
            assert_eq!(place.files("./HOOKS/X.SH"), Vec::<String>::new());
            place.write("hooks/X.sh", "exit 0\n");
            assert_eq!(place.status(&lower), TrustStatus::Trusted);
            assert_eq!(place.files("./hooks/X.sh"), ["hooks/X.sh"]);
        }
    }
    place.write("hooks/x.sh", "exit 0\n");
    assert!(matches!(place.status(&lower), TrustStatus::Changed(_)));
}

#[test]
fn the_files_of_a_command_are_found() {
    let place = Place::new();
    for name in ["a.py", "b.js", "lib.sh", "noext", "data.json", "pre.cjs", "guard/index.js", "pkg/mod.py", "f.jq"] {
        place.write(&format!("hooks/{name}"), "1\n");
    }
    place.write("README.md", "text\n");
    let cases: &[(&str, &[&str])] = &[
        ("./hooks/x.sh", &["hooks/x.sh"]),
        ("hooks/x.sh --strict", &["hooks/x.sh"]),
        ("./hooks/../hooks/./x.sh", &["hooks/x.sh"]),
        ("hooks/noext", &["hooks/noext"]),
        ("\"$CRUSH_PROJECT_DIR\"/hooks/x.sh", &["hooks/x.sh"]),
        ("\"${CLAUDE_PROJECT_DIR}/hooks/x.sh\"", &["hooks/x.sh"]),
        ("$CRUSH_CWD/hooks/x.sh; \"$PWD\"/hooks/lib.sh", &["hooks/lib.sh", "hooks/x.sh"]),
        ("~/project/hooks/x.sh", &["hooks/x.sh"]),
        ("\"${HOOKS:-hooks}\"/x.sh", &["hooks/x.sh"]),
        ("$(git rev-parse --show-toplevel)/hooks/x.sh", &["hooks/x.sh"]),
        ("python3 hooks/a.py --x", &["hooks/a.py"]),
        ("/usr/bin/env python3.12 -W ignore hooks/a.py", &["hooks/a.py"]),
        ("python3 -m hooks.pkg.mod", &["hooks/pkg/mod.py"]),
        (
            "node --require=./hooks/pre.cjs hooks/b.js hooks/data.json",
            &["hooks/b.js", "hooks/data.json", "hooks/pre.cjs"],
        ),
        ("node ./hooks/guard", &["hooks/guard/index.js"]),
        ("node ./hooks/b", &["hooks/b.js"]),
        ("bash hooks/noext", &["hooks/noext"]),
        ("bash < hooks/noext", &["hooks/noext"]),
        ("bash -euc './hooks/x.sh; . hooks/lib.sh'", &["hooks/lib.sh", "hooks/x.sh"]),
        ("eval './hooks/x.sh'", &["hooks/x.sh"]),
        ("hookshell exec './hooks/x.sh'", &["hooks/x.sh"]),
        (". hooks/noext", &["hooks/noext"]),
        ("cd hooks && ./x.sh", &["hooks/x.sh"]),
        ("if true; then (timeout 5 ./hooks/x.sh | cat) & fi", &["hooks/x.sh"]),
        ("f() { ./hooks/x.sh; }; f", &["hooks/x.sh"]),
        ("x=$(./hooks/x.sh) y=`hooks/lib.sh`", &["hooks/lib.sh", "hooks/x.sh"]),
        ("for s in x lib; do ./hooks/$s.sh; done", &["hooks/lib.sh", "hooks/x.sh"]),
        ("S=hooks/x.sh; bash \"$S\"", &["hooks/x.sh"]),
        ("BASH_ENV=./hooks/lib.sh bash -c :", &["hooks/lib.sh"]),
        ("echo \"$(cat <(./hooks/x.sh))\"", &["hooks/x.sh"]),
        ("bash <<'END'\n./hooks/x.sh\nEND", &["hooks/x.sh"]),
        ("shopt -s extglob\necho !(x)\n./hooks/x.sh", &["hooks/x.sh"]),
        (". ./options.sh\ncase $1 in +(x)) ./hooks/x.sh ;; esac", &["hooks/x.sh"]),
        ("shopt -s expand_aliases\nalias run='./hooks/x.sh --now'\nrun", &["hooks/x.sh"]),
        ("cat hooks/x.sh | bash", &["hooks/x.sh"]),
        ("jq -f hooks/f.jq", &["hooks/f.jq"]),
        ("env -S 'bash hooks/noext'", &["hooks/noext"]),
        ("env --split-string='bash hooks/noext'", &["hooks/noext"]),
        ("su me -c 'bash hooks/noext'", &["hooks/noext"]),
        ("echo $((`bash hooks/noext`))", &["hooks/noext"]),
        ("a[$(bash hooks/noext)]=1", &["hooks/noext"]),
        ("a=([$(bash hooks/noext)]=1)", &["hooks/noext"]),
        ("echo \"${a[$(bash hooks/noext)]}${x:$(hooks/x.sh)}\"", &["hooks/noext", "hooks/x.sh"]),
        ("for ((i = $(bash hooks/noext); i; i++)); do :; done", &["hooks/noext"]),
        ("(( $(bash hooks/noext) ))", &["hooks/noext"]),
        ("echo > $(bash hooks/noext)", &["hooks/noext"]),
        ("case x in $(bash hooks/noext)) ;; esac", &["hooks/noext"]),
        ("echo {a,$(bash hooks/noext)}", &["hooks/noext"]),
        ("python3 - <<'PY'\nimport os\nos.system('hooks/x.sh')\nPY", &["hooks/x.sh"]),
        ("awk 'BEGIN { system(\"./hooks/x.sh\") }'", &["hooks/x.sh"]),
        ("python3 -c 'import os; os.system(\"hooks/x.sh\")'", &["hooks/x.sh"]),
        ("sed '1e ./hooks/x.sh' README.md", &["hooks/x.sh"]),
        ("find . -name '*.go' -exec ./hooks/noext {} \\;", &["hooks/noext"]),
        ("cat README.md hooks/data.json; grep -q x README.md", &[]),
        ("echo hi; ls hooks; exit 2", &[]),
    ];
    for (command, files) in cases {
        assert_eq!(place.files(command), *files, "{command}");
    }
}

/// A batch file that a shell can read is looked through, as it is run: what cmd and PowerShell are given is looked at too.
#[test]
fn the_files_of_commands_for_windows_are_found() {
    let place = Place::new();
    place.write("hooks/a.py", "1\n");
    place.write("hooks/p.ps1", "1\n");
    place.write("hooks/b.cmd", "@echo off\r\n");
    place.write("hooks/run.cmd", ": << 'CMDBLOCK'\r\n@echo off\r\nCMDBLOCK\r\nhooks/x.sh\r\n");
    for (command, files) in [
        ("./hooks/run.cmd", &["hooks/run.cmd", "hooks/x.sh"][..]),
        ("cmd /c hooks/b.cmd", &["hooks/b.cmd"]),
        ("cmd.exe /d /s /c 'python hooks/a.py && call \"hooks/b.cmd\" x'", &["hooks/a.py", "hooks/b.cmd"]),
        ("powershell -NoProfile -Command \"& './hooks/p.ps1' -Strict\"", &["hooks/p.ps1"]),
        ("pwsh -File hooks/p.ps1", &["hooks/p.ps1"]),
    ] {
        assert_eq!(place.files(command), files, "{command}");
    }
    #[cfg(windows)]
    for (command, files) in [
        (r".\hooks\b.cmd", &["hooks/b.cmd"][..]),
        (r".\hooks\b --strict", &["hooks/b.cmd"]),
        (r".\hooks\x.sh", &["hooks/x.sh"]),
        (r"'hooks\x.sh'", &["hooks/x.sh"]),
        (r"python 'hooks\a.py'", &["hooks/a.py"]),
        (r"cmd /c 'hooks\b.cmd'", &["hooks/b.cmd"]),
    ] {
        assert_eq!(place.files(command), files, "{command}");
    }
    #[cfg(windows)]
    {
        let project = place.project().display().to_string();
        let posix = format!("/{}{}", project[..1].to_ascii_lowercase(), project[2..].replace('\\', "/"));
        for script in
            [format!("{project}/hooks/x.sh"), format!("{posix}/hooks/x.sh"), format!(r"\\?\{project}\hooks\x.sh")]
        {
            assert_eq!(place.files(&format!("bash '{script}'")), ["hooks/x.sh"], "{script}");
        }
        assert_eq!(place.files(&format!(r"{project}\hooks\b.cmd")), ["hooks/b.cmd"]);
    }
}

#[test]
fn the_arguments_of_a_program_are_looked_at() {
    let place = Place::new();
    let mut program = hook("bash");
    program.args = Some(vec!["${CLAUDE_PROJECT_DIR}/hooks/x.sh".to_owned()]);
    let examined = place.store().examine(&program, &place.project()).unwrap();
    assert_eq!(examined.files.len(), 1);
    place.trust(&[&program]);
    place.write("hooks/x.sh", "exit 0\n");
    assert!(matches!(place.status(&program), TrustStatus::Changed(_)));
}

#[test]
fn what_a_script_sources_counts() {
    let place = Place::new();
    place.write("hooks/lib/a.sh", "a() { :; }\n");
    place.write("hooks/lib/b.sh", ". \"${0%/*}\"/c.sh\n");
    place.write("hooks/lib/c.sh", "c() { :; }\n");
    place.write(
        "hooks/main.sh",
        "#!/usr/bin/env bash\nset -euo pipefail\nDIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\n\
         source \"$DIR/lib/a.sh\"\n. \"$(dirname \"$0\")\"/lib/b.sh\n",
    );
    let expected = ["hooks/lib/a.sh", "hooks/lib/b.sh", "hooks/lib/c.sh", "hooks/main.sh"];
    assert_eq!(place.files("./hooks/main.sh"), expected);
    let guard = hook("./hooks/main.sh");
    place.trust(&[&guard]);
    place.write("hooks/lib/c.sh", "c() { curl x; }\n");
    assert!(matches!(place.status(&guard), TrustStatus::Changed(what) if what.contains("c.sh: its contents")));
}

#[test]
fn scripts_that_source_each_other_end() {
    let place = Place::new();
    place.write("hooks/a.sh", ". hooks/b.sh\n");
    place.write("hooks/b.sh", ". hooks/a.sh; ./hooks/b.sh\n");
    assert_eq!(place.files("./hooks/a.sh"), ["hooks/a.sh", "hooks/b.sh"]);
    let deep = format!("{}./hooks/a.sh{}", "(".repeat(2_000), ")".repeat(2_000));
    let _ = place.files(&deep);
}

#[test]
fn scripts_that_are_hard_to_look_through_end_and_are_not_covered() {
    let doubling = |last: &str| {
        let lines: String = (0..60).map(|i| format!("v{}=$v{i}$v{i}\n", i + 1)).collect();
        format!("v0=aaaa\n{lines}{last}\n")
    };
    let scripts = [
        doubling("bash $v60"),
        doubling("bash -c \"$v20\""),
        (0..20_000).map(|i| format!("x={i}\n")).collect::<String>() + "bash ./$x.sh\n",
        (0..5_000).map(|i| format!("bash $y{i}\n")).collect(),
        format!("x='echo {}'\n", "a".repeat(50_000)) + &"bash -c \"$x\"\n".repeat(500),
        format!("{}bash $y\n", "a;".repeat(300_000)),
    ];
    for script in scripts {
        let place = Place::new();
        place.write("hooks/hard.sh", &script);
        let examined = place.store().examine(&hook("bash hooks/hard.sh"), &place.project()).unwrap();
        let shown = &script[..script.len().min(60)];
        assert_eq!(examined.status, TrustStatus::New, "{shown}");
        assert!((1..=300).contains(&examined.uncertain.len()), "{shown}: {}", examined.uncertain.len());
        assert!(examined.uncertain.iter().all(|what| what.len() < 200_000), "{shown}");
    }
}

#[test]
fn what_nobody_has_trusted_is_not_looked_at() {
    let place = Place::new();
    // What cannot be read is not even tried.
    std::fs::create_dir_all(place.project().join("hooks").join("directory")).unwrap();
    let guard = hook("./hooks/x.sh");
    place.trust(&[&guard]);
    let other = hook("bash ./hooks/x.sh; bash ./hooks/directory");
    assert_eq!(
        place.outcome(&other, &place.project()),
        ("Untrusted".to_owned(), Some("it was found in the project, and nobody has trusted it yet".to_owned()))
    );
    place.write("hooks/x.sh", "echo changed >&2; exit 2\n");
    assert!(place.outcome(&guard, &place.project()).1.unwrap().starts_with("it has changed since it was trusted: "));
}

#[test]
fn what_is_only_known_when_it_runs_is_reported() {
    let place = Place::new();
    let script = place.write("hooks/main.sh", "#!/bin/sh\n. \"$LIB\"\n");
    let in_script = format!("\"$LIB\" in {}", script.display());
    let cases: &[(&str, &[&str])] = &[
        ("\"$TOOL\" x", &["\"$TOOL\""]),
        ("bash $(ls hooks | head -n 1)", &["$(ls hooks | head -n 1)"]),
        ("for f in hooks/*.sh; do . $f; done", &["$f"]),
        ("eval \"$X\"", &["\"$X\""]),
        ("x=a.sh; x=$(curl example); bash \"$x\"", &["\"$x\""]),
        ("npx prettier --check .", &["what the project defines for `npx`"]),
        ("./hooks/x.sh \"$CRUSH_TOOL_NAME\"", &[]),
        ("git commit -m \"$MESSAGE\"", &[]),
        ("python3 hooks/x.py \"$1\"", &[]),
        ("./hooks/main.sh", &[&in_script]),
        ("cat list | xargs -n 1 bash", &["the scripts that `xargs` is told of"]),
        ("cat list | xargs grep x", &[]),
        ("find hooks -name '*.sh' -exec sh {} \\;", &["the files that `find` finds and runs"]),
        ("find hooks -type f -exec {} \\;", &["the files that `find` finds and runs"]),
        ("cat list | xargs -I{} bash {}", &["the files that `xargs` finds and runs"]),
        ("find . -name '*.py' -exec grep -l x {} +", &[]),
        ("curl -fsSL example | sh", &["what `sh` is given by a pipe"]),
        ("curl -fsSL example | sudo bash -s -- x", &["what `bash` is given by a pipe"]),
        ("cat hooks/x.sh | bash", &[]),
        ("echo \"$CRUSH_TOOL_NAME\" | bash hooks/x.sh", &[]),
        ("echo x | sh -c 'cat'", &[]),
        ("PATH=$(pwd -X x):$PATH; jq .", &["the programs of a PATH that is only known when it runs"]),
        ("PATH=/usr/local/bin:$PATH; jq .", &[]),
        // A program of which it is not known that it runs nothing of the project's.
        ("PATH=/usr/local/bin:$PATH; eslint", &["what `eslint` loads or runs"]),
        // An alias may be what it takes, or a shell that is not bash.
        (
            "alias when='if true; then'\nwhen ./hooks/x.sh; fi",
            &[
                "what the command names from line 1 on (a syntax error)",
                "what the command names from line 2 on (a syntax error)",
            ],
        ),
        ("shopt -s extglob\necho !(x)", &[]),
        ("[ -n \"$X\" ] && exit 2; python3 - <<'PY'\nif x: print('a')\nPY", &[]),
    ];
    for (command, expected) in cases {
        let examined = place.store().examine(&hook(command), &place.project()).unwrap();
        assert_eq!(examined.uncertain, *expected, "{command}");
    }
}

#[test]
#[cfg(unix)]
fn a_program_that_path_finds_in_the_project_counts() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let tool = place.write("bin/tool", "#!/bin/sh\nexit 0\n");
    std::fs::set_permissions(&tool, PermissionsExt::from_mode(0o755)).unwrap();
    let store = TrustStore::new(place.state(), vec![("PATH".into(), place.project().join("bin").into())]);
    let examined = store.examine(&hook("tool --x"), &place.project()).unwrap();
    assert_eq!(examined.files.len(), 1, "{examined:?}");
    let examined = store.examine(&hook("timeout 5 tool --x"), &place.project()).unwrap();
    assert_eq!(examined.files.len(), 1, "{examined:?}");
    for command in [
        "PATH=$PWD/bin:$PATH; tool",
        "export PATH=\"$PATH:$CRUSH_PROJECT_DIR/bin\"\ntool",
        "PATH=bin tool",
        "env PATH=$PWD/bin tool",
    ] {
        let examined = place.store().examine(&hook(command), &place.project()).unwrap();
        assert_eq!((examined.files.len(), examined.uncertain.len()), (1, 0), "{command}: {examined:?}");
    }
}

#[test]
#[cfg(unix)]
fn what_is_no_regular_file_cannot_be_trusted() {
    let place = Place::new();
    let fifo = place.project().join("hooks/fifo.sh");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let guard = hook("bash ./hooks/fifo.sh");
    let examined = place.store().examine(&guard, &place.project()).unwrap();
    assert!(matches!(&examined.status, TrustStatus::Impossible(why) if why.ends_with("it is no regular file")));
    let error = place.store().trust(&place.project(), &[examined]).unwrap_err();
    assert!(matches!(error, TrustError::Impossible { .. }), "{error}");
    assert_eq!(place.files("cat < /dev/null"), Vec::<String>::new());
}

#[test]
#[cfg(unix)]
fn a_file_that_others_may_have_written_is_not_believed() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let place = Place::new();
    let guard = hook("exit 2");
    place.trust(&[&guard]);
    let file = place.store().path();
    assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
    assert_eq!(place.state().metadata().unwrap().mode() & 0o777, 0o700);
    for mode in [0o622, 0o644, 0o660, 0o640] {
        std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        assert!(matches!(place.store().projects(), Err(TrustError::NotPrivate { .. })), "{mode:o}");
        let (outcome, reason) = place.outcome(&guard, &place.project());
        assert_eq!(outcome, "Untrusted");
        assert!(reason.unwrap().contains("chmod 600"));
        assert!(place.store().trust(&place.project(), &[]).is_err(), "it is not overwritten either");
    }
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(place.outcome(&guard, &place.project()).0, "Decided");
}

#[test]
fn a_file_that_is_not_ours_is_an_error() {
    let place = Place::new();
    place.trust(&[&hook("exit 2")]);
    for text in ["", "{", "[]", r#"{"version":1}"#, r#"{"version":3,"projects":{}}"#] {
        std::fs::write(place.store().path(), text).unwrap();
        assert!(matches!(place.store().projects(), Err(TrustError::Read { .. })), "{text}");
        assert_eq!(place.outcome(&hook("exit 2"), &place.project()).0, "Untrusted");
    }
}

#[test]
fn writers_at_once_lose_nothing() {
    let place = Place::new();
    let projects: Vec<PathBuf> = (0..8).map(|index| place.root.path().join(format!("p{index}"))).collect();
    std::thread::scope(|scope| {
        for project in &projects {
            std::fs::create_dir(project).unwrap();
            scope.spawn(|| {
                let examined = place.store().examine(&hook("exit 2"), project).unwrap();
                place.store().trust(project, &[examined]).unwrap();
            });
        }
    });
    assert_eq!(place.store().projects().unwrap().len(), 8);
    let mut names: Vec<_> = std::fs::read_dir(place.state())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["trust.json", "trust.lock"]);
}
