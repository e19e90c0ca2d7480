//! The environment that hooks get.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;

use hookshell_dispatch::Environment;

pub(crate) use hookshell_agents::variables::{Variables, of_path};

use crate::event::Event;

/// The most that Linux takes for one `NAME=VALUE`, without its final NUL (`MAX_ARG_STRLEN`: 32 pages of 4 KiB).
#[cfg(any(target_os = "linux", target_os = "android"))]
const VARIABLE_LIMIT: usize = 131_071;
/// Windows: 32,767 UTF-16 units for one variable, with its final NUL.
#[cfg(windows)]
const VARIABLE_LIMIT: usize = 32_766;
/// Elsewhere the system limits the sum of arguments and environment (macOS: 1 MiB): a quarter of it for one.
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
const VARIABLE_LIMIT: usize = 262_144;

/// The names that the host has set: the prefix of the variables, and the agent's name.
#[derive(Debug, Clone)]
pub(crate) struct Naming {
    /// `CRUSH` of `CRUSH_EVENT`.
    pub(crate) prefix: String,
    /// What `AGENT` and `AI_AGENT` are.
    pub(crate) agent: String,
    /// The names with the prefix, which each event needs.
    names: Names,
}

#[derive(Debug, Clone)]
struct Names {
    event: String,
    tool_name: String,
    session_id: String,
    cwd: String,
    project_dir: String,
    /// Of members of the tool's input.
    of_input: [(&'static str, String); 2],
}

impl Naming {
    pub(crate) fn new(prefix: String, agent: String) -> Self {
        let name = |suffix: &str| format!("{prefix}_{suffix}");
        let names = Names {
            event: name("EVENT"),
            tool_name: name("TOOL_NAME"),
            session_id: name("SESSION_ID"),
            cwd: name("CWD"),
            project_dir: name("PROJECT_DIR"),
            of_input: [("command", name("TOOL_INPUT_COMMAND")), ("file_path", name("TOOL_INPUT_FILE_PATH"))],
        };
        Self { prefix, agent, names }
    }
}

/// The host's environment without what an outer agent's hook run left in it: every variable that hooks get from us. So
/// an agent that is itself started by a hook does not hand the outer tool's input on.
pub(crate) fn cleaned(host: Environment, naming: &Naming) -> Environment {
    // Nearly always there is nothing of it, and then nothing is copied.
    if !host.iter().any(|(name, _)| is_ours(name, &naming.prefix)) {
        return host;
    }
    Environment::of_unique(without_ours(host, naming))
}

/// Variables without those that we set ourselves.
pub(crate) fn without_ours(variables: impl IntoIterator<Item = (OsString, OsString)>, naming: &Naming) -> Variables {
    variables.into_iter().filter(|(name, _)| !is_ours(name, &naming.prefix)).collect()
}

/// Does a variable say which agent it is?
pub(crate) fn is_agents_name(name: &OsStr) -> bool {
    ["AGENT", "AI_AGENT"].iter().any(|own| if cfg!(windows) { name.eq_ignore_ascii_case(own) } else { name == *own })
}

/// Is it the same variable?
fn is_same(name: &OsStr, other: &str) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(other) } else { name == other }
}

fn is_ours(name: &OsStr, prefix: &str) -> bool {
    const COMMON: [&str; 5] = ["EVENT", "TOOL_NAME", "SESSION_ID", "CWD", "PROJECT_DIR"];
    // A name that is not Unicode is none of ours. Windows has one variable for `Path` and `PATH`.
    let Some(name) = name.to_str() else {
        return false;
    };
    let name: Cow<'_, str> = if cfg!(windows) { name.to_uppercase().into() } else { name.into() };
    let prefix: Cow<'_, str> = if cfg!(windows) { prefix.to_uppercase().into() } else { prefix.into() };
    if name == prefix || is_agents_name(OsStr::new(&*name)) {
        return true;
    }
    name.strip_prefix(&*prefix)
        .and_then(|rest| rest.strip_prefix('_'))
        .is_some_and(|rest| COMMON.contains(&rest) || rest.starts_with("TOOL_INPUT_"))
}

