import { createHash } from "node:crypto";
import { DeliveryError } from "../errors.ts";
import type { DeliveryLedger } from "../ledger/ledger.ts";
import type { FoundGrant, PartGrant } from "../ledger/part-grant.ts";
import type { ApiKeyCaller } from "./export-request.ts";
import { digestOfToken, secretBytes, tokenOf } from "./grant-token.ts";

/** Lifetime of a grant, in milliseconds. During it the part may be fetched any number of times. */
export const grantLifetime = 300_000;

/** A grant as it is given to its customer, once. */
export type IssuedGrant = {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
};

/** A grant in the form of a presigned URL of the part, which works for anyone who has it. */
export type DirectGrant = Pick<IssuedGrant, "expires"> & { readonly url: string };

export type GrantOptions = {
  readonly ledger: Pick<DeliveryLedger, "grants">;
  readonly random: (bytes: number) => Uint8Array;
};

/** Issues a token to fetch a part, for the caller's API key only. The ledger keeps only a digest of the token. */
export async function issueGrant(
  { ledger, random }: GrantOptions,
  caller: ApiKeyCaller,
  of: GrantedPart,
  at: number,
): Promise<IssuedGrant> {
  const token = tokenOf(random(secretBytes));
  const digest = digestOfToken(token);
  if (digest === undefined) throw new TypeError("a new token is well-formed");
  return { token, expires: await note(ledger, caller, of, digest, at) };
}

/**
 * Issues a grant in the form of a presigned URL of the part. It is never redeemed, but it is recorded like a token. Random bytes make each
 * record distinct: two URLs that are signed within one second are equal.
 */
export async function issueAddress(
  { ledger, random }: GrantOptions,
  caller: ApiKeyCaller,
  of: GrantedPart,
  url: string,
  at: number,
): Promise<DirectGrant> {
  const digest = createHash("sha256").update(random(secretBytes)).update(url).digest("hex");
  return { url, expires: await note(ledger, caller, of, digest, at) };
}

/** Delivery and number of a part; 0 is the manifest. */
type GrantedPart = Pick<PartGrant, "delivery" | "part">;

/** Records a grant and returns the time of its expiry. */
async function note(
  { grants }: GrantOptions["ledger"],
  { scope: { customer, scopeSha256 }, apiKey }: ApiKeyCaller,
  of: GrantedPart,
  digest: string,
  at: number,
): Promise<number> {
  const expires = at + grantLifetime;
  await grants.add({ ...of, digest, customer, apiKey, scopeSha256, expires });
  return expires;
}

/**
 * Returns the grant of a token that the caller may use now, with its delivery and part.
 *
 * @throws {DeliveryError} `invalid_token`, whatever is wrong with the token
 */
export async function readGrant(
  { ledger }: Pick<GrantOptions, "ledger">,
  { scope, apiKey }: ApiKeyCaller,
  token: string,
  at: number,
): Promise<FoundGrant> {
  const digest = digestOfToken(token);
  const found = digest === undefined ? undefined : await ledger.grants.find(digest);
  if (found === undefined) throw new DeliveryError("invalid_token");
  const { customer, apiKey: grantedTo, expires } = found.grant;
  if (customer !== scope.customer || grantedTo !== apiKey || expires <= at)
    throw new DeliveryError("invalid_token");
  return found;
}
