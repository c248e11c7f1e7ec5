import { anySignal } from "@cadastre/client/http";
import { restrict, type Scope } from "@cadastre/entitlement";
import type { BoundQuery } from "@cadastre/odata";
import { writeRecords } from "@cadastre/odata/run";
import { allOf, constant, propertyNode } from "@cadastre/odata/tree";
import type { ChangeSource, ChangesPage, ChangesRead, RemovedFromResult } from "@cadastre/server/parts";
import {
  type ChangedPage,
  type ChangeReadOptions,
  type Moment,
  type Store,
  StoreError,
} from "@cadastre/store";
import { commitOf, compareCodePoints, isCommitThere, isKeyBeyond, textKeyOf } from "@cadastre/store/changes";
import { tracksRelated } from "./affected-records.ts";
import { estimatedBytes } from "./estimated-bytes.ts";
import { type ExpandedChange, expandedChanges, shownElsewhere } from "./expanded-changes.ts";
import type { SourceCaller, SourceServices } from "./source-services.ts";
import { isStoredSet } from "./stored-set.ts";

/** Number of digits of a checkpoint in a token. It is padded, so that the length of the token does not reveal it. */
const checkpointDigits = 16;

/** Returns a checkpoint as it stands in tokens. */
export const stateOf = (checkpoint: number): string => String(checkpoint).padStart(checkpointDigits, "0");

export const checkpointOfState = (state: unknown): number => Number(state);

/** Number of digits of a time in milliseconds, until the year 2286. */
const timeDigits = 13;

/** Returns the commit of a state in a delta token. */
function momentOfState(state: string): Moment {
  const [checkpoint, time] = state.split(" ");
  return { checkpoint: Number(checkpoint), time: Number(time) };
}

const timed = ({ checkpoint, time }: Moment): string =>
  `${stateOf(checkpoint)} ${String(time).padStart(timeDigits, "0")}`;

/** Returns a checkpoint with the time of its commit, as it stands in delta tokens. */
export const timedStateOf = async (checkpoint: number, store: Pick<Store, "committedAt">): Promise<string> =>
  timed(await commitOf(checkpoint, store));

/** Limits of delta links. */
export type ChangeLimits = {
  /** Seconds for which old versions of records are kept. */
  readonly life: number;
  /** Seconds that the changes of a page may take to be found. */
  readonly seconds: number;
};

/** Creates the source of the changes of a caller's queries: a merge of what ended and what began between two checkpoints. */
export const changeSource = (
  services: SourceServices,
  caller: SourceCaller,
  { life, seconds }: ChangeLimits,
): ChangeSource => ({
  life,
  tracks: (entitySet, expand) => isStoredSet(entitySet) && tracksRelated(expand),
  page: async (query, read) => {
    const limit = AbortSignal.timeout(seconds * 1000);
    try {
      const signal = anySignal(read.signal, limit);
      return await readChanges(query, read, services, caller, signal);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "bookmark_expired") return undefined;
      if (error.code === "query_canceled" && limit.aborted) throw new StoreError("query_timeout");
      throw error;
    }
  },
});

/** Changes that were found, in a memory that is counted for the caller. */
type FoundChanges = Omit<ChangesPage, "state"> & { readonly until: Moment };

/** Finds changes of a query. */
type FindChanges = (
  query: BoundQuery,
  read: ChangesRead,
  services: SourceServices,
  caller: SourceCaller,
  signal: AbortSignal,
) => Promise<FoundChanges>;

async function readChanges(
  query: BoundQuery,
  read: ChangesRead,
  services: SourceServices,
  caller: SourceCaller,
  signal: AbortSignal,
): Promise<ChangesPage> {
  const { scope, stages } = caller;
  // The page in both states.
  const estimated = 2 * estimatedBytes(query, true, read.form) * (1 + read.expand.length);
  const reserved = await stages.timeAsync("reserve", () =>
    services.memory.reserve(scope.customer, estimated, signal),
  );
  try {
    const find = read.expand.length === 0 ? findChanges : findExpanded;
    const { until, release, ...found } = await find(query, read, services, caller, signal);
    reserved.resize(found.records.byteLength);
    return {
      ...found,
      state: timed(until),
      release: () => {
        release?.();
        reserved.release();
      },
    };
  } catch (error) {
    reserved.release();
    throw error;
  }
}

const findChanges: FindChanges = (query, read, services, { scope, stages }, signal) =>
  stages.timeAsync(
    "run",
    async (within) => {
      const changes = changesOf(query, read, services, scope, { signal, stages: within });
      const page = await fullPage(changes, query.top, read);
      return read.count ? { ...page, count: await countOf(changes, page.until) } : page;
    },
    { entitySet: query.entitySet.name },
  );

/**
 * Number of records that are compared for a page, with their related records. If hardly any have changed, the page is not full, and the next
 * one goes on.
 */
const mostCompared = 5000;

