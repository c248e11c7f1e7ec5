import { isRecord, type JsonObject } from "../api/json.ts";

/** A detached JWS over the bytes of a manifest. */
export type DetachedSignature = { readonly protected: string; readonly signature: string };

/** Returns the one text of a value: members in order, no white space. Source: RFC 8785, as far as manifests use it. */
export function canonicalManifest(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalManifest).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalManifest(value[name])}`);
  return `{${members.join(",")}}`;
}

const hexadecimal = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Returns the SHA-256 of bytes, as 64 hexadecimal digits. */
export async function sha256Digits(bytes: BufferSource): Promise<string> {
  return hexadecimal(await crypto.subtle.digest("SHA-256", bytes));
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function headerOf(signature: DetachedSignature): JsonObject {
  const header: unknown = JSON.parse(new TextDecoder().decode(fromBase64Url(signature.protected)));
  return isRecord(header) ? header : {};
}

/**
 * Verifies the Ed25519 signature of a manifest. Returns the id of the key that made it; undefined if it is not of these bytes or of none of
 * the keys.
 *
 * @param keys JWKS of the service
 */
export async function manifestKeyOf(
  bytes: Uint8Array<ArrayBuffer>,
  signature: DetachedSignature,
  keys: readonly JsonObject[],
): Promise<string | undefined> {
  const header = headerOf(signature);
  const jwk = keys.find(({ kid }) => kid === header["kid"]);
  const isManifest = header["alg"] === "EdDSA" && header["b64"] === false && header["typ"] === "manifest+jws";
  if (jwk === undefined || !isManifest) return undefined;
  const key = await crypto.subtle.importKey(
    "jwk",
    { kty: "OKP", crv: "Ed25519", x: String(jwk["x"]) },
    { name: "Ed25519" },
    false,
    ["verify"],
  );
  const prefix = new TextEncoder().encode(`${signature.protected}.`);
  const signed = new Uint8Array(prefix.length + bytes.length);
  signed.set(prefix);
  signed.set(bytes, prefix.length);
  const isRight = await crypto.subtle.verify(
    { name: "Ed25519" },
    key,
    fromBase64Url(signature.signature),
    signed,
  );
  return isRight ? String(jwk["kid"]) : undefined;
}
