import { type BoundQuery, QueryError } from "@cadastre/odata";
import { writeRecords } from "@cadastre/odata/run";
import type { PageRead, RecordPage, RecordSource } from "@cadastre/server/parts";
import { type Bookmark, StoreError } from "@cadastre/store";
import { isCommitThere } from "@cadastre/store/changes";
import { aggregateSource } from "./aggregate-source.ts";
import {
  type ChangeLimits,
  changeSource,
  checkpointOfState,
  stateOf,
  timedStateOf,
} from "./change-source.ts";
import { estimatedBytes } from "./estimated-bytes.ts";
import { addRelated, withLinkFields } from "./expansion.ts";
import { atPlacekey } from "./placekey.ts";
import { linesOf, relatedReader, restrictRecords } from "./related-reader.ts";
import type { SourceCaller, SourceServices } from "./source-services.ts";

/** Creates the source of a request: it restricts every query to the caller's scope, and runs it in the store. */
export const listingSource = (
  services: SourceServices,
  caller: SourceCaller,
  changes: ChangeLimits | undefined,
): RecordSource => ({
  page: (query, read) => readPage(query, read, services, caller),
  count: (query, read) => countRecords(query, read, services, caller),
  applied: aggregateSource(services, caller),
  ...(changes === undefined ? {} : { changes: changeSource(services, caller, changes) }),
  one: async (query, read) => {
    const { nulls, expand } = read;
    const { scope, stages } = caller;
    const restricted = stages.time("restrict", () => restrictRecords(withLinkFields(query, expand), scope));
    const record = await stages.timeAsync(
      "run",
      (within) => services.store.one(restricted, { nulls, stages: within }),
      { entitySet: query.entitySet.name },
    );
    if (record === undefined || expand.length === 0) return record;
    const related = relatedReader(services, caller, { nulls, signal: read.signal });
    const [expanded = ""] = await addRelated([Buffer.from(record).toString()], query, expand, related);
    return Buffer.from(expanded);
  },
});

async function readPage(
  query: BoundQuery,
  read: PageRead,
  services: SourceServices,
  caller: SourceCaller,
): Promise<RecordPage> {
  const { from, count, nulls, form, expand, own, tracked, signal } = read;
  const { scope, stages } = caller;
  const { store, memory } = services;
  const start = from && (await withStaleTokenError(bookmarkOf(from, store)));
  const placekey = own.get("placekey");
  const wanted = await withStaleTokenError(
    atPlacekey(query, placekey, { scope, stages, signal }, services, start?.checkpoint),
  );
  const restricted = stages.time("restrict", () => restrictRecords(withLinkFields(wanted, expand), scope));
  const estimated = estimatedBytes(restricted, nulls, form) * (1 + expand.length);
  const reserved = await stages.timeAsync("reserve", () => memory.reserve(scope.customer, estimated, signal));
  try {
    const page = await stages.timeAsync(
      "run",
      (within) =>
        withStaleTokenError(
          store.page(restricted, {
            count,
            nulls,
            ...(expand.length === 0 ? { form } : { lines: true }),
            from: start,
            // Of other walks, records that are deleted meanwhile are left out; the changes after this one are those since its first page.
            asOf: tracked === true ? start?.checkpoint : undefined,
            signal,
            stages: within,
          }),
        ),
      { entitySet: query.entitySet.name },
    );
    const state = tracked === true ? await timedStateOf(page.checkpoint, store) : undefined;
    const next = page.next && positionOf(page.next, state);
    const found = { length: page.length, count: page.count, next, state };
    if (expand.length === 0) {
      reserved.resize(page.records.byteLength);
      const release = () => {
        page.release?.();
        reserved.release();
      };
      return { records: page.records, release, ...found };
    }
    const lines = linesOf(page.records);
    page.release?.();
    // A copy that delta links keep must have shown one state.
    const asOf = tracked === true ? page.checkpoint : undefined;
    const related = relatedReader(services, caller, { nulls, signal, asOf });
    const expanded = await withStaleTokenError(addRelated(lines, wanted, expand, related));
    const plain = Buffer.from(expanded.join());
    const records = form === undefined ? plain : writeRecords(plain, form);
    reserved.resize(records.byteLength);
    return { records, release: () => reserved.release(), ...found };
  } catch (error) {
    reserved.release();
    throw error;
  }
}

async function countRecords(
  query: BoundQuery,
  { own, signal }: Pick<PageRead, "own" | "signal">,
  services: SourceServices,
  { scope, stages }: SourceCaller,
): Promise<number> {
  const wanted = await atPlacekey(query, own.get("placekey"), { scope, stages, signal }, services);
  const restricted = stages.time("restrict", () => restrictRecords(wanted, scope));
  return stages.timeAsync("run", (within) => services.store.count(restricted, { signal, stages: within }), {
    entitySet: query.entitySet.name,
  });
}

/** @param state the checkpoint with the time of its commit, if the walk is tracked */
const positionOf = ({ checkpoint, key }: Bookmark, state: string | undefined): readonly unknown[] => [
  state ?? stateOf(checkpoint),
  ...key,
];

/**
 * Returns the bookmark of a position. In a tracked walk its commit must still be there: a restore may have lost it, and another one may have
 * its number, whose changes the copy would lack.
 *
 * @throws {StoreError} `bookmark_expired`
 */
async function bookmarkOf(
  [state, ...key]: readonly unknown[],
  store: SourceServices["store"],
): Promise<Bookmark> {
  const [number = "", time] = String(state).split(" ");
  const checkpoint = checkpointOfState(number);
  if (time !== undefined && !(await isCommitThere({ checkpoint, time: Number(time) }, store)))
    throw new StoreError("bookmark_expired");
  return { checkpoint, key };
}

/** Converts the error of an expired bookmark. @throws {QueryError} `invalid_skip_token` */
const withStaleTokenError = <T>(read: Promise<T>): Promise<T> =>
  read.catch((error: unknown) => {
    throw error instanceof StoreError && error.code === "bookmark_expired"
      ? new QueryError("invalid_skip_token", null, {}, "$skiptoken")
      : error;
  });
