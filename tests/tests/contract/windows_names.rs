//! Names and encodings that hooks meet on Windows; what other systems can hold of them they run too.

use serde_json::json;

use crate::place;

/// What the names of files and directories may have in them on Windows.
const NAMES: [&str; 10] =
    ["sp ace", "a&b", "50%", "%PATH%", "wow!", "ca^ret", "par(en)s", "it's", "ünïcödé", "emo😀ji"];

#[test]
fn a_name_may_stand_in_every_place() {
    for name in NAMES {
        let place = place();
        std::fs::create_dir(place.file(name)).unwrap();
        place.helper_as(&format!("{name}/{name} tool"));
        place.helper_as(&format!("{name}/by name"));
        place.script(&format!("{name}/{name}.sh"), "echo \"$1 ${0##*/}\"\n");
        place.script("env.js", "#!/usr/bin/env -S 'by name'\nsay interpreted\n");
        place.script("exec.sh", "#!/usr/bin/env tool\nargs $1\n");
        // `$n` is the name: data, which nothing reads again.
        let script = r#"cat >/dev/null
            exec 2>&1
            tool args "$n" "-x=$n"
            "./$n/$n tool" say program
            "$PWD/$n/$n.sh" script
            "./$n/$n.sh" "$n"
            ./exec.sh "$n"
            (PATH="$PWD/$n:$PATH"; ./env.js; "by name" say by PATH)
            echo data >"$n/out $n"; cat <"$n/out $n"; tool cat "$n/out $n"
            for file in "$n"/*.sh; do echo "${file##*/}"; done
            (cd "$n" && tool cwd | tr '\\' / | sed 's|.*/||'; echo "${PWD##*/}"; ./"$n tool" say here)
            (TMPDIR="$PWD/$n"; x=$(mktemp) && echo "${x%/*}" | sed 's|.*/||'; tool cat <(echo substituted); tool cat-stdin <<<document)
            (HOME="$PWD/$n"; echo home >~/"$n"; cat "$n/$n"; cd; echo "${PWD##*/}")
            export X=$n; tool env X"#;
        let expected = format!(
            "[{name}]\n[-x={name}]\nprogram\nscript {name}.sh\n{name} {name}.sh\n[{name}]\ninterpreted\nby PATH\n\
             data\ndata\n{name}.sh\n{name}\n{name}\nhere\n{name}\nsubstituted\ndocument\nhome\n{name}\n{name}\n"
        );
        let hook = format!("n='{}'; {script}", name.replace('\'', r"'\''"));
        let ran = place.exec(&hook);
        assert_eq!((ran.code, ran.stdout.replace('\r', "")), (Some(0), expected), "{name}: {ran:?}");
        // As a hook in that directory, and the path of a hook's script as configs have it.
        let command = format!("\"$CRUSH_PROJECT_DIR\"/'{0}/{0}.sh' x >&2; exit 2", name.replace('\'', r"'\''"));
        for seen in place.verdicts(&[json!({"command": command, "cwd": name})], &json!({})) {
            assert_eq!((seen.code, seen.text("reason")), (2, &*format!("x {name}.sh")), "{name}: {seen:?}");
        }
    }
}

#[test]
fn scripts_may_have_a_byte_order_mark_or_be_utf16() {
    let place = place().without_system_path();
    let text = "echo \"é $1\"\r\ncat <<E\r\nline\r\nE\r\n";
    let units = |mark: &[u16]| -> Vec<u16> { mark.iter().copied().chain(text.encode_utf16()).collect() };
    let scripts: [(&str, Vec<u8>); 5] = [
        ("utf8.sh", format!("\u{feff}{text}").into_bytes()),
        ("little.sh", units(&[0xfeff]).into_iter().flat_map(u16::to_le_bytes).collect()),
        ("big.sh", units(&[0xfeff]).into_iter().flat_map(u16::to_be_bytes).collect()),
        ("little-plain.sh", units(&[]).into_iter().flat_map(u16::to_le_bytes).collect()),
        ("big-plain.sh", units(&[]).into_iter().flat_map(u16::to_be_bytes).collect()),
    ];
    for (name, bytes) in scripts {
        place.script(name, bytes);
        let ran = place.exec(&format!("./{name} x; . ./{name} y"));
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "é x\nline\né y\nline\n"), "{name}: {ran:?}");
    }
}

