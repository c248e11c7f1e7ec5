import { createHash } from "node:crypto";
import { type Scope, visibleEntitySet } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";

/** The view of a customer that events are made of. */
export type EventView = {
  readonly scope: Scope;
  /** The sets that the customer sees, with the fields that the customer sees, by name. */
  readonly entitySets: ReadonlyMap<string, EntitySet>;
  /** Identifies what the customer may see, and its schema. */
  readonly id: string;
};

const views = new WeakMap<readonly EntitySet[], WeakMap<Scope, EventView>>();

/** Returns the view of a scope on the active entity sets: the same object for the same arguments. */
export function eventViewOf(active: readonly EntitySet[], scope: Scope): EventView {
  const ofActive = views.get(active) ?? new WeakMap<Scope, EventView>();
  views.set(active, ofActive);
  const known = ofActive.get(scope);
  if (known !== undefined) return known;
  const visible = active
    .filter(({ name }) => scope.visible(name))
    .map((entitySet) => visibleEntitySet(entitySet, scope));
  const schema = visible.map(({ name, type }) => [name, ...type.properties.keys()].join()).toSorted();
  const view = {
    scope,
    entitySets: new Map(visible.map((entitySet) => [entitySet.name, entitySet])),
    id: digestOf(JSON.stringify([scope.scopeSha256, schema])),
  };
  ofActive.set(scope, view);
  return view;
}

/** Returns the first half of the SHA-256 of a text, in base64url. */
export const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");
