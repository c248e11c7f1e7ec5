import type { BoundExpand } from "../bound/expand.ts";
import type { EntitySet } from "../model/types.ts";
import type { Dialect } from "../sql/dialect.ts";
import type { CompiledSql } from "../sql/fragment.ts";
import {
  compileExpand,
  compileExpandCount,
  type ExpandFrom,
  isPaged,
  keyText,
  mappingOf,
  parentName,
  placeName,
} from "./expand.ts";
import type { Mapping } from "./mapping.ts";
import { keyName } from "./select.ts";

/** A row as the database driver returns it. */
type DatabaseRow = Readonly<Record<string, unknown>>;

/** The expanded rows' entity set and mapping, and access to the database. */
export type ExpandSource = {
  readonly entitySet: EntitySet;
  readonly mapping: Mapping;
  readonly dialect: Dialect;
  /** Runs a statement, synchronously or not. 64-bit integers in a key must keep all their digits. */
  readonly run: (compiled: CompiledSql) => readonly DatabaseRow[] | Promise<readonly DatabaseRow[]>;
};

/**
 * Adds the entities that `expand` asks for to the rows of a page compiled with `{ key: true }`: an array, an object
 * or null under the name of each navigation property, and counts as `Name@odata.count`. Runs one statement per
 * level and item, however many rows there are, and one more for a count that the rows of a level do not give.
 */
export async function expandRows(
  rows: readonly DatabaseRow[],
  expand: readonly BoundExpand[],
  source: ExpandSource,
): Promise<readonly DatabaseRow[]> {
  const members = rows.map(withoutInternal);
  if (rows.length === 0 || expand.length === 0) return members;
  const { entitySet, mapping } = source;
  // Entities that several rows of the level above lead to are queried once.
  const places = new Map<string, number>();
  const keys: (readonly unknown[])[] = [];
  const placeOf = rows.map((row) => {
    const key = keyOf(row, entitySet);
    const written = keyText(key);
    const known = places.get(written);
    if (known !== undefined) return known;
    places.set(written, keys.length);
    return keys.push(key) - 1;
  });
  for (const item of expand) {
    const added = await expandItem(item, { entitySet, mapping, keys }, source);
    for (const [i, row] of members.entries()) Object.assign(row, added(placeOf[i] ?? 0));
  }
  return members;
}

const isInternal = (name: string): boolean =>
  name === parentName || name === placeName || /^\$key\d+$/.test(name);

const withoutInternal = (row: DatabaseRow): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !isInternal(name)));

function keyOf(row: DatabaseRow, { type }: EntitySet): readonly unknown[] {
  return type.key.map((name, i) => {
    const part = row[keyName(i)];
    if (part === undefined)
      throw new TypeError(`the row has no key \`${name}\`: compile its page with \`{ key: true }\``);
    return part;
  });
}

/** Returns a function from a parent's index to the members that `item` adds to its row. */
async function expandItem(
  item: BoundExpand,
  from: ExpandFrom,
  source: ExpandSource,
): Promise<(place: number) => DatabaseRow> {
  const { navigation, query, count, expand } = item;
  const { dialect, run } = source;
  const countName = `${navigation.name}@odata.count`;
  const counts = new Map<number, number>();
  const paged = isPaged(query);
  if (count === "only" || (count === "also" && paged)) {
    for (const row of await run(compileExpandCount(item, from, dialect)))
      counts.set(Number(row[parentName]), Number(row["count"]));
  }
  if (count === "only") return (place) => ({ [countName]: counts.get(place) ?? 0 });

  const found = await run(compileExpand(item, from, dialect));
  const below = { ...source, entitySet: query.entitySet, mapping: mappingOf(item, from.mapping) };
  const expanded = await expandRows(found, expand, below);
  const children: DatabaseRow[][] = from.keys.map(() => []);
  for (const [i, row] of found.entries()) children[Number(row[parentName])]?.push(expanded[i] ?? row);
  return (place) => {
    const own = children[place] ?? [];
    if (!navigation.collection) return { [navigation.name]: own[0] ?? null };
    if (count === "no") return { [navigation.name]: own };
    const number = paged ? (counts.get(place) ?? 0) : own.length;
    return { [countName]: number, [navigation.name]: own };
  };
}
