import { type ChainLink, type Manifest, requireFollows, sealManifest } from "@cadastre/manifest";
import { expect, test } from "vitest";
import { delta, hashOf, seed, snapshot } from "./support/manifests.ts";

const link = (manifest: Manifest): Promise<ChainLink> => sealManifest(manifest);
const first = await link(seed);
const second = await link(delta(first.sha256));
const third = await link(delta(second.sha256, second.manifest));
const reseeded = await link({
  ...seed,
  generation: 3,
  schema: { ...seed.schema, sha256: hashOf("another schema") },
  previous: { generation: 2, sequence: 1, manifestSha256: second.sha256 },
});
const changed = (manifest: Manifest, members: Partial<Manifest>) => link({ ...manifest, ...members });

test("deltas follow one another, and a seed follows what it takes the place of", () => {
  requireFollows(first, second);
  requireFollows(second, third);
  requireFollows(second, reseeded);
});

test("a seed may follow a delivery that was never fetched", () => {
  requireFollows(first, reseeded);
});

test.each<readonly [string, ChainLink, () => ChainLink | Promise<ChainLink>, string, string | undefined]>([
  ["the same", second, () => second, "chain_rollback", undefined],
  ["an earlier one", third, () => second, "chain_rollback", undefined],
  ["an earlier generation", reseeded, () => third, "chain_rollback", undefined],
  ["one with a gap", first, () => third, "chain_gap", undefined],
  [
    "another manifest of the same number",
    second,
    () => changed(second.manifest, { noChange: second.manifest.noChange, deliveryId: "other" }),
    "chain_fork",
    undefined,
  ],
  ["one that follows another manifest", first, () => link(delta(hashOf("other"))), "chain_fork", undefined],
  [
    "a seed that follows another manifest",
    second,
    () =>
      changed(reseeded.manifest, {
        previous: { generation: 2, sequence: 1, manifestSha256: hashOf("other") },
      }),
    "chain_fork",
    undefined,
  ],
  ["a seed that knows less", third, () => reseeded, "chain_fork", undefined],
  [
    "a seed that follows nothing",
    second,
    () => changed(reseeded.manifest, { previous: null }),
    "chain_fork",
    undefined,
  ],
  [
    "another window",
    first,
    () => changed(second.manifest, { window: { ...second.manifest.window, fromCheckpoint: "c1:other" } }),
    "chain_window",
    undefined,
  ],
  [
    "another subscription",
    first,
    () => changed(second.manifest, { subscriptionId: "other" }),
    "chain_foreign",
    "/subscriptionId",
  ],
  [
    "another customer",
    first,
    () => changed(second.manifest, { customerId: "other" }),
    "chain_foreign",
    "/customerId",
  ],
  [
    "another schema",
    first,
    () => changed(second.manifest, { schema: { ...seed.schema, sha256: hashOf("other") } }),
    "chain_pin",
    "/schema/sha256",
  ],
  [
    "another profile",
    first,
    () => changed(second.manifest, { profile: { ...seed.profile, sha256: hashOf("other") } }),
    "chain_pin",
    "/profile/sha256",
  ],
  [
    "another scope",
    first,
    () => changed(second.manifest, { entitlement: { version: 8, scopeSha256: hashOf("other") } }),
    "chain_pin",
    "/entitlement/scopeSha256",
  ],
])("%s does not follow", async (_, before, next, code, path) => {
  const candidate = await next();
  const refusal = path === undefined ? { code } : { code, path };
  expect(() => requireFollows(before, candidate)).toThrow(expect.objectContaining(refusal));
});

test("a snapshot is in no chain", async () => {
  const one = await link(snapshot);
  expect(() => requireFollows(one, one)).toThrow(expect.objectContaining({ code: "chain_foreign" }));
});
