import type { StructuralProperty } from "@cadastre/odata";
import type { FieldFacts, LookupStatus } from "./data.ts";

/** A field of a resource: its OData property, and what the dictionary or its source states about it. */
export type Field = StructuralProperty & {
  /** Heading under which a local field is shown. */
  readonly group?: string;
  /** Display name, such as `List Price`. */
  readonly displayName: string;
  /** Name of the lookup that the field's values are from. */
  readonly lookup?: string;
  readonly lookupStatus?: LookupStatus;
  /** Names that the dictionary forbids for this field. */
  readonly synonyms: readonly string[];
  /** Id of the originating system of a local field; null for a field of all systems. */
  readonly source: string | null;
  /** True if the service computes every value and ignores the source's. */
  readonly computed?: true;
};

/** Number of fractional digits of the seconds in all timestamps. */
const timestampPrecision = 3;

/** Completes a field of `data/`. Timestamps get their precision, and collections are never null. */
export function defineField(
  facts: FieldFacts & Pick<Field, "group" | "annotations">,
  { source, required }: { readonly source: string | null; readonly required: boolean },
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
