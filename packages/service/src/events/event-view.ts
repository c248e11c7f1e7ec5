import { createHash } from "node:crypto";
import type { Scope } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { perScope, visibleSets } from "../visible-sets.ts";

/** The view of a customer that events are made of. */
export type EventView = {
  readonly scope: Scope;
  /** The sets that the customer sees, with the fields that the customer sees, by name. */
  readonly entitySets: ReadonlyMap<string, EntitySet>;
  /** Identifies what the customer may see, and its schema. */
  readonly id: string;
};

const viewOf = perScope<EventView>();

/** Returns the view of a scope on the active entity sets: the same object for the same arguments. */
export const eventViewOf = (active: readonly EntitySet[], scope: Scope): EventView =>
  viewOf(active, scope, () => {
    const visible = visibleSets(active, scope);
    const schema = visible.map(({ name, type }) => [name, ...type.properties.keys()].join()).toSorted();
    return {
      scope,
      entitySets: new Map(visible.map((entitySet) => [entitySet.name, entitySet])),
      id: digestOf(JSON.stringify([scope.scopeSha256, schema])),
    };
  });

/** Returns the first half of the SHA-256 of a text, in base64url. */
export const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");
