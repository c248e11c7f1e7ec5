import { createPublicKey, KeyObject } from "node:crypto";
import type { JWK } from "jose";
import { z } from "zod";
import { EntitlementError } from "./errors.ts";

/** The only accepted `alg`, used with the curve Ed25519. Source: RFC 8037, section 3.1. */
export const algorithm = "EdDSA";

/** Maximum number of keys in a set: the present one, its successor, and a reserve. */
const maxKeys = 64;

/** Members that only private and symmetric keys have. Source: RFC 7518, section 6; RFC 8037, section 2. */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Pattern of a key id: printable text. */
export const keyId = /^\P{C}{1,255}$/u;

const keySet = z.object({
  keys: z.array(z.looseObject({ kid: z.string().regex(keyId) })).max(maxKeys),
});

const verificationKey = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string().regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/),
  // Both names denote the same algorithm. Source: RFC 9864, section 2.2.
  alg: z.enum([algorithm, "Ed25519"]).optional(),
  use: z.literal("sig").optional(),
  key_ops: z.tuple([z.literal("verify")]).optional(),
});

export type Key = JWK | KeyObject;

/**
 * Returns the public keys of a JWKS by key id. A set with one invalid key is refused as a whole, because what its publisher meant is
 * unknown. An empty set is valid; no signature verifies with it.
 *
 * @throws {EntitlementError} with the position of the first invalid key, never its content
 */
export function readIssuerKeys(text: string): ReadonlyMap<string, KeyObject> {
  const keys = new Map<string, KeyObject>();
  for (const [position, { kid, ...key }] of parseKeySet(text).entries()) {
    const path = `keys.${position}`;
    if (keys.has(kid)) throw new EntitlementError("key_set_duplicate", { path });
    keys.set(kid, importKey(key, path));
  }
  return keys;
}

function parseKeySet(text: string) {
  const result = keySet.safeParse(parseJson(text));
  if (result.success) return result.data.keys;
  throw new EntitlementError("key_set_malformed", {
    path: result.error.issues[0]?.path.join(".") || "document",
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a public key. @throws {EntitlementError} unless it is a public Ed25519 key for signatures */
export function toPublicKey(key: Key): KeyObject {
  if (!isKeyObject(key)) return importKey(key, "keys");
  if (key.type !== "public") throw new EntitlementError("key_set_private_key", { path: "keys" });
  if (key.asymmetricKeyType !== "ed25519")
    throw new EntitlementError("key_set_foreign_key", { path: "keys" });
  return key;
}

const isKeyObject = (key: Key): key is KeyObject => key instanceof KeyObject;

function importKey(key: object, path: string): KeyObject {
  if (privateMembers.some((member) => Object.hasOwn(key, member)))
    throw new EntitlementError("key_set_private_key", { path });
  const fits = verificationKey.safeParse(key);
  if (!fits.success) throw new EntitlementError("key_set_foreign_key", { path });
  const { kty, crv, x } = fits.data;
  return createPublicKey({ key: { kty, crv, x }, format: "jwk" });
}
