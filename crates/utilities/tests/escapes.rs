//! Every escape in every place of the languages that have some: our utilities beside the real ones.
//!
//! The rows are made, not written: `\` and each ASCII character, and the forms with digits, letters and braces after it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use std::path::{Path, PathBuf};

use hookshell_test_support::beside::{Bundled, Outcome, bundled, real};
use hookshell_test_support::{has, oracles, says_version};
use hookshell_utility::UtilitySet;

/// `\` with what follows it.
fn escapes() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = (1..127).map(|byte| vec![b'\\', byte]).collect();
    // Of the codes those of what may be an operator, and some of each other kind.
    let codes =
        (1..=255_u8).filter(|code| code.is_ascii_punctuation() || [1, 9, 13, 48, 65, 97, 128, 169, 255].contains(code));
    for code in codes {
        all.push(format!("\\{code:03o}").into_bytes());
        all.push(format!("\\x{code:02x}").into_bytes());
    }
    for code in [0o44, 0o52, 0o56, 0o101, 0o133, 0o134, 0o136, 0o174] {
        all.push(format!("\\o{code:03o}").into_bytes());
        all.push(format!("\\d{code:03}").into_bytes());
        all.push(format!("\\o{{{code:o}}}").into_bytes());
        all.push(format!("\\x{{{code:x}}}").into_bytes());
        all.push(format!("\\u{code:04x}").into_bytes());
        all.push(format!("\\0{code:o}").into_bytes());
        all.push(format!("\\U{code:08X}").into_bytes());
    }
    all.extend(b"!$*/0?@AZ[]^_`az{|}~".iter().map(|byte| vec![b'\\', b'c', *byte]));
    let more = [
        "\\1b",
        "\\12",
        "\\7z",
        "\\08",
        "\\8",
        "\\400",
        "\\777",
        "\\x",
        "\\xg",
        "\\x4",
        "\\x4g",
        "\\x414",
        "\\x263a",
        "\\x{41",
        "\\x{}",
        "\\x{263a}",
        "\\u41",
        "\\u263a",
        "\\u{41}",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\U0001F600",
        "\\d65",
        "\\d6",
        "\\d256",
        "\\d999",
        "\\o7",
        "\\o101b",
        "\\oz",
        "\\o{",
        "\\c",
        "\\c\\",
        "\\c\\\\",
        "\\N",
        "\\N{U+41}",
        "\\p{L}",
        "\\pL",
        "\\P{Lu}",
        "\\p{^Lu}",
        "\\Qa.b\\E",
        "\\Qa",
        "\\Ea",
        "\\g1",
        "\\g{1}",
        "\\k<n>",
        "\\R",
        "\\K",
        "\\X",
        "\\\\a",
        "\\\\1",
        "\\\\\\",
        "\\\\n",
        "\\é",
        "\\.\\*",
        "\\w\\W",
        "\\[a\\]",
        "\\{1\\}",
        "\\(a\\)",
        "\\<a\\>",
        "\\`a\\'",
    ];
    all.extend(more.iter().map(|text| text.as_bytes().to_vec()));
    all
}

/// Lines that the escapes fit or not: each byte alone, and words.
fn text() -> Vec<u8> {
    let mut text = Vec::new();
    for byte in (1..127).filter(|byte| *byte != b'\n') {
        text.extend([byte, b'\n']);
    }
    text.extend(b"\x80\na\xffb\n\xc3\n");
    text.extend("é\n☺\nA\nab a.b\n a1b\t\\n \\\\\nx[a]y{1}(a)\n\nfoo*\n".as_bytes());
    text
}

