//! `${x@P}` and PS4: a value as a prompt string (bash's PROMPTING).

use std::ops::ControlFlow;
use std::time::{SystemTime, UNIX_EPOCH};

use hookshell_text::strftime::strftime;
use hookshell_utility::timezone;

use crate::flow::Flow;
use crate::options::Opt;
use crate::shell::Shell;

/// The longest text that a time may become.
const LONGEST_TIME: usize = 4096;

impl Shell {
    /// The value with its escapes decoded, then expanded unless `promptvars` is off. There is no history and no terminal of its own here.
    pub(crate) fn expand_prompt(&mut self, text: &[u8]) -> Flow<Vec<u8>> {
        let mut decoded = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            // XCU 2.5.3: `!` is the number of the command in the history, `!!` is `!`.
            if byte == b'!' && self.opt(Opt::Posix) {
                if rest.first() == Some(&b'!') {
                    rest = &rest[1..];
                    decoded.push(b'!');
                } else {
                    decoded.push(b'1');
                }
                continue;
            }
            if byte != b'\\' {
                decoded.push(byte);
                continue;
            }
            let Some((&letter, after)) = rest.split_first() else {
                decoded.push(b'\\');
                break;
            };
            rest = after;
            match letter {
                b'w' => decoded.extend(self.prompt_directory()),
                b'W' => {
                    let path = self.prompt_directory();
                    let is_whole = matches!(&*path, b"/" | b"//" | b"~");
                    let start = if is_whole { 0 } else { memchr::memrchr(b'/', &path).map_or(0, |at| at + 1) };
                    decoded.extend_from_slice(&path[start..]);
                }
                b'u' => decoded.extend(self.user_name()),
                b'h' | b'H' => {
                    let host = hookshell_process::system::hostname();
                    let host = hookshell_process::text::from_os(&host);
                    let short = host.iter().take_while(|&&byte| letter == b'H' || byte != b'.');
                    decoded.extend(short);
                }
                b's' => decoded.extend_from_slice(b"bash"),
                b'v' => decoded.extend_from_slice(b"5.2"),
                b'V' => decoded.extend_from_slice(b"5.2.37"),
                b'$' => decoded.push(if hookshell_process::system::ids().euid == 0 { b'#' } else { b'$' }),
                b'j' => decoded.extend_from_slice(self.jobs.listed().count().to_string().as_bytes()),
                b'l' => decoded.extend_from_slice(b"tty"),
                b'!' => decoded.push(b'1'),
                b'#' => decoded.extend_from_slice(self.context.commands_read.to_string().as_bytes()),
                b'd' => self.push_time(b"%a %b %d", &mut decoded),
                b't' => self.push_time(b"%H:%M:%S", &mut decoded),
                b'T' => self.push_time(b"%I:%M:%S", &mut decoded),
                b'@' => self.push_time(b"%I:%M %p", &mut decoded),
                b'A' => self.push_time(b"%H:%M", &mut decoded),
                b'D' if rest.first() == Some(&b'{') => {
                    let end = memchr::memchr(b'}', rest).unwrap_or(rest.len());
                    let format = if end > 1 { &rest[1..end] } else { b"%X" };
                    self.push_time(format, &mut decoded);
                    rest = rest.get(end + 1..).unwrap_or_default();
                }
                b'n' => decoded.push(b'\n'),
                b'r' => decoded.push(b'\r'),
                b'a' => decoded.push(7),
                b'e' => decoded.push(27),
                b'0'..=b'7' => {
                    // Three digits; fewer only at the end.
                    let (more, after) = rest.split_at(rest.len().min(2));
                    if more.iter().all(|byte| matches!(byte, b'0'..=b'7')) {
                        let digits = std::iter::once(&letter).chain(more);
                        let value = digits.fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
                        // A NUL is nothing, as in any value.
                        decoded.extend(Some((value & 0xff) as u8).filter(|&byte| byte != 0));
                        rest = after;
                    } else {
                        decoded.extend_from_slice(&[b'\\', letter]);
                    }
                }
                b'[' | b']' => {}
                b'\\' => decoded.push(b'\\'),
                other => decoded.extend_from_slice(&[b'\\', other]),
            }
        }
        // XCU 2.5.3: in POSIX mode a prompt is expanded in any case.
        if self.opt(Opt::Promptvars) || self.opt(Opt::Posix) {
            self.expand_text(&decoded)
        } else {
            ControlFlow::Continue(decoded)
        }
    }

    /// The working directory, HOME in it as `~`, cut as PROMPT_DIRTRIM says.
    fn prompt_directory(&self) -> Vec<u8> {
        let mut path = self.pwd();
        if let Some(home) = self.vars.scalar_bytes(b"HOME").filter(|home| home.len() > 1)
            && path.starts_with(home)
            && matches!(path.get(home.len()), None | Some(b'/'))
        {
            path.splice(..home.len(), *b"~");
        }
        let keep = self.vars.scalar_bytes(b"PROMPT_DIRTRIM").and_then(hookshell_text::integer::parse_integer);
        let Some(keep) = keep.and_then(|keep| usize::try_from(keep).ok()).filter(|keep| *keep > 0) else { return path };
        let start = if path.starts_with(b"~/") { 2 } else { 0 };
        let tail = memchr::memrchr_iter(b'/', &path).take_while(|at| *at > start).nth(keep - 1);
        match tail {
            // What is cut must be longer than what takes its place.
            Some(tail) if tail - start > 3 => [&path[..start], b"...", &path[tail..]].concat(),
            _ => path,
        }
    }

    fn user_name(&self) -> Vec<u8> {
        self.host.cancel.before_wait();
        hookshell_process::system::user_name(hookshell_process::system::ids().uid)
            .or_else(|| self.vars.scalar_bytes(b"USER").map(<[u8]>::to_vec))
            .unwrap_or_default()
    }

    /// Appends the local time; one that is too long is left out.
    fn push_time(&self, format: &[u8], out: &mut Vec<u8>) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        let zone = timezone::at(&timezone::of(self.vars.scalar_bytes(b"TZ")), seconds);
        let mut text = Vec::new();
        if strftime(format, seconds, since.subsec_nanos(), &zone, LONGEST_TIME, &mut text) {
            out.append(&mut text);
        }
    }
}
