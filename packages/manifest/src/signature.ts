import {
  type CryptoKey,
  decodeProtectedHeader,
  FlattenedSign,
  flattenedVerify,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type KeyObject,
} from "jose";
import { z } from "zod";
import { ManifestError } from "./errors.ts";

/** JWS algorithm, with Ed25519 keys. Source: RFC 8037, section 3.1. */
const alg = "EdDSA";

/** Type of the JWS. It prevents the use of another JWS of the same signer as that of a manifest. Source: RFC 8725, section 3.11. */
const typ = "manifest+jws";

/** Pattern of the canonical base64url text of a 64-byte signature: decoders ignore four bits of the last digit, which must be zero. */
const signatureText = /^[\w-]{85}[AQgw]$/;

const shape = z.object({
  protected: z.string().regex(/^[\w-]{1,2048}$/),
  signature: z.string().regex(signatureText),
});

/** A flattened JWS with detached payload: the bytes of a manifest. Source: RFC 7515, section 7.2.2; RFC 7797. */
export type ManifestSignature = z.infer<typeof shape>;

export type ManifestSigningKey = { readonly privateKey: CryptoKey | KeyObject | JWK; readonly kid: string };

/** Signs the bytes of a manifest. */
export async function signManifest(
  bytes: Uint8Array,
  { privateKey, kid }: ManifestSigningKey,
): Promise<ManifestSignature> {
  const header = { alg, b64: false, crit: ["b64"], kid, typ };
  const jws = await new FlattenedSign(bytes).setProtectedHeader(header).sign(privateKey);
  return { protected: jws.protected ?? "", signature: jws.signature };
}

/**
 * Verifies that one of the keys has signed these bytes, and returns its key id.
 *
 * @throws {ManifestError}
 */
export async function verifyManifest(
  bytes: Uint8Array,
  signature: unknown,
  keys: JSONWebKeySet,
): Promise<string> {
  const { data: jws } = shape.safeParse(signature);
  if (jws === undefined) throw new ManifestError("signature_malformed");
  const kid = readHeader(jws);
  const [key, ...others] = keys.keys.filter((candidate) => candidate.kid === kid);
  if (key === undefined || others.length > 0) throw new ManifestError("signature_unknown_key");
  try {
    await flattenedVerify({ ...jws, payload: bytes }, await importJWK(key, alg), { algorithms: [alg] });
  } catch {
    throw new ManifestError("signature_invalid");
  }
  return kid;
}

/** Returns the key id of a header that has exactly the members that {@link signManifest} writes. */
function readHeader(jws: ManifestSignature): string {
  const { kid, crit, ...header } = decodeHeader(jws);
  if (typeof kid !== "string") throw new ManifestError("signature_header", { member: "kid" });
  if (!Array.isArray(crit) || crit.length !== 1 || crit[0] !== "b64")
    throw new ManifestError("signature_header", { member: "crit" });
  const wanted: Readonly<Record<string, unknown>> = { alg, b64: false, typ };
  for (const member of new Set([...Object.keys(wanted), ...Object.keys(header)]))
    if (header[member] !== wanted[member]) throw new ManifestError("signature_header", { member });
  return kid;
}

function decodeHeader(jws: ManifestSignature): Readonly<Record<string, unknown>> {
  try {
    return decodeProtectedHeader(jws);
  } catch {
    throw new ManifestError("signature_malformed");
  }
}
