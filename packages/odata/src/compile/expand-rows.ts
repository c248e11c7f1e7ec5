import type { BoundExpand } from "../bound/expand.ts";
import type { BoundQuery, Projection } from "../bound/tree.ts";
import { nestComplexValues } from "../evaluate/nest.ts";
import { entityAddress, referenceName } from "../json/record-form.ts";
import { columnText } from "../json/value-text.ts";
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
import { jsonColumnName } from "./json-select.ts";
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

/** How the records of an answer are made of the rows of a database. */
type RecordBuilder<Members> = {
  /** True if the rows are selected as JSON. */
  readonly json: boolean;
  /** Returns the members of a row's own properties. */
  readonly ownMembers: (row: DatabaseRow, query: BoundQuery) => Members;
  /** Returns the reference in place of a row, whose query selects the properties of its key. */
  readonly reference: (row: DatabaseRow, query: BoundQuery, entitySet: string) => Members;
  readonly addCount: (members: Members, name: string, count: number) => void;
  readonly addEntity: (members: Members, name: string, entity: Members | null) => void;
  readonly addEntities: (members: Members, name: string, entities: readonly Members[]) => void;
};

/**
 * Adds the entities that `expand` asks for to the rows of a page compiled with `{ key: true }`: an array, an object
 * or null under the name of each navigation property, and counts as `Name@odata.count`. Nests complex values. Runs one statement per
 * level and item, however many rows there are, and one more for a count that the rows of a level do not give.
 */
export const expandRows = (
  rows: readonly DatabaseRow[],
  expand: readonly BoundExpand[],
  source: ExpandSource,
): Promise<readonly DatabaseRow[]> => recordsOf(rows, null, expand, source, ofObjects);

const ofObjects: RecordBuilder<Record<string, unknown>> = {
  json: false,
  ownMembers: (row) => ({
    ...nestComplexValues(Object.fromEntries(Object.entries(row).filter(([name]) => !isInternal(name)))),
  }),
  reference: (row, { select, entitySet: { type } }, entitySet) => {
    const key = select.map(({ property }) => JSON.stringify(String(row[property.name])));
    return { [referenceName]: entityAddress(entitySet, type, key) };
  },
  addCount: (members, name, count) => Object.assign(members, { [`${name}@odata.count`]: count }),
  addEntity: (members, name, entity) => Object.assign(members, { [name]: entity }),
  addEntities: (members, name, entities) => Object.assign(members, { [name]: entities }),
};

const isInternal = (name: string): boolean =>
  name === parentName || name === placeName || /^\$key\d+$/.test(name);

/** How records are written. */
export type JsonRecordOptions = {
  /** True to write members without a value as null. By default true. */
  readonly nulls?: boolean;
  readonly expand?: readonly BoundExpand[];
};

/**
 * Returns the rows of a page that was compiled with `{ json: true, key: true }` as JSON texts, with every digit of a number, whatever the
 * driver is. Adds related entities as `expandRows` does. Source: OData JSON Format 4.01, sections 7.1 and 8.3.
 *
 * @throws {StoredValueError} if a column holds a value that is not of its property's type
 */
export async function jsonRecords(
  rows: readonly DatabaseRow[],
  query: BoundQuery,
  source: ExpandSource,
  { nulls = true, expand = [] }: JsonRecordOptions = {},
): Promise<readonly string[]> {
  const records = await recordsOf(rows, query, expand, source, ofTexts(nulls));
  return records.map(objectText);
}

const objectText = (members: readonly string[]): string => `{${members.join()}}`;

