export { BINARY_VARIABLE, findBinary, platformPackage } from "./binary.js";
export {
  type ExecOptions,
  type HookEvent,
  Hookshell,
  type Llm,
  type RunOptions,
  type StartOptions,
  type Ui,
  VERSION,
} from "./client.js";
export {
  BinaryNotFoundError,
  BusyError,
  CancelledError,
  ClosedError,
  type ErrorDetails,
  HookshellError,
  InvalidParamsError,
  MessageTooLargeError,
  MethodNotFoundError,
  type ProcessExit,
  RequestError,
  RequestFailedError,
  ServerCrashedError,
  StartError,
} from "./errors.js";
export { type ExecOutcome, OutputChunk } from "./exec.js";
export type * from "./protocol.js";
export { PROTOCOL_VERSION } from "./protocol.js";
