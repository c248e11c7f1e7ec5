import type { Scope } from "@cadastre/entitlement";
import { compileScope } from "@cadastre/entitlement";

/** A scope of nothing: sources in memory do not ask. */
export const anyScope: Scope = compileScope(
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
  },
  { entitySets: [] },
);
