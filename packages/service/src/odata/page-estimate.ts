import type { BoundQuery } from "@cadastre/odata";
import type { CollectionOptions } from "./query-options.ts";

/** Bytes of a record's values, without its members that are null: most records have less. */
const valuesOfRecord = 4096;

/** `,"":null` */
const aroundNull = 8;

/** Factor by which types and links lengthen a record, as measured. */
const fullForm = 1.3;

/** Estimates the bytes of a page before it is read, as if it were full. */
export function estimatedBytes(
  { select, top }: BoundQuery,
  { format, ignoreNulls }: Pick<CollectionOptions, "format" | "ignoreNulls">,
): number {
  const nulls = ignoreNulls
    ? 0
    : select.reduce((sum, { property }) => sum + property.name.length + aroundNull, 0);
  return Math.ceil(top * (nulls + valuesOfRecord) * (format.metadata === "full" ? fullForm : 1));
}
