import type { Scope } from "@cadastre/entitlement";
import type { BoundExpand, BoundNode, BoundQuery, EntitySet, Projection } from "@cadastre/odata";
import { allOf, constant, equals, isAmong, propertyNode, textConstant } from "@cadastre/odata/tree";
import type { ResourceName } from "@cadastre/reso";
import { type Store, StoreError } from "@cadastre/store";
import {
  type ChangesRequest,
  changesBetween,
  compareCodePoints,
  recordsAt,
  textKeyOf,
} from "@cadastre/store/changes";
import { isIndexedField } from "../catalog.ts";
import { mostRelated, textMember } from "./expansion.ts";
import { keysAmong, mergeKeys } from "./merge-keys.ts";
import { linesOf, restrictRecords } from "./related-reader.ts";
import { type NavigationLink, navigationLinkOf } from "./related-sets.ts";
import { isStoredSet } from "./stored-set.ts";

/**
 * True if the records that lead to a related record are found by an index, at every level: then a change of related records tells which
 * records have changed with them.
 */
export const tracksRelated = (expand: readonly BoundExpand[]): boolean =>
  expand.every(
    ({ navigation, expand: nested }) => isTracked(navigationLinkOf(navigation)) && tracksRelated(nested),
  );

/** True if an index finds the records that a navigation property leads from. */
export const isTracked = ({
  resource,
  own,
  target,
}: Pick<NavigationLink, "resource" | "own" | "target">): boolean =>
  isStoredSet({ name: target }) && isIndexedField(resource as ResourceName, own);

/** Two states of the store, and the caller that sees them. */
export type StateWindow = Pick<ChangesRequest, "since" | "asOf" | "signal"> & {
  readonly store: Pick<Store, "page">;
  readonly scope: Scope;
};

/** Number of records that are read, or keys that are looked up, at once. */
const atOnce = 500;

/**
 * Yields the keys of records whose related records have changed, as far as the caller sees them, each once, in order: in either state they led to
 * a record that changed, came or went. The caller may see no change of some.
 *
 * @param after key that they follow; null for all
 * @throws {StoreError} `bookmark_expired` if more than {@link mostRelated} related records have changed: the whole is to be read again
 */
export async function* affectedKeys(
  entitySet: EntitySet,
  expand: readonly BoundExpand[],
  window: StateWindow,
  after: string | null,
): AsyncGenerator<string> {
  const sequences: AsyncIterable<string>[] = [];
  for (const item of expand) {
    const link = navigationLinkOf(item.navigation);
    const values = await changedLinks(item, link, window);
    const isKey = entitySet.type.key.length === 1 && entitySet.type.key[0] === link.own;
    if (isKey) sequences.push(sortedAfter(values, after));
    else sequences.push(...keysOf(entitySet, link.own, values, window, after));
  }
  yield* mergeKeys(sequences);
}

async function* sortedAfter(keys: ReadonlySet<string>, after: string | null): AsyncGenerator<string> {
  const following = [...keys].filter((key) => after === null || compareCodePoints(key, after) > 0);
  yield* following.toSorted(compareCodePoints);
}

/** Returns the values of the links to related records that have changed, or whose own related records have. */
async function changedLinks(
  { query, expand }: BoundExpand,
  link: NavigationLink,
  window: StateWindow,
): Promise<ReadonlySet<string>> {
  // A bound item names its entity set after the navigation property.
  const entitySet = { ...query.entitySet, name: link.target };
  const ofResource: readonly BoundNode[] =
    link.resourceField === undefined
      ? []
      : [equals(projectionOf(link.resourceField, entitySet).expression, textConstant(link.resource))];
  // Any value may be in the order or the condition of an item: whatever is seen is compared.
  const seen = [...entitySet.type.properties.keys()].map((name) => projectionOf(name, entitySet));
  const wanted = { ...query, entitySet, filter: allOf(...ofResource, query.filter), select: seen, skip: 0 };
  const values = new Set<string>();
  const add = (line: string | undefined) => {
    const value = line === undefined ? "null" : textMember(line, link.other);
    if (value !== "null") values.add(JSON.parse(value) as string);
  };
  const read = { ...window, query: wanted, after: null, pageSize: atOnce, ahead: false };
  let count = 0;
  for await (const { was, is } of changesBetween(window.store, read)) {
    add(was);
    add(is);
    if (++count > mostRelated)
      throw new StoreError("bookmark_expired", "too many related records have changed");
  }
  if (expand.length === 0) return values;
  const keys = new Set<string>();
  for await (const key of affectedKeys(entitySet, expand, window, null)) requireFew(keys.add(key));
  const key = textKeyOf(entitySet).name;
  for (const line of await linesIn(entitySet, key, keys, [link.other], window)) add(line);
  return values;
}

