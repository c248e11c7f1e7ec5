import { z } from "zod";
import { EntitlementError, type EntitlementErrorCode } from "./errors.ts";
import { isMask, type Mask } from "./mask.ts";

/** What a customer may buy; also the domains of an export. Source: interface specification, section 2.9. */
const products = ["property", "listing", "public_record", "market_report"] as const;
export type Product = (typeof products)[number];

/** Ways to reach the data. Source: interface specification, section 2.6. */
const channels = ["api", "odata", "file_delivery"] as const;
export type Channel = (typeof channels)[number];

/** What a customer may do beside reading. Source: interface specification, section 4.3. */
const capabilities = ["file_export_push"] as const;
export type Capability = (typeof capabilities)[number];

/** Kinds of region, each with the form of its values. */
const regionValues = {
  /** The whole country: `US`, and nothing else. */
  national: /^US$/,
  /** A `StateOrProvince`: `TX`. */
  state: /^[A-Z]{2}$/,
  /** A `StateOrProvince` and a `CountyOrParish`, spelled as the records spell it: `TX/Travis`. */
  county: /^[A-Z]{2}\/(?=\S)[^/\p{C}]{1,200}(?<=\S)$/u,
  /** Five digits: `78701`. Covers ZIP+4 codes that start with them. */
  zip: /^\d{5}$/,
  /** An `OriginatingSystemName`, in full: `Lone Star MLS`. */
  originating_system: /^(?=\S)\P{C}{1,255}(?<=\S)$/u,
} as const;
export type RegionKind = keyof typeof regionValues;

export type Region = { readonly kind: RegionKind; readonly value: string };

/** What one dataset shows of one resource. */
export type ResourceGrant = {
  /** All that the model has but contact fields, or those named. */
  readonly fields: "*" | readonly string[];
  /** By field: what is shown of its values. Absent: they are shown whole. */
  readonly masks?: Readonly<Record<string, Mask>>;
  /** Of Media: rows that are not for the public, too. */
  readonly private?: true;
  /** Of Member and Office: the contact fields, too. */
  readonly contact?: true;
};

/** What is granted of one dataset. A resource that is not named is not granted. */
export type DatasetGrant = {
  /** UUID in lower case. */
  readonly dataset_id: string;
  readonly resources: Readonly<Record<string, ResourceGrant>>;
};

/** Numbers that the host enforces; they do not change what is visible. */
export type Limits = {
  readonly requests_per_second?: number;
  readonly open_exports?: number;
  /** Queries that may run and wait at once. */
  readonly concurrent_queries?: number;
  /** Seconds of reading in each minute for queries that no index serves. */
  readonly scan_seconds?: number;
  /** Share of the service's time, in proportion to those of others; 1 where it is not said. */
  readonly query_weight?: number;
};

/**
 * The payload of an entitlement. The schema is closed: an unknown member, an empty list and a duplicate are
 * refused, and what is not named is not granted. Times are in seconds since 1970.
 *
 * Grants are per dataset **and** resource; regions narrow the rows of every dataset alike.
 */
export type Entitlement = {
  /** Who signed: compared as a whole. */
  readonly iss: string;
  /** The service that it is for: compared as a whole. */
  readonly aud: string;
  /** The customer. */
  readonly sub: string;
  /** Version of the customer's entitlement: grows with every change. */
  readonly ver: number;
  readonly iat: number;
  /** First second of validity. */
  readonly nbf: number;
  /** First second after validity. */
  readonly exp: number;
  /** Identity of this document. */
  readonly jti: string;
  readonly products: readonly Product[];
  readonly channels: Readonly<Record<Channel, boolean>>;
  /** Absent: none. */
  readonly capabilities?: readonly Capability[];
  readonly regions: readonly Region[];
  readonly datasets: readonly DatasetGrant[];
  readonly limits?: Limits;
};

// Told apart by `causeOf`.
const duplicate = {};
const empty = {};

/** @param identity what two items may not have in common. */
const listOf = <Item extends z.ZodType>(item: Item, identity: (value: z.output<Item>) => string) =>
  z
    .array(item)
    .min(1)
    .refine((items) => new Set(items.map(identity)).size === items.length, { params: duplicate });

const text = z.string().regex(/^(?=\S)\P{C}{1,255}(?<=\S)$/u);
const name = z.string().regex(/^[A-Za-z]\w{0,127}$/);
const seconds = z.int().nonnegative();
const positive = z.int().positive();

const region = z
  .strictObject({
    kind: z.enum(Object.keys(regionValues) as [RegionKind, ...RegionKind[]]),
    value: z.string(),
  })
  .refine(({ kind, value }) => regionValues[kind].test(value));

const recordOf = <Item extends z.ZodType>(item: Item) =>
  z.record(name, item).refine((items) => Object.keys(items).length > 0, { params: empty });

const resource = z.strictObject({
  fields: z.union([z.literal("*"), listOf(name, String)]),
  masks: z.exactOptional(recordOf(z.custom<Mask>(isMask))),
  private: z.exactOptional(z.literal(true)),
  contact: z.exactOptional(z.literal(true)),
});

const dataset = z.strictObject({
  dataset_id: z.string().regex(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/),
  resources: recordOf(resource),
});

const schema: z.ZodType<Entitlement> = z
  .strictObject({
    iss: text,
    aud: text,
    sub: z.string().regex(/^[\w.-]{1,128}$/),
    ver: positive,
    iat: seconds,
    nbf: seconds,
    exp: seconds,
    jti: text,
    products: listOf(z.enum(products), String),
    channels: z.strictObject({ api: z.boolean(), odata: z.boolean(), file_delivery: z.boolean() }),
    capabilities: z.exactOptional(listOf(z.enum(capabilities), String)),
    regions: listOf(region, ({ kind, value }) => `${kind}:${value}`),
    datasets: listOf(dataset, ({ dataset_id }) => dataset_id),
    limits: z.exactOptional(
      z
        .strictObject({
          requests_per_second: z.exactOptional(positive),
          open_exports: z.exactOptional(positive),
          concurrent_queries: z.exactOptional(positive),
          scan_seconds: z.exactOptional(positive),
          query_weight: z.exactOptional(positive),
        })
        .refine((limits) => Object.keys(limits).length > 0, { params: empty }),
    ),
  })
  .refine(({ nbf, exp }) => nbf < exp, { path: ["exp"] });

/**
 * Check that a value is an entitlement document. Says nothing of who signed it.
 *
 * @throws {EntitlementError} with the path of the first member at fault, never its value.
 */
export function parseEntitlement(value: unknown): Entitlement {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new EntitlementError(causeOf(issue), { path: issue?.path.join(".") || "document" });
}

function causeOf(issue: z.core.$ZodIssue | undefined): EntitlementErrorCode {
  if (issue?.code === "unrecognized_keys") return "entitlement_unknown_member";
  if (issue?.code === "invalid_value") return "entitlement_unknown_value";
  if (issue?.code === "too_small" && issue.origin === "array") return "entitlement_empty_list";
  if (issue?.code === "custom" && issue.params === duplicate) return "entitlement_duplicate";
  return issue?.code === "custom" && issue.params === empty
    ? "entitlement_empty_list"
    : "entitlement_invalid";
}
