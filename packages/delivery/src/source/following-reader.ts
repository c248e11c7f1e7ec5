import { type Scope, visibleEntitySet } from "@cadastre/entitlement";
import type { BoundNode, EntitySet } from "@cadastre/odata";
import { isAmong, propertyNode, textConstant } from "@cadastre/odata/tree";
import type { Store } from "@cadastre/store";
import {
  changesBetween,
  compareCodePoints,
  type KeyChange,
  type KeyedLine,
  mergeStates,
  recordsAt,
  textKeyOf,
} from "@cadastre/store/changes";
import type { DatasetReader } from "./dataset-reader.ts";
import { changeBatches } from "./delta.ts";
import { entitySetReader, pageSize, rowQueryOf } from "./entity-set-reader.ts";
import type { ExportChanges, ExportRead } from "./export-source.ts";
import { exportBatches } from "./keyed-lines.ts";

/** A read of what a condition selects, as of a checkpoint. */
type FilteredRead = Pick<ExportRead, "scope" | "checkpoint" | "filter" | "signal">;

/** The records that a condition selects, for those that belong to them. */
export type Selected = {
  /** Returns those of the keys whose records are selected. */
  readonly among: (keys: readonly string[], read: FilteredRead) => Promise<ReadonlySet<string>>;
  /** Yields the keys of records that are selected at only one of two checkpoints, and perhaps others. */
  readonly moved: (read: FilteredRead, since: number) => AsyncIterable<string>;
};

/** Returns the records of an entity set that meet the condition itself. */
export function selectedRecords(store: Pick<Store, "page">, entitySet: EntitySet): Selected {
  const key = textKeyOf(entitySet);
  const columns = [key.name];
  return {
    among: async (keys, read) => {
      const query = rowQueryOf(
        entitySet,
        { ...read, columns },
        isOneOf(entitySet, read.scope, key.name, keys),
      );
      const found = new Set<string>();
      for await (const one of recordsAt(store, { ...optionsOf(read), query })) found.add(one.key);
      return found;
    },
    moved: async function* (read, since) {
      const query = rowQueryOf(entitySet, { ...read, columns });
      // With nothing but the key selected, no other change is one.
      for await (const { key: one } of changesBetween(store, { ...optionsOf(read), query, since })) yield one;
    },
  };
}

/** How the records of a dataset belong to others. */
export type FollowingRecords = {
  readonly store: Pick<Store, "page">;
  /** With hidden fields; its key must be one text. */
  readonly entitySet: EntitySet;
  /** Property with the key of the record that a record belongs to. */
  readonly link: string;
  readonly selected: Selected;
};

/**
 * Returns a reader of the rows of an entity set. A condition selects those that belong to a selected record, as far as the scope shows it: a
 * record whose link is hidden or masked belongs to none.
 */
export function followingReader(following: FollowingRecords): DatasetReader {
  const { bindFilter: _, ...reader } = entitySetReader(following.store, following.entitySet);
  return {
    ...reader,
    read: (request) => {
      const { filter, changes } = request;
      if (filter === undefined) return reader.read(request);
      if (changes === undefined) return exportBatches(followedLines(following, request));
      const keyField = textKeyOf(following.entitySet).name;
      const { columns, scope } = request;
      const asked = changes.content === "rows" ? columns : [keyField];
      const of = { ...request, columns: asked, changes };
      const changed = hasLink(following, scope) ? followedChanges(following, of) : nothing();
      return changeBatches(changed, { keyField, columns, content: changes.content });
    },
  };
}

/** Returns the records of a following dataset that belong to selected ones, for those that belong to them in turn. */
export const selectedFollowing = (following: FollowingRecords): Selected => ({
  among: async (keys, read) => {
    const found = hasLink(following, read.scope) ? await selectedLinks(following, keys, read) : [];
    return new Set(found);
  },
  moved: (read, since) =>
    hasLink(following, read.scope)
      ? candidates(following, { ...read, columns: [], from: null }, since)
      : nothing(),
});

async function* nothing(): AsyncGenerator<never> {}

const hasLink = ({ entitySet, link }: FollowingRecords, scope: Scope): boolean =>
  visibleEntitySet(entitySet, scope).type.properties.has(link);

/** The options of a walk in key order. */
const optionsOf = ({ scope, checkpoint, signal }: FilteredRead, from: string | null = null) => ({
  scope,
  asOf: checkpoint,
  after: from,
  pageSize,
  ahead: false,
  nulls: false,
  signal,
});

function isOneOf(entitySet: EntitySet, scope: Scope, name: string, values: readonly string[]): BoundNode {
  const property = visibleEntitySet(entitySet, scope).type.properties.get(name);
  if (property === undefined) throw new TypeError(`\`${name}\` is no column of \`${entitySet.name}\``);
  return isAmong(propertyNode(property), values.map(textConstant));
}

