//! The table of methods: what is dispatched, documented and in the schema.

/// Who sends a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The client.
    ToServer,
    /// hookshell.
    ToClient,
    /// Both.
    Both,
}

/// Is a message answered?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodKind {
    /// It has an `id` and is answered once.
    Request,
    /// It has no `id` and is never answered.
    Notification,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Its name in `method`.
    pub name: &'static str,
    /// Who sends it.
    pub direction: Direction,
    /// Is it answered?
    pub kind: MethodKind,
    /// The type of `params`: a definition of the schema.
    pub params: &'static str,
    /// The type of `result`, of a request.
    pub result: Option<&'static str>,
    /// What it is for, in a sentence.
    pub summary: &'static str,
}

const fn request(name: &'static str, params: &'static str, result: &'static str, summary: &'static str) -> Method {
    Method { name, direction: Direction::ToServer, kind: MethodKind::Request, params, result: Some(result), summary }
}

const fn question(name: &'static str, params: &'static str, result: &'static str, summary: &'static str) -> Method {
    Method { name, direction: Direction::ToClient, kind: MethodKind::Request, params, result: Some(result), summary }
}

const fn notification(name: &'static str, direction: Direction, params: &'static str, summary: &'static str) -> Method {
    Method { name, direction, kind: MethodKind::Notification, params, result: None, summary }
}

/// All methods, in the order of the documentation.
pub const METHODS: &[Method] = &[
    request(
        "initialize",
        "InitializeParams",
        "InitializeResult",
        "Agree on a version and set the defaults; the first request",
    ),
    request("hooks/run", "RunParams", "RunResult", "Run an event's hooks and give the verdict"),
    request("shell/exec", "ExecParams", "ExecResult", "Run one command"),
    request("explain", "ExplainParams", "ExplainResult", "Show how a command, or the hooks, would run"),
    request("check", "CheckParams", "CheckResult", "Check hook configs and the scripts they run"),
    request("doctor", "DoctorParams", "DoctorResult", "Show interpreters, utilities and config files"),
    request("session/end", "SessionEndParams", "Empty", "End a session: its hooks and modules end"),
    request("shutdown", "NoParams", "Empty", "Cancel what runs and end all sessions; only `exit` is taken after it"),
    notification("exit", Direction::ToServer, "NoParams", "End the process"),
    notification("shell/ack", Direction::ToServer, "AckParams", "Let a command that has a `window` send more output"),
    notification("$/cancel", Direction::Both, "CancelParams", "End a request; it is answered with an error"),
    notification("$/progress", Direction::ToClient, "ProgressParams", "A hook has started or ended"),
    notification("hooks/wake", Direction::ToClient, "WakeParams", "A hook of the background tells the model something"),
    notification("$/output", Direction::ToClient, "OutputParams", "What a command has written"),
    question("ui/select", "SelectParams", "SelectResult", "A hook asks the user to choose"),
    question("ui/confirm", "ConfirmParams", "ConfirmResult", "A hook asks the user yes or no"),
    question("ui/input", "InputParams", "InputResult", "A hook asks the user for text"),
    notification("ui/notify", Direction::ToClient, "NotifyParams", "A hook tells the user something"),
    question("llm/complete", "CompleteParams", "CompleteResult", "A hook asks the host's language model"),
];

/// A method that the client may send.
pub(crate) fn find_method(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name && method.direction != Direction::ToClient)
}
