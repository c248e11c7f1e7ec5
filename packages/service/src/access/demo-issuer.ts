import { createPrivateKey, createPublicKey, type JsonWebKey } from "node:crypto";
import { generateKeyPair, type SigningKey } from "@cadastre/entitlement";
import { z } from "zod";
import { parseDataFile } from "../data/data-error.ts";
import { type DataFolder, readIfExists, readOrCreate, replaceFile } from "../data/data-folder.ts";
import { requireUnused } from "../data/registry-dependencies.ts";

// `iss` and `aud` of the demo's entitlements.
export const issuer = "https://cadastre.example/issuer";
export const audience = "cadastre";

const jwk = z.object({ kty: z.string(), kid: z.string() }).catchall(z.unknown());
const keyPair = z
  .object({ kid: z.string(), publicKey: jwk, privateKey: jwk })
  .refine(({ kid, publicKey }) => kid === publicKey.kid, "its public key has another id")
  .refine(
    ({ privateKey, publicKey }) => belongTo(privateKey, publicKey),
    "its private key does not belong to its public key",
  );

const keySet = z.object({ keys: z.array(jwk) });

type KeySet = z.output<typeof keySet>;

/**
 * Reads the folder's issuer, and creates it on the first start. Adds its public key to the key set of the folder, which keeps its other
 * keys.
 */
export async function readIssuer(folder: DataFolder): Promise<SigningKey & { readonly publicKeys: KeySet }> {
  const make = async () => {
    await requireUnused(folder, "issuer");
    return JSON.stringify(await generateKeyPair());
  };
  const text = await readOrCreate(folder.issuer, make);
  const { kid, publicKey, privateKey } = parseDataFile(folder.issuer, text, parseKeyPair);
  await publish(folder, publicKey);
  return { kid, privateKey, publicKeys: { keys: [publicKey] } };
}

async function publish({ publicKeys }: DataFolder, key: z.output<typeof jwk>): Promise<void> {
  const text = await readIfExists(publicKeys);
  const { keys } = text === undefined ? { keys: [] } : parseDataFile(publicKeys, text, parseKeySet);
  if (hasKey({ keys }, key)) return;
  await replaceFile(
    publicKeys,
    JSON.stringify({ keys: [...keys.filter(({ kid }) => kid !== key.kid), key] }),
  );
}

/** Parses the content of `issuer.json`. @throws if it is not a key pair */
export const parseKeyPair = (text: string): z.output<typeof keyPair> => keyPair.parse(JSON.parse(text));

/** Parses the content of `public-keys.json`. @throws if it is not a key set */
export const parseKeySet = (text: string): KeySet => keySet.parse(JSON.parse(text));

/** True if a key set has a public key. */
export const hasKey = ({ keys }: KeySet, key: z.output<typeof jwk>): boolean =>
  keys.some(({ kid, x }) => kid === key.kid && x === key["x"]);

/** True if a private key belongs to a public one. */
function belongTo(privateKey: object, publicKey: object): boolean {
  try {
    const own = createPublicKey(createPrivateKey({ key: privateKey as JsonWebKey, format: "jwk" }));
    return own.equals(createPublicKey({ key: publicKey as JsonWebKey, format: "jwk" }));
  } catch {
    return false;
  }
}
