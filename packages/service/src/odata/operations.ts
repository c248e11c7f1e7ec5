import { type OptionName, offeredOptions, type ResourcePath } from "@cadastre/server/parts";
import { maxSkip, maxTop } from "../catalog.ts";
import type { Extension } from "../extensions.ts";
import { odataRoot } from "../http/odata-protocol.ts";
import { type Operation, type Parameter, type Schema, textSchema } from "../http/operation.ts";
import { optionRules } from "./services.ts";

const xml = { "application/xml": textSchema };
const plain = { "text/plain": textSchema };
/** Files of a page, by `$format`. Their next page is in the header `Link`. */
const files = {
  "application/geo+json": { type: "object" },
  "application/x-ndjson": textSchema,
  "text/csv": textSchema,
};
const json = (schema: Schema) => ({ "application/json": schema });

const context = { "@odata.context": { type: "string", format: "uri" } };
const object = (properties: Schema, ...required: readonly string[]): Schema => ({
  type: "object",
  properties: { ...context, ...properties },
  ...(required.length === 0 ? {} : { required }),
});

/** Schema of an entity. Its members are in `$metadata`, because they depend on the caller. */
const entity = object({});
const collection = object(
  {
    "@odata.count": { type: "integer" },
    "@odata.nextLink": { type: "string", format: "uri" },
    value: { type: "array", items: { type: "object" } },
  },
  "value",
);

const placeholder = (name: string, description: string, example: string): Parameter => ({
  name,
  in: "path",
  required: true,
  description,
  schema: textSchema,
  example,
});
const entitySet = placeholder("entitySet", "A set of the service document", "Property");
const key = placeholder("key", "Key of the entity; each quote in it is written twice", "GSM_10000111");
const property = placeholder("property", "A property of `$metadata`", "City");
const collectionProperty = placeholder("collection", "A property that is a collection", "Appliances");

const set = `${odataRoot}/{entitySet}`;
const one = `${set}('{key}')`;

type Read = Pick<Operation, "path" | "summary" | "gives"> & { readonly places?: readonly Parameter[] };

/** Operations by kind of address. The type makes the compiler refuse a missing one. */
const reads: Readonly<Record<ResourcePath["kind"], Read>> = {
  ServiceDocument: {
    path: odataRoot,
    summary: "The active sets that the key sees",
    gives: json(object({ value: { type: "array", items: { type: "object" } } }, "value")),
  },
  Metadata: {
    path: `${odataRoot}/$metadata`,
    summary: "The model: sets and fields that the key sees",
    gives: { ...xml, ...json({ type: "object" }) },
  },
  Collection: {
    path: set,
    summary: "Records of a set, page by page",
    places: [entitySet],
    gives: { ...json(collection), ...files },
  },
  Count: { path: `${set}/$count`, summary: "Number of records", places: [entitySet], gives: plain },
  Entity: { path: one, summary: "One record", places: [entitySet, key], gives: json(entity) },
  Property: {
    path: `${one}/{property}`,
    summary: "One property of a record",
    places: [entitySet, key, property],
    gives: json(object({ value: {} }, "value")),
  },
  ItemCount: {
    path: `${one}/{collection}/$count`,
    summary: "Number of items of a property that is a collection",
    places: [entitySet, key, collectionProperty],
    gives: plain,
  },
  Value: {
    path: `${one}/{property}/$value`,
    summary: "The text of one property",
    places: [entitySet, key, property],
    gives: plain,
  },
};

/** Returns the path template of a kind of address. */
export const pathTemplateOf = (kind: ResourcePath["kind"]): string => reads[kind].path;

/** Path of batch requests. */
export const batchTemplate = `${odataRoot}/$batch`;

const flag: Schema = { type: "boolean", default: false };

