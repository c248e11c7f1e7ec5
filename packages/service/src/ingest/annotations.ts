import type { Row } from "@cadastre/odata";

/**
 * The record without its annotations, such as `@odata.id` and `ListPrice@odata.type`: their names hold an `@`.
 * Source: OData JSON Format 4.01, section 4.6.
 */
export function withoutAnnotations(record: Row): Row {
  for (const name in record)
    if (name.includes("@"))
      return Object.fromEntries(Object.entries(record).filter(([name]) => !name.includes("@")));
  return record;
}
