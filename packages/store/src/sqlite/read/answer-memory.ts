/** Parts begin at multiples of it, in bytes. */
const granule = 4096;

/** Bytes of returned records that are overwritten, so that a read after the return does not look like an answer. */
const overwritten = 65_536;

type Part = { readonly start: number; readonly end: number };

/**
 * Memory of a reader thread for the records of its answers, which other threads read where they are: one shared block, of which parts are lent.
 * V8 does not count shared memory; buffers that move between threads make it collect all garbage each time that some megabytes have moved.
 */
export class AnswerMemory {
  readonly #block: SharedArrayBuffer;
  /** Unused parts, by place. No two of them touch. */
  readonly #free: Part[];
  readonly #lent = new Map<number, Part>();
  #taken: Part[] = [];

  /** @param bytes size of the block. An answer that finds no place in it has a buffer of its own. */
  constructor(bytes: number) {
    this.#block = new SharedArrayBuffer(Math.floor(bytes / granule) * granule);
    this.#free = [{ start: 0, end: this.#block.byteLength }];
  }

  /** Returns a buffer of at least `bytes` bytes for the current task, in the first unused part that is large enough. */
  readonly take = (bytes: number): Buffer => {
    const length = Math.max(1, Math.ceil(bytes / granule)) * granule;
    const place = this.#free.findIndex(({ start, end }) => end - start >= length);
    const found = this.#free[place];
    if (found === undefined) return Buffer.allocUnsafeSlow(bytes);
    const part = { start: found.start, end: found.start + length };
    this.#free.splice(place, 1, ...(part.end < found.end ? [{ start: part.end, end: found.end }] : []));
    this.#taken.push(part);
    return Buffer.from(this.#block, part.start, length);
  };

  /**
   * Ends a task: what holds its answer is lent, all else that it took is unused again.
   *
   * @param records undefined if there is no answer
   */
  readonly lend = (records: Uint8Array | undefined): void => {
    for (const { start, end } of this.#taken) {
      const isAnswer =
        records?.buffer === this.#block && start <= records.byteOffset && records.byteOffset < end;
      const kept = isAnswer ? Math.ceil((records.byteOffset + records.length) / granule) * granule : start;
      if (isAnswer) this.#lent.set(records.byteOffset, { start, end: kept });
      this.#addFree({ start: kept, end });
    }
    this.#taken = [];
  };

  /** @param offset where the records of an answer begin in the block */
  readonly giveBack = (offset: number): void => {
    const part = this.#lent.get(offset);
    if (part === undefined) return;
    this.#lent.delete(offset);
    this.#addFree(part);
  };

  #addFree({ start, end }: Part): void {
    if (start === end) return;
    const found = this.#free.findIndex((one) => one.start > start);
    const place = found < 0 ? this.#free.length : found;
    const [before, after] = [this.#free[place - 1], this.#free[place]];
    const joinsBefore = before?.end === start;
    const joinsAfter = after?.start === end;
    this.#free.splice(place - (joinsBefore ? 1 : 0), (joinsBefore ? 1 : 0) + (joinsAfter ? 1 : 0), {
      start: joinsBefore ? before.start : start,
      end: joinsAfter ? after.end : end,
    });
  }
}

/**
 * Returns a function that overwrites the start of records in a shared block and returns their place to its thread, once.
 *
 * @param giveBack see {@link AnswerMemory.giveBack}; records outside of a shared block are not returned
 */
export function releaseOnce(records: Uint8Array, giveBack: (offset: number) => void): () => void {
  let isReleased = !(records.buffer instanceof SharedArrayBuffer);
  return () => {
    if (isReleased) return;
    isReleased = true;
    records.fill(0, 0, Math.min(records.length, overwritten));
    giveBack(records.byteOffset);
  };
}
