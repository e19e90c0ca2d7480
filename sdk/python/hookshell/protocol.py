"""The types of the protocol. Made by sdk/generate.py from schemas/serve.json: change the Rust types, not this file."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

#: The version of the protocol that these types are of.
PROTOCOL_VERSION = 1


class AckParams(TypedDict):
    """`shell/ack`: the client has done its work with output of a command that has a `window`."""

    #: The `shell/exec`. One that has ended is passed over.
    id: RequestId

    #: How many bytes more may be sent: those of the output itself, not of its base64.
    bytes: int


class CancelParams(TypedDict):
    """`$/cancel`, in both directions."""

    #: The request. One that has ended, or never was, is passed over.
    id: RequestId


class Capabilities(TypedDict):
    """What hookshell can do."""

    #: The requests and notifications that it takes.
    methods: List[str]

    #: The agents whose rules it knows.
    dialects: List[str]


class CheckParams(TypedDict, total=False):
    """`check`: what is wrong with configs and with what they name."""

    #: Config files; those of `options`, or else those that are found, if absent.
    files: Optional[List[str]]

    #: Also report what a strict POSIX shell does not accept.
    portable: bool

    #: What is different for this request.
    options: Options


class CheckResult(TypedDict):
    """The result of `check`, as `hookshell check --json` prints it."""

    #: The files that were read.
    files: List[str]

    #: How many hooks they have.
    hooks: int

    #: What is wrong.
    findings: List[Finding]

    #: How many findings comments, config keys and options have switched off.
    ignored: int

    #: A config could not be read.
    unreadable: bool


class ClientCapabilities(TypedDict, total=False):
    """What the client answers. What it does not, hooks are answered as where nobody is there."""

    #: `ui/select`, `ui/confirm`, `ui/input` and `ui/notify`.
    ui: bool

    #: `llm/complete`. Without it hooks of the types `prompt` and `agent` ask the model that the environment names.
    llm: bool


class _CompleteParams(TypedDict):
    #: The chat so far.
    messages: List[ModelMessage]

    #: The most tokens that the answer may have.
    max_tokens: int

    #: How many milliseconds the answer may take. Later the request is cancelled.
    timeout_ms: int


class CompleteParams(_CompleteParams, total=False):
    """`llm/complete`: ask the host's model for the next message of a chat."""

    #: The model that the hook names; the host's default if absent.
    model: Optional[str]

    #: The tools that the model may call.
    tools: List[ModelTool]


class CompleteResult(TypedDict, total=False):
    """The answer to `llm/complete`."""

    #: The message's text.
    text: str

    #: The tools that the model wants to call.
    tool_calls: List[ModelToolCall]

    #: The message was cut off, by its length or by a filter.
    is_cut: bool


class ConfirmParams(TypedDict):
    """`ui/confirm`: ask yes or no."""

    #: The question.
    title: str

    #: What it is about.
    message: str


class ConfirmResult(TypedDict):
    """The answer to `ui/confirm`."""

    #: Yes.
    confirmed: bool


class DoctorParams(TypedDict, total=False):
    """`doctor`: what this machine has that hooks use."""

    #: What is different for this request. `cwd` and `env` count.
    options: Options


class ErrorData(TypedDict, total=False):
    """The member `data` of an error."""

    #: What is wrong, each thing by itself: a config may have several errors.
    reasons: List[str]

    #: What to do about it.
    hint: Optional[str]

    #: The exit code that the same command of the command line has for it (64 to 74).
    exit_code: Optional[int]


class _ExecParams(TypedDict):
    #: The command, in the shell's language.
    command: str


class ExecParams(_ExecParams, total=False):
    """`shell/exec`: one command, as an agent's shell tool runs it."""

    #: Standard input; the end of the file if absent.
    stdin: Optional[str]

    #: Standard input that is not UTF-8, in base64. Not together with `stdin`.
    stdin_base64: Optional[str]

    #: After so many seconds it is told to stop, and killed after the grace. No timeout if absent.
    timeout: Optional[float]

    #: The seconds between being told to stop and being killed; 2 if absent.
    grace: Optional[float]

    #: Standard error goes where standard output goes, in the exact order of the writes.
    merge_stderr: bool

    #: How many bytes of output may be sent and not yet acknowledged by `shell/ack`. Without it only the pipe's own
    #: flow control holds.
    window: Optional[int]

    #: What is different for this request. `cwd`, `env`, `utilities`, `missing_shell` and `limits` count.
    options: Options


class _ExecResult(TypedDict):
    #: The exit status, as the shell has it: 128 + the signal's number where a signal ended it.
    exit_code: int

    #: How it ended.
    end: ExecEnd

    #: How it ran, in words.
    route: str

    #: How long it took, in milliseconds.
    ms: int

    #: The bytes that were sent of standard output.
    stdout_bytes: int

    #: The bytes that were sent of standard error.
    stderr_bytes: int


