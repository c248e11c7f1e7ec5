import { createHmac } from "node:crypto";

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
