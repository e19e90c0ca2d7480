//! Whose shell runs a script: every way to one, with shells on PATH that are not shells at all.
#![allow(clippy::unwrap_used, reason = "a test's helpers fail the test so")]

mod support;

use hookshell_dispatch::{Dispatcher, Invocation, MissingShell, Outcome, Route, ShellScripts, ShellUse};
use support::{Directory, HELPER, err, exe, out};

/// A directory whose installed shells print their arguments and run nothing.
fn directory() -> Directory {
    let directory = Directory::new();
    for shell in ["sh", "bash", "dash", "ksh", "zsh", "setsid"] {
        std::fs::copy(HELPER, directory.path().join("bin").join(exe(shell))).unwrap();
    }
    directory.script("x.sh", "#!/usr/bin/env bash\necho \"$0 $*\"\nexit 3\n");
    directory.script("env.sh", "#!/usr/bin/env -S SET=yes bash -u\necho \"$SET\"; echo \"$UNSET\"; echo unreached\n");
    directory.script("outer.sh", "#!/bin/sh\n. ./lib.sh\nbash ./x.sh inner; echo \"$?\"; say sourced\n");
    directory.script("lib.sh", "say() { printf '%s\\n' \"$1\"; }\n");
    directory.script("crlf.sh", "#!/bin/bash\r\nexit 3\r\n");
    directory.script("dialect.zsh", "#!/usr/bin/env zsh\necho ours\n");
    directory.script("broken.sh", "#!/usr/bin/env bash\necho ours\nif\n");
    directory.script("archive.sh", "#!/usr/bin/env bash\necho ours\nexit 0\n)(PK\n");
    directory
}

fn in_process() -> Dispatcher {
    Dispatcher::builder().shell_scripts(ShellScripts::InProcess).missing_shell(MissingShell::Fail).build()
}