/// A command line of which an escape is a part.
type Place = (&'static str, fn(&[u8]) -> Vec<Vec<u8>>);

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

fn words(fixed: &[&str], last: Vec<u8>) -> Vec<Vec<u8>> {
    fixed.iter().map(|word| word.as_bytes().to_vec()).chain([last]).collect()
}

/// Compares all places with all escapes: ours gives what one of the real `programs` does. `excused` says where that need not be.
fn compare(programs: &[&str], places: &[Place], stdin: &[u8], excused: fn(&str, &[u8]) -> bool) {
    compare_in(&UTF8, programs, places, stdin, excused);
}

/// As [`compare`], in this environment.
fn compare_in(env: &Variables, programs: &[&str], places: &[Place], stdin: &[u8], excused: fn(&str, &[u8]) -> bool) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a"), "").unwrap();
    let utilities = hookshell_utilities::standard();
    let (mut wrong, mut refused, mut rows) = (Vec::new(), Vec::new(), 0);
    for (name, place) in places {
        let mut ours = Vec::new();
        for escape in escapes().into_iter().filter(|escape| !excused(name, escape)) {
            let line = place(&escape);
            rows += 1;
            match bundled(utilities.utility(&line[0]).unwrap(), &line, directory.path(), stdin, env) {
                Bundled::Ran(outcome) => ours.push((escape, line, outcome, false)),
                // Where awks differ, the installed one goes before ours.
                Bundled::Yields(_) if line[0] == b"awk" => {}
                // What is wrong is said by the real one, in its words.
                Bundled::Yields(outcome) => ours.push((escape, line, outcome, true)),
                Bundled::Refuses => refused.push(format!("{name} {}", escape.escape_ascii())),
            }
        }
        let lines: Vec<_> = ours.iter().map(|(_, line, _, _)| &line[..]).collect();
        let expected: Vec<_> =
            programs.iter().map(|program| all_of_real(Some(program), &lines, directory.path(), stdin, env)).collect();
        for (row, (escape, _, mine, is_real_ones)) in ours.iter().enumerate() {
            let mut differences = Vec::new();
            for expected in expected.iter().map(|rows| &rows[row]) {
                let same = expected.status == mine.status && expected.stdout == mine.stdout;
                // The quotes of messages depend on the locale.
                if same && (*is_real_ones || mine.readable() == expected.readable()) {
                    differences.clear();
                    break;
                }
                differences.push(difference(name, escape, expected, mine));
            }
            wrong.extend(differences);
        }
    }
    println!("{programs:?}: {rows} rows");
    assert!(
        refused.is_empty() && wrong.is_empty(),
        "{} refused: {refused:?}\n{} differ:\n{}",
        refused.len(),
        wrong.len(),
        wrong.join("\n")
    );
}

/// The real program's outcome of each line, all by one shell: starting the programs from here takes three times as long. `program`
/// stands for the first word of each line.
fn all_of_real(
    program: Option<&str>,
    lines: &[&[Vec<u8>]],
    directory: &Path,
    stdin: &[u8],
    env: &Variables,
) -> Vec<Outcome> {
    /// What no program writes: after the output of each, and around its status.
    const MARK: &str = "\u{1e}end of a row\u{1e}";
    let beside = tempfile::tempdir().unwrap();
    std::fs::write(beside.path().join("in"), stdin).unwrap();
    let mut script = Vec::new();
    for line in lines {
        for (index, word) in line.iter().enumerate() {
            let word = program.filter(|_| index == 0).map_or(&word[..], str::as_bytes);
            script.push(b'\'');
            for byte in word {
                match byte {
                    b'\'' => script.extend_from_slice(b"'\\''"),
                    byte => script.push(*byte),
                }
            }
            script.extend_from_slice(b"' ");
        }
        script.extend_from_slice(b"< \"$0.in\"; printf '%s%s%s\\n' \"$1\" $? \"$1\"; echo \"$1\" >&2\n");
    }
    let file = beside.path().join("rows");
    std::fs::write(&file, script).unwrap();
    std::fs::rename(beside.path().join("in"), beside.path().join("rows.in")).unwrap();
    let words = [&b"sh"[..], file.as_os_str().as_encoded_bytes(), MARK.as_bytes()];
    let ran = real(&words, directory, b"", env);
    let parts = |text: &[u8]| -> Vec<Vec<u8>> {
        let end = [MARK.as_bytes(), b"\n"].concat();
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some(at) = memchr::memmem::find(rest, &end) {
            parts.push(rest[..at].to_vec());
            rest = &rest[at + end.len()..];
        }
        parts
    };
    let (stdout, stderr) = (parts(&ran.stdout), parts(&ran.stderr));
    assert_eq!((stdout.len(), stderr.len()), (lines.len(), lines.len()), "{}", String::from_utf8_lossy(&ran.stderr));
    let outcome = |(mut stdout, stderr): (Vec<u8>, Vec<u8>)| {
        let at = memchr::memmem::rfind(&stdout, MARK.as_bytes()).unwrap();
        let status = String::from_utf8(stdout.split_off(at)).unwrap();
        Outcome { status: status[MARK.len()..].parse().unwrap(), stdout, stderr }
    };
    stdout.into_iter().zip(stderr).map(outcome).collect()
}

