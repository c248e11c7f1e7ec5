import { restrict } from "@cadastre/entitlement";
import { type BoundQuery, bindQuery, type EntitySet } from "@cadastre/odata";
import { keyLiteral } from "@cadastre/odata/run";
import { type BoundNode, isAmong, propertyNode, textConstant } from "@cadastre/odata/tree";
import type { ResourceName } from "@cadastre/reso";
import type { Store } from "@cadastre/store";
import { changesBetween, type KeyedLine, recordsAt, textKeyOf } from "@cadastre/store/changes";
import { type EventLogs, type RecordState, unknownHash } from "@cadastre/store/registry";
import { type ChangeChunk, type CommitChanges, visibility } from "./commit-changes.ts";
import type { EventPass } from "./event-pass.ts";
import { digestOf, type EventView } from "./event-view.ts";
import { isDifferenceShown } from "./shown-differences.ts";

/** Places that the states of records are read from. */
export type StateSources = {
  readonly store: Pick<Store, "page">;
  readonly logs: Pick<EventLogs, "shown">;
  readonly changes: CommitChanges;
};

/** Resources in an order in which records come after those that they refer to. */
const parentsFirst: readonly ResourceName[] = [
  "Lookup",
  "Office",
  "Member",
  "Property",
  "Media",
  "OpenHouse",
];

type Step = { readonly resource: ResourceName; readonly finds: "gone" | "shown" };

/** Steps of a pass: records leave before those that they refer to, and appear after them. */
const steps: readonly Step[] = [
  ...parentsFirst.toReversed().map((resource) => ({ resource, finds: "gone" as const })),
  ...parentsFirst.map((resource) => ({ resource, finds: "shown" as const })),
];

/** Some states, and the position of the pass after them. */
export type StateBatch = {
  readonly states: readonly RecordState[];
  readonly pass: EventPass;
};

/** Number of records that are read at once. */
const pageSize = 1000;

/** Yields the states of the records that are left to a pass. */
export async function* recordStatesOf(
  pass: EventPass,
  view: EventView,
  sources: StateSources,
  signal: AbortSignal,
): AsyncGenerator<StateBatch> {
  for (let number = pass.step; number < steps.length; number++) {
    const { resource, finds } = steps[number] as Step;
    const after = number === pass.step ? pass.after : null;
    const [since, asOf] = [pass.since?.checkpoint ?? null, pass.asOf.checkpoint];
    const context = { ...sources, resource, view, since, asOf, after, signal };
    for await (const { states, end } of finders[finds](context))
      yield { states, pass: { ...pass, step: number, after: end } };
  }
}

type StepContext = StateSources &
  Pick<EventPass, "after"> & {
    /** Checkpoint before; null for all records. */
    readonly since: number | null;
    readonly asOf: number;
    readonly resource: ResourceName;
    readonly view: EventView;
    readonly signal: AbortSignal;
  };

type Found = { readonly states: readonly RecordState[]; readonly end: string };

const finders: Readonly<Record<Step["finds"], (context: StepContext) => AsyncIterable<Found>>> = {
  gone: (context) => (context.since === null ? unseen(context) : left(context, context.since)),
  shown: (context) => (context.since === null ? seen(context) : changed(context, context.since)),
};

/** Yields the records that the view had at the checkpoint before, and has not any more. Positions are keys. */
async function* left(context: StepContext, since: number): AsyncGenerator<Found> {
  for await (const { changes, found, end } of chunksOf(context, since)) {
    const gone = changes.filter((_, i) => found[i] === visibility.before);
    yield { states: gone.map(({ key }) => stateOf(context.resource, key, null)), end };
  }
}

/**
 * Yields the records that the view has, and had not at the checkpoint before, or with other values. Their hashes are not computed. Positions
 * are keys.
 */
async function* changed(context: StepContext, since: number): AsyncGenerator<Found> {
  const { resource, view } = context;
  const entitySet = view.entitySets.get(resource);
  if (entitySet === undefined) return;
  for await (const { changes, found, end } of chunksOf(context, since)) {
    const shown: string[] = [];
    const unclear: string[] = [];
    for (const [i, { key, difference }] of changes.entries()) {
      const bits = found[i] ?? 0;
      if ((bits & visibility.now) === 0) continue;
      const isNew = (bits & visibility.before) === 0;
      const isShown = isNew || (difference && isDifferenceShown(entitySet, view.scope, difference));
      if (isShown !== false) shown.push(key);
      if (isShown === undefined) unclear.push(key);
    }
    const same = unclear.length === 0 ? none : await unchangedOf(unclear, context, since);
    const states = shown.filter((key) => !same.has(key)).map((key) => stateOf(resource, key, unknownHash));
    yield { states, end };
  }
}

const none: ReadonlySet<string> = new Set();

