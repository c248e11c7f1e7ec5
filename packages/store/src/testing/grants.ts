import {
  compileScope,
  type Entitlement,
  type ResourceGrant,
  type ResourceRule,
  resourceRules,
  type Scope,
} from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";

/** Grants of the single resource of a test, by dataset. */
export type DatasetGrants = Readonly<Record<string, ResourceGrant["fields"] | ResourceGrant>>;

/** The rest of a test's entitlement. */
export const testEntitlement: Omit<Entitlement, "datasets"> = {
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

/** Returns the rule of a resource. */
export function visibilityRuleOf(name: string): ResourceRule {
  const rule = resourceRules[name];
  if (rule === undefined) throw new RangeError(`${name} has no rule`);
  return rule;
}

type Granting = {
  /** Regions of the entitlement; by default the whole nation. */
  readonly regions?: Entitlement["regions"];
  /** Name of the resource whose visibility rule to use; by default the entity set's own. */
  readonly like?: string;
  readonly customer?: string;
};

/** Compiles a scope of one entity set. */
export const grantsOf = (
  entitySet: EntitySet,
  grants: DatasetGrants,
  { regions = testEntitlement.regions, like = entitySet.name, customer = testEntitlement.sub }: Granting = {},
): Scope => {
  const { name } = entitySet;
  const datasets = Object.entries(grants).map(([dataset_id, given]) => ({
    dataset_id,
    resources: { [name]: typeof given === "object" && "fields" in given ? given : { fields: given } },
  }));
  return compileScope(
    { ...testEntitlement, sub: customer, regions, datasets },
    { entitySets: [entitySet], rules: { [name]: visibilityRuleOf(like) } },
  );
};
