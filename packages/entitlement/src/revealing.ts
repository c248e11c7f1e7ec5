import type { EntityType } from "@cadastre/odata";
import type { Grant } from "./grants.ts";
import type { Mask } from "./mask.ts";
import { isAlwaysGranted } from "./resources/index.ts";

/**
 * The grant with a mask `null` for each field whose values reveal those of a masked field, whatever mask it has of its own: a mask of
 * `PostalCode` masks the address that ends in it, too. All grants of a dataset are one by then, so the mask of one hides what another
 * shows.
 */
export function withRevealing(grant: Grant, type: EntityType): Grant {
  const masks = new Map<string, Mask>(grant.masks);
  // Names that are added while it runs get their turn: what reveals a field that reveals a masked one is masked too.
  for (const masked of masks.keys()) for (const name of revealing(masked, type)) masks.set(name, "null");
  return { ...grant, masks: new Map([...masks].filter(([name]) => grant.fields.has(name))) };
}

const revealing = (masked: string, type: EntityType): readonly string[] =>
  [...type.properties.values()].flatMap(({ name, reveals = [] }) =>
    reveals.includes(masked) && !isAlwaysGranted(name, type) ? [name] : [],
  );