/// What one event's hooks get over the host's environment, and what of it no child can be given exactly.
#[derive(Debug)]
pub(crate) struct EventVariables {
    /// What hooks get. What no text can be made of is not in it; what only programs cannot be given is.
    pub(crate) variables: Variables,
    /// What programs, or also shell code, cannot be given, and why.
    pub(crate) inexact: Vec<Inexact>,
}

/// A variable that a child cannot be given exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inexact {
    name: String,
    why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Nul,
    NotUnicode,
    TooLong(usize),
}

impl Inexact {
    /// Its name, where shell code has it although no program can be given it.
    pub(crate) fn unpassable(&self) -> Option<&str> {
        (self.why != Why::NotUnicode).then_some(&self.name)
    }
}

impl fmt::Display for Inexact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.why {
            Why::Nul => write!(f, "{name} holds a NUL, which no variable can hold"),
            Why::NotUnicode => write!(f, "{name} is not Unicode text (a lone surrogate)"),
            Why::TooLong(size) => write!(
                f,
                "{name} takes {size} {}, and this system passes a program at most {VARIABLE_LIMIT}",
                if cfg!(windows) { "UTF-16 units" } else { "bytes" }
            ),
        }
    }
}

impl EventVariables {
    /// What an event's hooks get over what they have for the session (already [`cleaned`]).
    pub(crate) fn new(mut of_session: Variables, naming: &Naming, event: &Event) -> Self {
        of_session.reserve(10);
        let mut this = Self { variables: of_session, inexact: Vec::new() };
        let names = &naming.names;
        this.push(&naming.prefix, OsStr::new("1"));
        this.push("AGENT", OsStr::new(&naming.agent));
        this.push("AI_AGENT", OsStr::new(&naming.agent));
        this.push(&names.event, OsStr::new(event.name().as_str()));
        if let Some(tool_name) = event.tool_name() {
            this.push(&names.tool_name, OsStr::new(tool_name));
        }
        this.push(&names.session_id, OsStr::new(event.session_id()));
        this.push(&names.cwd, &of_path(event.cwd()));
        this.push(&names.project_dir, &of_path(event.project_dir()));
        for (member, name) in &names.of_input {
            match event.tool_input().map_or(Ok(None), |input| input.text(member)) {
                Ok(None) => {}
                Ok(Some(value)) => this.push(name, OsStr::new(&value)),
                Err(_) => this.inexact.push(Inexact { name: name.clone(), why: Why::NotUnicode }),
            }
        }
        for (name, value) in event.variables() {
            this.variables.retain(|(other, _)| !is_same(other, name));
            this.push(name, OsStr::new(value));
        }
        this
    }

    fn push(&mut self, name: &str, value: &OsStr) {
        let size = length(OsStr::new(name)) + 1 + length(value);
        let why = if value.as_encoded_bytes().contains(&0) {
            Why::Nul
        } else if size > VARIABLE_LIMIT {
            Why::TooLong(size)
        } else {
            self.variables.push((name.into(), value.to_owned()));
            return;
        };
        self.variables.push((name.into(), value.to_owned()));
        self.inexact.push(Inexact { name: name.to_owned(), why });
    }
}

/// An environment with other variables laid over it.
pub(crate) fn with_own_variables<N, V>(variables: &Environment, own: &[(N, V)]) -> Environment
where
    N: AsRef<OsStr>,
    V: AsRef<OsStr>,
{
    match own.is_empty() {
        true => variables.clone(),
        false => Environment::of_unique(laid_over(variables, own)),
    }
}

