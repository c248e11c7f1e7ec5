import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { webhookEvents } from "../../src/index.ts";
import { openPostgresTestRegistry } from "../../src/testing/registry.ts";
import { at, claim, create, customer, terms } from "../support/tables.ts";
import { conformance } from "./conformance.ts";

if (!hasPostgres)
  console.warn("no PostgreSQL server is installed: the tables of deliveries are not tested on it");

describe.skipIf(!hasPostgres)("PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  conformance("PostgreSQL", (schema) => openPostgresTestRegistry({ connection: server.url, schema }));

  test("a delivery that another transaction holds is passed over", async () => {
    const registry = await openPostgresTestRegistry({ connection: server.url, schema: "held" });
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

  test("a webhook that is just told something is removed with that", async () => {
    const registry = await openPostgresTestRegistry({ connection: server.url, schema: "told" });
    await registry.entitlements.install({ customer, version: 1, jws: "a", installed: at });
    const id = "00000000-0000-7000-a000-000000000001";
    const url = "https://hooks.example/";
    const webhook = { id, customer, url, events: webhookEvents, created: at, told: null, eventPush: null };
    await registry.webhooks.register(webhook, { secret: "sealed", token: null }, 8);
    const pool = server.connect(1);
    const client = await pool.connect();
    await client.query("begin");
    await client.query(
      "insert into told.cadastre_webhook_message (id, webhook, type, at) values ('m', $1, 'webhook.test', 0)",
      [id],
    );
    const removing = registry.webhooks.remove(customer, id);
    const waiting = () => client.query("select 1 from pg_locks where not granted");
    await expect.poll(async () => (await waiting()).rowCount, { interval: 10 }).toBe(1);
    await client.query("commit");
    client.release();
    await pool.end();
    expect(await removing).toMatchObject({ id });
    expect(await registry.webhooks.list(customer)).toEqual([]);
    await registry.close();
  });
});
