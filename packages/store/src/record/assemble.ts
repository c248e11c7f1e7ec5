import { datasetProperty } from "@cadastre/entitlement/resources";
import { matches } from "@cadastre/odata/run";
import type { MemberIndex } from "./member-index.ts";
import type { RecordPlan } from "./plan.ts";

const comma = 0x2c;
const newline = 0x0a;
const open = 0x7b;
const close = 0x7d;

/** Pieces of at most this many bytes are copied byte by byte, which is faster than a call of `copyWithin`. */
const shortPiece = 24;

/** Output moves to the answer in blocks of at least this many bytes, which stay in the cache of the CPU until then. */
const blockSize = 65_536;

/** A record plan prepared for assembling many pages. */
export class RecordLayout {
  readonly plan: RecordPlan;
  /** Text that each slot has without a value (`,"Name":null`, `,"Name":[]` or nothing), for all slots in order. */
  readonly template: Buffer;
  /** Start of each slot's text in the template, and the end of the last one. */
  readonly offsets: Int32Array;
  /** Index of the slot by member ordinal; -1 for a member that is not shown. */
  readonly slotOf: Int32Array;
  readonly #shown = new Map<string | null, Uint8Array>();
  /** Most bytes by which the output of a record was longer than its text; negative if all were shorter. */
  #longestAddition: number | undefined;

  constructor(plan: RecordPlan) {
    const { slots, nulls } = plan;
    this.plan = plan;
    const texts = slots.map(({ name, collection }) => {
      if (!collection && !nulls) return "";
      return `,${JSON.stringify(name)}:${collection ? "[]" : "null"}`;
    });
    this.template = Buffer.from(texts.join(""));
    this.offsets = new Int32Array(slots.length + 1);
    this.slotOf = new Int32Array((slots.at(-1)?.ordinal ?? -1) + 1).fill(-1);
    for (const [i, { ordinal }] of slots.entries()) {
      this.offsets[i + 1] = (this.offsets[i] ?? 0) + Buffer.byteLength(texts[i] ?? "");
      this.slotOf[ordinal] = i;
    }
  }

