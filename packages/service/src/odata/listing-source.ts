import { restrict, type Scope } from "@cadastre/entitlement";
import { type BoundQuery, QueryError } from "@cadastre/odata";
import type { PageRead, RecordPage, RecordSource } from "@cadastre/server/parts";
import { type Bookmark, type Store, StoreError } from "@cadastre/store";
import type { MemoryBudget } from "../http/memory-budget.ts";
import type { RecentIdentities } from "../identity/recent-identities.ts";
import type { Stages } from "../telemetry/stages.ts";
import { atPlacekey } from "./placekey.ts";

/** Services that a source reads from. */
export type SourceServices = {
  readonly store: Store;
  readonly memory: MemoryBudget;
  /** Returns the resolution of Placekeys to properties. */
  readonly identities: RecentIdentities;
};

/** The caller that a source reads for, and the timer of the request. */
export type SourceCaller = { readonly scope: Scope; readonly stages: Stages };

/** Creates the source of a request: it restricts every query to the caller's scope, and runs it in the store. */
export const listingSource = (services: SourceServices, caller: SourceCaller): RecordSource => ({
  page: (query, read) => readPage(query, read, services, caller),
  count: (query, read) => countRecords(query, read, services, caller),
  one: async (query, { nulls }) => {
    const { scope, stages } = caller;
    const restricted = stages.time("restrict", () => restrict(query, scope));
    return stages.timeAsync("run", (within) => services.store.one(restricted, { nulls, stages: within }), {
      entitySet: query.entitySet.name,
    });
  },
});

async function readPage(
  query: BoundQuery,
  { from, count, nulls, form, own, signal }: PageRead,
  services: SourceServices,
  { scope, stages }: SourceCaller,
): Promise<RecordPage> {
  const { store, memory } = services;
  const start = from && bookmarkOf(from);
  const placekey = own.get("placekey");
  const wanted = await withStaleTokenError(
    atPlacekey(query, placekey, { scope, stages, signal }, services, start?.checkpoint),
  );
  const restricted = stages.time("restrict", () => restrict(wanted, scope));
  const reserved = await stages.timeAsync("reserve", () =>
    memory.reserve(scope.customer, estimatedBytes(restricted, nulls, form), signal),
  );
  try {
    const page = await stages.timeAsync(
      "run",
      (within) =>
        withStaleTokenError(
          store.page(restricted, { count, nulls, form, from: start, signal, stages: within }),
        ),
      { entitySet: query.entitySet.name },
    );
    reserved.resize(page.records.buffer.byteLength);
    const release = () => {
      page.release?.();
      reserved.release();
    };
    return { ...page, next: page.next && positionOf(page.next), release };
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
  const restricted = stages.time("restrict", () => restrict(wanted, scope));
  return stages.timeAsync("run", (within) => services.store.count(restricted, { signal, stages: within }), {
    entitySet: query.entitySet.name,
  });
}

/** Number of digits of a checkpoint in a token. It is padded, so that the length of the token does not reveal it. */
const checkpointDigits = 16;

const positionOf = ({ checkpoint, key }: Bookmark): readonly unknown[] => [
  String(checkpoint).padStart(checkpointDigits, "0"),
  ...key,
];

const bookmarkOf = ([checkpoint, ...key]: readonly unknown[]): Bookmark => ({
  checkpoint: Number(checkpoint),
  key,
});

/** Converts the error of an expired bookmark. @throws {QueryError} `invalid_skip_token` */
const withStaleTokenError = <T>(read: Promise<T>): Promise<T> =>
  read.catch((error: unknown) => {
    throw error instanceof StoreError && error.code === "bookmark_expired"
      ? new QueryError("invalid_skip_token", null, {}, "$skiptoken")
      : error;
  });

/** Estimated size of a record without its null members, in bytes. Most records are smaller. */
const valuesOfRecord = 4096;

/** Length of `,"":null`. */
const aroundNull = 8;

/** Measured factor by which the annotations of full metadata lengthen a record. */
const fullForm = 1.3;

/** Estimates the size of a page in bytes before it is read, assuming that it is full. */
function estimatedBytes({ select, top }: BoundQuery, withNulls: boolean, form: PageRead["form"]): number {
  const nulls = withNulls
    ? select.reduce((sum, { property }) => sum + property.name.length + aroundNull, 0)
    : 0;
  return Math.ceil(top * (nulls + valuesOfRecord) * (form?.control === undefined ? 1 : fullForm));
}
