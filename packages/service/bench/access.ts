import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { type Entitlement, generateKeyPair, openKeySource, signEntitlement } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { sampleSystems } from "@cadastre/sample/catalog";
import { openSqliteRegistry } from "@cadastre/store/registry";
import { issueApiKey } from "../src/access/issue-key.ts";
import { createKeyDirectory } from "../src/access/key-directory.ts";
import { createScopes } from "../src/access/scopes.ts";
import type { Services } from "../src/app.ts";
import type { Peppers } from "../src/data/pepper.ts";

const trust = { issuer: "https://bench.example", audience: "bench" } as const;

/**
 * Customers of the benchmarks. Both see every row. `all` sees every field; `partial` sees every field of one dataset and every second field
 * of the others, so that the other half is masked depending on the row's dataset.
 */
export const customers = ["all", "partial"] as const;
export type Customer = (typeof customers)[number];

function grantsOf(customer: Customer, { name, type }: EntitySet): Entitlement["datasets"] {
  const half = [...type.properties.keys()].filter((_, i) => i % 2 === 0);
  return sampleSystems.map(({ datasetId }, i) => ({
    dataset_id: datasetId,
    resources: { [name]: { fields: customer === "all" || i === 0 ? "*" : half } },
  }));
}

/** Creates API keys and entitlements, valid for ten hours, in a new registry, and the service's components that verify them. */
export async function createAccess(
  entitySet: EntitySet,
  registryFile: string,
): Promise<{
  readonly apiKeys: Readonly<Record<Customer, string>>;
  readonly edge: Pick<Services, "keys" | "scopes">;
}> {
  const { kid, publicKey, privateKey } = await generateKeyPair();
  const at = Date.now();
  const now = Math.floor(at / 1000);
  const registry = await openSqliteRegistry({ file: registryFile });
  const keySet = `${registryFile}.keys.json`;
  writeFileSync(keySet, JSON.stringify({ keys: [publicKey] }));
  const peppers: Peppers = [{ version: 1, secret: randomBytes(32) }];
  const admit = async (customer: Customer): Promise<string> => {
    const document = {
      iss: trust.issuer,
      aud: trust.audience,
      sub: customer,
      ver: 1,
      iat: now,
      nbf: now,
      exp: now + 36_000,
      jti: customer,
      products: ["property", "listing"] as const,
      channels: { api: true, odata: true, file_delivery: true },
      regions: [{ kind: "national", value: "US" }] as const,
      datasets: grantsOf(customer, entitySet),
    };
    const jws = await signEntitlement(document, { kid, privateKey });
    await registry.entitlements.install({ customer, version: 1, jws, installed: at });
    const { apiKey, kept } = issueApiKey(peppers, null);
    await registry.keys.add({ customer, ...kept }, at);
    return apiKey;
  };
  return {
    apiKeys: { all: await admit("all"), partial: await admit("partial") },
    edge: {
      keys: createKeyDirectory({
        keys: registry.keys,
        peppers: async () => peppers,
        onFault: console.error,
      }),
      scopes: createScopes(
        registry.entitlements,
        { ...trust, keys: await openKeySource(keySet) },
        { entitySets: [entitySet] },
      ),
    },
  };
}
