//! Programs in a language of their own that stand in a command: jq's filters, the scripts of sed and awk, grep's patterns.

use hookshell_dispatch::Language;
use hookshell_syntax::ast::{Parameter, ParameterExpansion, ParameterOperation, Subscript, Word, WordPart};

use super::{operands, wrapper};

/// What runs such programs, what they are called, and a text that is a right one, and a right value of most options.
const LANGUAGES: [(&str, &str, &str); 6] = [
    ("jq", "filter", "null"),
    ("sed", "script", "p"),
    ("awk", "program", "x=1"),
    ("grep", "pattern", "1"),
    ("egrep", "pattern", "1"),
    ("fgrep", "pattern", "1"),
];

/// A word of a command, as far as it is known before the command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    /// All of it.
    Text(Vec<u8>),
    /// It is one word, and this is how it begins.
    Beginning(Vec<u8>),
    /// It may be several words, or none.
    Nothing,
}

impl Known {
    /// What is known of it.
    pub(super) fn text(&self) -> &[u8] {
        match self {
            Self::Text(text) | Self::Beginning(text) => text,
            Self::Nothing => b"",
        }
    }

    fn is_option(&self) -> bool {
        self.text().starts_with(b"-")
    }

    /// Is it the name of what runs programs in a language of their own?
    pub(super) fn is_language(&self) -> bool {
        language_named(self).is_some()
    }
}

/// What a word names that runs such programs.
fn language_named(word: &Known) -> Option<(&'static str, &'static str, &'static str)> {
    let Known::Text(name) = word else { return None };
    let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    LANGUAGES.into_iter().find(|(known, ..)| known.as_bytes() == base)
}

/// Words of one kind that may be the program are tried, so many.
const MOST_TRIED: usize = 8;

/// A program that does not compile.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrongProgram {
    /// Which of the words.
    pub(super) word: usize,
    /// Which line of it, from 0.
    pub(super) line: usize,
    /// What is wrong, by the engine itself.
    pub(super) message: String,
    /// Does every program of the name refuse it? At run one on PATH may come before the bundled one, and know more.
    pub(super) is_certain: bool,
    /// Which of the words is the name of what runs it.
    pub(super) name: usize,
}

/// The program in the words of a simple command that does not compile. `compile` says of a call whether its program does: which
/// of the words that is, the utility itself knows, so none of its options are known here. A program of which a part is only
/// known when it runs is not looked at.
pub(super) fn wrong_program(words: &[Known], compile: &dyn Fn(&[Vec<u8>]) -> Language) -> Option<WrongProgram> {
    let skipped = after_wrappers(words);
    let words = words.get(skipped..)?;
    let (name, what, right) = language_named(words.first()?)?;
    // awk reads no options after its program, so what follows does not matter.
    let several = words.iter().position(|word| *word == Known::Nothing);
    let words = match several {
        Some(at) if name == "awk" => words.get(..at)?,
        Some(_) => return None,
        None => words,
    };
    let mut argv = vec![name.as_bytes().to_vec()];
    argv.extend(words.iter().skip(1).map(|word| match word {
        Known::Text(text) => text.clone(),
        // It may be the program, so it stands for one that is right. No name of a variable is `.`: jq's `--arg "$name" …` is
        // judged no further.
        Known::Beginning(beginning) => {
            let right = if name == "jq" { "." } else { right };
            [option_of(beginning), right.as_bytes()].concat()
        }
        Known::Nothing => Vec::new(),
    }));
    let Language::Wrong(said) = compile(&argv) else { return None };
    // The program is the word without which all is right, or, where several are wrong, the first with which the message changes.
    let mut changing = None;
    let mut ending = None;
    for index in candidates(name, words) {
        let mut other = argv.clone();
        if let Some(word) = other.get_mut(index) {
            *word = right.as_bytes().to_vec();
        }
        match compile(&other) {
            Language::Compiles => {
                ending = Some(index);
                break;
            }
            // Without an option expressions have other numbers, and messages have them.
            Language::Wrong(message) if message != said && !words.get(index).is_some_and(Known::is_option) => {
                changing = changing.or(Some(index));
            }
            _ => {}
        }
    }
    let index = ending.or(changing)?;
    let text = words.get(index).map(Known::text).unwrap_or_default();
    let first = said.lines().next().unwrap_or_default().trim_end_matches(':');
    let lines = text.iter().filter(|byte| **byte == b'\n').count();
    let is_certain = is_certain(name, first, text);
    let whose = if is_certain { "" } else { "the bundled " };
    Some(WrongProgram {
        word: skipped + index,
        line: line_in(first).map_or(0, |line| line.saturating_sub(1)).min(lines),
        message: format!("{whose}{name} cannot compile this {what}: {first}"),
        is_certain,
        name: skipped,
    })
}

