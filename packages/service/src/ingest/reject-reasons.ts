import { IngestError } from "./ingest-error.ts";
import type { Reject } from "./rejects.ts";

/** Rejected records with the same fault of the same field. `reason` is that of the first, and tells only malformed records apart. */
export type RejectReason = Pick<Reject, "code" | "field" | "reason"> & {
  /** Number of the records. */
  readonly records: number;
  /** The first of them. */
  readonly example: Partial<Pick<Reject, "line">> & Pick<Reject, "key" | "value">;
};

/** Maximum number of reasons that are counted; further ones are dropped. Each record of a file may have a field of its own. */
const mostReasons = 1000;

/** Counts rejected records by reason. */
export class RejectReasons {
  readonly #reasons = new Map<string, RejectReason>();

  add(rejects: readonly (Omit<Reject, "line"> & Partial<Pick<Reject, "line">>)[]): void {
    for (const { line, key, value, code, field, reason } of rejects) {
      const example = {
        ...(line === undefined ? {} : { line }),
        key,
        ...(value === undefined ? {} : { value }),
      };
      this.#count({ code, field, reason, records: 1, example });
    }
  }

  /** Adds the counts of another file of the same source. */
  addCounted(reasons: readonly RejectReason[]): void {
    for (const reason of reasons) this.#count(reason);
  }

  #count(found: RejectReason): void {
    const { code, field, reason } = found;
    const id = JSON.stringify([code, field, code === "malformed" ? reason : null]);
    const before = this.#reasons.get(id);
    if (before === undefined && this.#reasons.size === mostReasons) return;
    const first = before ?? { ...found, records: 0 };
    this.#reasons.set(id, { ...first, records: first.records + found.records });
  }

  /** Returns the reasons, the most frequent one first. */
  found(): readonly RejectReason[] {
    return [...this.#reasons.values()].toSorted((a, b) => b.records - a.records);
  }
}

/** A file or feed of which too many records were rejected. */
export class RecordsRejected extends IngestError {
  readonly reasons: readonly RejectReason[];

  constructor(message: string, reasons: readonly RejectReason[]) {
    super(message);
    this.reasons = reasons;
  }
}
