import { readFileSync } from "node:fs";
import type { PrimitiveType } from "@cadastre/odata";

/** A field as one line of `data/` or a local field states it. Absent members have the most common value. */
export type FieldFacts = {
  readonly name: string;
  readonly displayName: string;
  readonly type: PrimitiveType;
  readonly collection?: true;
  readonly maxLength?: number;
  readonly precision?: number;
  readonly scale?: number;
  readonly lookup?: string;
  readonly lookupStatus?: LookupStatus;
  readonly synonyms?: readonly string[];
  /** Names of the fields that it is computed from. */
  readonly derivedFrom?: readonly string[];
  /** Names of fields that its values may mention. */
  readonly mayReveal?: readonly string[];
  /** True if the service computes every value and ignores the source's. */
  readonly computed?: true;
};

/**
 * Says if systems may add values to a lookup. `Open`: the dictionary lists no values, each system has its own;
 * `Open with Enumerations`: it lists some, and a system may add more; `Locked with Enumerations`: it lists all.
 * Source: RESO Data Dictionary 2.0, lookup status.
 */
export type LookupStatus = "Open" | "Open with Enumerations" | "Locked with Enumerations";

/** `[value, legacyODataValue]`. */
type LookupFacts = readonly [value: string, legacyODataValue: string];

/** Lookup values by lookup name. */
export type LookupTable = Readonly<Record<string, readonly LookupFacts[]>>;

/** Content of `data/resources/<name>.json`. */
type ResourceFacts = {
  readonly name: string;
  readonly key: string;
  readonly fields: readonly FieldFacts[];
};

/** Content of `data/own/<name>.json`. */
type OwnResourceFacts = {
  readonly name: string;
  readonly key: string;
  readonly fields: readonly (FieldFacts & { readonly required?: true })[];
};

type DataFiles = Readonly<
  Record<`resources/${string}`, ResourceFacts> &
    Record<`own/${string}`, OwnResourceFacts> & { lookups: LookupTable }
>;

/** Reads a file of this package's `data/`, which is next to both `src/` and `dist/`. */
export function readData<Path extends keyof DataFiles>(path: Path): DataFiles[Path] {
  return JSON.parse(
    readFileSync(new URL(`../data/${path}.json`, import.meta.url), "utf8"),
  ) as DataFiles[Path];
}
