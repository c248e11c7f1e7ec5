import { type BoundQuery, bindQuery, type EntitySet, type QueryParts } from "@cadastre/odata";
import { equals, propertyNode } from "@cadastre/odata/tree";
import { defaultOrder } from "../catalog.ts";
import { Refused } from "../errors.ts";
import { textNode } from "../text-node.ts";
import type { EntityKey } from "./address.ts";
import type { JsonFormat } from "./format.ts";
import { requirePlacekey } from "./placekey.ts";
import type { RowOptions } from "./query-options.ts";

/** Binds the query of a collection or its count. Checks `placekey`, but does not apply it: `atPlacekey` does. */
export function bindRows(options: RowOptions & QueryParts, entitySet: EntitySet): BoundQuery {
  const { ignoreCase, aliases, placekey } = options;
  const query = bindQuery(options, entitySet, defaultOrder, { aliases, ignoreCase });
  if (placekey !== undefined) requirePlacekey(placekey, entitySet);
  return query;
}

/**
 * Binds the query of one entity.
 *
 * @throws {Refused} `not_found` if the predicate names a property other than the key
 */
export function bindOne(select: QueryParts["select"], entitySet: EntitySet, key: EntityKey): BoundQuery {
  const [name = ""] = entitySet.type.key;
  const property = entitySet.type.properties.get(name);
  if (property === undefined || (key.name !== null && key.name !== name)) throw new Refused("not_found");
  const query = bindQuery({ select, top: 1 }, entitySet);
  return { ...query, filter: equals(propertyNode(property), textNode(key.value)) };
}

/** Adds the key to the selected properties if the answer has links (full metadata), which are built from it. */
export function readFor({ metadata }: JsonFormat, query: BoundQuery): BoundQuery {
  if (metadata !== "full") return query;
  const { select, entitySet } = query;
  const selected = new Set(select.map(({ property }) => property.name));
  const missing = entitySet.type.key
    .filter((name) => !selected.has(name))
    .flatMap((name) => entitySet.type.properties.get(name) ?? [])
    .map((property) => ({ property, expression: propertyNode(property) }));
  return missing.length === 0 ? query : { ...query, select: [...select, ...missing] };
}
