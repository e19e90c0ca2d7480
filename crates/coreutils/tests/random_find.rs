//! Random expressions on random trees: the bundled `find` beside the real one.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use std::fs;
use std::path::Path;

use hookshell_test_support::beside::{ours, real};
use hookshell_test_support::{Random, is_gnu};

fn tree(random: &mut Random, directory: &Path, depth: usize) {
    for index in 0..random.below(5) {
        let name = format!("{}{index}", random.pick(&["a", "b.txt", ".h", "x y", "é", "C", "d-"]));
        let path = directory.join(&name);
        match random.below(6) {
            0 | 1 if depth > 0 => {
                fs::create_dir(&path).unwrap();
                tree(random, &path, depth - 1);
            }
            2 => {
                let target = *random.pick(&["a0", "nowhere", ".", "..", "b.txt1"]);
                std::os::unix::fs::symlink(target, &path).unwrap();
            }
            _ => {
                fs::write(&path, "x".repeat(random.below(3) * random.below(700))).unwrap();
                let mode = *random.pick(&[0o644, 0o755, 0o600, 0o4711]);
                fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
                let ages = [30_u64, 3000, 90_000, 300_000];
                let then = std::time::SystemTime::now() - std::time::Duration::from_secs(*random.pick(&ages));
                fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
            }
        }
    }
}

fn test(random: &mut Random) -> String {
    const TESTS: &[&str] = &[
        "-name\t*a*",
        "-name\t?0",
        "-iname\tc*",
        "-name\t.*",
        "-name\t[a-c]*",
        "-path\t*/*/*",
        "-path\t./a*",
        "-type\tf",
        "-type\td",
        "-type\tl",
        "-type\tf,l",
        "-xtype\tl",
        "-xtype\td",
        "-size\t0",
        "-size\t+1",
        "-size\t-2",
        "-size\t+400c",
        "-size\t1k",
        "-empty",
        "-perm\t644",
        "-perm\t-100",
        "-perm\t/111",
        "-perm\tu=rw,go=r",
        "-mtime\t0",
        "-mtime\t+0",
        "-mtime\t-2",
        "-mmin\t+10",
        "-mmin\t-10",
        "-links\t1",
        "-lname\t*o*",
        "-newer\tstamp",
        "-newermt\t1 day ago",
        "-true",
        "-false",
        "-prune",
        "-readable",
        "-executable",
        "-print",
        "-printf\t%p %y %Y %d %f %h %m %s %l\\n",
        "-printf\t[%-8f|%5s]\\n",
        "-print0",
        "-exec\techo\tx{}\t;",
        "-exec\ttest\t-f\t{}\t;",
        "-quit",
    ];
    (*random.pick(TESTS)).to_owned()
}

fn expression(random: &mut Random, depth: usize, words: &mut Vec<String>) {
    match random.below(if depth == 0 { 1 } else { 7 }) {
        1 => {
            words.push("!".to_owned());
            expression(random, depth - 1, words);
        }
        2 | 3 => {
            words.push("(".to_owned());
            expression(random, depth - 1, words);
            words.push((*random.pick(&["-o", "-a", ",", "-o"])).to_owned());
            expression(random, depth - 1, words);
            words.push(")".to_owned());
        }
        4 => {
            expression(random, depth - 1, words);
            expression(random, depth - 1, words);
        }
        5 => {
            expression(random, depth - 1, words);
            words.push("-o".to_owned());
            expression(random, depth - 1, words);
        }
        _ => words.extend(test(random).split('\t').map(str::to_owned)),
    }
}

#[test]
fn random_expressions_give_the_same() {
    if !is_gnu("find") {
        return;
    }
    let utilities = hookshell_coreutils::all(|_| false);
    let utility = utilities.iter().find(|utility| utility.name() == "find").unwrap();
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let outer = tempfile::tempdir().unwrap();
        // A link to `..` leads no further than to the directory of this test.
        let directory = outer.path().join("work");
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("stamp"), "").unwrap();
        tree(&mut random, &directory, 3);
        for _ in 0..3 {
            let mut words = vec!["find".to_owned()];
            words.extend(random.chance(4).then(|| (*random.pick(&["-L", "-H", "-P"])).to_owned()));
            words.extend(random.chance(3).then(|| (*random.pick(&[".", "a0", "nosuch", "./"])).to_owned()));
            for (chance, option) in [(5, "-depth"), (6, "-maxdepth\t2"), (6, "-mindepth\t1"), (9, "-xdev")] {
                if random.chance(chance) {
                    words.extend(option.split('\t').map(str::to_owned));
                }
            }
            expression(&mut random, 3, &mut words);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let ours = ours(&**utility, &words, &directory, b"", &[]);
            let Some(ours) = ours else { continue };
            let theirs = real(&words, &directory, b"", &[]);
            assert_eq!(ours.readable(), theirs.readable(), "seed {seed}: {words:?}");
        }
    }
}
