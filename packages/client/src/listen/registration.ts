import { randomBytes } from "node:crypto";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { dataOf } from "../http/envelope.ts";
import { askJson } from "../http/request.ts";

const root = "/v1/webhooks";

/** Changes of records. A webhook for them is for nothing else. */
export const entityChanged = "entity.changed";

/** Events that a webhook can be registered for together. */
export const eventTypes = [
  "entitlement.changed",
  "delivery.completed",
  "delivery.failed",
  "delivery.canceled",
  "subscription.suspended",
  "entitlement.revoked",
] as const;

const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/);
const registered = z.object({ id, secret: z.string().max(256) });
const listed = z.array(z.object({ id, url: z.string() }));

/** A webhook that was registered for a receiver. The secret is known to it and the service alone. */
export type RegisteredReceiver = { readonly id: string; readonly secret: string };

/**
 * Registers an address. Sent once, because a repeated request would register a second webhook. For entity events a token is made up: the
 * receiver verifies the signature.
 */
export async function registerReceiver(
  connection: Connection,
  { url, events }: { readonly url: string; readonly events: readonly string[] | undefined },
): Promise<RegisteredReceiver> {
  const once = { ...connection, retryPolicy: { ...connection.retryPolicy, tries: 1 } };
  const token = randomBytes(32).toString("base64url");
  const chosen = events?.includes(entityChanged) ? { entity_events: { token } } : {};
  const body = { url, ...(events === undefined ? {} : { events }), ...chosen };
  const request = "the registration";
  return dataOf(await askJson(once, { method: "POST", path: root, body }, request), registered, request);
}

/** Returns the ids of the customer's webhooks that lead to an address. */
export async function receiversAt(connection: Connection, url: string): Promise<readonly string[]> {
  const request = "the webhooks";
  const found = dataOf(await askJson(connection, { path: root }, request), listed, request);
  return found.filter((one) => one.url === url).map((one) => one.id);
}

/** Deletes a webhook. One that is gone already is no error. */
export async function removeReceiver(connection: Connection, webhook: string): Promise<void> {
  try {
    await askJson(connection, { method: "DELETE", path: `${root}/${webhook}` }, "the deletion");
  } catch (error) {
    if (!(error instanceof ClientError && error.code === "not_found")) throw error;
  }
}

/** Asks the service to send a test message soon. */
export const requestTestMessage = async (connection: Connection, webhook: string): Promise<void> =>
  void (await askJson(
    connection,
    { method: "POST", path: `${root}/${webhook}/test` },
    "the request for a test message",
  ));
