import { z } from "zod";
import { ClientError } from "../errors.ts";
import { readBody } from "./body.ts";
import type { Connection } from "./connection.ts";

/** The answer that tells the state of an account. Source: interface specification, section 2.6. */
const resourcesPath = "/v1/account/resources";

/** Longest such answer that is read, in bytes. */
const most = 4 * 1024 * 1024;

const answer = z.object({ data: z.object({ entitlement_state: z.string() }) });

/** Tells an entitlement that has expired from one that has changed, by asking the server; the error itself if it does not tell. */
export async function entitlementFault(
  connection: Connection,
  changed: ClientError,
  signal: AbortSignal,
): Promise<ClientError> {
  try {
    const response = await connection.send({ path: resourcesPath }, signal);
    const bytes = await readBody(response.body, { signal, most });
    const { data } = answer.parse(JSON.parse(bytes?.toString("utf8") ?? ""));
    return data.entitlement_state === "expired" ? new ClientError("entitlement_expired") : changed;
  } catch {
    return changed;
  }
}
