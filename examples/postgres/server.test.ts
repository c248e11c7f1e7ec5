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

  test("photos come with their listing, and a town shows its own", async () => {
    const read = async (path: string, headers = {}) =>
      (await (await fetch(`${origin}/odata/${path}`, { headers })).json()) as { value: unknown[] };
    expect(
      (await read("Property?$expand=Photos($select=MediaURL;$top=1)&$select=ListingKey&$top=1")).value,
    ).toEqual([{ ListingKey: "L1", Photos: [{ MediaURL: "https://photos.example/L1-1.jpg" }] }]);
    const town = { "x-town": "O'Fallon" };
    expect((await read("Property?$select=ListingKey", town)).value).toEqual([{ ListingKey: "L3" }]);
  });

  testExampleListings(new URL("README.md", import.meta.url), () => origin, { expect, test });
});
