import { createPublicKey, KeyObject } from "node:crypto";
import type { JWK } from "jose";
import { z } from "zod";
import { EntitlementError } from "./errors.ts";

/** The one name under which signatures are made and read, with Ed25519 as its curve. Source: RFC 8037, section 3.1. */
export const algorithm = "EdDSA";

/** Most keys of a set: the current one, its successor, and room. */
const maxKeys = 64;

/** Members that only private and symmetric keys have. Source: RFC 7518, section 6; RFC 8037, section 2. */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** What a key id may be: text that can be shown. */
export const keyId = /^\P{C}{1,255}$/u;

const keySet = z.object({
  keys: z.array(z.looseObject({ kid: z.string().regex(keyId) })).max(maxKeys),
});

const verificationKey = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string().regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/),
  // Both names stand for the same signatures. Source: RFC 9864, section 2.2.
  alg: z.enum([algorithm, "Ed25519"]).optional(),
  use: z.literal("sig").optional(),
  key_ops: z.tuple([z.literal("verify")]).optional(),
});

export type Key = JWK | KeyObject;

/**
 * The public keys of a JWKS, by key id. A set with one key that may not be in it is refused whole: nobody can say
 * what its publisher meant. An empty set is a set, under which nothing verifies.
 *
 * @throws {EntitlementError} with the position of the first key at fault, never what it holds.
 */
export function readKeySet(text: string): ReadonlyMap<string, KeyObject> {
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

/** @throws {EntitlementError} if it is anything but a public Ed25519 key for signatures. */
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
