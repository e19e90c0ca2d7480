//! Programs in other languages than the shell's, as an argument or on standard input.
//!
//! They are not parsed. What has nothing in it by which a program can start another one, or make code of a text, is tame; all else
//! may run any command.

mod tame;

use self::tame::is_tame;
use super::command::{joined, named_file};
use super::{Executed, Fields, HOLE, Judge, Word, is_device};
use crate::programs::Language;

/// What is left of an interpreter's words after one of its options.
enum Left<'w> {
    /// Options may be among these.
    Options(&'w [Word]),
    /// No option is.
    Operands(&'w [Word]),
    /// All are judged.
    Nothing,
}

/// The options that take code.
fn code_letters(language: Language) -> &'static [u8] {
    match language {
        Language::Python => b"c",
        Language::Perl => b"eE",
        Language::Node => b"ep",
        Language::Php => b"rRBE",
        _ => b"e",
    }
}

/// The options that take another value.
fn value_letters(language: Language) -> &'static [u8] {
    match language {
        Language::Python => b"WXQ",
        Language::Ruby => b"CEIrx",
        Language::Node => b"rC",
        Language::Php => b"cdzFfS",
        Language::Lua => b"l",
        _ => b"",
    }
}

impl Judge<'_> {
    /// Code in a language.
    pub(super) fn foreign(&mut self, language: Language, code: &[u8]) {
        self.step(code.len());
        let is_tame = match language {
            Language::Awk => super::awk::is_tame(code),
            Language::Sed => super::sed::is_tame(code),
            Language::Other => false,
            _ => is_tame(language, code),
        };
        if !is_tame || code.contains(&HOLE) {
            return self.found();
        }
        // Of the languages that are parsed, all that stands in them is known.
        if !matches!(language, Language::Awk | Language::Sed) && self.pattern.is_mentioned(code) {
            self.found();
        }
    }

    fn foreign_word(&mut self, language: Language, word: Option<&Word>) {
        match word {
            Some(word) if word.fields == Fields::One => self.foreign(language, &word.text),
            _ => self.found(),
        }
    }

    pub(super) fn language(&mut self, language: Language, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        let asks =
            |word: &Word| matches!(word.text.as_slice(), b"--version" | b"-V" | b"-v" | b"--help" | b"-h" | b"version");
        if arguments.len() == 1 && arguments.iter().all(asks) {
            return;
        }
        match language {
            Language::Awk | Language::Sed => self.text_tool(language, arguments),
            Language::Other => {
                // Code, or a script: which it is depends on the program.
                let is_option = |word: &Word| word.text.starts_with(b"-") || word.text.contains(&HOLE);
                match arguments.first() {
                    Some(first) if !is_option(first) => self.script_operand(language, arguments),
                    Some(_) => self.found(),
                    None => self.read_input(Some(language)),
                }
            }
            _ => self.interpreter(language, arguments),
        }
    }

    fn script_operand(&mut self, language: Language, words: &[Word]) {
        let Some(first) = words.first() else { return };
        match named_file(first) {
            Some(path) if is_device(path) => self.read_input(Some(language)),
            Some(path) => {
                let path = path.to_vec();
                self.file_operand(&path, Executed::Language(language), words);
                if !self.is_found {
                    let rest = joined(words.get(1..).unwrap_or_default());
                    if self.pattern.is_mentioned(&rest) && !rest.contains(&HOLE) {
                        self.found();
                    }
                }
            }
            None => self.found(),
        }
    }

    /// awk and sed: the program is the first operand, unless an option has it.
    fn text_tool(&mut self, language: Language, arguments: &[Word]) {
        let is_awk = language == Language::Awk;
        let mut program: Vec<u8> = Vec::new();
        let mut has_program = false;
        let mut rest = arguments;
        while let Some((word, after)) = rest.split_first() {
            if word.fields == Fields::Any {
                return self.found();
            }
            let text = word.text.as_slice();
            rest = after;
            let mut next = || {
                let value = rest.first().cloned().unwrap_or_else(Word::any);
                rest = rest.get(1..).unwrap_or_default();
                value
            };
            let mut code: Option<Word> = None;
            let attached = |at: usize| Word { text: text.get(at..).unwrap_or_default().to_vec(), ..word.clone() };
            match text {
                b"--" => {
                    if !has_program {
                        code = Some(next());
                    }
                    program.extend(code.map(|code| code.text).unwrap_or_default());
                    break;
                }
                [b'-', b'-', name @ ..] => {
                    let value = name.iter().position(|byte| *byte == b'=');
                    let given = name.get(..value.unwrap_or(name.len())).unwrap_or_default();
                    let is = |long: &str| !given.is_empty() && long.as_bytes().starts_with(given);
                    let takes_code = if is_awk { is("source") } else { is("expression") };
                    let takes_file = is("file") || is_awk && is("exec");
                    let other = is_awk && (is("assign") || is("field-separator")) || !is_awk && is("line-length");
                    if is_awk && (is("load") || is("include") || is("debug")) {
                        return self.found();
                    }
                    let value = match value {
                        Some(at) => attached(at + 3),
                        None if takes_code || takes_file || other => next(),
                        None => continue,
                    };
                    if takes_code {
                        code = Some(value);
                    } else if takes_file {
                        has_program = true;
                        if value.has_hole() || is_device(&value.text) {
                            return self.found();
                        }
                        self.executes(&value.text, Executed::Language(language));
                    }
                }
                [b'-', letters @ ..] if !letters.is_empty() => {
                    let with_value: &[u8] = if is_awk { b"Ffveil" } else { b"efl" };
                    let stops: &[u8] = if is_awk { b"WEDL" } else { b"i" };
                    let at = letters.iter().position(|letter| with_value.contains(letter));
                    let stop = letters.iter().position(|letter| stops.contains(letter));
                    if is_awk && stop.is_some_and(|stop| at.is_none_or(|at| stop < at)) {
                        return self.found();
                    }
                    let Some(at) = at.filter(|at| stop.is_none_or(|stop| *at < stop)) else { continue };
                    let value = if at + 1 < letters.len() { attached(at + 2) } else { next() };
                    match letters.get(at) {
                        Some(b'e') => code = Some(value),
                        Some(b'f') => {
                            has_program = true;
                            if value.has_hole() || is_device(&value.text) {
                                return self.found();
                            }
                            self.executes(&value.text, Executed::Language(language));
                        }
                        Some(b'i') if value.text != b"inplace" => return self.found(),
                        Some(b'l') if is_awk => return self.found(),
                        _ => {}
                    }
                }
                _ if has_program => continue,
                _ => code = Some(word.clone()),
            }
            if let Some(code) = code {
                has_program = true;
                program.extend_from_slice(&code.text);
                program.push(b'\n');
                if code.fields != Fields::One {
                    return self.found();
                }
            }
        }
        if !program.is_empty() {
            self.foreign(language, &program);
        }
        // What it writes into is not looked for: `w x.sh`, `print > "x.sh"`.
        let writes = if is_awk { program.contains(&b'>') } else { super::sed::may_write(&program) };
        if writes {
            self.writes_somewhere(&program);
        }
        if arguments.iter().any(|word| is_in_place(is_awk, &word.text)) {
            let operands = arguments.iter().filter(|word| !word.text.starts_with(b"-"));
            operands.for_each(|operand| self.writes(operand.text.clone(), None));
        }
    }

    /// `-c CODE`, `-e CODE`, a script, or standard input.
    fn interpreter(&mut self, language: Language, arguments: &[Word]) {
        let mut has_code = false;
        let mut rest = arguments;
        while let Some((word, after)) = rest.split_first() {
            let text = word.text.as_slice();
            let is_unknown = text.first() == Some(&HOLE) && named_file(word).is_none();
            if word.fields == Fields::Any || is_unknown && !has_code {
                return self.found();
            }
            let left = match text {
                b"-" => return self.read_input(Some(language)),
                b"--" => Left::Operands(after),
                [b'-', b'-', name @ ..] => self.long_option(language, word, name, after, &mut has_code),
                [b'-', letters @ ..] => self.short_options(language, word, letters, after, &mut has_code),
                _ => break,
            };
            if self.is_found {
                return;
            }
            match left {
                Left::Options(left) => rest = left,
                Left::Operands(left) => {
                    rest = left;
                    break;
                }
                Left::Nothing => return,
            }
        }
        if !has_code {
            return self.interpreted_script(language, arguments, rest);
        }
        // perl opens its operands, and those may be commands: `perl -ne print 'rm x |'`.
        if matches!(language, Language::Perl | Language::Ruby) && rest.iter().any(|word| word.text.contains(&b'|')) {
            self.found();
        }
    }

    /// `--eval CODE`, `--require FILE`, and others.
    fn long_option<'w>(
        &mut self,
        language: Language,
        word: &Word,
        name: &[u8],
        after: &'w [Word],
        has_code: &mut bool,
    ) -> Left<'w> {
        let equals = name.iter().position(|byte| *byte == b'=');
        let given = name.get(..equals.unwrap_or(name.len())).unwrap_or_default();
        let has = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
        let is_code = match given {
            b"run" => language == Language::Php,
            given => matches!(given, b"eval" | b"print" | b"process-code" | b"exec"),
        };
        if is_code {
            *has_code = true;
            let value = match equals {
                Some(at) => Some(Word { text: name.get(at + 1..).unwrap_or_default().to_vec(), ..word.clone() }),
                None => after.first().cloned(),
            };
            self.foreign_word(language, value.as_ref());
            return Left::Options(if equals.is_some() { after } else { after.get(1..).unwrap_or_default() });
        }
        if has(b"data:") || self.pattern.is_mentioned(&word.text) {
            self.found();
            return Left::Nothing;
        }
        let takes = equals.is_none()
            && matches!(
                given,
                b"require" | b"import" | b"loader" | b"experimental-loader" | b"conditions" | b"env-file" | b"config"
            );
        if takes && after.first().is_some_and(|word| word.has_hole() || word.text.starts_with(b"data:")) {
            self.found();
            return Left::Nothing;
        }
        Left::Options(if takes { after.get(1..).unwrap_or_default() } else { after })
    }

    /// A group of letters: `-e CODE`, `-lne CODE`, `-mMODULE`.
    fn short_options<'w>(
        &mut self,
        language: Language,
        word: &Word,
        letters: &[u8],
        after: &'w [Word],
        has_code: &mut bool,
    ) -> Left<'w> {
        let code_letters = code_letters(language);
        let value_letters = value_letters(language);
        // perl's `-i.bak`, `-F:`, `-0777`, `-MModule=…` have their value in the same word.
        if language == Language::Perl && matches!(letters.first(), Some(b'M' | b'm' | b'd' | b'x' | b'I' | b'C')) {
            let is_module = matches!(letters.first(), Some(b'M' | b'm'));
            if letters.contains(&HOLE) || letters.first() == Some(&b'd') || is_module && !is_tame(language, letters) {
                self.found();
            }
            return Left::Options(after);
        }
        if language == Language::Python
            && letters.contains(&b'm')
            && !letters.starts_with(b"W")
            && !letters.starts_with(b"X")
            && !letters.contains(&b'c')
        {
            let module = match letters.iter().position(|letter| *letter == b'm') {
                Some(at) if at + 1 < letters.len() => letters.get(at + 1..).unwrap_or_default().to_vec(),
                _ => after.first().map(|word| word.text.clone()).unwrap_or_default(),
            };
            self.module(&module, after);
            return Left::Nothing;
        }
        let at = letters.iter().position(|letter| code_letters.contains(letter) || value_letters.contains(letter));
        let in_place = matches!(language, Language::Perl | Language::Ruby)
            && letters.iter().position(|letter| matches!(letter, b'i' | b'F' | b'0' | b'l')).is_some_and(|i| {
                // `-i.bak`: what follows is a suffix; `-pie` is one too, which perl's users know.
                letters.get(i) == Some(&b'i') && at.is_some_and(|at| i < at) && letters.get(i + 1) == Some(&b'.')
            });
        let Some(at) = at.filter(|_| !in_place) else {
            return Left::Options(after);
        };
        let attached = letters.get(at + 1..).unwrap_or_default();
        // Only where one letter is not an option of its own: `node -pe CODE`.
        let is_attached = !attached.is_empty() && !attached.iter().all(|letter| code_letters.contains(letter));
        let value = match is_attached {
            true => Some(Word { text: attached.to_vec(), ..word.clone() }),
            false => after.first().cloned(),
        };
        let rest = if is_attached { after } else { after.get(1..).unwrap_or_default() };
        if letters.get(at).is_some_and(|letter| code_letters.contains(letter)) {
            *has_code = true;
            self.foreign_word(language, value.as_ref());
            // What stands after python's code is for the code.
            if language == Language::Python {
                return Left::Operands(rest);
            }
        } else if letters.get(at) == Some(&b'r') && value.as_ref().is_some_and(Word::has_hole) {
            self.found();
        }
        Left::Options(rest)
    }

    /// What an interpreter runs that is given no code: a script, or standard input. `rest`: what stands after its options.
    fn interpreted_script(&mut self, language: Language, arguments: &[Word], rest: &[Word]) {
        // `deno run x.ts`, `bun test`, `node inspect x`
        let rest = match rest.first().map(|word| word.text.as_slice()) {
            Some(b"eval" | b"repl" | b"x" | b"exec" | b"task") if language == Language::Node => {
                return self.starter(rest);
            }
            Some(
                b"run" | b"test" | b"inspect" | b"watch" | b"serve" | b"install" | b"add" | b"build" | b"fmt" | b"lint"
                | b"check",
            ) if language == Language::Node => rest.get(1..).unwrap_or_default(),
            _ if rest.is_empty()
                && arguments
                    .iter()
                    .any(|word| word.text.starts_with(b"--test") || word.text == b"-l" || word.text == b"-v") =>
            {
                return;
            }
            None => return self.read_input(Some(language)),
            Some(_) => rest,
        };
        let operand = rest.iter().position(|word| !word.text.starts_with(b"-"));
        if let Some(at) = operand {
            self.script_operand(language, rest.get(at..).unwrap_or_default());
        }
    }

    /// `python -m MODULE`
    fn module(&mut self, module: &[u8], arguments: &[Word]) {
        let top = module.split(|byte| *byte == b'.').next().unwrap_or_default();
        let starts: [&[u8]; 14] = [
            b"timeit",
            b"pdb",
            b"trace",
            b"cprofile",
            b"profile",
            b"code",
            b"runpy",
            b"idlelib",
            b"pydoc",
            b"bdb",
            b"tkinter",
            b"pty",
            b"webbrowser",
            b"doctest",
        ];
        let text = joined(arguments);
        if module.contains(&HOLE) || starts.contains(&top.to_ascii_lowercase().as_slice()) {
            return self.found();
        }
        let is_known =
            [&b"pytest"[..], b"pip", b"unittest", b"mypy", b"ruff", b"black", b"json", b"venv", b"http"].contains(&top);
        if !is_known && self.pattern.is_mentioned(&text) && !text.contains(&HOLE) {
            self.found();
        }
    }
}

/// `sed -i`, `sed -n --in-place=.bak`, `gawk -i inplace`
fn is_in_place(is_awk: bool, option: &[u8]) -> bool {
    match option {
        _ if is_awk => option.ends_with(b"inplace"),
        [b'-', b'-', long @ ..] => long.starts_with(b"in"),
        // What follows one of these is its value.
        [b'-', letters @ ..] => {
            letters.iter().take_while(|letter| !b"efl".contains(letter)).any(|l| *l == b'i' || *l == b'I')
        }
        _ => false,
    }
}
