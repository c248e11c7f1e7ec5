import type { Row } from "@cadastre/odata";
import { textLiteral } from "@cadastre/odata/tree";
import { keyFieldOf, type ResourceName } from "@cadastre/reso";
import type { Change } from "@cadastre/store";
import { ExactNumber } from "../ingest/exact-json.ts";
import { mapRecord } from "../ingest/mapping.ts";
import type { DeletionChoice, DeletionSource } from "./deletion-choice.ts";
import { eventsUrl, existingKeysUrl, followed, keysUrl, lastEventUrl, shown } from "./feed.ts";
import { FeedError } from "./feed-error.ts";
import type { FeedRequest } from "./fetch-feed.ts";
import { linkedPages } from "./pages.ts";
import { RefusedRequest } from "./refused-request.ts";
import { type Removal, removeGone } from "./remove-gone.ts";

/** Deletions since a position, as keys of the source. */
type ToldDeletions = {
  readonly keys: ReadonlySet<string>;
  /** Where the next run goes on: the number of the last event, or a delta link. */
  readonly position: string;
};

type DeletionReader = {
  /**
   * Returns the position of what the source has now.
   *
   * @param isTrial true to ask for no more than shows that the source has one
   */
  readonly start: (asking: FeedRequest, isTrial: boolean) => Promise<string>;
  /** @returns undefined if the source does not know the position any more */
  readonly since: (position: string, asking: FeedRequest) => Promise<ToldDeletions | undefined>;
};

const readers: Readonly<Record<DeletionSource, DeletionReader>> = {
  events: { start: lastEvent, since: eventsSince },
  delta: { start: firstDeltaLink, since: deltaSince },
};

/** @throws {FeedError} if the source does not tell of deletions in this way */
export async function tryDeletions(from: DeletionSource, asking: FeedRequest): Promise<void> {
  await readers[from].start(asking, true);
}

/**
 * Returns how deletions of a source are found: with `auto` by delta links, else by events, if the source has either. Undefined if it does
 * not tell of them, or is not to be asked.
 *
 * @param known how they were found before, which `auto` keeps to
 */
export async function deletionSourceOf(
  choice: DeletionChoice,
  known: DeletionSource | undefined,
  asking: FeedRequest,
): Promise<DeletionSource | undefined> {
  if (choice === "none" || choice === "keys") return undefined;
  return choice === "auto" ? (known ?? findDeletions(asking)) : choice;
}

async function findDeletions(asking: FeedRequest): Promise<DeletionSource | undefined> {
  for (const from of ["delta", "events"] as const)
    try {
      await tryDeletions(from, asking);
      return from;
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
    }
  return undefined;
}

/**
 * Stages the removal of the records that the source has deleted since a position, whose keys it keeps in memory. Without a position, or
 * with one that the source no longer knows, it compares all keys.
 *
 * @throws {FeedError} if the source does not tell of deletions in this way
 * @throws {IngestError} as `removeGone`
 */
export async function removeDeleted(
  from: DeletionSource,
  position: string | undefined,
  task: Removal,
): Promise<{ readonly removed: number; readonly position: string }> {
  const { store, resource, source, asking } = task;
  const cursor = await store.builds.cursor(resource, source.name);
  const told = position === undefined ? undefined : await readers[from].since(position, asking);
  if (told === undefined) {
    // Asked for before the keys are read, so that no deletion falls in between.
    const now = await readers[from].start(asking, false);
    return { removed: cursor === null ? 0 : await removeGone(task), position: now };
  }
  const changes = [...told.keys].map(
    (key): Change => ({ resource, datasetId: source.datasetId, removed: [ownKey(key, resource, asking)] }),
  );
  if (changes.length === 0 || cursor === null) return { removed: 0, position: told.position };
  const staged = await store.builds.stage(resource, source.name, changes, { cursor, after: cursor });
  return { removed: staged.changes, position: told.position };
}

/** Returns the key of a record as the mapping makes it. */
function ownKey(key: string, resource: ResourceName, { feed: { mapping, key: name } }: FeedRequest): string {
  if (mapping === undefined) return key;
  return String(mapRecord(mapping, resource, { [name]: key })[keyFieldOf(resource)]);
}

async function lastEvent(asking: FeedRequest): Promise<string> {
  for await (const { records } of linkedPages(lastEventUrl(asking.feed), asking))
    for (const record of records) return sequenceOf(record["EntityEventSequence"], asking);
  return "0";
}

/**
 * Reads the events after a number. An event says that a record has changed or was deleted, and not which of the two: the source is asked
 * which of the records it still has.
 */
