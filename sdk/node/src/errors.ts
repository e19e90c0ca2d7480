/** What can go wrong, as classes: catch {@link HookshellError} for all of them. */

/** The base class of all errors of this package. */
export class HookshellError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** There is no program `hookshell`. `tried` says where it was looked for. */
export class BinaryNotFoundError extends HookshellError {
  readonly tried: readonly string[];
  constructor(tried: readonly string[]) {
    super(`hookshell was not found: ${tried.join("; ")}. Install its package for this platform, which is an optional dependency, or build it with cargo and set HOOKSHELL_BIN`);
    this.tried = tried;
  }
}

/** The process could not be started, or did not answer `initialize` as hookshell does. */
export class StartError extends HookshellError {}

/** How a process ended. */
export interface ProcessExit {
  /** Its exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of what it wrote to standard error. */
  readonly stderr: string;
}

/**
 * The process ended while it was needed. The request may have done a part of its work, so it is not sent once more: the
 * caller decides. The next request starts the process again, once.
 */
export class ServerCrashedError extends HookshellError {
  readonly exit: ProcessExit;
  constructor(what: string, exit: ProcessExit) {
    const how = exit.signal === null ? `with exit code ${exit.code}` : `by ${exit.signal}`;
    const stderr = exit.stderr.trim();
    super(`${what}: hookshell serve ended ${how}${stderr === "" ? "" : `: ${stderr}`}`);
    this.exit = exit;
  }
}

/** The client was closed, before the request or during it. */
export class ClosedError extends HookshellError {
  constructor(message = "this Hookshell is closed") {
    super(message);
  }
}

/**
 * The request's AbortSignal was aborted, or the server cancelled the request. What the request had started has ended. The
 * name is `AbortError`, as in Node's own functions, and `cause` is the signal's reason.
 */
export class CancelledError extends HookshellError {
  constructor(method: string, cause?: unknown) {
    super(`${method} was cancelled`, { cause });
    this.name = "AbortError";
  }
}

/** More about a failed request. */
export interface ErrorDetails {
  /** What is wrong, each thing by itself: a config may have several errors. */
  readonly reasons: readonly string[];
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** The exit code that the same command of the command line has for it (64 to 74). */
  readonly exit_code?: number | undefined;
}

/** The server answered a request with an error. The other requests are not concerned. */
export class RequestError extends HookshellError {
  readonly method: string;
  /** The code of the protocol's table of errors. */
  readonly code: number;
  readonly details: ErrorDetails;
  constructor(method: string, code: number, message: string, details?: Partial<ErrorDetails>) {
    const hint = details?.hint === undefined ? "" : ` (${details.hint})`;
    super(`${method}: ${message}${hint}`);
    this.method = method;
    this.code = code;
    this.details = { reasons: [], ...details };
  }
}

/** The work could not be done: a config that cannot be read, a directory that is not there. */
export class RequestFailedError extends RequestError {}

/** A parameter is missing, unknown or of the wrong type. */
export class InvalidParamsError extends RequestError {}

/** This version of hookshell does not have the method. */
export class MethodNotFoundError extends RequestError {}

/** Too many requests wait. Nothing was run: ask again later. */
export class BusyError extends RequestError {}

/** The request is longer than the protocol allows. Nothing was run. */
export class MessageTooLargeError extends RequestError {}

/** The codes of the protocol that have a class of their own. */
const CLASSES: Readonly<Record<number, typeof RequestError>> = {
  [-32000]: RequestFailedError,
  [-32601]: MethodNotFoundError,
  [-32602]: InvalidParamsError,
  [-32003]: BusyError,
  [-32004]: MessageTooLargeError,
};

/** The code of a request that was cancelled. */
export const CANCELLED = -32800;

/** The error that stands for the member `error` of a response. */
export function requestError(method: string, error: unknown): RequestError | CancelledError {
  const { code, message, data } = fields(error);
  if (code === CANCELLED) return new CancelledError(method);
  const type = CLASSES[code] ?? RequestError;
  return new type(method, code, message, data);
}

function fields(error: unknown): { code: number; message: string; data: Partial<ErrorDetails> } {
  if (typeof error !== "object" || error === null) return { code: -32603, message: "no message", data: {} };
  const { code, message, data } = error as Record<string, unknown>;
  return {
    code: typeof code === "number" ? code : -32603,
    message: typeof message === "string" ? message : "no message",
    data: typeof data === "object" && data !== null ? (data as Partial<ErrorDetails>) : {},
  };
}
