import { compileScope, type ResourceGrant, resourceRules, type Scope } from "@cadastre/entitlement";
import { recordNames } from "@cadastre/reso";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { scopeOptionsOf } from "../src/catalog.ts";

/** Returns a customer who sees all records of the sample. @param hidden field of Property that the customer does not see */
export const customerScope = (customer: string, hidden?: string): Scope =>
  compileScope(
    {
      iss: "bench",
      aud: "bench",
      sub: customer,
      ver: 1,
      iat: 0,
      nbf: 0,
      exp: 0,
      jti: customer,
      products: ["listing"],
      channels: { api: true, odata: true, file_delivery: false },
      regions: [{ kind: "national", value: "US" }],
      datasets: sampleCatalog.systems.map(({ datasetId }) => ({
        dataset_id: datasetId,
        resources: Object.fromEntries(
          recordNames.map((name) => [name, { fields: fieldsOf(name, hidden), ...grantsOf(name) }]),
        ),
      })),
    },
    scopeOptionsOf(sampleCatalog),
  );

/** Fields that some customers do not see: those of no policy. */
export const hideableFields: readonly string[] = [
  ...sampleCatalog.entitySet("Property").type.properties.keys(),
].filter((name) =>
  /^(Association|Building|Community|Cooling|Heating|Interior|Exterior|Lot|Parking|Tax)/.test(name),
);

const fieldsOf = (resource: string, hidden: string | undefined): "*" | readonly string[] =>
  resource === "Property" && hidden !== undefined
    ? [...sampleCatalog.entitySet("Property").type.properties.keys()].filter((name) => name !== hidden)
    : "*";

function grantsOf(resource: string): Partial<ResourceGrant> {
  const { privacy, contact } = resourceRules[resource] ?? {};
  return { ...(privacy && { private: true }), ...(contact && { contact: true }) };
}
