/// <reference lib="esnext.disposable" preserve="true" />
/** The client of `hookshell serve`. */

import { resolve, sep } from "node:path";
import { findBinary } from "./binary.js";
import {
  ClosedError,
  HookshellError,
  InvalidParamsError,
  type ProcessExit,
  ServerCrashedError,
  StartError,
} from "./errors.js";
import { Collector, type ExecOutcome, type OutputChunk, OutputReader, WINDOW } from "./exec.js";
import {
  type CheckParams,
  type CheckResult,
  type CompleteParams,
  type CompleteResult,
  type ConfirmParams,
  type DoctorResult,
  type ExecParams,
  type ExecResult,
  type ExplainParams,
  type ExplainResult,
  type InitializeParams,
  type InitializeResult,
  type InputParams,
  type NotifyParams,
  type Options,
  type OutputParams,
  type ProgressParams,
  PROTOCOL_VERSION,
  type RunParams,
  type RunResult,
  type SelectParams,
  type WakeParams,
} from "./protocol.js";
import { type Question, type RequestOptions, Server } from "./server.js";

/** The version of this package. */
export const VERSION = "0.1.0";

type MaybePromise<T> = T | Promise<T>;

/**
 * How hooks reach the user. What is left out is answered as where nobody is there: nothing is selected, nothing confirmed.
 * `signal` is aborted when nobody waits for the answer any more. An error that is thrown is the safe answer too.
 */
export interface Ui {
  /** Have one of `options` chosen; null or undefined: none. */
  select?(question: SelectParams, signal: AbortSignal): MaybePromise<string | null | undefined>;
  /** Ask yes or no. */
  confirm?(question: ConfirmParams, signal: AbortSignal): MaybePromise<boolean>;
  /** Ask for a line of text; null or undefined: none was given. */
  input?(question: InputParams, signal: AbortSignal): MaybePromise<string | null | undefined>;
  /** Show a message. */
  notify?(message: NotifyParams): void;
}

/** The host's language model, for hooks of the types `prompt` and `agent`. */
export interface Llm {
  complete(request: CompleteParams, signal: AbortSignal): MaybePromise<CompleteResult>;
}

/** What {@link Hookshell.start} takes: the protocol's `Options` hold for every request that does not say otherwise. */
export interface StartOptions extends Options {
  /** How hooks reach the user. */
  ui?: Ui | undefined;
  /** The model that prompt hooks ask. Without it they ask the one that the environment names. */
  llm?: Llm | undefined;
  /** The host, for logs. */
  client?: { name: string; version?: string } | undefined;
  /** The program: an absolute path. Looked for by {@link findBinary} unless set. */
  binary?: string | undefined;
  /** Called when the process was started again after a crash. Without it a process warning says so. */
  onRestart?: ((exit: ProcessExit) => void) | undefined;
  /**
   * Called when a hook of the background tells the model something (Claude Code's `"asyncRewake": true`, exit code 2): its event was
   * answered before.
   */
  onWake?: ((wake: WakeParams) => void) | undefined;
  /** Gets what hookshell writes to standard error: it is for people, and nearly always empty. */
  onStderr?: ((text: string) => void) | undefined;
  /** How long the answer to `initialize` may take, in milliseconds; 30,000 unless set. */
  startTimeout?: number | undefined;
  /** How long `close` waits for the process to end by itself before it is killed, in milliseconds; 10,000 unless set. */
  closeTimeout?: number | undefined;
}

/** An event of {@link Hookshell.runHooks}: `event` with `tool` and `input`, or with `prompt`; or the agent's own `payload`. */
export type HookEvent = Omit<RunParams, "progress" | "options">;

/** What is different for one {@link Hookshell.runHooks}. */
export interface RunOptions extends Options {
  /** Cancels the hooks. The promise is rejected when they have ended. */
  signal?: AbortSignal | undefined;
  /** Called when a hook has started, and when it has ended. An error that it throws cancels the hooks. */
  onProgress?: ((progress: ProgressParams) => void) | undefined;
}

