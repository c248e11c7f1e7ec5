import type {
  AcknowledgementRequest,
  DestinationRequest,
  FileExportRequest,
  SubscriptionRequest,
  WebhookRequest,
} from "@cadastre/delivery";
import { z } from "zod";
import { type PublicCode, type RefusalDetails, Refused } from "../errors.ts";

const exportRequest = z.strictObject({
  domain: z.string(),
  deliveryMode: z.enum(["pull", "push", "both"]),
  idempotencyKey: z.string(),
  destinationId: z.string().optional(),
  profileId: z.string().optional(),
});

const subscriptionRequest = z.strictObject({
  name: z.string(),
  domain: z.string(),
  deliveryMode: z.enum(["pull", "push", "both"]),
  cadenceSeconds: z.number(),
  preferredMinuteOfDay: z.number().optional(),
  emptyDeliveryBehavior: z.enum(["manifest_only", "skip"]).optional(),
  destinationId: z.string().optional(),
  profileId: z.string().optional(),
  idempotencyKey: z.string().optional(),
});

const destinationRequest = z.strictObject({
  bucket: z.string(),
  region: z.string(),
  prefix: z.string(),
  roleArn: z.string(),
  kmsKeyArn: z.string().nullish(),
});

const webhookRequest = z.strictObject({
  url: z.string(),
  events: z.array(z.string()).optional(),
});

/** Error codes for members of a webhook that are missing or have a wrong type. */
const webhookFaults: Readonly<Record<keyof WebhookRequest, PublicCode>> = {
  url: "invalid_webhook_url",
  events: "invalid_webhook_events",
};

/** Error codes for members of a destination that are missing or have a wrong type. */
const destinationFaults: Readonly<Record<keyof DestinationRequest, PublicCode>> = {
  bucket: "invalid_bucket",
  region: "invalid_region",
  prefix: "invalid_prefix",
  roleArn: "invalid_role_arn",
  kmsKeyArn: "invalid_kms_key_arn",
};

const acknowledgement = z.strictObject({
  generation: z.int().nonnegative(),
  sequence: z.int().nonnegative(),
  manifest_sha256: z.string().regex(/^[\dA-Fa-f]{64}$/),
  customer_reference: z.string(),
});

/** Longest text of a finding that an error quotes, in characters. It may hold a name from the body. */
const maxFinding = 160;

/**
 * @param faults error codes by member, if they have their own
 * @throws {Refused} `invalid_request` (also for unknown members), or the codes of `faults`
 */
function readAs<Body>(
  schema: z.ZodObject & z.ZodType<Body>,
  value: unknown,
  faults: Readonly<Record<string, PublicCode>> = {},
): Body {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const { issues } = read.error;
  const codes = issues.map(({ path: [member] }) => faults[String(member)]);
  const [own] = codes;
  if (own !== undefined && codes.every((code) => code !== undefined)) throw new Refused(own);
  throw new Refused("invalid_request", findingOf(issues[0], Object.keys(schema.shape)));
}

/** Returns what an issue says for the client: where, what was expected, and what is allowed. */
function findingOf(issue: z.core.$ZodIssue | undefined, members: readonly string[]): RefusalDetails {
  if (issue === undefined) return {};
  const target = issue.path.length === 0 ? undefined : issue.path.join(".").slice(0, maxFinding);
  const reason = issue.message.slice(0, maxFinding);
  if (issue.code === "unrecognized_keys")
    return { reason, target: issue.keys[0]?.slice(0, maxFinding), allowed: members };
  return issue.code === "invalid_value"
    ? { reason, target, allowed: issue.values.map(String) }
    : { reason, target };
}

/** Validates the body of a request for a delivery. Source: interface specification, section 2.9. */
export const readExportRequest = (value: unknown): FileExportRequest => readAs(exportRequest, value);

/** Validates the body of a request for a subscription. Source: interface specification, section 2.9. */
export const readSubscriptionRequest = (value: unknown): SubscriptionRequest =>
  readAs(subscriptionRequest, value);

/** Validates the body of a request for a destination. Source: interface specification, section 2.9. */
export const readDestinationRequest = (value: unknown): DestinationRequest =>
  readAs(destinationRequest, value, destinationFaults);

/** Validates the body of a request for a webhook, which is not in the interface specification. */
export const readWebhookRequest = (value: unknown): WebhookRequest =>
  readAs(webhookRequest, value, webhookFaults);

/** Validates the body of an acknowledgement. Source: interface specification, section 2.9. */
export function readAcknowledgement(value: unknown): AcknowledgementRequest {
  const { generation, sequence, manifest_sha256, customer_reference } = readAs(acknowledgement, value);
  return {
    generation,
    sequence,
    manifestSha256: manifest_sha256.toLowerCase(),
    reference: customer_reference,
  };
}
