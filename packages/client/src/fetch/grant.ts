import { z } from "zod";
import { ClientError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { dataOf } from "../http/envelope.ts";
import { askJson } from "../http/request.ts";
import { deliveryPath } from "./exports.ts";

/** The only path that a token is sent to. Source: interface specification, section 4.3. */
export const redeemPath = "/v1/file-downloads/redeem";

/** Form of a Bearer token. Source: RFC 6750, section 2.1. */
const token = /^[A-Za-z0-9\-._~+/]{16,4096}=*$/;

const grant = z.record(z.string(), z.unknown());

/**
 * Requests a new grant for one part, and returns its token. Keep the token in memory only, and send it only to {@link redeemPath} of the
 * same origin.
 *
 * @throws {ClientError} `grant_kind` if the grant is not for the service itself but, for example, a signed address of a bucket; `grant_url`,
 * `grant_malformed`
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