fn stat(option: &str, format: Vec<u8>) -> Vec<Vec<u8>> {
    words(&["stat", option], format).into_iter().chain([b"a".to_vec()]).collect()
}

fn difference(name: &str, escape: &[u8], real: &Outcome, ours: &Outcome) -> String {
    // From the first difference on.
    let same = real.stdout.iter().zip(&ours.stdout).take_while(|(a, b)| a == b).count();
    let show = |outcome: &Outcome| {
        let rest = &outcome.stdout[same.saturating_sub(8)..];
        let cut = |bytes: &[u8]| bytes[..bytes.len().min(80)].escape_ascii().to_string();
        format!("{} …{} {}", outcome.status, cut(rest), cut(&outcome.stderr))
    };
    format!("{name}\t{}\n\treal {}\n\tours {}", escape.escape_ascii(), show(real), show(ours))
}

/// One variable of the environment.
type Variables = [(&'static str, &'static str); 1];

const UTF8: Variables = [("LC_ALL", "C.UTF-8")];
const C: Variables = [("LC_ALL", "C")];

#[test]
fn escapes_of_grep() {
    let places: [Place; 7] = [
        ("-G", |escape| words(&["grep", "-n", "-o", "-e"], escape.to_vec())),
        ("-E", |escape| words(&["grep", "-n", "-o", "-E", "-e"], escape.to_vec())),
        ("-G a", |escape| words(&["grep", "-n", "-o", "-e"], join(&[b"\\(a*\\)", escape, b"*"]))),
        ("-E a", |escape| words(&["grep", "-n", "-o", "-E", "-e"], join(&[b"(a*)", escape, b"?"]))),
        ("-E []", |escape| words(&["grep", "-n", "-o", "-E", "-e"], join(&[b"[", escape, b"b]"]))),
        ("-F", |escape| words(&["grep", "-n", "-o", "-F", "-e"], escape.to_vec())),
        ("-w", |escape| words(&["grep", "-n", "-w", "-e"], escape.to_vec())),
    ];
    // `\'*` and `^?` mean one thing to GNU's first matcher and another one to its second.
    let excused = |place: &str, escape: &[u8]| match place {
        "-G a" => escape.ends_with(b"\\'"),
        "-E a" => escape == b"\\c^",
        _ => false,
    };
    if says_version("grep", "grep (GNU grep) 3.") {
        compare(&["grep"], &places, &text(), excused);
    }
}

#[test]
fn escapes_of_perls_grep() {
    let places: [Place; 4] = [
        ("-P", |escape| words(&["grep", "-n", "-o", "-P", "-e"], escape.to_vec())),
        ("-P a", |escape| words(&["grep", "-n", "-o", "-P", "-e"], join(&[b"(a*)", escape, b"?"]))),
        ("-P []", |escape| words(&["grep", "-n", "-o", "-P", "-e"], join(&[b"[", escape, b"b]"]))),
        ("-P [-z]", |escape| words(&["grep", "-n", "-o", "-P", "-e"], join(&[b"[", escape, b"-z]"]))),
    ];
    // What docs/refusals.md says: bytes, the last match's end, what Unicode takes for one character, `\K` that may be repeated; and codes
    // that depend on the number of groups.
    let excused = |place: &str, escape: &[u8]| match place {
        // `\pb`: which properties there are is PCRE's to say.
        "-P []" => [&b"\\p"[..], b"\\P"].contains(&escape),
        "-P [-z]" => false,
        _ => [&b"\\C"[..], b"\\G", b"\\X", b"\\12", b"\\c\\"].contains(&escape),
    };
    if says_version("grep", "grep (GNU grep) 3.") {
        compare(&["grep"], &places, &text(), excused);
    }
}

