//! `jq`: an interpreter of jq 1.7.1's language of our own.
//!
//! It is written after jq's sources (MIT licence): the same grammar, order of evaluation, paths, messages, numbers
//! (literals are kept as decimals until they are computed with) and exit statuses. jaq is not used: it has its own semantics of
//! updates, numbers and messages and no `?//`, it recurses on the thread's stack, and it cannot be asked to stop or to count
//! its time and memory (jaq-core 3.1.2; ARCHITECTURE.md has the reasons).
//!
//! Refused (the real jq runs): `--debug-dump-disasm` and `--debug-trace`, and what is no option; syntax errors (both are jq's own errors
//! where there is no real jq); several patterns (`?//`) with keys that have several values; regular expressions that `regex` does
//! not know. A regular expression that is no constant of the program is an error when it runs.
//!
//! Of 1.8 it has what means nothing in 1.7.1: builtins (`toboolean`, `trimstr`, `skip`, …), `@urid`, operators in members of objects.
//! `docs/jq.md` has the differences.
//!
//! Not as jq 1.7.1: two slices of one array with the same length are not equal for that reason alone (a bug of 1.7);
//! `1 | path(1)` is a path. Limits: values nest 4,000 deep, an array has 16 million elements, a string 128 MiB, and a million
//! calls or places to go back to may be pending; each is an error with a message that names hookshell. What is alive counts
//! against the memory of the run (`watch`).
#![forbid(unsafe_code)]

mod ast;
mod builtin;
mod builtin_names;
mod definitions;
mod destructure;
mod env;
mod input;
mod lex;
mod linker;
mod machine;
mod math;
mod module;
mod number;
mod ops;
mod options;
mod parse;
mod path;
mod program;
mod read;
pub(crate) mod regex;
mod resolve;
mod run;
mod text;
mod time;
mod value;
mod version;
mod watch;
mod write;

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use hookshell_process::text::to_path;
use hookshell_utility::Profile;
use hookshell_utility::io::{BUFFER, Failure, Running, Source, read_descriptor, read_file, reason};
use hookshell_utility::prepare_compiling;
use hookshell_utility::recent::Recent;
use hookshell_utility::zone::Zone;
use hookshell_utility::{Language, Prepared, SpecialFile, Unsupported, Utility, UtilityCall, special_file};

use module::Library;
use options::{Kind, Options, Shows};
use program::Program;
use resolve::Refusal;
use text::repaired;
use value::{Object, Value};
use version::{BUILD_CONFIGURATION, VERSION};

/// `jq --help`, jq 1.7.1's.
const HELP: &str = include_str!("help.txt");

/// How long a program may be.
const MAX_PROGRAM: u64 = 1024 * 1024;

/// The utilities of this family.
pub fn all() -> Vec<Box<dyn Utility>> {
    vec![Box::new(Jq::default())]
}

/// `jq`
#[derive(Default)]
pub(crate) struct Jq {
    /// Compiled programs by their text and the names of their variables.
    programs: Recent<Key, Compiled>,
}

type Key = (Box<[u8]>, Vec<Arc<str>>);
type Compiled = Arc<Result<Program, Refusal>>;

impl Jq {
    fn compiled(&self, source: &[u8], variables: Vec<Arc<str>>, library: &Library) -> Compiled {
        let home = library.of_home();
        let is_alone = home.is_none();
        let is_it = |(known, names): &Key| **known == *source && *names == variables;
        if is_alone && let Some(compiled) = self.programs.get(is_it) {
            return compiled;
        }
        let (compiled, has_imports) = resolve::compile(source, &variables, library, home);
        let compiled = Arc::new(compiled);
        // The files of modules may change.
        if is_alone && !has_imports {
            self.programs.keep(source.len(), || (source.into(), variables), &compiled);
        }
        compiled
    }

    fn command<'a>(&self, call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
        let options = match options::parse(call.argv)? {
            Ok(options) => options,
            Err(message) => return Ok(Command::Usage(message)),
        };
        if let Some(shows) = options.shows {
            return Ok(Command::Shows(shows));
        }
        let source = match source(call, &options)? {
            ProgramText::Text(source) => source,
            ProgramText::Later(name) => {
                Zone::of(call.env)?;
                let library = Library::new(call, &options);
                return Ok(Command::Later(options, library, name));
            }
            ProgramText::Missing(message) => return Ok(Command::NoProgram(message)),
        };
        let has = |word: &[u8]| memchr::memmem::find(&source, word).is_some();
        if has(b"strf") || has(b"strptime") || has(b"localtime") {
            Zone::of(call.env)?;
        }
        let library = Library::new(call, &options);
        let compiled = self.compiled(&source, variables(&options), &library);
        if let Err(Refusal::Unsupported(what)) = &*compiled {
            return Err(Unsupported::new(what.clone()));
        }
        Ok(Command::Run(options, compiled, library))
    }
}

