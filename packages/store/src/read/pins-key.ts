import type { BoundQuery } from "@cadastre/odata";
import { pinnedProperties } from "./conjuncts.ts";

/** Whether the query can match one record at the most, which the key's index finds. */
export function pinsKey({ entitySet, filter }: BoundQuery): boolean {
  const pinned = pinnedProperties(filter);
  return entitySet.type.key.every((name) => pinned.get(name) === 1);
}
