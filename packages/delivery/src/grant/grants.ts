import type { Delivery, DeliveryLedger, PartGrant } from "@cadastre/store/registry";
import { DeliveryError } from "../errors.ts";
import type { Caller } from "../request.ts";
import { digestOfToken, secretBytes, tokenOf } from "./token.ts";

/** How long after a grant its part may be asked for, in milliseconds; as often as need be. */
export const grantLifetime = 300_000;

/** A grant as its customer gets it, once. */
export type IssuedGrant = {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
};

export type GrantOptions = {
  readonly ledger: Pick<DeliveryLedger, "grants">;
  readonly random: (bytes: number) => Uint8Array;
};

/** Leave to fetch a part, for the API key of the caller alone. Only a digest of the token is kept. */
export async function issueGrant(
  { ledger, random }: GrantOptions,
  { scope, apiKey }: Caller,
  { id }: Pick<Delivery, "id">,
  part: number,
  at: number,
): Promise<IssuedGrant> {
  const token = tokenOf(random(secretBytes));
  const digest = digestOfToken(token);
  if (digest === undefined) throw new TypeError("a new token is well-formed");
  const expires = at + grantLifetime;
  const { customer, scopeSha256 } = scope;
  await ledger.grants.add({ digest, customer, apiKey, delivery: id, part, scopeSha256, expires });
  return { token, expires };
}

/**
 * The grant of a token that the caller may use now.
 *
 * @throws {DeliveryError} `invalid_token`, whatever is wrong with it
 */
export async function readGrant(
  { ledger }: Pick<GrantOptions, "ledger">,
  { scope, apiKey }: Caller,
  token: string,
  at: number,
): Promise<PartGrant> {
  const digest = digestOfToken(token);
  const grant = digest === undefined ? undefined : await ledger.grants.find(digest);
  const isCallers = grant?.customer === scope.customer && grant.apiKey === apiKey;
  if (grant === undefined || !isCallers || grant.expires <= at) throw new DeliveryError("invalid_token");
  return grant;
}
