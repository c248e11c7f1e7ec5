import type { BoundNode, BoundQuery } from "@cadastre/odata";
import { pinnedBy } from "./conjuncts.ts";

/** Whether the query can match one record at the most, which the key's index finds. */
export const pinsKey = ({ entitySet, filter }: BoundQuery): boolean =>
  entitySet.type.key.every((name) => pinsOne(filter, name));

/** Whether the filter lets a property have one value only. */
function pinsOne(filter: BoundNode, name: string): boolean {
  if (filter.kind === "Logical" && filter.operator === "and")
    return filter.operands.some((operand) => pinsOne(operand, name));
  const pinned = pinnedBy(filter);
  return pinned !== undefined && pinned[0] === name && pinned[1] === 1;
}
