import { createHash } from "node:crypto";
import { canonicalBytes, type ManifestProfile } from "@cadastre/manifest";
import type { ParquetOptions } from "../format/duckdb-copy.ts";
import { duckdbVersion } from "../format/duckdb-version.ts";
import { gzipEncoder } from "../format/gzip.ts";
import { type Domain, domains } from "./domains.ts";

type Format = ManifestProfile["format"];
type Compression = ManifestProfile["compression"];

/** What is chosen of a profile. */
export type ProfileChoice = {
  readonly id: string;
  /** Grows with every change. */
  readonly version: number;
  readonly domain: Domain;
  /** By dataset of the domain: names of columns, or all that the scope shows. A dataset that is not named is not delivered. */
  readonly fields: "*" | Readonly<Record<string, "*" | readonly string[]>>;
  readonly format: Format;
  readonly compression: Compression;
  /** A part ends with the record that brings its JSON lines to so many bytes, whatever its format. */
  readonly partBytes: number;
  /** Whether removals say why. */
  readonly removalReason: boolean;
};

/** How the records of a delivery are written: all that its bytes depend on, beside the records. */
export type OutputProfile = ProfileChoice & {
  readonly schema: { readonly id: string; readonly version: string };
  readonly csv: ManifestProfile["csv"];
  readonly parquet: ParquetOptions | null;
  /** What makes the bytes. */
  readonly encoder: string;
  /** Of the canonical JSON of all members but this one. */
  readonly sha256: string;
};

const parquet: ParquetOptions = { cells: 1_228_800, level: 3 };

/** What makes the text or the pages of a format. */
const encoders: Readonly<Record<Format, string>> = {
  jsonl: "jsonl",
  csv: "csv;rfc4180",
  parquet: `parquet;duckdb=${duckdbVersion};zstd=${parquet.level};cells=${parquet.cells}`,
};

/** A choice with all that follows from it. */
export function profileOf(choice: ProfileChoice): OutputProfile {
  const { domain, format, compression, fields } = choice;
  const profile = {
    ...choice,
    schema: { id: domain, version: domains[domain].schemaVersion },
    csv: format === "csv" ? ({ delimiter: ",", lineEnd: "crlf", header: true } as const) : null,
    parquet: format === "parquet" ? parquet : null,
    encoder: [encoders[format], ...(compression === "gzip" ? [gzipEncoder] : [])].join("+"),
  };
  // Names of datasets are values there: a canonical member has no underscore.
  const listed =
    fields === "*" ? fields : Object.entries(fields).map(([dataset, names]) => ({ dataset, names }));
  const sha256 = createHash("sha256")
    .update(canonicalBytes({ ...profile, fields: listed }))
    .digest("hex");
  return { ...profile, sha256 };
}

/** What a manifest says of a profile. */
export const manifestProfile = ({
  id,
  version,
  sha256,
  format,
  compression,
  encoder,
  csv,
  removalReason,
}: OutputProfile): ManifestProfile => ({
  id,
  version,
  sha256,
  format,
  compression,
  encoder,
  csv,
  removalReason,
});