  /** Records that the output of a record was `bytes` longer than its text. */
  noteAddition(bytes: number): void {
    if (this.#longestAddition === undefined || bytes > this.#longestAddition) this.#longestAddition = bytes;
  }

  /**
   * Returns the size that the output of records without computed members probably needs, in bytes. Records of one plan are alike: the
   * first output is taken to be as long as it can be, which may be twice of what it needs.
   *
   * @param records number of records
   * @param texts total size of their texts in bytes
   */
  outputSize(records: number, texts: number): number {
    return Math.max(0, records * ((this.#longestAddition ?? this.template.length) + 3) + texts);
  }

  /** Returns, for each slot, 1 if records of the dataset show it and 0 if not. */
  shownIn(dataset: string | null): Uint8Array {
    const known = this.#shown.get(dataset);
    if (known !== undefined) return known;
    const { slots, conditions } = this.plan;
    const row = { [datasetProperty.name]: dataset };
    const met = conditions.map((condition) => matches(condition, row));
    const shown = Uint8Array.from(slots, ({ condition }) => Number(condition < 0 || met[condition] === true));
    this.#shown.set(dataset, shown);
    return shown;
  }
}

/** A stored record with what a query shows of it, see {@link RecordAssembler.add}. */
export type ShownRecord = {
  readonly text: Uint8Array;
  readonly members: MemberIndex;
  readonly dataset: string | null;
  readonly computed: string;
};

/**
 * Assembles records as JSON text in UTF-8, separated by commas or each on a line. Its buffer holds the template, then the output,
 * then for a moment the text of one record. Pieces are copied within the buffer, without creating an object for each. Output moves
 * in blocks to the answer, if there is one: it may be shared memory, within which V8 copies byte by byte.
 */
export class RecordAssembler {
  #bytes: Buffer;
  #length: number;
  #answer: Buffer | undefined;
  /** Length of the output in the answer. */
  #moved = 0;
  readonly #layout: RecordLayout;
  readonly #separator: number;

  /** Returns the size that is enough for the buffer beside an answer, in bytes. @param longest size of the longest text in bytes */
  static bufferSize(layout: RecordLayout, longest: number): number {
    return blockSize + 4 * (layout.template.length + longest);
  }

  /**
   * @param memory initial buffer; it grows as needed
   * @param answer memory for the output; it grows as needed. If undefined, the output stays in the buffer
   */
  constructor(
    layout: RecordLayout,
    lines: boolean,
    memory: Buffer = Buffer.allocUnsafeSlow(16_384),
    answer?: Buffer,
  ) {
    const { template } = layout;
    this.#layout = layout;
    this.#answer = answer;
    this.#separator = lines ? newline : comma;
    this.#bytes = memory.length >= template.length ? memory : Buffer.allocUnsafeSlow(2 * template.length);
    this.#bytes.set(template);
    this.#length = template.length;
  }

  /**
   * Appends a record as {@link encodeRecord} returned it.
   *
   * @param computed JSON text of members that are computed by the query, each preceded by a comma
   */
  add(text: Uint8Array, members: MemberIndex, dataset: string | null, computed = ""): void {
    this.#moveBlock();
    this.#append(text, members, dataset, computed);
  }

  #append(text: Uint8Array, members: MemberIndex, dataset: string | null, computed: string): void {
    const { template, offsets, slotOf, plan } = this.#layout;
    const shown = this.#layout.shownIn(dataset);
    const most = text.length + template.length + computed.length * 3 + 3;
    this.#reserve(most + text.length);
    const bytes = this.#bytes;
    const source = this.#length + most;
    bytes.set(text, source);
    // Every piece begins with a comma. The first member is preceded by a brace, which is replaced by a comma.
    bytes[source] = comma;
    if (!this.#isEmpty) bytes[this.#length++] = this.#separator;
    const start = this.#length;
    let length = start;
    let slot = 0;
    let ordinal = -1;
    // Members that follow each other in both the text and the output are copied as one run.
    let runStart = source;
    let textAt = source;
    let runEnd = source;
    let at = 0;
    while (at < members.length) {
      // Decodes the digits of `MemberIndex` inline: a function call would take as long as the rest of the loop.
      let digit = members.charCodeAt(at++);
      let step = digit & 0x1f;
      for (let shift = 5; digit >= 0x60; shift += 5) {
        digit = members.charCodeAt(at++);
        step |= (digit & 0x1f) << shift;
      }
      digit = members.charCodeAt(at++);
      let size = digit & 0x1f;
      for (let shift = 5; digit >= 0x60; shift += 5) {
        digit = members.charCodeAt(at++);
        size |= (digit & 0x1f) << shift;
      }
      ordinal += step;
      const place = ordinal < slotOf.length ? (slotOf[ordinal] as number) : -1;
      if (place >= 0 && shown[place] === 1) {
        const from = offsets[slot] as number;
        const to = offsets[place] as number;
        if (to > from || runEnd !== textAt) {
          length = move(bytes, runStart, runEnd, length);
          length = move(bytes, from, to, length);
          runStart = textAt;
        }
        runEnd = textAt + size;
        slot = place + 1;
      }
      textAt += size;
    }
    length = move(bytes, runStart, runEnd, length);
    length = move(bytes, offsets[slot] as number, offsets[plan.slots.length] as number, length);
    if (computed !== "") length += bytes.write(computed, length);
    if (length === start) length++;
    bytes[start] = open;
    bytes[length++] = close;
    this.#layout.noteAddition(length - start - text.length);
    this.#length = length;
  }

  /** Appends a record if its output differs from that of another one, which is not shown. Returns true if it does. */
  addChanged(is: ShownRecord, was: ShownRecord): boolean {
    this.#moveBlock();
    const before = this.#length;
    const start = this.#isEmpty ? before : before + 1;
    const end = this.#appendBoth(is, was);
    const isSame = this.#bytes.compare(this.#bytes, end + 1, this.#length, start, end) === 0;
    this.#length = isSame ? before : end;
    return !isSame;
  }

  /** Returns true if the output of a record differs from that of another one. Appends nothing. */
  isChanged(is: ShownRecord, was: ShownRecord): boolean {
    this.#moveBlock();
    const before = this.#length;
    const isChanged = this.addChanged(is, was);
    this.#length = before;
    return isChanged;
  }

  /** Returns the output. The assembler must not be used afterwards. */
  finish(): Uint8Array {
    if (this.#separator === newline && !this.#isEmpty) {
      this.#reserve(1);
      this.#bytes[this.#length++] = newline;
    }
    this.#move();
    return this.#answer?.subarray(0, this.#moved) ?? this.#bytes.subarray(this.#start, this.#length);
  }

  /** Position of the output in the buffer. */
  get #start(): number {
    return this.#layout.template.length;
  }

  get #isEmpty(): boolean {
    return this.#moved + this.#length === this.#start;
  }

  #moveBlock(): void {
    if (this.#length - this.#start >= blockSize) this.#move();
  }

  /** Moves the output to the answer, if there is one. */
  #move(): void {
    if (this.#answer === undefined || this.#length === this.#start) return;
    const output = this.#bytes.subarray(this.#start, this.#length);
    const end = this.#moved + output.length;
    this.#answer = atLeast(this.#answer, end, this.#moved);
    // Unlike `set`, `fill` copies to shared memory as fast as to other memory.
    this.#answer.fill(output, this.#moved, end);
    this.#moved = end;
    this.#length = this.#start;
  }

  /** Appends two records. Returns where the first one ends. */
  #appendBoth(first: ShownRecord, second: ShownRecord): number {
    this.#append(first.text, first.members, first.dataset, first.computed);
    const end = this.#length;
    this.#append(second.text, second.members, second.dataset, second.computed);
    return end;
  }

  #reserve(size: number): void {
    this.#bytes = atLeast(this.#bytes, this.#length + size, this.#length);
  }
}

/** Returns a buffer of at least `size` bytes with the first `length` bytes of `buffer`, which is `buffer` itself if it is large enough. */
function atLeast(buffer: Buffer, size: number, length: number): Buffer {
  if (size <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(Math.max(size, buffer.length * 2));
  buffer.copy(larger, 0, 0, length);
  return larger;
}

/** Copies the bytes from `start` to `end` to position `at`, and returns the position after the copy. */
function move(bytes: Buffer, start: number, end: number, at: number): number {
  const length = end - start;
  if (length > shortPiece) bytes.copyWithin(at, start, end);
  else for (let i = start, j = at; i < end; i++, j++) bytes[j] = bytes[i] as number;
  return at + length;
}
