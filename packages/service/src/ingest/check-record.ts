import { codecOf, type Row } from "@cadastre/odata";
import { type Field, lookupValues, type Resource } from "@cadastre/reso";
import { isCanonicalPlacekey } from "../identity/placekey.ts";
import type { Source } from "./sources.ts";

/** Why a record is not taken: stable codes, and what they mean. */
export const faultReasons = {
  malformed: "the line holds no record",
  unknown_field: "the resource has no such field",
  foreign_field: "the field is a local one of another system",
  missing_field: "the field has no value, and must have one",
  wrong_type: "the value is not of the field's type",
  too_long: "the text is longer than the field's length",
  invalid_placekey: "the value is not a canonical Placekey",
  unknown_lookup_value: "the field's lookup has no such value",
  wrong_system: "the record is of another originating system than the source",
  duplicate_key: "an earlier record of the file has the same key",
  coordinates_outside_state: "the coordinates lie outside the state of the record, or of its system",
  foreign_key: "the key belongs to a record of another originating system",
  unknown_media: "no media with this key is served: publish it first",
  unknown_listing: "no listing with this key is served: publish it first",
} as const;

export type FaultCode = keyof typeof faultReasons;

export type Fault = { readonly field: string | null; readonly code: FaultCode };

/** Every fault of a record that it shows by itself. */
export function faultsOf(record: Row, { fields, key }: Resource, source: Source): readonly Fault[] {
  const known = fieldsByName(fields);
  const given = Object.entries(record).flatMap(([name, value]): Fault[] => {
    const field = known.get(name);
    if (field === undefined) return [{ field: name, code: "unknown_field" }];
    if (value === null) return [];
    if (field.source !== null && field.source !== source.name)
      return [{ field: name, code: "foreign_field" }];
    const code = faultOf(value, field);
    return code === undefined ? [] : [{ field: name, code }];
  });
  const missing = fields
    .filter(({ nullable, collection, name }) => (!nullable || name === key) && !collection)
    .filter(({ name }) => record[name] === undefined || record[name] === null || record[name] === "")
    .map(({ name }): Fault => ({ field: name, code: "missing_field" }));
  const system = record["OriginatingSystemName"];
  const isForeign = typeof system === "string" && system !== source.systemName;
  return [...given, ...missing, ...(isForeign ? [wrongSystem] : [])];
}

const wrongSystem: Fault = { field: "OriginatingSystemName", code: "wrong_system" };

const byName = new WeakMap<readonly Field[], ReadonlyMap<string, Field>>();

function fieldsByName(fields: readonly Field[]): ReadonlyMap<string, Field> {
  const known = byName.get(fields) ?? new Map(fields.map((field) => [field.name, field]));
  byName.set(fields, known);
  return known;
}

function faultOf(value: unknown, field: Field): FaultCode | undefined {
  if (!field.collection) return faultOfItem(value, field);
  if (!Array.isArray(value)) return "wrong_type";
  for (const item of value) {
    const code = item === null ? "wrong_type" : faultOfItem(item, field);
    if (code !== undefined) return code;
  }
  return undefined;
}

function faultOfItem(value: unknown, { name, type, maxLength, lookup }: Field): FaultCode | undefined {
  if (codecOf(type).fromJson(value) === undefined) return "wrong_type";
  if (typeof value !== "string" || type !== "Edm.String") return undefined;
  if (value.includes("\0") || !value.isWellFormed()) return "wrong_type";
  if (typeof maxLength === "number" && Array.from(value).length > maxLength) return "too_long";
  if (name === "Placekey" && !isCanonicalPlacekey(value)) return "invalid_placekey";
  return lookup === undefined || isListed(value, lookup) ? undefined : "unknown_lookup_value";
}

const listed = new Map<string, ReadonlySet<string>>();

/** Whether the lookup has the value; one without listed values has any. */
function isListed(value: string, lookup: string): boolean {
  const values = listed.get(lookup) ?? new Set(lookupValues(lookup).map((one) => one.value));
  listed.set(lookup, values);
  return values.size === 0 || values.has(value);
}