class ExecResult(_ExecResult, total=False):
    """The result of `shell/exec`. All output was sent before it."""

    #: The number of the signal that ended it.
    signal: Optional[int]

    #: What `end` means here, for people, where it is not `exited`.
    message: Optional[str]


class ExplainParams(TypedDict, total=False):
    """`explain`: how a command would run, or without one the hooks that would run."""

    #: The command, as a config has it.
    command: Optional[str]

    #: What is different for this request.
    options: Options


class ExplainResult(TypedDict, total=False):
    """The result of `explain`: one of the two."""

    #: How the command would run.
    explanation: Optional[Explanation]

    #: The hooks, each with how it would run, as `hookshell explain --json` prints them.
    hooks: Optional[List[Dict[str, Any]]]


class _Explanation(TypedDict):
    #: The command.
    command: str

    #: Its words.
    tokens: List[str]

    #: `shell`, `shell-source`, `interpreter`, `binary` or `not-startable`.
    route: str

    #: The route in words.
    description: str

    #: Its arguments, with its name.
    argv: List[str]

    #: Why so.
    reasons: List[str]


class Explanation(_Explanation, total=False):
    """How a command would run."""

    #: The program that it names.
    argv0: Optional[str]

    #: The program that would be started.
    program: Optional[str]


class _Finding(TypedDict):
    #: How bad it is: `error` or `warning`.
    severity: str

    #: What kind it is: `HS401`, for example.
    code: str

    #: The file: a config, or a script that it names.
    file: str

    #: What is wrong, and what to do.
    message: str


class Finding(_Finding, total=False):
    """Something that is wrong."""

    #: The line; the first is 1.
    line: Optional[int]

    #: The column in characters; the first is 1.
    column: Optional[int]

    #: What messages call the hook, where it is about one.
    hook: Optional[str]


class _HookReport(TypedDict):
    #: What messages call it.
    name: str

    #: Its command.
    command: str

    #: How it ended: `Decided`, `NoOpinion`, `Started`, `Untrusted`, or the name of a failure.
    outcome: str

    #: It ends the turn.
    halt: bool

    #: How long it took, in milliseconds.
    ms: int

    #: What it wrote to standard error.
    stderr: str


class HookReport(_HookReport, total=False):
    """What one hook gave."""

    #: Its decision.
    decision: Optional[str]

    #: Why.
    reason: Optional[str]

    #: Its exit code.
    exit_code: Optional[int]

    #: How its command ran.
    route: Optional[str]

    #: Which shells ran its scripts, where those are not simply the installed ones.
    shells: List[ShellUse]

    #: Files that it named and that were left out, and why.
    dropped_context_files: List[str]

    #: What was odd in its output.
    warnings: List[str]


class _InitializeParams(TypedDict):
    #: The newest version of the protocol that the client speaks. The answer has the version that is spoken from now
    #: on: the client's, or hookshell's own where the client's is higher.
    protocol_version: int


class InitializeParams(_InitializeParams, total=False):
    """`initialize`: the first request."""

    #: Who asks.
    client: Optional[Peer]

    #: What the client answers.
    capabilities: ClientCapabilities

    #: What holds for every request that does not say otherwise.
    defaults: Options


class InitializeResult(TypedDict):
    """The answer to `initialize`."""

    #: The version of the protocol that is spoken from now on.
    protocol_version: int

    #: `hookshell` and its version.
    server: Peer

    #: What it can do.
    capabilities: Capabilities

    #: What it refuses.
    limits: Limits


class InputParams(TypedDict):
    """`ui/input`: ask for a line of text."""

    #: The question.
    title: str

    #: What may stand in the empty field.
    placeholder: str


class InputResult(TypedDict, total=False):
    """The answer to `ui/input`."""

    #: The text; absent or `null`: none was given.
    text: Optional[str]


class Limits(TypedDict):
    """What hookshell refuses."""

    #: The longest message of the client's, in bytes.
    max_message_bytes: int

    #: How many requests may wait for their turn.
    max_queued_requests: int

    #: How many bytes the requests that wait may have together.
    max_queued_bytes: int


class Message(TypedDict):
    """Something that the user should be told."""

    #: How bad it is.
    level: MessageLevel

    #: One line or more.
    text: str


class ModelMessageSystem(TypedDict):
    """What the model is to keep to."""

    role: Literal["system"]

    #: The text.
    content: str


class ModelMessageUser(TypedDict):
    """What it is asked."""

    role: Literal["user"]

    #: The text.
    content: str


class _ModelMessageAssistant(TypedDict):
    role: Literal["assistant"]

    #: The text.
    content: str


