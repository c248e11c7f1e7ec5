import type { ManifestErrorCode } from "./errors.ts";
import type { Manifest, ManifestPart, ManifestProfile } from "./manifest.ts";

/** JSON Pointers to the members that break a rule. */
type Faults = Iterable<string>;

type Rule = { readonly code: ManifestErrorCode; readonly faults: (manifest: Manifest) => Faults };

/** Names of files beside the parts, and names with a special meaning in some operating system. */
const reserved =
  /^(?:manifest\.json|manifest\.jws\.json|_complete|(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?)$/i;

export const mediaTypes = {
  jsonl: "application/x-ndjson",
  csv: "text/csv",
  parquet: "application/vnd.apache.parquet",
} as const satisfies Record<ManifestProfile["format"], string>;

/** Compressions of each format. Parquet compresses its pages; the file itself is never encoded. */
const compressions: Record<ManifestProfile["format"], readonly ManifestProfile["compression"][]> = {
  jsonl: ["gzip", "none"],
  csv: ["gzip", "none"],
  parquet: ["zstd", "none"],
};

const counts = ["rowCount", "removalCount"] as const;

/** Rules beyond the schema, in the order in which they are checked. */
export const rules: readonly Rule[] = [
  { code: "dataset_repeated", faults: ({ datasets }) => repeated(datasets, "/datasets", ({ name }) => name) },
  {
    code: "part_number_repeated",
    faults: ({ parts }) => repeated(parts, "/parts", (p) => p.number, "number"),
  },
  {
    code: "part_name_repeated",
    faults: ({ parts }) => repeated(parts, "/parts", (p) => p.name.toLowerCase()),
  },
  { code: "part_name_reserved", faults: ({ parts }) => ofParts(parts, "name", (p) => reserved.test(p.name)) },
  { code: "document_name", faults: wrongDocumentNames },
  { code: "document_differs", faults: differingDocuments },
  { code: "dataset_unknown", faults: unknownDatasets },
  { code: "part_numbers_differ", faults: differingNumbers },
  { code: "part_format", faults: wrongFormats },
  { code: "part_bytes_differ", faults: differingBytes },
  { code: "part_content", faults: foreignContent },
  { code: "removal_without_delta", faults: removals },
  { code: "count_differs", faults: differingCounts },
  {
    code: "no_change_differs",
    faults: ({ noChange, kind, parts }) =>
      when(noChange !== (kind === "delta" && parts.length === 0), "/noChange"),
  },
  { code: "position_invalid", faults: wrongPosition },
  {
    code: "window_invalid",
    faults: ({ kind, window }) =>
      when((window.fromCheckpoint === null) !== (kind !== "delta"), "/window/fromCheckpoint"),
  },
  {
    code: "expiry_invalid",
    // Both times have the same form, so that texts sort like times.
    faults: ({ createdAt, expiresAt }) => when(expiresAt <= createdAt, "/expiresAt"),
  },
];

function* when(fault: boolean, path: string): Faults {
  if (fault) yield path;
}

function* repeated<Item>(
  items: readonly Item[],
  path: string,
  keyOf: (item: Item) => string | number,
  member = "name",
): Faults {
  const seen = new Set<string | number>();
  for (const [k, item] of items.entries()) {
    if (seen.has(keyOf(item))) yield `${path}/${k}/${member}`;
    seen.add(keyOf(item));
  }
}

function* ofParts(
  parts: readonly ManifestPart[],
  member: keyof ManifestPart,
  isFault: (part: ManifestPart) => boolean,
): Faults {
  for (const [k, part] of parts.entries()) if (isFault(part)) yield `/parts/${k}/${member}`;
}

/** Names that clients give to files beside the parts. */
const clientFiles = /^signature\.json$/i;

function* wrongDocumentNames({ documents = [], parts }: Manifest): Faults {
  const taken = new Set(parts.map(({ name }) => name.toLowerCase()));
  for (const [k, { name }] of documents.entries()) {
    const own = name.toLowerCase();
    yield* when(taken.has(own) || reserved.test(name) || clientFiles.test(name), `/documents/${k}/name`);
    taken.add(own);
  }
}

/** Hashes that the documents of each known kind may have. */
const documentHashes: Readonly<Record<string, (manifest: Manifest) => readonly string[]>> = {
  schema: ({ schema }) => [schema.sha256],
  profile: ({ profile }) => [profile.sha256],
  disclaimer: ({ attribution }) => attribution.map(({ disclaimerSha256 }) => disclaimerSha256),
};

function* differingDocuments(manifest: Manifest): Faults {
  const known = new Map(
    Object.entries(documentHashes).map(([kind, hashesOf]) => [kind, new Set(hashesOf(manifest))]),
  );
  for (const [k, { kind, sha256 }] of (manifest.documents ?? []).entries())
    yield* when(known.get(kind)?.has(sha256) === false, `/documents/${k}/sha256`);
}

function unknownDatasets({ datasets, parts }: Manifest): Faults {
  const names = new Set(datasets.map(({ name }) => name));
  return ofParts(parts, "dataset", (part) => !names.has(part.dataset));
}

function* differingNumbers({ datasets, parts }: Manifest): Faults {
  for (const [k, { name, partNumbers }] of datasets.entries()) {
    const numbers = parts.filter(({ dataset }) => dataset === name).map(({ number }) => number);
    yield* when(numbers.join() !== partNumbers.join(), `/datasets/${k}/partNumbers`);
  }
}

function* wrongFormats({ profile: { format, compression, csv }, parts }: Manifest): Faults {
  yield* when(!compressions[format].includes(compression), "/profile/compression");
  yield* when((csv === null) === (format === "csv"), "/profile/csv");
  const encoding = compression === "gzip" ? "gzip" : null;
  yield* ofParts(parts, "mediaType", (part) => part.mediaType !== mediaTypes[format]);
  yield* ofParts(parts, "contentEncoding", (part) => part.contentEncoding !== encoding);
}

function* differingBytes({ parts }: Manifest): Faults {
  const plain = (part: ManifestPart) => part.contentEncoding === null;
  yield* ofParts(
    parts,
    "uncompressedByteLength",
    (part) => plain(part) && part.uncompressedByteLength !== part.byteLength,
  );
  yield* ofParts(
    parts,
    "uncompressedSha256",
    (part) => plain(part) && part.uncompressedSha256 !== part.sha256,
  );
}

function* foreignContent({ parts }: Manifest): Faults {
  yield* ofParts(parts, "rowCount", (part) => part.content !== "rows" && part.rowCount > 0);
  yield* ofParts(parts, "removalCount", (part) => part.content !== "removals" && part.removalCount > 0);
}

function removals({ kind, parts }: Manifest): Faults {
  return ofParts(parts, "content", (part) => kind !== "delta" && part.content === "removals");
}

function* differingCounts({ datasets, parts, totals }: Manifest): Faults {
  for (const count of counts) {
    for (const [k, dataset] of datasets.entries()) {
      const own = parts.filter((part) => part.dataset === dataset.name);
      yield* when(sum(own, count) !== dataset[count], `/datasets/${k}/${count}`);
    }
    yield* when(sum(parts, count) !== totals[count], `/totals/${count}`);
  }
  yield* when(sum(parts, "byteLength") !== totals.byteLength, "/totals/byteLength");
  yield* when(parts.length !== totals.partCount, "/totals/partCount");
}

const sum = (parts: readonly ManifestPart[], member: "rowCount" | "removalCount" | "byteLength"): number =>
  parts.reduce((total, part) => total + part[member], 0);

function* wrongPosition({ kind, subscriptionId, generation, sequence, previous }: Manifest): Faults {
  yield* when((subscriptionId === null) !== (kind === "snapshot"), "/subscriptionId");
  if (kind === "delta") {
    const follows = previous?.generation === generation && previous.sequence === sequence - 1;
    yield* when(!follows, "/previous");
    return;
  }
  yield* when(sequence !== 0, "/sequence");
  yield* when(kind === "snapshot" && generation !== 1, "/generation");
  // A seed names the last delivery of the earlier generation that it replaces, if there was one.
  yield* when(previous !== null && (kind === "snapshot" || previous.generation >= generation), "/previous");
}
