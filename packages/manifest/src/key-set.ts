import type { JSONWebKeySet, JWK } from "jose";
import { z } from "zod";
import { ManifestError } from "./errors.ts";

/** Members that only private and symmetric keys have. Source: RFC 7518, section 6; RFC 8037, section 2. */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(64) });

const verificationKey = z.object({
  kid: z.string().min(1).max(255),
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string().regex(/^[\w-]{43}$/),
  alg: z.enum(["EdDSA", "Ed25519"]).optional(),
  use: z.literal("sig").optional(),
});

/**
 * Returns the Ed25519 signature keys of a JWKS. Keys of other kinds are skipped (RFC 7517, section 5). A secret key is refused, and so are
 * two keys with one key id.
 *
 * @throws {ManifestError} with the position of the invalid key, never its content
 */
export function readKeySet(value: unknown): JSONWebKeySet {
  const result = keySet.safeParse(value);
  if (!result.success) throw new ManifestError("key_set_malformed", { path: "/keys" });
  const keys = new Map<string, JWK>();
  for (const [k, key] of result.data.keys.entries()) {
    const path = `/keys/${k}`;
    if (privateMembers.some((member) => Object.hasOwn(key, member)))
      throw new ManifestError("key_set_private_key", { path });
    const { data } = verificationKey.safeParse(key);
    if (data === undefined) continue;
    if (keys.has(data.kid)) throw new ManifestError("key_set_malformed", { path: `${path}/kid` });
    keys.set(data.kid, { kid: data.kid, kty: data.kty, crv: data.crv, x: data.x });
  }
  return { keys: [...keys.values()] };
}
