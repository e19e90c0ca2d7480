// Made by sdk/generate.py from schemas/serve.json: change the Rust types, not this file.

/** The version of the protocol that these types are of. */
export const PROTOCOL_VERSION = 1;

/** `shell/ack`: the client has done its work with output of a command that has a `window`. */
export interface AckParams {
  /** The `shell/exec`. One that has ended is passed over. */
  id: RequestId;
  /** How many bytes more may be sent: those of the output itself, not of its base64. */
  bytes: number;
}

/** `$/cancel`, in both directions. */
export interface CancelParams {
  /** The request. One that has ended, or never was, is passed over. */
  id: RequestId;
}

/** What hookshell can do. */
export interface Capabilities {
  /** The requests and notifications that it takes. */
  methods: string[];
  /** The agents whose rules it knows. */
  dialects: string[];
}

/** `check`: what is wrong with configs and with what they name. */
export interface CheckParams {
  /** Config files; those of `options`, or else those that are found, if absent. */
  files?: string[] | null | undefined;
  /** Also report what a strict POSIX shell does not accept. */
  portable?: boolean | undefined;
  /** What is different for this request. */
  options?: Options | undefined;
}

/** The result of `check`, as `hookshell check --json` prints it. */
export interface CheckResult {
  /** The files that were read. */
  files: string[];
  /** How many hooks they have. */
  hooks: number;
  /** What is wrong. */
  findings: Finding[];
  /** How many findings comments, config keys and options have switched off. */
  ignored: number;
  /** A config could not be read. */
  unreadable: boolean;
}

/** What the client answers. What it does not, hooks are answered as where nobody is there. */
export interface ClientCapabilities {
  /** `ui/select`, `ui/confirm`, `ui/input` and `ui/notify`. */
  ui?: boolean | undefined;
  /**
   * `llm/complete`. Without it hooks of the types `prompt` and `agent` ask the model that the environment
   * names.
   */
  llm?: boolean | undefined;
}

/** `llm/complete`: ask the host's model for the next message of a chat. */
export interface CompleteParams {
  /** The model that the hook names; the host's default if absent. */
  model?: string | null | undefined;
  /** The chat so far. */
  messages: ModelMessage[];
  /** The tools that the model may call. */
  tools?: ModelTool[] | undefined;
  /** The most tokens that the answer may have. */
  max_tokens: number;
  /** How many milliseconds the answer may take. Later the request is cancelled. */
  timeout_ms: number;
}

/** The answer to `llm/complete`. */
export interface CompleteResult {
  /** The message's text. */
  text?: string | undefined;
  /** The tools that the model wants to call. */
  tool_calls?: ModelToolCall[] | undefined;
  /** The message was cut off, by its length or by a filter. */
  is_cut?: boolean | undefined;
}

/** `ui/confirm`: ask yes or no. */
export interface ConfirmParams {
  /** The question. */
  title: string;
  /** What it is about. */
  message: string;
}

/** The answer to `ui/confirm`. */
export interface ConfirmResult {
  /** Yes. */
  confirmed: boolean;
}

/** `doctor`: what this machine has that hooks use. */
export interface DoctorParams {
  /** What is different for this request. `cwd` and `env` count. */
  options?: Options | undefined;
}

/** The result of `doctor`: the object that `hookshell doctor --json` prints. */
export type DoctorResult = Record<string, unknown>;

/** Nothing to say: `{}`. */
export type Empty = Record<string, unknown>;

/** The member `data` of an error. */
export interface ErrorData {
  /** What is wrong, each thing by itself: a config may have several errors. */
  reasons?: string[] | undefined;
  /** What to do about it. */
  hint?: string | null | undefined;
  /** The exit code that the same command of the command line has for it (64 to 74). */
  exit_code?: number | null | undefined;
}

/** How a command ended. */
export type ExecEnd =
  /** It came to its end by itself. */
  | "exited"
  /** A signal ended it. */
  | "signaled"
  /** Its time was over. */
  | "timed_out"
  /** The program was not found or could not be started. */
  | "not_started"
  /** The command has a syntax error. */
  | "syntax_error"
  /** A limit was reached. */
  | "limit_exceeded"
  /** Its status was lost. */
  | "status_lost";

