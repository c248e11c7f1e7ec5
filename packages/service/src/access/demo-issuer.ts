import { createPrivateKey, createPublicKey, type JsonWebKey } from "node:crypto";
import { generateKeyPair, type SigningKey } from "@cadastre/entitlement";
import { z } from "zod";
import type { Config } from "../config.ts";
import { parseDataFile } from "../data/data-error.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { Registry } from "../data/registry.ts";
import { readOrAddDocument } from "../data/secret-document.ts";
import { type SecretPlace, secretPlace } from "../data/secret-place.ts";

// `iss` and `aud` of the demo's entitlements.
export const issuer = "https://cadastre.example/issuer";
export const audience = "cadastre";

/** Returns the `iss` and `aud` of the entitlements that a service with these settings trusts. */
export const trustedNames = ({ trust }: Pick<Config, "trust">) => ({
  issuer: trust?.issuer ?? issuer,
  audience: trust?.audience ?? audience,
});

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
 * Reads the demo's issuer, and creates it on the first start. Adds its public key to the key set that entitlements are verified with, which
 * keeps its other keys.
 *
 * @param registry see `secretPlace`
 */
export async function readIssuer(
  folder: DataFolder,
  registry?: Pick<Registry, "sealed">,
): Promise<SigningKey & { readonly publicKeys: KeySet }> {
  const place = secretPlace(folder, "issuer", registry);
  const make = async () => JSON.stringify(await generateKeyPair());
  const { kid, publicKey, privateKey } = await readOrAddDocument(folder, "issuer", place, parseKeyPair, make);
  await publish(secretPlace(folder, "publicKeys", registry), publicKey);
  return { kid, privateKey, publicKeys: { keys: [publicKey] } };
}

async function publish(place: SecretPlace, key: z.output<typeof jwk>): Promise<void> {
  const known = await place.read();
  if (known === undefined) await place.add(JSON.stringify({ keys: [key] }));
  else {
    const { keys } = parseDataFile(place.label, known.text, parseKeySet, place.remedy);
    if (hasKey({ keys }, key)) return;
    const others = keys.filter(({ kid }) => kid !== key.kid);
    await place.replace(JSON.stringify({ keys: [...others, key] }), known.revision);
  }
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
