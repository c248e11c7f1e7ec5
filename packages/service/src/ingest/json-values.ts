import type { FileContent } from "./entry.ts";

/** Reads a JSON document value by value, as text. It finds where a value ends; what it returns need not be JSON. */
export class JsonValues {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #longest: number;
  #buffer: Buffer = Buffer.alloc(0);
  /** Range of the buffer that is not consumed. */
  #start = 0;
  #end = 0;
  /** Position of the buffer's first byte in the document. */
  #origin = 0;

  /** @param longest maximum length of a value, in bytes */
  constructor(content: FileContent, longest: number) {
    this.#chunks = content[Symbol.asyncIterator]();
    this.#longest = longest;
  }

  /** Position of the next byte in the document. */
  get position(): number {
    return this.#origin + this.#start;
  }

  /** Releases the content. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Skips the byte order mark, if there is one. */
  async skipMark(): Promise<void> {
    while (this.#end - this.#start < byteOrderMark.length) if (!(await this.#fill())) return;
    if (byteOrderMark.equals(this.#buffer.subarray(this.#start, this.#start + byteOrderMark.length)))
      this.#start += byteOrderMark.length;
  }

  /** Skips white space and returns the next byte, without consuming it. Undefined at the end of the document. */
  async peek(): Promise<number | undefined> {
    do {
      while (this.#start < this.#end) {
        const byte = this.#buffer[this.#start];
        if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
        this.#start++;
      }
    } while (await this.#fill());
    return undefined;
  }

  /** Consumes one byte. */
  skip(): void {
    this.#start++;
  }

  /**
   * Consumes a value, from its first byte on, and returns its text. Undefined if the document ends before the value does.
   *
   * @throws {ValueTooLong}
   */
  async take(): Promise<string | undefined> {
    const scan = new ValueScan();
    for (;;) {
      const end = scan.endIn(this.#buffer, this.#start, this.#end);
      const length = (end ?? this.#end) - this.#start;
      if (length > this.#longest) throw new ValueTooLong();
      if (end === undefined && (await this.#fill())) continue;
      // Only a number or a word may end with the document.
      if (end === undefined && !scan.isWord) return undefined;
      const text = this.#buffer.toString("utf8", this.#start, this.#start + length);
      this.#start += length;
      return text;
    }
  }

  /** Appends the next chunk to the buffer. False at the end of the content. */
  async #fill(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    const chunk: Uint8Array = next.value;
    const kept = this.#end - this.#start;
    if (this.#end + chunk.length > this.#buffer.length) {
      // The size is at least doubled, so that a long value is copied a bounded number of times.
      const needed = kept + chunk.length;
      const target =
        needed <= this.#buffer.length / 2 ? this.#buffer : Buffer.allocUnsafe(Math.max(needed * 2, least));
      this.#buffer.copy(target, 0, this.#start, this.#end);
      this.#buffer = target;
      this.#origin += this.#start;
      this.#start = 0;
      this.#end = kept;
    }
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
    return true;
  }
}

/** The value is longer than it may be. */
export class ValueTooLong extends Error {
  override readonly name = "ValueTooLong";
}

/** Least size of a buffer that is allocated, in bytes. */
const least = 256 * 1024;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const quote = 0x22;
const backslash = 0x5c;

/** Meanings of a byte outside of strings. Brackets of both kinds are alike: the parser of the text tells them apart. */
const kinds = { other: 0, opens: 1, closes: 2, quotes: 3, separates: 4 } as const;
const kindOf = new Uint8Array(256);
for (const [kind, characters] of [
  [kinds.opens, "[{"],
  [kinds.closes, "]}"],
  [kinds.quotes, '"'],
  [kinds.separates, ",: \t\r\n"],
] as const)
  for (const byte of Buffer.from(characters)) kindOf[byte] = kind;

/** Search for the end of a value, which continues when more of the value is there. */
class ValueScan {
  /** Number of bytes of the value that were scanned. */
  #scanned = 0;
  #depth = 0;
  #isInString = false;
  /** True if the value is a number, `true`, `false`, `null` or malformed, so that it ends before the first byte that is not its own. */
  isWord = false;

  /** Returns the position behind the value that begins at `start`. Undefined if it does not end before `end`. */
  endIn(buffer: Buffer, start: number, end: number): number | undefined {
    let at = start + this.#scanned;
    let depth = this.#depth;
    let isInString = this.#isInString;
    while (at < end) {
      if (isInString) {
        const byte = buffer[at++];
        if (byte === backslash) at++;
        else if (byte === quote) {
          isInString = false;
          if (depth === 0) return at;
        }
        continue;
      }
      const kind = kindOf[buffer[at] as number];
      if (kind === kinds.other) this.isWord ||= depth === 0;
      else if (depth === 0 && (this.isWord || kind === kinds.separates || kind === kinds.closes)) return at;
      else if (kind === kinds.quotes) isInString = true;
      else if (kind === kinds.opens) depth++;
      else if (kind === kinds.closes && --depth === 0) return at + 1;
      at++;
    }
    this.#scanned = at - start;
    this.#depth = depth;
    this.#isInString = isInString;
    return undefined;
  }
}
