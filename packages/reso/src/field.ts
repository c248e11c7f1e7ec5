import type { StructuralProperty } from "@cadastre/odata";
import type { FieldFacts, LookupStatus } from "./data.ts";
import type { OriginatingSystemId } from "./originating-systems.ts";

/** A field of a resource: its OData property, and what the dictionary or its source says about it. */
export type Field = Omit<StructuralProperty, "annotations"> & {
  /** For people, such as `List Price`. */
  readonly displayName: string;
  /** Name of the lookup that its values come from. */
  readonly lookup?: string;
  readonly lookupStatus?: LookupStatus;
  /** Names that the dictionary forbids for this field. */
  readonly synonyms: readonly string[];
  /** The originating system whose local field it is; null for a field that every system shares. */
  readonly source: OriginatingSystemId | null;
  /** True if the service computes every value and ignores the source's. */
  readonly computed?: true;
};

/** Digits of a fraction of a second in every timestamp served. */
const timestampPrecision = 3;

/** Complete the facts of one line of `data/`. Timestamps get their precision, collections are never null. */
export function defineField(
  facts: FieldFacts,
  { source, required }: { readonly source: OriginatingSystemId | null; readonly required: boolean },
): Field {
  const collection = facts.collection ?? false;
  return {
    ...facts,
    ...(facts.type === "Edm.DateTimeOffset" ? { precision: timestampPrecision } : {}),
    collection,
    nullable: !(collection || required),
    synonyms: facts.synonyms ?? [],
    source,
  };
}