#[test]
fn a_batch_file_that_is_a_shell_script_too_is_a_shell_script() {
    let place = place().without_system_path();
    place.script(
        "run-hook.cmd",
        ": << 'CMDBLOCK'\r\n@echo off\r\necho batch\r\nexit /b 9\r\nCMDBLOCK\r\n\r\necho \"shell $1\" >&2\r\nexit 2\r\n",
    );
    for command in ["./run-hook.cmd 'a b'", "\"$CRUSH_PROJECT_DIR/run-hook.cmd\" 'a b'"] {
        for seen in place.verdicts(&[json!({"command": command})], &json!({})) {
            assert_eq!((seen.code, seen.text("reason")), (2, "shell a b"), "{command}: {seen:?}");
        }
    }
}

#[test]
fn a_directory_beyond_every_limit_of_windows_can_be_used() {
    let place = place();
    let deep = vec!["d".repeat(100); 4].join("/");
    let ran = place.exec(&format!(
        "mkdir -p {deep}; echo x >{deep}/f && cat {deep}/f; cd {deep} && echo y >g && cat f g; [ -f g ] && for f in *; do echo $f; done; \
         cd ..; rm d*/f; ls d*; tool say end"
    ));
    if cfg!(windows) {
        // A program cannot be started in it, which is said.
        let shown = ran.stdout.replace('\r', "");
        assert_eq!((ran.code, &*shown), (Some(126), "x\nx\ny\nf\ng\ng\n"), "{ran:?}");
        assert!(ran.stderr.contains("259"), "{ran:?}");
    } else {
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "x\nx\ny\nf\ng\ng\nend\n"), "{ran:?}");
    }
}

/// A guard must not be bypassed by padding (what a variable can hold), nor by a NUL (what no variable can).
#[test]
fn what_fits_no_variable_is_seen_by_shell_code_and_refused_to_programs() {
    let place = place().without_system_path();
    place.script("guard.sh", "case $CRUSH_TOOL_INPUT_COMMAND in *marker*) echo seen >&2; exit 2 ;; esac\n");
    place.script("program.sh", "#!/usr/bin/env tool\nerr allowed\n");
    let guard = "case $CRUSH_TOOL_INPUT_COMMAND in *marker*) echo seen >&2; exit 2 ;; esac";
    let padded = format!("{} marker", "x".repeat(300_000));
    for input in [padded.as_str(), "rm\0 marker", "ls"] {
        let fits = input == "ls";
        let input = json!({"command": input});
        for command in [
            guard,
            "./guard.sh",
            ". ./guard.sh; exit 1",
            "jq -e '.tool_input.command | test(\"marker\") | not' >&2 || exit 2",
        ] {
            for seen in place.verdicts(&[json!({"command": command})], &input) {
                assert_eq!(seen.code == 2, !fits, "{command}: {seen:?}");
                assert!(!seen.text("reason").contains("cannot be given"), "{command}: {seen:?}");
            }
        }
        // Whatever the hook makes of it, also where its last program is not the one.
        for command in ["./program.sh", "tool err x; exit 0", "tool say x | cat >&2; true", "x=$(tool say x) || exit 0"]
        {
            for seen in place.verdicts(&[json!({"command": command})], &input) {
                assert_eq!(seen.code == 2, !fits, "{command}: {seen:?}");
                assert_eq!(seen.text("reason").contains("cannot be given"), !fits, "{command}: {seen:?}");
            }
            let opted_out = json!({"command": command, "require_env": false});
            for seen in place.verdicts(&[opted_out], &input) {
                assert_eq!((seen.code, seen.outcomes()), (0, vec!["NoOpinion"]), "{command}: {seen:?}");
            }
        }
        // A script may drop it before it starts a program.
        for seen in place.verdicts(&[json!({"command": "unset CRUSH_TOOL_INPUT_COMMAND; tool err x"})], &input) {
            assert_eq!(seen.code, 0, "{seen:?}");
        }
    }
}