/** Builds the JSON texts of members, without those that are null unless `nulls`. */
const ofTexts = (nulls: boolean): RecordBuilder<string[]> => {
  const add = (members: string[], name: string, text: string): void => {
    if (nulls || text !== "null") members.push(`"${name}":${text}`);
  };
  return {
    json: true,
    ownMembers: (row, { select }) => {
      const members: string[] = [];
      const isNested = select.some(({ expression }) => expression.kind === "Structure");
      if (isNested) return nestedMembers(nestComplexValues(nestedTexts(row, select)), nulls);
      for (let i = 0; i < select.length; i++) {
        const { property } = select[i] as Projection;
        add(members, property.name, columnText(row[jsonColumnName(i)], property));
      }
      return members;
    },
    reference: (row, { select, entitySet: { type } }, entitySet) => {
      const key = select.map(({ property }, i) => columnText(row[jsonColumnName(i)], property));
      return [`"${referenceName}":${JSON.stringify(entityAddress(entitySet, type, key))}`];
    },
    addCount: (members, name, count) => add(members, `${name}@odata.count`, String(count)),
    addEntity: (members, name, entity) => add(members, name, entity === null ? "null" : objectText(entity)),
    addEntities: (members, name, entities) => add(members, name, `[${entities.map(objectText).join()}]`),
  };
};

/** Returns the JSON texts of a row by the paths of the properties; of a complex value, true if there is one. */
const nestedTexts = (row: DatabaseRow, select: readonly Projection[]): DatabaseRow =>
  Object.fromEntries(
    select.map(({ property, expression }, i) => {
      const text = columnText(row[jsonColumnName(i)], property);
      return [property.name, expression.kind === "Structure" ? text === "true" : text];
    }),
  );

/** Returns the members of an object whose values are JSON texts, or such objects, or null. */
const nestedMembers = (texts: DatabaseRow, nulls: boolean): string[] =>
  Object.entries(texts).flatMap(([name, value]) => {
    const text =
      typeof value === "object" && value !== null
        ? objectText(nestedMembers(value as DatabaseRow, nulls))
        : String(value);
    return nulls || text !== "null" ? [`"${name}":${text}`] : [];
  });

/** @param query query of the rows; null if the builder does not need it */
async function recordsOf<Members>(
  rows: readonly DatabaseRow[],
  query: BoundQuery | null,
  expand: readonly BoundExpand[],
  source: ExpandSource,
  builder: RecordBuilder<Members>,
): Promise<readonly Members[]> {
  const records = rows.map((row) => builder.ownMembers(row, query as BoundQuery));
  if (rows.length === 0 || expand.length === 0) return records;
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
    const add = await expandItem(item, { entitySet, mapping, keys }, source, builder);
    for (const [i, members] of records.entries()) add(members, placeOf[i] ?? 0);
  }
  return records;
}

function keyOf(row: DatabaseRow, { type }: EntitySet): readonly unknown[] {
  return type.key.map((name, i) => {
    const part = row[keyName(i)];
    if (part === undefined)
      throw new TypeError(`the row has no key \`${name}\`: compile its page with \`{ key: true }\``);
    return part;
  });
}

/** Returns a function that adds the members of `item` to a record, by the place of its key. */
async function expandItem<Members>(
  item: BoundExpand,
  from: ExpandFrom,
  source: ExpandSource,
  builder: RecordBuilder<Members>,
): Promise<(members: Members, place: number) => void> {
  const { navigation, query, count, referenceTo, expand } = item;
  const { name } = navigation;
  const { dialect, run } = source;
  const { json, reference, addCount, addEntity, addEntities } = builder;
  const counts = new Map<number, number>();
  const paged = isPaged(query);
  if (count === "only" || (count === "also" && paged)) {
    for (const row of await run(compileExpandCount(item, from, dialect)))
      counts.set(Number(row[parentName]), Number(row["count"]));
  }
  if (count === "only") return (members, place) => addCount(members, name, counts.get(place) ?? 0);

  const found = await run(compileExpand(item, from, dialect, { json }));
  const below = { ...source, entitySet: query.entitySet, mapping: mappingOf(item, from.mapping) };
  const expanded =
    referenceTo === null
      ? await recordsOf(found, query, expand, below, builder)
      : found.map((row) => reference(row, query, referenceTo));
  const children: Members[][] = from.keys.map(() => []);
  for (const [i, row] of found.entries()) children[Number(row[parentName])]?.push(expanded[i] as Members);
  return (members, place) => {
    const own = children[place] ?? [];
    if (!navigation.collection) return addEntity(members, name, own[0] ?? null);
    if (count !== "no") addCount(members, name, paged ? (counts.get(place) ?? 0) : own.length);
    addEntities(members, name, own);
  };
}
