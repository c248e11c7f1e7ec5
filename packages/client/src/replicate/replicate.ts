import { z } from "zod";
import { ClientError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { askJson } from "../http/request.ts";
import type { Replica, ReplicaRecord } from "./replica.ts";

export type { Replica } from "./replica.ts";

/** Number of records to request per page: the most that the service returns. */
const pageSize = 1000;

const collection = z.object({
  value: z.array(z.record(z.string(), z.unknown())),
  "@odata.nextLink": z.string().optional(),
});

const timestamp = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,12})?Z$/);

export type ReplicationOptions = {
  readonly resource: string;
  readonly replica: Replica;
  /** Key field. By default `ListingKey` for Property, `<Resource>Key` for others. */
  readonly keyField?: string | undefined;
  /** `$filter` that all records must satisfy. */
  readonly filter?: string | undefined;
  /** `$select`. The key and ModificationTimestamp are added. */
  readonly select?: readonly string[] | undefined;
  readonly onPage?: (read: number) => void;
};

export type ReplicationReport = {
  readonly resource: string;
  readonly read: number;
  /** The `ModificationTimestamp` from which records were read; null if all were. */
  readonly since: string | null;
};

/**
 * Brings a replica of an entity set up to date. The first run reads all records, later runs those whose ModificationTimestamp is not before
 * the last one. Each page is stored at once, so an interrupted run continues where it stopped. Removals are not detected.
 *
 * @throws {ClientError}
 */
export async function replicate(
  connection: Connection,
  options: ReplicationOptions,
): Promise<ReplicationReport> {
  const { resource, replica, onPage = () => {} } = options;
  if (!/^[A-Za-z][A-Za-z0-9]{0,62}$/.test(resource)) throw new ClientError("resource_invalid");
  const keyField = options.keyField ?? (resource === "Property" ? "ListingKey" : `${resource}Key`);
  const since = await replica.modified(resource);
  let read = 0;
  let path: string | undefined = firstPath(options, keyField, since);
  while (path !== undefined) {
    const request = `a page of ${resource}`;
    const page = collection.safeParse(await askJson(connection, { path }, request));
    if (!page.success) throw new ClientError("answer_malformed", { request });
    await replica.apply(
      resource,
      page.data.value.map((record) => recordOf(record, keyField, request)),
    );
    read += page.data.value.length;
    onPage(read);
    path = nextPath(connection, page.data["@odata.nextLink"], path);
  }
  return { resource, read, since };
}

function firstPath(
  { resource, filter, select }: ReplicationOptions,
  keyField: string,
  since: string | null,
): string {
  const conditions = [
    ...(since === null ? [] : [`ModificationTimestamp ge ${since}`]),
    ...(filter === undefined ? [] : [`(${filter})`]),
  ];
  const query = {
    $orderby: "ModificationTimestamp asc",
    $top: String(pageSize),
    ...(conditions.length === 0 ? {} : { $filter: conditions.join(" and ") }),
    ...(select === undefined
      ? {}
      : { $select: [...new Set([keyField, "ModificationTimestamp", ...select])].join() }),
  };
  const texts = Object.entries(query).map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  return `/reso/odata/${resource}?${texts.join("&")}`;
}

/** Returns the path of a next link, which must be of the same origin. @throws {ClientError} `next_link_foreign` */
function nextPath({ origin }: Connection, link: string | undefined, before: string): string | undefined {
  if (link === undefined) return undefined;
  const path = link.slice(origin.length);
  if (link !== origin + path || !path.startsWith("/reso/odata/") || path === before)
    throw new ClientError("next_link_foreign");
  return path;
}

function recordOf(
  record: Readonly<Record<string, unknown>>,
  keyField: string,
  request: string,
): ReplicaRecord {
  const key = record[keyField];
  const modified = timestamp.safeParse(record["ModificationTimestamp"]);
  if (typeof key !== "string" || !modified.success) throw new ClientError("answer_malformed", { request });
  return { key, modified: modified.data, json: JSON.stringify(record) };
}
