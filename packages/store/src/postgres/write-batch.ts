import type { Member } from "../record/members.ts";
import type { TableSchema } from "../schema/table.ts";
import type { RemovedRecord, StoredRecord } from "../store.ts";
import { keyOf, type RemovedKey, type Version, versionOf } from "../write/version.ts";
import { formOf } from "./columns.ts";

/** Changes that go to the server at once, at most: in number, and in characters of their records. */
const limits = { changes: 500, size: 4_000_000 };

export type Resource = { readonly table: TableSchema; readonly members: ReadonlyMap<string, Member> };

/** Changes of records of one resource, each of another key, in database form. */
export class WriteBatch {
  readonly #resource: Resource;
  readonly #keys = new Set<string>();
  readonly versions: Version[] = [];
  /** Keys of records to remove. */
  readonly removals: (readonly unknown[])[] = [];
  #size = 0;

  constructor(resource: Resource) {
    this.#resource = resource;
  }

  /**
   * Whether the batch has taken the change. If not, it is to be written first: it is full, or holds another change
   * of the same record.
   *
   * @throws {StoreError} `invalid_record`
   */
  put(record: StoredRecord): boolean {
    const { table, members } = this.#resource;
    const version = versionOf(record, table, members, formOf);
    const taken = this.#take(version.values.slice(0, table.key.length), version.text.length);
    if (taken) this.versions.push(version);
    return taken;
  }

  /** See {@link put}. */
  remove(removed: RemovedRecord | RemovedKey): boolean {
    const key = keyOf(removed, this.#resource.table, formOf);
    const taken = this.#take(key, 0);
    if (taken) this.removals.push(key);
    return taken;
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
