import { StoreError } from "../../errors.ts";
import type { StoredTable } from "../../schema/table.ts";
import type { ChangeOutcome } from "../../write/tallies.ts";
import type { PendingChange, Version } from "../../write/version.ts";
import { type Query, textOf } from "../connection/round-trip.ts";
import { type DatasetChanges, WriteBatch } from "./write-batch.ts";
import { foreignKeySql, putSql, removeSql, takenKeySql } from "./write-sql.ts";

/** Called with the number of records of a dataset that had the same outcome. */
export type Count = (
  datasetId: string | null,
  outcome: Exclude<ChangeOutcome, "absent">,
  count: number,
) => void;

/** Writes versions of a resource's records in batches. */
export class PostgresTableWriter {
  readonly #resource: StoredTable;
  readonly #foreignKeySql: string;
  readonly #putSql: string;
  readonly #removeSql: string;
  #batch: WriteBatch;

  constructor(resource: StoredTable) {
    const { table, members } = resource;
    this.#resource = resource;
    this.#foreignKeySql = foreignKeySql(table);
    this.#putSql = putSql(
      table,
      table.columns.filter(({ name }) => !members.has(name)),
    );
    this.#removeSql = removeSql(table);
    this.#batch = new WriteBatch(resource);
  }

  /**
   * Adds a change to the current batch. Returns the previous batch if it must be written first.
   *
   * @throws {StoreError} `invalid_record`
   */
  take(change: PendingChange): WriteBatch | undefined {
    if (this.#add(change)) return undefined;
    const ended = this.endBatch();
    this.#add(change);
    return ended;
  }

  /** Returns the current batch and starts a new one. */
  endBatch(): WriteBatch {
    const batch = this.#batch;
    this.#batch = new WriteBatch(this.#resource);
    return batch;
  }

  #add(change: PendingChange): boolean {
    return "record" in change ? this.#batch.put(change) : this.#batch.remove(change);
  }

  /**
   * Returns the statements that write a batch, to be run in one transaction. Each is for one dataset. The first ones fail if another
   * dataset holds a key, with `key_of_another_dataset`.
   */
  statements(batch: WriteBatch, checkpoint: bigint, count: Count): readonly Query[] {
    return [...batch.datasets].flatMap(([datasetId, { versions, removals }]) => [
      ...(versions.length > 0 ? this.#puts(datasetId, versions, checkpoint, count) : []),
      ...(removals.length > 0 ? [this.#removal(datasetId, removals, checkpoint, count)] : []),
    ]);
  }

  /**
   * Returns the statement that fails with `key_of_another_dataset` if another dataset holds a key that a commit of a dataset has written: a
   * commit beside it may have taken the key after {@link statements} looked.
   */
  takenKeysQuery(datasetId: string, checkpoint: bigint): Query {
    const { table } = this.#resource;
    return {
      text: takenKeySql(table),
      values: [datasetId, checkpoint, datasetId],
      onRow: refuseKey(table.name),
    };
  }

  #puts(
    datasetId: string | null,
    versions: readonly Version[],
    checkpoint: bigint,
    count: Count,
  ): readonly Query[] {
    const { name, key, columns } = this.#resource.table;
    const columnOf = (i: number) => texts(versions.map(({ values }) => values[i]));
    return [
      {
        text: this.#foreignKeySql,
        values: [...key.map((_, i) => columnOf(i)), datasetId],
        onRow: refuseKey(name),
      },
      {
        text: this.#putSql,
        values: [
          checkpoint,
          ...columns.map((_, i) => columnOf(i)),
          texts(versions.map(({ text }) => text)),
          texts(versions.map(({ members }) => members)),
          texts(versions.map(({ checksum }) => checksum)),
          datasetId,
          checkpoint,
          datasetId,
          checkpoint,
        ],
        onRow: ([written]) => {
          count(datasetId, "written", Number(written));
          count(datasetId, "unchanged", versions.length - Number(written));
        },
      },
    ];
  }

  #removal(
    datasetId: string | null,
    removals: DatasetChanges["removals"],
    checkpoint: bigint,
    count: Count,
  ): Query {
    const { key } = this.#resource.table;
    return {
      text: this.#removeSql,
      values: [...key.map((_, i) => texts(removals.map((one) => one[i]))), datasetId, checkpoint, checkpoint],
      onRow: ([removed]) => count(datasetId, "removed", Number(removed)),
    };
  }
}

const refuseKey =
  (resource: string): NonNullable<Query["onRow"]> =>
  (held) => {
    throw new StoreError("key_of_another_dataset", `${resource} ${held.join(", ")}`);
  };

const texts = (values: readonly unknown[]): Buffer => textArray(values.map(textOf));

/** OID of the type `text` in `pg_type`. */
const textOid = 25;

/**
 * Encodes an array of texts in PostgreSQL's binary format, which needs no quoting or parsing. Source: PostgreSQL, `array_recv`.
 */
function textArray(values: readonly (string | null)[]): Buffer {
  let size = 20;
  for (const value of values) size += 4 + (value === null ? 0 : Buffer.byteLength(value));
  const bytes = Buffer.allocUnsafe(size);
  // Header: 1 dimension, 1 if there may be nulls, the element type, the number of elements, 1 as the lower bound.
  let at = 0;
  for (const head of [1, 1, textOid, values.length, 1]) at = bytes.writeInt32BE(head, at);
  for (const value of values) {
    const length = value === null ? -1 : bytes.write(value, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return bytes;
}
