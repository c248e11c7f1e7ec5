/**
 * Reads entity sets from arrays in memory.
 *
 * @module
 */
import { type BoundExpand, type BoundQuery, compareRows, evaluate, matches, type Row } from "@cadastre/odata";
import { type AppliedQuery, evaluateApply, evaluatedRecords } from "@cadastre/odata/apply";
import {
  codecOf,
  compareValues,
  type PrimitiveType,
  propertyText,
  referenceOf,
  valueText,
  writeRecords,
} from "@cadastre/odata/run";
import type { PageRead, RecordPage, RecordSource } from "../answer/answer-session.ts";
import type { DeclaredModel } from "../model/entity-model.ts";
import type { EntitySetDeclaration } from "../model/entity-set.ts";
import { bindRestriction, type Restrictions, restrictionOf } from "../source/restriction.ts";
import type { SourceMaker } from "../source/sql-source.ts";

/** Entities by the name of their set, in JSON form. They are read anew for each request, so they may change. */
export type EntityArrays = Readonly<Record<string, readonly Row[]>>;

/** Reads records from arrays: for tests, and for data that fit into memory. */
export const arraySource =
  (arrays: EntityArrays): SourceMaker =>
  (declared) =>
  (restrictions) =>
    sourceOver(() => restrictedRows(arrays, declared, restrictions));

/** Reads records from the rows of entity sets, by name, under no restriction. It reads no related rows. */
export const rowSource = (rowsOf: (entitySet: string) => readonly Row[]): RecordSource =>
  sourceOver(() => rowsOf);

/** Returns the rows of an entity set, with the related rows as members. */
type RowsOf = (entitySet: string) => readonly Row[];

function restrictedRows(arrays: EntityArrays, declared: DeclaredModel, restrictions: Restrictions): RowsOf {
  // A restriction itself may look at all related rows.
  const all = linkedRows(declared, (name) => arrays[name] ?? []);
  return linkedRows(declared, (name) => {
    const entitySet = declared.model.entitySets.find((one) => one.name === name);
    const filter = entitySet && bindRestriction(restrictionOf(restrictions, name), entitySet);
    const rows = arrays[name] ?? [];
    if (filter === null || filter === undefined) return rows;
    const linked = all(name);
    return rows.filter((_, i) => matches(filter, linked[i] ?? {}));
  });
}

/** Returns the rows of sets with their related rows, which are looked up when they are first read. */
function linkedRows({ declarations }: DeclaredModel, rowsOf: RowsOf): RowsOf {
  const linked = new Map<string, readonly Row[]>();
  const indexes = new Map<string, ReadonlyMap<string, readonly Row[]>>();
  const find: RowsOf = (name) => {
    const known = linked.get(name);
    if (known !== undefined) return known;
    const declaration = declarations.get(name);
    const rows = rowsOf(name).map((row) => (declaration === undefined ? row : withLinks(row, declaration)));
    linked.set(name, rows);
    return rows;
  };
  const withLinks = (row: Row, { name, navigation }: EntitySetDeclaration): Row => {
    const copy = { ...row };
    for (const [property, { target, on, collection }] of Object.entries(navigation)) {
      const get = () => {
        const id = `${name}/${property}`;
        const index = indexes.get(id) ?? indexBy(find(target), Object.values(on));
        indexes.set(id, index);
        const found = index.get(keyOf(row, Object.keys(on))) ?? [];
        return collection ? found : (found[0] ?? null);
      };
      Object.defineProperty(copy, property, { get, enumerable: true });
    }
    return copy;
  };
  return find;
}

/** Null equals nothing. */
const keyOf = (row: Row, names: readonly string[]): string =>
  names.some((name) => row[name] === null || row[name] === undefined)
    ? ""
    : JSON.stringify(names.map((name) => String(row[name])));

function indexBy(rows: readonly Row[], names: readonly string[]): ReadonlyMap<string, readonly Row[]> {
  const index = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row, names);
    if (key === "") continue;
    const same = index.get(key) ?? [];
    index.set(key, same);
    same.push(row);
  }
  return index;
}

