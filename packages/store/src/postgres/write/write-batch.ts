import type { StoredTable } from "../../schema/table.ts";
import type { RemovedRecord, StoredRecord } from "../../store.ts";
import { type RemovedKey, removalKey, type Version, versionOf } from "../../write/version.ts";
import { columnEncoding } from "../layout/columns.ts";

/**
 * Maximum size of a batch: number of changes, and characters in the texts of their records. Each dataset in a batch has statements of its
 * own, so many changes are needed where datasets alternate. See also `work_mem` in `writeSettings`.
 */
const limits = { changes: 2000, size: 8_000_000 };

/** Changes of the records of a dataset. */
export type DatasetChanges = {
  readonly versions: Version[];
  /** Keys of removed records. */
  readonly removals: (readonly unknown[])[];
};

/** Changes of a resource in database form, with at most one change for each key. */
export class WriteBatch {
  readonly #resource: StoredTable;
  readonly #keys = new Set<string>();
  readonly datasets = new Map<string | null, DatasetChanges>();
  #size = 0;

  constructor(resource: StoredTable) {
    this.#resource = resource;
  }

  /**
   * Adds a change. Returns false if the batch must be written first, because it is full or has a change of the same record.
   *
   * @throws {StoreError} `invalid_record`
   */
  put(record: StoredRecord): boolean {
    const { table, members } = this.#resource;
    const version = versionOf(record, table, members, columnEncoding);
    const taken = this.#take(version.values.slice(0, table.key.length), version.text.length);
    if (taken) this.#of(record.datasetId).versions.push(version);
    return taken;
  }

  /** See {@link put}. */
  remove(removed: RemovedRecord | RemovedKey): boolean {
    const key = removalKey(removed, this.#resource.table, columnEncoding);
    const taken = this.#take(key, 0);
    if (taken) this.#of(removed.datasetId).removals.push(key);
    return taken;
  }

  #of(datasetId: string | null): DatasetChanges {
    const changes = this.datasets.get(datasetId) ?? { versions: [], removals: [] };
    this.datasets.set(datasetId, changes);
    return changes;
  }

  #take(key: readonly unknown[], size: number): boolean {
    const text = JSON.stringify(key.map(String));
    const count = this.#keys.size;
    if (count > 0 && (count === limits.changes || this.#size + size > limits.size || this.#keys.has(text)))
      return false;
    this.#keys.add(text);
    this.#size += size;
    return true;
  }
}
