import { z } from "zod";
import { ClientError } from "../errors.ts";
import { askJson } from "../http/ask.ts";
import type { Connection } from "../http/connection.ts";
import { dataOf } from "../http/envelope.ts";
import { deliveryPath } from "./exports.ts";

/** The one place where a token is taken. Source: interface specification, section 4.3. */
export const redeemPath = "/v1/file-downloads/redeem";

/** Of a Bearer token. Source: RFC 6750, section 2.1. */
const token = /^[A-Za-z0-9\-._~+/]{16,4096}=*$/;

const grant = z.record(z.string(), z.unknown());

/**
 * The token of a new grant for one part. It is to be kept in memory, and sent to {@link redeemPath} of the same origin alone.
 *
 * @throws {ClientError} if the grant is anything but a logical one.
 */
export async function requestGrant(connection: Connection, id: string, part: number): Promise<string> {
  const request = "the part grant";
  const path = deliveryPath(id, `/download?part=${part}`);
  return tokenOf(dataOf(await askJson(connection, { path }, request), grant, request));
}

function tokenOf({
  kind,
  url,
  bearer_token: bearerToken,
  ...others
}: Readonly<Record<string, unknown>>): string {
  if (kind !== "logical") throw new ClientError("grant_kind");
  if (url !== redeemPath) throw new ClientError("grant_url");
  if (Object.keys(others).length > 0 || typeof bearerToken !== "string" || !token.test(bearerToken))
    throw new ClientError("grant_malformed");
  return bearerToken;
}
