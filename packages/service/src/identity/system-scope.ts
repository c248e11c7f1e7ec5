import {
  compileScope,
  datasetProperty,
  type ResourceGrant,
  resourceRules,
  type Scope,
  type ScopeOptions,
} from "@cadastre/entitlement";
import { type Catalog, recordNames } from "@cadastre/reso";
import { perCatalog, scopeOptionsOf } from "../catalog.ts";

/** Resources with an entitlement rule. Others cannot be granted. */
const grantableResources = recordNames.filter((name) => resourceRules[name] !== undefined);

/** Compiles the scope of a customer with all datasets, all regions, and this grant for each resource. */
const scopeOver = (
  catalog: Catalog,
  sub: string,
  grantOf: (resource: string) => ResourceGrant,
  options: Pick<ScopeOptions, "rules"> = {},
): Scope =>
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
      datasets: catalog.systems.map(({ datasetId }) => ({
        dataset_id: datasetId,
        resources: Object.fromEntries(grantableResources.map((name) => [name, grantOf(name)])),
      })),
    },
    { ...scopeOptionsOf(catalog), ...options },
  );

/** Returns the grants that lift the privacy and contact policies of a resource, if it has them. */
function grantsOverPolicies(resource: string): Partial<ResourceGrant> {
  const { privacy, contact } = resourceRules[resource] ?? {};
  return { ...(privacy && { private: true }), ...(contact && { contact: true }) };
}

/**
 * Grants everything that can be granted. Only for the checks before a publication (`gates/`), the ingest and the operator's commands; no
 * request may use it.
 */
export const systemScope = perCatalog((catalog) =>
  scopeOver(catalog, "system", (name) => ({ fields: "*", ...grantsOverPolicies(name) })),
);

/**
 * Grants what {@link systemScope} does, and lets a query select the dataset of a record. Only for the making of events (`events/`), which reads
 * each change once for all customers: of its values nothing leaves that but the names of the fields that differ.
 */
export const changeScope = perCatalog((catalog) =>
  scopeOver(catalog, "changes", (name) => ({ fields: "*", ...grantsOverPolicies(name) }), {
    rules: Object.fromEntries(
      Object.entries(resourceRules).map(([name, { hostReadable = [], ...rule }]) => [
        name,
        { ...rule, hostReadable: [...hostReadable, { ...datasetProperty, derivedFrom: [] }] },
      ]),
    ),
  }),
);

/** Grants all fields and rows except those that a privacy or contact policy hides. */
export const publicScope = perCatalog((catalog) => scopeOver(catalog, "public", () => ({ fields: "*" })));

/** Grants nothing. */
export const emptyScope = perCatalog((catalog) =>
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
    scopeOptionsOf(catalog),
  ),
);
