import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgresRegistry, openPostgresRegistryAudit } from "../../src/registry/index.ts";
import { conformance } from "./conformance.ts";

if (!hasPostgres) console.warn("no PostgreSQL server is installed: its registry is not tested");

describe.skipIf(!hasPostgres)("PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  conformance(
    "PostgreSQL",
    (schema) => openPostgresRegistry({ connection: server.url, schema }),
    (schema) => openPostgresRegistryAudit({ connection: server.url, schema }),
  );

  test("a registry that must exist is not made", async () => {
    const own = { connection: server.url, schema: "none" };
    await expect(openPostgresRegistry({ ...own, existing: true })).rejects.toMatchObject({
      code: "schema_absent",
    });
    const audit = await openPostgresRegistryAudit(own);
    expect(await audit.id()).toBeUndefined();
    await audit.close();
  });

  test("a registry is opened by a server that is slow to take connections", async () => {
    const { hostname, port } = new URL(server.url);
    const slow = createServer((client) => {
      setTimeout(() => client.pipe(connect(Number(port), hostname)).pipe(client), 900);
      client.on("error", () => {});
    });
    await once(slow.listen(0, "127.0.0.1"), "listening");
    const connection = server.url.replace(port, String((slow.address() as AddressInfo).port));
    const options = { connection, schema: "slow", wait: 500 };
    const registry = await openPostgresRegistry(options);
    expect(await registry.keys.list()).toEqual([]);
    await registry.close();
    await (await openPostgresRegistryAudit(options)).close();
    slow.close();
  });

  test("a new event writes to two indexes", async () => {
    const registry = await openPostgresRegistry({ connection: server.url, schema: "indexed" });
    const operator = server.connect(1);
    const { rows } = await operator.query<{ indexdef: string }>(
      "select indexdef from pg_indexes where schemaname = 'indexed' and tablename = 'cadastre_event'",
    );
    await operator.end();
    await registry.close();
    const columns = new Set(rows.map(({ indexdef }) => /\((.*)\)/.exec(indexdef)?.[1]));
    expect(columns).toEqual(new Set(["customer, number", "customer, record_key, resource"]));
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