/// What a call of jq comes to.
#[allow(clippy::large_enum_variant, reason = "it lies in the one box of a prepared call")]
enum Command<'a> {
    Run(Options<'a>, Compiled, Library),
    /// The program is read from this descriptor when it runs.
    Later(Options<'a>, Library, &'a [u8]),
    /// What it says of itself.
    Shows(Shows),
    /// A wrong command line.
    Usage(String),
    /// The file of the program cannot be read.
    NoProgram(String),
}

/// The names of a program's variables.
fn variables(options: &Options<'_>) -> Vec<Arc<str>> {
    let names = options.variables.iter().map(|(_, name, _)| repaired(name).into());
    names.chain(["ARGS".into()]).collect()
}

/// Where the text of a program comes from.
enum ProgramText<'a> {
    Text(Cow<'a, [u8]>),
    /// A descriptor of the script's, as of `-f <(…)`: it can be read only once.
    Later(&'a [u8]),
    /// The message that says that there is none.
    Missing(String),
}

fn source<'a>(call: &UtilityCall<'_>, options: &Options<'a>) -> Result<ProgramText<'a>, Unsupported> {
    let program = options.program.unwrap_or(b".");
    if !options.from_file {
        return Ok(ProgramText::Text(Cow::Borrowed(program)));
    }
    // Of a descriptor the system has no file under this name, or that of another process.
    match special_file(program, call.cwd) {
        Some(SpecialFile::Descriptor(_) | SpecialFile::Null) => return Ok(ProgramText::Later(program)),
        Some(_) => return Err(not_in_a_file()),
        None => {}
    }
    let path = call.cwd.join(to_path(program));
    match read_file(&path, call.cwd, MAX_PROGRAM) {
        Ok(Some(text)) => Ok(ProgramText::Text(Cow::Owned(of_file(text)?))),
        Ok(None) => Err(not_in_a_file()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(ProgramText::Missing(format!("Could not open {}: {}", repaired(program), reason(&error))))
        }
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            Ok(ProgramText::Missing(format!("Could not open {}: It's a directory", repaired(program))))
        }
        Err(_) => Err(Unsupported::new("a program that cannot be read")),
    }
}

fn not_in_a_file() -> Unsupported {
    Unsupported::new("a program that is not in a file")
}

/// The program that a file holds.
fn of_file(mut text: Vec<u8>) -> Result<Vec<u8>, Unsupported> {
    if text.starts_with(b"#!") && text.split(|byte| *byte == b'\n').nth(1).is_some_and(|line| line.ends_with(b"\\")) {
        return Err(Unsupported::new("a program that begins as a shell script"));
    }
    // A NUL ends the text in C.
    text.truncate(memchr::memchr(0, &text).unwrap_or(text.len()));
    Ok(text)
}

impl Utility for Jq {
    fn name(&self) -> &'static str {
        "jq"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        // A later version of jq may know what is wrong here, and what can be read only once is left to the installed one.
        let yields = |command: &Command<'_>| match command {
            Command::Usage(_) | Command::Later(..) => true,
            Command::Run(_, compiled, _) => matches!(**compiled, Err(Refusal::Syntax(_))),
            Command::NoProgram(_) | Command::Shows(_) => false,
        };
        prepare_compiling(
            Profile::new(self.name()).usage(2),
            call,
            |call| self.command(call),
            yields,
            language,
            |running, command| self.run(running, command),
        )
    }
}

/// Does the program compile? What is wrong outside of it, as with a module that is not there, is not its fault. A variable of
/// which no program can have the name stands for one that the asker does not know.
fn language(command: &Command<'_>) -> Language {
    let Command::Run(options, compiled, _) = command else { return Language::None };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if !options.variables.iter().all(|(_, name, _)| name.iter().all(is_name)) {
        return Language::None;
    }
    let message = match &**compiled {
        Ok(_) => return Language::Compiles,
        Err(Refusal::Wrong(messages) | Refusal::Syntax(messages)) => messages.first(),
        Err(Refusal::Unsupported(_)) => None,
    };
    match message.filter(|message| message.contains("<top-level>") || message.contains("Top-level program")) {
        Some(message) => Language::Wrong(message.strip_prefix("jq: error: ").unwrap_or(message).to_owned()),
        None => Language::None,
    }
}

impl Jq {
    fn run(&self, running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
        match command {
            Command::Run(options, compiled, library) => run(running, &options, &compiled, &library),
            Command::Later(options, library, name) => {
                let Some(text) = read_descriptor(running.context(), name) else {
                    let message = format!("Could not open {}: No such file or directory", repaired(name));
                    running.message(message.as_bytes())?;
                    return Ok(2);
                };
                let text = match of_file(text) {
                    Ok(text) => text,
                    Err(unsupported) => return running.refuse(&unsupported),
                };
                let compiled = self.compiled(&text, variables(&options), &library);
                match &*compiled {
                    Err(Refusal::Unsupported(what)) => running.refuse(&Unsupported::new(what.clone())),
                    _ => run(running, &options, &compiled, &library),
                }
            }
            Command::Usage(message) => usage(running, &message),
            Command::Shows(shows) => {
                let text = match shows {
                    Shows::Help => HELP.to_owned(),
                    Shows::Version => format!("{VERSION}\n"),
                    Shows::BuildConfiguration => format!("{BUILD_CONFIGURATION}\n"),
                };
                running.write(text.as_bytes())?;
                Ok(0)
            }
            Command::NoProgram(message) => {
                running.message(message.as_bytes())?;
                Ok(2)
            }
        }
    }
}

