import type { Operation, Parameter, Schema } from "../http/operation.ts";

/** Default and maximum number of items of a list. */
export const listLimits = { default: 50, most: 500 } as const;

export const string: Schema = { type: "string" };
export const integer: Schema = { type: "integer", minimum: 0 };
export const instant: Schema = { type: "string", format: "date-time" };
export const uuid: Schema = { type: "string", format: "uuid" };
export const sha256Schema: Schema = { type: "string", pattern: "^[0-9a-f]{64}$" };
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });
export const object = (
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
export const json = (schema: Schema) => ({ "application/json": schema });
export const envelope = (data: Schema, meta: Readonly<Record<string, Schema>> = {}) =>
  json(object({ data, meta: object({ entitlement_version: integer, ...meta }) }));

const states = [
  "queued",
  "building",
  "sealed",
  "publishing",
  "complete",
  "canceled",
  "failed",
  "expired",
  "purged",
] as const;

export const created = {
  id: uuid,
  status: { type: "string", enum: states },
  domain: string,
  deliveryMode: { type: "string", enum: ["pull", "push", "both"] },
} as const;

export const listed = {
  ...created,
  subscriptionId: orNull(string),
  generation: integer,
  sequence: integer,
  noChange: { type: "boolean" },
  failure: orNull(object({ code: string })),
  publication: orNull(
    object({
      status: { type: "string", enum: ["waiting", "publishing", "complete", "canceled", "failed"] },
      prefix: string,
    }),
  ),
  createdAt: instant,
  completedAt: orNull(instant),
  expiresAt: instant,
} as const;

/** Schema of a delivery in a list. */
export const listedDelivery = object(listed);

/** Creates an OpenAPI operation of deliveries, subscriptions or destinations. */
export const operation = (
  method: Operation["method"],
  path: string,
  summary: string,
  gives: Operation["gives"],
  more: Pick<Operation, "status" | "takes" | "parameters"> = {},
): Operation => ({ method, path, tag: "Delivery", summary, gives, ...more });

/** @param thing noun for the description, such as `delivery` */
export const idParameter = (thing: string): Parameter => ({
  name: "id",
  in: "path",
  required: true,
  description: `The \`id\` of a ${thing}`,
  schema: uuid,
});

/** @param items description of the items, such as `Subscriptions` */
export const limitParameter = (items: string): Parameter => ({
  name: "limit",
  in: "query",
  description: items,
  schema: { type: "integer", minimum: 1, maximum: listLimits.most, default: listLimits.default },
  example: 10,
});
