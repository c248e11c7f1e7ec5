import { compileScope, type ResourceGrant, resourceRules, type Scope } from "@cadastre/entitlement";
import { originatingSystems, recordNames } from "@cadastre/reso";
import { scopeOptions } from "../catalog.ts";

/** What has no rule can be granted to nobody. */
const ruled = recordNames.filter((name) => resourceRules[name] !== undefined);

/** A scope over every dataset and region: what a customer with this grant of each resource would see. */
const scopeOver = (sub: string, grantOf: (resource: string) => ResourceGrant): Scope =>
  compileScope(
    {
      iss: "cadastre",
      aud: "cadastre",
      sub,
      ver: 1,
      iat: 0,
      nbf: 0,
      exp: 0,
      jti: sub,
      products: [],
      channels: { api: false, odata: false, file_delivery: false },
      regions: [{ kind: "national", value: "US" }],
      datasets: originatingSystems.map(({ datasetId }) => ({
        dataset_id: datasetId,
        resources: Object.fromEntries(ruled.map((name) => [name, grantOf(name)])),
      })),
    },
    scopeOptions,
  );

/** What opens the policies of a resource that has some. */
function policiesOf(resource: string): Partial<ResourceGrant> {
  const { privacy, contact } = resourceRules[resource] ?? {};
  return { ...(privacy && { private: true }), ...(contact && { contact: true }) };
}

/** Compiles a scope at its first use: most commands use none, and a program starts often. */
function atFirstUse(compile: () => Scope): () => Scope {
  let scope: Scope | undefined;
  return () => {
    scope ??= compile();
    return scope;
  };
}

/** Sees everything that any customer can be granted. For the gates, the ingest and the operator's program alone: no request runs in it. */
export const systemScope = atFirstUse(() =>
  scopeOver("system", (name) => ({ fields: "*", ...policiesOf(name) })),
);

/** Sees every field and row but what a policy keeps back. */
export const publicScope = atFirstUse(() => scopeOver("public", () => ({ fields: "*" })));

/** Sees nothing. */
export const emptyScope = atFirstUse(() =>
  compileScope(
    {
      iss: "cadastre",
      aud: "cadastre",
      sub: "nobody",
      ver: 1,
      iat: 0,
      nbf: 0,
      exp: 0,
      jti: "nobody",
      products: [],
      channels: { api: false, odata: false, file_delivery: false },
      regions: [],
      datasets: [],
    },
    scopeOptions,
  ),
);