class ModelMessageAssistant(_ModelMessageAssistant, total=False):
    """What it answered."""

    #: The tools that it wanted to call.
    tool_calls: List[ModelToolCall]


class ModelMessageTool(TypedDict):
    """What a tool gave."""

    role: Literal["tool"]

    #: The call's identifier.
    tool_call_id: str

    #: The result, or what went wrong.
    content: str


class ModelTool(TypedDict):
    """A tool that the model may call."""

    #: Its name.
    name: str

    #: What it does, for the model.
    description: str

    #: Its arguments, as a JSON schema.
    parameters: Any


class ModelToolCall(TypedDict):
    """A tool that the model wants to call."""

    #: What its result is to name.
    id: str

    #: The tool.
    name: str

    #: Its arguments, as the JSON text that the model wrote.
    arguments: str


class NoParams(TypedDict, total=False):
    """No parameters: `{}`."""


class NotifyParams(TypedDict):
    """`ui/notify`: show a message. A notification: nobody waits for it."""

    #: The message.
    message: str

    #: How important it is.
    level: NotifyLevel


class Options(TypedDict, total=False):
    """How a request is done. `initialize` has what holds for all of them (`defaults`), and each request
    (`options`) what is different for it: a member that is absent there is that of `defaults`.
    """

    #: Config files; a later file takes precedence. Without any, the user's and the project's are looked for. `[]`
    #: is as none.
    configs: Optional[List[str]]

    #: Scripts or programs that are hooks themselves, in addition to the others.
    hooks: Optional[List[str]]

    #: The agent by whose rules configs are read and hooks run: `crush`, `claude`, `codex`, `gemini`, `cursor`,
    #: `copilot` or `qwen`. Detected from each file's path and contents unless set.
    dialect: Optional[str]

    #: Ignore discovered hooks; use only `configs` and `hooks`.
    no_hooks: Optional[bool]

    #: Run a project's hooks even if they are not trusted.
    trust_project: Optional[bool]

    #: The working directory: absolute. hookshell's own unless set.
    cwd: Optional[str]

    #: The project's root directory: absolute. The working directory unless set.
    project: Optional[str]

    #: Variables of hooks and commands beside hookshell's own environment; `null` takes one out. Those of `options`
    #: lie over those of `defaults`. Where configs, trust and the log are, hookshell's own environment says.
    env: Optional[Dict[str, Optional[str]]]

    #: The session's identifier.
    session: Optional[str]

    #: Deny where a guard could not be asked: see `hooks/run`.
    fail_closed: Optional[bool]

    #: How much is logged; as the environment says (`HOOKSHELL_LOG`) unless set.
    log: Optional[LogMode]

    #: Which one runs if a bundled utility and a program on PATH have the same name: `bundled`, `path` or `off`.
    utilities: Optional[str]

    #: What to do with a script for a shell that is not installed: `interpret` or `fail`.
    missing_shell: Optional[str]

    #: What runs scripts for a shell: `installed` or `in-process`.
    shell_scripts: Optional[str]

    #: Limits of what a script may use, `NAME=VALUE` each, as `--limit`.
    limits: Optional[List[str]]


class _OutputParams(TypedDict):
    #: The `shell/exec`.
    id: RequestId

    #: Where it was written.
    stream: OutputStream


class OutputParams(_OutputParams, total=False):
    """`$/output`: what a command has written."""

    #: The text. Exactly one of `text` and `base64` is there. A character is never divided between two messages.
    text: Optional[str]

    #: The bytes, where they are not UTF-8.
    base64: Optional[str]


class _Peer(TypedDict):
    #: Its name.
    name: str


class Peer(_Peer, total=False):
    """A program."""

    #: Its version.
    version: Optional[str]


class _ProgressParams(TypedDict):
    #: The `hooks/run`.
    id: RequestId

    #: Which of the request's hooks: counted in the order of their first `started`, from 0.
    hook: int

    #: What messages call the hook.
    name: str

    #: What has happened.
    state: HookState


class ProgressParams(_ProgressParams, total=False):
    """`$/progress`: a hook of a `hooks/run` has started or ended."""

    #: What the host may show while it runs: the hook's `status_message`.
    status_message: Optional[str]

    #: How long it took, in milliseconds; once it has ended.
    ms: Optional[int]


class Rendered(TypedDict):
    """A verdict as a hook of another agent would print it."""

    #: What it would write to standard output.
    stdout: str

    #: What it would write to standard error.
    stderr: str

    #: Its exit code.
    exit_code: int


class _RpcError(TypedDict):
    #: One of the table of codes.
    code: int

    #: What went wrong, for people.
    message: str


class RpcError(_RpcError, total=False):
    """The member `error` of a response."""

    #: More of it, where there is more.
    data: Optional[ErrorData]


