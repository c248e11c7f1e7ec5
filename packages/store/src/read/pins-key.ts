import type { BoundNode, BoundQuery } from "@cadastre/odata";
import { pinnedBy } from "./pinned.ts";

/**
 * True if the query fixes every key property to one value, so that it matches at most one record and the primary key finds it.
 */
export const pinsKey = ({ entitySet, filter }: BoundQuery): boolean =>
  entitySet.type.key.every((name) => pinsOne(filter, name));

/** True if the filter limits a property to one value. */
function pinsOne(filter: BoundNode, name: string): boolean {
  if (filter.kind === "Logical" && filter.operator === "and")
    return filter.operands.some((operand) => pinsOne(operand, name));
  const pinned = pinnedBy(filter);
  return pinned !== undefined && pinned[0] === name && pinned[1] === 1;
}