#[cfg(windows)]
#[test]
fn names_that_windows_has_for_itself_hang_nothing() {
    let place = place();
    for (command, stdout) in [
        // A device, whatever the directory.
        ("echo x >NUL; echo $?; for f in N*; do echo $f; done", "0\nN*\n"),
        ("echo x >nul; cat <NUL; echo $?", "0\n"),
        // Dots and blanks at the end are no part of a name.
        ("echo x >'dots..'; cat dots", "x\n"),
        // Relative to the directory that one is in on that drive.
        ("D=${PWD%%:*}; echo rel >\"$D:rel.txt\"; cat rel.txt; cat \"$D:rel.txt\"", "rel\nrel\n"),
        ("D=${PWD%%:*}; mkdir sub; echo in >sub/f; cd sub; cat \"$D:f\"; cd \"$D:..\"; cat sub/f", "in\nin\n"),
    ] {
        let ran = place.exec(command);
        assert_eq!((ran.code, &*ran.stdout), (Some(0), stdout), "{command}: {ran:?}");
    }
    // What they are depends on the version of Windows: a device, an error, or (from Windows 11 on) a file.
    for name in ["aux.txt", "CON", "COM1", "prn", "a:b", "a?b", "tr. "] {
        let ran = place.exec(&format!("echo x 2>&1 >'{name}'; echo ended"));
        assert!(ran.stdout.ends_with("ended\n"), "{name}: {ran:?}");
    }
}

#[cfg(windows)]
#[test]
fn python_is_told_to_use_utf8_unless_the_user_says_otherwise() {
    let place = place();
    let ran =
        place.exec("tool env PYTHONUTF8; PYTHONUTF8=0 tool env PYTHONUTF8; export PythonUtf8=2; tool env PYTHONUTF8");
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "1\n0\n2\n"), "{ran:?}");
}

#[cfg(windows)]
#[test]
fn a_timeout_kills_three_levels_of_processes() {
    use hookshell_tests::contract::{stopped, ticks};
    let place = place();
    // cmd.exe, the program that it waits for, and that one's own child.
    place.script("b.cmd", "@echo off\r\n\"%~dp0bin\\tool.exe\" spawn-grandchild a b\r\n");
    let seen = place.through_runner(&[json!({"command": "./b.cmd", "timeout": 6})], &json!({}));
    assert_eq!(seen.outcomes(), ["TimedOut"], "{seen:?}");
    for file in ["a", "b"].map(|name| place.file(name)) {
        assert!(ticks(&file) > 0, "{file:?} never began: the test shows nothing");
        assert!(stopped(&file), "{file:?} lives on");
    }
}

#[cfg(windows)]
#[test]
fn links_and_junctions_are_links() {
    if hookshell_test_support::under_wine("its links create nothing") {
        return;
    }
    let place = place();
    std::fs::write(place.file("f"), "in f\n").unwrap();
    std::fs::create_dir(place.file("d")).unwrap();
    // Needs the right to, which CI and developers have.
    std::os::windows::fs::symlink_file("f", place.file("link")).unwrap();
    let made = place.exec(r"cmd /c 'mklink /J junction d'");
    assert_eq!(made.code, Some(0), "{made:?}");
    let ran = place.exec(
        "cat link; for f in f link d junction; do [ -L $f ] && echo $f; done; [ link -ef f ] && [ junction -ef d ] && echo same; \
         echo in >junction/g; cat d/g; rm link; cat f",
    );
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "in f\nlink\njunction\nsame\nin\nin f\n"), "{ran:?}");
}
