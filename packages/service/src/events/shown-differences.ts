import { type Scope, scopeWithin, showsWhole, visibleEntitySet } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import type { Difference } from "./changed-members.ts";

/** The fields that a scope shows of a resource, or of the records of one dataset. */
type ShownFields = {
  /** Fields that are shown as they are. */
  readonly whole: ReadonlySet<string>;
  /** Fields that have a mask, or that only some datasets show, and those that they are derived from. */
  readonly partly: ReadonlySet<string>;
};

const shownFields = new WeakMap<Scope, Map<string, ShownFields>>();

function fieldsOf(entitySet: Pick<EntitySet, "name" | "type">, scope: Scope): ShownFields {
  const known = shownFields.get(scope) ?? new Map<string, ShownFields>();
  shownFields.set(scope, known);
  const { name } = entitySet;
  const shown = known.get(name) ?? readFields(visibleEntitySet(entitySet, scope), scope);
  known.set(name, shown);
  return shown;
}

function readFields(visible: EntitySet, scope: Scope): ShownFields {
  const whole = new Set<string>();
  const partly = new Set<string>();
  for (const { name, derivedFrom = [] } of visible.type.properties.values())
    if (showsWhole(visible, scope, name)) whole.add(name);
    else for (const read of [name, ...derivedFrom]) partly.add(read);
  return { whole, partly };
}

/**
 * Tells from the names of changed fields if a scope shows another record than before. Undefined if that depends on the values: a mask may
 * hide what has changed.
 */
export function isDifferenceShown(
  entitySet: EntitySet,
  scope: Scope,
  { dataset, fields }: Difference,
): boolean | undefined {
  const everywhere = fieldsOf(entitySet, scope);
  if (fields.some((field) => everywhere.whole.has(field))) return true;
  if (dataset === undefined) return undefined;
  if (!fields.some((field) => everywhere.partly.has(field))) return false;
  if (dataset === null) return undefined;
  const within = fieldsOf(entitySet, scopeWithin(scope, dataset));
  if (fields.some((field) => within.whole.has(field))) return true;
  return fields.some((field) => within.partly.has(field)) ? undefined : false;
}
