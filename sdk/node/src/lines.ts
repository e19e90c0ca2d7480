/** Dividing a stream of bytes into lines. */

/** Collects bytes and gives each complete line, without its newline, to `onLine`. */
export class LineReader {
  /** The beginning of a line whose end has not come yet. */
  #parts: Buffer[] = [];
  #length = 0;
  readonly #limit: number;
  readonly #onLine: (line: string) => void;

  /** @param limit the longest line in bytes; a longer one makes `push` throw. */
  constructor(limit: number, onLine: (line: string) => void) {
    this.#limit = limit;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      if (end < 0) break;
      const line = this.#take(chunk.subarray(start, end));
      start = end + 1;
      if (line !== "") this.#onLine(line);
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#limit) throw new RangeError(`a line of more than ${this.#limit} bytes`);
    this.#parts.push(part);
  }

  #take(last: Buffer): string {
    if (this.#parts.length === 0) return last.toString("utf8");
    this.#keep(last);
    const line = Buffer.concat(this.#parts, this.#length).toString("utf8");
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}
