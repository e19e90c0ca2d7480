//! One call of jq: inputs through the program to the output.

use std::cell::OnceCell;

use hookshell_utility::Stopped;
use hookshell_utility::io::{BUFFER, Failure, Running};
use hookshell_utility::zone::Zone;

use super::input::{Inputs, Next};
use super::machine::{End, Host, Machine};
use super::module::Library;
use super::options::{Indent, Options};
use super::program::Program;
use super::value::{MAX_STRING, Object, Value};
use super::watch::Watch;
use super::write::{self, Colors, Style};

/// What the C library collects before it writes.
const BLOCK: usize = 4096;

/// jq's `JQ_OK_NULL_KIND`: the last result was null or false.
const NULL_KIND: i64 = -1;
/// jq's `JQ_OK_NO_OUTPUT`.
const NO_OUTPUT: i64 = -4;
const FAILED: i64 = 5;
const SYSTEM: i64 = 2;

/// Standard output.
struct Output {
    text: String,
    /// How much was written before `text`.
    written: usize,
}

impl Output {
    fn flush(&mut self, running: &Running<'_>) -> Result<(), Failure> {
        let result = running.write(self.text.as_bytes());
        self.written += self.text.len();
        self.text.clear();
        result
    }

    /// Writes what the C library would have written by now: what is after the last full block waits.
    fn settle(&mut self, running: &Running<'_>) -> Result<(), Failure> {
        let total = self.written + self.text.len();
        let due = total.saturating_sub(1) / BLOCK * BLOCK;
        if due <= self.written {
            return Ok(());
        }
        let count = due - self.written;
        let result = running.write(self.text.as_bytes().get(..count).unwrap_or_default());
        // The cut may be inside a character.
        let rest = self.text.as_bytes().get(count..).unwrap_or_default();
        match std::str::from_utf8(rest) {
            Ok(rest) => {
                self.text = rest.to_owned();
                self.written = due;
                result
            }
            Err(_) => {
                result?;
                let rest = rest.to_vec();
                self.text.clear();
                self.written = total;
                running.write(&rest)
            }
        }
    }
}

struct Run<'a, 'r> {
    running: &'r Running<'a>,
    watch: &'r Watch<'r>,
    inputs: Inputs<'r>,
    output: Output,
    style: Style<'r>,
    library: &'r Library,
    zone: OnceCell<Zone>,
    /// What ended it, where a `Stopped` only stands for it.
    failure: Option<Failure>,
}

impl Run<'_, '_> {
    fn next_input(&mut self) -> Result<Next, Failure> {
        let (output, running) = (&mut self.output, self.running);
        let next = self.inputs.next(running, &mut || output.settle(running));
        self.watch.took(self.inputs.taken());
        next
    }

    /// Appends a value to the output, of which what is full is written: a value can be longer than the memory.
    fn print(&mut self, value: &Value) -> Result<(), Failure> {
        let (output, running, watch) = (&mut self.output, self.running, self.watch);
        let mut text = std::mem::take(&mut output.text);
        let mut result = Ok(());
        let complete = write::print(value, &self.style, &mut text, &mut |text| {
            if text.len() >= BUFFER {
                std::mem::swap(text, &mut output.text);
                result = output.settle(running);
                std::mem::swap(text, &mut output.text);
            }
            result.is_ok() && watch.should_continue()
        });
        output.text = text;
        result?;
        if complete { Ok(()) } else { Err(Stopped::Cancelled.into()) }
    }

    /// A value in a message.
    fn shown(&self, value: &Value) -> String {
        value.cut_json(MAX_STRING, self.watch)
    }

    fn error(&mut self, text: &str) -> Result<(), Failure> {
        self.output.settle(self.running)?;
        self.running.message(text.as_bytes())?;
        Ok(())
    }