/** Returns the keys and links of lines that hold both. */
const linksIn = (lines: readonly KeyedLine[], link: string) =>
  lines.flatMap(({ key, line }) => {
    const value = (JSON.parse(line) as Readonly<Record<string, unknown>>)[link];
    return typeof value === "string" ? [{ key, value }] : [];
  });

/** Returns the keys of those lines, which hold links, whose records belong to selected ones. */
async function belonging(
  { link, selected }: FollowingRecords,
  lines: readonly KeyedLine[],
  read: FilteredRead,
): Promise<readonly string[]> {
  const links = linksIn(lines, link);
  if (links.length === 0) return [];
  const found = await selected.among([...new Set(links.map(({ value }) => value))], read);
  return links.filter(({ value }) => found.has(value)).map(({ key }) => key);
}

async function selectedLinks(
  following: FollowingRecords,
  keys: readonly string[],
  read: FilteredRead,
): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const { store, entitySet, link } = following;
  const key = textKeyOf(entitySet).name;
  const query = rowQueryOf(
    entitySet,
    unfiltered(read, [key, link]),
    isOneOf(entitySet, read.scope, key, keys),
  );
  return belonging(following, await all(recordsAt(store, { ...optionsOf(read), query })), read);
}

/** The condition is one on other records. */
const unfiltered = ({ scope }: FilteredRead, columns: readonly string[]) => ({
  scope,
  columns: [...new Set(columns)],
});

/** Reads the lines of records by their keys, in key order. */
async function* linesOfKeys(
  { store, entitySet }: FollowingRecords,
  keys: readonly string[],
  read: FilteredRead & Pick<ExportRead, "columns">,
): AsyncGenerator<KeyedLine> {
  if (keys.length === 0) return;
  const isAsked = isOneOf(entitySet, read.scope, textKeyOf(entitySet).name, keys);
  const query = rowQueryOf(entitySet, unfiltered(read, read.columns), isAsked);
  yield* recordsAt(store, { ...optionsOf(read), query });
}

/** Reads the records that belong to selected ones, in key order. */
async function* followedLines(following: FollowingRecords, request: ExportRead): AsyncGenerator<KeyedLine> {
  const { store, entitySet, link } = following;
  if (!hasLink(following, request.scope)) return;
  const query = rowQueryOf(entitySet, unfiltered(request, [textKeyOf(entitySet).name, link]));
  const linked = recordsAt(store, { ...optionsOf(request, request.from), query, ahead: true });
  for await (const some of chunked(linked))
    yield* linesOfKeys(following, await belonging(following, some, request), request);
}

type FollowedChanges = ExportRead & { readonly changes: ExportChanges };

/** Finds the changes of the records that belong to selected ones: their own, and those of what they belong to. */
async function* followedChanges(
  following: FollowingRecords,
  { changes: { since }, ...request }: FollowedChanges,
): AsyncGenerator<KeyChange> {
  const stateOf = async function* (keys: readonly string[], checkpoint: number) {
    const read = { ...request, checkpoint };
    yield* linesOfKeys(following, await selectedLinks(following, keys, read), read);
  };
  for await (const keys of chunked(candidates(following, request, since)))
    yield* mergeStates(stateOf(keys, since), stateOf(keys, request.checkpoint));
}

/** Yields the keys of records that may have changed, in their order: by themselves, or by what they belong to. */
async function* candidates(
  { store, entitySet, link, selected }: FollowingRecords,
  request: FilteredRead & Pick<ExportRead, "columns" | "from">,
  since: number,
): AsyncGenerator<string> {
  const { from, columns, checkpoint } = request;
  const key = textKeyOf(entitySet).name;
  const led = new Set<string>();
  const linkedTo = (links: readonly string[]) =>
    rowQueryOf(entitySet, unfiltered(request, [key]), isOneOf(entitySet, request.scope, link, links));
  for await (const links of chunked(selected.moved(request, since)))
    for (const asOf of [since, checkpoint]) {
      const options = optionsOf({ ...request, checkpoint: asOf }, from);
      for await (const one of recordsAt(store, { ...options, query: linkedTo(links) })) led.add(one.key);
    }
  const query = rowQueryOf(entitySet, unfiltered(request, [key, ...columns, link]));
  const own = changesBetween(store, { ...optionsOf(request, from), query, since });
  const waiting = [...led].sort(compareCodePoints);
  let next = 0;
  for await (const { key: changed } of own) {
    for (; next < waiting.length; next++) {
      const one = waiting[next] ?? "";
      if (compareCodePoints(one, changed) >= 0) break;
      yield one;
    }
    if (waiting[next] === changed) next++;
    yield changed;
  }
  yield* waiting.slice(next);
}

async function* chunked<Item>(items: AsyncIterable<Item>): AsyncGenerator<readonly Item[]> {
  let some: Item[] = [];
  for await (const item of items) {
    some.push(item);
    if (some.length < pageSize) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
