import { webhookEvents, webhookFailures, webhookStates } from "@cadastre/delivery";
import type { Operation, Parameter } from "../http/operation.ts";
import { envelope, instant, integer, json, object, orNull, string } from "./schemas.ts";

/** Path of the webhooks, which are not in the specification. */
export const webhooksRoot = "/v1/webhooks";

const id = { type: "string", format: "uuid" } as const;
const events = { type: "array", items: { type: "string", enum: webhookEvents }, minItems: 1 } as const;

const members = {
  id,
  url: { type: "string", format: "uri" },
  events,
  status: { type: "string", enum: webhookStates },
  failure: orNull(object({ code: { type: "string", enum: webhookFailures } })),
  last_status: orNull(integer),
  last_attempt_at: orNull(instant),
  previous_secret_until: orNull(instant),
  created_at: instant,
} as const;

const webhook = object(members);
const issued = object({ ...members, secret: string });

const idParameter: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "The `id` of a webhook",
  schema: id,
};

const of = (
  method: Operation["method"],
  path: string,
  summary: string,
  gives: Operation["gives"],
  more: Pick<Operation, "status" | "takes" | "parameters"> = {},
): Operation => ({
  method,
  path: webhooksRoot + path,
  tag: "Delivery",
  summary: `${summary} (beyond the specification)`,
  gives,
  ...more,
});

const parameters = [idParameter];

/** OpenAPI operations of webhooks, by endpoint. */
export const webhookOperations = {
  registerWebhook: of(
    "post",
    "",
    "Register an address to be told of changes. The secret is in this answer alone",
    envelope(issued),
    { status: 201, takes: json(object({ url: members.url, events }, ["events"])) },
  ),
  webhooks: of(
    "get",
    "",
    "Webhooks, the oldest first",
    envelope({ type: "array", items: webhook }, { count: integer }),
  ),
  webhook: of("get", "/{id}", "What a webhook is by now", envelope(webhook), { parameters }),
  deleteWebhook: of(
    "delete",
    "/{id}",
    "Forget a webhook, with what it was still to be told",
    envelope(webhook),
    { parameters },
  ),
  rotateWebhook: of(
    "post",
    "/{id}/rotate",
    "Another secret, in this answer alone. The one before signs as well for a day",
    envelope(issued),
    { parameters },
  ),
  testWebhook: of(
    "post",
    "/{id}/test",
    "Have a webhook sent a message soon; its status tells what came of it",
    envelope(webhook),
    { status: 202, parameters },
  ),
} as const satisfies Record<string, Operation>;

export type WebhookEndpoint = keyof typeof webhookOperations;
