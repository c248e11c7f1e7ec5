import { z } from "zod";
import { EntitlementError, type EntitlementErrorCode } from "./errors.ts";
import { isMask, type Mask, maskForms } from "./mask.ts";

/** Products that a customer can buy; they are also the domains of exports. Source: interface specification, section 2.9, for the first four. */
const products = [
  "property",
  "listing",
  "public_record",
  "market_report",
  "member",
  "office",
  "open_house",
  "lookup",
] as const;
export type Product = (typeof products)[number];

/** Ways to access the data. Source: interface specification, section 2.6. */
const channels = ["api", "odata", "file_delivery"] as const;
export type Channel = (typeof channels)[number];

/** Rights beyond reading. Source: interface specification, section 4.3. */
const capabilities = ["file_export_push"] as const;
export type Capability = (typeof capabilities)[number];

/** Kinds of regions, each with the pattern of its values. */
const regionForms = {
  /** The whole country: `US`, and nothing else. */
  national: { pattern: /^US$/, must: "`US`" },
  /** A `StateOrProvince`: `TX`. */
  state: { pattern: /^[A-Z]{2}$/, must: "the two capital letters of a state, such as `TX`" },
  /** A `StateOrProvince` and a `CountyOrParish`, with the same spelling as in the records: `TX/Travis`. */
  county: {
    pattern: /^[A-Z]{2}\/(?=\S)[^/\p{C}]{1,200}(?<=\S)$/u,
    must: "a state and a county as in the records, such as `TX/Travis`",
  },
  /** Five digits: `78701`. Covers ZIP+4 codes that start with them. */
  zip: { pattern: /^\d{5}$/, must: "five digits, such as `78701`" },
  /** A complete `OriginatingSystemName`: `Lone Star MLS`. */
  originating_system: {
    pattern: /^(?=\S)\P{C}{1,255}(?<=\S)$/u,
    must: "the complete name of an originating system, such as `Lone Star MLS`",
  },
} as const;
export type RegionKind = keyof typeof regionForms;

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

/** Marks of the rules of the schema, in the `params` of their issues. */
export type RuleParams = {
  readonly rule: "empty" | "duplicate" | "value";
  /** For `duplicate`: returns a text that must differ for all items. */
  readonly identity?: (item: unknown) => unknown;
  /** Member that the rule is about, where the issue is of the object that has it. */
  readonly member?: string;
};

const empty: RuleParams = { rule: "empty" };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isRepeated = (items: readonly unknown[], identity: (item: unknown) => unknown) =>
  new Set(items.map(identity)).size < items.length;

/*
 * The message of each schema says what a value must be, for `findFaults`. Rules over several members have a `when`, because they are to be
 * tried beside other faults.
 */

/** @param identity returns a text that must differ for all items */
const listOf = <Item extends z.ZodType>(item: Item, must: string, identity: (value: unknown) => unknown) =>
  z
    .array(item, must)
    .min(1, must)
    .refine((items) => !isRepeated(items, identity), {
      params: { rule: "duplicate", identity } satisfies RuleParams,
      when: ({ value }) => Array.isArray(value),
    });

const textOf = (must: string, pattern: RegExp) => z.string(must).regex(pattern, must);
const text = (must: string) =>
  textOf(`${must}, of 1 to 255 characters without a space at either end`, /^(?=\S)\P{C}{1,255}(?<=\S)$/u);
const name = textOf("a name of letters, digits and `_`", /^[A-Za-z]\w{0,127}$/);
const seconds = (must: string) => {
  const whole = `${must}, in whole seconds since 1970`;
  return z.int(whole).nonnegative(whole);
};
const positive = (must = "a whole number from 1") => z.int(must).positive(must);
const yes = (must: string) => z.literal(true, `true, or left out, ${must}`);

const kinds = Object.keys(regionForms) as [RegionKind, ...RegionKind[]];

const region = z
  .strictObject({ kind: z.enum(kinds), value: z.string("a text") }, "an object with `kind` and `value`")
  .refine(({ kind, value }) => regionForms[kind].pattern.test(value), {
    error: ({ input }) => (isObject(input) ? regionForms[input["kind"] as RegionKind].must : "a region"),
    params: { rule: "value", member: "value" } satisfies RuleParams,
  });

