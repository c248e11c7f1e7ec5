import type { Row } from "@cadastre/odata";
import { writeCsdlJson } from "@cadastre/odata/csdl";
import type { RecordName } from "@cadastre/reso";
import { ExactNumber, parseJson } from "../../../src/ingest/exact-json.ts";
import { testCatalog } from "../../support/test-catalog.ts";

const { model: entityModel } = testCatalog;
const { values: lookupValues } = testCatalog.lookups;

/** Lookups that take other values than those they list. */
const openLookups: ReadonlySet<unknown> = new Set(
  testCatalog.model.entitySets
    .flatMap(({ name }) => testCatalog.fieldsOf(name as RecordName))
    .flatMap(({ lookup, lookupStatus }) => (lookupStatus === "Open" ? lookup : [])),
);

type Property = Readonly<Record<string, unknown>>;
type Csdl = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Property>>>>>>;

/** `$metadata`, as a client reads it. */
const types = (JSON.parse(writeCsdlJson(entityModel)) as Csdl)[entityModel.namespace] ?? {};

const lookupTerm = "@RESO.OData.Metadata.LookupName";

/** What of a served record `$metadata` does not allow: the names of the members at fault. */
export function violations(typeName: string, text: string): readonly string[] {
  const record = parseJson(text) as Row;
  return Object.entries(record).flatMap(([name, value]) => {
    const property = types[typeName]?.[name];
    return property !== undefined && isAllowed(value, property) ? [] : [`${name}: ${JSON.stringify(value)}`];
  });
}

function isAllowed(value: unknown, property: Property): boolean {
  if (property["$Collection"] === true)
    return Array.isArray(value) && value.every((item) => item !== null && isItem(item, property));
  return value === null ? property["$Nullable"] === true : isItem(value, property);
}

function isItem(value: unknown, property: Property): boolean {
  const isOfType = typeChecks[typeof property["$Type"] === "string" ? property["$Type"] : "Edm.String"];
  const lookup = property[lookupTerm];
  const listed = typeof lookup === "string" && !openLookups.has(lookup) ? lookupValues(lookup) : [];
  if (listed.length > 0 && !listed.some((one) => one.value === value)) return false;
  return isOfType?.(value, property) ?? false;
}

const isWithin = (text: string, precision: unknown, scale: unknown): boolean => {
  const [, left = "", right = ""] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const whole = left.replace(/^0+/, "");
  return left !== "" && whole.length <= Number(precision) - Number(scale) && right.length <= Number(scale);
};

/** A number's text without an exponent. */
const plainText = (value: number): string =>
  /e-(\d+)$/.test(String(value)) ? value.toFixed(20).replace(/0+$/, "") : String(value);

const typeChecks: Readonly<Record<string, (value: unknown, property: Property) => boolean>> = {
  "Edm.String": (value, { $MaxLength }) =>
    typeof value === "string" &&
    value.isWellFormed() &&
    !value.includes("\0") &&
    ($MaxLength === undefined || Array.from(value).length <= Number($MaxLength)),
  "Edm.Boolean": (value) => typeof value === "boolean",
  "Edm.Int64": (value) => {
    const text = value instanceof ExactNumber ? value.text : typeof value === "number" ? String(value) : "";
    return /^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  },
  // A number that a double does not hold is none that every client reads.
  "Edm.Decimal": (value, { $Precision, $Scale }) =>
    typeof value === "number" && isWithin(plainText(value), $Precision, $Scale),
  "Edm.Date": (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value),
  "Edm.DateTimeOffset": (value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  "Edm.TimeOfDay": (value) =>
    typeof value === "string" && /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,12})?$/.test(value),
  "Edm.GeographyPoint": (value) =>
    typeof value === "object" && value !== null && "coordinates" in value && Array.isArray(value.coordinates),
};
