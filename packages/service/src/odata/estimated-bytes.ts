import type { BoundQuery } from "@cadastre/odata";
import type { PageRead } from "@cadastre/server/parts";

/** Estimated size of a record without its null members, in bytes. Most records are smaller. */
const valuesOfRecord = 4096;

/** Length of `,"":null`. */
const aroundNull = 8;

/** Measured factor by which the annotations of full metadata lengthen a record. */
const fullForm = 1.3;

/** Estimates the size of a page in bytes before it is read, assuming that it is full. */
export function estimatedBytes(
  { select, top }: BoundQuery,
  withNulls: boolean,
  form: PageRead["form"],
): number {
  const nulls = withNulls
    ? select.reduce((sum, { property }) => sum + property.name.length + aroundNull, 0)
    : 0;
  return Math.ceil(top * (nulls + valuesOfRecord) * (form?.control === undefined ? 1 : fullForm));
}
