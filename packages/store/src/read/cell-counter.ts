/** Name of the aggregate function of SQLite that counts rows by a {@link CellCounter}. */
export const cellAggregate = "cadastre_cells";

/** Numbers of an entry of the hash table: both numbers of a cell, the number of its records, and 1 if the entry is taken. */
const entry = 4;

/** Counts records by cell, in a hash table with open addressing. Records without one of the two values are in no cell. */
export class CellCounter {
  #table = new Int32Array(1024 * entry);
  #taken = 0;

  /** @param first,second 32-bit integers */
  add(first: number, second: number, count: number): void {
    const at = this.#find(first, second);
    const table = this.#table;
    table[at + 2] = (table[at + 2] as number) + count;
    if (table[at + 3] === 1) return;
    table[at] = first;
    table[at + 1] = second;
    table[at + 3] = 1;
    this.#taken++;
    if (this.#taken * entry * 2 > table.length) this.#grow();
  }

  /** Adds counts that another counter has found, times `sign`. */
  addAll(cells: Int32Array, sign: 1 | -1): void {
    for (let at = 0; at < cells.length; at += 3)
      this.add(cells[at] as number, cells[at + 1] as number, sign * (cells[at + 2] as number));
  }

  /** Returns the count of a cell, and sets it to 0. */
  take(first: number, second: number): number {
    const at = this.#find(first, second);
    const count = this.#table[at + 2] as number;
    this.#table[at + 2] = 0;
    return count;
  }

  /** Returns three numbers for each cell whose count is not 0, see `CellCounts`. */
  finish(): Int32Array {
    const table = this.#table;
    const cells = new Int32Array(this.#taken * 3);
    let length = 0;
    for (let at = 0; at < table.length; at += entry) {
      if (table[at + 2] === 0) continue;
      cells[length++] = table[at] as number;
      cells[length++] = table[at + 1] as number;
      cells[length++] = table[at + 2] as number;
    }
    return cells.slice(0, length);
  }

  /** Returns where the entry of a cell is, or would be. */
  #find(first: number, second: number): number {
    const table = this.#table;
    const mask = table.length / entry - 1;
    const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
    for (let place = (mixed ^ (mixed >>> 15)) & mask; ; place = (place + 1) & mask) {
      const at = place * entry;
      if (table[at + 3] === 0 || (table[at] === first && table[at + 1] === second)) return at;
    }
  }

  #grow(): void {
    const former = this.#table;
    this.#table = new Int32Array(former.length * 2);
    this.#taken = 0;
    for (let at = 0; at < former.length; at += entry)
      if (former[at + 3] === 1)
        this.add(former[at] as number, former[at + 1] as number, former[at + 2] as number);
  }
}
