import { IngestError } from "./ingest-error.ts";
import type { InputPart } from "./input.ts";

/** `common`: RESO Common Format. `jsonl`: one JSON object per line. `csv`: RFC 4180 with a header line. */
export const formats = ["common", "jsonl", "csv"] as const;
export type Format = (typeof formats)[number];

const endings: readonly (readonly [RegExp, Format])[] = [
  [/\.(?:jsonl|ndjson)(?:\.gz)?$/i, "jsonl"],
  [/\.csv(?:\.gz)?$/i, "csv"],
];

/** Patterns for the start of a text in each format. An empty file counts as JSON lines. */
const beginnings: readonly (readonly [RegExp, Format])[] = [
  [/^\{\s*"(?:@|value")/, "common"],
  [/^(?:\{|$)/, "jsonl"],
  [/^[A-Za-z"]/, "csv"],
];

/**
 * Detects the format of a file by its name, or else by the start of its content.
 *
 * @throws {IngestError} if neither is recognised
 */
export function formatOf({
  name: file,
  parts,
}: {
  readonly name: string;
  readonly parts: readonly Pick<InputPart, "name" | "start">[];
}): Format {
  const [format, ...others] = new Set(parts.map(({ name, start }) => formatOfPart(name, start)));
  if (format !== undefined && others.length === 0) return format;
  throw new IngestError(
    `${file} holds files of several formats (${[format, ...others].join(", ")}): put those of each format in an archive of their own`,
  );
}

function formatOfPart(name: string, start: string): Format {
  if (start.startsWith("PAR1"))
    throw new IngestError(
      `${name} is Parquet, whose types are in the schema document beside it: give the folder of the delivery to \`cadastre receive\`, or export JSON lines or CSV`,
    );
  const named = endings.find(([ending]) => ending.test(name))?.[1];
  if (named !== undefined) return named;
  // `trimStart` also removes a byte order mark.
  const begun = beginnings.find(([beginning]) => beginning.test(start.trimStart()))?.[1];
  if (begun !== undefined) return begun;
  throw new IngestError(
    `${name} is neither RESO Common Format nor JSON lines nor CSV: say which with --format`,
  );
}
