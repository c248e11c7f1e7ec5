import type { StructuralProperty } from "@cadastre/odata";

/** Source: RESO Web API Core 2.0, section 2.5.3 (string lookups). */
const lookupTerm = "RESO.OData.Metadata.LookupName";

/** Names of the lookups that the values of a property come from. */
export const lookupNamesOf = ({ annotations = [] }: StructuralProperty): readonly string[] =>
  annotations.filter(({ term }) => term === lookupTerm).map(({ value }) => String(value));
