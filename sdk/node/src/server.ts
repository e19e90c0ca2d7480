/** One process `hookshell serve`, and the JSON-RPC conversation with it. */

import { spawn, type ChildProcess } from "node:child_process";
import {
  CANCELLED,
  CancelledError,
  ClosedError,
  type HookshellError,
  InvalidParamsError,
  MessageTooLargeError,
  type ProcessExit,
  requestError,
  ServerCrashedError,
  StartError,
} from "./errors.js";
import { LineReader } from "./lines.js";

/** The longest line that is taken from the server, in bytes. Hooks' output is bounded, so that no result comes near. */
const MAX_LINE = 256 * 1024 * 1024;

/** As it is now: a test of the host's may put another clock in its place. */
const later = setImmediate;

/** How much of the end of standard error is kept for the message of a crash, in characters. */
const STDERR_TAIL = 4096;

/** How long the end of the output is awaited after the process has ended, in milliseconds. */
const DRAIN = 500;

const INVALID_PARAMS = -32602;

/** The code of an error in a handler of the host's. */
const INTERNAL_ERROR = -32603;
const METHOD_NOT_FOUND = -32601;

/** What the server asks: the answer's `result`, or a promise of it. */
export type Question = (params: unknown, signal: AbortSignal) => unknown;

/** What a server is given at its start. */
export interface ServerOptions {
  readonly binary: string;
  readonly args: readonly string[];
  /** Requests of the server, by method. */
  readonly questions: ReadonlyMap<string, Question>;
  /** Notifications of the server that belong to no request, by method. */
  readonly notifications: ReadonlyMap<string, (params: unknown) => void>;
  readonly onStderr: (text: string) => void;
  /** Called once, when the process has ended and its output was read to the end. */
  readonly onExit: (exit: ProcessExit) => void;
}

/** What belongs to one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Notifications whose `id` is that of the request. An error that it throws cancels the request, and is what it is rejected with. */
  readonly onNotification?: ((method: string, params: never) => void) | undefined;
  /** Called with the number that the request got, before it is sent. */
  readonly onId?: ((id: number) => void) | undefined;
}

