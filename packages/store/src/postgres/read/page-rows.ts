import type { PrimitiveType } from "@cadastre/odata";
import { codecOf } from "@cadastre/odata/run";
import type { PageRequest, PageResult } from "../../read/request.ts";
import { YoungGarbage } from "../../read/young-garbage.ts";
import { RecordAssembler, RecordLayout } from "../../record/assemble.ts";
import { computedText, itemTypeOf, type ReadValue } from "../../record/computed.ts";
import type { RecordPlan } from "../../record/plan.ts";
import { requireUndamaged } from "../../record/record-checksum.ts";
import type { TextRow } from "../connection/round-trip.ts";
import { BufferPool } from "./buffer-pool.ts";

const layouts = new WeakMap<RecordPlan, RecordLayout>();

export function recordLayoutOf(plan: RecordPlan): RecordLayout {
  const layout = layouts.get(plan) ?? new RecordLayout(plan);
  layouts.set(plan, layout);
  return layout;
}

/** Decodes a computed value selected by `forms`. */
export const readComputedValue: ReadValue = (text, type) => {
  if (typeof text !== "string") return null;
  const item = itemTypeOf(type);
  if (item !== undefined) {
    const items: unknown = JSON.parse(text);
    return Array.isArray(items) ? items.map((json) => codecOf(item).fromJson(json) ?? null) : null;
  }
  return type.startsWith("Edm.Geo") ? JSON.parse(text) : (codecOf(type as PrimitiveType).parse(text) ?? null);
};

/** Buffers of pages that nobody uses any more. */
const buffers = new BufferPool(16 * 1024 ** 2);

/** Size of the largest buffer that a page starts with, in bytes. It grows as needed. */
const mostAtFirst = 1024 ** 2;

/** Longest text, in characters, that shares its memory with the next one. */
const mostShared = 64 * 1024;

/** Memory for the bytes of one record after another. A buffer for each would fill what V8 allows before it collects all garbage. */
const shared = Buffer.allocUnsafeSlow(3 * mostShared);

/** Returns the bytes of a text, until the next call. */
const bytesOf = (text: string): Buffer =>
  text.length > mostShared ? Buffer.from(text) : shared.subarray(0, shared.write(text));

/** Young garbage of the records that this process has read. */
export const readGarbage = new YoungGarbage();

/** Number of columns before those of the key: dataset, text, member index, checksum. */
export const leadingColumns = 4;

/**
 * Assembles the JSON text of a page from rows as they arrive: skips the first rows, checks each row's checksum, and stops at `top`.
 * One row more tells that another page follows.
 */
export class PageRows {
  readonly #request: PageRequest;
  readonly #assembler: RecordAssembler;
  #length = 0;
  #bytes = 0;
  #skipped = 0;
  #last: TextRow = [];
  readonly #keys: TextRow[number][] | undefined;
  #more = false;

  constructor(request: PageRequest) {
    this.#request = request;
    const layout = recordLayoutOf(request.plan.plan);
    const capacity = (request.top + 2) * (layout.template.length + 3);
    const buffer = buffers.take(Math.min(capacity, mostAtFirst));
    this.#assembler = new RecordAssembler(layout, request.lines, buffer);
    this.#keys = request.keys ? [] : undefined;
  }

  /** True if the page needs no more rows. */
  get isFull(): boolean {
    return this.#more;
  }

  add(fields: TextRow): void {
    const { top, key, computed, skip, plan } = this.#request;
    if (this.#skipped < skip) {
      this.#skipped++;
      return;
    }
    if (this.#length === top) {
      this.#more = true;
      return;
    }
    const [dataset = null, record, members, checksum] = fields;
    const text = bytesOf(record ?? "");
    requireUndamaged(dataset, text, members ?? "", checksum, () =>
      fields.slice(leadingColumns, leadingColumns + key),
    );
    const values =
      computed.length === 0
        ? ""
        : computedText(computed, fields.slice(leadingColumns + key), readComputedValue, plan.plan.nulls);
    this.#assembler.add(text, members ?? "", dataset, values);
    this.#length++;
    this.#bytes += text.length;
    this.#last = fields;
    this.#keys?.push(...fields.slice(leadingColumns, leadingColumns + key));
  }

  finish(): PageResult {
    const records = this.#assembler.finish();
    readGarbage.add(this.#bytes);
    return {
      records,
      release: releaseOf(records),
      length: this.#length,
      keys: this.#keys,
      last: this.#last.slice(leadingColumns, leadingColumns + this.#request.key),
      more: this.#more,
    };
  }
}

/** Returns a function that gives the memory of records back for other pages. */
export const releaseOf = (records: Uint8Array) => (): void => {
  const memory = records.buffer as ArrayBuffer;
  // The transfer empties `records`, so that nobody can read the next page in them.
  if (memory.byteLength > 0) buffers.giveBack(structuredClone(memory, { transfer: [memory] }));
};
