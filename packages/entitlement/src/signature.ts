import {
  CompactSign,
  type CryptoKey,
  calculateJwkThumbprint,
  compactVerify,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair as generateJoseKeyPair,
  type JSONWebKeySet,
  type JWK,
  type KeyObject,
} from "jose";
import { canonicalJson } from "./canonical.ts";
import { type Entitlement, parseEntitlement } from "./document.ts";
import { EntitlementError } from "./errors.ts";

/** Source: RFC 8037, section 3.1. The only algorithm that is accepted, with Ed25519 as its curve. */
const alg = "EdDSA";

/** So that no other JWS of the same issuer passes for an entitlement. Source: RFC 8725, section 3.11. */
const typ = "entitlement+jws";

/** Longest entitlement that is read, in characters. */
const maxLength = 1_048_576;

export type Key = JWK | CryptoKey | KeyObject;

/** Public keys by key id. */
export type PublicKeys = JSONWebKeySet | ReadonlyMap<string, Key>;

export type KeyPair = { readonly kid: string; readonly publicKey: JWK; readonly privateKey: JWK };

/** A new Ed25519 key pair. `{ keys: [publicKey] }` is a JWKS; the key id is the key's thumbprint (RFC 7638). */
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
 * Sign a document that fits the schema, as a compact JWS over its canonical JSON.
 *
 * @throws {EntitlementError} if it does not fit.
 */
export function signEntitlement(document: Entitlement, { privateKey, kid }: SigningKey): Promise<string> {
  const payload = new TextEncoder().encode(canonicalJson(parseEntitlement(document)));
  return new CompactSign(payload).setProtectedHeader({ alg, kid, typ }).sign(privateKey);
}

export type Verification = {
  readonly keys: PublicKeys;
  readonly issuer: string;
  readonly audience: string;
  readonly now: () => Date;
};

/**
 * The document of a compact JWS that is signed with one of `keys`, meant for `audience` and valid now.
 *
 * @throws {EntitlementError} with the first cause found: form, header, key, signature, schema, issuer and
 * audience, time.
 */
export async function verifyEntitlement(jws: string, options: Verification): Promise<Entitlement> {
  const document = readPayload(await verifiedPayload(jws, options.keys));
  if (document.iss !== options.issuer) throw new EntitlementError("entitlement_issuer");
  if (document.aud !== options.audience) throw new EntitlementError("entitlement_audience");
  const now = options.now().getTime() / 1000;
  // Written so that an invalid date is refused.
  if (!(now >= document.nbf)) throw new EntitlementError("entitlement_not_yet_valid");
  if (!(now < document.exp)) throw new EntitlementError("entitlement_expired");
  return document;
}

async function verifiedPayload(jws: string, keys: PublicKeys): Promise<Uint8Array> {
  const key = findKey(keys, readHeader(jws));
  try {
    const { payload } = await compactVerify(jws, key, { algorithms: [alg] });
    return payload;
  } catch {
    throw new EntitlementError("entitlement_signature");
  }
}

/** The key id of a header that holds what {@link signEntitlement} writes and no more. */
function readHeader(jws: string): string {
  if (jws.length > maxLength || jws.split(".").length !== 3)
    throw new EntitlementError("entitlement_malformed");
  const header = decodeHeader(jws);
  if (header["alg"] !== alg) throw new EntitlementError("entitlement_header", { member: "alg" });
  if (header["typ"] !== typ) throw new EntitlementError("entitlement_header", { member: "typ" });
  const { kid } = header;
  if (typeof kid !== "string") throw new EntitlementError("entitlement_header", { member: "kid" });
  // Such as `crit`, `jwk` and `jku`.
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

/** A key id that two keys share names neither. */
function findKey(keys: PublicKeys, kid: string): Key {
  const candidates = isKeySet(keys) ? keys.keys.filter((key) => key.kid === kid) : [keys.get(kid)];
  const [key] = candidates;
  if (candidates.length !== 1 || key === undefined) throw new EntitlementError("entitlement_unknown_key");
  return key;
}

const isKeySet = (keys: PublicKeys): keys is JSONWebKeySet => Array.isArray(keys.keys);

/** Only one text stands for a document: no member is given twice, and none is left out when it is read. */
function readPayload(payload: Uint8Array): Entitlement {
  const text = decodePayload(payload);
  const document = parseEntitlement(text.json);
  if (canonicalJson(document) !== text.source) throw new EntitlementError("entitlement_not_canonical");
  return document;
}

function decodePayload(payload: Uint8Array): { readonly source: string; readonly json: unknown } {
  try {
    const source = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload);
    return { source, json: JSON.parse(source) };
  } catch {
    throw new EntitlementError("entitlement_not_canonical");
  }
}