    fn raw_error(&mut self, text: &str) -> Result<(), Failure> {
        self.output.settle(self.running)?;
        if let Some(stderr) = self.running.context().stderr() {
            match stderr.write_all(text.as_bytes(), self.running.interrupt()) {
                Err(error) if hookshell_process::is_interrupted(&error) => return Err(Stopped::Cancelled.into()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Keeps a failure for the end.
    fn keep(&mut self, result: Result<(), Failure>) -> Result<(), Stopped> {
        result.map_err(|failure| match failure {
            Failure::Stopped(stopped) => stopped,
            failure @ Failure::Write(_) => {
                self.failure = Some(failure);
                Stopped::Cancelled
            }
        })
    }
}

impl Host for Run<'_, '_> {
    fn check(&self) -> Result<(), Stopped> {
        self.running.check()
    }

    fn input(&mut self) -> Result<Result<Option<Value>, Value>, Stopped> {
        match self.next_input() {
            Ok(Next::Value(value)) => {
                // The program may keep it beside the others.
                self.watch.made(self.inputs.taken());
                Ok(Ok(Some(value)))
            }
            Ok(Next::End) => Ok(Ok(None)),
            Ok(Next::Error(message)) => Ok(Err(Value::from(message))),
            Err(failure) => {
                self.keep(Err(failure))?;
                Ok(Ok(None))
            }
        }
    }

    fn debug(&mut self, value: &Value) -> Result<(), Stopped> {
        let mut text = String::new();
        let both = Value::array(vec!["DEBUG:".into(), value.clone()]);
        let watch = self.watch;
        let style = Style { indent: None, ..self.style };
        write::print(&both, &style, &mut text, &mut |text| text.len() <= MAX_STRING && watch.should_continue());
        text.push('\n');
        let written = self.raw_error(&text);
        self.keep(written)
    }

    fn stderr(&mut self, value: &Value) -> Result<(), Stopped> {
        let written = match value {
            Value::String(text) => self.raw_error(&text.clone()),
            other => self.raw_error(&self.shown(other)),
        };
        self.keep(written)
    }

    fn env(&self) -> Value {
        environment(self.running)
    }

    fn zone(&self) -> Zone {
        // One that is not known is refused before the run, where the program needs it.
        self.zone.get_or_init(|| Zone::of(self.running.context().env).unwrap_or_else(|_| Zone::utc())).clone()
    }

    fn filename(&self) -> Value {
        self.inputs.filename()
    }

    fn line(&self) -> u64 {
        self.inputs.line()
    }

    fn library(&self, origin: bool) -> Value {
        if origin { Value::from(self.library.origin()) } else { self.library.search_list() }
    }

    fn module(&self, name: &str) -> Result<Value, String> {
        self.library.describe(name)
    }
}

/// `env` and `$ENV`
pub(super) fn environment(running: &Running<'_>) -> Value {
    let mut object = Object::default();
    for (name, value) in running.context().env.iter() {
        object.set(name.to_string_lossy().into(), Value::from(value.to_string_lossy().into_owned()));
    }
    Value::Object(object.into())
}

/// Runs a program on the inputs that the options name.
pub(super) fn run(
    running: &Running<'_>,
    options: &Options<'_>,
    library: &Library,
    program: &Program,
    globals: &[Value],
) -> Result<u8, Failure> {
    let context = running.context();
    let variable = |name: &str| context.variable(name).map(|value| value.to_string_lossy().into_owned());
    let terminal = context.stdout().is_some_and(|stdout| stdout.is_terminal());
    let by_default = terminal && variable("NO_COLOR").is_none_or(|value| value.is_empty());
    let colored = (options.color || by_default) && !options.monochrome;
    let colors = match Colors::new(variable("JQ_COLORS").as_deref()) {
        Some(colors) => Some(colors),
        None => {
            if let Some(stderr) = context.stderr() {
                let _ = stderr.write_all(b"Failed to set $JQ_COLORS\n", running.interrupt());
            }
            Colors::new(None)
        }
    };
    let spaces;
    let indent = match options.indent {
        Indent::Spaces(0) => None,
        Indent::Spaces(count) => {
            spaces = " ".repeat(count);
            Some(spaces.as_str())
        }
        Indent::Tab => Some("\t"),
    };
    let style =
        Style { indent, sorted: options.sorted, ascii: options.ascii, colors: colors.as_ref().filter(|_| colored) };
    let watch = Watch::new(running);
    let mut run = Run {
        running,
        watch: &watch,
        inputs: Inputs::new(&options.files, options.raw_input, options.slurp, options.flags),
        output: Output { text: String::new(), written: 0 },
        style,
        library,
        zone: OnceCell::new(),
        failure: None,
    };
    let unbuffered = options.unbuffered || terminal;
    let result = all(&mut run, options, program, globals, unbuffered);
    let result = match (result, run.failure.take()) {
        (Err(_), Some(failure)) => Err(failure),
        (result, _) => result,
    };
    let (status, last) = match result {
        Ok(ended) => match run.output.flush(running) {
            Ok(()) => ended,
            Err(Failure::Write(error)) => write_failed(running, &error)?,
            Err(failure) => return Err(failure),
        },
        Err(Failure::Write(error)) => write_failed(running, &error)?,
        Err(failure) => return Err(failure),
    };
    let status = if !options.exit_status {
        status.max(0)
    } else if status != NO_OUTPUT {
        status.abs()
    } else {
        match last {
            None => -NO_OUTPUT,
            Some(false) => -NULL_KIND,
            Some(true) => 0,
        }
    };
    Ok(u8::try_from(status & 0xff).unwrap_or(0))
}

fn write_failed(running: &Running<'_>, error: &std::io::Error) -> Result<(i64, Option<bool>), Failure> {
    running.message(format!("error: writing output failed: {}", hookshell_utility::io::reason(error)).as_bytes())?;
    Ok((SYSTEM, None))
}

/// All inputs: the status of the last one, and whether the last result was true.
fn all(
    run: &mut Run<'_, '_>,
    options: &Options<'_>,
    program: &Program,
    globals: &[Value],
    unbuffered: bool,
) -> Result<(i64, Option<bool>), Failure> {
    let mut machine = Machine::new(program, globals, run.watch);
    let mut status = NO_OUTPUT;
    let mut last = None;
    if options.null_input {
        (status, _) = one(run, options, &mut machine, Value::Null, unbuffered)?;
    } else {
        while run.inputs.failures == 0 {
            match run.next_input()? {
                Next::End => break,
                // With --seq what is wrong is passed over.
                Next::Error(message) if options.flags.sequence => {
                    run.error(&format!("ignoring parse error: {message}"))?;
                }
                Next::Error(message) => {
                    status = FAILED;
                    run.error(&format!("parse error: {message}"))?;
                    break;
                }
                Next::Value(value) => {
                    let halted;
                    (status, halted) = one(run, options, &mut machine, value, unbuffered)?;
                    if status <= 0 && status != NO_OUTPUT {
                        last = Some(status != NULL_KIND);
                    }
                    if halted {
                        break;
                    }
                }
            }
        }
    }
    if run.inputs.failures > 0 {
        status = SYSTEM;
    }
    Ok((status, last))
}

/// One input: the status, and whether the program halted.
fn one(
    run: &mut Run<'_, '_>,
    options: &Options<'_>,
    machine: &mut Machine<'_>,
    input: Value,
    unbuffered: bool,
) -> Result<(i64, bool), Failure> {
    let mut status = NO_OUTPUT;
    machine.start(input);
    let end = loop {
        let value = match machine.next(run) {
            Ok(value) => value,
            Err(end) => break end,
        };
        match &value {
            Value::String(text) if options.raw_output => {
                if options.ascii {
                    write::string(text, true, &mut run.output.text);
                } else if options.raw_output0 && text.contains('\0') {
                    break End::Raised("Cannot dump a string containing NUL with --raw-output0 option".into());
                } else {
                    run.output.text.push_str(text);
                }
                status = 0;
            }
            value => {
                status = if value.is_true() { 0 } else { NULL_KIND };
                if options.flags.sequence {
                    run.output.text.push('\x1e');
                }
                run.print(value)?;
            }
        }
        if !options.no_newline {
            run.output.text.push('\n');
        }
        if options.raw_output0 {
            run.output.text.push('\0');
        }
        if unbuffered || run.output.text.len() >= BUFFER {
            if unbuffered { run.output.flush(run.running)? } else { run.output.settle(run.running)? }
        }
    };
    match end {
        End::Done => Ok((status, false)),
        End::Stopped(stopped) => Err(Failure::Stopped(stopped)),
        End::Raised(raised) => {
            let position = run.inputs.position();
            match &raised {
                Value::String(text) => {
                    // A NUL ends the text in C.
                    let text = text.split('\0').next().unwrap_or_default();
                    run.error(&format!("error (at {position}): {text}"))?;
                }
                other => run.error(&format!("error (at {position}) (not a string): {}", run.shown(other)))?,
            }
            Ok((FAILED, false))
        }
        End::Halted(None) => Ok((0, true)),
        End::Halted(Some((message, code))) => {
            match &message {
                Value::String(text) => run.raw_error(&text.clone())?,
                Value::Null => {}
                other => run.raw_error(&format!("{}\n", run.shown(other)))?,
            }
            #[allow(clippy::cast_possible_truncation, reason = "saturates at an int, as on the usual machines")]
            let code = code.as_f64().unwrap_or(5.0) as i32;
            Ok((i64::from(code), true))
        }
    }
}
