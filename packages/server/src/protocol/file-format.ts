import { type MediaType, parseMediaType, readAccept } from "./media-type.ts";

/** A format of collections beside JSON, for programs that read files: spreadsheets, maps, data frames. */
export type FileFormat = "csv" | "geojson" | "jsonl";

/** Media type of each format. Sources: RFC 4180 section 3; RFC 7946 section 12; https://github.com/ndjson/ndjson-spec. */
export const fileTypes: Readonly<Record<FileFormat, string>> = {
  csv: "text/csv;charset=utf-8;header=present",
  geojson: "application/geo+json",
  jsonl: "application/x-ndjson",
};

/** Formats by the names that `$format` and `Accept` may have. */
const formats: ReadonlyMap<string, FileFormat> = new Map([
  ["text/csv", "csv"],
  ["application/geo+json", "geojson"],
  ["application/x-ndjson", "jsonl"],
  ["application/jsonl", "jsonl"],
]);

const isShortName = (type: string): type is FileFormat => Object.hasOwn(fileTypes, type);

const withoutMeaning: ReadonlySet<string> = new Set(["charset=utf-8", "header=present"]);

const formatOf = ({ type, parameters }: MediaType): FileFormat | undefined =>
  parameters.every((parameter) => withoutMeaning.has(parameter)) ? formats.get(type) : undefined;

/** Quick test of an `Accept` header, since nearly none names one of the formats. */
const mayName = /csv|geo\+json|ndjson|jsonl/i;

/** Returns the file format that a request for a collection asks for. Undefined if it asks for JSON, or for what is not offered. */
export function fileFormatOf(format: string | undefined, accept: string | undefined): FileFormat | undefined {
  if (format !== undefined) {
    const asked = parseMediaType(format);
    if (asked === undefined) return undefined;
    return isShortName(asked.type) && asked.parameters.length === 0 ? asked.type : formatOf(asked);
  }
  if (accept === undefined || !mayName.test(accept)) return undefined;
  const [best] = readAccept(accept).filter(
    (range) => range.quality > 0 && (formatOf(range) !== undefined || isJsonRange(range)),
  );
  return best && formatOf(best);
}

const isJsonRange = ({ type }: MediaType): boolean =>
  type === "application/json" || type === "application/*" || type === "*/*";