/// What a shell that was started has printed: its arguments. On Windows the first one is its whole path.
fn started_words(directory: &Directory, outcome: &Outcome) -> String {
    let words = out(outcome).trim_end_matches('\0').replace('\0', " ").replace("/bin/bash ", "bash ");
    match cfg!(windows) {
        true => words.replace(&format!(r"{}\bin\", directory.path().display()), "").replace(".exe ", " "),
        false => words,
    }
}

fn run(directory: &Directory, command: &str) -> Outcome {
    in_process().run(directory.isolated(command))
}

// Windows has neither paths of Unix's shells nor what some of these ways go through.
#[cfg(unix)]
#[test]
fn every_way_to_a_script_leads_to_the_in_process_shell() {
    let directory = directory();
    let ways: &[(&str, u8, &str)] = &[
        ("./x.sh a b", 3, "./x.sh a b\n"),
        ("X=1 ./x.sh a >file; cat file", 0, "./x.sh a\n"),
        ("PATH=.:$PATH; x.sh a", 3, "./x.sh a\n"),
        ("bash x.sh a", 3, "x.sh a\n"),
        ("/bin/bash x.sh a", 3, "x.sh a\n"),
        ("/no/such/place/ksh x.sh a", 3, "x.sh a\n"),
        ("sh -e x.sh a", 3, "x.sh a\n"),
        ("dash x.sh", 3, "x.sh \n"),
        ("bash -c 'echo \"$0 $1\"; exit 49' me x", 49, "me x\n"),
        ("bash -s a <x.sh", 3, "bash a\n"),
        ("bash <x.sh", 3, "bash \n"),
        ("cat x.sh | sh -s a", 3, "sh a\n"),
        ("env bash x.sh a", 3, "x.sh a\n"),
        ("env -i PATH=bin sh x.sh a", 3, "x.sh a\n"),
        ("env -S 'bash x.sh a'", 3, "x.sh a\n"),
        ("exec bash x.sh a", 3, "x.sh a\n"),
        ("(exec -a me sh -c 'echo $0')", 0, "me\n"),
        ("command bash x.sh a; echo $?", 0, "x.sh a\n3\n"),
        ("echo x.sh a | xargs bash", 123, "x.sh a\n"),
        ("find . -name x.sh -exec sh {} a ';'", 0, "./x.sh a\n"),
        ("timeout 20 bash x.sh a", 3, "x.sh a\n"),
        ("nice bash x.sh a", 3, "x.sh a\n"),
        ("nice -n 3 ./x.sh a", 3, "./x.sh a\n"),
        ("nohup bash x.sh a </dev/null | cat", 0, "x.sh a\n"),
        ("setsid -w ./x.sh a", 3, "./x.sh a\n"),
        ("env X=1 timeout 20 nice nohup setsid bash x.sh a", 3, "x.sh a\n"),
        ("bash x.sh a | cat", 0, "x.sh a\n"),
        ("bash x.sh a & wait $!; echo $?", 0, "x.sh a\n3\n"),
        ("y=$(bash x.sh a); echo \"<$y>\"", 0, "<x.sh a>\n"),
        ("./outer.sh", 0, "./x.sh inner\n3\nsourced\n"),
        ("bash -c './outer.sh' | cat", 0, "./x.sh inner\n3\nsourced\n"),
        ("./env.sh", 1, "yes\n"),
        ("./crlf.sh", 3, ""),
        ("./archive.sh", 0, "ours\n"),
        ("bash none.sh", 127, ""),
    ];
    for (command, status, stdout) in ways {
        let outcome = run(&directory, command);
        assert_eq!(out(&outcome), *stdout, "{command}: {}", err(&outcome));
        assert_eq!(outcome.status, *status, "{command}: {}", err(&outcome));
        assert!(
            outcome.shells.iter().all(|used| used.shell == ShellUse::IN_PROCESS),
            "{command}: {:?}",
            outcome.shells
        );
        // Without the setting it is the installed shell's, which here prints its arguments.
        if command.starts_with("/bin/bash") {
            continue;
        }
        let outcome = Dispatcher::new().run(directory.isolated(command));
        assert!(out(&outcome) != *stdout || command.contains("crlf") || command.contains("none"), "{command}");
        assert_eq!(outcome.shells.len(), usize::from(command.contains("crlf")), "{command}: {:?}", outcome.shells);
    }
}

#[test]
fn the_commonest_ways_lead_there_on_every_system() {
    let directory = directory();
    let ways: &[(&str, u8, &str)] = &[
        ("./x.sh a b", 3, "./x.sh a b\n"),
        ("X=1 ./x.sh a >file; cat file", 0, "./x.sh a\n"),
        ("bash x.sh a", 3, "x.sh a\n"),
    ];
    for (command, status, stdout) in ways {
        let outcome = run(&directory, command);
        assert_eq!((outcome.status, &*out(&outcome)), (*status, *stdout), "{command}: {}", err(&outcome));
        assert!(outcome.shells.iter().all(|used| used.shell == ShellUse::IN_PROCESS), "{command}");
    }
}

#[test]
fn no_shell_need_be_installed() {
    let directory = Directory::new();
    directory.script("x.sh", "#!/usr/bin/env bash\nbash -c 'echo \"$1\"' x \"$0\"\nexit 2\n");
    let outcome = run(&directory, "./x.sh");
    assert_eq!((outcome.status, &*out(&outcome)), (2, "./x.sh\n"), "{}", err(&outcome));
    assert_eq!(outcome.route, Route::ShellSource { path: directory.path().join("./x.sh") });
    let told: Vec<_> = outcome.shells.iter().map(ToString::to_string).collect();
    let why = "in-process (shell_scripts = in-process)";
    assert_eq!(told, [format!("./x.sh: {why}"), format!("bash -c echo \"$1\": {why}")]);
}

#[test]
fn what_the_in_process_shell_refuses_goes_to_the_installed_one_with_the_reason() {
    let directory = directory();
    let cases: &[(&str, &str, Option<&str>)] = &[
        ("bash --debugger x.sh", "bash --debugger x.sh", Some("--debugger: not supported: there is no debugger")),
        ("bash -Y x.sh", "bash -Y x.sh", Some("-Y: invalid option")),
        ("./broken.sh a", "bash ./broken.sh a", Some("it cannot read the script: line 4")),
        ("bash broken.sh", "bash broken.sh", Some("it cannot read the script: line 4")),
        ("sh -c 'if'", "sh -c if", Some("it cannot read the script: line 1")),
        // Other shells are not asked for at all.
        ("zsh -c 'echo ours'", "zsh -c echo ours", None),
        ("./dialect.zsh", "zsh ./dialect.zsh", None),
    ];
    for (command, started, reason) in cases {
        let outcome = run(&directory, command);
        let words = started_words(&directory, &outcome);
        assert_eq!(words, *started, "{command}: {}", err(&outcome));
        match (&*outcome.shells, reason) {
            ([], None) => {}
            ([used], Some(reason)) => {
                assert!(used.reason.contains(reason), "{command}: {used}");
                assert!(used.shell.contains(&exe(words.split(' ').next().unwrap())), "{command}: {used}");
            }
            (shells, _) => assert_eq!(shells, [], "{command}"),
        }
        let explained = in_process().explain(&directory.isolated(command)).to_string();
        assert!(reason.is_none_or(|reason| explained.contains(reason)), "{command}: {explained}");
    }
}

#[test]
fn what_it_refuses_fails_as_missing_shell_says_if_no_shell_is_installed() {
    let directory = Directory::new();
    directory.script("broken.sh", "#!/usr/bin/env bash\necho ours\nif\n");
    for command in ["bash --debugger x.sh", "./broken.sh", "bash broken.sh"] {
        let outcome = run(&directory, command);
        assert_eq!((outcome.status, &*out(&outcome)), (127, ""), "{command}");
        let hookshell_dispatch::End::NotStarted(failure) = &outcome.end else { panic!("{command}: {:?}", outcome.end) };
        assert!(failure.message.contains("install bash"), "{command}: {failure}");
        assert!(failure.message.contains("not in process: "), "{command}: {failure}");
    }
    let interpret = Dispatcher::builder().shell_scripts(ShellScripts::InProcess).missing_shell(MissingShell::Interpret);
    let outcome = interpret.build().run(directory.isolated("./broken.sh"));
    assert_eq!((outcome.status, &*out(&outcome)), (127, "ours\n"), "{}", err(&outcome));
}

#[test]
fn a_script_with_a_shells_name_is_no_shell() {
    let directory = directory();
    std::fs::create_dir(directory.path().join("tools")).unwrap();
    directory.script("tools/bash", "echo \"a tool: $*\"\n");
    let outcome = run(&directory, "./tools/bash x.sh");
    assert_eq!(out(&outcome), "a tool: x.sh\n", "{}", err(&outcome));
}

#[test]
fn an_invocation_may_say_otherwise_than_its_dispatcher() {
    let directory = directory();
    let invocation =
        |shell_scripts| Invocation { shell_scripts: Some(shell_scripts), ..directory.isolated("bash x.sh") };
    let outcome = Dispatcher::new().run(invocation(ShellScripts::InProcess));
    assert_eq!(out(&outcome), "x.sh \n", "{}", err(&outcome));
    let outcome = in_process().run(invocation(ShellScripts::Installed));
    assert_eq!(started_words(&directory, &outcome), "bash x.sh", "{}", err(&outcome));
}

#[test]
fn explain_says_which_shell_and_why() {
    let directory = directory();
    for command in ["./x.sh a", "bash x.sh", "/bin/sh x.sh", "bash -c 'echo a'", "nohup ./x.sh"] {
        let explained = in_process().explain(&directory.isolated(command)).to_string();
        let installed = Dispatcher::new().explain(&directory.isolated(command)).to_string();
        let expected = "shell_scripts = in-process";
        assert!(explained.contains(expected) || command.starts_with("nohup"), "{command}: {explained}");
        assert!(!installed.contains(expected), "{command}: {installed}");
    }
}

/// What a script does to itself, to who started it and to everybody: never to the host, which is this test.
#[cfg(unix)]
#[test]
fn signals_of_a_script_stay_in_it() {
    let directory = directory();
    let cases: &[(&str, u8, &str)] = &[
        ("bash -c 'kill $$; echo no'; echo $?", 0, "143\n"),
        ("bash -c 'kill -9 $$; echo no'; echo $?", 0, "137\n"),
        ("bash -c 'trap \"echo got; exit 7\" TERM; kill $$; echo no'; echo $?", 0, "got\n7\n"),
        ("bash -c 'trap \"\" TERM; kill $$; echo alive'", 0, "alive\n"),
        ("bash -c 'trap \"\" TERM; kill 0; echo alive'", 0, "alive\n"),
        ("bash -c 'kill 0; echo no'; echo $?", 0, "143\n"),
        ("bash -c 'trap \"echo bye\" EXIT; kill $$'; echo $?", 0, "bye\n143\n"),
        ("bash -c 'kill $PPID' 2>/dev/null; echo after", 0, "after\n"),
        // The parent of a script that another has started is that one, and no process.
        ("bash -c 'bash -c \"kill \\$PPID\"; echo no'; echo $?", 0, "143\n"),
        ("bash -c 'trap \"echo outer\" TERM; bash -c \"kill \\$PPID; echo inner\"; echo on'", 0, "inner\nouter\non\n"),
        ("bash -c 'bash -c \"/bin/kill \\$PPID\" 2>/dev/null; echo on'; echo after", 0, "on\nafter\n"),
        ("bash -c 'x=$$; bash -c \"[ \\$PPID = $x ]\"; echo $?'", 0, "0\n"),
        ("bash -c 'bash -c \"kill -9 \\$\\$\"; echo $?' 2>/dev/null", 0, "137\n"),
        ("bash -c 'bash -c \"kill -SEGV \\$\\$\" & wait $!; echo $?' 2>/dev/null", 0, "139\n"),
        ("bash -c 'exec bash -c \"kill -9 \\$\\$\"'; echo $?", 0, "137\n"),
        ("trap '' TERM; bash -c 'kill $$; echo alive'", 0, "alive\n"),
        ("nohup bash -c 'kill -HUP $$; echo alive' </dev/null | cat", 0, "alive\n"),
        ("timeout 0.2 bash -c 'sleep 20'; echo $?", 0, "124\n"),
        ("timeout 0.2 bash -c 'trap \"echo term; exit 5\" TERM; sleep 20'; echo $?", 0, "term\n124\n"),
        ("timeout --preserve-status 0.2 bash -c 'trap \"echo term; exit 5\" TERM; sleep 20'; echo $?", 0, "term\n5\n"),
        ("timeout --preserve-status 0.2 bash -c 'sleep 20'; echo $?", 0, "143\n"),
        ("timeout 0.2 bash -c 'trap \"echo bye\" EXIT; sleep 20; echo no'; echo $?", 0, "bye\n124\n"),
        // What ignores the signal continues, and what traps it does after the trap; what either has started ends.
        ("timeout 0.2 bash -c 'trap \"\" TERM; sleep 0.5; echo on'; echo $?", 0, "on\n124\n"),
        ("timeout 0.2 bash -c 'trap \"echo term\" TERM; sleep 20; echo $?'; echo $?", 0, "term\n143\n124\n"),
        ("timeout 0.2 bash -c 'trap \"echo term\" TERM; (sleep 20; echo no); echo $?'; echo $?", 0, "term\n143\n124\n"),
        (
            "timeout 0.2 bash -c 'trap \"echo term\" TERM; bash -c \"sleep 20; echo no\"; echo $?'; echo $?",
            0,
            "term\n143\n124\n",
        ),
        ("timeout 0.2 bash -c 'trap \"echo term\" TERM; sleep 20 | cat; echo $?'; echo $?", 0, "term\n143\n124\n"),
        ("timeout -k 0.2 0.2 bash -c 'trap \"\" TERM; sleep 20; echo no'; echo $?", 0, "137\n"),
        ("timeout --preserve-status 0.2 bash -c 'trap \"echo term\" TERM; sleep 20; exit 7'; echo $?", 0, "term\n7\n"),
    ];
    for (command, status, stdout) in cases {
        let outcome = run(&directory, command);
        assert_eq!(out(&outcome), *stdout, "{command}: {}", err(&outcome));
        assert_eq!(outcome.status, *status, "{command}: {}", err(&outcome));
    }
}

/// A script in the background is who has the number of the list: signals for it run its traps.
#[cfg(unix)]
#[test]
fn a_script_in_the_background_gets_the_signals_for_it() {
    let directory = directory();
    directory.script(
        "t.sh",
        "#!/bin/bash\ntrap 'echo got; exit 4' TERM\ntrap 'echo bye' EXIT\n: >ready\nwhile :; do sleep 0.02; done\n",
    );
    directory.script("e.sh", "#!/bin/bash\ntrap 'echo bye' EXIT\n: >ready\nwhile :; do sleep 0.02; done\n");
    let wait = "until [ -e ready ]; do sleep 0.02; done; rm ready";
    let cases = [
        (format!("bash t.sh & {wait}; kill $!; wait $!; echo $?"), "got\nbye\n4\n"),
        (format!("bash -c 'bash t.sh & {wait}; kill $!; wait $!; echo $?'"), "got\nbye\n4\n"),
        (format!("(exec bash t.sh) & {wait}; kill $!; wait $!; echo $?"), "got\nbye\n4\n"),
        (format!("./t.sh & {wait}; kill -9 $!; wait $!; echo $?"), "137\n"),
        (
            format!(
                "bash -c './e.sh >e & {wait}; kill $!; wait $!; echo $?; until [ -s e ]; do sleep 0.02; done; cat e'"
            ),
            "143\nbye\n",
        ),
        ("bash -c 'echo $$' >id & wait $!; [ \"$(cat id)\" = $! ]; echo $?".to_owned(), "0\n"),
        (
            "bash -c 'bash -c \"echo \\$\\$ \\$PPID\" >id & wait $!; [ \"$(cat id)\" = \"$! $$\" ]; echo $?'"
                .to_owned(),
            "0\n",
        ),
    ];
    for (command, stdout) in cases {
        let outcome = run(&directory, &command);
        assert_eq!((outcome.status, &*out(&outcome)), (0, stdout), "{command}: {}", err(&outcome));
    }
}

/// bash replaces itself by the last command of a command string: that is no level deeper.
#[test]
fn the_last_command_of_a_command_string_is_no_level_deeper() {
    let directory = directory();
    let cases = [
        ("SHLVL=1; bash -c 'echo $SHLVL'; :", "2\n"),
        ("SHLVL=1; bash -c 'bash -c \"echo \\$SHLVL\"'; :", "2\n"),
        ("SHLVL=1; bash -c 'bash -c \"echo \\$SHLVL\"; :'; :", "3\n"),
        ("SHLVL=1; bash -c 'trap : EXIT; bash -c \"echo \\$SHLVL\"'; :", "3\n"),
        ("SHLVL=1; bash -c 'env' | grep ^SHLVL", "SHLVL=1\n"),
    ];
    for (command, stdout) in cases {
        assert_eq!(out(&run(&directory, command)), stdout, "{command}");
    }
}

#[test]
fn what_a_script_changes_is_its_own() {
    let directory = directory();
    std::fs::create_dir(directory.path().join("sub")).unwrap();
    let script = "cd sub; umask 077; X=inner; set -f; trap \"echo bye\" EXIT; exec 3>&1; exec >/dev/null; exit 4";
    let command = format!(
        "umask 022; X=outer; bash -c '{script}'; echo \"$? ${{PWD##*/}} $X $-\"; umask; {{ : >&3; }} 2>/dev/null || echo closed"
    );
    let expected = Dispatcher::new().run(directory.isolated("echo \"4 ${PWD##*/} outer $-\"; echo 0022; echo closed"));
    let outcome = run(&directory, &command);
    assert_eq!(out(&outcome), out(&expected), "{}", err(&outcome));
}

/// Ten at once: each has its own directory, variables, traps and number, and writes to its own streams.
#[test]
fn ten_scripts_at_once_share_nothing() {
    let directory = directory();
    let dispatcher = in_process();
    directory.script(
        "n.sh",
        "#!/usr/bin/env bash\nmkdir \"d$1\"; cd \"d$1\"; export N=$1; umask 022\ntrap 'echo \"end $N\"' EXIT\n\
         for i in 1 2 3 4 5; do bash -c 'echo \"$N ${PWD##*/}\"; cd ..; N=x'; done\necho \"$$\" >id\nexit \"$N\"\n",
    );
    let (sender, outcomes) = std::sync::mpsc::channel();
    for number in 0..10_u8 {
        let sender = sender.clone();
        let _handle = dispatcher.start(directory.isolated(&format!("./n.sh {number}")), move |outcome| {
            let _ = sender.send((number, outcome));
        });
    }
    let limit = std::time::Duration::from_secs(60);
    for _ in 0..10 {
        let (number, outcome) = outcomes.recv_timeout(limit).unwrap();
        let expected = format!("{number} d{number}\n").repeat(5) + &format!("end {number}\n");
        assert_eq!((outcome.status, out(&outcome)), (number, expected), "{}", err(&outcome));
    }
    let ids: std::collections::BTreeSet<_> = (0..10)
        .map(|number| std::fs::read_to_string(directory.path().join(format!("d{number}/id"))).unwrap())
        .collect();
    assert_eq!(ids.len(), 10, "{ids:?}");
    assert!(!ids.contains(&format!("{}\n", std::process::id())));
}

/// What a process has besides its memory: each of ten scripts at once has its own, and this process keeps what it had.
#[cfg(target_os = "linux")]
#[test]
fn ten_scripts_at_once_change_nothing_of_the_host() {
    /// The lines of `/proc/self/status` and of `/proc/self/limits` that scripts could change, the directory and the environment.
    fn host() -> Vec<String> {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let kept = ["Umask:", "SigIgn:", "SigCgt:", "SigBlk:", "NSpid:"];
        let status = status.lines().filter(|line| kept.iter().any(|kept| line.starts_with(kept))).map(str::to_owned);
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
        let mut host: Vec<String> = status.chain(limits.lines().map(str::to_owned)).collect();
        host.push(std::env::current_dir().unwrap().display().to_string());
        host.extend(std::env::vars().map(|(name, value)| format!("{name}={value}")));
        host
    }
    let directory = directory();
    let dispatcher = in_process();
    directory.script(
        "own.sh",
        "#!/usr/bin/env bash\nn=$1; mkdir \"o$n\"; cd \"o$n\" || exit\nulimit -n \"$((100 + n))\"; umask \"07$((n % 8))\"\n\
         export SHLVL=$n\ntrap 'echo \"usr $n\"' USR1\nif [ $((n % 2)) = 0 ]; then trap '' TERM; fi\n\
         bash -c 'echo \"$(ulimit -n) $(umask) ${PWD##*/} $SHLVL\"; ulimit -n 64; umask 0; cd /; exit 3'\n\
         echo \"$? $(ulimit -n) $(umask) ${PWD##*/}\"\n\
         (sleep 0.05; exit \"$n\") & p=$!; kill -USR1 $$; wait \"$p\"; echo \"job $? $(jobs | wc -l | tr -d ' ')\"\n\
         [ \"$BASHPID\" = $$ ] && (:; [ \"$BASHPID\" != $$ ]) && [ ! -e /proc/$$ ] && echo own\n\
         kill 0; echo \"ignores $n\"; exec bash -c 'exit \"$0\"' \"$n\"\n",
    );
    // What starts at the first run of all, as the threads of the pool, is there then.
    let _ = run(&directory, "bash -c :");
    let before = host();
    let (sender, outcomes) = std::sync::mpsc::channel();
    for number in 0..10_u8 {
        let sender = sender.clone();
        let _handle = dispatcher.start(directory.isolated(&format!("./own.sh {number}; echo $?")), move |outcome| {
            let _ = sender.send((number, outcome));
        });
    }
    for _ in 0..10 {
        let (n, outcome) = outcomes.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
        let (limit, mask) = (100 + u32::from(n), format!("007{}", n % 8));
        let level = n + 1;
        let end = if n % 2 == 0 { format!("ignores {n}\n{n}\n") } else { "143\n".to_owned() };
        let expected = format!("{limit} {mask} o{n} {level}\n3 {limit} {mask} o{n}\nusr {n}\njob {n} 0\nown\n{end}");
        assert_eq!(out(&outcome), expected, "{n}: {}", err(&outcome));
    }
    assert_eq!(host(), before);
}
