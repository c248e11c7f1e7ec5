import type { Row } from "@cadastre/odata";

/**
 * Returns the record without annotations, such as `@odata.id` and `ListPrice@odata.type`: members with an `@` in their name.
 * Source: OData JSON Format 4.01, section 4.6.
 */
export function withoutAnnotations(record: Row): Row {
  for (const name in record)
    if (name.includes("@"))
      return Object.fromEntries(Object.entries(record).filter(([name]) => !name.includes("@")));
  return record;
}
