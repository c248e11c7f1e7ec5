import { IngestError } from "./ingest-error.ts";

/** JSON lines: one JSON object a line. CSV: RFC 4180, with a line of names. */
export const formats = ["jsonl", "csv"] as const;
export type Format = (typeof formats)[number];

const endings: readonly (readonly [RegExp, Format])[] = [
  [/\.(?:jsonl|ndjson)(?:\.gz)?$/i, "jsonl"],
  [/\.csv(?:\.gz)?$/i, "csv"],
];

/**
 * The format of a file by its name, else by its first character.
 *
 * @throws {IngestError} if neither tells.
 */
export function formatOf(name: string, start: string): Format {
  const named = endings.find(([ending]) => ending.test(name))?.[1];
  if (named !== undefined) return named;
  const first = start.trimStart().charAt(0);
  if (first === "{") return "jsonl";
  if (first === "") return "jsonl";
  if (/[A-Za-z"]/.test(first)) return "csv";
  throw new IngestError(`${name} is neither JSON lines nor CSV: say which with --format`);
}
