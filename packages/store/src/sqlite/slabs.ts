/** Memory that two threads share: one fills it, the other reads it and gives it back. */
export type Slab = {
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  /** The slab in whose place it is. */
  readonly replaced: number | undefined;
};

/** Bytes before the content: the state, one Int32. */
const head = 8;

const [free, taken] = [0, 1];

const smallest = 65_536;
const greatest = 64 * 1024 * 1024;

/** Slabs that a thread has at most. When all are taken, answers are moved instead. */
const most = 6;

export const contentOf = (memory: SharedArrayBuffer): Buffer => Buffer.from(memory, head);

/** Give a slab back to the thread that fills it. */
export const release = (memory: SharedArrayBuffer): void => setState(memory, free);

const setState = (memory: SharedArrayBuffer, state: number): void =>
  void Atomics.store(new Int32Array(memory, 0, 1), 0, state);

/** The slabs of a thread that fills them: no answer needs memory of its own, which would have to be collected. */
export class Slabs {
  readonly #slabs: Slab[] = [];
  #last = 0;

  /** A slab for so many bytes; undefined where there is none to be had. */
  take(bytes: number): Slab | undefined {
    if (bytes > greatest - head) return undefined;
    const idle = this.#slabs.filter(isFree);
    const found = idle.find(({ memory }) => memory.byteLength >= bytes + head) ?? this.#make(bytes, idle);
    if (found !== undefined) setState(found.memory, taken);
    return found;
  }

  #make(bytes: number, [replaced]: readonly Slab[]): Slab | undefined {
    const isFull = this.#slabs.length >= most;
    if (isFull && replaced === undefined) return undefined;
    if (isFull && replaced !== undefined) this.#slabs.splice(this.#slabs.indexOf(replaced), 1);
    let size = smallest;
    while (size < bytes + head) size *= 2;
    const memory = new SharedArrayBuffer(size);
    const slab = { id: ++this.#last, memory, replaced: isFull ? replaced?.id : undefined };
    this.#slabs.push(slab);
    // The smallest that is large enough is taken first.
    this.#slabs.sort((a, b) => a.memory.byteLength - b.memory.byteLength);
    return slab;
  }
}

const isFree = ({ memory }: Slab): boolean => Atomics.load(new Int32Array(memory, 0, 1), 0) === free;
