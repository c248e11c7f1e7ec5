import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { hasPostgres, startPostgres, testExampleListings } from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

if (!hasPostgres) console.warn("The example is left out: no PostgreSQL server is installed");

describe.runIf(hasPostgres)("listings out of PostgreSQL", () => {
  let origin: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const database = await startPostgres();
    vi.stubEnv("DATABASE_URL", database.url);
    vi.stubEnv("PORT", "0");
    const { db, server } = await import("./server.ts");
    vi.unstubAllEnvs();
    if (!server.listening) await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    close = async () => {
      await new Promise((resolve) => void server.close(resolve));
      await db.destroy();
      await database.stop();
    };
  });
  afterAll(() => close());

  testExampleListings(new URL("README.md", import.meta.url), () => origin, { expect, test });
});
