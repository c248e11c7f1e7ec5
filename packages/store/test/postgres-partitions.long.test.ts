import { postgres } from "@cadastre/odata";
import { render } from "@cadastre/odata/run";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { restorationOf } from "../src/build/restore.ts";
import {
  addPartitions,
  detachPartitions,
  dropPartitions,
  openPostgresStore,
  type Partitioning,
  partitionState,
} from "../src/postgres/index.ts";
import { isOfPostgresDataset, postgresDatasetId } from "../src/postgres/layout/columns.ts";
import { tableOf } from "../src/schema/table.ts";
import { commits } from "./conformance/commits.ts";
import { contentOf, type Harness, onEveryLayout, readKeys } from "./conformance/harness.ts";
import { conformance } from "./conformance/index.ts";
import { databasesOfSchemas } from "./support/databases.ts";
import { hiddenRows } from "./support/hidden-rows.ts";
import { ask, listing, oregon, records, removal, scopeOf, stored, texas } from "./support/listings.ts";

if (!hasPostgres) console.warn("no PostgreSQL server is installed: its partitions are not tested");

const nevada = "c41d8a92-7e36-4b8f-9d04-1a5b60e2f732";
const byDataset: Partitioning = { by: "list", datasets: [texas, oregon, nevada] };
/** A dataset whose id must be quoted. */
const odd = "odd ' id ? \\";