function sourceOver(rows: () => RowsOf): RecordSource {
  const matching = ({ entitySet, filter }: BoundQuery): readonly Row[] =>
    rows()(entitySet.name).filter((row) => matches(filter, row));
  const resultOf = ({ apply, query: { filter } }: AppliedQuery): readonly Row[] =>
    evaluateApply(apply, rows()(apply.entitySet.name)).filter((row) => matches(filter, row));
  const textsOf = (found: readonly Row[], query: BoundQuery, read: Pick<PageRead, "nulls" | "expand">) =>
    found.map((row) => recordText(row, query, read));
  return {
    page: async (query, read) => pageOf(matching(query), query, read, (found) => textsOf(found, query, read)),
    count: async (query) => matching(query).length,
    applied: {
      page: async (applied, read) =>
        pageOf(resultOf(applied), applied.query, read, (found) =>
          applied.apply.output.isEntities
            ? textsOf(found, applied.query, read)
            : evaluatedRecords(found, applied, read.applied),
        ),
      count: async (applied) => resultOf(applied).length,
    },
    one: async (query, read) => {
      const [text] = textsOf(matching(query).slice(0, 1), query, read);
      return text === undefined ? undefined : Buffer.from(text);
    },
  };
}

/** Returns a page of the rows that a query finds. @param texts returns rows as JSON texts */
function pageOf(
  rows: readonly Row[],
  { orderBy, top, skip }: BoundQuery,
  { from, form, count }: Pick<PageRead, "from" | "form" | "count">,
  texts: (found: readonly Row[]) => readonly string[],
): RecordPage {
  const sorted = rows.toSorted((a, b) => compareRows(orderBy, a, b));
  const start = from === undefined ? skip : sorted.findIndex((row) => isAfter(row, from, orderBy));
  const found = start < 0 ? [] : sorted.slice(start, start + top);
  const last = found.at(-1);
  const plain = Buffer.from(texts(found).join(","));
  return {
    records: form === undefined ? plain : writeRecords(plain, form),
    length: found.length,
    next:
      last === undefined || start + top >= sorted.length
        ? null
        : orderBy.map(({ expression }) => orderText(evaluate(expression, last), expression)),
    count: count ? sorted.length : undefined,
  };
}

type OrderExpression = BoundQuery["orderBy"][number]["expression"];

const orderText = (value: unknown, { type }: OrderExpression): string =>
  valueText(value, type as PrimitiveType);

/** True if a row comes after a position, which holds the values of the order as JSON texts. */
function isAfter(row: Row, position: readonly unknown[], orderBy: BoundQuery["orderBy"]): boolean {
  for (const [i, { expression, direction }] of orderBy.entries()) {
    const given = orderValue(String(position[i]), expression);
    const own = evaluate(expression, row);
    const order =
      own === null || given === null
        ? Number(own !== null) - Number(given !== null)
        : compareValues(own, given);
    if (order !== 0) return direction === "asc" ? order > 0 : order < 0;
  }
  return false;
}

function orderValue(text: string, { type }: OrderExpression): unknown {
  const json: unknown = /^["tfn]/.test(text) ? JSON.parse(text) : text;
  return json === null ? null : codecOf(type as PrimitiveType).fromJson(json);
}

/** Returns the JSON text of a row's selected properties, with the related rows that `expand` asks for. */
function recordText(
  row: Row,
  { select }: Pick<BoundQuery, "select">,
  { nulls, expand }: Pick<PageRead, "nulls" | "expand">,
): string {
  const members = select.map(({ property, expression }) => ({
    name: property.name,
    text: propertyText(evaluate(expression, row), property),
  }));
  const all = [...members, ...expand.flatMap((item) => expandedMembers(row, item, nulls))];
  return `{${all.flatMap(({ name, text }) => (nulls || text !== "null" ? [`"${name}":${text}`] : [])).join()}}`;
}

function expandedMembers(
  row: Row,
  { navigation, query, count, referenceTo, expand }: BoundExpand,
  nulls: boolean,
) {
  const { name, collection } = navigation;
  const write = (one: Row): string =>
    referenceTo === null
      ? recordText(one, query, { nulls, expand })
      : JSON.stringify(referenceOf(one, query, referenceTo));
  if (!collection) {
    const related = row[name] as Row | null;
    return [{ name, text: related === null ? "null" : write(related) }];
  }
  const matching = (row[name] as readonly Row[]).filter((one) => matches(query.filter, one));
  const counted = count === "no" ? [] : [{ name: `${name}@odata.count`, text: String(matching.length) }];
  if (count === "only") return counted;
  const page = matching
    .toSorted((a, b) => compareRows(query.orderBy, a, b))
    .slice(query.skip, query.skip + query.top);
  return [...counted, { name, text: `[${page.map(write).join()}]` }];
}
