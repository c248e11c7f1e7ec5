import type {
  AcknowledgementRequest,
  DestinationRequest,
  FileExportRequest,
  SubscriptionRequest,
  WebhookRequest,
} from "@cadastre/delivery";
import { z } from "zod";
import { type RefusalCode, Refused } from "../errors.ts";

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
const webhookFaults: Readonly<Record<keyof WebhookRequest, RefusalCode>> = {
  url: "invalid_webhook_url",
  events: "invalid_webhook_events",
};

/** Error codes for members of a destination that are missing or have a wrong type. */
const destinationFaults: Readonly<Record<keyof DestinationRequest, RefusalCode>> = {
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

/**
 * @param faults error codes by member, if they have their own
 * @throws {Refused} `invalid_request` (also for unknown members), or the codes of `faults`
 */
function readAs<Body>(
  schema: z.ZodType<Body>,
  value: unknown,
  faults: Readonly<Record<string, RefusalCode>> = {},
): Body {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const codes = read.error.issues.map(({ path: [member] }) => faults[String(member)]);
  throw new Refused(codes.every((code) => code !== undefined) ? (codes[0] ?? invalid) : invalid);
}

const invalid = "invalid_request";

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
