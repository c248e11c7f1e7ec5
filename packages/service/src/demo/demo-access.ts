import { randomUUID } from "node:crypto";
import { type Entitlement, signEntitlement, verifyEntitlement } from "@cadastre/entitlement";
import { type Access, parseAccess } from "../access/access-file.ts";
import { digestApiKey } from "../access/key-directory.ts";
import { createApiKey, isWellFormed } from "../access/key-text.ts";
import { parseDataFile } from "../data/data-error.ts";
import { type DataFolder, readIfExists, writeAtomically } from "../data/data-folder.ts";
import type { Secrets } from "../data/secrets.ts";
import { type DemoCustomer, demoCustomers } from "./customers.ts";
import { type DemoKey, readDemo } from "./demo-file.ts";
import { audience, issuer, readIssuer } from "./issuer.ts";

const day = 86_400;
/** Life of a demo entitlement, and how much of it must be left at a start, in seconds. */
const life = 365 * day;
const leastLeft = 30 * day;

type Issuer = Awaited<ReturnType<typeof readIssuer>>;

/**
 * Give each demo customer a key and an entitlement in force. What an earlier start gave is kept, so that the
 * keys outlive restarts; keys of others in the access file stay as they are. Whoever calls this tells the keys:
 * until `demo.json` holds them nobody knows them, and the next start makes others.
 *
 * @param now seconds since 1970
 */
export async function prepareDemoAccess(
  folder: DataFolder,
  { pepper }: Secrets,
  now: number,
): Promise<readonly DemoKey[]> {
  const signer = await readIssuer(folder);
  const known = await readDemo(folder);
  const before = await accessBefore(folder);
  const demoKeys = demoCustomers.map(({ name, summary }): DemoKey => {
    const apiKey = known?.keys.find((key) => key.name === name)?.apiKey ?? "";
    return { name, apiKey: isWellFormed(apiKey) ? apiKey : createApiKey(), summary };
  });
  const entitlements = { ...before.entitlements };
  for (const customer of demoCustomers) {
    const id = idOf(customer);
    entitlements[id] = await entitlementOf(customer, before.entitlements[id], signer, now);
  }
  const own = new Set(demoCustomers.map(idOf));
  const keys = [
    ...before.keys.filter(({ customer }) => !own.has(customer)),
    ...demoKeys.map((key) => ({
      id: idOf(key),
      digest: digestApiKey(key.apiKey, pepper),
      customer: idOf(key),
      expires: null,
      revoked: null,
    })),
  ];
  await writeAtomically(folder.access, JSON.stringify({ keys, entitlements } satisfies Access, null, 2));
  return demoKeys;
}

/** A demo customer's name wherever names of customers are kept. */
const idOf = ({ name }: { readonly name: string }) => `demo-${name}`;

async function accessBefore({ access }: DataFolder): Promise<Access> {
  const text = await readIfExists(access);
  return text === undefined ? { keys: [], entitlements: {} } : parseDataFile(access, text, parseAccess);
}

async function entitlementOf(
  customer: DemoCustomer,
  before: string | undefined,
  signer: Issuer,
  now: number,
): Promise<string> {
  const old = before === undefined ? undefined : await readOwn(before, signer, now);
  if (before !== undefined && old !== undefined && old.exp - now > leastLeft && grantsSame(old, customer))
    return before;
  const at = Math.floor(now);
  return signEntitlement(
    {
      iss: issuer,
      aud: audience,
      sub: idOf(customer),
      ver: (old?.ver ?? 0) + 1,
      iat: at,
      nbf: at,
      exp: at + life,
      jti: randomUUID(),
      ...customer.grants,
    },
    signer,
  );
}

/** The document of an earlier start, expired or not; undefined where another issuer has signed it. */
async function readOwn(jws: string, { publicKeys }: Issuer, now: number): Promise<Entitlement | undefined> {
  try {
    return await verifyEntitlement(jws, {
      keys: publicKeys,
      issuer,
      audience,
      now: () => new Date(now * 1000),
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
