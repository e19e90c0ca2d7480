use super::*;

fn words(line: &str) -> Vec<&[u8]> {
    line.split('|').filter(|word| !word.is_empty()).map(str::as_bytes).collect()
}

fn parse(line: &str) -> Result<CommandLine, CommandLineError> {
    CommandLine::parse(b"bash", &words(line), Grammar::Shell)
}

/// Words, and what they come to: settings, where the commands come from, and arguments.
type Case<'a> = (&'a str, &'a [(Opt, bool)], Input, &'a [&'a str]);

#[test]
fn a_shells_command_line_is_read_as_the_shell_does() {
    let file = |name: &str| Input::File(name.into());
    let command = |text: &str, name: Option<&str>| Input::Command { text: text.into(), name: name.map(Into::into) };
    let cases: &[Case<'_>] = &[
        ("a.sh", &[], file("a.sh"), &[]),
        ("a.sh|-x|y", &[], file("a.sh"), &["-x", "y"]),
        ("-e|a.sh", &[(Opt::Errexit, true)], file("a.sh"), &[]),
        (
            "-eu|-o|pipefail|a.sh|1",
            &[(Opt::Errexit, true), (Opt::Nounset, true), (Opt::Pipefail, true)],
            file("a.sh"),
            &["1"],
        ),
        ("+e|--|-a.sh", &[(Opt::Errexit, false)], file("-a.sh"), &[]),
        ("-|-a.sh", &[], file("-a.sh"), &[]),
        ("+|a.sh", &[], file("a.sh"), &[]),
        ("-c|echo hi", &[], command("echo hi", None), &[]),
        ("+c|echo hi", &[], command("echo hi", None), &[]),
        ("-c|echo $1|me|x", &[], command("echo $1", Some("me")), &["x"]),
        ("-c|--|echo|me", &[], command("echo", Some("me")), &[]),
        ("-c|echo|--|x", &[], command("echo", Some("--")), &["x"]),
        ("-ec|false; echo", &[(Opt::Errexit, true)], command("false; echo", None), &[]),
        ("-c|-x|true", &[(Opt::Xtrace, true)], command("true", None), &[]),
        ("-sc|true|me", &[], command("true", Some("me")), &[]),
        ("-oc|pipefail|true", &[(Opt::Pipefail, true)], command("true", None), &[]),
        ("-oO|posix|extglob|a.sh", &[(Opt::Posix, true), (Opt::Extglob, true)], file("a.sh"), &[]),
        ("--norc|-e", &[(Opt::Errexit, true)], Input::Stdin, &[]),
        ("--rcfile|-c|--init-file|x|a.sh", &[], file("a.sh"), &[]),
        ("-rcfile|x|-norc|-c|true", &[], command("true", None), &[]),
        // After letters the hyphen is that of letters.
        (
            "-e|-posix|pipefail|a",
            &[
                (Opt::Errexit, true),
                (Opt::Privileged, true),
                (Opt::Pipefail, true),
                (Opt::Interactive, true),
                (Opt::Xtrace, true),
            ],
            Input::Stdin,
            &["a"],
        ),
        ("-s|a|b", &[], Input::Stdin, &["a", "b"]),
        ("-lc|echo hi", &[(Opt::LoginShell, true)], command("echo hi", None), &[]),
        ("--login|--posix|a.sh|b", &[(Opt::LoginShell, true), (Opt::Posix, true)], file("a.sh"), &["b"]),
        ("-i", &[(Opt::Interactive, true)], Input::Stdin, &[]),
        ("+O|expand_aliases|-i", &[(Opt::ExpandAliases, false), (Opt::Interactive, true)], Input::Stdin, &[]),
        ("", &[], Input::Stdin, &[]),
        ("--version|-Z", &[], Input::Print(VERSION), &[]),
        ("--help", &[], Input::Print(HELP), &[]),
    ];
    for (line, settings, input, args) in cases {
        let read = parse(line).unwrap();
        // All are called `bash`; what only prints runs nothing.
        let is_interactive = settings.contains(&(Opt::Interactive, true));
        let reads_bash_env = !is_interactive && !matches!(input, Input::Print(_));
        let aliases = is_interactive.then_some((Opt::ExpandAliases, true));
        let settings = aliases.into_iter().chain(settings.iter().copied()).collect();
        let setup = Setup { settings, reads_bash_env, ..Setup::default() };
        assert_eq!(read.setup, setup, "{line}");
        assert_eq!(read.input, *input, "{line}");
        let args: Vec<Vec<u8>> = args.iter().map(|arg| arg.as_bytes().to_vec()).collect();
        assert_eq!(read.args, args, "{line}");
    }
}

#[test]
fn a_command_line_that_is_not_taken_says_why() {
    for (line, message) in [
        ("-Z|-c|true", "-Z: invalid option"),
        ("-eZ|a.sh", "-Z: invalid option"),
        ("+Z", "+Z: invalid option"),
        ("--frob", "--frob: invalid option"),
        ("--rcfile=x", "--rcfile=x: invalid option"),
        ("--limit|threads=1", "--limit: invalid option"),
        ("--rcfile", "--rcfile: option requires an argument"),
        ("-c", "-c: option requires an argument"),
        ("-c|--", "-c: option requires an argument"),
        ("-o", "-o: option requires an argument"),
        ("+O", "+O: option requires an argument"),
        ("-o|x;y|a", "x;y: invalid option name"),
        ("-o|extglob|a", "extglob: invalid option name"),
        ("-O|posix|a", "posix: invalid shell option name"),
        ("-D|a", "-D: not supported: strings for translation are not listed"),
        ("--debugger|a", "--debugger: not supported: there is no debugger"),
        ("-r|+r|a", "+r: invalid option"),
    ] {
        assert_eq!(parse(line).unwrap_err().to_string(), message, "{line}");
    }
}

#[test]
fn a_restricted_shell_is_asked_for_by_an_option_or_by_the_name() {
    for (name, line, expected) in [
        ("bash", "-r|a.sh", true),
        ("bash", "-er|a.sh", true),
        ("bash", "--restricted|a.sh", true),
        ("bash", "-restricted|a.sh", true),
        ("rbash", "a.sh", true),
        ("-rbash", "a.sh", true),
        ("rbash", "+r|a.sh", true),
        ("bash", "+r|a.sh", false),
        ("bash", "-O|restricted_shell|a.sh", false),
    ] {
        let line = CommandLine::parse(name.as_bytes(), &words(line), Grammar::Shell).unwrap();
        assert_eq!(line.setup.is_restricted(), expected, "{name} {line:?}");
    }
}

#[test]
fn hookshells_own_options_stand_anywhere_before_the_operands() {
    let line = CommandLine::parse(
        b"sh",
        &words("-e|--limit|threads=1|--utilities=off|--posix|-c|echo|--limit"),
        Grammar::Hookshell,
    )
    .unwrap();
    assert_eq!(line.own, [(OwnOption::Limit, b"threads=1".to_vec()), (OwnOption::Utilities, b"off".to_vec())]);
    assert_eq!(line.dialect, Dialect::Posix);
    assert_eq!(line.input, Input::Command { text: b"echo".to_vec(), name: Some(b"--limit".to_vec()) });
    let missing = CommandLine::parse(b"sh", &words("--limit"), Grammar::Hookshell);
    assert_eq!(missing, Err(CommandLineError::MissingArgument("--limit".into())));
}

#[test]
fn every_letter_of_set_is_an_option_of_the_command_line() {
    for letter in b'!'..=b'~' {
        let word = [b'-', letter];
        let is_of_set = options::by_letter(letter).is_some() || b"cilos-O".contains(&letter);
        let read = CommandLine::parse(b"bash", &[&word[..], b"pipefail", b"x"], Grammar::Shell);
        let is_taken = !matches!(read, Err(CommandLineError::InvalidOption(_) | CommandLineError::NotSupported { .. }));
        assert_eq!(is_taken, is_of_set, "{}", char::from(letter));
    }
}

#[test]
fn each_shell_stands_in_the_list_once() {
    for (index, shell) in known_shell::SHELLS.iter().enumerate() {
        assert!(known_shell::SHELLS.iter().skip(index + 1).all(|other| other.name != shell.name), "{}", shell.name);
        assert_eq!(KnownShell::named(shell.name.as_bytes()), Some(*shell));
    }
    for (name, own, interpreted, readable) in [
        ("bash", true, true, true),
        ("rbash", true, true, true),
        ("dash", false, true, true),
        ("zsh", false, false, true),
        ("yash", false, false, false),
    ] {
        let shell = KnownShell::named(name.as_bytes()).unwrap();
        assert_eq!(
            (shell.is_own(), shell.is_interpreted(), shell.is_readable()),
            (own, interpreted, readable),
            "{name}"
        );
    }
    assert_eq!(KnownShell::named(b"fish"), None);
}
