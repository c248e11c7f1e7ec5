import { createHmac, timingSafeEqual } from "node:crypto";
import type { ApiKeyRecord } from "./access-file.ts";
import { isWellFormed } from "./key-text.ts";

/** HMAC-SHA256 of a key, in lower-case hexadecimal: what is kept of it. `pepper` is the service's secret. */
export const digestApiKey = (apiKey: string, pepper: Uint8Array): string =>
  createHmac("sha256", pepper).update(apiKey).digest("hex");

/** The keys that are known, by digest. */
export type KeyDirectory = {
  /** The record of a key that is in force at `now` (seconds since 1970); undefined whatever else is wrong. */
  readonly find: (apiKey: string, now: number) => ApiKeyRecord | undefined;
};

export function createKeyDirectory(records: readonly ApiKeyRecord[], pepper: Uint8Array): KeyDirectory {
  const byDigest = new Map(records.map((record) => [record.digest, record]));
  return {
    find(apiKey, now) {
      if (!isWellFormed(apiKey)) return undefined;
      const digest = digestApiKey(apiKey, pepper);
      const record = byDigest.get(digest);
      // Every well-formed key costs the same: one digest, one look-up, one comparison.
      const same = timingSafeEqual(Buffer.from(record?.digest ?? digest), Buffer.from(digest));
      return same && record !== undefined && isInForce(record, now) ? record : undefined;
    },
  };
}

const isInForce = ({ expires, revoked }: ApiKeyRecord, now: number): boolean =>
  (expires === null || now < expires) && (revoked === null || now < revoked);