/** `shell/exec`: one command, as an agent's shell tool runs it. */
export interface ExecParams {
  /** The command, in the shell's language. */
  command: string;
  /** Standard input; the end of the file if absent. */
  stdin?: string | null | undefined;
  /** Standard input that is not UTF-8, in base64. Not together with `stdin`. */
  stdin_base64?: string | null | undefined;
  /** After so many seconds it is told to stop, and killed after the grace. No timeout if absent. */
  timeout?: number | null | undefined;
  /** The seconds between being told to stop and being killed; 2 if absent. */
  grace?: number | null | undefined;
  /** Standard error goes where standard output goes, in the exact order of the writes. */
  merge_stderr?: boolean | undefined;
  /**
   * How many bytes of output may be sent and not yet acknowledged by `shell/ack`. Without it only the pipe's
   * own flow control holds.
   */
  window?: number | null | undefined;
  /** What is different for this request. `cwd`, `env`, `utilities`, `missing_shell` and `limits` count. */
  options?: Options | undefined;
}

/** The result of `shell/exec`. All output was sent before it. */
export interface ExecResult {
  /** The exit status, as the shell has it: 128 + the signal's number where a signal ended it. */
  exit_code: number;
  /** The number of the signal that ended it. */
  signal?: number | null | undefined;
  /** How it ended. */
  end: ExecEnd;
  /** What `end` means here, for people, where it is not `exited`. */
  message?: string | null | undefined;
  /** How it ran, in words. */
  route: string;
  /** How long it took, in milliseconds. */
  ms: number;
  /** The bytes that were sent of standard output. */
  stdout_bytes: number;
  /** The bytes that were sent of standard error. */
  stderr_bytes: number;
}

/** `explain`: how a command would run, or without one the hooks that would run. */
export interface ExplainParams {
  /** The command, as a config has it. */
  command?: string | null | undefined;
  /** What is different for this request. */
  options?: Options | undefined;
}

/** The result of `explain`: one of the two. */
export interface ExplainResult {
  /** How the command would run. */
  explanation?: Explanation | null | undefined;
  /** The hooks, each with how it would run, as `hookshell explain --json` prints them. */
  hooks?: Record<string, unknown>[] | null | undefined;
}

/** How a command would run. */
export interface Explanation {
  /** The command. */
  command: string;
  /** Its words. */
  tokens: string[];
  /** The program that it names. */
  argv0?: string | null | undefined;
  /** `shell`, `shell-source`, `interpreter`, `binary` or `not-startable`. */
  route: string;
  /** The route in words. */
  description: string;
  /** The program that would be started. */
  program?: string | null | undefined;
  /** Its arguments, with its name. */
  argv: string[];
  /** Why so. */
  reasons: string[];
}

/** Something that is wrong. */
export interface Finding {
  /** How bad it is: `error` or `warning`. */
  severity: string;
  /** What kind it is: `HS401`, for example. */
  code: string;
  /** The file: a config, or a script that it names. */
  file: string;
  /** The line; the first is 1. */
  line?: number | null | undefined;
  /** The column in characters; the first is 1. */
  column?: number | null | undefined;
  /** What messages call the hook, where it is about one. */
  hook?: string | null | undefined;
  /** What is wrong, and what to do. */
  message: string;
}

/** What one hook gave. */
export interface HookReport {
  /** What messages call it. */
  name: string;
  /** Its command. */
  command: string;
  /** How it ended: `Decided`, `NoOpinion`, `Started`, `Untrusted`, or the name of a failure. */
  outcome: string;
  /** Its decision. */
  decision?: string | null | undefined;
  /** It ends the turn. */
  halt: boolean;
  /** Why. */
  reason?: string | null | undefined;
  /** Its exit code. */
  exit_code?: number | null | undefined;
  /** How its command ran. */
  route?: string | null | undefined;
  /** How long it took, in milliseconds. */
  ms: number;
  /** What it wrote to standard error. */
  stderr: string;
  /** Which shells ran its scripts, where those are not simply the installed ones. */
  shells?: ShellUse[] | undefined;
  /** Files that it named and that were left out, and why. */
  dropped_context_files?: string[] | undefined;
  /** What was odd in its output. */
  warnings?: string[] | undefined;
}

