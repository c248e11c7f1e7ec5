import { canonicalText, type Manifest, type ManifestErrorCode } from "@cadastre/manifest";
import { delta, documented, emptyDelta, hashOf, parquet, seed, snapshot } from "./manifests.ts";

/** A manifest with one fault, as text, with the error code that it must be refused with and the path of the fault. */
export type Fault = {
  readonly name: string;
  readonly text: string;
  readonly code: ManifestErrorCode;
  readonly path?: string;
  /** True if the JSON Schema refuses it as well. */
  readonly bySchema?: boolean;
};

const change = delta(hashOf("seed"));

/** Returns the text of a manifest with the value at each path replaced; `undefined` removes the member. */
function edited(manifest: Manifest, edits: Readonly<Record<string, unknown>>): string {
  const copy: unknown = structuredClone(manifest);
  for (const [path, value] of Object.entries(edits)) {
    const steps = path.split("/").slice(1);
    const last = steps.pop() ?? "";
    const holder = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], copy);
    if (value === undefined) delete (holder as Record<string, unknown>)[last];
    else (holder as Record<string, unknown>)[last] = value;
  }
  return canonicalText(copy);
}

const fault = (
  name: string,
  code: ManifestErrorCode,
  manifest: Manifest,
  edits: Readonly<Record<string, unknown>>,
  path: string | undefined = Object.keys(edits)[0],
): Fault => ({
  name,
  text: edited(manifest, edits),
  code,
  ...(path === undefined ? {} : { path }),
  bySchema: code === "manifest_invalid" || code === "manifest_schema_version",
});

const schemaFaults = [
  ["part-number-zero", "/parts/0/number", 0],
  ["part-number-huge", "/parts/0/number", 2 ** 31],
  ["part-number-text", "/parts/0/number", "3"],
  ["part-name-parent-folder", "/parts/0/name", "../listing.jsonl.gz"],
  ["part-name-folder", "/parts/0/name", "listing/1.jsonl.gz"],
  ["part-name-backslash", "/parts/0/name", "listing\\1.jsonl.gz"],
  ["part-name-absolute", "/parts/0/name", "/etc/passwd"],
  ["part-name-drive", "/parts/0/name", "C:listing.jsonl.gz"],
  ["part-name-hidden", "/parts/0/name", ".listing.jsonl.gz"],
  ["part-name-trailing-dot", "/parts/0/name", "listing.jsonl."],
  ["part-name-not-ascii", "/parts/0/name", "lïsting.jsonl.gz"],
  ["part-name-empty", "/parts/0/name", ""],
  ["part-hash-upper-case", "/parts/0/sha256", hashOf("listing 3").toUpperCase()],
  ["part-hash-short", "/parts/0/sha256", "abcdef"],
  ["part-content-unknown", "/parts/0/content", "changes"],
  ["part-encoding-unknown", "/parts/0/contentEncoding", "br"],
  [
    "datasets-without-end",
    "/datasets",
    Array.from({ length: 65 }, (_, k) => ({ ...change.datasets[1], name: `d${k}` })),
  ],
  ["part-without-hash", "/parts/0/sha256", undefined],
  ["domain-unknown", "/domain", "weather"],
  ["kind-unknown", "/kind", "partial"],
  ["generation-zero", "/generation", 0],
  ["type-unknown", "/manifestType", "publication"],
  ["time-with-offset", "/createdAt", "2026-11-21T05:03:12.000+01:00"],
  ["time-without-milliseconds", "/createdAt", "2026-11-21T04:03:12Z"],
  ["time-impossible", "/createdAt", "2026-02-30T04:03:12.000Z"],
  ["window-inclusive", "/window/fromExclusive", false],
  ["delivery-id-path", "/deliveryId", "../0198f3a1"],
] as const;