/// Which words may be the program, the likeliest first. Options are asked last: one may be all of `-eSCRIPT`, and without `-E` a
/// wrong script may be right.
fn candidates(name: &str, words: &[Known]) -> Vec<usize> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let takes_expressions = name != "jq" && name != "awk";
    let (mut expressions, mut operands, mut attached, mut options) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut is_value_of_e = false;
    let mut values = 0_usize;
    for (index, word) in words.iter().enumerate().skip(1) {
        let was_e = std::mem::take(&mut is_value_of_e);
        let is_value = values > 0;
        values = values.saturating_sub(1);
        let Known::Text(text) = word else { continue };
        if was_e {
            expressions.push(index);
        } else if is_value {
            // jq's `--arg NAME VALUE`.
        } else if text.len() > 1 && text.starts_with(b"-") {
            let is_long = text.starts_with(b"--");
            is_value_of_e = takes_expressions
                && match is_long {
                    true => (text.starts_with(b"--e") || text.starts_with(b"--reg")) && !text.contains(&b'='),
                    false => text.ends_with(b"e"),
                };
            if name == "jq" && [&b"--arg"[..], b"--argjson", b"--slurpfile", b"--rawfile"].contains(&&text[..]) {
                values = 2;
            }
            if text.iter().all(is_plain) { options.push(index) } else { attached.push(index) }
        } else {
            operands.push(index);
        }
    }
    [expressions, operands, attached, options].into_iter().flat_map(|kind| kind.into_iter().take(MOST_TRIED)).collect()
}

/// Does every program of this name refuse it with this message, and not only the bundled one? jq's and grep's languages are the same
/// everywhere; awks and seds have extensions of their own, which lead nowhere where the text ends too early.
fn is_certain(name: &str, message: &str, text: &[u8]) -> bool {
    /// What is in GNU's messages about scripts that no sed takes.
    const NO_SEDS: [&str; 7] = [
        "unterminated `s' command",
        "unterminated `y' command",
        "unterminated address regex",
        "unmatched `{'",
        "unexpected `}'",
        "missing command",
        "Unmatched ( or",
    ];
    match name {
        "awk" => message.ends_with("at or near end of file"),
        // They do not agree on a delimiter in brackets.
        "sed" => !text.contains(&b'[') && NO_SEDS.iter().any(|what| message.contains(what)),
        _ => true,
    }
}

/// How many words stand before the command that a wrapper runs (`command`, `env A=b`, `timeout 5`).
fn after_wrappers(words: &[Known]) -> usize {
    let texts: Vec<String> = words
        .iter()
        .map(|word| match word {
            Known::Nothing => "-".to_owned(),
            word => String::from_utf8_lossy(word.text()).into_owned(),
        })
        .collect();
    let mut rest = &texts[..];
    while let Some((name, operands)) = rest.split_first() {
        let command = match &**name {
            "command" => wrapper::any(name, operands).and_then(|at| operands.get(at..)),
            name => operands::wrapped(name, operands),
        };
        match command {
            Some(command) => rest = command,
            None => break,
        }
    }
    texts.len() - rest.len()
}

/// The option that a word begins with (`-e`, `--include=`), or the name that gets a value (`x=`).
fn option_of(beginning: &[u8]) -> &[u8] {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let name = beginning.iter().take_while(|byte| is_name(byte)).count();
    let length = match beginning {
        _ if name > 0 && beginning.get(name) == Some(&b'=') => name + 1,
        [b'-', letter, ..] if *letter != b'-' => 2,
        _ => 0,
    };
    beginning.get(..length).unwrap_or_default()
}

