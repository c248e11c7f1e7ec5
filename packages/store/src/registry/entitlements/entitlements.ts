import type { Knex } from "knex";
import { StoreError } from "../../errors.ts";
import type { EntitlementRegistry } from "./entitlement.ts";
import { putEntitlement, selectEntitlements } from "./rows.ts";

/** Creates the entitlement registry of a registry database. */
export function createEntitlementRegistry(knex: Knex): EntitlementRegistry {
  const find = async (customer: string) => (await selectEntitlements(knex, { name: customer }))[0];
  return {
    install: async (entitlement) => {
      if (await putEntitlement(knex, entitlement)) return true;
      const known = await find(entitlement.customer);
      if (known?.version !== entitlement.version)
        throw new StoreError("entitlement_older", `version ${known?.version}`);
      if (known.jws !== entitlement.jws) throw new StoreError("entitlement_conflict");
      return false;
    },
    find,
    list: () => selectEntitlements(knex, {}),
  };
}
