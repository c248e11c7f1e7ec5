import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verifyFolder } from "@cadastre/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { jwks, listings, type TestDelivery } from "./support/deliveries.ts";
import { emptyFolder } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { followOnce, startServer, type TestServer } from "./support/server.ts";

const seed = await seedAfter(undefined, { rowsPerPart: 4, datasets: { listing: listings(10) } });
const first = await deltaAfter(seed, { datasets: { listing: listings(3, 2) } });
const second = await deltaAfter(first, { datasets: { listing: listings(2, 20) } });
const chain = [seed, first, second];

let server: TestServer;
beforeEach(async () => {
  server = await startServer(...chain);
});
afterEach(() => server.close());

const followed = async () => {
  const folder = emptyFolder();
  const follows = (...args: readonly string[]) =>
    runHere([...followOnce(server, subscription, folder), ...args]);
  const pulls = ({ manifest }: TestDelivery, ...args: readonly string[]) =>
    runHere(["pull", manifest.deliveryId, "--url", server.url, "--into", folder, ...args]);
  expect(await follows()).toMatchObject({ code: 0 });
  const at = ({ manifest }: TestDelivery, file: string) => join(folder, manifest.deliveryId, file);
  const partOf = (one: TestDelivery, k = 0) => at(one, one.manifest.parts[k]?.name ?? "");
  const expectWhole = async () => {
    for (const { manifest } of chain)
      expect(await verifyFolder(join(folder, manifest.deliveryId), { keys: jwks })).toMatchObject({
        signed: true,
      });
  };
  return { folder, follows, pulls, at, partOf, expectWhole };
};
const downloads = () => server.requests.filter(({ url }) => url.includes("/download?")).length;

const damages: readonly (readonly [
  string,
  (place: Awaited<ReturnType<typeof followed>>, one: TestDelivery) => void,
  number,
])[] = [
  ["a part is truncated", ({ partOf }, one) => truncateSync(partOf(one), 5), 1],
  ["a part is deleted", ({ partOf }, one) => rmSync(partOf(one)), 1],
  ["the manifest is truncated", ({ at }, one) => truncateSync(at(one, "manifest.json"), 100), 0],
  ["the manifest is empty", ({ at }, one) => truncateSync(at(one, "manifest.json"), 0), 0],
];

describe.each([
  ["seed", seed],
  ["delta in the middle", first],
  ["last delta", second],
] as const)("in the %s", (_, one) => {
  test.each(damages)("%s, and follow repairs it", async (_words, damage, parts) => {
    const place = await followed();
    damage(place, one);
    const before = downloads();
    const { code, stderr } = await place.follows();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Fetched files of the (?:seed|delta) 1\.\d again/) as string,
    });
    expect(downloads() - before).toBe(parts);
    await place.expectWhole();
    expect(await place.follows()).toMatchObject({ code: 0, stderr: "" });
  });

  test.each(damages)("%s, and pull repairs it", async (_words, damage, parts) => {
    const place = await followed();
    damage(place, one);
    const before = downloads();
    const { code, stderr } = await place.pulls(one);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("Fetched files of delivery") as string,
    });
    expect(downloads() - before).toBe(parts);
    await place.expectWhole();
    expect((await place.pulls(one)).stderr).toContain("had been loaded");
  });
});

test("machines are told of a repair", async () => {
  const place = await followed();
  rmSync(place.partOf(first));
  const { stdout } = await place.follows("--json");
  expect(JSON.parse(stdout)).toMatchObject({ sequence: 1, repaired: true });
  rmSync(place.partOf(first));
  const pulled = await place.pulls(first, "--json");
  expect(JSON.parse(pulled.stdout)).toMatchObject({ loaded: false, repaired: true });
});

test("status tells damage", async () => {
  const place = await followed();
  rmSync(place.partOf(seed));
  const { code, stdout, stderr } = await runHere(["status", "--into", place.folder]);
  expect([code, stderr]).toEqual([7, expect.stringMatching(/^copy_damaged: /)]);
  expect(stdout).toMatch(/1\.2 .* damaged/);
});

test("nothing is hashed or fetched where lengths are right", async () => {
  const place = await followed();
  utimesSync(place.partOf(seed), 1, 1);
  const before = downloads();
  expect(await place.follows()).toMatchObject({ code: 0, stderr: "" });
  expect([downloads(), statSync(place.partOf(seed)).mtimeMs]).toEqual([before, 1000]);
});

test("a folder that is gone was removed on purpose", async () => {
  const place = await followed();
  rmSync(join(place.folder, seed.manifest.deliveryId), { recursive: true });
  expect(await place.follows()).toMatchObject({ code: 0, stderr: "" });
});

test.each(["a file", "a folder"])("%s of the user's own is not overwritten by a repair", async (kind) => {
  const place = await followed();
  const mine = kind === "a file" ? place.at(first, "mine.txt") : join(place.partOf(first), "mine.txt");
  rmSync(place.partOf(first));
  if (kind === "a folder") mkdirSync(place.partOf(first));
  writeFileSync(mine, "mine");
  for (const { code, stderr } of [await place.follows(), await place.pulls(first)])
    expect([code, stderr]).toEqual([8, expect.stringContaining("file_occupied")]);
  expect(readFileSync(mine, "utf8")).toBe("mine");
});

test("a service that no longer has the delivery is told as such", async () => {
  const place = await followed();
  rmSync(place.partOf(first));
  server.states.set(first.manifest.deliveryId, "expired");
  const { code, stderr } = await place.follows();
  expect([code, stderr]).toEqual([3, expect.stringContaining("reset the subscription")]);
});

test.each(damages)("verify says what repairs it where %s", async (_, damage) => {
  const place = await followed();
  damage(place, first);
  const { deliveryId } = first.manifest;
  const { code, stderr } = await runHere(["verify", join(place.folder, deliveryId), "--unsigned"]);
  expect(code).toBe(5);
  expect(stderr).toContain(`cadastre-client pull ${deliveryId} --url <origin> --into ${place.folder}`);
});

test("verify says to delete a part of the right length", async () => {
  const place = await followed();
  const bytes = readFileSync(place.partOf(first));
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(place.partOf(first), bytes);
  const { stderr } = await runHere(["verify", join(place.folder, first.manifest.deliveryId), "--unsigned"]);
  expect(stderr).toMatch(/delete .*listing-\d+\.jsonl\.gz, then run `cadastre-client pull /);
});
