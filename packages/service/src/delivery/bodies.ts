import type { AcknowledgementRequest, ExportRequest } from "@cadastre/delivery";
import { z } from "zod";
import { Refused } from "../errors.ts";

const exportRequest = z.strictObject({
  domain: z.string(),
  deliveryMode: z.enum(["pull", "push", "both"]),
  idempotencyKey: z.string(),
  destinationId: z.string().optional(),
  profileId: z.string().optional(),
});

const acknowledgement = z.strictObject({
  generation: z.int().nonnegative(),
  sequence: z.int().nonnegative(),
  manifest_sha256: z.string().regex(/^[\dA-Fa-f]{64}$/),
  customer_reference: z.string(),
});

/** @throws {Refused} `invalid_request`, also for a member that is not known */
function readAs<Body>(schema: z.ZodType<Body>, value: unknown): Body {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new Refused("invalid_request");
}

/** Source: interface specification, section 2.9. */
export const readExportRequest = (value: unknown): ExportRequest => readAs(exportRequest, value);

/** Source: interface specification, section 2.9. */
export function readAcknowledgement(value: unknown): AcknowledgementRequest {
  const { generation, sequence, manifest_sha256, customer_reference } = readAs(acknowledgement, value);
  return {
    generation,
    sequence,
    manifestSha256: manifest_sha256.toLowerCase(),
    reference: customer_reference,
  };
}
