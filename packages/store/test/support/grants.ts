import { compileScope, type Entitlement, type ResourceGrant, type Scope } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";

/** What each dataset shows of the one resource of a test. */
export type Grants = Readonly<Record<string, ResourceGrant["fields"] | ResourceGrant>>;

const document: Omit<Entitlement, "datasets"> = {
  iss: "https://issuer.example",
  aud: "https://listings.example",
  sub: "cust_1",
  ver: 1,
  iat: 0,
  nbf: 0,
  exp: 1,
  jti: "1",
  products: ["listing"],
  channels: { api: true, odata: true, file_delivery: true },
  regions: [{ kind: "national", value: "US" }],
};

type Granting = {
  /** Where the rows lie; by default everywhere. */
  readonly regions?: Entitlement["regions"];
  /** Whether the dataset alone decides what row is visible, as of a resource that no region has. */
  readonly byDataset?: boolean;
};

/** A scope of one entity set. */
export const grantsOf = (
  entitySet: EntitySet,
  grants: Grants,
  { regions = document.regions, byDataset = false }: Granting = {},
): Scope => {
  const { name } = entitySet;
  const datasets = Object.entries(grants).map(([dataset_id, given]) => ({
    dataset_id,
    resources: { [name]: typeof given === "object" && "fields" in given ? given : { fields: given } },
  }));
  const rules = byDataset ? { rules: { [name]: { by: "dataset" } as const } } : {};
  return compileScope({ ...document, regions, datasets }, { entitySets: [entitySet], ...rules });
};