pub(crate) fn laid_over<N, V>(variables: &[(OsString, OsString)], own: &[(N, V)]) -> Variables
where
    N: AsRef<OsStr>,
    V: AsRef<OsStr>,
{
    let mut variables = variables.to_vec();
    // Windows has one variable for `Path` and `PATH`.
    let key = |name: &OsStr| if cfg!(windows) { name.to_ascii_lowercase() } else { name.to_owned() };
    if own.len() > FEW {
        // Each would be looked for among all.
        let mut places: HashMap<OsString, usize> =
            variables.iter().enumerate().map(|(at, (name, _))| (key(name.as_ref()), at)).collect();
        for (name, value) in own {
            let (name, value) = (name.as_ref(), value.as_ref());
            let at = *places.entry(key(name)).or_insert(variables.len());
            match variables.get_mut(at) {
                Some((_, old)) => *old = value.into(),
                None => variables.push((name.into(), value.into())),
            }
        }
        return variables;
    }
    for (name, value) in own {
        let (name, value) = (name.as_ref(), value.as_ref());
        let is_same = |other: &OsStr| {
            if cfg!(windows) { other.eq_ignore_ascii_case(name) } else { other == name }
        };
        match variables.iter_mut().find(|(other, _)| is_same(other)) {
            Some((_, old)) => *old = value.into(),
            None => variables.push((name.into(), value.into())),
        }
    }
    variables
}

/// So many variables are laid over others without a table.
const FEW: usize = 16;

#[cfg(windows)]
fn length(text: &OsStr) -> usize {
    use std::os::windows::ffi::OsStrExt;
    text.encode_wide().count()
}

