import type { Scope } from "@cadastre/entitlement";
import type { Scopes } from "../../src/access/scopes.ts";

/** Returns scopes by customer, all with an active entitlement. */
export function activeScopes(find: (customer: string) => Scope | undefined): Scopes {
  const of = async (customer: string) => {
    const scope = find(customer);
    if (scope === undefined) throw new RangeError(`no customer ${customer}`);
    return scope;
  };
  return {
    of,
    ofAccount: async (customer) => ({ scope: await of(customer), state: "active" }),
    removedAt: async () => undefined,
  };
}
