import {
  type BoundExpand,
  type BoundQuery,
  type EntitySet,
  type Projection,
  QueryError,
} from "@cadastre/odata";
import { referenceOf } from "@cadastre/odata/run";
import { allOf, type BoundNode, equals, isAmong, propertyNode, textConstant } from "@cadastre/odata/tree";
import { type NavigationLink, navigationLinkOf } from "./related-sets.ts";

/** Returns the JSON texts of all records that a query finds, restricted to what the caller may see. */
export type RelatedReader = (query: BoundQuery) => Promise<readonly string[]>;

/** Most related records that one item of `$expand` may lead to, over all records of a page. */
export const mostRelated = 20_000;

/** Returns the query with the fields that related records are found by, after those that it selects. */
export const withLinkFields = (query: BoundQuery, expand: readonly BoundExpand[]): BoundQuery =>
  alsoSelecting(
    query,
    expand.map(({ navigation }) => navigationLinkOf(navigation).own),
  );

/**
 * Adds related records to the JSON texts of records that {@link withLinkFields} has selected, and removes what only it has selected. Reads once for each item
 * of `$expand` on each level, however many records there are.
 *
 * @param query without the fields that {@link withLinkFields} adds
 */
export async function addRelated(
  records: readonly string[],
  query: BoundQuery,
  expand: readonly BoundExpand[],
  read: RelatedReader,
): Promise<readonly string[]> {
  if (records.length === 0 || expand.length === 0) return records;
  const added = withLinkFields(query, expand).select.slice(query.select.length);
  const expanded = records.map((record) => withoutMembers(record, added));
  for (const item of expand) {
    const link = navigationLinkOf(item.navigation);
    const keys = records.map((record) => textMember(record, link.own));
    const related = await relatedRecords(item, link, new Set(keys), read);
    for (const [i, key] of keys.entries())
      expanded[i] = withMembers(expanded[i] ?? "", membersOf(item, related.get(key) ?? none));
  }
  return expanded;
}

/** JSON text of a link that leads nowhere. */
const noKey = "null";

/** Records that one record is related to, and how many there are without `$top` and `$skip`. */
type Related = { readonly records: readonly string[]; readonly count: number };

const none: Related = { records: [], count: 0 };

/** Returns related records by the JSON text of the value that links them. */
async function relatedRecords(
  { query, expand, count }: BoundExpand,
  link: NavigationLink,
  keys: ReadonlySet<string>,
  read: RelatedReader,
): Promise<ReadonlyMap<string, Related>> {
  const values = [...keys].filter((key) => key !== noKey);
  if (values.length === 0) return new Map();
  const linked = withLinkFields(query, expand);
  const wanted = alsoSelecting(count === "only" ? { ...query, select: [] } : linked, [link.other]);
  const filter = allOf(conditionOf(link, values, query.entitySet), query.filter);
  // A bound item names its entity set after the navigation property.
  const entitySet = { ...query.entitySet, name: link.target };
  const found = await read({ ...wanted, entitySet, filter, orderBy: inOrder(query), skip: 0 });
  const groups = new Map<string, string[]>();
  for (const record of found) {
    const key = textMember(record, link.other);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [record]);
    else group.push(record);
  }
  const kept = [...groups].map(([key, all]) => ({
    key,
    count: all.length,
    records: count === "only" ? [] : all.slice(query.skip, query.skip + query.top),
  }));
  const added = wanted.select.slice(linked.select.length);
  const own = kept.flatMap(({ records }) => records.map((record) => withoutMembers(record, added)));
  const expanded = await addRelated(own, query, expand, read);
  let at = 0;
  const related = new Map<string, Related>();
  for (const group of kept) {
    const end = at + group.records.length;
    related.set(group.key, { records: expanded.slice(at, end), count: group.count });
    at = end;
  }
  return related;
}

/** Returns the order of related records. A query for a single one has none, but a store reads pages in an order. */
const inOrder = ({ orderBy, entitySet }: BoundQuery): BoundQuery["orderBy"] =>
  orderBy.length > 0
    ? orderBy
    : entitySet.type.key.map((name) => ({ ...projectionOf(name, entitySet), direction: "asc" as const }));

function membersOf({ navigation, count, referenceTo, query }: BoundExpand, related: Related): string {
  const { name } = navigation;
  const counted = `"${name}@odata.count":${related.count}`;
  if (count === "only") return counted;
  const texts =
    referenceTo === null
      ? related.records
      : related.records.map((record) =>
          JSON.stringify(
            referenceOf(JSON.parse(record) as Readonly<Record<string, unknown>>, query, referenceTo),
          ),
        );
  const value = navigation.collection ? `[${texts.join()}]` : (texts[0] ?? "null");
  return `${count === "no" ? "" : `${counted},`}"${name}":${value}`;
}

/** Returns the condition on the records that some values link to. */
function conditionOf(
  { other, resourceField, resource }: NavigationLink,
  values: readonly string[],
  entitySet: EntitySet,
): BoundNode {
  const linked = isAmong(
    projectionOf(other, entitySet).expression,
    values.map((text) => textConstant(JSON.parse(text) as string)),
  );
  return resourceField === undefined
    ? linked
    : allOf(linked, equals(projectionOf(resourceField, entitySet).expression, textConstant(resource)));
}

function projectionOf(name: string, { type }: EntitySet): Projection {
  const property = type.properties.get(name);
  if (property === undefined) throw new TypeError(`\`${name}\` is no property of \`${type.name}\``);
  return { property, expression: propertyNode(property) };
}

function alsoSelecting(query: BoundQuery, names: readonly string[]): BoundQuery {
  if (names.length === 0) return query;
  const selected = new Set(query.select.map(({ property }) => property.name));
  const missing = [...new Set(names)].filter((name) => !selected.has(name));
  if (missing.length === 0) return query;
  return {
    ...query,
    select: [...query.select, ...missing.map((name) => projectionOf(name, query.entitySet))],
  };
}

/** Returns where a member of a record begins, with the comma before it. -1 if the record does not have it. Quotes within values are escaped, so they are not found. */
function startOfMember(record: string, name: string): number {
  return record.startsWith(`{"${name}":`) ? 0 : record.indexOf(`,"${name}":`);
}

const textValue = /"[^"\\]*(?:\\.[^"\\]*)*"|null/y;

/** Returns the JSON text of a member that is a text; `null` if the record does not have it. */
export function textMember(record: string, name: string): string {
  const start = startOfMember(record, name);
  if (start < 0) return noKey;
  textValue.lastIndex = start + name.length + 4;
  return textValue.exec(record)?.[0] ?? noKey;
}

/** Removes members that are texts and do not begin the record, or are all that it has. */
const withoutMembers = (record: string, selected: readonly Projection[]): string =>
  selected.reduce((text, { property: { name } }) => {
    const start = startOfMember(text, name);
    if (start < 0) return text;
    const end = start + name.length + 4 + textMember(text, name).length;
    return start > 0 ? text.slice(0, start) + text.slice(end) : `{${text.slice(end).replace(/^,/, "")}`;
  }, record);

const withMembers = (record: string, members: string): string =>
  record === "{}" ? `{${members}}` : `${record.slice(0, -1)},${members}}`;

/** Returns the error of a page whose related records are too many. */
export const tooManyRelated = (): QueryError =>
  new QueryError(
    "query_too_complex",
    null,
    { measure: "the number of related records of a page", limit: mostRelated },
    "$expand",
  );