/** Returns sequences of the keys of the records that have one of some values, in either state, each in order. */
function keysOf(
  entitySet: EntitySet,
  field: string,
  values: ReadonlySet<string>,
  { store, scope, since, asOf, signal }: StateWindow,
  after: string | null,
): readonly AsyncIterable<string>[] {
  const all = [...values];
  const key = projectionOf(textKeyOf(entitySet).name, entitySet);
  const parts = Array.from({ length: Math.ceil(all.length / atOnce) }, (_, i) =>
    all.slice(i * atOnce, (i + 1) * atOnce),
  );
  return parts.flatMap((part) =>
    [since, asOf].map((state) => {
      const filter = isAmongTexts(projectionOf(field, entitySet).expression, part);
      const query: BoundQuery = {
        entitySet,
        filter,
        select: [key],
        orderBy: [],
        after: null,
        skip: 0,
        top: atOnce,
      };
      return keysAmong(
        recordsAt(store, { query, scope, asOf: state, after, pageSize: atOnce, ahead: false, signal }),
      );
    }),
  );
}

/** Reads fields of the records that have one of some values in either state. */
async function linesIn(
  entitySet: EntitySet,
  field: string,
  values: ReadonlySet<string>,
  select: readonly string[],
  { store, scope, since, asOf, signal }: StateWindow,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const all = [...values];
  const key = projectionOf(textKeyOf(entitySet).name, entitySet);
  for (let at = 0; at < all.length; at += atOnce) {
    const query: BoundQuery = {
      entitySet,
      filter: isAmongTexts(projectionOf(field, entitySet).expression, all.slice(at, at + atOnce)),
      select: [...new Set([...select, key.property.name])].map((name) => projectionOf(name, entitySet)),
      orderBy: [{ expression: key.expression, direction: "asc" }],
      after: null,
      skip: 0,
      top: atOnce,
    };
    const restricted = restrictRecords(query, scope);
    for (const state of [since, asOf])
      for await (const page of pagesOf(store, restricted, { asOf: state, signal })) {
        for (const line of linesOf(page)) found.add(line);
        requireFew(found);
      }
  }
  return [...found];
}

async function* pagesOf(
  store: Pick<Store, "page">,
  query: ReturnType<typeof restrictRecords>,
  options: { readonly asOf: number; readonly signal: AbortSignal | undefined },
): AsyncGenerator<Uint8Array> {
  let page = await store.page(query, { ...options, lines: true });
  try {
    for (;;) {
      yield page.records;
      page.release?.();
      if (page.next === null) return;
      page = await store.page(query, { ...options, lines: true, from: page.next });
    }
  } finally {
    page.release?.();
  }
}

function requireFew({ size }: ReadonlySet<string>): void {
  if (size > mostRelated) throw new StoreError("bookmark_expired", "too many related records have changed");
}

/** Returns the condition that an expression is one of some texts. */
export const isAmongTexts = (operand: BoundNode, texts: readonly string[]): BoundNode =>
  texts.length === 0 ? constant(false) : isAmong(operand, texts.map(textConstant));

function projectionOf(name: string, { type }: EntitySet): Projection {
  const property = type.properties.get(name);
  if (property === undefined) throw new TypeError(`\`${name}\` is no property of \`${type.name}\``);
  return { property, expression: propertyNode(property) };
}
