import type { Field, LocalField } from "@cadastre/reso";
import type { FeedField } from "./feed-schema.ts";

/** Types of local fields by the types that a source may have. */
const localTypeOf: Readonly<Record<string, LocalField["type"]>> = {
  "Edm.String": "Edm.String",
  "Edm.Guid": "Edm.String",
  "Edm.Boolean": "Edm.Boolean",
  "Edm.Byte": "Edm.Int64",
  "Edm.SByte": "Edm.Int64",
  "Edm.Int16": "Edm.Int64",
  "Edm.Int32": "Edm.Int64",
  "Edm.Int64": "Edm.Int64",
  "Edm.Decimal": "Edm.Decimal",
  "Edm.Double": "Edm.Decimal",
  "Edm.Single": "Edm.Decimal",
  "Edm.Date": "Edm.Date",
  "Edm.DateTimeOffset": "Edm.DateTimeOffset",
  "Edm.TimeOfDay": "Edm.TimeOfDay",
};

/** Types of local fields whose values a standard field takes, beside those of its own type. */
const alsoTaken: Readonly<Record<string, readonly string[]>> = {
  "Edm.Decimal": ["Edm.Int64"],
  "Edm.String": ["Edm.Date", "Edm.DateTimeOffset", "Edm.TimeOfDay"],
};

/** Returns the type, and the facets that a local field may have; undefined if it cannot have the type. */
export function localFacets(
  field: FeedField,
):
  | Pick<LocalField, "type">
  | Pick<LocalField, "type" | "collection" | "maxLength" | "precision" | "scale">
  | undefined {
  const type = localTypeOf[field.type];
  if (type === undefined) return undefined;
  const within = (value: number | undefined, least: number, most: number) =>
    value !== undefined && value >= least && value <= most ? value : undefined;
  const maxLength = field.type === "Edm.Guid" ? 36 : within(field.maxLength, 1, 65_535);
  const precision = within(field.precision, 1, 38);
  const scale = within(field.scale, 0, Math.min(15, precision ?? 15));
  return {
    type,
    ...(field.collection ? { collection: true as const } : {}),
    ...(type !== "Edm.String" || maxLength === undefined ? {} : { maxLength }),
    ...(type !== "Edm.Decimal" || precision === undefined ? {} : { precision }),
    ...(type !== "Edm.Decimal" || scale === undefined ? {} : { scale }),
  };
}

/** True if a standard field takes the values of a source's field. */
export function fitsStandard(field: FeedField, standard: Field): boolean {
  const type = localTypeOf[field.type] ?? field.type;
  const isTaken = type === standard.type || alsoTaken[standard.type]?.includes(type) === true;
  return isTaken && field.collection === standard.collection;
}

/** Writes a type as in CSDL. */
export const typeText = ({
  type,
  collection,
}: {
  readonly type: string;
  readonly collection?: boolean;
}): string => (collection ? `Collection(${type})` : type);

/** Returns the known field with the greater facets of both, or itself if it has them. */
export function widened(known: LocalField, found: LocalField): LocalField {
  const scale = greater(known.scale, found.scale);
  const wholeDigits = greater(wholeDigitsOf(known), wholeDigitsOf(found));
  const room = {
    maxLength: greater(known.maxLength, found.maxLength),
    precision: wholeDigits === undefined ? undefined : wholeDigits + (scale ?? 0),
    scale,
  };
  const grown = (["maxLength", "precision", "scale"] as const).flatMap((facet) => {
    const [was, is] = [known[facet], room[facet]];
    return was !== undefined && is !== undefined && is > was ? [[facet, is] as const] : [];
  });
  return grown.length === 0 ? known : { ...known, ...Object.fromEntries(grown) };
}

/** Undefined stands for no limit. */
const greater = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? undefined : Math.max(a, b ?? a);

/** Digits before the point. */
const wholeDigitsOf = ({ precision, scale = 0 }: LocalField): number | undefined =>
  precision === undefined ? undefined : precision - scale;
