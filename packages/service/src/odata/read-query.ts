import {
  type BoundQuery,
  bindQuery,
  type EntitySet,
  equals,
  propertyNode,
  type QueryParts,
} from "@cadastre/odata";
import { defaultOrder } from "../catalog.ts";
import { Refused } from "../errors.ts";
import type { EntityKey } from "./address.ts";
import type { JsonFormat } from "./format.ts";
import { requirePlacekey } from "./placekey.ts";
import type { RowOptions } from "./query-options.ts";
import { textNode } from "./text-node.ts";

/** The query of a collection, or of its count, which `atPlacekey` narrows to a property. */
export function bindRows(options: RowOptions & QueryParts, entitySet: EntitySet): BoundQuery {
  const { ignoreCase, aliases, placekey } = options;
  const query = bindQuery(options, entitySet, defaultOrder, { aliases, ignoreCase });
  if (placekey !== undefined) requirePlacekey(placekey, entitySet);
  return query;
}

/**
 * The query of one entity.
 *
 * @throws {Refused} `not_found` if the predicate names another property than the key.
 */
export function bindOne(select: QueryParts["select"], entitySet: EntitySet, key: EntityKey): BoundQuery {
  const [name = ""] = entitySet.type.key;
  const property = entitySet.type.properties.get(name);
  if (property === undefined || (key.name !== null && key.name !== name)) throw new Refused("not_found");
  const query = bindQuery({ select, top: 1 }, entitySet);
  return { ...query, filter: equals(propertyNode(property), textNode(key.value)) };
}

/** What is read for an answer: with the key, selected or not, where the answer has links. */
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
