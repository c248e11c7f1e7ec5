import { nearest } from "@cadastre/odata";
import type { ResoResource } from "@cadastre/reso";
import { plainName } from "./csv-text.ts";
import type { Entry } from "./entry.ts";
import { IngestError } from "./ingest-error.ts";
import { quotedName } from "./quoted-text.ts";

/** Maximum number of columns that the error names. */
const mostNamed = 10;

/** How an operator makes unknown fields known, or has them ignored. */
export const unknownFieldCures =
  "give a mapping with --mapping that renames them (`rename`) or ignores them (`drop`, or `unknownFields: drop` for all), or add them as local fields with `cadastre field add` or `cadastre system learn --sample`";

/**
 * Checks the columns of a CSV file by its first records, with their mapping applied. A column without a value is no fault.
 *
 * @throws {IngestError} with the columns that are no fields of the resource
 */
export function requireKnownColumns(
  entries: readonly Entry[],
  { name: resource, fields }: ResoResource,
  file: string,
): void {
  const known = new Set(fields.map(({ name }) => name));
  const unknown = new Set<string>();
  for (const entry of entries)
    if ("record" in entry)
      for (const name of Object.keys(entry.record)) if (!known.has(name)) unknown.add(name);
  if (unknown.size === 0) return;
  const meant = (column: string) =>
    fields.find(({ synonyms }) => synonyms.some((one) => plainName(one) === plainName(column)))?.name ??
    nearest(column, known);
  const named = [...unknown].slice(0, mostNamed).map((column) => {
    const field = meant(column);
    return `\`${quotedName(column)}\`${field === undefined ? "" : ` (did you mean \`${field}\`?)`}`;
  });
  const others = unknown.size > mostNamed ? ` and ${unknown.size - mostNamed} more` : "";
  throw new IngestError(
    `${resource} has no field for the column${unknown.size === 1 ? "" : "s"} ${named.join(", ")}${others}: nothing of ${file} is staged; ${unknownFieldCures}`,
  );
}
