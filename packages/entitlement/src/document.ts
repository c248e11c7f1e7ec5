import { z } from "zod";
import { EntitlementError, type EntitlementErrorCode } from "./errors.ts";
import { isMask, type Mask } from "./mask.ts";

/** Products that a customer can buy; they are also the domains of exports. Source: interface specification, section 2.9. */
const products = ["property", "listing", "public_record", "market_report"] as const;
export type Product = (typeof products)[number];

/** Ways to access the data. Source: interface specification, section 2.6. */
const channels = ["api", "odata", "file_delivery"] as const;
export type Channel = (typeof channels)[number];

/** Rights beyond reading. Source: interface specification, section 4.3. */
const capabilities = ["file_export_push"] as const;
export type Capability = (typeof capabilities)[number];

/** Kinds of regions, each with the pattern of its values. */
const regionValues = {
  /** The whole country: `US`, and nothing else. */
  national: /^US$/,
  /** A `StateOrProvince`: `TX`. */
  state: /^[A-Z]{2}$/,
  /** A `StateOrProvince` and a `CountyOrParish`, with the same spelling as in the records: `TX/Travis`. */
  county: /^[A-Z]{2}\/(?=\S)[^/\p{C}]{1,200}(?<=\S)$/u,
  /** Five digits: `78701`. Covers ZIP+4 codes that start with them. */
  zip: /^\d{5}$/,
  /** A complete `OriginatingSystemName`: `Lone Star MLS`. */
  originating_system: /^(?=\S)\P{C}{1,255}(?<=\S)$/u,
} as const;
export type RegionKind = keyof typeof regionValues;

export type Region = { readonly kind: RegionKind; readonly value: string };

/** Grant of one resource in one dataset. */
export type ResourceGrant = {
  /** `*` for all fields of the model except contact fields and local fields of datasets that are not granted, or the names of fields. */
  readonly fields: "*" | readonly string[];
  /** Masks by field. A field without a mask is shown unmasked. */
  readonly masks?: Readonly<Record<string, Mask>>;
  /** For Media: grants private rows as well. */
  readonly private?: true;
  /** For Member and Office: grants contact fields as well. */
  readonly contact?: true;
};

/** Grant of one dataset. Resources that are not named are not granted. */
export type DatasetGrant = {
  /** UUID in lower case. */
  readonly dataset_id: string;
  readonly resources: Readonly<Record<string, ResourceGrant>>;
};

/** Limits that the host enforces. They do not affect which data is visible. */
export type EntitlementLimits = {
  readonly requests_per_second?: number;
  readonly open_exports?: number;
  /** Number of queries that may run and wait concurrently. */
  readonly concurrent_queries?: number;
  /** Seconds per minute that queries without a suitable index may read. */
  readonly scan_seconds?: number;
  /** Weight of the customer in the fair sharing of the service's time; 1 by default. */
  readonly query_weight?: number;
};

/**
 * The payload of an entitlement. The schema is closed: unknown members, empty lists and duplicates are refused, and what is not named is
 * not granted. Times are in seconds since 1970.
 *
 * Grants are per dataset **and** resource. Regions restrict the rows of all datasets.
 */
export type Entitlement = {
  /** Issuer. Must match exactly. */
  readonly iss: string;
  /** Audience: the service that the entitlement is for. Must match exactly. */
  readonly aud: string;
  /** The customer. */
  readonly sub: string;
  /** Version of the customer's entitlement. It increases with every change. */
  readonly ver: number;
  readonly iat: number;
  /** First second of validity. */
  readonly nbf: number;
  /** First second after validity. */
  readonly exp: number;
  /** Id of this document. */
  readonly jti: string;
  readonly products: readonly Product[];
  readonly channels: Readonly<Record<Channel, boolean>>;
  /** By default none. */
  readonly capabilities?: readonly Capability[];
  readonly regions: readonly Region[];
  readonly datasets: readonly DatasetGrant[];
  readonly limits?: EntitlementLimits;
};

// Markers by which `causeOf` distinguishes these issues.
const duplicate = {};
const empty = {};

/** @param identity returns a text that must differ for all items */
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
 * Validates an entitlement document. Does not verify its signature.
 *
 * @throws {EntitlementError} with the path of the first invalid member, never its value
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