/** What is different for one {@link Hookshell.exec}. */
export interface ExecOptions
  extends Omit<ExecParams, "command" | "stdin" | "stdin_base64" | "window" | "options">,
    Pick<Options, "cwd" | "env" | "utilities" | "missing_shell" | "limits"> {
  /** Standard input; its end is the end of what is given. */
  stdin?: string | Uint8Array | undefined;
  /** Cancels the command: its whole process tree is told to stop, and killed after `grace` seconds. */
  signal?: AbortSignal | undefined;
  /**
   * Gets the output as it comes. Where it gives a promise, the next chunk waits for it, and the command's writing waits too
   * when 1 MiB is on its way. An error that it throws cancels the command.
   */
  onOutput?: ((chunk: OutputChunk) => unknown) | undefined;
  /** Without `onOutput`: how many bytes of each stream are kept; 16 MiB unless set. The rest is read and dropped. */
  maxOutput?: number | undefined;
}

const START_TIMEOUT = 30_000;

/** More than the grace that hookshell gives the commands that it ends, 2 seconds. */
const CLOSE_TIMEOUT = 10_000;

const MAX_OUTPUT = 16 * 1024 * 1024;

/** How often the process is started again after a crash. */
const MAX_RESTARTS = 1;

/** What a declaration of the class cannot say: the name of the method is found out when this is loaded. */
export interface Hookshell extends AsyncDisposable {}

/**
 * A running `hookshell serve`. It keeps the host's event loop alive only while an answer is awaited, and ends with the host.
 *
 * ```ts
 * await using hookshell = await Hookshell.start({ dialect: "claude" });
 * const { verdict } = await hookshell.runHooks({ event: "PreToolUse", tool: "Bash", input: { command: "ls" } });
 * ```
 */
export class Hookshell {
  readonly #options: Omit<StartOptions, keyof Options>;
  readonly #binary: string;
  /** Where hooks and commands run unless a request says otherwise, and what its paths are relative to, wherever the host is by then. */
  readonly #cwd: string;
  #initialize: InitializeParams;
  #server: Server | undefined;
  #starting: Promise<Server> | undefined;
  #restarts = 0;
  /** How the last process ended, where it was not closed. */
  #crash: ProcessExit | undefined;
  #closing: Promise<void> | undefined;
  #info: InitializeResult | undefined;

