import { compileScope, type Entitlement, type Scope, type ScopeOptions } from "@cadastre/entitlement";

/** Compiles the scope of an entitlement without grants, except for the given members. By default there are no entity sets. */
export const scopeFor = (
  more: Partial<Entitlement> = {},
  options: ScopeOptions = { entitySets: [] },
): Scope =>
  compileScope(
    {
      iss: "test",
      aud: "test",
      sub: "customer",
      ver: 1,
      iat: 0,
      nbf: 0,
      exp: 1,
      jti: "1",
      products: ["listing"],
      channels: { api: true, odata: true, file_delivery: true },
      regions: [{ kind: "national", value: "US" }],
      datasets: [],
      ...more,
    },
    options,
  );

/** A scope for sources in memory, which do not check it. */
export const anyScope: Scope = scopeFor();