/// The same with the options that change what an expression fits.
#[test]
fn escapes_of_perls_grep_with_options() {
    fn line(option: &str, pattern: Vec<u8>) -> Vec<Vec<u8>> {
        words(&["grep", "-n", "-a", option, "-P", "-e"], pattern)
    }
    let places: [Place; 15] = [
        ("-i", |escape| line("-io", escape.to_vec())),
        ("-i a", |escape| line("-io", join(&[b"B?", escape]))),
        ("-i []", |escape| line("-io", join(&[b"[", escape, b"B]"]))),
        ("-i [^]", |escape| line("-io", join(&[b"[^", escape, b"B]"]))),
        ("-w", |escape| line("-w", escape.to_vec())),
        ("-wo", |escape| line("-wo", join(&[escape, b"?"]))),
        ("-w []", |escape| line("-wo", join(&[b"[", escape, b"b]+"]))),
        ("-x", |escape| line("-x", escape.to_vec())),
        ("-x +", |escape| line("-x", join(&[escape, b"+"]))),
        ("-x []", |escape| line("-x", join(&[b"[", escape, b"]"]))),
        ("-v", |escape| line("-vc", escape.to_vec())),
        ("-z", |escape| line("-zo", escape.to_vec())),
        ("-z []", |escape| line("-zo", join(&[b"[", escape, b"b]+"]))),
        ("-z ^", |escape| line("-zo", join(&[b"^", escape, b"$"]))),
        ("-z (?m)", |escape| line("-zo", join(&[b"(?ms)^.?", escape, b"$"]))),
    ];
    if says_version("grep", "grep (GNU grep) 3.") {
        let excused = |place: &str, escape: &[u8]| {
            place.ends_with("[]") && [&b"\\p"[..], b"\\P"].contains(&escape)
                // Compiled by PCRE's JIT, a class with the Kelvin sign reads beyond the end of a line whose last character is broken.
                || place == "-i [^]" && escape == b"\\x4"
                || [&b"\\C"[..], b"\\G", b"\\X", b"\\12", b"\\c\\"].contains(&escape)
        };
        compare(&["grep"], &places, &text(), excused);
        compare_in(&C, &["grep"], &places, &text(), excused);
    }
}

