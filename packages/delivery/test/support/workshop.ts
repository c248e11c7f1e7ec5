import { createHash, generateKeyPairSync } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Manifest, readManifest, signManifest } from "@cadastre/manifest";
import type { WorkerMeans } from "../../src/build/options.ts";
import {
  type ApiKeyCaller,
  createDeliveries,
  type Deliveries,
  type Delivery,
  type ExportColumn,
  type ExportSource,
  folderParts,
  type OutputProfile,
} from "../../src/index.ts";
import { profileOf } from "../../src/profiles/profile.ts";
import {
  openPostgresTestRegistry,
  openSqliteTestRegistry,
  type TestRegistry,
} from "../../src/testing/registry.ts";
import { anyScope } from "./scope.ts";

/** Location of a registry, and the folder of its parts, as plain JSON. */
export type Place = { readonly parts: string } & (
  | { readonly file: string }
  | { readonly connection: string; readonly schema: string }
);

export const openRegistry = (place: Place): Promise<TestRegistry> =>
  "file" in place ? openSqliteTestRegistry(place) : openPostgresTestRegistry(place);

export const at = Date.UTC(2026, 10, 21, 4);
export const caller: ApiKeyCaller = { scope: anyScope, apiKey: "01" };
export const { customer } = anyScope;

const choice = { id: "small", version: 1, domain: "listing", fields: "*", removalReason: false } as const;

/** A profile with parts of 64 KiB of JSON lines. */
export const smallParts: OutputProfile = profileOf({
  ...choice,
  format: "jsonl",
  compression: "gzip",
  partBytes: 1 << 16,
});

/** A profile with parts of 8 MiB. */
export const largeParts: OutputProfile = profileOf({
  ...choice,
  format: "jsonl",
  compression: "none",
  partBytes: 1 << 23,
});

const text = (name: string): ExportColumn => ({ name, type: "string", collection: false, nullable: false });

/** Number of records of each dataset: they make five parts, two parts and none. */
const counts: Readonly<Record<string, number>> = { listing: 1700, listing_media: 500, media_assets: 0 };

const records = (counts["listing"] ?? 0) + (counts["listing_media"] ?? 0);

/** Returns a source of records that are computed from their index, in batches of `size`. `times` multiplies their number. */
export const endlessSource = (size = 100, times = 1): ExportSource => ({
  checkpoint: async () => 7,
  columns: (dataset) => (dataset in counts ? [text("Key"), text("Text")] : undefined),
  read: async function* ({ dataset, from, signal }) {
    const count = (counts[dataset] ?? 0) * times;
    for (let start = Number(from ?? 0); start < count; start += size) {
      signal?.throwIfAborted();
      const end = Math.min(start + size, count);
      const lines = Array.from({ length: end - start }, (_, i) => {
        const Key = `${dataset}-${String(start + i).padStart(6, "0")}`;
        return `${JSON.stringify({ Key, Text: createHash("sha512").update(Key).digest("hex") })}\n`;
      });
      yield { lines: Buffer.from(lines.join("")), length: end - start, end: String(end) };
    }
  },
});

const { privateKey, publicKey } = generateKeyPairSync("ed25519");

/** The key set for the signatures of this process. */
export const keySet = {
  keys: [{ ...publicKey.export({ format: "jwk" }), kid: "test", alg: "EdDSA", use: "sig" }],
};

/** Returns the dependencies of a worker. */
export const meansOf = (
  registry: TestRegistry,
  place: Place,
  more: Partial<WorkerMeans> = {},
): WorkerMeans => ({
  ledger: registry.deliveries,
  source: endlessSource(),
  parts: folderParts(place.parts),
  scopeOf: async () => anyScope,
  sign: (bytes) => signManifest(bytes, { privateKey, kid: "test" }),
  name: "worker",
  ...more,
});

/** Returns the deliveries of a registry, with fixed clock and random bytes, so that they are the same in every registry. */
export function deliveriesOf(
  registry: TestRegistry,
  place: Place,
  clock = () => at,
  profile = smallParts,
): Deliveries {
  let drawn = 0;
  return createDeliveries({
    ledger: registry.deliveries,
    source: endlessSource(),
    parts: folderParts(place.parts),
    profiles: [profile],
    clock,
    random: (bytes) => createHash("shake256", { outputLength: bytes }).update(String(++drawn)).digest(),
  });
}

/** Makes the customer known to a registry. */
export const admit = ({ entitlements }: TestRegistry): Promise<boolean> =>
  entitlements.install({ customer, version: 1, jws: "a.b.c", installed: at });

/** Requests `count` exports. */
export async function order(
  registry: TestRegistry,
  place: Place,
  count = 1,
  profile = smallParts,
): Promise<readonly Delivery[]> {
  await admit(registry);
  const { create } = deliveriesOf(registry, place, () => at, profile);
  const ordered: Delivery[] = [];
  for (let i = 0; i < count; i++) {
    const request = { domain: "listing", deliveryMode: "pull", idempotencyKey: `key ${i}` } as const;
    ordered.push((await create(caller, request)).delivery);
  }
  return ordered;
}

/** Returns the contents of a folder of parts: the hashes of parts, and the number of staging folders. */
export function contentsOf({ parts }: Place): { readonly parts: readonly string[]; readonly staged: number } {
  const [whole, staging] = [join(parts, "parts"), join(parts, "staging")];
  const shards = existsSync(whole) ? readdirSync(whole) : [];
  return {
    parts: shards.flatMap((shard) => readdirSync(join(whole, shard))).toSorted(),
    staged: existsSync(staging) ? readdirSync(staging).length : 0,
  };
}

/** Returns the manifest of a delivery, after checking that its parts are intact and contain every record exactly once. */
export async function checkedManifest(registry: TestRegistry, place: Place, id: string): Promise<Manifest> {
  const sealed = await registry.deliveries.manifest(id);
  const bytes = Buffer.from(sealed?.text ?? "");
  const manifest = readManifest(bytes);
  const hashed = createHash("sha256").update(bytes).digest("hex");
  const keys = new Set<string>();
  for (const { sha256 } of manifest.parts) {
    const part = readFileSync(join(place.parts, "parts", sha256.slice(0, 2), sha256));
    if (createHash("sha256").update(part).digest("hex") !== sha256) throw new Error(`${sha256} is not whole`);
    for (const line of gunzipSync(part).toString().trimEnd().split("\n"))
      keys.add((JSON.parse(line) as { readonly Key: string }).Key);
  }
  const delivery = await registry.deliveries.find(customer, id);
  if (hashed !== sealed?.sha256 || hashed !== delivery?.manifestSha256) throw new Error("the hash differs");
  if (keys.size !== records || manifest.totals.rowCount !== records)
    throw new Error(`${keys.size} keys in ${manifest.totals.rowCount} rows`);
  return manifest;
}
