import { randomUUID } from "node:crypto";
import { type Entitlement, signEntitlement, verifyEntitlement } from "@cadastre/entitlement";
import type { InstalledEntitlement } from "@cadastre/store/registry";
import { audience, issuer, readIssuer } from "../access/demo-issuer.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { Registry } from "../data/registry.ts";
import type { Secrets } from "../data/secrets.ts";
import { type DemoCustomer, demoCustomers, idOf } from "./customers.ts";
import { type DemoKey, readDemo, writeDemo } from "./demo-file.ts";
import { type DemoKeyPlan, planDemoKey } from "./demo-keys.ts";
import { prepareDemoProfiles } from "./profiles.ts";

const day = 86_400;
// Lifetime of a demo entitlement, and the minimum that must be left at a start to keep it, in seconds.
const life = 365 * day;
const leastLeft = 30 * day;

type Issuer = Awaited<ReturnType<typeof readIssuer>>;

/**
 * Gives each demo customer an entitlement and a valid key, and each dataset its profile. Keys of earlier starts stay valid. Each new key is
 * written to `demo.json` before its digest is added to the registry, so that a failed start loses no key.
 *
 * @param at milliseconds since 1970
 * @returns the keys whose text is known
 */
export async function prepareDemoAccess(
  folder: DataFolder,
  registry: Registry,
  { peppers }: Secrets,
  at: number,
): Promise<readonly DemoKey[]> {
  const signer = await readIssuer(folder, registry);
  const known = await readDemo(folder);
  const { entitlements, keys, profiles } = registry;
  await prepareDemoProfiles(profiles, at);
  const planned: (DemoKey & DemoKeyPlan & { readonly customer: string })[] = [];
  for (const demo of demoCustomers) {
    const { name, summary } = demo;
    const customer = idOf(demo);
    const installed = await entitlements.find(customer);
    const version = (await entitlements.lastVersion(customer)) + 1;
    await entitlements.install(await entitlementOf(demo, installed, version, signer, at));
    const before = known?.keys.find((key) => key.name === name)?.apiKey;
    const plan = await planDemoKey(customer, before, { keys, peppers }, at);
    if (plan !== undefined) planned.push({ ...plan, name, summary, customer });
  }
  const demoKeys = planned.map(({ name, apiKey, summary }) => ({ name, apiKey, summary }));
  if (planned.some(({ add }) => add !== undefined))
    await writeDemo(folder, { baseUrl: known?.baseUrl ?? "", keys: demoKeys });
  for (const { customer, add } of planned) if (add !== undefined) await keys.add({ customer, ...add }, at);
  return demoKeys;
}

/** Returns the ids of the demo customers whose keys are not known. */
export const withoutKey = (keys: readonly DemoKey[]): readonly string[] =>
  demoCustomers.filter(({ name }) => keys.every((key) => key.name !== name)).map(idOf);

/**
 * Returns the installed entitlement if it has the same grants and is valid long enough; otherwise signs the next version.
 *
 * @param version the next version
 */
async function entitlementOf(
  customer: DemoCustomer,
  before: InstalledEntitlement | undefined,
  version: number,
  signer: Issuer,
  at: number,
): Promise<InstalledEntitlement> {
  const now = Math.floor(at / 1000);
  const old = before && (await readOwn(before.jws, signer, at));
  if (before !== undefined && old !== undefined && old.exp - now > leastLeft && grantsSame(old, customer))
    return before;
  const document = {
    iss: issuer,
    aud: audience,
    sub: idOf(customer),
    ver: version,
    iat: now,
    nbf: now,
    exp: now + life,
    jti: randomUUID(),
    ...customer.grants,
  };
  return { customer: idOf(customer), version, jws: await signEntitlement(document, signer), installed: at };
}

/** Returns the document of an earlier start. Undefined if it has expired or was signed by another issuer. */
async function readOwn(jws: string, { publicKeys }: Issuer, at: number): Promise<Entitlement | undefined> {
  try {
    return await verifyEntitlement(jws, {
      keys: publicKeys,
      issuer,
      audience,
      now: () => new Date(at),
    });
  } catch {
    return undefined;
  }
}

function grantsSame(document: Entitlement, { grants }: DemoCustomer): boolean {
  const { products, channels, capabilities, regions, datasets } = document;
  const sorted = (value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  const textOf = (value: unknown) => JSON.stringify(value, (_name, member: unknown) => sorted(member));
  return textOf({ products, channels, capabilities, regions, datasets }) === textOf(grants);
}
