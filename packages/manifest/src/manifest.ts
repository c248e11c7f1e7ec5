import { z } from "zod";
import { domainNames } from "./domains.ts";

const count = z.int().nonnegative();
const text = z.string().min(1).max(1024);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
/** A time in UTC with milliseconds: the texts sort in the order of the times. */
const instant = z.iso.datetime({ precision: 3 });
/** A name that is valid in paths and as a table name. */
const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/);
/** Identifies a part in requests; 0 stands for the manifest itself. */
const partNumber = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
/** A file name that is valid in any file system: no separators, no leading or trailing dot. */
const fileName = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?$/);

const listOf = <Item extends z.ZodType>(item: Item, most: number) => z.array(item).max(most).readonly();

/** Maximum lengths of lists, so that a manifest can be read quickly. */
const maxParts = 100_000;
const maxDatasets = 64;
const maxSources = 10_000;

const position = z.object({ generation: count.min(1), sequence: count, manifestSha256: hash });

const window = z.object({
  fromCheckpoint: text.nullable().describe("Opaque; null where everything is delivered"),
  toCheckpoint: text.describe("Opaque; the next window begins here"),
  fromExclusive: z.literal(true),
  asOf: instant,
});

const schema = z.object({ id: name, version: text, sha256: hash, resoDdVersion: text.nullable() });

const csv = z.object({
  delimiter: z.string().length(1),
  lineEnd: z.enum(["crlf", "lf"]),
  header: z.boolean(),
});

const profile = z.object({
  id: name,
  version: count.min(1),
  sha256: hash,
  format: z.enum(["jsonl", "csv", "parquet"]),
  compression: z.enum(["none", "gzip", "zstd"]),
  encoder: text.describe("What made the bytes, for who wants to make them again"),
  csv: csv.nullable(),
  removalReason: z.boolean(),
});

const source = z.object({ datasetId: text, originatingSystemName: text });

const dataset = z.object({
  name,
  resource: name.nullable().describe("Entity set of the same records, where there is one"),
  keyField: name,
  rowCount: count,
  removalCount: count,
  partNumbers: listOf(partNumber, maxParts),
  sources: listOf(source, maxSources).optional(),
});

/** A file beside the parts, named by its hash. Readers ignore kinds that they do not know. */
const document = z.object({
  kind: name.describe("`schema`, `profile` or `disclaimer`"),
  name: fileName,
  mediaType: text,
  byteLength: count,
  sha256: hash,
});

const part = z.object({
  number: partNumber,
  dataset: name,
  content: z.enum(["rows", "removals"]),
  name: fileName,
  mediaType: text,
  contentEncoding: z.literal("gzip").nullable(),
  byteLength: count,
  sha256: hash,
  uncompressedByteLength: count.describe("Of the bytes once the content encoding is undone"),
  uncompressedSha256: hash.describe("Of the bytes once the content encoding is undone"),
  rowCount: count,
  removalCount: count,
  firstKey: z.string().nullable(),
  lastKey: z.string().nullable(),
});

/** A manifest of schema version 2. Unknown members are allowed, so that later versions of the writer can add some. */
export const manifestShape = z.object({
  schemaVersion: z.literal(2),
  manifestType: z.literal("delivery"),
  deliveryId: name,
  customerId: text,
  subscriptionId: name.nullable(),
  domain: z.enum(domainNames),
  kind: z.enum(["snapshot", "seed", "delta"]),
  generation: count.min(1),
  sequence: count,
  previous: position.nullable(),
  noChange: z.boolean(),
  window,
  entitlement: z.object({ version: count, scopeSha256: hash }),
  schema,
  profile,
  datasets: listOf(dataset, maxDatasets),
  parts: listOf(part, maxParts),
  totals: z.object({ partCount: count, rowCount: count, removalCount: count, byteLength: count }),
  createdAt: instant,
  expiresAt: instant,
  attribution: listOf(z.object({ datasetId: text, disclaimerSha256: hash }), maxSources),
  documents: listOf(document, maxSources).optional().describe("Absent in manifests of earlier releases"),
});

/** The manifest of a delivery. Parts are applied in the order of `parts`. */
export type Manifest = z.infer<typeof manifestShape>;
export type ManifestDataset = z.infer<typeof dataset>;
/** A document beside the parts of a delivery. */
export type ManifestDocument = z.infer<typeof document>;
export type ManifestPart = z.infer<typeof part>;
export type ManifestProfile = z.infer<typeof profile>;
