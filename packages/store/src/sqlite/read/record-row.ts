import { type AllocateBuffer, type RecordForm, writeRecords } from "@cadastre/odata/run";
import { RecordAssembler, type RecordLayout } from "../../record/assemble.ts";
import type { MemberIndex } from "../../record/member-index.ts";

/** Columns: number of the dataset, text, member index, checksum as a number or its digits, then the key and the computed values. */
export type RecordRow = [bigint | null, Uint8Array, MemberIndex, bigint | string | null, ...unknown[]];

/** Number of columns before those of the key. */
export const beforeKey = 4;

/** Size of the largest buffer that is kept for the next answer, in bytes. */
const largestKept = 1024 ** 2;

/** Converts records to the requested form. */
export const inForm = (
  records: Uint8Array,
  form: RecordForm | undefined,
  allocate: AllocateBuffer | undefined,
): Uint8Array => (form === undefined ? records : writeRecords(records, form, allocate));

/** Memory in which a thread assembles the records of one answer after the other. */
export class AssemblyMemory {
  #buffer = Buffer.allocUnsafeSlow(0);
  #bytes = 0;

  /** Returns the total size of the records since the last call, in bytes. */
  takeBytes(): number {
    const bytes = this.#bytes;
    this.#bytes = 0;
    return bytes;
  }

  /**
   * Returns an assembler for records of these sizes, which must be the only one in use.
   *
   * @param sizes size of each record in bytes
   * @param allocate allocates the memory of the answer; if undefined, the next assembler overwrites the answer
   */
  assembler(
    layout: RecordLayout,
    lines: boolean,
    sizes: readonly number[],
    allocate: AllocateBuffer | undefined,
  ): RecordAssembler {
    let [sum, longest] = [0, 0];
    for (const size of sizes) {
      sum += size;
      if (size > longest) longest = size;
    }
    this.#bytes += sum;
    const buffer = this.#ofSize(RecordAssembler.bufferSize(layout, longest));
    return new RecordAssembler(layout, lines, buffer, allocate?.(layout.outputSize(sizes.length, sum)));
  }

  #ofSize(bytes: number): Buffer {
    if (bytes > largestKept) return Buffer.allocUnsafeSlow(bytes);
    if (bytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(bytes);
    return this.#buffer;
  }
}