async function eventsSince(position: string, asking: FeedRequest): Promise<ToldDeletions> {
  const keys = new Set<string>();
  for (let last = position; ; ) {
    const named = new Set<string>();
    const before = last;
    for await (const { records } of linkedPages(eventsUrl(asking.feed, last, asking.pageSize), asking))
      for (const { EntityEventSequence, ResourceRecordKey: key } of records) {
        const sequence = sequenceOf(EntityEventSequence, asking);
        if (typeof key !== "string" || BigInt(sequence) <= BigInt(last))
          throw new FeedError(
            `${shown(asking.feed.url)}: its events have no ResourceRecordKey, or their numbers do not grow`,
          );
        last = sequence;
        named.add(key);
      }
    for (const key of await withoutRecord(named, asking)) keys.add(key);
    if (last === before) return { keys, position: last };
  }
}

function sequenceOf(value: unknown, { feed }: FeedRequest): string {
  const text = value instanceof ExactNumber ? value.text : String(value);
  // Checked, because it becomes part of a filter.
  if (/^\d{1,19}$/.test(text)) return text;
  throw new FeedError(`${shown(feed.url)}: an event has no EntityEventSequence that is a number`);
}

/** Longest list of keys in a request, in UTF-16 code units: many servers take an address of 8 KB. */
const longestList = 2_000;

/** Returns those of the keys that the source has no record of. */
async function withoutRecord(keys: ReadonlySet<string>, asking: FeedRequest): Promise<readonly string[]> {
  const gone: string[] = [];
  let list: string[] = [];
  let length = 0;
  const check = async () => {
    gone.push(...(await missingOf(list, asking)));
    [list, length] = [[], 0];
  };
  for (const key of keys) {
    list.push(key);
    length += encodeURIComponent(textLiteral(key)).length + 3;
    if (length > longestList) await check();
  }
  await check();
  return gone;
}

/** Asks until an answer is empty: a source may give fewer records than it was asked for, without a next link. */
async function missingOf(keys: readonly string[], asking: FeedRequest): Promise<readonly string[]> {
  const missing = new Set(keys);
  for (let found = true; found && missing.size > 0; ) {
    found = false;
    for await (const { records } of linkedPages(existingKeysUrl(asking.feed, [...missing]), asking))
      for (const record of records) found = missing.delete(String(record[asking.feed.key])) || found;
  }
  return [...missing];
}

const trackChanges = "odata.track-changes";

async function firstDeltaLink(asking: FeedRequest, isTrial: boolean): Promise<string> {
  let link: string | undefined;
  const first = keysUrl(asking.feed);
  // Without records, so that the first page is the last one, which has the link.
  if (isTrial) first.searchParams.set("$top", "0");
  const tracked = { ...asking, preference: trackChanges };
  for await (const { deltaLink } of linkedPages(first, tracked)) {
    link = deltaLink;
    if (isTrial) break;
  }
  if (link !== undefined) return link;
  throw new FeedError(
    `${shown(asking.feed.url)} gave no delta link: take \`--deletions events\` if it has EntityEvent, or \`--deletions none\` with \`--full-every\``,
  );
}

async function deltaSince(position: string, asking: FeedRequest): Promise<ToldDeletions | undefined> {
  const keys = new Set<string>();
  let link: string | undefined;
  try {
    const first = followed(position, asking.feed.url);
    for await (const page of linkedPages(first, { ...asking, preference: trackChanges })) {
      for (const entry of page.entries) {
        const key = keyOfEntry(entry, asking);
        if (isDeleted(entry)) keys.add(key);
        else keys.delete(key);
      }
      link = page.deltaLink;
    }
  } catch (error) {
    // Source: OData Protocol 4.01, section 11.3: the service no longer has the changes since then.
    if (error instanceof RefusedRequest && (error.status === 410 || error.status === 404)) return undefined;
    throw error;
  }
  if (link === undefined) throw new FeedError(`${shown(asking.feed.url)} gave changes without a delta link`);
  return { keys, position: link };
}

/** True for a deleted entity of a delta. Source: OData JSON Format 4.01, section 15.3, with the form of 4.0. */
function isDeleted(entry: Row): boolean {
  const context = entry["@odata.context"] ?? entry["@context"];
  const isOfDeleted = typeof context === "string" && context.endsWith("/$deletedEntity");
  return isOfDeleted || entry["@removed"] !== undefined || entry["@odata.removed"] !== undefined;
}

/** Returns the key of an entry of a delta: its own, or that of its id, such as `Property('1')` or `Property(ListingKey='1')`. */
function keyOfEntry(entry: Row, { feed }: FeedRequest): string {
  const own = entry[feed.key];
  if (typeof own === "string") return own;
  const id = decoded(entry["@odata.id"] ?? entry["@id"] ?? entry["id"]);
  const [, key] = /\((?:\w+=)?'((?:[^']|'')*)'\)$/.exec(id) ?? [];
  if (key === undefined)
    throw new FeedError(`${shown(feed.url)} gave a change without the key of its record`);
  return key.replaceAll("''", "'");
}

function decoded(id: unknown): string {
  try {
    return typeof id === "string" ? decodeURIComponent(id) : "";
  } catch {
    return "";
  }
}