#[cfg(not(windows))]
fn length(text: &OsStr) -> usize {
    text.len()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{
        Environment, EventVariables, FEW, Naming, VARIABLE_LIMIT, Variables, cleaned, laid_over, with_own_variables,
    };
    use crate::event::Event;
    use crate::tool_input::ToolInput;

    fn naming() -> Naming {
        Naming::new("CRUSH".to_owned(), "crush".to_owned())
    }

    fn event(input: &str) -> Event {
        let root = if cfg!(windows) { "C:\\w" } else { "/w" };
        Event::pre_tool_use("bash", ToolInput::parse(input).unwrap(), root).with_session_id("s1")
    }

    fn text(environment: &EventVariables) -> Vec<String> {
        let show = |text: &OsString| text.to_string_lossy().into_owned();
        environment.variables.iter().map(|(name, value)| format!("{}={}", show(name), show(value))).collect()
    }

    #[test]
    fn a_variable_of_the_event_lies_over_all_others() {
        let session = vec![("TURN".into(), "6".into()), ("OTHER".into(), "x".into())];
        let environment = EventVariables::new(session, &naming(), &event("{}").with_variable("TURN", "7"));
        let all = text(&environment);
        assert_eq!(all.iter().filter(|line| line.starts_with("TURN=")).collect::<Vec<_>>(), ["TURN=7"]);
        assert!(all.contains(&"OTHER=x".to_owned()) && environment.inexact.is_empty(), "{all:?}");
    }

    #[test]
    fn hooks_get_the_events_variables_over_the_hosts() {
        let host = vec![("PATH".into(), "/bin".into())];
        let environment = EventVariables::new(host, &naming(), &event(r#"{"command":"ls\n-l","file_path":"/a b"}"#));
        let root = if cfg!(windows) { "C:/w" } else { "/w" };
        assert_eq!(
            text(&environment),
            [
                "PATH=/bin",
                "CRUSH=1",
                "AGENT=crush",
                "AI_AGENT=crush",
                "CRUSH_EVENT=PreToolUse",
                "CRUSH_TOOL_NAME=bash",
                "CRUSH_SESSION_ID=s1",
                &format!("CRUSH_CWD={root}"),
                &format!("CRUSH_PROJECT_DIR={root}"),
                "CRUSH_TOOL_INPUT_COMMAND=ls\n-l",
                "CRUSH_TOOL_INPUT_FILE_PATH=/a b",
            ]
        );
        assert_eq!(environment.inexact, []);
    }

    #[test]
    fn the_prefix_and_the_agents_name_are_the_hosts() {
        let naming = Naming::new("MY_AGENT".to_owned(), "mine".to_owned());
        let lines = text(&EventVariables::new(Vec::new(), &naming, &event("{}")));
        for line in ["MY_AGENT=1", "AGENT=mine", "AI_AGENT=mine", "MY_AGENT_TOOL_NAME=bash"] {
            assert!(lines.iter().any(|have| have == line), "{line}");
        }
        assert!(!lines.iter().any(|line| line.starts_with("CRUSH")));
    }

    #[test]
    fn an_outer_agents_variables_are_removed_and_others_stay() {
        let names = [
            "CRUSH",
            "AGENT",
            "AI_AGENT",
            "CRUSH_EVENT",
            "CRUSH_TOOL_NAME",
            "CRUSH_SESSION_ID",
            "CRUSH_CWD",
            "CRUSH_PROJECT_DIR",
            "CRUSH_TOOL_INPUT_COMMAND",
            "CRUSH_TOOL_INPUT_FILE_PATH",
            "CRUSH_TOOL_INPUT_LATER",
            "CRUSH_HOME",
            "CRUSHED",
            "HOME",
        ];
        let host = names.map(|name| (OsString::from(name), OsString::from("outer")));
        let kept: Vec<_> = cleaned(host.into(), &naming()).into_iter().map(|(name, _)| name).collect();
        assert_eq!(kept, ["CRUSH_HOME", "CRUSHED", "HOME"]);
    }

    #[test]
    fn what_a_program_cannot_be_given_exactly_is_named() {
        let name = "CRUSH_TOOL_INPUT_COMMAND=".len();
        let fits = format!("{{\"command\":\"{}\"}}", "x".repeat(VARIABLE_LIMIT - name));
        assert_eq!(EventVariables::new(Vec::new(), &naming(), &event(&fits)).inexact, []);

        let long = format!("{{\"command\":\"{}\"}}", "x".repeat(VARIABLE_LIMIT - name + 1));
        let unit = if cfg!(windows) { "UTF-16 units" } else { "bytes" };
        let cases = [
            (
                r#"{"command":"rm\u0000 -rf"}"#.to_owned(),
                "CRUSH_TOOL_INPUT_COMMAND holds a NUL, which no variable can hold".to_owned(),
            ),
            (
                r#"{"file_path":"\ud800"}"#.to_owned(),
                "CRUSH_TOOL_INPUT_FILE_PATH is not Unicode text (a lone surrogate)".to_owned(),
            ),
            (
                long,
                format!(
                    "CRUSH_TOOL_INPUT_COMMAND takes {} {unit}, and this system passes a program at most {VARIABLE_LIMIT}",
                    VARIABLE_LIMIT + 1
                ),
            ),
        ];
        for (input, expected) in cases {
            let environment = EventVariables::new(Vec::new(), &naming(), &event(&input));
            let messages: Vec<String> = environment.inexact.iter().map(ToString::to_string).collect();
            assert_eq!(messages, [expected]);
            let has_variable = text(&environment).iter().any(|line| line.contains("TOOL_INPUT"));
            assert_eq!(has_variable, environment.inexact[0].unpassable().is_some(), "{input:.40}");
        }
    }

    #[test]
    fn variables_are_laid_over_in_one_way_however_many_they_are() {
        let host: Variables = [("A", "1"), ("PATH", "/bin"), ("B", "2")].map(|(n, v)| (n.into(), v.into())).into();
        let few: Vec<(String, String)> = [("PATH", "/own"), ("N", "n"), ("A", "a"), ("N", "m")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let many: Vec<_> = few.iter().cloned().cycle().take(FEW * 4).collect();
        assert_eq!(laid_over(&host, &few), laid_over(&host, &many));
        let shared = Environment::of_unique(host.clone());
        assert_eq!(*with_own_variables::<String, String>(&shared, &[]), *host);
    }
}
