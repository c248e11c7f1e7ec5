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

/** Signatures of Ed25519. Source: RFC 8037, section 3.1. */
const alg = "EdDSA";

/** So that no other JWS of the same signer passes for a manifest's. Source: RFC 8725, section 3.11. */
const typ = "manifest+jws";

/** The one text of a signature's 64 bytes: the last digit has four bits that decoders drop. */
const signatureText = /^[\w-]{85}[AQgw]$/;

const shape = z.object({
  protected: z.string().regex(/^[\w-]{1,2048}$/),
  signature: z.string().regex(signatureText),
});

/** A flattened JWS over a manifest's bytes, which it does not hold. Source: RFC 7515, section 7.2.2; RFC 7797. */
export type ManifestSignature = z.infer<typeof shape>;

export type ManifestSigningKey = { readonly privateKey: CryptoKey | KeyObject | JWK; readonly kid: string };

/** Sign the bytes of a manifest as they are. */
export async function signManifest(
  bytes: Uint8Array,
  { privateKey, kid }: ManifestSigningKey,
): Promise<ManifestSignature> {
  const header = { alg, b64: false, crit: ["b64"], kid, typ };
  const jws = await new FlattenedSign(bytes).setProtectedHeader(header).sign(privateKey);
  return { protected: jws.protected ?? "", signature: jws.signature };
}

/**
 * Check that one of the keys has signed these bytes; the answer is its key id.
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

/** The key id of a header that holds what {@link signManifest} writes and no more. */
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