class RunParams(TypedDict, total=False):
    """`hooks/run`: an event, as `hookshell run` takes it. It is given as `payload`, or as `tool` and `input`, or
    as `prompt`.
    """

    #: The event. Any agent's name for it works, in any case, with or without underscores. May be absent where the
    #: payload names it (`hook_event_name`).
    event: Optional[str]

    #: The event as the agent's own hooks get it on standard input: a JSON object.
    payload: Optional[Dict[str, Any]]

    #: The tool of the event.
    tool: Optional[str]

    #: The tool's input: a JSON object; `{}` if absent.
    input: Optional[Dict[str, Any]]

    #: The user's prompt, for `UserPromptSubmit`.
    prompt: Optional[str]

    #: Give the verdict also as a hook of this agent would print it: `rendered` of the result.
    output: Optional[str]

    #: Send `$/progress` for each hook.
    progress: bool

    #: What is different for this request.
    options: Options


class _RunResult(TypedDict):
    #: What `hookshell run` prints.
    verdict: Verdict

    #: The exit code of `hookshell run`: 0 the call proceeds, 2 it is blocked, 49 the turn ends.
    exit_code: int


class RunResult(_RunResult, total=False):
    """The result of `hooks/run`."""

    #: The verdict as a hook of the agent of `output` would print it. A reason of more than 8 KiB is cut there, with
    #: a note that says where all of it is.
    rendered: Optional[Rendered]

    #: What the user should be told: an untrusted hook, an error in a config, a guard that could not be asked.
    messages: List[Message]


class SelectParams(TypedDict):
    """`ui/select`: have one of the options chosen."""

    #: The question.
    title: str

    #: What may be chosen.
    options: List[str]


class SelectResult(TypedDict, total=False):
    """The answer to `ui/select`."""

    #: One of the options; absent or `null`: none was chosen.
    selected: Optional[str]


class SessionEndParams(TypedDict, total=False):
    """`session/end`."""

    #: The session; that of `defaults` if absent.
    session: Optional[str]


class ShellUse(TypedDict):
    """Which shell ran a script or a command line."""

    #: The script or the command line.
    command: str

    #: The shell.
    shell: str

    #: Why that one.
    reason: str


class _Verdict(TypedDict):
    #: The event, by hookshell's name for it.
    event: str

    #: The turn is to end.
    halt: bool

    #: Files that the agent is referred to.
    context_files: List[str]

    #: What each hook gave, in config order.
    hooks: List[HookReport]


class Verdict(_Verdict, total=False):
    """A verdict, as `hookshell run` prints it. Keys are only ever added."""

    #: `allow`, `deny`, `ask` or `defer`; `null`: no hook has an opinion.
    decision: Optional[str]

    #: Why, for the model or the user.
    reason: Optional[str]

    #: What the model is to be told.
    context: Optional[str]

    #: The tool's input that is to be used instead.
    updated_input: Optional[Dict[str, Any]]

    #: The prompt that is to be used instead.
    updated_prompt: Optional[str]

    #: The user's prompt, of events that have one.
    prompt: Optional[str]

    #: What the model is told of `context_files`.
    context_files_note: Optional[str]

    #: The tool's result that is to be used instead: any JSON value.
    updated_result: Any

    #: What the user is to be shown.
    system_message: Optional[str]

    #: Variables for the session, which hooks have set.
    env: Dict[str, str]

    #: What hooks said that only their own agent knows, by its name there.
    agent_output: Dict[str, Any]


class WakeParams(TypedDict):
    """`hooks/wake`: a hook of the background that may wake the agent (Claude Code's `"asyncRewake": true`) has
    ended with exit code 2. Its event was answered long ago.
    """

    #: The session of its event; empty where it has none.
    session: str

    #: The event.
    event: str

    #: The hook.
    name: str

    #: What the model is to be told.
    text: str


#: The result of `doctor`: the object that `hookshell doctor --json` prints.
DoctorResult = Dict[str, Any]

#: Nothing to say: `{}`.
Empty = Dict[str, Any]

#: How a command ended.
ExecEnd = Literal[
    "exited",
    "signaled",
    "timed_out",
    "not_started",
    "syntax_error",
    "limit_exceeded",
    "status_lost",
]

#: What has happened to a hook.
HookState = Literal["started", "ended"]

#: How much of a run is logged.
LogMode = Literal["off", "on", "payload"]

#: How bad something is.
MessageLevel = Literal["warning", "error"]

#: A message of a chat.
ModelMessage = Union[ModelMessageSystem, ModelMessageUser, ModelMessageAssistant, ModelMessageTool]

#: How important a message is.
NotifyLevel = Literal["info", "warning", "error"]

#: A stream of a command.
OutputStream = Literal["stdout", "stderr"]

#: The `id` of a request: a whole number, or a string of at most 256 bytes.
RequestId = Union[int, str]
