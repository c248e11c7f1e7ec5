import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  hasPostgres,
  type PostgresServer,
  startPostgres,
  startTcpProxy,
  type TcpProxy,
} from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { openDataFolder } from "../src/data/data-folder.ts";
import type { RunningService } from "../src/running-service.ts";
import { startService } from "../src/service.ts";
import { ask, query, toCollection } from "./support/ask.ts";
import { customerOf } from "./support/deliveries.ts";
import { prepareDemo } from "./support/prepare-demo.ts";

const listings = 300;

describe.skipIf(!hasPostgres)("a service with a standby", () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let front: TcpProxy;
  let scratch: string;
  let service: RunningService;
  let apiKey: string;

  beforeAll(async () => {
    primary = await startPostgres();
    front = await startTcpProxy(primary.url);
    scratch = await mkdtemp(join(tmpdir(), "cadastre-replicas-"));
    const url = front.through(primary.url);
    const folder = await openDataFolder(scratch, { url });
    const keys = await prepareDemo(folder, listings);
    apiKey = keys.find(({ name }) => name === "national")?.apiKey ?? "";
    standby = await primary.startStandby();
    // What is acknowledged is on the standby.
    const control = primary.connect(1);
    for (const statement of [
      "alter role postgres set synchronous_commit = 'on'",
      "alter system set synchronous_standby_names = '*'",
      "select pg_reload_conf()",
    ])
      await control.query(statement);
    await control.end();
    const config = readConfig({
      PORT: "0",
      CADASTRE_ADMIN_PORT: "0",
      CADASTRE_DATA: scratch,
      CADASTRE_DATABASE_URL: url,
      CADASTRE_READ_URLS: standby.url,
      CADASTRE_CHECK_HOURS: "0",
      CADASTRE_LEASE_SECONDS: "3",
      CADASTRE_LOG_LEVEL: "silent",
      CADASTRE_PART_BYTES: "65536",
    });
    service = await startService(config, await openDataFolder(scratch, config.postgres));
  }, 120_000);
  afterAll(async () => {
    await service?.stop();
    await Promise.all([front, standby, primary].map((one) => one?.stop()));
    await rm(scratch, { recursive: true, force: true });
  });

  const headers = () => ({ "x-api-key": apiKey });
  const metric = async (name: string) => {
    const { text } = await ask(`http://127.0.0.1:${service.adminPort}`, "/metrics");
    return Number(new RegExp(`^${name}\\{replica="[^@"]+"\\} (\\S+)$`, "m").exec(text)?.[1]);
  };
  const customer = () => customerOf({ service, key: () => apiKey });

  test("reads from it, and tells so in its metrics", async () => {
    await expect.poll(() => metric("cadastre_replica_used")).toBe(1);
    expect(await metric("cadastre_replica_lag_commits")).toBe(0);
  });

  test("goes on with a walk and a delivery over a failover, and says 503 with Retry-After in between", async () => {
    const first = toCollection(
      await ask(
        service.baseUrl,
        `/reso/odata/Property${query({ $top: 40, $select: "ListingKey" })}`,
        headers(),
      ),
    );
    const before = await customer().complete();
    const id = await customer().created();
    await primary.crash();
    front.lead();
    const isRefused = async () => {
      const reply = await ask(service.baseUrl, `/v1/file-exports/${id}`, headers());
      return [reply.status, reply.headers["retry-after"]];
    };
    await expect.poll(isRefused, { timeout: 10_000 }).toEqual([503, "2"]);
    const control = standby.connect(1);
    await control.query("select pg_promote()");
    await control.end();
    front.lead(standby.url);

    const keys = first.value.map(({ ListingKey }) => ListingKey);
    let next = first["@odata.nextLink"];
    while (next !== undefined) {
      const target: string = next.replace(service.baseUrl, "");
      const reply = await ask(service.baseUrl, target, headers());
      if (reply.status === 503) continue;
      expect(reply.status).toBe(200);
      const page = toCollection(reply);
      keys.push(...page.value.map(({ ListingKey }) => ListingKey));
      next = page["@odata.nextLink"];
    }
    expect([keys.length, new Set(keys).size]).toEqual([listings, listings]);
    expect(await customer().finished(id)).toBe("complete");
    const hashes = async (delivery: string) =>
      (await customer().manifest(delivery)).data.parts.map(({ sha256, rowCount }) => [sha256, rowCount]);
    expect(await hashes(id)).toEqual(await hashes(before));
    await expect.poll(() => metric("cadastre_replica_used"), { timeout: 10_000 }).toBe(0);
  }, 90_000);
});
