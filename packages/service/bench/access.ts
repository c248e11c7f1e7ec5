import { randomBytes } from "node:crypto";
import { type Entitlement, generateKeyPair, signEntitlement } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { originatingSystems } from "@cadastre/reso";
import { createKeyDirectory, digestApiKey } from "../src/access/key-directory.ts";
import { createApiKey } from "../src/access/key-text.ts";
import { createScopes } from "../src/access/scopes.ts";
import type { Services } from "../src/app.ts";

const trust = { issuer: "https://bench.example", audience: "bench" } as const;

/**
 * The customers of the benches, who see every row. `all` sees every field; `partial` sees every field of one
 * dataset, and every second one of the others: each value of the rest is masked by the row's dataset.
 */
export const customers = ["all", "partial"] as const;
export type Customer = (typeof customers)[number];

function grantsOf(customer: Customer, { name, type }: EntitySet): Entitlement["datasets"] {
  const half = [...type.properties.keys()].filter((_, i) => i % 2 === 0);
  return originatingSystems.map(({ datasetId }, i) => ({
    dataset_id: datasetId,
    resources: { [name]: { fields: customer === "all" || i === 0 ? "*" : half } },
  }));
}

/** Keys and entitlements that hold for ten hours, and the part of the service that verifies them. */
export async function createAccess(entitySet: EntitySet): Promise<{
  readonly apiKeys: Readonly<Record<Customer, string>>;
  readonly edge: Pick<Services, "keys" | "scopes">;
}> {
  const { kid, publicKey, privateKey } = await generateKeyPair();
  const now = Math.floor(Date.now() / 1000);
  const pepper = randomBytes(32);
  const apiKeys = { all: createApiKey(), partial: createApiKey() };
  const sign = (customer: Customer) =>
    signEntitlement(
      {
        iss: trust.issuer,
        aud: trust.audience,
        sub: customer,
        ver: 1,
        iat: now,
        nbf: now,
        exp: now + 36_000,
        jti: customer,
        products: ["property", "listing"],
        channels: { api: true, odata: true, file_delivery: true },
        regions: [{ kind: "national", value: "US" }],
        datasets: grantsOf(customer, entitySet),
      },
      { kid, privateKey },
    );
  const entitlements = { all: await sign("all"), partial: await sign("partial") };
  const records = customers.map((customer) => ({
    id: customer,
    digest: digestApiKey(apiKeys[customer], pepper),
    customer,
    expires: null,
    revoked: null,
  }));
  return {
    apiKeys,
    edge: {
      keys: createKeyDirectory(records, pepper),
      scopes: createScopes(
        entitlements,
        { ...trust, keys: { keys: [publicKey] } },
        { entitySets: [entitySet] },
      ),
    },
  };
}