fn run(
    running: &Running<'_>,
    options: &Options<'_>,
    compiled: &Result<Program, Refusal>,
    library: &Library,
) -> Result<u8, Failure> {
    let named = match named(running, options)? {
        Ok(named) => named,
        Err(status) => return Ok(status),
    };
    let program = match compiled {
        Ok(program) => program,
        Err(refusal) => {
            let messages = match refusal {
                Refusal::Wrong(messages) | Refusal::Syntax(messages) => messages.as_slice(),
                Refusal::Unsupported(_) => &[],
            };
            let count = messages.len();
            for message in messages {
                running.message(message.strip_prefix("jq: ").unwrap_or(message).as_bytes())?;
            }
            running.message(format!("{count} compile error{}", if count > 1 { "s" } else { "" }).as_bytes())?;
            return Ok(3);
        }
    };
    let globals: Vec<Value> = program
        .globals
        .iter()
        .map(|name| match &**name {
            "ENV" => run::environment(running),
            name => named.get(name).cloned().unwrap_or(Value::Null),
        })
        .collect();
    run::run(running, options, library, program, &globals)
}

/// The variables of the command line; or the status of a wrong one.
fn named(running: &Running<'_>, options: &Options<'_>) -> Result<Result<Object, u8>, Failure> {
    let mut named = Object::default();
    for (kind, name, value) in &options.variables {
        let value = match kind {
            Kind::Text => Value::from(&*repaired(value)),
            Kind::Json => match read::parse(value) {
                Ok(value) => value,
                Err(_) => return invalid(running, "argjson").map(Err),
            },
            Kind::RawFile | Kind::SlurpFile => match load(running, value, *kind == Kind::RawFile)? {
                Ok(value) => value,
                Err(message) => {
                    let option = if *kind == Kind::RawFile { "rawfile" } else { "slurpfile" };
                    let place = [b"Bad JSON in --", option.as_bytes(), b" ", name, b" ", value].concat();
                    running.message(&[&place[..], b": ", message.as_bytes()].concat())?;
                    return Ok(Err(2));
                }
            },
        };
        named.set(repaired(name).into(), value);
    }
    let mut positional = Vec::new();
    for (kind, value) in &options.positional {
        positional.push(match kind {
            Kind::Json => match read::parse(value) {
                Ok(value) => value,
                Err(_) => return invalid(running, "jsonargs").map(Err),
            },
            _ => Value::from(&*repaired(value)),
        });
    }
    let args =
        Value::object([("positional", Value::array(positional)), ("named", Value::Object(Arc::new(named.clone())))]);
    named.set("ARGS".into(), args);
    Ok(Ok(named))
}

/// The text of an option is no JSON.
fn invalid(running: &Running<'_>, option: &str) -> Result<u8, Failure> {
    usage(running, &format!("invalid JSON text passed to --{option}"))
}

/// A usage error.
fn usage(running: &Running<'_>, message: &str) -> Result<u8, Failure> {
    let hint = "Use jq --help for help with command-line options,\n\
                or see the jq manpage, or online docs  at https://jqlang.github.io/jq";
    running.message(format!("{message}\n{hint}").as_bytes())?;
    Ok(2)
}

/// A file as a string, or as an array of its JSON texts; the error is a message.
fn load(running: &Running<'_>, name: &[u8], raw: bool) -> Result<Result<Value, String>, Failure> {
    let failed = |error: &io::Error| {
        let why = match error.kind() {
            io::ErrorKind::IsADirectory => "It's a directory".to_owned(),
            _ => reason(error),
        };
        format!("Could not open {}: {why}", repaired(name))
    };
    let source = match running.open_file(name)? {
        Ok(source) => source,
        Err(error) => return Ok(Err(failed(&error))),
    };
    if let Source::File(file, _) = &source
        && file.metadata().is_ok_and(|metadata| metadata.is_dir())
    {
        return Ok(Err(failed(&io::ErrorKind::IsADirectory.into())));
    }
    let mut data = Vec::new();
    let mut buffer = vec![0; BUFFER];
    loop {
        match running.read(&source, &mut buffer)? {
            Ok(0) => break,
            Ok(count) => data.extend_from_slice(buffer.get(..count).unwrap_or_default()),
            Err(_) => return Ok(Err(format!("Error reading from {}", repaired(name)))),
        }
        if data.len() > value::MAX_STRING {
            return Ok(Err("hookshell's jq: the file is too long".to_owned()));
        }
    }
    if raw {
        return Ok(Ok(Value::from(&*repaired(&data))));
    }
    Ok(read::parse_all(&data))
}

#[cfg(test)]
mod tests;
