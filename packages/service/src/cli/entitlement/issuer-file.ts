import { type KeyPair, readIssuerKeys } from "@cadastre/entitlement";
import { z } from "zod";
import { CommandRefused } from "../outcome.ts";
import { readJson } from "./files.ts";

const jwk = z.looseObject({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: z.string() });
const issuer = z.object({
  kid: z.string().min(1),
  publicKey: jwk,
  privateKey: jwk.extend({ d: z.string() }),
});

/** Reads the key pair in a file that `keygen` has written. */
export async function readIssuerFile(file: string): Promise<KeyPair> {
  const pair = issuer.safeParse(await readJson(file));
  if (pair.success) return pair.data;
  throw new CommandRefused(
    `\`${file}\` is not an issuer's key: make one with \`cadastre entitlement keygen\``,
  );
}

const keySet = z.object({ keys: z.array(z.looseObject({ kid: z.string() })) });

/** Adds a key to the key set in a file. Returns the new text and the number of keys; does not write the file. */
export async function addToKeySet(file: string, key: KeyPair["publicKey"]): Promise<KeySetText> {
  const before = keySet.safeParse(await readJson(file));
  if (!before.success) throw new CommandRefused(`\`${file}\` is not a key set (JWKS)`);
  const keys = [...before.data.keys, key];
  const text = JSON.stringify({ ...before.data, keys }, null, 2);
  // Throws if a service would refuse the key set.
  readIssuerKeys(text);
  return { text, size: keys.length };
}

type KeySetText = { readonly text: string; readonly size: number };

/** Returns the text of a key set with one key. */
export const newKeySet = (key: KeyPair["publicKey"]): KeySetText => ({
  text: JSON.stringify({ keys: [key] }, null, 2),
  size: 1,
});
