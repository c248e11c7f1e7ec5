import { datasetProperty } from "@cadastre/entitlement";
import { type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import pg from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import { openPostgresStore, type PostgresStoreOptions } from "../src/postgres/index.ts";
import { stagedColumns, tableOf } from "../src/schema/table.ts";
import { conformance } from "./conformance/index.ts";
import { stored } from "./support/listings.ts";

/** Workers beside the coordinator. */
const workers = 2;

const parameters = {
  shared_preload_libraries: "citus",
  max_connections: "300",
  max_prepared_transactions: "300",
  "citus.node_conninfo": "sslmode=disable",
  "citus.shard_count": "4",
  // A commit may write to a table that is on every node, and then to one that is not.
  "citus.enable_local_execution": "off",
};

// `npm run citus` sets it.
describe.skipIf(process.env["CITUS"] === undefined)("Citus", () => {
  let servers: readonly PostgresServer[];
  let coordinator: pg.Client;
  beforeAll(async () => {
    servers = await Promise.all(
      Array.from({ length: 1 + workers }, () => startPostgres(undefined, parameters)),
    );
    for (const { url } of servers) await run(url, "create extension citus");
    const [first, ...rest] = servers.map(({ url }) => url);
    coordinator = new pg.Client({ connectionString: first });
    await coordinator.connect();
    await coordinator.query("select citus_set_coordinator_host('127.0.0.1', $1)", [portOf(first)]);
    for (const url of rest) await coordinator.query("select citus_add_node('127.0.0.1', $1)", [portOf(url)]);
  }, 120_000);
  afterAll(async () => {
    await coordinator.end();
    for (const { stop } of servers) await stop();
  });

  conformance("by dataset", {
    isConcurrent: true,
    open: async (schema, { resources = [stored], readers = 3, ...options } = {}) => {
      const store = await openPostgresStore({
        connection: servers[0]?.url ?? "",
        schema,
        resources,
        connections: readers,
        ...options,
      });
      await distribute(schema, resources);
      return store;
    },
  });

  /** Distributes the tables that are not, by dataset. Records that may have none, and what is staged of them, are on every node. */
  async function distribute(schema: string, resources: PostgresStoreOptions["resources"]): Promise<void> {
    const { rows } = await coordinator.query<{ readonly name: string }>(
      `select relname as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
        where relnamespace = $1::regnamespace`,
      [pg.escapeIdentifier(schema)],
    );
    const done = new Set(rows.map(({ name }) => name));
    for (const { name, closed, staged, shared } of resources.map(tableOf))
      for (const table of [name, closed, staged]) {
        if (done.has(table)) continue;
        const of = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;
        if (shared) {
          await coordinator.query("select create_reference_table($1)", [of]);
          continue;
        }
        // Tables are divided alike only if the types of the columns are the same.
        if (table === staged)
          await coordinator.query(`alter table ${of} alter column "${dataset}" type text collate "C"`);
        await coordinator.query("select create_distributed_table($1, $2)", [
          of,
          table === staged ? dataset : datasetProperty.name,
        ]);
      }
  }
});

const { dataset } = stagedColumns;

const portOf = (url = "") => Number(new URL(url).port);

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
