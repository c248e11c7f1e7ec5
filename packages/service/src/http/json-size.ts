import { exceedsLimits } from "@cadastre/manifest";

/**
 * True if the JSON `text` has more than `most` values and members. Meant to be called before the text is parsed and checked against a
 * schema, which costs microseconds per value: a megabyte may hold 500,000 values.
 */
export const exceedsValueCount = (text: string, most: number): boolean =>
  exceedsLimits(Buffer.from(text), { values: most });