/** Finds changes of records with related records, which are given as a whole. @throws {StoreError} `bookmark_expired` */
const findExpanded: FindChanges = async (query, read, services, caller, signal) => {
  const { from, count: isCounted, form, expand } = read;
  const { store } = services;
  const since = await knownMoment(momentOfState(read.since), store);
  const until =
    read.until === undefined
      ? await commitOf(await store.checkpoint(), store)
      : await knownMoment(momentOfState(read.until), store);
  const window = { store, scope: caller.scope, since: since.checkpoint, asOf: until.checkpoint, signal };
  const changes: ExpandedChange[] = [];
  let [count, compared] = [0, 0];
  let next: string | null = null;
  const request = { ...window, query, expand, after: isCounted ? undefined : from };
  for await (const { changes: found, size, end } of expandedChanges(request, services, caller)) {
    count += found.length;
    compared += size;
    const left = found.filter(({ key }) => from === undefined || compareCodePoints(key, from) > 0);
    const fitting = next === null ? left.slice(0, query.top - changes.length) : [];
    changes.push(...fitting);
    if (next === null && left.length > fitting.length) next = changes.at(-1)?.key ?? null;
    if (isCounted) continue;
    if (next === null && compared >= mostCompared) next = end;
    if (next !== null) break;
  }
  const removed = changes.flatMap(({ key, is }) => (is === undefined ? [key] : []));
  const shown = await shownElsewhere(query, removed, window, caller);
  const plain = Buffer.from(changes.flatMap(({ is }) => is ?? []).join());
  return {
    records: form === undefined || plain.length === 0 ? plain : writeRecords(plain, form),
    removed: removed.map((key) => toRemoved({ key, isElsewhere: shown.has(key) })),
    until,
    next,
    ...(isCounted ? { count } : {}),
  };
};

/** Returns a commit. @throws {StoreError} `bookmark_expired` if it is not there any more */
async function knownMoment(moment: Moment, store: Pick<Store, "committedAt">): Promise<Moment> {
  if (!(await isCommitThere(moment, store))) throw new StoreError("bookmark_expired");
  return moment;
}

/** Position and size of a read of changes. */
type Part = {
  /** Key that the changes follow; undefined for all. */
  readonly after: string | undefined;
  readonly top: number;
  readonly until: Moment | undefined;
};

type ReadPart = (part: Part) => Promise<ChangedPage>;

/** Returns a function that reads changes of a query, restricted to a scope, in the order of the key. */
function changesOf(
  query: BoundQuery,
  { since, form }: ChangesRead,
  { store }: SourceServices,
  scope: Scope,
  options: Pick<ChangeReadOptions, "signal" | "stages">,
): ReadPart {
  const key = textKeyOf(query.entitySet);
  const expression = propertyNode(key);
  const ordered = { ...query, orderBy: [{ expression, direction: "asc" as const }], after: null, skip: 0 };
  const { filter } = query;
  const isFiltered = filter.kind !== "Constant" || filter.value !== true;
  // A removed record may still be seen outside of the filter.
  const elsewhere = isFiltered
    ? restrict({ ...ordered, filter: constant(true), select: [{ property: key, expression }] }, scope)
    : undefined;
  return ({ after, top, until }) => {
    const wanted = after === undefined ? filter : allOf(isKeyBeyond(key, after), filter);
    const restricted = restrict({ ...ordered, filter: wanted, top }, scope);
    return store.changes(restricted, { ...options, form, elsewhere, since: momentOfState(since), until });
  };
}

/** Reads on until the page is full: a version that changes nothing of what is shown takes no place. */
async function fullPage(
  readPart: ReadPart,
  top: number,
  { from, until: state }: Pick<ChangesRead, "from" | "until">,
): Promise<FoundChanges> {
  const parts: ChangedPage[] = [];
  const release = () => {
    for (const part of parts) part.release?.();
  };
  try {
    let part = await readPart({
      after: from,
      top,
      until: state === undefined ? undefined : momentOfState(state),
    });
    const { until } = part;
    parts.push(part);
    let left = top - sizeOf(part);
    while (part.more === undefined) {
      // If the page is full, one change more tells that another page follows.
      part = await readPart({ after: part.read, top: Math.max(left, 1), until });
      if (left > 0) parts.push(part);
      else part.release?.();
      if (left === 0 && sizeOf(part) > 0) part = { ...part, more: true };
      else left -= sizeOf(part);
    }
    const last = parts.findLast((one) => one.last !== undefined)?.last;
    return {
      records: joined(parts.map(({ records }) => records).filter(({ length }) => length > 0)),
      removed: parts.flatMap(({ removed }) => removed.map(toRemoved)),
      next: part.more ? (last ?? null) : null,
      until,
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

const sizeOf = ({ keys, removed }: ChangedPage): number => keys.length + removed.length;

/** Joins JSON texts of records, with commas between them. */
function joined(texts: readonly Uint8Array[]): Uint8Array {
  const [only = new Uint8Array()] = texts;
  return texts.length <= 1
    ? only
    : Buffer.concat(texts.flatMap((text, i) => (i === 0 ? [text] : [Buffer.from(","), text])));
}

/** Number of changes that are counted at once. */
const countedAtOnce = 1000;

async function countOf(readPart: ReadPart, until: Moment): Promise<number> {
  let [count, after]: [number, string | undefined] = [0, undefined];
  for (;;) {
    const part = await readPart({ after, top: countedAtOnce, until });
    part.release?.();
    count += sizeOf(part);
    if (part.more === false) return count;
    after = part.more === true ? part.last : part.read;
  }
}

const toRemoved = ({ key, isElsewhere }: ChangedPage["removed"][number]): RemovedFromResult => ({
  key: [JSON.stringify(key)],
  reason: isElsewhere ? "changed" : "deleted",
});