/** Options that some address takes. */
type OfferedOption =
  | "placekey"
  | Extract<
      OptionName,
      | "$filter"
      | "$search"
      | "$compute"
      | "$apply"
      | "$select"
      | "$expand"
      | "$orderby"
      | "$top"
      | "$skip"
      | "$skiptoken"
      | "$deltatoken"
      | "$count"
      | "$format"
      | "$ignorenulls"
      | "$ignorecase"
    >;

/** Schema and short description of each query option. */
const options: Readonly<Record<OfferedOption, readonly [Schema, string]>> = {
  $filter: [textSchema, "Condition, such as `ListPrice le 500000 and City eq 'Austin'`"],
  $search: [textSchema, "Words that records have in their texts, such as `pool AND NOT shared`"],
  $compute: [textSchema, "Computed properties, such as `ListPrice div LivingArea as PerSquareFoot`"],
  $apply: [textSchema, "Aggregates, such as `groupby((City),aggregate($count as Listings))`"],
  $select: [textSchema, "Names of properties, with commas between"],
  $expand: [textSchema, "Related records to add, such as `Media($select=MediaURL;$top=1)`"],
  $orderby: [textSchema, "Properties or expressions, each with `asc` or `desc`"],
  $top: [{ type: "integer", minimum: 0, maximum: maxTop }, "Records of a page"],
  $skip: [{ type: "integer", minimum: 0, maximum: maxSkip }, "Records to pass over"],
  $skiptoken: [textSchema, "Only ever part of a next link"],
  $deltatoken: [textSchema, "Only ever part of a delta link"],
  $count: [flag, "Whether to count all records"],
  $format: [
    textSchema,
    "Media type of the answer, such as `application/json;odata.metadata=full`; of a collection also `csv`, `geojson` or `jsonl`",
  ],
  $ignorenulls: [flag, "Whether to leave out members that are null"],
  $ignorecase: [flag, "Whether `$filter` compares texts without regard to case"],
  placekey: [textSchema, "Canonical Placekey: every listing of that property"],
};

const toParameter = (name: OfferedOption): Parameter => {
  const [schema, description] = options[name];
  return { name, in: "query", description, schema };
};

const toOperation = (kind: ResourcePath["kind"], extensions: readonly Extension[]): Operation => {
  const { places = [], ...read } = reads[kind];
  return {
    method: "get",
    tag: "OData",
    ...read,
    parameters: [
      ...places,
      ...offeredOptions(kind, optionRules(extensions)).map((name) => toParameter(name as OfferedOption)),
    ],
  };
};

const batchId: Schema = { type: "string", minLength: 1, maxLength: 128 };

/** Schema of a JSON batch. Source: OData JSON Format 4.01, section 19.1. */
const batch: Schema = {
  type: "object",
  properties: {
    requests: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: batchId,
          method: { type: "string", maxLength: 16 },
          url: textSchema,
          headers: {
            default: {},
            type: "object",
            propertyNames: textSchema,
            additionalProperties: textSchema,
          },
          body: {},
          dependsOn: { default: [], type: "array", items: batchId },
          atomicityGroup: batchId,
          if: textSchema,
        },
        required: ["id", "method", "url"],
        additionalProperties: false,
      },
    },
  },
  required: ["requests"],
  additionalProperties: false,
};

/** Returns all operations under the OData root. */
export const odataOperations = (extensions: readonly Extension[]): readonly Operation[] => [
  ...(Object.keys(reads) as ResourcePath["kind"][]).map((kind) => toOperation(kind, extensions)),
  {
    method: "post",
    path: `${set}/$query`,
    tag: "OData",
    summary: "As the address without `/$query`, with the query in the body",
    parameters: [entitySet],
    takes: { "text/plain": textSchema, "application/x-www-form-urlencoded": { type: "object" } },
    gives: json(collection),
  },
  {
    method: "post",
    path: batchTemplate,
    tag: "OData",
    summary: "Several reads in one request",
    takes: { ...json(batch), "multipart/mixed": textSchema },
    gives: { ...json({ type: "object" }), "multipart/mixed": textSchema },
  },
];
