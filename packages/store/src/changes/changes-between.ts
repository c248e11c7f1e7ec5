import { type RestrictedQuery, restrict, type Scope } from "@cadastre/entitlement";
import type { BoundNode, BoundQuery, EntitySet, StructuralProperty } from "@cadastre/odata";
import { allOf, propertyNode, textConstant } from "@cadastre/odata/tree";
import { readPages } from "../read-pages.ts";
import type { ReadOptions, Store } from "../store.ts";
import { type KeyChange, type KeyedLine, mergeStates } from "./merge.ts";

/** The changes of what a query finds for a scope, from one checkpoint to a later one. */
export type ChangesRequest = Pick<ReadOptions, "nulls" | "signal" | "background" | "stages"> & {
  /** Selects what is compared. Its order and its position are ignored: changes come in the order of the key. */
  readonly query: BoundQuery;
  readonly scope: Scope;
  readonly since: number;
  readonly asOf: number;
  /** Only changes of keys beyond this one, by code points; null for all. */
  readonly after: string | null;
  /** Number of records that are read at once. */
  readonly pageSize: number;
  /** True to read the next records while the present ones are used. */
  readonly ahead: boolean;
};

/**
 * Returns the changes, each key once: a record that the query finds now and did not find before, or with other selected values (`is`), and a
 * key that it does not find any more (`is` undefined). They are found from the record versions that ended and those that began between the
 * checkpoints, restricted to the scope. A version that changes nothing of what the query shows is no change.
 *
 * @throws {StoreError} `bookmark_expired` if `since` is before the history that is kept, or a checkpoint does not exist
 */
export async function* changesBetween(
  store: Pick<Store, "page">,
  request: ChangesRequest,
): AsyncGenerator<KeyChange> {
  const { since, asOf } = request;
  const query = queryOf(request);
  const ended = keyedLines(store, query, request, { asOf: since, until: asOf });
  const began = keyedLines(store, query, request, { asOf, since });
  for await (const change of mergeStates(ended, began)) if (change.was !== change.is) yield change;
}

/** Yields the records that a query finds for a scope at a checkpoint, in key order. @throws {StoreError} `bookmark_expired` */
export const recordsAt = (
  store: Pick<Store, "page">,
  request: Omit<ChangesRequest, "since">,
): AsyncGenerator<KeyedLine> => keyedLines(store, queryOf(request), request, { asOf: request.asOf });

/** Returns the key of an entity set whose key is one text. @throws {TypeError} for any other */
export function textKeyOf({ name, type }: EntitySet): StructuralProperty {
  const [only = ""] = type.key;
  const key = type.properties.get(only);
  if (type.key.length !== 1 || key?.type !== "Edm.String")
    throw new TypeError(`the key of \`${name}\` is not one text`);
  return key;
}

function queryOf({ query, scope, after, pageSize }: Omit<ChangesRequest, "since" | "asOf">): RestrictedQuery {
  const key = textKeyOf(query.entitySet);
  const filter = after === null ? query.filter : allOf(isKeyBeyond(key, after), query.filter);
  const orderBy = [{ expression: propertyNode(key), direction: "asc" as const }];
  return restrict({ ...query, filter, orderBy, after: null, top: pageSize, skip: 0 }, scope);
}

/** Returns the condition that a key comes after a position. */
export const isKeyBeyond = (key: StructuralProperty, position: string): BoundNode =>
  keyCompared(key, "gt", position);

/** Returns the condition that a key comes before a position, or is it. */
export const isKeyUpTo = (key: StructuralProperty, position: string): BoundNode =>
  keyCompared(key, "le", position);

const keyCompared = (key: StructuralProperty, comparator: "gt" | "le", position: string): BoundNode => ({
  kind: "Compare",
  type: "Edm.Boolean",
  comparator,
  left: propertyNode(key),
  right: textConstant(position),
});

/** Reads the lines of the records that a query finds, in key order, with their keys. */
async function* keyedLines(
  store: Pick<Store, "page">,
  query: RestrictedQuery,
  { nulls, signal, stages, ahead, background }: Omit<ChangesRequest, "since">,
  state: Pick<ReadOptions, "asOf" | "since" | "until">,
): AsyncGenerator<KeyedLine> {
  const options = { ...state, nulls, signal, stages, ahead, background, lines: true, keys: true };
  for await (const { records, length, keys } of readPages(store, query, options)) {
    if (keys?.length !== length) throw new TypeError("a page lacks the keys of its records");
    const { buffer, byteOffset, byteLength } = records;
    const lines = Buffer.from(buffer, byteOffset, byteLength).toString().split("\n");
    for (const [i, key] of keys.entries()) yield { key: String(key), line: lines[i] ?? "" };
  }
}
