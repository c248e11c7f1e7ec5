import { createHmac } from "node:crypto";
import type { PepperCheck } from "@cadastre/store/registry";

/** Secret of the service that goes into the digest of each API key. */
export type Pepper = {
  /** Ascending: a newer pepper has a higher version. */
  readonly version: number;
  readonly secret: Uint8Array;
};

/** Accepted peppers. The first one is current: new digests are made with it. */
export type Peppers = readonly [Pepper, ...Pepper[]];

/** Returns the HMAC-SHA256 of a key in lower-case hexadecimal, which the registry stores instead of the key. */
export const digestApiKey = (apiKey: string, { version, secret }: Pepper) => ({
  digest: createHmac("sha256", secret).update(apiKey).digest("hex"),
  pepper: version,
});

/** Returns the value that the registry stores to recognise a pepper: the HMAC of a fixed text that is not a valid key. */
export const checkOf = ({ version, secret }: Pepper): PepperCheck => ({
  version,
  checkValue: createHmac("sha256", secret).update("cadastre pepper check 1").digest("hex"),
});
