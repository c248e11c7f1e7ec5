import type { Channel, Scope } from "@cadastre/entitlement";
import type { Answer, HeaderReader } from "@cadastre/server/parts";
import { z } from "zod";
import type { AuditAction } from "../audit/actions.ts";
import type { AuditObject } from "../audit/audit-trail.ts";
import type { PublicCode } from "../errors.ts";
import type { StreamedAnswer } from "../http/answer.ts";
import type { Operation, Schema } from "../http/operation.ts";
import type { EntitlementState } from "../http/request-context.ts";
import type { Stages } from "../telemetry/stages.ts";

type Shape = z.core.$ZodLooseShape;
type Values<S extends Shape> = z.output<z.ZodObject<S>>;

/** A value of a type that its user does not change. */
type Deep<T> = T extends readonly (infer Item)[]
  ? readonly Deep<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Deep<T[Name]> }
    : T;

/** Members of an answer besides its data. */
type ReplyOptions<Meta> = {
  /** Members of `meta` besides `entitlement_version`. */
  readonly meta?: Meta;
  /** By default the status of the endpoint. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A request to an endpoint that has passed authentication and validation. Independent of Express. */
export type EndpointCall<Params = unknown, Query = unknown, Body = unknown, Data = never, Meta = never> = {
  /** The scope of the customer and the id of its API key. */
  readonly caller: { readonly scope: Scope; readonly apiKey: string };
  readonly entitlementState: EntitlementState;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly header: HeaderReader;
  readonly stages: Stages;
  /** Returns a signal that aborts when the client disconnects. */
  readonly clientGone: () => AbortSignal;
  /** Registers a callback for the end of the answer, which is called once it was sent or the client has disconnected. */
  readonly whenClosed: (callback: () => void) => void;
  /** Adds identifiers to the entry of the audit trail. */
  readonly note: (object: AuditObject) => void;
  /**
   * Returns the answer `{data, meta}`. That of an endpoint which only reads has an ETag; that of one which changes or grants something
   * is not stored by caches.
   */
  readonly reply: (data: Deep<Data>, options?: ReplyOptions<Deep<Meta>>) => Answer;
};

/** An endpoint of the JSON interface: its documentation, its validation and its handler. */
export type Endpoint<Services> = Pick<Operation, "method" | "path" | "tag" | "summary" | "gives"> & {
  readonly status: 200 | 201 | 202;
  /** Channel that the caller's entitlement must grant. Null: none, so that every customer can read what its entitlement grants. */
  readonly channel: Channel | null;
  /** Action in the audit trail. Undefined for an endpoint that neither changes anything nor grants access: it also answers `HEAD`. */
  readonly audit?: AuditAction | undefined;
  /** True if it is answered with an expired entitlement, with an empty scope. */
  readonly admitsExpired?: boolean | undefined;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodObject | undefined;
  /** True if a request without a body is read like one with an empty object. */
  readonly isBodyOptional?: boolean | undefined;
  /** True if an address with a query is refused. */
  readonly refusesQuery?: boolean | undefined;
  /** Request headers that it reads, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Codes of its own errors, besides `commonErrors` and, with a body, `bodyErrors`. */
  readonly errors: readonly PublicCode[];
  handle(call: EndpointCall, services: Services): Promise<Answer | StreamedAnswer>;
};

/** Errors that every endpoint may answer. */
export const commonErrors = [
  "invalid_host",
  "duplicate_header",
  "invalid_encoding",
  "unknown_parameter",
  "duplicate_parameter",
  "unauthorized",
  "access_removed",
  "entitlement_changed",
  "channel_not_entitled",
  "method_not_allowed",
  "precondition_failed",
  "uri_too_long",
  "rate_limited",
  "internal_error",
  "service_unavailable",
  "service_busy",
] as const satisfies readonly PublicCode[];

/** Errors that every endpoint with a body may answer. */
export const bodyErrors = [
  "invalid_request",
  "body_too_large",
  "unsupported_media_type",
] as const satisfies readonly PublicCode[];

const version = z.int().min(0);

/** Schemas of an answer `{data, meta}`. */
type Enveloped<Data extends z.ZodType, Meta extends Shape> = {
  readonly status?: 200 | 201 | 202;
  readonly data: Data;
  readonly meta?: Meta;
};

/** An answer that is not `{data, meta}`: its schema by media type. */
type Raw = { readonly status?: 200; readonly content: Readonly<Record<string, Schema>> };

/**
 * Defines an endpoint. Its route, its validation, its OpenAPI operation and its row in the documentation all come from this definition.
 *
 * The message of a schema of `params`, `query` or `body` is the error code of a value that does not match it; see `faultCode`.
 */
export function defineEndpoint<
  Services,
  Data extends z.ZodType = z.ZodNever,
  Params extends Shape = Record<never, z.ZodType>,
  Query extends Shape = Record<never, z.ZodType>,
  Body extends Shape = Record<never, z.ZodType>,
  Meta extends Shape = Record<never, z.ZodType>,
>({
  params,
  query,
  body,
  headers = {},
  answer,
  ...endpoint
}: Pick<
  Endpoint<Services>,
  | "method"
  | "path"
  | "summary"
  | "channel"
  | "audit"
  | "admitsExpired"
  | "refusesQuery"
  | "isBodyOptional"
  | "errors"
> & {
  readonly tag: Operation["tag"];
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly headers?: Endpoint<Services>["headers"];
  readonly answer: Enveloped<Data, Meta> | Raw;
  readonly handle: (
    call: EndpointCall<
      Values<Params>,
      Values<Query>,
      Values<Body>,
      z.input<Data>,
      z.input<z.ZodObject<Meta>>
    >,
    services: Services,
  ) => Promise<Answer | StreamedAnswer>;
}): Endpoint<Services> {
  return {
    ...endpoint,
    params: z.object(params ?? {}),
    query: z.object(query ?? {}),
    body: body && z.strictObject(body),
    headers,
    status: answer.status ?? 200,
    gives: "content" in answer ? answer.content : { "application/json": envelopeSchema(answer) },
  };
}

const envelopeSchema = ({ data, meta = {} as never }: Enveloped<z.ZodType, Shape>): Schema =>
  toSchema(z.object({ data, meta: z.object({ entitlement_version: version, ...meta }) }));

/** Returns the JSON Schema of the values that a Zod schema returns or, with `input`, accepts. */
export function toSchema(schema: z.ZodType, io: "input" | "output" = "output"): Schema {
  const { $schema: _, ...known } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    // The bounds of a safe integer are no statement about the member.
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return known;
}
