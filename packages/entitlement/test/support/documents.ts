import {
  compileScope,
  type DatasetGrant,
  type Entitlement,
  type ResourceGrant,
  type Scope,
} from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { entitySets } from "./model.ts";

export const texas = "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10";
export const oregon = "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21";
export const nevada = "c41d8a92-7e36-4b8f-9d04-1a5b60e2f732";

/** Makes a grant: `grant(texas, { Property: "*", Member: ["MemberEmail"], Media: { fields: "*", private: true } })`. */
export const grant = (
  dataset_id: string,
  resources: Readonly<Record<string, ResourceGrant["fields"] | ResourceGrant>>,
): DatasetGrant => ({
  dataset_id,
  resources: Object.fromEntries(
    Object.entries(resources).map(([name, given]) => [
      name,
      typeof given === "object" && "fields" in given ? given : { fields: given },
    ]),
  ),
});

const base: Entitlement = {
  iss: "https://issuer.example",
  aud: "https://listings.example",
  sub: "cust_1",
  ver: 3,
  iat: 1_700_000_000,
  nbf: 1_700_000_000,
  exp: 1_800_000_000,
  jti: "doc-1",
  products: ["listing"],
  channels: { api: true, odata: true, file_delivery: false },
  capabilities: ["file_export_push"],
  regions: [{ kind: "national", value: "US" }],
  datasets: [grant(texas, { Property: "*" })],
  limits: { requests_per_second: 20 },
};

export const entitlement = (changes: Partial<Entitlement> = {}): Entitlement => ({ ...base, ...changes });

export const scopeOf = (changes: Partial<Entitlement> = {}, sets: readonly EntitySet[] = entitySets): Scope =>
  compileScope(entitlement(changes), { entitySets: sets });
