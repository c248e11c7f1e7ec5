import { expect, vi } from "vitest";
import { databasesOf } from "../../src/data/databases.ts";
import { publishGated } from "../../src/gates/publication.ts";
import { customerOf } from "./deliveries.ts";
import type { Running } from "./running.ts";

/** Publishes the open houses of the sample, which it leaves out, and waits until the service serves them. */
export async function publishOpenHouses(running: Running): Promise<void> {
  const store = await databasesOf(running.folder).openListings({ threads: 0 });
  const { builds } = await publishGated(store, ["OpenHouse"]);
  await store.close();
  expect(builds).toHaveLength(1);
  const served = async () => (await customerOf(running).get("/reso/odata/OpenHouse?$top=1")).status;
  await vi.waitUntil(async () => (await served()) === 200, { timeout: 20_000, interval: 100 });
}
