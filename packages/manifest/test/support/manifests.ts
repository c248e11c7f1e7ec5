import { createHash } from "node:crypto";
import type { Manifest, ManifestPart } from "@cadastre/manifest";

/** Returns a hash that is different for each name. */
export const hashOf = (name: string): string => createHash("sha256").update(name).digest("hex");

const rows = (number: number, dataset: string, rowCount: number): ManifestPart => ({
  number,
  dataset,
  content: "rows",
  name: `${dataset}-${String(number).padStart(5, "0")}.jsonl.gz`,
  mediaType: "application/x-ndjson",
  contentEncoding: "gzip",
  byteLength: rowCount * 40,
  sha256: hashOf(`${dataset} ${number}`),
  uncompressedByteLength: rowCount * 400,
  uncompressedSha256: hashOf(`${dataset} ${number} uncompressed`),
  rowCount,
  removalCount: 0,
  firstKey: null,
  lastKey: null,
});

const removals = (number: number, dataset: string, removalCount: number): ManifestPart => ({
  ...rows(number, dataset, removalCount),
  content: "removals",
  name: `${dataset}-${String(number).padStart(5, "0")}.removals.jsonl.gz`,
  rowCount: 0,
  removalCount,
});

const common = {
  schemaVersion: 2,
  manifestType: "delivery",
  customerId: "cust_7h2k",
  subscriptionId: "0198f3a0-1111-7222-8333-444455556666",
  domain: "listing",
  generation: 2,
  noChange: false,
  entitlement: { version: 7, scopeSha256: hashOf("scope") },
  schema: { id: "listing", version: "2.0.3", sha256: hashOf("schema"), resoDdVersion: "2.0" },
  profile: {
    id: "listing-jsonl-std",
    version: 4,
    sha256: hashOf("profile"),
    format: "jsonl",
    compression: "gzip",
    encoder: "gzip;zlib=1.3.1;level=6;mtime=0;os=255",
    csv: null,
    removalReason: true,
  },
  createdAt: "2026-11-21T04:03:12.000Z",
  expiresAt: "2026-12-05T04:03:12.000Z",
  attribution: [
    { datasetId: "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10", disclaimerSha256: hashOf("disclaimer") },
  ],
} as const;

const window = {
  fromCheckpoint: null,
  toCheckpoint: "c1:0000000000419230",
  fromExclusive: true,
  asOf: "2026-11-20T04:00:00.000Z",
} as const;

const full = {
  window,
  datasets: [
    {
      name: "listing",
      resource: "Property",
      keyField: "ListingKey",
      rowCount: 300,
      removalCount: 0,
      partNumbers: [1009, 12],
      sources: [
        {
          datasetId: "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10",
          originatingSystemName: "Lone Star MLS · Dom. Täxas",
        },
      ],
    },
    {
      name: "listing_media",
      resource: "Media",
      keyField: "MediaKey",
      rowCount: 0,
      removalCount: 0,
      partNumbers: [],
    },
  ],
  parts: [rows(1009, "listing", 200), rows(12, "listing", 100)],
  totals: { partCount: 2, rowCount: 300, removalCount: 0, byteLength: 12_000 },
} as const;

/** The first delivery of a subscription's second generation. */
export const seed: Manifest = {
  ...common,
  ...full,
  deliveryId: "0198f3a1-0000-7000-8000-000000000000",
  kind: "seed",
  sequence: 0,
  previous: { generation: 1, sequence: 30, manifestSha256: hashOf("the delivery before") },
};

/** A seed with documents beside its parts. */
export const documented: Manifest = {
  ...seed,
  documents: [
    {
      kind: "schema",
      name: "schema.json",
      mediaType: "application/json",
      byteLength: 400_000,
      sha256: seed.schema.sha256,
    },
    {
      kind: "later-kind",
      name: "later.json",
      mediaType: "application/json",
      byteLength: 2,
      sha256: hashOf("later"),
    },
  ],
};

export const snapshot: Manifest = {
  ...common,
  ...full,
  deliveryId: "0198f3a1-0000-7000-8000-000000000001",
  subscriptionId: null,
  kind: "snapshot",
  generation: 1,
  sequence: 0,
  previous: null,
};

/** Makes the delta after a delivery. Its `previous` has the given hash. */
export const delta = (manifestSha256: string, after: Manifest = seed): Manifest => ({
  ...common,
  deliveryId: `0198f3a1-0000-7000-8000-00000000001${after.sequence}`,
  kind: "delta",
  sequence: after.sequence + 1,
  previous: { generation: after.generation, sequence: after.sequence, manifestSha256 },
  window: {
    ...window,
    fromCheckpoint: after.window.toCheckpoint,
    toCheckpoint: `c1:${after.sequence + 1}`,
  },
  datasets: [
    {
      name: "listing",
      resource: "Property",
      keyField: "ListingKey",
      rowCount: 20,
      removalCount: 10,
      partNumbers: [3, 1],
    },
    {
      name: "media_assets",
      resource: null,
      keyField: "MediaAssetId",
      rowCount: 0,
      removalCount: 0,
      partNumbers: [],
    },
  ],
  parts: [rows(3, "listing", 20), removals(1, "listing", 10)],
  totals: { partCount: 2, rowCount: 20, removalCount: 10, byteLength: 1200 },
});

export const emptyDelta = (manifestSha256: string): Manifest => {
  const { datasets, ...rest } = delta(manifestSha256);
  return {
    ...rest,
    noChange: true,
    datasets: datasets.map((dataset) => ({ ...dataset, rowCount: 0, removalCount: 0, partNumbers: [] })),
    parts: [],
    totals: { partCount: 0, rowCount: 0, removalCount: 0, byteLength: 0 },
  };
};

const { contentEncoding: _, ...unencoded } = rows(7, "listing", 5);

/** A snapshot in Parquet, whose parts have no content encoding. */
export const parquet: Manifest = {
  ...snapshot,
  profile: {
    ...snapshot.profile,
    id: "listing-parquet",
    format: "parquet",
    compression: "zstd",
    encoder: "duckdb=1.5.6",
  },
  datasets: [{ ...full.datasets[0], rowCount: 5, partNumbers: [7] }],
  parts: [
    {
      ...unencoded,
      contentEncoding: null,
      name: "listing-00007.parquet",
      mediaType: "application/vnd.apache.parquet",
      uncompressedByteLength: unencoded.byteLength,
      uncompressedSha256: unencoded.sha256,
    },
  ],
  totals: { partCount: 1, rowCount: 5, removalCount: 0, byteLength: 200 },
};