/** All faults that a reader of manifests must find. */
export const faults: readonly Fault[] = [
  { name: "not-json", text: "{", code: "manifest_not_json" },
  { name: "byte-order-mark", text: `\ufeff${canonicalText(seed)}`, code: "manifest_not_json" },
  { name: "line-end", text: `${canonicalText(seed)}\n`, code: "manifest_not_canonical" },
  { name: "white-space", text: JSON.stringify(seed, null, 1), code: "manifest_not_canonical" },
  {
    name: "members-out-of-order",
    text: canonicalText(seed).replace(/^\{"attribution":(\[.*?\]),(.*)\}$/, '{$2,"attribution":$1}'),
    code: "manifest_not_canonical",
  },
  {
    name: "member-repeated",
    text: canonicalText(seed).replace('"sequence":0,', '"sequence":1,"sequence":0,'),
    code: "manifest_not_canonical",
  },
  {
    name: "text-escaped",
    text: canonicalText(seed).replace('"listing"', '"\\u006cisting"'),
    code: "manifest_not_canonical",
  },
  {
    name: "number-exponent",
    text: canonicalText(seed).replace('"rowCount":300', '"rowCount":3e2'),
    code: "manifest_not_canonical",
  },
  {
    name: "number-fraction",
    text: canonicalText(seed).replace('"rowCount":300', '"rowCount":300.5'),
    code: "canonical_number",
    path: "/datasets/0/rowCount",
  },
  {
    name: "number-too-large",
    text: canonicalText(seed).replace('"rowCount":300', '"rowCount":9007199254740993'),
    code: "canonical_number",
    path: "/datasets/0/rowCount",
  },
  {
    name: "number-negative",
    text: canonicalText(seed).replace('"rowCount":300', '"rowCount":-300'),
    code: "canonical_number",
    path: "/datasets/0/rowCount",
  },
  {
    name: "text-control",
    text: canonicalText(seed).replace("cust_7h2k", "cust\u007f"),
    code: "canonical_text",
    path: "/customerId",
  },
  {
    name: "text-half-surrogate",
    text: canonicalText(seed).replace("cust_7h2k", "cust\\ud83d"),
    code: "canonical_text",
    path: "/customerId",
  },
  {
    name: "member-not-ascii",
    text: canonicalText(seed).replace('"customerId"', '"customerİd"'),
    code: "canonical_member",
    path: "/customerİd",
  },
  fault("schema-version-1", "manifest_schema_version", seed, { "/schemaVersion": 1 }),
  fault("schema-version-3", "manifest_schema_version", seed, { "/schemaVersion": 3 }),
  fault("schema-version-text", "manifest_schema_version", seed, { "/schemaVersion": "2" }),
  ...schemaFaults.map(([name, path, value]) => fault(name, "manifest_invalid", change, { [path]: value })),
  fault("dataset-repeated", "dataset_repeated", change, { "/datasets/1/name": "listing" }),
  fault("dataset-unknown", "dataset_unknown", change, { "/parts/1/dataset": "office" }),
  fault("part-number-repeated", "part_number_repeated", change, { "/parts/1/number": 3 }),
  fault("part-name-repeated", "part_name_repeated", change, { "/parts/1/name": "listing-00003.jsonl.gz" }),
  fault("part-name-repeated-in-capitals", "part_name_repeated", change, {
    "/parts/1/name": "Listing-00003.JSONL.gz",
  }),
  fault("part-name-of-manifest", "part_name_reserved", change, { "/parts/0/name": "manifest.json" }),
  fault("part-name-of-marker", "part_name_reserved", change, { "/parts/0/name": "COM1.jsonl" }),
  fault("document-named-as-a-part", "document_name", documented, {
    "/documents/0/name": "Listing-01009.jsonl.gz",
  }),
  fault("document-named-as-another", "document_name", documented, { "/documents/1/name": "SCHEMA.json" }),
  fault("document-named-as-a-signature", "document_name", documented, {
    "/documents/0/name": "signature.json",
  }),
  fault("document-of-another-schema", "document_differs", documented, {
    "/documents/0/sha256": hashOf("other"),
  }),
  fault("document-in-another-folder", "manifest_invalid", documented, {
    "/documents/0/name": "../schema.json",
  }),
  fault("part-numbers-in-another-order", "part_numbers_differ", change, {
    "/datasets/0/partNumbers": [1, 3],
  }),
  fault("part-numbers-one-more", "part_numbers_differ", change, { "/datasets/0/partNumbers": [3, 1, 5] }),
  fault("part-numbers-one-less", "part_numbers_differ", change, { "/datasets/0/partNumbers": [3] }),
  fault("part-of-another-format", "part_format", change, { "/parts/0/mediaType": "text/csv" }),
  fault("part-not-encoded", "part_format", change, { "/parts/0/contentEncoding": null }),
  fault("csv-options-of-jsonl", "part_format", change, {
    "/profile/csv": { delimiter: ",", header: true, lineEnd: "crlf" },
  }),
  fault("text-with-zstd", "part_format", change, { "/profile/compression": "zstd" }),
  fault("parquet-in-gzip", "part_format", parquet, { "/profile/compression": "gzip" }),
  fault("bytes-of-another-length", "part_bytes_differ", parquet, { "/parts/0/uncompressedByteLength": 1 }),
  fault("bytes-of-another-hash", "part_bytes_differ", parquet, {
    "/parts/0/uncompressedSha256": hashOf("other"),
  }),
  fault("rows-that-remove", "part_content", change, { "/parts/0/removalCount": 1 }),
  fault("removals-with-rows", "part_content", change, { "/parts/1/rowCount": 1 }),
  fault("removals-in-snapshot", "removal_without_delta", snapshot, {
    "/parts/1/content": "removals",
    "/parts/1/rowCount": 0,
    "/parts/1/removalCount": 100,
  }),
  fault("dataset-rows-differ", "count_differs", change, { "/datasets/0/rowCount": 21 }),
  fault("dataset-removals-differ", "count_differs", change, { "/datasets/0/removalCount": 9 }),
  fault("total-rows-differ", "count_differs", change, { "/totals/rowCount": 21 }),
  fault("total-removals-differ", "count_differs", change, { "/totals/removalCount": 11 }),
  fault("total-bytes-differ", "count_differs", change, { "/totals/byteLength": 1201 }),
  fault("total-parts-differ", "count_differs", change, { "/totals/partCount": 3 }),
  fault("no-change-with-parts", "no_change_differs", change, { "/noChange": true }),
  fault("no-change-not-told", "no_change_differs", emptyDelta(hashOf("seed")), { "/noChange": false }),
  fault("no-change-of-snapshot", "no_change_differs", snapshot, { "/noChange": true }),
  fault("delta-without-previous", "position_invalid", change, { "/previous": null }),
  fault("delta-after-itself", "position_invalid", change, { "/sequence": 0 }, "/previous"),
  fault("delta-after-another-generation", "position_invalid", change, { "/generation": 3 }, "/previous"),
  fault("delta-without-subscription", "position_invalid", change, { "/subscriptionId": null }),
  fault("seed-at-sequence-1", "position_invalid", seed, { "/sequence": 1 }),
  fault("seed-after-its-generation", "position_invalid", seed, { "/generation": 1 }, "/previous"),
  fault("snapshot-of-subscription", "position_invalid", snapshot, { "/subscriptionId": "0198f3a0" }),
  fault("snapshot-of-generation-2", "position_invalid", snapshot, { "/generation": 2 }),
  fault("snapshot-after-another", "position_invalid", snapshot, {
    "/previous": { generation: 1, sequence: 0, manifestSha256: hashOf("seed") },
  }),
  fault("seed-from-checkpoint", "window_invalid", seed, { "/window/fromCheckpoint": "c1:1" }),
  fault("delta-from-nothing", "window_invalid", change, { "/window/fromCheckpoint": null }),
  fault("expired-at-creation", "expiry_invalid", seed, { "/expiresAt": "2026-11-21T04:03:12.000Z" }),
];
