import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { QueryError } from "../errors.ts";

/**
 * Continuation token of keyset pagination: the position at which the next page starts. The server hands it to
 * itself through the client.
 */
export type SkipToken = {
  /** Values of the order in the last row of the previous page, see `BoundQuery.after`. */
  readonly after: readonly unknown[];
  /** Hash of the access scope that the previous page was restricted to. */
  readonly scope: string;
  /** Expiry time, in seconds since 1970. */
  readonly expires: number;
};

/** 32-byte secret key that encrypts the tokens of one service. */
export type SkipTokenKey = Uint8Array;

const algorithm = "aes-256-gcm";
const version = 1;
const nonceLength = 12;
const tagLength = 16;

/**
 * Encrypts and authenticates a token (AES-256-GCM). The client can neither read nor change it, and it opens only
 * with the same `binding`: everything that must not change between pages (customer, entity set, options).
 *
 * @param random returns that many random bytes. Two tokens under the same key must never get the same bytes.
 */
export function sealSkipToken(
  token: SkipToken,
  binding: string,
  key: SkipTokenKey,
  random: (bytes: number) => Uint8Array = randomBytes,
): string {
  const nonce = random(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(binding));
  const text = JSON.stringify([token.expires, token.scope, ...token.after.map(toJson)]);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([Uint8Array.of(version), nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

/**
 * Decrypts a token sealed for `binding`. `now` is in seconds since 1970.
 *
 * @throws {QueryError} `invalid_skip_token`, for every kind of fault.
 */
export function openSkipToken(text: string, binding: string, key: SkipTokenKey, now: number): SkipToken {
  const bytes = Buffer.from(text, "base64url");
  if (bytes[0] !== version || bytes.toString("base64url") !== text) throw invalid();
  const nonce = bytes.subarray(1, 1 + nonceLength);
  const tag = bytes.subarray(1 + nonceLength, 1 + nonceLength + tagLength);
  const sealed = bytes.subarray(1 + nonceLength + tagLength);
  if (tag.length !== tagLength) throw invalid();
  const [expires, scope, ...after] = unseal(sealed, nonce, tag, binding, key) as [
    number,
    string,
    ...unknown[],
  ];
  if (expires <= now) throw invalid();
  return { expires, scope, after: after.map(fromJson) };
}

function unseal(sealed: Buffer, nonce: Buffer, tag: Buffer, binding: string, key: SkipTokenKey): unknown {
  try {
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
      .setAAD(Buffer.from(binding))
      .setAuthTag(tag);
    return JSON.parse(Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8"));
  } catch {
    throw invalid();
  }
}

const invalid = () => new QueryError("invalid_skip_token", null, {}, "$skiptoken");

const toJson = (value: unknown): unknown =>
  typeof value === "bigint" ? { integer: value.toString() } : value;

const fromJson = (json: unknown): unknown =>
  typeof json === "object" && json !== null && "integer" in json ? BigInt(String(json.integer)) : json;
