import { type BoundQuery, QueryError } from "@cadastre/odata";
import { endOfValue } from "@cadastre/odata/run";
import { type FileFormat, fileTypes } from "../protocol/file-format.ts";
import type { CollectionOptions } from "../protocol/query-options.ts";
import { type Answer, ok, type Piece } from "./answer.ts";
import type { RecordPage } from "./answer-session.ts";
import { toCsv } from "./csv.ts";
import { featureQueryOf, toGeoJson } from "./geojson.ts";
import { turnLength } from "./record-walk.ts";

/** Options that a format has no place for. */
const refusedOptions: Readonly<Record<FileFormat, readonly ("apply" | "expand" | "count")[]>> = {
  csv: ["apply", "expand", "count"],
  geojson: ["apply"],
  jsonl: ["apply", "count"],
};

/** A collection in a file format: the query to read, and what writes its records. */
export type FileCollection = {
  readonly format: FileFormat;
  readonly query: BoundQuery;
  readonly write: (page: Pick<RecordPage, "records" | "count">) => Generator<Piece>;
};

/**
 * Prepares a collection in a file format.
 *
 * @throws {QueryError} `conflicting_options` for an option that the format has no place for
 * @throws {ProtocolError} `not_acceptable` for GeoJSON of records without places
 */
export function fileCollectionOf(
  format: FileFormat,
  query: BoundQuery,
  options: CollectionOptions,
): FileCollection {
  for (const name of refusedOptions[format]) {
    if (options[name] === undefined || options[name] === false) continue;
    const details = { name: `$${name}`, other: `$format=${format}` };
    throw new QueryError("conflicting_options", null, details, `$${name}`);
  }
  if (format === "geojson") {
    const { query: read, geometry } = featureQueryOf(query);
    return {
      format,
      query: read,
      write: ({ records, count }) => toGeoJson(bytesOf(records), geometry, count),
    };
  }
  if (format === "jsonl") return { format, query, write: ({ records }) => toLines(bytesOf(records)) };
  const columns = columnsOf(query, options);
  return { format, query, write: ({ records }) => toCsv(bytesOf(records), columns) };
}

/** Returns the selected names in the order of `$select`. */
function columnsOf({ select }: BoundQuery, options: CollectionOptions): readonly string[] {
  const names = select.map(({ property }) => property.name);
  const asked = (options.select ?? [])
    .map(({ path }) => path.join("/"))
    .filter((name) => names.includes(name));
  return [...new Set([...asked, ...names])];
}

/** Writes records as lines. The bytes are copied, with a line feed in place of each comma between records. */
function* toLines(records: Buffer): Generator<Buffer> {
  for (let from = 0; from < records.length; ) {
    const ends: number[] = [];
    let at = from;
    while (at < records.length && at - from < turnLength) {
      at = endOfValue(records, at);
      ends.push(at - from);
      at += 1;
    }
    const lines = Buffer.allocUnsafe(at - from);
    records.copy(lines, 0, from, at);
    for (const end of ends) lines[end] = lineFeed;
    yield lines;
    from = at;
  }
}

const lineFeed = 0x0a;

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Returns the answer of a file. The next page is linked in a header. Source: RFC 8288, section 3. */
export function fileAnswer(format: FileFormat, body: readonly Piece[], nextLink: string | undefined): Answer {
  const answer = ok(fileTypes[format], body);
  if (nextLink === undefined) return answer;
  // An address in angle brackets has no other ones, and a header has no other characters than these.
  const target = nextLink.replace(/[^\x21-\x7e]|[<>]/gu, encodeURIComponent);
  return { ...answer, headers: { link: `<${target}>; rel="next"` } };
}
