import { IngestError } from "./ingest-error.ts";

/** Common: RESO Common Format. JSON lines: one JSON object a line. CSV: RFC 4180, with a line of names. */
export const formats = ["common", "jsonl", "csv"] as const;
export type Format = (typeof formats)[number];

const endings: readonly (readonly [RegExp, Format])[] = [
  [/\.(?:jsonl|ndjson)(?:\.gz)?$/i, "jsonl"],
  [/\.csv(?:\.gz)?$/i, "csv"],
];

/** How a text of each format begins; a file of nothing is one of no lines. */
const beginnings: readonly (readonly [RegExp, Format])[] = [
  [/^\{\s*"(?:@|value")/, "common"],
  [/^(?:\{|$)/, "jsonl"],
  [/^[A-Za-z"]/, "csv"],
];

/**
 * The format of a file by its name, else by its beginning.
 *
 * @throws {IngestError} if neither tells.
 */
export function formatOf(name: string, start: string): Format {
  const named = endings.find(([ending]) => ending.test(name))?.[1];
  if (named !== undefined) return named;
  // Trimming takes the byte order mark as well.
  const begun = beginnings.find(([beginning]) => beginning.test(start.trimStart()))?.[1];
  if (begun !== undefined) return begun;
  throw new IngestError(
    `${name} is neither RESO Common Format nor JSON lines nor CSV: say which with --format`,
  );
}
