import { z } from "zod";

const apiKeyRecord = z.strictObject({
  /** What the log calls the key. */
  id: z.string(),
  /** HMAC-SHA256 of the key, in lower-case hexadecimal. The key itself is nowhere. */
  digest: z.string().regex(/^[\da-f]{64}$/),
  customer: z.string(),
  /** Seconds since 1970. */
  expires: z.int().nullable(),
  revoked: z.int().nullable(),
});

const accessSchema = z.strictObject({
  keys: z.array(apiKeyRecord),
  /** Customer → signed entitlement, a compact JWS. */
  entitlements: z.record(z.string(), z.string()),
});

export type ApiKeyRecord = Readonly<z.output<typeof apiKeyRecord>>;

/** Who may come in: the digests of the API keys, and the signed entitlement of each customer. */
export type Access = {
  readonly keys: readonly ApiKeyRecord[];
  readonly entitlements: Readonly<Record<string, string>>;
};

export const parseAccess = (text: string): Access => accessSchema.parse(JSON.parse(text));