#[test]
fn escapes_of_sed() {
    let places: [Place; 17] = [
        ("--posix s", |escape| words(&["sed", "--posix", "-n"], join(&[b"s/", escape, b"/Q/gp"]))),
        ("--posix -E s", |escape| words(&["sed", "--posix", "-E", "-n"], join(&[b"s/", escape, b"/Q/gp"]))),
        ("--posix s []", |escape| words(&["sed", "--posix", "-n"], join(&[b"s/[", escape, b"b]/Q/gp"]))),
        ("--posix s x", |escape| words(&["sed", "--posix", "-n"], join(&[b"s/b*", escape, b"*/Q/gp"]))),
        ("--posix replacement", |escape| words(&["sed", "--posix", "-n"], join(&[b"s/\\(a\\)b/<", escape, b"y>/gp"]))),
        ("s", |escape| words(&["sed", "-n"], join(&[b"s/", escape, b"/Q/gp"]))),
        ("-E s", |escape| words(&["sed", "-E", "-n"], join(&[b"s/", escape, b"/Q/gp"]))),
        ("s []", |escape| words(&["sed", "-n"], join(&[b"s/[", escape, b"b]/Q/gp"]))),
        ("-E s a", |escape| words(&["sed", "-E", "-n"], join(&[b"s/(a*)", escape, b"?/Q/gp"]))),
        ("s x", |escape| words(&["sed", "-n"], join(&[b"s/b*", escape, b"*/Q/gp"]))),
        ("replacement", |escape| words(&["sed", "-n"], join(&[b"s/\\(a\\)b/<", escape, b"y>/gp"]))),
        ("y", |escape| words(&["sed", "-n"], join(&[b"y/", escape, b"/Q/;p"]))),
        ("y to", |escape| words(&["sed", "-n"], join(&[b"y/a/", escape, b"/;p"]))),
        ("address", |escape| words(&["sed", "-n"], join(&[b"/", escape, b"/="]))),
        ("a", |escape| words(&["sed", "1!d;a"], join(&[escape, b"x"]))),
        ("a text", |escape| words(&["sed"], join(&[b"1!d;i x", escape, b"y"]))),
        ("delimiter", |escape| words(&["sed", "-n"], join(&[escape, b"a", &escape[1..2], b"="]))),
    ];
    // GNU's `y` takes the first byte of a character that it knows for that character.
    let excused = |place: &str, escape: &[u8]| escape == "\\é".as_bytes() && matches!(place, "y" | "delimiter");
    if says_version("sed", "sed (GNU sed) 4.") {
        compare(&["sed"], &places, &text(), excused);
    }
}

