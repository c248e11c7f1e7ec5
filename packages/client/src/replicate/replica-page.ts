import { z } from "zod";
import { ClientError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { askJson } from "../http/request.ts";
import type { ReplicaChange, ReplicaRecord } from "./replica.ts";

/** Number of records to request per page: the most that the service returns. */
const pageSize = 1000;

const collection = z.object({
  value: z.array(z.record(z.string(), z.unknown())),
  "@odata.nextLink": z.string().optional(),
  "@odata.deltaLink": z.string().optional(),
  // OData 4.01 may leave out the prefix.
  "@nextLink": z.string().optional(),
  "@deltaLink": z.string().optional(),
});

const timestamp = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,12})?Z$/);

/** An answer of the service: a page of a collection or of changes. */
export type ServedPage = {
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  /** Path of the next page; undefined on the last one. */
  readonly next: string | undefined;
  /** Path that gives the changes since; undefined if the page is not the last one, or the service has none. */
  readonly delta: string | undefined;
};

/**
 * Asks for a page, with the preference that changes are tracked.
 *
 * @throws {ClientError}
 */
export async function askPage(connection: Connection, path: string, request: string): Promise<ServedPage> {
  const prefer = `odata.maxpagesize=${pageSize}, odata.track-changes`;
  const page = collection.safeParse(await askJson(connection, { path, prefer }, request));
  if (!page.success) throw new ClientError("answer_malformed", { request });
  const { value, ...links } = page.data;
  return {
    entries: value,
    next: pathOf(connection, links["@odata.nextLink"] ?? links["@nextLink"], path),
    delta: pathOf(connection, links["@odata.deltaLink"] ?? links["@deltaLink"], ""),
  };
}

/** Returns the path of a link, which must be of the same origin. @throws {ClientError} `next_link_foreign` */
function pathOf({ origin }: Connection, link: string | undefined, before: string): string | undefined {
  if (link === undefined) return undefined;
  const path = link.slice(origin.length);
  if (link !== origin + path || !path.startsWith("/reso/odata/") || path === before)
    throw new ClientError("next_link_foreign");
  return path;
}

/** @throws {ClientError} `answer_malformed` for a record without its key */
export function keyOf(entry: ServedPage["entries"][number], keyField: string, request: string): string {
  const key = entry[keyField];
  if (typeof key !== "string") throw new ClientError("answer_malformed", { request });
  return key;
}

/** @throws {ClientError} `answer_malformed` for a record without its key or its time */
export function recordOf(
  entry: ServedPage["entries"][number],
  keyField: string,
  request: string,
): ReplicaRecord {
  const key = keyOf(entry, keyField, request);
  const modified = timestamp.safeParse(entry["ModificationTimestamp"]);
  if (!modified.success) throw new ClientError("answer_malformed", { request });
  return { key, modified: modified.data, json: JSON.stringify(entry) };
}

/**
 * Reads an entry of a page of changes: a record, or one that was removed. Source: OData JSON Format 4.01, section 15.3, with the form of 4.0.
 *
 * @throws {ClientError} `answer_malformed`
 */
export function changeOf(
  entry: ServedPage["entries"][number],
  keyField: string,
  request: string,
): ReplicaChange {
  const context = entry["@odata.context"] ?? entry["@context"];
  const isRemoved =
    entry["@removed"] !== undefined ||
    entry["@odata.removed"] !== undefined ||
    (typeof context === "string" && context.endsWith("/$deletedEntity"));
  if (!isRemoved) return recordOf(entry, keyField, request);
  const own = entry[keyField];
  const removed = typeof own === "string" ? own : keyIn(entry["@odata.id"] ?? entry["@id"] ?? entry["id"]);
  if (removed === undefined) throw new ClientError("answer_malformed", { request });
  return { removed };
}

/** Returns the key in an id, such as `https://…/Property('1')` or `Property(ListingKey='1')`. */
function keyIn(id: unknown): string | undefined {
  try {
    const [, key] = /\((?:\w+=)?'((?:[^']|'')*)'\)$/.exec(decodeURIComponent(String(id))) ?? [];
    return key?.replaceAll("''", "'");
  } catch {
    return undefined;
  }
}