/** What has happened to a hook. */
export type HookState =
  /** It was started. */
  | "started"
  /** It has ended: the verdict says how. */
  | "ended";

/** `initialize`: the first request. */
export interface InitializeParams {
  /**
   * The newest version of the protocol that the client speaks. The answer has the version that is spoken from
   * now on: the client's, or hookshell's own where the client's is higher.
   */
  protocol_version: number;
  /** Who asks. */
  client?: Peer | null | undefined;
  /** What the client answers. */
  capabilities?: ClientCapabilities | undefined;
  /** What holds for every request that does not say otherwise. */
  defaults?: Options | undefined;
}

/** The answer to `initialize`. */
export interface InitializeResult {
  /** The version of the protocol that is spoken from now on. */
  protocol_version: number;
  /** `hookshell` and its version. */
  server: Peer;
  /** What it can do. */
  capabilities: Capabilities;
  /** What it refuses. */
  limits: Limits;
}

/** `ui/input`: ask for a line of text. */
export interface InputParams {
  /** The question. */
  title: string;
  /** What may stand in the empty field. */
  placeholder: string;
}

/** The answer to `ui/input`. */
export interface InputResult {
  /** The text; absent or `null`: none was given. */
  text?: string | null | undefined;
}

/** What hookshell refuses. */
export interface Limits {
  /** The longest message of the client's, in bytes. */
  max_message_bytes: number;
  /** How many requests may wait for their turn. */
  max_queued_requests: number;
  /** How many bytes the requests that wait may have together. */
  max_queued_bytes: number;
}

/** How much of a run is logged. */
export type LogMode =
  /** Nothing. */
  | "off"
  /** What each hook decided, unless `HOOKSHELL_LOG` says otherwise. */
  | "on"
  /** Also the tool's input, the prompt and the hooks' output. */
  | "payload";

/** Something that the user should be told. */
export interface Message {
  /** How bad it is. */
  level: MessageLevel;
  /** One line or more. */
  text: string;
}

/** How bad something is. */
export type MessageLevel =
  /** The hooks ran; something is odd. */
  | "warning"
  /** A hook or a config did not count. */
  | "error";

/** A message of a chat. */
export type ModelMessage =
  /** What the model is to keep to. */
  | {
      role: "system";
      /** The text. */
      content: string;
    }
  /** What it is asked. */
  | {
      role: "user";
      /** The text. */
      content: string;
    }
  /** What it answered. */
  | {
      role: "assistant";
      /** The text. */
      content: string;
      /** The tools that it wanted to call. */
      tool_calls?: ModelToolCall[] | undefined;
    }
  /** What a tool gave. */
  | {
      role: "tool";
      /** The call's identifier. */
      tool_call_id: string;
      /** The result, or what went wrong. */
      content: string;
    };

/** A tool that the model may call. */
export interface ModelTool {
  /** Its name. */
  name: string;
  /** What it does, for the model. */
  description: string;
  /** Its arguments, as a JSON schema. */
  parameters: unknown;
}

/** A tool that the model wants to call. */
export interface ModelToolCall {
  /** What its result is to name. */
  id: string;
  /** The tool. */
  name: string;
  /** Its arguments, as the JSON text that the model wrote. */
  arguments: string;
}

/** No parameters: `{}`. */
export type NoParams = Record<string, never>;

/** How important a message is. */
export type NotifyLevel =
  /** For information. */
  | "info"
  /** A warning. */
  | "warning"
  /** Something went wrong. */
  | "error";

/** `ui/notify`: show a message. A notification: nobody waits for it. */
export interface NotifyParams {
  /** The message. */
  message: string;
  /** How important it is. */
  level: NotifyLevel;
}