describe.skipIf(!hasPostgres)("a store with partitions", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const databaseOf = databasesOfSchemas(() => server, 10);

  const openIn = async (
    schema: string,
    partitions?: Partitioning,
    { readers = 3, resources = [stored], ...options }: Parameters<Harness["open"]>[1] = {},
  ) =>
    openPostgresStore({
      connection: await databaseOf(schema),
      schema,
      resources,
      connections: readers,
      partitions,
      ...options,
    });
  const placeOf = async (schema: string) => ({
    connection: await databaseOf(schema),
    schema,
    resources: [stored],
  });
  async function run(schema: string, statement: string): Promise<readonly unknown[]> {
    const client = new pg.Client({
      connectionString: await databaseOf(schema),
      options: `-c search_path=${schema}`,
    });
    await client.connect();
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: "array" });
    await client.end();
    return rows.flat();
  }

  const harness: Harness = {
    isConcurrent: true,
    open: (schema, options) => openIn(schema, byDataset, options),
  };
  if (onEveryLayout) conformance("by list", harness);
  else commits(harness);

  hiddenRows(
    "by list",
    { isConcurrent: true, open: (schema, options) => openIn(`hidden_${schema}`, byDataset, options) },
    (plan) =>
      plan.flatMap((step, i) => {
        const condition = plan[i + 1] ?? "";
        const isScan = /(Seq|Index|Index Only|Bitmap Index) Scan/.test(step);
        return isScan ? [condition.includes("Index Cond") ? condition : step] : [];
      }),
  );

  describe.each<[string, Partitioning]>([
    ["list", byDataset],
    ["hash", { by: "hash" }],
  ])("by %s", (by, partitions) => {
    test("reads the partitions of the datasets in scope alone", async () => {
      const store = await openIn(`pruned_${by}`, partitions);
      await store.commit(records);
      const partitionsOf = async (granted: readonly string[], filter?: string) => {
        const scope = scopeOf(Object.fromEntries(granted.map((dataset) => [dataset, "*"])));
        const plan = await store.explain(ask(filter === undefined ? {} : { filter }, scope));
        return [...new Set(plan.join("\n").match(/"Property_(?:of_[-0-9a-f]*|\d\d)"/g))].sort();
      };
      const holding = (granted: readonly string[]) =>
        run(
          `pruned_${by}`,
          `select distinct tableoid::regclass::text from "Property"
            where "DatasetId" in (${granted.map((dataset) => `'${dataset}'`).join(", ")}) order by 1`,
        );
      for (const filter of [undefined, "ListingKey eq 'a'", "City eq 'Austin'"]) {
        for (const granted of [[texas], [texas, oregon]])
          expect(await partitionsOf(granted, filter)).toEqual(await holding(granted));
      }
      await store.close();
    });

    test("of tables that had none gets them with their rows and indexes", async () => {
      const name = `converted_${by}`;
      const before = await openIn(name);
      await before.commit(records);
      await before.commit([listing("a", "Waco"), removal("b")]);
      await before.builds.stage("Property", "mls", [listing("c", "Bend")], { cursor: "1" });
      const page = await before.page(ask({ top: 1 }), { asOf: 1 });
      await run(name, `create role "user of ${by}"`);
      await run(name, `grant select, insert on "Property" to "user of ${by}"`);
      await before.close();
      const indexes = `select indexname from pg_indexes where schemaname = current_schema()
        and tablename in ('Property', 'Property_closed', 'Property_staged') order by 1`;
      const named = await run(name, indexes);
      const steps: string[] = [];
      const after = await openPostgresStore({
        ...(await placeOf(name)),
        partitions,
        migration: { onProgress: (step) => steps.push(step) },
      });
      expect(steps).toContain("dividing the tables into partitions");
      expect(await run(name, indexes)).toEqual(named);
      const rights = `select privilege_type from information_schema.role_table_grants
        where table_schema = current_schema() and table_name = 'Property' and grantee = 'user of ${by}' order by 1`;
      expect(await run(name, rights)).toEqual(["INSERT", "SELECT"]);
      expect(contentOf(await after.page(ask({ top: 1 }), { asOf: 1 }))).toEqual(contentOf(page));
      expect(await readKeys(after, {})).toEqual(["a", "c", "d", "e", "f"]);
      expect(await after.builds.publish(["Property"])).toMatchObject({ commit: { written: 1 } });
      await after.close();
      const again = await openPostgresStore({ ...(await placeOf(name)), migration: "refuse" });
      expect(await again.count(ask())).toBe(5);
      await again.close();
    });
  });

  test("refuses a record of a dataset without a partition, until it is added", async () => {
    const store = await openIn("added", { by: "list", datasets: [texas] });
    await store.commit([listing("a", "Austin")]);
    const place = await placeOf("added");
    for (const datasetId of [oregon, odd]) {
      const record = listing(datasetId, "Bend", datasetId);
      await expect(store.commit([record])).rejects.toMatchObject({ code: "no_partition" });
      expect(await partitionState(place, datasetId)).toBe("absent");
      await addPartitions(place, datasetId);
      await addPartitions(place, datasetId);
      expect(await partitionState(place, datasetId)).toBe("attached");
      expect(await store.commit([record])).toMatchObject({ written: 1 });
      expect(await store.count(ask({}, scopeOf({ [datasetId]: "*" })))).toBe(1);
    }
    const parameters = await run(
      "added",
      `select relname from pg_class where relispartition and relkind = 'r'
      and relnamespace = current_schema()::regnamespace and not reloptions::text like '%toast_tuple_target=8160%'`,
    );
    expect(parameters).toEqual([]);
    await store.close();
  });

  test("keeps the rows of detached partitions until they are dropped", async () => {
    const store = await openIn("detached", byDataset);
    await store.commit(records);
    await store.commit([listing("d", "Salem", oregon)]);
    const place = await placeOf("detached");
    await detachPartitions(place, oregon);
    await detachPartitions(place, oregon);
    expect(await partitionState(place, oregon)).toBe("detached");
    expect(await readKeys(store, {})).toEqual(["a", "b", "c"]);
    await expect(store.commit(records.slice(3))).rejects.toMatchObject({ code: "no_partition" });
    await addPartitions(place, oregon);
    expect(await readKeys(store, {})).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(await store.commit([listing("d", "Salem", oregon)])).toMatchObject({ unchanged: 1 });
    await detachPartitions(place, oregon);
    await dropPartitions(place, oregon);
    expect(await partitionState(place, oregon)).toBe("absent");
    await store.close();
  });

  test("retires a dataset and reinstates it in its partitions alone", async () => {
    const store = await openIn("retired", byDataset);
    await store.commit(records);
    const { write, tally } = restorationOf(
      tableOf(stored),
      postgresDatasetId,
      0,
      2n,
      isOfPostgresDataset(oregon),
    );
    const client = new pg.Client({
      connectionString: await databaseOf("retired"),
      options: "-c search_path=retired",
    });
    await client.connect();
    for (const statement of [...write, tally.written, tally.removed]) {
      const { text, values } = render(statement, postgres.placeholder);
      const { rows } = await client.query(`explain ${text}`, [...values]);
      expect(JSON.stringify(rows)).toContain(`_of_${oregon}`);
      expect(JSON.stringify(rows)).not.toContain(`_of_${texas}`);
    }
    await client.end();
    await store.builds.retire(oregon);
    expect(await readKeys(store, {})).toEqual(["a", "b", "c"]);
    await store.builds.reinstate(oregon);
    expect(await readKeys(store, {})).toEqual(["a", "b", "c", "d", "e", "f"]);
    await store.close();
  });

  test("by hash has no partitions of a dataset, nor has a store without partitions", async () => {
    for (const [name, partitions] of [
      ["shared_by_hash", { by: "hash" }],
      ["undivided", undefined],
    ] as const) {
      await (await openIn(name, partitions)).close();
      await expect(addPartitions(await placeOf(name), texas)).rejects.toMatchObject({
        code: "not_partitioned",
      });
    }
  });
});
