import { createHmac } from "node:crypto";
import type { PepperCheck } from "@cadastre/store/registry";

/** A secret of the service that goes into the digest of each API key. */
export type Pepper = {
  /** Later ones have higher versions. */
  readonly version: number;
  readonly secret: Uint8Array;
};

/** The peppers that are accepted. The first is the current one: the digests of keys are made with it. */
export type Peppers = readonly [Pepper, ...Pepper[]];

/** HMAC-SHA256 of a key, in lower-case hexadecimal: what is kept of it. */
export const digestApiKey = (apiKey: string, { version, secret }: Pepper) => ({
  digest: createHmac("sha256", secret).update(apiKey).digest("hex"),
  pepper: version,
});

/** Returns the value that the registry keeps to recognise a pepper. No key has this text, so it is no key's digest. */
export const checkOf = ({ version, secret }: Pepper): PepperCheck => ({
  version,
  checkValue: createHmac("sha256", secret).update("cadastre pepper check 1").digest("hex"),
});
