import type { StructuralProperty } from "@cadastre/odata";

/** Annotation that names a property's lookup. Source: RESO Web API Core 2.0, section 2.5.3 (string lookups). */
const lookupTerm = "RESO.OData.Metadata.LookupName";

/** Returns the names of the lookups that a property's values are from. */
export const lookupNamesOf = ({ annotations = [] }: StructuralProperty): readonly string[] =>
  annotations.flatMap(({ term, value }) => (term === lookupTerm && typeof value === "string" ? [value] : []));
