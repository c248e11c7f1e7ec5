import { restrict } from "@cadastre/entitlement";
import type { BoundNode, BoundQuery } from "@cadastre/odata";
import { propertyNode, textConstant } from "@cadastre/odata/tree";
import type { ChangeSource, ChangesPage, ChangesRead, ResultChange } from "@cadastre/server/parts";
import { type Store, StoreError } from "@cadastre/store";
import { changesBetween, compareCodePoints, type KeyChange, textKeyOf } from "@cadastre/store/changes";
import { estimatedBytes } from "./estimated-bytes.ts";
import type { SourceCaller, SourceServices } from "./source-services.ts";
import { isStoredSet } from "./stored-set.ts";

/** Number of digits of a checkpoint in a token. It is padded, so that the length of the token does not reveal it. */
const checkpointDigits = 16;

/** Returns a checkpoint as it stands in tokens. */
export const stateOf = (checkpoint: number): string => String(checkpoint).padStart(checkpointDigits, "0");

export const checkpointOfState = (state: unknown): number => Number(state);

/** Number of digits of a time in milliseconds, until the year 2286. */
const timeDigits = 13;

/** Returns a checkpoint with the time of its commit, as it stands in delta tokens. */
export async function timedStateOf(checkpoint: number, store: Pick<Store, "committedAt">): Promise<string> {
  const time = (await store.committedAt(checkpoint)) ?? 0;
  return `${stateOf(checkpoint)} ${String(time).padStart(timeDigits, "0")}`;
}

/**
 * Returns the checkpoint of a state; undefined if it was of a commit that is not there any more: the database was restored, or has lost its last
 * commits in a failover. Another commit may have its number since.
 */
async function openState(state: string, store: Pick<Store, "committedAt">): Promise<number | undefined> {
  const [checkpoint = "", time] = state.split(" ");
  const committed = await store.committedAt(Number(checkpoint));
  return committed === Number(time) ? Number(checkpoint) : undefined;
}

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
  tracks: isStoredSet,
  page: async (query, read) => {
    const limit = AbortSignal.timeout(seconds * 1000);
    try {
      return await readChanges(query, read, services, caller, AbortSignal.any([read.signal, limit]));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "bookmark_expired") return undefined;
      if (error.code === "query_canceled" && limit.aborted) throw new StoreError("query_timeout");
      throw error;
    }
  },
});

async function readChanges(
  query: BoundQuery,
  read: ChangesRead,
  services: SourceServices,
  caller: SourceCaller,
  signal: AbortSignal,
): Promise<ChangesPage | undefined> {
  const { store, memory } = services;
  const { scope, stages } = caller;
  const state = read.until ?? (await timedStateOf(await store.checkpoint(), store));
  const [since, asOf] = [await openState(read.since, store), await openState(state, store)];
  if (since === undefined || asOf === undefined) return undefined;
  // The page in both states.
  const estimated = 2 * estimatedBytes(query, true, undefined);
  const reserved = await stages.timeAsync("reserve", () => memory.reserve(scope.customer, estimated, signal));
  try {
    const found = await stages.timeAsync(
      "run",
      (within) =>
        collect(
          changesBetween(store, {
            query,
            scope,
            since,
            asOf,
            after: read.count ? null : (read.from ?? null),
            pageSize: query.top + 1,
            ahead: false,
            signal,
            stages: within,
          }),
          query.top,
          read,
        ),
      { entitySet: query.entitySet.name },
    );
    const { changes, more, count } = found;
    const shown = await shownElsewhere(query, changes, services, caller, signal);
    return {
      changes: changes.map((change) => toResult(change, shown)),
      state,
      next: more ? (changes.at(-1)?.key ?? null) : null,
      ...(read.count ? { count } : {}),
      release: () => reserved.release(),
    };
  } catch (error) {
    reserved.release();
    throw error;
  }
}

type Collected = {
  readonly changes: readonly KeyChange[];
  /** True if further changes follow. */
  readonly more: boolean;
  /** Number of the changes that were read. */
  readonly count: number;
};

/** Takes the first changes beyond the start of the page. Reads on only to count all of them. */
async function collect(
  found: AsyncIterable<KeyChange>,
  most: number,
  { from, count: all }: Pick<ChangesRead, "from" | "count">,
): Promise<Collected> {
  const changes: KeyChange[] = [];
  let [more, count] = [false, 0];
  for await (const change of found) {
    count++;
    if (from !== undefined && compareCodePoints(change.key, from) <= 0) continue;
    if (changes.length < most) changes.push(change);
    else more = true;
    if (more && !all) break;
  }
  return { changes, more, count };
}

/** Returns the keys of those removed records that the caller sees at present, outside of the query's filter. */
async function shownElsewhere(
  { entitySet, filter, ...query }: BoundQuery,
  changes: readonly KeyChange[],
  { store }: SourceServices,
  { scope }: SourceCaller,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const keys = changes.flatMap(({ key, is }) => (is === undefined ? [key] : []));
  if (keys.length === 0 || (filter.kind === "Constant" && filter.value === true)) return new Set();
  const property = textKeyOf(entitySet);
  const expression = propertyNode(property);
  const isOne: BoundNode = {
    kind: "Membership",
    type: "Edm.Boolean",
    operand: expression,
    values: keys.map(textConstant),
  };
  const wanted: BoundQuery = {
    ...query,
    entitySet,
    filter: isOne,
    select: [{ property, expression }],
    orderBy: [{ expression, direction: "asc" }],
    top: keys.length,
  };
  const page = await store.page(restrict(wanted, scope), { keys: true, signal });
  page.release?.();
  return new Set(page.keys?.map(String));
}

const toResult = ({ key, is }: KeyChange, shown: ReadonlySet<string>): ResultChange =>
  is === undefined
    ? { key: [JSON.stringify(key)], reason: shown.has(key) ? "changed" : "deleted" }
    : { record: is };