  private constructor(options: StartOptions, binary: string) {
    const { ui, llm, client, binary: _, onRestart, onWake, onStderr, startTimeout, closeTimeout, ...defaults } = options;
    this.#options = { ui, llm, onRestart, onWake, onStderr, startTimeout, closeTimeout };
    this.#binary = binary;
    const host = workingDirectory();
    this.#cwd = resolve(host, defaults.cwd ?? "");
    this.#initialize = {
      protocol_version: PROTOCOL_VERSION,
      client: client ?? { name: "hookshell (npm)", version: VERSION },
      capabilities: { ui: ui !== undefined, llm: llm !== undefined },
      defaults: absolute(defaults, host),
    };
  }

  /**
   * Starts `hookshell serve`.
   *
   * @throws BinaryNotFoundError where there is no hookshell on this machine.
   * @throws StartError where it cannot be started or does not speak this protocol.
   * @throws RequestError where an option is wrong.
   */
  static async start(options: StartOptions = {}): Promise<Hookshell> {
    const hookshell = new Hookshell(options, options.binary ?? findBinary());
    await hookshell.#connect();
    return hookshell;
  }

  /** What hookshell said of itself: its version, and what it can do. */
  get info(): InitializeResult {
    return this.#info as InitializeResult;
  }

  /** The process's number; undefined where it has ended. */
  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /**
   * Runs the hooks of an event and gives the verdict.
   *
   * An error is no verdict: take it for a deny where the hooks are to guard something.
   */
  async runHooks(event: HookEvent, options: RunOptions = {}): Promise<RunResult> {
    const { signal, onProgress, ...rest } = options;
    const params: RunParams = { ...event, progress: onProgress !== undefined, options: this.#absolute(rest) };
    const onNotification =
      onProgress &&
      ((method: string, progress: ProgressParams): void => {
        if (method === "$/progress") onProgress(progress);
      });
    return (await this.#request("hooks/run", params, { signal, onNotification })) as RunResult;
  }

  /** Runs one command in the in-process shell, as an agent's shell tool does. A failure of the command is a result, no error. */
  async exec(command: string, options: ExecOptions = {}): Promise<ExecOutcome> {
    const { cwd, env, utilities, missing_shell, limits, stdin, signal, onOutput, maxOutput, ...rest } = options;
    // JSON has no NaN: it would be sent as null, which is no limit at all.
    notNegative("timeout", rest.timeout);
    notNegative("grace", rest.grace);
    notNegative("maxOutput", maxOutput);
    const params: ExecParams = {
      ...rest,
      ...(typeof stdin === "string" ? { stdin } : stdin && { stdin_base64: Buffer.from(stdin).toString("base64") }),
      command,
      window: WINDOW,
      options: this.#absolute({ cwd, env, utilities, missing_shell, limits }),
    };
    const server = await this.#connected();
    const collector = new Collector(maxOutput ?? MAX_OUTPUT);
    let id = 0;
    const reader = new OutputReader(
      onOutput ?? collector.push,
      (bytes) => server.notify("shell/ack", { id, bytes }),
      (error) => server.fail(id, error),
    );
    const answer = server.request("shell/exec", params, {
      signal,
      onId: (number) => (id = number),
      onNotification: (method: string, output: OutputParams) => {
        if (method === "$/output") reader.push(output);
      },
    });
    const result = (await asked(answer)) as ExecResult;
    // The command has ended; the caller may still be at work with its last output.
    await reader.idle();
    const [stdout, stderr] = [collector.text("stdout"), collector.text("stderr")];
    return { ...result, stdout, stderr, truncated: collector.truncated };
  }

  /** Shows how a command would run, or without one which hooks would run and how. Nothing is run. */
  async explain(params: ExplainParams = {}, options: { signal?: AbortSignal } = {}): Promise<ExplainResult> {
    return (await this.#request("explain", this.#withOptions(params), options)) as ExplainResult;
  }

  /** Checks hook configs and the scripts that they name. */
  async check(params: CheckParams = {}, options: { signal?: AbortSignal } = {}): Promise<CheckResult> {
    const files = absolutePaths(params.files, resolve(this.#cwd, params.options?.cwd ?? ""));
    return (await this.#request("check", { ...this.#withOptions(params), files }, options)) as CheckResult;
  }

  /** Shows what this machine has that hooks use. */
  async doctor(options: Options & { signal?: AbortSignal } = {}): Promise<DoctorResult> {
    const { signal, ...rest } = options;
    return (await this.#request("doctor", { options: this.#absolute(rest) }, { signal })) as DoctorResult;
  }

  /**
   * Ends a session: its background hooks and modules end, and a `runHooks` of it that still runs is rejected with
   * {@link CancelledError}. It runs no `SessionEnd` hooks: send that event with `runHooks` first.
   *
   * @param session the session's identifier; that of `start` unless given.
   */
  async sessionEnd(session?: string): Promise<void> {
    await this.#request("session/end", { session }, {});
  }

  /** Ends the process and all that it started. Requests that are under way fail with {@link ClosedError}. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** `await using hookshell = await Hookshell.start()`: closes it at the end of the block. */
  async [Symbol.asyncDispose ?? asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    // One that is just starting is closed when it has.
    const server = this.#starting === undefined ? this.#server : await this.#starting.catch(() => undefined);
    await server?.close(this.#options.closeTimeout ?? CLOSE_TIMEOUT);
  }

  async #request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    return asked((await this.#connected()).request(method, params, options));
  }

  /** The running process: started again where it has crashed, once. */
  #connected(): Server | Promise<Server> {
    if (this.#closing !== undefined) throw new ClosedError();
    if (this.#server !== undefined) return this.#server;
    if (this.#starting !== undefined) return this.#starting;
    const exit = this.#crash;
    if (exit === undefined || this.#restarts >= MAX_RESTARTS) {
      const unknown = { code: null, signal: null, stderr: "" };
      const what = `not started again after ${this.#restarts + 1} crashes (a new Hookshell may be started)`;
      throw new ServerCrashedError(what, exit ?? unknown);
    }
    this.#restarts += 1;
    this.#initialize = { ...this.#initialize, defaults: { ...this.#initialize.defaults, cwd: this.#cwd } };
    return this.#connect().then((server) => {
      this.#sayRestarted(exit);
      return server;
    });
  }

  #sayRestarted(exit: ProcessExit): void {
    const { onRestart } = this.#options;
    if (onRestart !== undefined) {
      guarded(() => onRestart(exit));
      return;
    }
    const message = `${new ServerCrashedError("started again", exit).message}. What the sessions had started is lost`;
    process.emitWarning(message, { type: "HookshellWarning", code: "HOOKSHELL_RESTARTED" });
  }

  #connect(): Promise<Server> {
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  async #start(): Promise<Server> {
    const { ui, llm, onWake, onStderr, startTimeout } = this.#options;
    const server: Server = new Server({
      binary: this.#binary,
      args: ["serve"],
      questions: questions(ui, llm),
      notifications: new Map([
        ["ui/notify", (params) => guarded(() => ui?.notify?.(params as NotifyParams))],
        ["hooks/wake", (params) => guarded(() => onWake?.(params as WakeParams))],
      ]),
      onStderr: (text) => guarded(() => onStderr?.(text)),
      onExit: (exit) => {
        if (this.#server !== server) return;
        this.#server = undefined;
        this.#crash = exit;
      },
    });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      server.kill();
    }, startTimeout ?? START_TIMEOUT);
    try {
      const info = (await server.request("initialize", this.#initialize)) as InitializeResult;
      if (info?.protocol_version !== PROTOCOL_VERSION) {
        const found = String(info?.protocol_version);
        throw new StartError(`${this.#binary} speaks version ${found} of the protocol, this client ${PROTOCOL_VERSION}`);
      }
      this.#info = info;
      server.maxMessageBytes = info.limits.max_message_bytes;
    } catch (error) {
      server.kill();
      if (isLate) throw new StartError(`${this.#binary} has not answered in time`, { cause: error });
      if (!(error instanceof ServerCrashedError)) throw error;
      throw new StartError(`${this.#binary} serve: ${error.message}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
    // It may have ended between its answer and now.
    if (server.exit === undefined) this.#server = server;
    else this.#crash = server.exit;
    return server;
  }

  #absolute(options: Options): Options {
    return hasMembers(options) ? absolute(options, this.#cwd) : options;
  }

  #withOptions<P extends { options?: Options | undefined }>(params: P): P {
    return { ...params, options: this.#absolute(params.options ?? {}) };
  }
}

const asyncDispose: unique symbol = Symbol.for("Symbol.asyncDispose") as never;

/** An answer. Its error is made where it is read: here it gets the trace of who waits for it. */
async function asked(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof HookshellError) Error.captureStackTrace?.(error, asked);
    throw error;
  }
}

/** Refuses what is no number, or a negative one. */
function notNegative(name: string, value: number | null | undefined): void {
  if (value == null || value >= 0) return;
  throw new InvalidParamsError("shell/exec", -32602, `\`${name}\` must be a number that is not negative, found ${value}`);
}

function hasMembers(options: Options): boolean {
  for (const _ in options) return true;
  return false;
}

/** The options with absolute paths: the process's working directory is not the caller's. */
function absolute(options: Options, base: string): Options {
  const cwd = options.cwd == null ? options.cwd : resolve(base, options.cwd);
  return {
    ...options,
    cwd,
    project: options.project == null ? options.project : resolve(cwd ?? base, options.project),
    configs: absolutePaths(options.configs, cwd ?? base),
    hooks: absolutePaths(options.hooks, cwd ?? base),
  };
}

/** The paths of a list. What is none, as a single path, the server refuses. */
function absolutePaths<P extends string[] | null | undefined>(paths: P, base: string): P | string[] {
  return Array.isArray(paths) ? paths.map((path) => resolve(base, path)) : paths;
}

/** The host's; where it was removed, one that has no relative paths. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env["PWD"] ?? resolve(sep);
  }
}

/** What the server may ask, each answered as where nobody is there unless the host has a handler for it. */
function questions(ui: Ui | undefined, llm: Llm | undefined): Map<string, Question> {
  const map = new Map<string, Question>();
  if (ui !== undefined) {
    map.set("ui/select", async (params, signal) => ({
      selected: (await ui.select?.(params as SelectParams, signal)) ?? null,
    }));
    map.set("ui/confirm", async (params, signal) => ({
      confirmed: (await ui.confirm?.(params as ConfirmParams, signal)) === true,
    }));
    map.set("ui/input", async (params, signal) => ({ text: (await ui.input?.(params as InputParams, signal)) ?? null }));
  }
  if (llm !== undefined) map.set("llm/complete", async (params, signal) => llm.complete(params as CompleteParams, signal));
  return map;
}

/** Calls a function of the host's. An error in it is the host's, and does not break the conversation: it is thrown on its own. */
function guarded(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
