import { z } from "zod";
import { ClientError } from "../errors.ts";
import { readBody } from "./body.ts";
import type { Connection } from "./connection.ts";

/** Path of the account's state. Source: interface specification, section 2.6. */
const resourcesPath = "/v1/account/resources";

/** Size limit of that answer, in bytes. */
const most = 4 * 1024 * 1024;

const answer = z.object({ data: z.object({ entitlement_state: z.string() }) });

/** Asks the server if the entitlement has expired, and returns the error to report. Returns `changed` if the server does not say. */
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
