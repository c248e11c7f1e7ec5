import { type KeyObject, verify } from "node:crypto";
import {
  CompactSign,
  calculateJwkThumbprint,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair as generateJoseKeyPair,
  type JSONWebKeySet,
  type JWK,
} from "jose";
import { canonicalJson, isCanonical } from "./canonical.ts";
import { type Entitlement, parseEntitlement } from "./document.ts";
import { EntitlementError } from "./errors.ts";
import { algorithm as alg, type Key, keyId, toPublicKey } from "./key-set.ts";
import type { KeySource } from "./key-source.ts";

/** Type of the JWS. It prevents the use of another JWS of the same issuer as an entitlement. Source: RFC 8725, section 3.11. */
const typ = "entitlement+jws";

/** Pattern of the canonical base64url text of a 64-byte signature: decoders ignore four bits of the last digit, which must be zero. */
const signatureText = /^[\w-]{85}[AQgw]$/;

/** Maximum length of an entitlement, in characters. */
const maxLength = 1_048_576;

/** Public keys by key id. Those of a {@link KeySource} may change, the others are fixed. */
export type PublicKeys = JSONWebKeySet | ReadonlyMap<string, Key> | KeySource;

export type KeyPair = { readonly kid: string; readonly publicKey: JWK; readonly privateKey: JWK };

/** Generates an Ed25519 key pair. `{ keys: [publicKey] }` is a JWKS; the key id is the key's thumbprint (RFC 7638). */
export async function generateKeyPair(): Promise<KeyPair> {
  const pair = await generateJoseKeyPair(alg, { crv: "Ed25519", extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const facts = { kid, alg, use: "sig" };
  return {
    kid,
    publicKey: { ...publicJwk, ...facts },
    privateKey: { ...(await exportJWK(pair.privateKey)), ...facts },
  };
}

export type SigningKey = { readonly privateKey: Key; readonly kid: string };

/**
 * Signs a document as a compact JWS over its canonical JSON.
 *
 * @throws {EntitlementError} if the document does not fit its schema
 */
export function signEntitlement(document: Entitlement, { privateKey, kid }: SigningKey): Promise<string> {
  const payload = new TextEncoder().encode(canonicalJson(parseEntitlement(document)));
  return new CompactSign(payload).setProtectedHeader({ alg, kid, typ }).sign(privateKey);
}

type Verification = {
  readonly keys: PublicKeys;
  readonly issuer: string;
  readonly audience: string;
  readonly now: () => Date;
  /** Highest version that was seen for the customer. An older version is refused. */
  readonly seen?: number;
};

/**
 * Verifies a compact JWS and returns its document. It must be signed with one of `keys`, be meant for `audience`, and be valid now.
 *
 * @throws {EntitlementError} with the first failure, in this order: form, header, key, signature, schema, issuer and
 * audience, time, version
 */
export async function verifyEntitlement(jws: string, options: Verification): Promise<Entitlement> {
  const document = readPayload(await verifiedPayload(jws, options.keys));
  if (document.iss !== options.issuer)
    throw new EntitlementError("entitlement_issuer", { trusted: options.issuer });
  if (document.aud !== options.audience)
    throw new EntitlementError("entitlement_audience", { trusted: options.audience });
  const now = options.now().getTime() / 1000;
  // The negated form also refuses an invalid date.
  if (!(now >= document.nbf)) throw new EntitlementError("entitlement_not_yet_valid");
  if (!(now < document.exp)) throw new EntitlementError("entitlement_expired");
  if (!(document.ver >= (options.seen ?? 0))) throw new EntitlementError("entitlement_superseded");
  return document;
}

/**
 * Decodes a compact JWS without verifying it, for display.
 *
 * @throws {EntitlementError} if its form, header or schema is wrong
 */
export function inspectEntitlement(jws: string): { readonly kid: string; readonly document: Entitlement } {
  const kid = readHeader(jws);
  return { kid, document: readPayload(payloadOf(jws)) };
}

async function verifiedPayload(jws: string, keys: PublicKeys): Promise<Uint8Array> {
  const key = await findKey(keys, readHeader(jws));
  const end = jws.lastIndexOf(".");
  const signature = jws.slice(end + 1);
  // Synchronous, because handing the work to a thread costs as much as the verification.
  const verified =
    signatureText.test(signature) &&
    verify(null, Buffer.from(jws.slice(0, end)), key, Buffer.from(signature, "base64url"));
  if (!verified) throw new EntitlementError("entitlement_signature");
  return payloadOf(jws);
}

const payloadOf = (jws: string): Uint8Array => Buffer.from(jws.split(".")[1] ?? "", "base64url");

/** Returns the key id of a header that has exactly the members that {@link signEntitlement} writes. */
function readHeader(jws: string): string {
  if (jws.length > maxLength || jws.split(".").length !== 3)
    throw new EntitlementError("entitlement_malformed");
  const header = decodeHeader(jws);
  if (header["alg"] !== alg) throw new EntitlementError("entitlement_header", { member: "alg" });
  if (header["typ"] !== typ) throw new EntitlementError("entitlement_header", { member: "typ" });
  const { kid } = header;
  if (typeof kid !== "string" || !keyId.test(kid))
    throw new EntitlementError("entitlement_header", { member: "kid" });
  // Extensions such as `crit`, `jwk` and `jku` are refused.
  if (Object.keys(header).length > 3)
    throw new EntitlementError("entitlement_header", { member: "extension" });
  return kid;
}

function decodeHeader(jws: string): Readonly<Record<string, unknown>> {
  try {
    return decodeProtectedHeader(jws);
  } catch {
    throw new EntitlementError("entitlement_malformed");
  }
}

/** Returns the key with this id. If two keys share the id, neither is accepted. */
async function findKey(keys: PublicKeys, kid: string): Promise<KeyObject> {
  const candidates = isKeySet(keys)
    ? keys.keys.filter((key) => key.kid === kid)
    : [isKeySource(keys) ? await keys.find(kid) : keys.get(kid)];
  const [key] = candidates;
  if (candidates.length !== 1 || key === undefined) throw new EntitlementError("entitlement_unknown_key");
  return toPublicKey(key);
}

const isKeySet = (keys: PublicKeys): keys is JSONWebKeySet => "keys" in keys && Array.isArray(keys.keys);
const isKeySource = (keys: ReadonlyMap<string, Key> | KeySource): keys is KeySource => "find" in keys;

/** Parses a payload, which must be canonical: so no member occurs twice, and none is lost by parsing. */
function readPayload(payload: Uint8Array): Entitlement {
  const { text, json } = decodePayload(payload);
  const document = parseEntitlement(json);
  if (!isCanonical(text, json)) throw new EntitlementError("entitlement_not_canonical");
  return document;
}

function decodePayload(payload: Uint8Array): { readonly text: string; readonly json: unknown } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload);
    return { text, json: JSON.parse(text) };
  } catch {
    throw new EntitlementError("entitlement_not_canonical");
  }
}