/// The line that a message names: `… at <top-level>, line 3`, `line 2: …`.
fn line_in(message: &str) -> Option<usize> {
    let (_, rest) = message.rsplit_once("line ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

/// What is known of a word of shell code.
pub(super) fn known(word: &Word) -> Known {
    if let Some(text) = word.literal() {
        return Known::Text(text.into_owned());
    }
    let mut beginning = Vec::new();
    match word.parts.iter().try_fold(true, |is_known, part| add(&mut beginning, part, is_known)) {
        Some(_) => Known::Beginning(beginning),
        None => Known::Nothing,
    }
}

/// Adds a part to the beginning of a word, as long as all was known before it. Is all known with it? `None`: the part may be
/// several words.
fn add(beginning: &mut Vec<u8>, part: &WordPart, is_known: bool) -> Option<bool> {
    match part {
        WordPart::Literal(text) | WordPart::Quoted(text) => {
            if is_known {
                beginning.extend_from_slice(text);
            }
            Some(is_known)
        }
        WordPart::DoubleQuoted(parts) => parts.iter().try_fold(is_known, |is_known, part| match part {
            WordPart::Parameter(expansion) => is_one(expansion).then_some(false),
            WordPart::CommandSubstitution(_) | WordPart::Arithmetic(_) => Some(false),
            part => add(beginning, part, is_known),
        }),
        WordPart::QuotedParameter(expansion) => is_one(expansion).then_some(false),
        WordPart::Tilde(_) | WordPart::ProcessSubstitution(_) => Some(false),
        WordPart::Parameter(_) | WordPart::CommandSubstitution(_) | WordPart::Arithmetic(_) | WordPart::Brace(_) => {
            None
        }
    }
}

/// Is it one word in double quotes, whatever the value is?
fn is_one(expansion: &ParameterExpansion) -> bool {
    let is_list = match &expansion.parameter {
        Parameter::At | Parameter::Element(_, Subscript::All) => expansion.operation != ParameterOperation::Length,
        _ => expansion.indirect,
    };
    let may_become_one = match &expansion.operation {
        ParameterOperation::UseDefault(_, word) | ParameterOperation::UseAlternative(_, word) => {
            known(word) == Known::Nothing
        }
        ParameterOperation::Names { star } => !star,
        ParameterOperation::Keys => true,
        _ => false,
    };
    !is_list && !may_become_one
}

/// Of an argument that no shell reads, what is known: agents put the values of `${NAME}` in.
pub(super) fn known_argument(argument: &str) -> Known {
    match argument.split_once("${") {
        Some((beginning, _)) => Known::Beginning(beginning.into()),
        None => Known::Text(argument.into()),
    }
}

#[cfg(test)]
mod tests {
    use hookshell_dispatch::Dispatcher;
    use hookshell_syntax::ast::{Command, Word};
    use hookshell_syntax::{Dialect, ParseOptions, parse_for_analysis};

    use super::super::walk::{pipelines, words};
    use super::{Known, WrongProgram, known, known_argument, wrong_program};

    fn known_of(line: &str) -> Vec<Known> {
        let options = ParseOptions { dialect: Dialect::Bash, ..ParseOptions::default() };
        let program = parse_for_analysis(line.as_bytes(), &options);
        let and_or = &program.units[0].list.items[0].and_or;
        let stage = &pipelines(and_or).next().unwrap().stages[0];
        let Command::Simple(simple) = &stage.command else { panic!("{line} is no simple command") };
        words(simple).collect::<Vec<&Word>>().into_iter().map(known).collect()
    }

    fn wrong(line: &str) -> Option<WrongProgram> {
        let directory = std::env::temp_dir();
        let dispatcher = Dispatcher::new();
        wrong_program(&known_of(line), &|words| dispatcher.language_of(words, &[], &directory))
    }

    #[test]
    fn a_program_that_does_not_compile_is_told_by_its_engine() {
        let cases = [
            ("jq '.a ('", 1, "jq cannot compile this filter: syntax error, unexpected '(', expecting end of file"),
            ("jq -r --arg x \"$x\" '.a | foo' \"$file\"", 5, "jq cannot compile this filter: foo/0 is not defined at"),
            ("jq --arg x y '$z'", 4, "jq cannot compile this filter: $z is not defined"),
            ("jq '$z' --arg x y", 1, "jq cannot compile this filter: $z is not defined"),
            ("/usr/bin/jq -e '{a b}'", 2, "jq cannot compile this filter: syntax error, unexpected IDENT"),
            ("sed -n 's/a'", 2, "sed cannot compile this script: -e expression #1, char 3: unterminated `s' command"),
            ("sed -e 's/a' -e 's/b'", 2, "sed cannot compile this script: -e expression #1"),
            ("sed -n -e p -es/b x", 4, "sed cannot compile this script: -e expression #2"),
            ("sed -E --expression='s/(/b/' x", 2, "sed cannot compile this script: -e expression #1"),
            ("sed -i.bak 's/a' x", 2, "sed cannot compile this script"),
            ("grep -A 3 -E 'a(' x", 4, "grep cannot compile this pattern: Unmatched ( or \\("),
            ("grep -m1 -e \"$x\" --regexp '\\(' x", 5, "grep cannot compile this pattern: Unmatched ( or \\("),
            ("grep --include=\"*.$x\" -P 'a(' .", 3, "grep cannot compile this pattern: missing closing parenthesis"),
            ("egrep 'a[' ~/x", 1, "egrep cannot compile this pattern: Invalid regular expression"),
            ("awk '{print' x", 1, "awk cannot compile this program: line "),
            ("awk -F\"$x\" -v y=\"$y\" -v z=2 '{print $1' $FILES", 6, "awk cannot compile this program: "),
            ("env A=b timeout 5 command grep -E '('", 7, "grep cannot compile this pattern"),
        ];
        for (line, word, message) in cases {
            let found = wrong(line).unwrap_or_else(|| panic!("{line}: nothing found"));
            assert_eq!(found.word, word, "{line}: {found:?}");
            assert!(found.message.starts_with(message), "{line}: {found:?}");
        }
    }

    #[test]
    fn what_another_program_of_the_name_may_take_is_not_certain() {
        for (line, is_certain) in [
            ("awk '{ switch($1) { case 1: print } }'", false),
            ("awk 'BEGIN { a[1][2]=3 }'", false),
            ("awk '{ print'", true),
            ("sed 's/[/]/_'", false),
            ("sed 's/a/b/Q'", false),
            ("sed 's/a'", true),
            ("sed -n '/a/ {p'", true),
            ("jq '.a ('", true),
            ("grep -E 'a('", true),
        ] {
            let found = wrong(line).unwrap_or_else(|| panic!("{line}: nothing found"));
            assert_eq!(found.is_certain, is_certain, "{line}: {found:?}");
            assert_eq!(found.message.starts_with("the bundled "), !is_certain, "{line}: {found:?}");
        }
    }

    #[test]
    fn the_program_is_found_after_many_values() {
        let names = (0..20).map(|n| format!("--arg a{n} 'v'")).collect::<Vec<_>>().join(" ");
        assert_eq!(wrong(&format!("jq {names} '.a ('")).map(|found| found.word), Some(61));
        let files = "f ".repeat(40);
        assert_eq!(wrong(&format!("grep -ne 'a\\(' {files}")).map(|found| found.word), Some(2));
        assert_eq!(wrong(&format!("grep '-ea\\(' {files}")).map(|found| found.word), Some(1));
    }

    #[test]
    fn the_line_is_that_of_the_message() {
        for (line, expected) in [
            ("jq '.a\n| .b\n| .c('", 2),
            ("jq '.a\n| foo\n| .c'", 1),
            ("awk 'BEGIN {\n  x = (1\n}'", 2),
            ("awk '{print'", 0),
            ("sed -n '/a/ {\ns/x\n}'", 0),
        ] {
            assert_eq!(wrong(line).map(|wrong| wrong.line), Some(expected), "{line}");
        }
    }

    #[test]
    fn what_is_right_or_not_known_is_no_wrong_program() {
        for line in [
            "jq .a",
            "jq",
            "jq \"$filter\" '('",
            "jq \".a | $filter(\"",
            "jq --arg \"$name\" x '$whatever'",
            "jq --args '$ARGS.positional[0]' '('",
            "jq $OPTIONS '.a ('",
            "jq \"$@\" '.a ('",
            "jq \"${options[@]}\" '.a ('",
            "jq \"${1+\"$@\"}\" '.a ('",
            "jq -f nothing.jq",
            "jq -f \"$file\" '('",
            "jq -L \"$lib\" 'import \"x\" as x; x::y'",
            "jq -n 'import \"x\" as x; x::y'",
            "jq --unknown '.a ('",
            "sed -f \"$script\" 's/a'",
            "sed -e\"s/($x\" 's/a'",
            "sed \"s/$x/y\" x",
            "sed -i '' 's/a/b/' x",
            "sed -n '/a/p' x",
            "sed {-n,'s/a'}",
            "grep -F '(' x",
            "grep 'a(' x",
            "grep -f \"$patterns\" 'a\\('",
            "grep -f nothing.txt",
            "grep -e\"a\\($x\" x",
            "grep -E $x '('",
            "grep",
            "grep -P '(?<name>a)\\k<name>(?=b)' x",
            "awk -f \"$lib\" '{'",
            "awk $x '{'",
            "awk '{ print $1 }' x=1 '{'",
            "awk -f nothing.awk",
            "mygrep -E '('",
            "$grep -E '('",
            "echo jq '('",
            "command -v jq '('",
        ] {
            assert_eq!(wrong(line), None, "{line}");
        }
    }

    #[test]
    fn an_argument_with_a_placeholder_is_one_word() {
        assert_eq!(known_argument(".a ("), Known::Text(b".a (".to_vec()));
        assert_eq!(known_argument("-f${X}/y"), Known::Beginning(b"-f".to_vec()));
    }
}