const recordOf = <Item extends z.ZodType>(item: Item, must: string) =>
  z.record(name, item, must).refine((items) => Object.keys(items).length > 0, { error: must, params: empty });

const resource = z.strictObject(
  {
    fields: z.union(
      [z.literal("*"), listOf(name, "a list of names of fields", String)],
      '`"*"`, or a list of at least one name of a field',
    ),
    masks: z.exactOptional(
      recordOf(
        z.custom<Mask>(isMask, { error: maskForms, abort: false }),
        "an object of at least one field and its mask",
      ),
    ),
    private: z.exactOptional(yes("to grant private rows")),
    contact: z.exactOptional(yes("to grant contact fields")),
  },
  "an object with `fields`",
);

const dataset = z.strictObject(
  {
    dataset_id: textOf(
      "the UUID of a dataset, in lower case",
      /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/,
    ),
    resources: recordOf(resource, "an object of at least one resource and its grant"),
  },
  "an object with `dataset_id` and `resources`",
);

const switches = z.boolean("true or false");

/** Schema of a document. @internal */
export const entitlementSchema: z.ZodType<Entitlement> = z
  .strictObject(
    {
      iss: text("the name of the issuer"),
      aud: text("the name of the service"),
      sub: textOf("the customer: 1 to 128 letters, digits, `_`, `.` and `-`", /^[\w.-]{1,128}$/),
      ver: positive("the version of the customer's entitlement, a whole number from 1"),
      iat: seconds("the time at which it was made"),
      nbf: seconds("the first second of validity"),
      exp: seconds("the first second after validity"),
      jti: text("an id of the document"),
      products: listOf(z.enum(products), "a list of at least one product", String),
      channels: z.strictObject(
        { api: switches, odata: switches, file_delivery: switches },
        "an object with `api`, `odata` and `file_delivery`",
      ),
      capabilities: z.exactOptional(
        listOf(z.enum(capabilities), "a list of at least one capability, or left out", String),
      ),
      regions: listOf(region, "a list of at least one region", (item) =>
        isObject(item) ? `${String(item["kind"])}:${String(item["value"])}` : item,
      ),
      datasets: listOf(dataset, "a list of at least one dataset with its resources", (item) =>
        isObject(item) ? item["dataset_id"] : item,
      ),
      limits: z.exactOptional(
        z
          .strictObject(
            {
              requests_per_second: z.exactOptional(positive()),
              open_exports: z.exactOptional(positive()),
              concurrent_queries: z.exactOptional(positive()),
              scan_seconds: z.exactOptional(positive()),
              query_weight: z.exactOptional(positive()),
            },
            "an object of at least one limit, or left out",
          )
          .refine((limits) => Object.keys(limits).length > 0, {
            error: "an object of at least one limit, or left out",
            params: empty,
          }),
      ),
    },
    "a JSON object",
  )
  .refine(({ nbf, exp }) => typeof nbf !== "number" || typeof exp !== "number" || nbf < exp, {
    error: "later than `nbf`",
    path: ["exp"],
    when: ({ value }) => isObject(value),
  });

/**
 * Validates an entitlement document. Does not verify its signature.
 *
 * @throws {EntitlementError} with the path of the first invalid member, never its value
 */
export function parseEntitlement(value: unknown): Entitlement {
  const result = entitlementSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new EntitlementError(causeOf(issue), { path: issue?.path.join(".") || "document" });
}

/** Returns the error code of an issue of the schema. @internal */
export function causeOf(issue: z.core.$ZodIssue | undefined): EntitlementErrorCode {
  if (issue?.code === "unrecognized_keys") return "entitlement_unknown_member";
  if (issue?.code === "invalid_value") return "entitlement_unknown_value";
  if (issue?.code === "too_small" && issue.origin === "array") return "entitlement_empty_list";
  const rule = ruleOfIssue(issue)?.rule;
  if (rule === "duplicate") return "entitlement_duplicate";
  return rule === "empty" ? "entitlement_empty_list" : "entitlement_invalid";
}

/** Returns the marks of the rule that an issue breaks; undefined if it has none. @internal */
export const ruleOfIssue = (issue: z.core.$ZodIssue | undefined): RuleParams | undefined =>
  issue?.code === "custom" ? (issue.params as RuleParams | undefined) : undefined;
