import type { IncomingHttpHeaders } from "node:http";
import { leaveBody } from "../http/body.ts";

/** Headers of a message that are sent on. */
const forwarded = [
  "content-type",
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature",
  "traceparent",
  // With entity events: the token that their receiver asks for, and the label of the webhook.
  "authorization",
  "entityeventsource",
];

/** Longest time for the answer, in milliseconds: less than the ten seconds that the service waits. */
const timeout = 9000;

/**
 * Sends a message on, byte for byte with its signature, and returns the status of the answer; 502 if there is none. A redirect is not
 * followed.
 */
export async function forwardMessage(to: URL, headers: IncomingHttpHeaders, body: Buffer): Promise<number> {
  const kept = forwarded.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  try {
    const response = await fetch(to, {
      method: "POST",
      headers: Object.fromEntries(kept),
      body: new Uint8Array(body),
      redirect: "manual",
      signal: AbortSignal.timeout(timeout),
    });
    leaveBody(response.body);
    return response.status;
  } catch {
    return 502;
  }
}
