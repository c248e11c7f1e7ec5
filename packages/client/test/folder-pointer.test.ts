import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTarget } from "@cadastre/client";
import { beforeEach, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { listings, makeDelivery } from "./support/deliveries.ts";
import { load } from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { useServer } from "./support/server.ts";

const server = useServer();
let folder: string;
beforeEach(() => {
  folder = emptyFolder();
});

const pointed = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8")) as object;
const pointer = `latest-${subscription}.json`;
const datasets = { listing: listings(3) };

test("the pointer of a subscription names its last delivery, and that of a domain its newest export", async () => {
  const seed = await seedAfter(undefined, { datasets });
  const delta = await deltaAfter(seed, { datasets: { listing: listings(1, 7) } });
  await load(server(), folder, seed);
  expect(pointed(pointer)).toMatchObject({ path: seed.manifest.deliveryId, manifestSha256: seed.sha256 });
  await load(server(), folder, delta);
  expect(pointed(pointer)).toMatchObject({ path: delta.manifest.deliveryId, manifestSha256: delta.sha256 });
  // Loaded before: nothing is put back.
  await load(server(), folder, seed);
  expect(pointed(pointer)).toMatchObject({ path: delta.manifest.deliveryId });
  const createdAt = "2026-11-23T04:03:12.000Z";
  const later = await makeDelivery({
    id: "later",
    datasets,
    edit: (manifest) => ({ ...manifest, createdAt }),
  });
  await load(server(), folder, later);
  await load(server(), folder, await makeDelivery({ datasets }));
  expect(pointed("latest-listing.json")).toMatchObject({ path: "later", manifestSha256: later.sha256 });
});

test("a pointer that a killed run has not written is written by the next one", async () => {
  const seed = await seedAfter(undefined, { datasets });
  await load(server(), folder, seed);
  rmSync(join(folder, pointer));
  const target = await openTarget(folder);
  expect((await target.last(subscription))?.sha256).toBe(seed.sha256);
  expect(pointed(pointer)).toMatchObject({ manifestSha256: seed.sha256 });
  rmSync(join(folder, pointer));
  expect(await load(server(), folder, seed)).toBe("done");
  expect(pointed(pointer)).toMatchObject({ manifestSha256: seed.sha256 });
  await target.purge(subscription);
  expect(existsSync(join(folder, pointer))).toBe(false);
});

test("a file of the user's with a pointer's name stays as it is", async () => {
  writeFileSync(join(folder, pointer), "mine");
  await load(server(), folder, await seedAfter(undefined, { datasets }));
  expect(readFileSync(join(folder, pointer), "utf8")).toBe("mine");
  await (await openTarget(folder)).purge(subscription);
  expect(readFileSync(join(folder, pointer), "utf8")).toBe("mine");
});