interface Pending {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly options: RequestOptions;
  /** An error of the caller's own. */
  failure?: { readonly error: unknown };
  readonly onAbort: (() => void) | undefined;
}

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export class Server {
  readonly #child: ChildProcess;
  readonly #options: ServerOptions;
  readonly #pending = new Map<number, Pending>();
  /** What hooks ask the host at the moment, by the server's number. */
  readonly #questions = new Map<number | string, AbortController>();
  #nextId = 1;
  #stderr = "";
  #exit: ProcessExit | undefined;
  #isClosing = false;
  /** The end of the process is awaited. */
  #isEnding = false;
  #startError: Error | undefined;
  #drain: NodeJS.Timeout | undefined;
  /** It has sent what is not the protocol. */
  #isAbandoned = false;
  #isHeld = true;
  #isLettingGo = false;
  #onEnded = (): void => {};
  readonly #ended = new Promise<void>((resolve) => (this.#onEnded = resolve));
  /** The longest message that the server takes, in bytes. */
  maxMessageBytes = 16 * 1024 * 1024;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#child = spawn(options.binary, options.args, {
      stdio: ["pipe", "pipe", "pipe"],
      // A Ctrl-C in the host's terminal is for the host: what it means for a turn, the host says by cancelling.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const lines = new LineReader(MAX_LINE, (line) => this.#onLine(line));
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      if (this.#isAbandoned) return;
      try {
        lines.push(chunk);
      } catch (error) {
        this.#abandon(error);
      }
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL);
      options.onStderr(text);
    });
    // A server that ends leaves EPIPE for what is still written: its exit says more.
    this.#child.stdin?.on("error", () => {});
    this.#child.on("error", (error) => {
      this.#startError = error;
      if (this.#child.pid === undefined) this.#onExit(null, null);
    });
    this.#child.on("close", (code, signal) => this.#onExit(code, signal));
    this.#child.on("exit", (code, signal) => {
      // What it leaves behind after a crash may hold its standard error open: `close` would not come.
      this.#drain = setTimeout(() => this.#onExit(code, signal), DRAIN);
    });
    this.#hold(false);
  }

  /** How the process ended; undefined while it runs. */
  get exit(): ProcessExit | undefined {
    return this.#exit;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends a request and gives the `result` of its answer. */
  request(method: string, params: unknown, options: RequestOptions = {}): Promise<unknown> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(new CancelledError(method, signal.reason));
    if (this.#isClosing && method !== "shutdown") return Promise.reject(new ClosedError());
    if (this.#exit !== undefined) return Promise.reject(this.#crashed(method, this.#exit));
    const id = this.#nextId++;
    let line: string;
    try {
      line = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    } catch (cause) {
      // A number of the type BigInt, an object that holds itself, an input that is nested too deep.
      const error = new InvalidParamsError(method, INVALID_PARAMS, `the parameters are not JSON: ${messageOf(cause)}`);
      error.cause = cause;
      return Promise.reject(error);
    }
    if (line.length * 3 > this.maxMessageBytes && Buffer.byteLength(line) > this.maxMessageBytes) {
      const message = `the request has more than ${this.maxMessageBytes} bytes`;
      return Promise.reject(new MessageTooLargeError(method, -32004, message));
    }
    return new Promise((resolve, reject) => {
      const onAbort = signal && (() => this.notify("$/cancel", { id }));
      signal?.addEventListener("abort", onAbort as () => void, { once: true });
      this.#hold(true);
      this.#pending.set(id, { method, resolve, reject, options, onAbort });
      options.onId?.(id);
      this.#write(line);
    });
  }

  /** Cancels a request because of an error of the caller's own, with which it is rejected when it has ended. */
  fail(id: number, error: unknown): void {
    const pending = this.#pending.get(id);
    if (pending === undefined || pending.failure !== undefined) return;
    pending.failure = { error };
    this.notify("$/cancel", { id });
  }

  /** Sends a notification. */
  notify(method: string, params: unknown): void {
    if (this.#exit === undefined) this.#write(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /** Ends the process: `shutdown` and `exit`, and a kill where it has not ended after `maxWait` milliseconds. */
  async close(maxWait: number): Promise<void> {
    this.#isClosing = true;
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new ClosedError());
    for (const question of this.#questions.values()) question.abort(new ClosedError());
    if (this.#exit !== undefined) return;
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), maxWait);
    try {
      // It answers `shutdown` when all it started has ended. If it crashes meanwhile, it is closed too.
      await this.request("shutdown", {}).catch(() => {});
      this.notify("exit", {});
      this.#child.stdin?.end();
      this.#isEnding = true;
      this.#hold(true);
      await this.#ended;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the process at once. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Lets go of the host's event loop, unless there is another request when it comes around: most often the next one comes at once. */
  #letGo(): void {
    if (this.#isLettingGo) return;
    this.#isLettingGo = true;
    later(() => {
      this.#isLettingGo = false;
      if (this.#pending.size === 0 && !this.#isEnding) this.#hold(false);
    });
  }

  /** Does the process keep the host's event loop alive? Only while an answer is awaited. */
  #hold(hold: boolean): void {
    if (this.#isHeld === hold) return;
    this.#isHeld = hold;
    const call = hold ? "ref" : "unref";
    this.#child[call]();
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      // They are sockets, whose type child_process does not tell.
      (stream as { ref?: () => void; unref?: () => void } | null)?.[call]?.();
    }
  }

  #onLine(line: string): void {
    const message = JSON.parse(line) as Message;
    if (message.method === undefined) {
      this.#onResponse(message);
    } else if (message.id === undefined || message.id === null) {
      this.#onNotification(message.method, message.params);
    } else {
      void this.#onQuestion(message.id, message.method, message.params);
    }
  }

  #onResponse(message: Message): void {
    const pending = typeof message.id === "number" ? this.#settle(message.id) : undefined;
    if (pending === undefined) return;
    const { method, options } = pending;
    if (pending.failure !== undefined) {
      pending.reject(pending.failure.error);
    } else if (options.signal?.aborted) {
      pending.reject(new CancelledError(method, options.signal.reason));
    } else if (message.error !== undefined) {
      pending.reject(requestError(method, message.error));
    } else {
      pending.resolve(message.result);
    }
  }

  /** Takes a request out of those that wait. */
  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#letGo();
    if (pending.onAbort) pending.options.signal?.removeEventListener("abort", pending.onAbort);
    return pending;
  }

  #onNotification(method: string, params: unknown): void {
    if (method === "$/cancel") {
      const { id } = params as { id: number | string };
      this.#questions.get(id)?.abort(new CancelledError("the question of a hook"));
      return;
    }
    const id = (params as { id?: unknown } | undefined)?.id;
    if (typeof id === "number") {
      try {
        this.#pending.get(id)?.options.onNotification?.(method, params as never);
      } catch (error) {
        this.fail(id, error);
      }
    } else {
      this.#options.notifications.get(method)?.(params);
    }
  }

  async #onQuestion(id: number | string, method: string, params: unknown): Promise<void> {
    const answer = (rest: object) => {
      if (this.#exit === undefined) this.#write(JSON.stringify({ jsonrpc: "2.0", id, ...rest }));
    };
    const question = this.#options.questions.get(method);
    if (question === undefined) {
      answer({ error: { code: METHOD_NOT_FOUND, message: `this client does not answer ${method}` } });
      return;
    }
    const abort = new AbortController();
    this.#questions.set(id, abort);
    const cancelled = new Promise<never>((_, reject) => {
      abort.signal.addEventListener("abort", () => reject(abort.signal.reason), { once: true });
    });
    try {
      // A handler that does not hear the signal keeps nobody waiting.
      answer({ result: await Promise.race([Promise.resolve(question(params, abort.signal)), cancelled]) });
    } catch (error) {
      const code = abort.signal.aborted ? CANCELLED : INTERNAL_ERROR;
      answer({ error: { code, message: messageOf(error) } });
    } finally {
      this.#questions.delete(id);
    }
  }

  /** The server says what is not the protocol: it is of no use any more. */
  #abandon(error: unknown): void {
    this.#isAbandoned = true;
    this.#stderr = `${this.#stderr}\nit sent what is not the protocol: ${String(error)}`.slice(-STDERR_TAIL);
    this.kill();
  }

  #onExit(code: number | null, signal: string | null): void {
    if (this.#exit !== undefined) return;
    this.#exit = { code, signal, stderr: this.#stderr };
    for (const id of [...this.#pending.keys()]) {
      const pending = this.#settle(id);
      pending?.reject(this.#crashed(pending.method, this.#exit));
    }
    for (const question of this.#questions.values()) question.abort(new ClosedError("hookshell serve ended"));
    clearTimeout(this.#drain);
    this.#onEnded();
    this.#options.onExit(this.#exit);
  }

  #crashed(method: string, exit: ProcessExit): HookshellError {
    if (this.#startError === undefined) return new ServerCrashedError(method, exit);
    return new StartError(`${this.#options.binary} cannot be started: ${this.#startError.message}`, {
      cause: this.#startError,
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
