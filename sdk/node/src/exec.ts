/** The output of `shell/exec`: collected, or given to the caller as it comes. */

import type { ExecResult, OutputParams, OutputStream } from "./protocol.js";

/** Something that a command has written. */
export class OutputChunk {
  readonly stream: OutputStream;
  readonly #text: string | undefined;
  #bytes: Buffer | undefined;

  constructor(params: OutputParams) {
    this.stream = params.stream;
    this.#text = params.text ?? undefined;
    if (this.#text === undefined) this.#bytes = Buffer.from(params.base64 ?? "", "base64");
  }

  /** As text; bytes that are not UTF-8 become U+FFFD. A character is never divided between two chunks. */
  get text(): string {
    return this.#text ?? this.bytes.toString("utf8");
  }

  /** The bytes as they were written. */
  get bytes(): Buffer {
    return (this.#bytes ??= Buffer.from(this.#text ?? "", "utf8"));
  }

  /** How many bytes there are. */
  get length(): number {
    return this.#bytes?.length ?? Buffer.byteLength(this.#text ?? "");
  }
}

/** What {@link Hookshell.exec} gives. */
export interface ExecOutcome extends ExecResult {
  /** What was written to standard output; "" where `onOutput` was given. */
  stdout: string;
  /** What was written to standard error; "" where `onOutput` was given or `merge_stderr` set. */
  stderr: string;
  /** Output was dropped, because a stream had more than `maxOutput` bytes. */
  truncated: boolean;
}

/** How many bytes of output may be on their way before the caller has done its work with them. */
export const WINDOW = 1024 * 1024;

/** Takes the output of one command, in order, and says how much of it is done. */
export class OutputReader {
  readonly #onOutput: (chunk: OutputChunk) => unknown;
  readonly #acknowledge: (bytes: number) => void;
  readonly #fail: (error: unknown) => void;
  /** Chunks that wait until the promise that `onOutput` gave for an earlier one is settled. */
  #waiting: OutputChunk[] = [];
  #isBusy = false;
  #failure: { readonly error: unknown } | undefined;
  #done = 0;
  #idle: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;

  /** @param fail is told of the first error of `onOutput`. */
  constructor(
    onOutput: (chunk: OutputChunk) => unknown,
    acknowledge: (bytes: number) => void,
    fail: (error: unknown) => void,
  ) {
    this.#onOutput = onOutput;
    this.#acknowledge = acknowledge;
    this.#fail = fail;
  }

  push(params: OutputParams): void {
    const chunk = new OutputChunk(params);
    if (this.#isBusy) this.#waiting.push(chunk);
    else this.#give(chunk);
  }

  /** Waits until `onOutput` has done its work with all that was pushed, and fails with its error. */
  idle(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#idle = { resolve, reject };
      this.#settle();
    });
  }

  #settle(): void {
    if (this.#failure !== undefined) this.#idle?.reject(this.#failure.error);
    else if (!this.#isBusy) this.#idle?.resolve();
  }

  #give(chunk: OutputChunk): void {
    if (this.#failure !== undefined) return;
    try {
      const result = this.#onOutput(chunk);
      if (isThenable(result)) {
        this.#isBusy = true;
        result.then(
          () => this.#next(chunk),
          (error: unknown) => this.#failed(error),
        );
      } else {
        this.#finish(chunk);
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  #next(chunk: OutputChunk): void {
    this.#isBusy = false;
    this.#finish(chunk);
    while (!this.#isBusy) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#give(next);
    }
    this.#settle();
  }

  /** Not each chunk is acknowledged: half of the window is always open. */
  #finish(chunk: OutputChunk): void {
    this.#done += chunk.length;
    if (this.#done < WINDOW / 2) return;
    this.#acknowledge(this.#done);
    this.#done = 0;
  }

  #failed(error: unknown): void {
    this.#failure ??= { error };
    this.#isBusy = false;
    this.#waiting = [];
    this.#fail(error);
    this.#settle();
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | undefined)?.then === "function";
}

/** Keeps what a command writes, up to a limit for each stream. */
export class Collector {
  readonly #limit: number;
  readonly #chunks: Record<OutputStream, OutputChunk[]> = { stdout: [], stderr: [] };
  readonly #lengths: Record<OutputStream, number> = { stdout: 0, stderr: 0 };
  truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  readonly push = (chunk: OutputChunk): void => {
    if (this.#lengths[chunk.stream] >= this.#limit) {
      this.truncated ||= chunk.length > 0;
      return;
    }
    this.#lengths[chunk.stream] += chunk.length;
    this.#chunks[chunk.stream].push(chunk);
  };

  text(stream: OutputStream): string {
    if (this.#lengths[stream] <= this.#limit) return this.#chunks[stream].map((chunk) => chunk.text).join("");
    this.truncated = true;
    const bytes = Buffer.concat(this.#chunks[stream].map((chunk) => chunk.bytes));
    // A character that the limit divides is left out.
    let end = this.#limit;
    while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80 && this.#limit - end < 4) end--;
    return bytes.toString("utf8", 0, end);
  }
}
