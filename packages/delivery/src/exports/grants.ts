import { createHash } from "node:crypto";
import { DeliveryError } from "../errors.ts";
import type { DeliveryLedger } from "../ledger/ledger.ts";
import type { FoundGrant, PartGrant } from "../ledger/part-grant.ts";
import type { Caller } from "./export-request.ts";
import { digestOfToken, secretBytes, tokenOf } from "./grant-token.ts";

/** How long after a grant its part may be asked for, in milliseconds; as often as need be. */
export const grantLifetime = 300_000;

/** A grant as its customer gets it, once. */
export type IssuedGrant = {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
};

/** A grant that is the address of a part, for whoever has it. */
export type DirectGrant = Pick<IssuedGrant, "expires"> & { readonly url: string };

export type GrantOptions = {
  readonly ledger: Pick<DeliveryLedger, "grants">;
  readonly random: (bytes: number) => Uint8Array;
};

/** Leave to fetch a part, for the API key of the caller alone. Only a digest of the token is kept. */
export async function issueGrant(
  { ledger, random }: GrantOptions,
  caller: Caller,
  of: GrantedPart,
  at: number,
): Promise<IssuedGrant> {
  const token = tokenOf(random(secretBytes));
  const digest = digestOfToken(token);
  if (digest === undefined) throw new TypeError("a new token is well-formed");
  return { token, expires: await note(ledger, caller, of, digest, at) };
}

/**
 * As {@link issueGrant}, by an address of the part. Nothing of it is redeemed; that it was given is noted as a token is, each
 * time: one address may be given twice, for it is signed to the second.
 */
export async function issueAddress(
  { ledger, random }: GrantOptions,
  caller: Caller,
  of: GrantedPart,
  url: string,
  at: number,
): Promise<DirectGrant> {
  const digest = createHash("sha256").update(random(secretBytes)).update(url).digest("hex");
  return { url, expires: await note(ledger, caller, of, digest, at) };
}

/** Which part of a delivery; 0: its manifest. */
type GrantedPart = Pick<PartGrant, "delivery" | "part">;

/** Gives the end of the grant. */
async function note(
  { grants }: GrantOptions["ledger"],
  { scope: { customer, scopeSha256 }, apiKey }: Caller,
  of: GrantedPart,
  digest: string,
  at: number,
): Promise<number> {
  const expires = at + grantLifetime;
  await grants.add({ ...of, digest, customer, apiKey, scopeSha256, expires });
  return expires;
}

/**
 * The grant of a token that the caller may use now, with what it is for.
 *
 * @throws {DeliveryError} `invalid_token`, whatever is wrong with it
 */
export async function readGrant(
  { ledger }: Pick<GrantOptions, "ledger">,
  { scope, apiKey }: Caller,
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
