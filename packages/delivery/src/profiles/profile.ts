import { createHash } from "node:crypto";
import type { Scope } from "@cadastre/entitlement";
import {
  canonicalText,
  type Domain,
  type DomainDataset,
  domainTable,
  type ManifestProfile,
} from "@cadastre/manifest";
import type { ParquetOptions } from "../format/duckdb-copy.ts";
import { duckdbVersion } from "../format/duckdb-version.ts";
import { gzipEncoder } from "../format/gzip.ts";
import type { ExportColumn, ExportSource } from "../source/export-source.ts";

type Format = ManifestProfile["format"];
type Compression = ManifestProfile["compression"];

/** The configurable members of a profile. */
export type ProfileChoice = {
  readonly id: string;
  /** Must be increased with every change of the profile. */
  readonly version: number;
  readonly domain: Domain;
  /** Names of columns by dataset of the domain, or `*` for all that the scope shows. A dataset that is not named is not delivered. */
  readonly fields: "*" | Readonly<Record<string, "*" | readonly string[]>>;
  readonly format: Format;
  readonly compression: Compression;
  /** Size at which a part ends: with the record that brings its JSON lines to this many bytes, whatever the format. */
  readonly partBytes: number;
  /** True if removals give their reason. */
  readonly removalReason: boolean;
  /** Condition on the records of the domain's main dataset, in the language of `$filter`. Absent: all records. */
  readonly filter?: string;
};

/** An output profile: everything that the bytes of a delivery depend on, apart from the records. */
export type OutputProfile = ProfileChoice & {
  readonly schema: { readonly id: string; readonly version: string };
  readonly csv: ManifestProfile["csv"];
  readonly parquet: ParquetOptions | null;
  /** Identifies the code that writes the bytes, with its versions and options. */
  readonly encoder: string;
  /** SHA-256 of the canonical JSON of all other members. */
  readonly sha256: string;
};

const parquet: ParquetOptions = { cells: 1_228_800, level: 3 };

/** Encoders of the text, or of the pages, of each format. */
const encoders: Readonly<Record<Format, string>> = {
  jsonl: "jsonl",
  csv: "csv;rfc4180",
  parquet: `parquet;duckdb=${duckdbVersion};zstd=${parquet.level};cells=${parquet.cells}`,
};

/** Returns the complete profile for its configurable members. */
export function profileOf(choice: ProfileChoice): OutputProfile {
  const { domain, format, compression } = choice;
  const profile = {
    ...choice,
    schema: { id: domain, version: domainTable[domain].schemaVersion },
    csv: format === "csv" ? ({ delimiter: ",", lineEnd: "crlf", header: true } as const) : null,
    parquet: format === "parquet" ? parquet : null,
    encoder: [encoders[format], ...(compression === "gzip" ? [gzipEncoder] : [])].join("+"),
  };
  return { ...profile, sha256: createHash("sha256").update(documentText(profile)).digest("hex") };
}

/** Returns the configurable members of a profile. */
export const choiceOf = ({
  id,
  version,
  domain,
  fields,
  format,
  compression,
  partBytes,
  removalReason,
  filter,
}: OutputProfile): ProfileChoice => ({
  id,
  version,
  domain,
  fields,
  format,
  compression,
  partBytes,
  removalReason,
  ...(filter === undefined ? {} : { filter }),
});

/** Returns the document of a profile: canonical JSON whose SHA-256 is the hash that manifests state. */
export function profileDocument(whole: OutputProfile): string {
  const { sha256: _, ...profile } = whole;
  return documentText(profile);
}

function documentText({ fields, ...profile }: Omit<OutputProfile, "sha256">): string {
  // Names of datasets may contain an underscore, which canonical JSON does not allow in a member name: they become values.
  const listed =
    fields === "*" ? fields : Object.entries(fields).map(([dataset, names]) => ({ dataset, names }));
  return canonicalText({ ...profile, fields: listed });
}

/** Returns the members of a profile that a manifest states. */
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

/**
 * True if the scope shows every field that the profile names. Only then may a customer read the profile's document, which would name
 * hidden fields otherwise.
 */
export const showsProfile = (
  source: Pick<ExportSource, "columns">,
  scope: Scope,
  { fields }: Pick<OutputProfile, "fields">,
): boolean =>
  fields === "*" ||
  Object.entries(fields).every(([dataset, names]) => {
    if (names === "*") return true;
    const shown = new Set(source.columns(dataset, scope)?.map(({ name }) => name));
    return names.every((name) => shown.has(name));
  });

/** A dataset of a delivery, with the columns of its records there. */
export type DeliveredDataset = DomainDataset & { readonly columns: readonly ExportColumn[] };

/**
 * Returns the datasets of a delivery for a profile and a scope, each with the columns that the profile selects and the scope shows, in
 * the order of the source. The key is always among them. A dataset that the scope does not show is not delivered.
 */
export function deliveredDatasets(
  source: Pick<ExportSource, "columns">,
  scope: Scope,
  { domain, fields }: OutputProfile,
): readonly DeliveredDataset[] {
  return domainTable[domain].datasets.flatMap((dataset) => {
    const wanted = fields === "*" ? "*" : fields[dataset.name];
    const shown = wanted === undefined ? undefined : source.columns(dataset.name, scope);
    if (wanted === undefined || shown === undefined) return [];
    const isWanted = ({ name }: ExportColumn) =>
      wanted === "*" || name === dataset.keyField || wanted.includes(name);
    return [{ ...dataset, columns: shown.filter(isWanted) }];
  });
}
