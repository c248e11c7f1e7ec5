import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  type Manifest,
  type ManifestDataset,
  type ManifestPart,
  type ManifestSignature,
  mediaTypes,
  type SealedManifest,
  sealManifest,
  signManifest,
} from "@cadastre/manifest";
import { exampleKeySet, exampleSigningKey } from "@cadastre/manifest/testing";
import { DuckDBInstance } from "@duckdb/node-api";
import type { SchemaColumn } from "../../src/content/schema.ts";
import { duckdbTypes, sqlTypeOf } from "../../src/load/column-types.ts";

export type Row = Readonly<Record<string, unknown>>;

/** A sealed delivery, and the bytes of its parts by number. */
export type TestDelivery = SealedManifest & {
  readonly signature: ManifestSignature;
  readonly parts: ReadonlyMap<number, Buffer>;
  /** Texts of the documents by their hashes. */
  readonly documents: ReadonlyMap<string, string>;
};

export { exampleKeySet as jwks };

export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex");

const keyFields: Readonly<Record<string, string>> = {
  listing: "ListingKey",
  listing_media: "MediaKey",
  media_assets: "MediaAssetId",
};

/** Makes listings with values that are easily misread: line feeds, quotes, leading zeros, emoji, empty texts. */
export const listings = (count: number, from = 0): readonly Row[] =>
  Array.from({ length: count }, (_, k) => ({
    ListingKey: `LSM_${String(from + k).padStart(6, "0")}`,
    ListPrice: 100_000 + k + 0.5,
    BedroomsTotal: k % 7,
    PublicRemarks: `Line one\nline "two", three ${"·".repeat(k % 3)} 😀`,
    ...(k % 2 === 0 ? { City: "Austin", WaterfrontYN: k % 4 === 0 } : {}),
    ...(k % 3 === 0 ? { Appliances: ["Dishwasher", "Wine Cooler"] } : {}),
    PostalCode: `0${1000 + (k % 9000)}`,
    Remark: k % 5 === 0 ? "" : "x",
  }));

type Made = { readonly bytes: Buffer; readonly plain: Buffer };
/** @param types types of the columns in DuckDB, by name; by default they are inferred */
type Maker = (rows: readonly Row[], types?: ReadonlyMap<string, string>) => Promise<Made> | Made;

const encoded = (text: string): Made => {
  const plain = Buffer.from(text);
  return { bytes: gzipSync(plain), plain };
};