/// `s` and `y` with each character as their delimiter: plain, escaped in each part, and in brackets.
#[test]
fn delimiters_of_sed() {
    let forms: &[&[&str]] = &[
        &["s%a%Q%gp"],
        &["s%%Q%gp"],
        &["s%a\\%b%Q%gp"],
        &["s%\\%%Q%gp"],
        &["s%\\%*%Q%gp"],
        &["s%x\\%%Q%gp"],
        &["s%[\\%]%Q%gp"],
        &["s%[^\\%a]%Q%gp"],
        &["s%[%]%Q%gp"],
        &["s%\\(a\\)%<\\%>%gp"],
        &["s%\\(a\\)%\\1\\%\\1&%gp"],
        &["s%a%&\\&%gp"],
        &["s%a%\\n\\t%gp"],
        &["s%\\n%Q%gp"],
        &["y%a%b%;p"],
        &["y%a\\%%bc%;p"],
        &["y%ab%c\\%%;p"],
        &["y%\\\\a%bc%;p"],
        &["\\%a%p"],
        &["\\%\\%%p"],
        &["\\%a\\%*%p"],
        &["\\%[\\%]%p"],
        &["-E", "s%a\\%b%Q%gp"],
        &["-E", "s%\\%%Q%gp"],
        &["-E", "s%(a)\\%?%<\\1>%gp"],
        &["-E", "s%[\\%]%Q%gp"],
    ];
    if !says_version("sed", "sed (GNU sed) 4.") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let utilities = hookshell_utilities::standard();
    let (mut wrong, mut rows) = (Vec::new(), 0);
    let delimiters =
        (1..=127_u8).filter(|byte| !byte.is_ascii_alphanumeric() || b"019abcdnopqstwxyBSTW".contains(byte));
    for byte in delimiters {
        let line = |form: &&[&str]| -> Vec<Vec<u8>> {
            let own = form.iter().map(|word| word.replace('%', &char::from(byte).to_string()).into_bytes());
            [b"sed".to_vec(), b"-n".to_vec()].into_iter().chain(own).collect()
        };
        let lines: Vec<_> = forms.iter().map(line).collect();
        let expected = all_of_real(
            None,
            &lines.iter().map(|line| &line[..]).collect::<Vec<_>>(),
            directory.path(),
            &text(),
            &UTF8,
        );
        for ((form, line), expected) in forms.iter().zip(&lines).zip(&expected) {
            rows += 1;
            let (Bundled::Ran(mine) | Bundled::Yields(mine)) =
                bundled(utilities.utility(&line[0]).unwrap(), line, directory.path(), &text(), &UTF8)
            else {
                wrong.push(format!("{form:?}\t{}: refused", byte.escape_ascii()));
                continue;
            };
            if (mine.status, &mine.stdout) != (expected.status, &expected.stdout) {
                wrong.push(difference(&form.join(" "), &[byte], expected, &mine));
            }
        }
    }
    println!("{rows} rows");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn escapes_of_tr_printf_find_and_date() {
    let places: [Place; 5] = [
        ("tr", |escape| words(&["tr", "--"], escape.to_vec()).into_iter().chain([b"Q".to_vec()]).collect()),
        ("tr -d", |escape| words(&["tr", "-d", "--"], escape.to_vec())),
        ("tr -d range", |escape| words(&["tr", "-d", "--"], join(&[escape, b"-z"]))),
        ("tr to", |escape| words(&["tr", "--", "a"], escape.to_vec())),
        ("tr -s", |escape| words(&["tr", "-s", "--"], join(&[b"b", escape]))),
    ];
    let finds: [Place; 2] = [
        ("find -printf", |escape| words(&["find", "a", "-printf"], join(&[b"<", escape, b"y>\\n"]))),
        ("find -printf %", |escape| words(&["find", "a", "-printf"], join(&[b"<%", escape, b"y>\\n"]))),
    ];
    let dates: [Place; 1] = [("date", |escape| words(&["date", "-u", "-d@0"], join(&[b"+<", escape, b"y>"])))];
    let stats: [Place; 2] = [
        ("stat --printf", |escape| stat("--printf", join(&[b"<", escape, b"y>"]))),
        ("stat -c", |escape| stat("-c", join(&[b"<", escape, b"y>%%>"]))),
    ];
    if hookshell_test_support::is_gnu("tr") {
        compare(&["stat"], &stats, b"", |_, _| false);
        compare(&["tr"], &places, &text(), |_, _| false);
        compare(&["date"], &dates, b"", |_, _| false);
    }
    if has("find") {
        compare(&["find"], &finds, b"", |_, _| false);
    }
}

#[test]
fn escapes_of_jq() {
    let places: [Place; 5] = [
        ("string", |escape| words(&["jq", "-nc"], join(&[b"\"a", escape, b"b\""]))),
        ("test", |escape| {
            words(&["jq", "-Rc"], join(&[b"[match(\"", &doubled(escape), b"\"; \"g\") | .offset, .length]"]))
        }),
        ("class", |escape| {
            words(&["jq", "-Rc"], join(&[b"[match(\"[", &doubled(escape), b"b]\"; \"g\") | .offset, .length]"]))
        }),
        ("quantified", |escape| {
            words(&["jq", "-Rc"], join(&[b"[match(\"(a*)", &doubled(escape), b"?\"; \"g\") | .offset, .length]"]))
        }),
        ("json", |escape| words(&["jq", "-nc", "$x | fromjson", "--arg", "x"], join(&[b"[\"a", escape, b"\"]"]))),
    ];
    let (Some(jq), Some(newest)) = (oracles::jq(oracles::JQ), oracles::jq(oracles::NEWEST_JQ)) else { return };
    // What docs/refusals.md says: the edges of what Unicode takes for a character, the last match's end, bytes that are not characters.
    let excused = |place: &str, escape: &[u8]| {
        let is_regex = ["test", "class", "quantified"].contains(&place);
        let bytes: &[&[u8]] =
            &[b"\\200", b"\\x80", b"\\251", b"\\xa9", b"\\377", b"\\xff", b"\\777", b"\\x{}", b"\\o{", b"\\c\\"];
        is_regex
            && (bytes.contains(&escape) || place != "class" && matches!(escape, [b'\\', b'G' | b'X' | b'Y' | b'y']))
    };
    // Both continue by bytes from an empty match, so that they find it again within a character of several.
    let text: Vec<u8> = text().into_iter().filter(u8::is_ascii).collect();
    compare(&[jq.to_str().unwrap(), newest.to_str().unwrap()], &places, &text, excused);
}

/// The expression as a string of jq's.
fn doubled(escape: &[u8]) -> Vec<u8> {
    escape.iter().flat_map(|byte| if matches!(byte, b'\\' | b'"') { vec![b'\\', *byte] } else { vec![*byte] }).collect()
}

/// What awks agree on, and where they do not: gawk's way (its operators, and letters that others keep the backslash of).
#[test]
fn escapes_of_awk() {
    const SUBJECT: &str = "{ s = $0; n = gsub(";
    let places: [Place; 25] = [
        ("string", |escape| words(&["awk"], join(&[b"BEGIN { print \"<", escape, b"y>\" }"]))),
        ("regex", |escape| words(&["awk"], join(&[SUBJECT.as_bytes(), b"/", escape, b"/, \"Q\", s); print n, s }"]))),
        ("regex x", |escape| {
            words(&["awk"], join(&[SUBJECT.as_bytes(), b"/b*", escape, b"/, \"Q\", s); print n, s }"]))
        }),
        ("class", |escape| {
            words(&["awk"], join(&[SUBJECT.as_bytes(), b"/[", escape, b"b]/, \"Q\", s); print n, s }"]))
        }),
        ("dynamic", |escape| {
            words(&["awk"], join(&[SUBJECT.as_bytes(), b"\"", &doubled(escape), b"\", \"Q\", s); print n, s }"]))
        }),
        ("replacement", |escape| {
            words(&["awk"], join(&[SUBJECT.as_bytes(), b"/a/, \"<", escape, b">\", s); print n, s }"]))
        }),
        ("replacement \\\\", |escape| {
            words(&["awk"], join(&[SUBJECT.as_bytes(), b"/a/, \"<", &doubled(escape), b">\", s); print n, s }"]))
        }),
        ("-v", |escape| {
            let mut line = words(&["awk", "-v"], join(&[b"x=<", escape, b"y>"]));
            line.push(b"BEGIN { print x }".to_vec());
            line
        }),
        ("-F", |escape| {
            let mut line = words(&["awk", "-F"], escape.to_vec());
            line.push(b"{ print NF, $1 }".to_vec());
            line
        }),
        ("operand", |escape| {
            let mut line = words(&["awk", "END { print x }"], join(&[b"x=<", escape, b"y>"]));
            line.push(b"-".to_vec());
            line.push(b"y=1".to_vec());
            line
        }),
        ("[^]", |escape| words(&["awk"], join(&[SUBJECT.as_bytes(), b"/[^", escape, b"b]/, \"Q\", s); print n, s }"]))),
        ("range", |escape| {
            words(&["awk"], join(&[SUBJECT.as_bytes(), b"/[", escape, b"-z]/, \"Q\", s); print n, s }"]))
        }),
        ("group", |escape| {
            words(&["awk"], join(&[SUBJECT.as_bytes(), b"/^(a|", escape, b")+$/, \"Q\", s); print n, s }"]))
        }),
        ("dynamic once", |escape| {
            words(&["awk"], join(&[SUBJECT.as_bytes(), b"\"", escape, b"\", \"Q\", s); print n, s }"]))
        }),
        ("dynamic class", |escape| {
            words(&["awk"], join(&[SUBJECT.as_bytes(), b"\"[", &doubled(escape), b"b]\", \"Q\", s); print n, s }"]))
        }),
        ("~", |escape| words(&["awk"], join(&[b"$0 ~ \"^", &doubled(escape), b"$\""]))),
        ("pattern", |escape| words(&["awk"], join(&[b"!/", escape, b"/"]))),
        ("split", |escape| {
            words(&["awk"], join(&[b"{ n = split($0, a, \"", &doubled(escape), b"\"); print n, a[1] }"]))
        }),
        ("split //", |escape| words(&["awk"], join(&[b"{ n = split($0, a, /", escape, b"/); print n, a[1] }"]))),
        ("match", |escape| words(&["awk"], join(&[b"{ print match($0, /b?", escape, b"/), RSTART, RLENGTH }"]))),
        ("printf", |escape| words(&["awk"], join(&[b"BEGIN { printf \"<", escape, b"%dy>\\n\", 1 }"]))),
        ("printf arg", |escape| words(&["awk"], join(&[b"BEGIN { printf \"%s|%5s\\n\", \"", escape, b"\", 1 }"]))),
        ("index", |escape| words(&["awk"], join(&[b"{ print index($0, \"", escape, b"\") }"]))),
        ("RS", |escape| words(&["awk"], join(&[b"BEGIN { RS = \"", escape, b"\" } { print NR \":\" $0 }"]))),
        ("OFS", |escape| words(&["awk"], join(&[b"BEGIN { OFS = \"", escape, b"\" } { $1 = $1; print }"]))),
    ];
    // What gawk does and mawk does not: it takes the backslash off, knows `{1}` and NUL, lets `|` stand at the end, and reads `\\` in a
    // replacement as POSIX has it.
    let gawks = |place: &str, escape: &[u8]| {
        let strings =
            ["string", "replacement", "-v", "operand", "printf", "printf arg", "index", "OFS"].contains(&place);
        strings && escape == b"\\/"
            || place.starts_with("replacement ") && escape.windows(2).any(|pair| pair == b"\\\\")
            || place.starts_with('-') && escape == b"\\\n"
            || [&b"\\c|"[..], b"\\g{1}", b"\\0", b"\\08", b"\\400", b"\\x{}", b"\\c["].contains(&escape)
    };
    // mawk knows no characters of several bytes.
    let text: Vec<u8> = text().into_iter().filter(u8::is_ascii).collect();
    if has("mawk") {
        compare(&["mawk"], &places, &text, gawks);
    }
    let awks = ["gawk", "mawk", "original-awk"].map(hookshell_test_support::find);
    if let [Some(gawk), Some(mawk), Some(bwk)] = awks {
        compare_with_most(&[gawk, mawk, bwk], &places, &text);
    }
}

/// As [`compare`]: ours gives what most of the awks do, and where all differ what one of them does.
fn compare_with_most(awks: &[PathBuf; 3], places: &[Place], stdin: &[u8]) {
    let directory = tempfile::tempdir().unwrap();
    let utilities = hookshell_utilities::standard();
    let (mut wrong, mut rows) = (Vec::new(), 0);
    for (name, place) in places {
        let all = escapes().into_iter().map(|escape| (place(&escape), escape));
        let ours: Vec<_> = all
            .filter_map(|(line, escape)| {
                match bundled(utilities.utility(&line[0]).unwrap(), &line, directory.path(), stdin, &UTF8) {
                    Bundled::Ran(outcome) => Some((escape, line, outcome)),
                    Bundled::Yields(_) | Bundled::Refuses => None,
                }
            })
            .collect();
        let lines: Vec<_> = ours.iter().map(|(_, line, _)| &line[..]).collect();
        let real = awks.each_ref().map(|awk| all_of_real(awk.to_str(), &lines, directory.path(), stdin, &UTF8));
        for (row, (escape, _, mine)) in ours.iter().enumerate() {
            rows += 1;
            let real = real.each_ref().map(|outcomes| &outcomes[row]);
            let votes = |outcome: &Outcome| real.iter().filter(|other| is_same(other, outcome)).count();
            let most = real.iter().map(|outcome| votes(outcome)).max().unwrap_or(0);
            if votes(mine) < most {
                let shown = real.iter().map(|outcome| difference(name, escape, outcome, mine));
                wrong.push(shown.collect::<Vec<_>>().join("\n"));
            }
        }
    }
    println!("{rows} rows");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Messages apart, of which each awk has its own.
fn is_same(one: &Outcome, other: &Outcome) -> bool {
    (one.status, &one.stdout) == (other.status, &other.stdout)
}