/**
 * How a request is done. `initialize` has what holds for all of them (`defaults`), and each request (`options`)
 * what is different for it: a member that is absent there is that of `defaults`.
 */
export interface Options {
  /**
   * Config files; a later file takes precedence. Without any, the user's and the project's are looked for. `[]`
   * is as none.
   */
  configs?: string[] | null | undefined;
  /** Scripts or programs that are hooks themselves, in addition to the others. */
  hooks?: string[] | null | undefined;
  /**
   * The agent by whose rules configs are read and hooks run: `crush`, `claude`, `codex`, `gemini`, `cursor`,
   * `copilot` or `qwen`. Detected from each file's path and contents unless set.
   */
  dialect?: string | null | undefined;
  /** Ignore discovered hooks; use only `configs` and `hooks`. */
  no_hooks?: boolean | null | undefined;
  /** Run a project's hooks even if they are not trusted. */
  trust_project?: boolean | null | undefined;
  /** The working directory: absolute. hookshell's own unless set. */
  cwd?: string | null | undefined;
  /** The project's root directory: absolute. The working directory unless set. */
  project?: string | null | undefined;
  /**
   * Variables of hooks and commands beside hookshell's own environment; `null` takes one out. Those of
   * `options` lie over those of `defaults`. Where configs, trust and the log are, hookshell's own environment
   * says.
   */
  env?: Record<string, string | null> | null | undefined;
  /** The session's identifier. */
  session?: string | null | undefined;
  /** Deny where a guard could not be asked: see `hooks/run`. */
  fail_closed?: boolean | null | undefined;
  /** How much is logged; as the environment says (`HOOKSHELL_LOG`) unless set. */
  log?: LogMode | null | undefined;
  /** Which one runs if a bundled utility and a program on PATH have the same name: `bundled`, `path` or `off`. */
  utilities?: string | null | undefined;
  /** What to do with a script for a shell that is not installed: `interpret` or `fail`. */
  missing_shell?: string | null | undefined;
  /** What runs scripts for a shell: `installed` or `in-process`. */
  shell_scripts?: string | null | undefined;
  /** Limits of what a script may use, `NAME=VALUE` each, as `--limit`. */
  limits?: string[] | null | undefined;
}

/** `$/output`: what a command has written. */
export interface OutputParams {
  /** The `shell/exec`. */
  id: RequestId;
  /** Where it was written. */
  stream: OutputStream;
  /** The text. Exactly one of `text` and `base64` is there. A character is never divided between two messages. */
  text?: string | null | undefined;
  /** The bytes, where they are not UTF-8. */
  base64?: string | null | undefined;
}

/** A stream of a command. */
export type OutputStream =
  /** Standard output. */
  | "stdout"
  /** Standard error. */
  | "stderr";

/** A program. */
export interface Peer {
  /** Its name. */
  name: string;
  /** Its version. */
  version?: string | null | undefined;
}

/** `$/progress`: a hook of a `hooks/run` has started or ended. */
export interface ProgressParams {
  /** The `hooks/run`. */
  id: RequestId;
  /** Which of the request's hooks: counted in the order of their first `started`, from 0. */
  hook: number;
  /** What messages call the hook. */
  name: string;
  /** What has happened. */
  state: HookState;
  /** What the host may show while it runs: the hook's `status_message`. */
  status_message?: string | null | undefined;
  /** How long it took, in milliseconds; once it has ended. */
  ms?: number | null | undefined;
}

/** A verdict as a hook of another agent would print it. */
export interface Rendered {
  /** What it would write to standard output. */
  stdout: string;
  /** What it would write to standard error. */
  stderr: string;
  /** Its exit code. */
  exit_code: number;
}

/** The `id` of a request: a whole number, or a string of at most 256 bytes. */
export type RequestId =
  /** A number. */
  | number
  /** A string. */
  | string;

/** The member `error` of a response. */
export interface RpcError {
  /** One of the table of codes. */
  code: number;
  /** What went wrong, for people. */
  message: string;
  /** More of it, where there is more. */
  data?: ErrorData | null | undefined;
}

