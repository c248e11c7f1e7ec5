import type { Annotation } from "@cadastre/odata/run";
import type { FieldFacts, LookupTable } from "./data.ts";
import type { DictionaryAdditions } from "./dictionary.ts";
import type { ResourceName } from "./dictionary-data.ts";

/** A field that one originating system has beyond the dictionary. */
export type LocalField = FieldFacts & {
  /** Heading under which the field is shown, such as `Water Rights`. */
  readonly group?: string;
  /** Annotations of the field in `$metadata`, beside its display name and lookup. */
  readonly annotations?: readonly Annotation[];
};

/** Types of local fields. Others have no form in feeds. */
export const localTypes = [
  "Edm.String",
  "Edm.Boolean",
  "Edm.Int64",
  "Edm.Decimal",
  "Edm.Date",
  "Edm.DateTimeOffset",
  "Edm.TimeOfDay",
] as const satisfies readonly LocalField["type"][];

/** The resources that can have local fields. */
export const localResources = [
  "Property",
  "Media",
  "Member",
  "Office",
  "OpenHouse",
] as const satisfies readonly ResourceName[];

/** A resource that can have local fields. */
export type LocalResource = (typeof localResources)[number];

/** An originating system, such as an MLS, and what it adds to the dictionary. */
export type OriginatingSystem = {
  /** Name of the system for the operator, and of the source of its records. It never changes. */
  readonly id: string;
  /** The `OriginatingSystemName` of its records. It is for display and may change. */
  readonly name: string;
  /** Prefix of its lookups, and of the keys of its own values of standard lookups. */
  readonly prefix: string;
  /** `StateOrProvince` values in its market. */
  readonly states: readonly string[];
  /** UUID of its dataset. It never changes, even if the name, the transport or the ingestion does. */
  readonly datasetId: string;
  /** Person or address to ask about its records. */
  readonly contact?: string;
  /** Its local fields by resource. */
  readonly fields?: Partial<Readonly<Record<LocalResource, readonly LocalField[]>>>;
  /** Values of its own lookups, and its own values of standard lookups that are not locked, by lookup name. */
  readonly lookups?: LookupTable;
};

/** The operator's choice of systems and fields, from which a `Catalog` is created. */
export type CatalogDefinition = {
  readonly systems: readonly OriginatingSystem[];
  /** A later version of the dictionary than that of this package, which is followed. */
  readonly dictionary?: DictionaryAdditions;
  /**
   * Standard fields that are served, by resource. A resource that is absent has all of the dictionary's. The fields of `coreFields` are
   * always served.
   */
  readonly standardFields?: Partial<Readonly<Record<ResourceName, readonly string[]>>>;
};

/** A definition without systems: the dictionary alone. */
export const emptyDefinition: CatalogDefinition = { systems: [] };
