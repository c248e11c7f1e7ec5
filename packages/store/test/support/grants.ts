import {
  compileScope,
  type Entitlement,
  type ResourceGrant,
  type ResourceRule,
  resourceRules,
  type Scope,
} from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";

/** What each dataset shows of the one resource of a test. */
export type Grants = Readonly<Record<string, ResourceGrant["fields"] | ResourceGrant>>;

/** What a test's entitlement says beside its grants. */
export const document: Omit<Entitlement, "datasets"> = {
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

/** The rule of a resource that has one. */
export function ruleOf(name: string): ResourceRule {
  const rule = resourceRules[name];
  if (rule === undefined) throw new RangeError(`${name} has no rule`);
  return rule;
}

type Granting = {
  /** Where the rows lie; by default everywhere. */
  readonly regions?: Entitlement["regions"];
  /** Name of the resource whose rule says what row is visible; by default its own. */
  readonly like?: string;
};

/** A scope of one entity set. */
export const grantsOf = (
  entitySet: EntitySet,
  grants: Grants,
  { regions = document.regions, like = entitySet.name }: Granting = {},
): Scope => {
  const { name } = entitySet;
  const datasets = Object.entries(grants).map(([dataset_id, given]) => ({
    dataset_id,
    resources: { [name]: typeof given === "object" && "fields" in given ? given : { fields: given } },
  }));
  return compileScope(
    { ...document, regions, datasets },
    { entitySets: [entitySet], rules: { [name]: ruleOf(like) } },
  );
};
