import { readFile, stat } from "node:fs/promises";
import type { RetryPolicy } from "@cadastre/client/http";
import type { Row } from "@cadastre/odata";
import { type CsdlDocument, CsdlError, readCsdl } from "@cadastre/odata/csdl";
import { fileReason } from "../file-error.ts";
import { isObject } from "../ingest/entry.ts";
import type { FeedAuthorization } from "../replicate/authorization.ts";
import { feedOf, type SourceFeed, shown } from "../replicate/feed.ts";
import { fetchFeed } from "../replicate/fetch-feed.ts";
import { descriptionRecords } from "../replicate/pages.ts";
import { schemaOfCsdl } from "./csdl.ts";
import type { FeedSchema } from "./feed-schema.ts";
import { LearnError } from "./learn-error.ts";
import { withRows } from "./read-lookup-rows.ts";

/** Places of the descriptions of a source. Each is a file or a URL. */
export type SourceDescription = {
  readonly metadata: string;
  /** Rows of Lookup and Field. Undefined: those of the service, if the metadata has a URL. */
  readonly lookups: string | undefined;
};

/** Options of the requests to a source. */
export type SourceAccess = {
  readonly authorization: FeedAuthorization | undefined;
  readonly pageSize: number;
  readonly retryPolicy: RetryPolicy;
  readonly onRetry: (reason: string, pause: number) => void;
};

/** Maximum size of a file, in bytes. */
const maxFile = 64 * 1024 * 1024;

/** Maximum number of rows of Lookup and Field. */
const maxRows = 500_000;

const isUrl = (place: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(place);

/**
 * Reads the description of a source.
 *
 * @throws {LearnError | FeedError} if it cannot be read, or is not one
 */
export async function readSource(
  { metadata, lookups }: SourceDescription,
  access: SourceAccess,
): Promise<FeedSchema> {
  const root = metadata.replace(/\/\$metadata$/, "").replace(/\/+$/, "");
  const text = isUrl(metadata) ? await readUrl(root, "$metadata", access) : await readText(metadata);
  const document = parseMetadataText(text, metadata);
  const schema = schemaOfCsdl(document);
  if (lookups !== undefined) return withRows(schema, await readRows(lookups, access), lookups);
  if (!isUrl(metadata)) return schema;
  let described = schema;
  for (const set of ["Lookup", "Field"])
    if (document.entitySets.has(set))
      described = withRows(described, await readRows(`${root}/${set}`, access), `${root}/${set}`);
  return described;
}

/** @throws {LearnError} if the text is no CSDL document */
function parseMetadataText(text: string, source: string): CsdlDocument {
  try {
    return readCsdl(text);
  } catch (cause) {
    if (!(cause instanceof CsdlError)) throw cause;
    throw new LearnError(`${source}: ${cause.message}`, { cause });
  }
}

function readUrl(root: string, name: string, access: SourceAccess): Promise<string> {
  const feed = descriptionOf(root, name, access);
  return fetchFeed(feed.url, { ...access, feed, accept: ["application/xml", "application/json"] });
}

const descriptionOf = (root: string, name: string, { authorization }: SourceAccess): SourceFeed =>
  feedOf(root, name, { filter: undefined, select: undefined }, authorization !== undefined);

async function readText(file: string): Promise<string> {
  const refuse = (cause: NodeJS.ErrnoException) => {
    throw new LearnError(`${file} cannot be read: ${fileReason(cause)}; give a file or an https:// address`, {
      cause,
    });
  };
  const { size } = await stat(file).catch(refuse);
  if (size > maxFile) throw new LearnError(`${file} has ${size} bytes: at most ${maxFile} are read`);
  return readFile(file, "utf8").catch(refuse);
}

/** Reads rows of Lookup or Field: all pages of an entity set, or a file with `value`, a JSON array or JSON lines. */
async function readRows(place: string, access: SourceAccess): Promise<readonly Row[]> {
  if (!isUrl(place)) return rowsOf(await readText(place), place);
  const at = place.lastIndexOf("/");
  const feed = descriptionOf(place.slice(0, at), place.slice(at + 1), access);
  const rows: Row[] = [];
  for await (const page of descriptionRecords({ ...access, feed })) {
    rows.push(...page);
    if (rows.length > maxRows) throw new LearnError(`${shown(feed.url)} has more than ${maxRows} records`);
  }
  return rows;
}

function rowsOf(text: string, file: string): readonly Row[] {
  const parse = (json: string): unknown => {
    try {
      return JSON.parse(json);
    } catch {
      return undefined;
    }
  };
  const whole = parse(text);
  const rows = isObject(whole) && Array.isArray(whole["value"]) ? whole["value"] : whole;
  const list = Array.isArray(rows)
    ? rows
    : text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map(parse);
  if (list.every(isObject)) return list;
  throw new LearnError(
    `${file} must hold records of Lookup or Field: a JSON object with \`value\`, a JSON array, or JSON lines`,
  );
}
