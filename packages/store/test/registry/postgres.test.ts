import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres, type PostgresServer, startPostgres } from "../../../odata/test/support/postgres.ts";
import { openPostgresRegistry } from "../../src/registry/index.ts";
import { at, claim, create, customer, terms } from "../support/deliveries.ts";
import { conformance } from "./conformance.ts";

if (!hasPostgres) console.warn("no PostgreSQL server is installed: its registry is not tested");

describe.skipIf(!hasPostgres)("PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  conformance("PostgreSQL", (schema) => openPostgresRegistry({ connection: server.url, schema }));

  test("a delivery that another transaction holds is passed over", async () => {
    const registry = await openPostgresRegistry({ connection: server.url, schema: "held" });
    await registry.entitlements.install({ customer, version: 1, jws: "a", installed: at });
    const [held, free] = [await create(registry), await create(registry)];
    const pool = server.connect(1);
    const client = await pool.connect();
    await client.query("begin");
    await client.query("select 1 from held.cadastre_delivery where id = $1 for update", [held.id]);
    expect(await claim(registry)).toMatchObject({ id: free.id });
    expect(await registry.deliveries.queue.claim("w2", terms)).toBeUndefined();
    await client.query("rollback");
    client.release();
    await pool.end();
    expect(await claim(registry)).toMatchObject({ id: held.id });
    await registry.close();
  });

  test("a server that is gone makes it unavailable", async () => {
    const own = await startPostgres();
    const registry = await openPostgresRegistry({ connection: own.url, wait: 500 });
    expect(await registry.keys.list()).toEqual([]);
    await own.stop();
    await expect(registry.keys.find(["x"])).rejects.toMatchObject({ code: "registry_unavailable" });
    await registry.close();
  });
});