/**
 * `hooks/run`: an event, as `hookshell run` takes it. It is given as `payload`, or as `tool` and `input`, or as
 * `prompt`.
 */
export interface RunParams {
  /**
   * The event. Any agent's name for it works, in any case, with or without underscores. May be absent where the
   * payload names it (`hook_event_name`).
   */
  event?: string | null | undefined;
  /** The event as the agent's own hooks get it on standard input: a JSON object. */
  payload?: Record<string, unknown> | null | undefined;
  /** The tool of the event. */
  tool?: string | null | undefined;
  /** The tool's input: a JSON object; `{}` if absent. */
  input?: Record<string, unknown> | null | undefined;
  /** The user's prompt, for `UserPromptSubmit`. */
  prompt?: string | null | undefined;
  /** Give the verdict also as a hook of this agent would print it: `rendered` of the result. */
  output?: string | null | undefined;
  /** Send `$/progress` for each hook. */
  progress?: boolean | undefined;
  /** What is different for this request. */
  options?: Options | undefined;
}

/** The result of `hooks/run`. */
export interface RunResult {
  /** What `hookshell run` prints. */
  verdict: Verdict;
  /** The exit code of `hookshell run`: 0 the call proceeds, 2 it is blocked, 49 the turn ends. */
  exit_code: number;
  /**
   * The verdict as a hook of the agent of `output` would print it. A reason of more than 8 KiB is cut there,
   * with a note that says where all of it is.
   */
  rendered?: Rendered | null | undefined;
  /** What the user should be told: an untrusted hook, an error in a config, a guard that could not be asked. */
  messages?: Message[] | undefined;
}

/** `ui/select`: have one of the options chosen. */
export interface SelectParams {
  /** The question. */
  title: string;
  /** What may be chosen. */
  options: string[];
}

/** The answer to `ui/select`. */
export interface SelectResult {
  /** One of the options; absent or `null`: none was chosen. */
  selected?: string | null | undefined;
}

/** `session/end`. */
export interface SessionEndParams {
  /** The session; that of `defaults` if absent. */
  session?: string | null | undefined;
}

/** Which shell ran a script or a command line. */
export interface ShellUse {
  /** The script or the command line. */
  command: string;
  /** The shell. */
  shell: string;
  /** Why that one. */
  reason: string;
}

/** A verdict, as `hookshell run` prints it. Keys are only ever added. */
export interface Verdict {
  /** The event, by hookshell's name for it. */
  event: string;
  /** `allow`, `deny`, `ask` or `defer`; `null`: no hook has an opinion. */
  decision?: string | null | undefined;
  /** The turn is to end. */
  halt: boolean;
  /** Why, for the model or the user. */
  reason?: string | null | undefined;
  /** What the model is to be told. */
  context?: string | null | undefined;
  /** The tool's input that is to be used instead. */
  updated_input?: Record<string, unknown> | null | undefined;
  /** The prompt that is to be used instead. */
  updated_prompt?: string | null | undefined;
  /** Files that the agent is referred to. */
  context_files: string[];
  /** What each hook gave, in config order. */
  hooks: HookReport[];
  /** The user's prompt, of events that have one. */
  prompt?: string | null | undefined;
  /** What the model is told of `context_files`. */
  context_files_note?: string | null | undefined;
  /** The tool's result that is to be used instead: any JSON value. */
  updated_result?: unknown | undefined;
  /** What the user is to be shown. */
  system_message?: string | null | undefined;
  /** Variables for the session, which hooks have set. */
  env?: Record<string, string> | undefined;
  /** What hooks said that only their own agent knows, by its name there. */
  agent_output?: Record<string, unknown> | undefined;
}

/**
 * `hooks/wake`: a hook of the background that may wake the agent (Claude Code's `"asyncRewake": true`) has
 * ended with exit code 2. Its event was answered long ago.
 */
export interface WakeParams {
  /** The session of its event; empty where it has none. */
  session: string;
  /** The event. */
  event: string;
  /** The hook. */
  name: string;
  /** What the model is to be told. */
  text: string;
}
