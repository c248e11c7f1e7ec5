import { type Scope, visibleEntitySet } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";

/** Returns those of the sets that a scope shows, with the fields that it shows. */
export const visibleSets = (active: readonly EntitySet[], scope: Scope): readonly EntitySet[] =>
  active.filter(({ name }) => scope.visible(name)).map((entitySet) => visibleEntitySet(entitySet, scope));

/** Returns a function that makes a value once for the same active sets and scope, and returns the same one afterwards. */
export function perScope<T>(): (active: readonly EntitySet[], scope: Scope, make: () => T) => T {
  const bySets = new WeakMap<readonly EntitySet[], WeakMap<Scope, T>>();
  return (active, scope, make) => {
    const known = bySets.get(active) ?? new WeakMap<Scope, T>();
    bySets.set(active, known);
    const value = known.get(scope) ?? make();
    known.set(scope, value);
    return value;
  };
}