const cell = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const makers: Readonly<Record<"jsonl" | "csv" | "parquet", Maker>> = {
  jsonl: (rows) => encoded(rows.map((row) => `${JSON.stringify(row)}\n`).join("")),
  csv: (rows) => {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const lines = rows.map((row) => names.map((name) => cell(row[name])).join());
    return encoded([names.join(), ...lines].map((line) => `${line}\r\n`).join(""));
  },
  parquet: async (rows, types = new Map()) => {
    const folder = mkdtempSync(join(tmpdir(), "parquet-"));
    try {
      const [lines, file] = [join(folder, "rows.jsonl"), join(folder, "rows.parquet")];
      writeFileSync(lines, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
      const connection = await (await DuckDBInstance.create()).connect();
      const present = new Set(rows.flatMap((row) => Object.keys(row)));
      const typed = [...types]
        .filter(([name]) => present.has(name))
        .map(([name, type]) => `"${name}": '${type}'`)
        .join();
      const columns = typed === "" ? "" : `, columns = {${typed}}`;
      await connection.run(`copy (select * from read_json('${lines}', format = 'newline_delimited'${columns}))
        to '${file}' (format parquet, compression zstd)`);
      const bytes = readFileSync(file);
      return { bytes, plain: bytes };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Returns the types of a dataset's columns in DuckDB, by a schema document. */
function typesIn(text: string | undefined, dataset: string): ReadonlyMap<string, string> | undefined {
  if (text?.startsWith("{") !== true) return undefined;
  const { datasets } = JSON.parse(text) as {
    datasets: readonly { name: string; columns: readonly SchemaColumn[] }[];
  };
  const columns = datasets.find(({ name }) => name === dataset)?.columns ?? [];
  return new Map(columns.map((column) => [column.name, sqlTypeOf(column, duckdbTypes)]));
}

const slicesOf = (rows: readonly Row[], size: number): readonly (readonly Row[])[] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, k) => rows.slice(k * size, (k + 1) * size));

export type DeliveryOptions = {
  readonly id?: string;
  readonly format?: keyof typeof makers;
  readonly datasets?: Readonly<Record<string, readonly Row[]>>;
  /** Keys of removed records by dataset. */
  readonly removals?: Readonly<Record<string, readonly string[]>>;
  readonly rowsPerPart?: number;
  /** Texts of documents by their kinds. */
  readonly documents?: Readonly<Record<string, string>>;
  readonly edit?: (manifest: Manifest) => Manifest;
  /** Changes a part's bytes before they are hashed, like a server that hashes what it has damaged. */
  readonly spoil?: (plain: Buffer) => Buffer;
  /** Does the same to the compressed bytes. */
  readonly spoilPacked?: (packed: Buffer) => Buffer;
};

/** Makes a snapshot whose part numbers are neither contiguous nor sorted. */
export async function makeDelivery(options: DeliveryOptions = {}): Promise<TestDelivery> {
  const { id = "0198f3a2-6c1e-7b57-9a53-0c1d2e3f4a5b", format = "jsonl", rowsPerPart = 100 } = options;
  const { datasets = { listing: listings(250), listing_media: [] }, edit = (manifest) => manifest } = options;
  const { removals = {}, documents = {} } = options;
  const bytes = new Map<number, Buffer>();
  const parts: ManifestPart[] = [];
  const described: ManifestDataset[] = [];
  for (const [dataset, rows] of Object.entries(datasets)) {
    const own: number[] = [];
    const keyField = keyFields[dataset] ?? "Id";
    const removed = (removals[dataset] ?? []).map((key) => ({ [keyField]: key, removalReason: "deleted" }));
    const slices = [
      ...slicesOf(rows, rowsPerPart).map((slice) => ({ slice, content: "rows" }) as const),
      ...slicesOf(removed, rowsPerPart).map((slice) => ({ slice, content: "removals" }) as const),
    ];
    for (const { slice, content } of slices) {
      const number = 1 + ((parts.length * 37 + 11) % 101);
      const made = await makers[format](
        slice,
        content === "rows" ? typesIn(documents["schema"], dataset) : undefined,
      );
      const plain = options.spoil?.(made.plain) ?? made.plain;
      const gzipped = () => options.spoilPacked?.(gzipSync(plain)) ?? gzipSync(plain);
      const packed = format === "parquet" ? plain : gzipped();
      own.push(number);
      bytes.set(number, packed);
      parts.push({
        number,
        dataset,
        content,
        name: `${dataset}-${String(number).padStart(5, "0")}${content === "rows" ? "" : ".removals"}.${format}${format === "parquet" ? "" : ".gz"}`,
        mediaType: mediaTypes[format],
        contentEncoding: format === "parquet" ? null : "gzip",
        byteLength: packed.length,
        sha256: sha256Of(packed),
        uncompressedByteLength: plain.length,
        uncompressedSha256: sha256Of(plain),
        rowCount: content === "rows" ? slice.length : 0,
        removalCount: content === "rows" ? 0 : slice.length,
        firstKey: null,
        lastKey: null,
      });
    }
    described.push({
      name: dataset,
      resource: null,
      keyField,
      rowCount: rows.length,
      removalCount: removed.length,
      partNumbers: own,
    });
  }
  const manifest: Manifest = edit({
    schemaVersion: 2,
    manifestType: "delivery",
    deliveryId: id,
    customerId: "cust_7h2k",
    subscriptionId: null,
    domain: "listing",
    kind: "snapshot",
    generation: 1,
    sequence: 0,
    previous: null,
    noChange: false,
    window: {
      fromCheckpoint: null,
      toCheckpoint: "c1:0000000000431877",
      fromExclusive: true,
      asOf: "2026-11-21T04:00:00.000Z",
    },
    entitlement: { version: 7, scopeSha256: sha256Of("scope") },
    schema: {
      id: "listing",
      version: "2.0.3",
      sha256: sha256Of(documents["schema"] ?? "schema"),
      resoDdVersion: "2.0",
    },
    profile: {
      id: `listing-${format}`,
      version: 4,
      sha256: sha256Of(documents["profile"] ?? "profile"),
      format,
      compression: format === "parquet" ? "zstd" : "gzip",
      encoder: "test",
      csv: format === "csv" ? { delimiter: ",", lineEnd: "crlf", header: true } : null,
      removalReason: false,
    },
    datasets: described,
    parts,
    totals: {
      partCount: parts.length,
      rowCount: parts.reduce((sum, part) => sum + part.rowCount, 0),
      removalCount: parts.reduce((sum, part) => sum + part.removalCount, 0),
      byteLength: parts.reduce((sum, part) => sum + part.byteLength, 0),
    },
    createdAt: "2026-11-21T04:03:12.000Z",
    expiresAt: "2026-12-05T04:03:12.000Z",
    attribution: [],
    ...(options.documents === undefined
      ? {}
      : {
          documents: Object.entries(documents).map(([kind, content]) => ({
            kind,
            name: `${kind}.json`,
            mediaType: "application/json",
            byteLength: Buffer.byteLength(content),
            sha256: sha256Of(content),
          })),
        }),
  });
  const sealed = await sealManifest(manifest);
  return {
    ...sealed,
    signature: await signManifest(sealed.bytes, exampleSigningKey),
    parts: bytes,
    documents: new Map(Object.values(documents).map((content) => [sha256Of(content), content])),
  };
}
