import { sql } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import type { Knex } from "knex";
import { createConnectionPool, writeSettings } from "../database/postgres-connections.ts";
import { StoreError } from "../errors.ts";
import { tableOf } from "../schema/table.ts";
import { onConnection, poolOf, postgresSession } from "./connection/session.ts";
import {
  attachPartition,
  partitionedTables,
  partitionName,
  readPartitioning,
  tablesWithRows,
} from "./layout/partitions.ts";
import { setStorage } from "./layout/storage.ts";
import type { PostgresStoreOptions } from "./store-options.ts";

type Place = Pick<PostgresStoreOptions, "connection" | "resources" | "schema">;

/** State of a dataset's partitions. `absent`: there are none. `detached`: they keep their rows, which nothing reads or writes. */
export type PartitionState = "attached" | "detached" | "absent";

/**
 * Makes and attaches the partitions of a dataset, or attaches the detached ones. Nothing is done if they are attached already.
 *
 * @throws {StoreError} `not_partitioned` if the tables have no partitions by list
 */
export const addPartitions = (place: Place, datasetId: string): Promise<void> =>
  withPool(place, async (knex, tables) => {
    await knex.transaction(async (transaction) => {
      await transaction.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [
        `cadastre ${place.schema ?? "cadastre"}`,
      ]);
      const session = postgresSession(await poolOf(transaction).acquireConnection());
      for (const name of tables) {
        if ((await stateOf(knex, name, datasetId)) === "attached") continue;
        await attachPartition(transaction, name, datasetId);
        await setStorage(transaction, await tablesWithRows(session, name));
      }
    });
  });

/**
 * Detaches the partitions of a dataset. They keep their rows until they are dropped. Readers and writers go on; the rows are gone for those
 * that begin afterwards.
 *
 * @throws {StoreError} `not_partitioned` if the tables have no partitions by list
 */
export const detachPartitions = (place: Place, datasetId: string): Promise<void> =>
  withPool(place, async (knex, tables) => {
    for (const name of tables) {
      if ((await stateOf(knex, name, datasetId)) !== "attached") continue;
      const partition = partitionName(name, datasetId);
      // A detachment that was interrupted is pending, and is completed.
      const isPending = await isDetaching(knex, partition);
      await knex.raw(`alter table ?? detach partition ?? ${isPending ? "finalize" : "concurrently"}`, [
        name,
        partition,
      ]);
    }
  });

/** Drops the detached partitions of a dataset with their rows. */
export const dropPartitions = (place: Place, datasetId: string): Promise<void> =>
  withPool(place, async (knex, tables) => {
    for (const name of tables)
      if ((await stateOf(knex, name, datasetId)) === "detached")
        await knex.schema.dropTable(partitionName(name, datasetId));
  });

/** Returns the state of a dataset's partitions: `attached` only if all of them are. */
export const partitionState = (place: Place, datasetId: string): Promise<PartitionState> =>
  withPool(place, async (knex, tables) => {
    const states: PartitionState[] = [];
    for (const name of tables) states.push(await stateOf(knex, name, datasetId));
    return (["absent", "detached", "attached"] as const).find((state) => states.includes(state)) ?? "absent";
  });

async function stateOf(knex: Knex, name: string, datasetId: string): Promise<PartitionState> {
  const [row] = await onConnection(knex, (session) =>
    session.rows(
      sql`select relispartition from pg_class
  where relnamespace = to_regnamespace(quote_ident(current_schema())) and relname = ${value(partitionName(name, datasetId))}`,
    ),
  );
  if (row === undefined) return "absent";
  return row[0] === "t" ? "attached" : "detached";
}

async function isDetaching(knex: Knex, partition: string): Promise<boolean> {
  const [row] = await onConnection(knex, (session) =>
    session.rows(
      sql`select inhdetachpending from pg_inherits join pg_class on pg_class.oid = inhrelid
  where relnamespace = to_regnamespace(quote_ident(current_schema())) and relname = ${value(partition)}`,
    ),
  );
  return row?.[0] === "t";
}

async function withPool<T>(
  { connection, resources, schema = "cadastre" }: Place,
  work: (knex: Knex, tables: readonly string[]) => Promise<T>,
): Promise<T> {
  const knex = createConnectionPool(
    { connection, schemas: [schema] },
    { connections: 2, wait: 10_000, settings: writeSettings },
  );
  try {
    const tables = partitionedTables(resources.map(tableOf));
    const [first = ""] = tables;
    const by = await onConnection(knex, (session) => readPartitioning(session, first));
    if (by !== "list") throw new StoreError("not_partitioned");
    return await work(knex, tables);
  } finally {
    await knex.destroy();
  }
}