/** Returns those of the keys whose records have the same values in both states, as the view shows them. */
async function unchangedOf(
  keys: readonly string[],
  context: StepContext,
  since: number,
): Promise<ReadonlySet<string>> {
  const same = new Set(keys);
  const request = requestOf({ ...context, after: null });
  if (request === undefined) return same;
  const query = { ...request.query, filter: isOneOf(keys, request.query) };
  for await (const { key } of changesBetween(context.store, { ...request, query, since })) same.delete(key);
  return same;
}

type FoundChunk = Pick<ChangeChunk, "changes"> & { readonly found: Uint8Array; readonly end: string };

/** Yields the changes that are left to a step, and in which states the view has the records. */
async function* chunksOf(
  { changes, view, resource, asOf, after, signal }: StepContext,
  since: number,
): AsyncGenerator<FoundChunk> {
  if (!view.entitySets.has(resource)) return;
  for (let position = after; ; ) {
    const chunk = await changes.chunk({ resource, since, asOf }, position, signal);
    const end = chunk.changes.at(-1)?.key;
    if (end === undefined) return;
    yield { changes: chunk.changes, found: await chunk.visibleTo(view.scope, signal), end };
    if (chunk.isLast) return;
    position = end;
  }
}

/** Yields all records that the view has. Positions are keys. */
async function* seen(context: StepContext): AsyncGenerator<Found> {
  const request = requestOf(context);
  if (request === undefined) return;
  const { store, resource } = context;
  yield* inBatches(recordsAt(store, request), keyOfLine, ({ key, line }) =>
    stateOf(resource, key, digestOf(line)),
  );
}

/** Yields the records that have events, and that the view does not have. Positions are numbers of events. */
async function* unseen(context: StepContext): AsyncGenerator<Found> {
  const { logs, view, resource } = context;
  const entitySet = view.entitySets.get(resource);
  for (let after = Number(context.after ?? 0); ; ) {
    const events = await logs.shown(view.scope.customer, resource, { after, limit: pageSize });
    const keys = events.map(({ key }) => key);
    const present = entitySet === undefined ? new Set<string>() : await presentKeys(keys, entitySet, context);
    const states = keys.filter((key) => !present.has(key)).map((key) => stateOf(resource, key, null));
    after = events.at(-1)?.number ?? after;
    yield { states, end: String(after) };
    if (events.length < pageSize) return;
  }
}

/** Returns those of the keys that the view has. */
async function presentKeys(
  keys: readonly string[],
  entitySet: EntitySet,
  { store, view, asOf, signal }: StepContext,
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const query = queryOf(entitySet);
  const restricted = restrict({ ...query, select: [], filter: isOneOf(keys, query) }, view.scope);
  const page = await store.page(restricted, { asOf, keys: true, signal, background: true });
  page.release?.();
  return new Set((page.keys ?? []).map(String));
}

/** Returns the condition that a record has one of the keys. @param query in the order of the key */
const isOneOf = (keys: readonly string[], { orderBy }: BoundQuery): BoundNode =>
  isAmong(orderBy[0]?.expression as BoundNode, keys.map(textConstant));

/** Returns the request for the records of a step; undefined if the customer does not see the set. */
function requestOf({ view, resource, asOf, after, signal }: StepContext) {
  const entitySet = view.entitySets.get(resource);
  if (entitySet === undefined) return undefined;
  const query = queryOf(entitySet);
  const { scope } = view;
  return { query, scope, asOf, after, pageSize, ahead: false, nulls: false, background: true, signal };
}

/** Queries for all fields of a set: the same object for the same set, because statements are cached by their selection. */
const queries = new WeakMap<EntitySet, BoundQuery>();

function queryOf(entitySet: EntitySet): BoundQuery {
  const known = queries.get(entitySet);
  if (known !== undefined) return known;
  const expression = propertyNode(textKeyOf(entitySet));
  const query: BoundQuery = {
    ...bindQuery({ top: pageSize }, entitySet),
    orderBy: [{ expression, direction: "asc" }],
  };
  queries.set(entitySet, query);
  return query;
}

function stateOf(resource: ResourceName, key: string, hash: string | null): RecordState {
  const inAddress = keyLiteral(key).slice(1, -1);
  return { resource, key, keyInAddress: inAddress === key ? null : inAddress, hash };
}

const keyOfLine = ({ key }: KeyedLine): string => key;

/** Number of states that are handed on together. */
const batchSize = 500;

/** Yields the states of items in batches, each with the key of its last one. */
async function* inBatches<Item>(
  items: AsyncIterable<Item>,
  keyOf: (item: Item) => string,
  toState: (item: Item) => RecordState,
): AsyncGenerator<Found> {
  let states: RecordState[] = [];
  let end = "";
  for await (const item of items) {
    states.push(toState(item));
    end = keyOf(item);
    if (states.length < batchSize) continue;
    yield { states, end };
    states = [];
  }
  if (states.length > 0) yield { states, end };
}
