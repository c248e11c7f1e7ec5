import { ClientError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import type { Replica, ReplicaPage, ReplicaPosition, ReplicaProgress } from "./replica.ts";
import { askPage, changeOf, keyOf, recordOf, type ServedPage } from "./replica-page.ts";
import { firstPath, keysPath, queryIdentity, type ReplicaQuery, trialPath } from "./replica-query.ts";

/**
 * Why all records are read. `first`: there is no copy yet. `query`: the copy has another filter, selection or key. `expired`: the service does
 * not know the link of the copy any more. `lost`: the table of the copy was dropped. `tracked`: the service gives delta links now.
 */
export type WalkReason = "first" | "query" | "expired" | "lost" | "tracked";

export type ReplicationOptions = Pick<ReplicaQuery, "resource" | "filter" | "select"> & {
  readonly replica: Replica;
  /** Key field. By default `ListingKey` for Property, `<Resource>Key` for others. */
  readonly keyField?: string | undefined;
  /** Called with the number of records that were read so far. */
  readonly onPage?: (read: number) => void;
  /** Called before all records are read, with the error code of the service that makes it necessary. */
  readonly onWalk?: (reason: WalkReason, code: string | undefined) => void;
};

export type ReplicationReport = {
  readonly resource: string;
  /** Number of records that were read. */
  readonly read: number;
  /** Number of records that were removed. */
  readonly removed: number;
  /** How they were found. `walk`: all records were read. `timestamps`: by `ModificationTimestamp`, and removals by comparing all keys. */
  readonly by: ReplicaPosition["by"];
  /** The `ModificationTimestamp` from which records were read, with `timestamps`. */
  readonly since: string | null;
  /** How the next run goes on. */
  readonly next: "delta" | "timestamps";
};

/** Errors by which the service refuses a link that it gave earlier. */
const expiry: ReadonlySet<string> = new Set([
  "delta_link_expired",
  "delivery_expired",
  "entitlement_changed",
  "invalid_delta_token",
  "invalid_skip_token",
  "not_implemented",
]);

/** Number of walks that may break off in one run because a link has expired. */
const mostWalks = 3;

/**
 * Brings a replica of an entity set up to date. The first run reads all records and keeps the delta link of the last page, later runs apply
 * the changes that it leads to; the copy is then what the service shows. Of a service without delta links, later runs read the records whose
 * `ModificationTimestamp` is not before the last one, and compare all keys. Each page is stored at once with the link after it, so an
 * interrupted run continues where it stopped.
 *
 * @throws {ClientError}
 */
export async function replicate(
  connection: Connection,
  options: ReplicationOptions,
): Promise<ReplicationReport> {
  const { resource, replica, onPage = () => {}, onWalk = () => {} } = options;
  if (!/^[A-Za-z][A-Za-z0-9]{0,62}$/.test(resource)) throw new ClientError("resource_invalid");
  const keyField = options.keyField ?? (resource === "Property" ? "ListingKey" : `${resource}Key`);
  const query: ReplicaQuery = { ...options, keyField };
  const task: Task = { connection, query, replica, onPage };
  const state = await replica.state(resource);
  let reason = await walkReason(task, state);
  let code: string | undefined;
  for (let walks = 0; ; walks++) {
    try {
      if (reason === undefined && state !== undefined) return await goOn(task, state);
      onWalk(reason ?? "first", code);
      return await walk(task, state !== undefined || walks > 0);
    } catch (error) {
      if (!(error instanceof LinkExpired)) throw error;
      if (walks === mostWalks) throw error.cause;
      reason = "expired";
      code = error.cause.reported;
    }
  }
}

type Task = Required<Pick<ReplicationOptions, "replica" | "onPage">> & {
  readonly connection: Connection;
  readonly query: ReplicaQuery;
};

/** A refusal of a link that the service gave earlier. */
class LinkExpired extends Error {
  override readonly cause: ClientError;

  constructor(cause: ClientError) {
    super(cause.message);
    this.cause = cause;
  }
}

/** Returns why all records are to be read; undefined if the copy goes on. */
async function walkReason(task: Task, state: ReplicaProgress | undefined): Promise<WalkReason | undefined> {
  if (state === undefined) return "first";
  const { position, modified, isLost } = state;
  if (isLost) return "lost";
  if (position === null && modified === null) return "first";
  if (position !== null && position.query !== queryIdentity(task.query)) return "query";
  if (position !== null && position.by !== "timestamps") return undefined;
  return (await isTracked(task)) ? "tracked" : undefined;
}

/** True if the service gives delta links for the query. */
async function isTracked({ connection, query }: Task): Promise<boolean> {
  try {
    const { delta } = await askPage(connection, trialPath(query), `a delta link of ${query.resource}`);
    return delta !== undefined;
  } catch (error) {
    if (error instanceof ClientError && error.code === "request_refused") return false;
    throw error;
  }
}

/** Reads all records. @param compares true to remove those of the copy that the service does not have */
const walk = (task: Task, compares: boolean): Promise<ReplicationReport> =>
  followPages(task, { by: "walk", path: firstPath(task.query, null), begins: true, compares });

/** Continues an interrupted walk, or reads what has changed. */
function goOn(task: Task, { position, modified }: ReplicaProgress): Promise<ReplicationReport> {
  if (position === null || position.by === "timestamps" || position.path === null)
    return readByTimestamps(task, modified);
  const { by, path, compares } = position;
  return followPages(task, { by, path, begins: false, compares });
}

/** Start of pages that follow each other by next links. */
type PagesStart = {
  readonly by: "walk" | "delta";
  readonly path: string;
  /** True for the first page of a walk. */
  readonly begins: boolean;
  readonly compares: boolean;
};

/** Applies the pages of a walk or of changes, from `start` to the last one. */
async function followPages(task: Task, start: PagesStart): Promise<ReplicationReport> {
  const { replica, query, onPage } = task;
  const { resource, keyField } = query;
  const { by, compares } = start;
  const request = `a page of ${resource}`;
  let [read, removed] = [0, 0];
  for (let { path, begins } = start; ; begins = false) {
    const page = await askLink(task, path, begins, request);
    const changes = page.entries.map((entry) =>
      by === "walk" ? recordOf(entry, keyField, request) : changeOf(entry, keyField, request),
    );
    const position = positionAfter(page, query, { by, compares });
    if (position === undefined) throw new ClientError("answer_malformed", { request });
    const isLast = page.next === undefined;
    const keeps = isLast && by === "walk" && compares ? "walked" : undefined;
    const applied: ReplicaPage = { keyField, changes, position, begins, ...(keeps && { keeps }) };
    const lost = await replica.apply(resource, applied);
    const gone = changes.filter((change) => "removed" in change).length;
    read += changes.length - gone;
    removed += gone + lost;
    onPage(read);
    if (isLast) {
      const next = position.by === "delta" ? "delta" : "timestamps";
      return { resource, read, removed, by, since: null, next };
    }
    path = page.next;
  }
}

/** Returns the position after a page; undefined for the last page of changes, if it has no delta link. */
function positionAfter(
  { next, delta }: ServedPage,
  query: ReplicaQuery,
  { by, compares }: Pick<PagesStart, "by" | "compares">,
): ReplicaPosition | undefined {
  const identity = { query: queryIdentity(query) };
  if (next !== undefined) return { ...identity, by, path: next, compares };
  if (delta !== undefined) return { ...identity, by: "delta", path: delta, compares: false };
  return by === "walk" ? { ...identity, by: "timestamps", path: null, compares: false } : undefined;
}

/** Asks for a page by a link. @throws {LinkExpired} if the service has given the link, and refuses it now */
async function askLink(
  { connection }: Task,
  path: string,
  begins: boolean,
  request: string,
): Promise<ServedPage> {
  try {
    return await askPage(connection, path, request);
  } catch (error) {
    if (begins || !(error instanceof ClientError)) throw error;
    throw expiry.has(error.code) || expiry.has(error.reported ?? "") ? new LinkExpired(error) : error;
  }
}

/** Reads the records that were modified since, and removes those whose keys the service does not have. */
async function readByTimestamps(task: Task, since: string | null): Promise<ReplicationReport> {
  const { connection, replica, query, onPage } = task;
  const { resource, keyField } = query;
  const position: ReplicaPosition = {
    query: queryIdentity(query),
    by: "timestamps",
    path: null,
    compares: false,
  };
  let read = 0;
  const request = `a page of ${resource}`;
  for await (const { entries } of pagesFrom(connection, firstPath(query, since), request)) {
    const changes = entries.map((entry) => recordOf(entry, keyField, request));
    await replica.apply(resource, { keyField, changes, position });
    read += changes.length;
    onPage(read);
  }
  const keys = new Set<string>();
  const keyRequest = `the keys of ${resource}`;
  for await (const { entries } of pagesFrom(connection, keysPath(query), keyRequest))
    for (const entry of entries) keys.add(keyOf(entry, keyField, keyRequest));
  const removed = await replica.apply(resource, { keyField, changes: [], position, keeps: keys });
  return { resource, read, removed, by: "timestamps", since, next: "timestamps" };
}

async function* pagesFrom(
  connection: Connection,
  first: string,
  request: string,
): AsyncGenerator<ServedPage> {
  for (let path: string | undefined = first; path !== undefined; ) {
    const page: ServedPage = await askPage(connection, path, request);
    yield page;
    path = page.next;
  }
}
