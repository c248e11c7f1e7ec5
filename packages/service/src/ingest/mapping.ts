import type { EntitySet, Row } from "@cadastre/odata";
import type { Catalog, RecordName } from "@cadastre/reso";
import { type DateForm, isoDate } from "./date-forms.ts";

/** A JSON value that a mapping may give a field. */
type MappedValue = string | number | boolean | null | readonly string[];

/** How the records of a source become records of a resource. Every member but `rename` uses the names of the resource's fields. */
export type ResourceMapping = {
  /** Names of the source, with the name of the field that each becomes. */
  readonly rename?: Readonly<Record<string, string>> | undefined;
  /** Fields whose values are ignored. */
  readonly drop?: readonly string[] | undefined;
  /** Treatment of fields that the resource does not have. By default they are rejected. */
  readonly unknownFields?: "reject" | "drop" | undefined;
  /** Separators of text lists that become collections. */
  readonly split?: Readonly<Record<string, string>> | undefined;
  /** Values of the source, with the value that each becomes, by field. Other values are kept. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, MappedValue>>>> | undefined;
  /** Forms of dates that are not ISO 8601, by field. */
  readonly dates?: Readonly<Record<string, DateForm>> | undefined;
  /** Values for fields that have none. */
  readonly defaults?: Readonly<Record<string, MappedValue>> | undefined;
  /** Values that replace those of the source. */
  readonly constants?: Readonly<Record<string, MappedValue>> | undefined;
};

/** A mapping of all resources of a source. */
export type SourceMapping = {
  /** Catalog whose fields it names. */
  readonly catalog: Catalog;
  readonly resources: Partial<Readonly<Record<RecordName, ResourceMapping>>>;
  /** SHA-256 of its file, which identifies it. */
  readonly sha256: string;
};

/** Returns the record that the mapping makes of a record of the source. Never fails: the checks of ingest reject what does not fit. */
export function mapRecord(mapping: SourceMapping, name: RecordName, given: Row): Row {
  const rules = mapping.resources[name];
  if (rules === undefined) return given;
  const {
    rename = {},
    drop = [],
    split = {},
    values = {},
    dates = {},
    defaults = {},
    constants = {},
  } = rules;
  const known = rules.unknownFields === "drop" ? mapping.catalog.entitySet(name).type.properties : undefined;
  const record = new Map<string, unknown>();
  for (const [source, value] of Object.entries(given)) {
    const field = own(rename, source) ?? source;
    // A renamed value wins over one that has the field's name already.
    if (record.has(field) && field === source) continue;
    if (drop.includes(field) || known?.has(field) === false) continue;
    const parts = splitText(value, own(split, field));
    const mapped = mapValues(parts, own(values, field));
    const form = own(dates, field);
    record.set(field, form !== undefined && typeof mapped === "string" ? isoDate(mapped, form) : mapped);
  }
  for (const [field, value] of Object.entries(defaults))
    if (isAbsent(record.get(field))) record.set(field, value);
  for (const [field, value] of Object.entries(constants)) record.set(field, value);
  return Object.fromEntries(record);
}

/** Returns the member that an object has itself: a source may have a field `constructor`. */
const own = <Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";

const splitText = (value: unknown, separator: string | undefined): unknown =>
  separator === undefined || typeof value !== "string"
    ? value
    : value
        .split(separator)
        .map((part) => part.trim())
        .filter((part) => part !== "");

function mapValues(value: unknown, map: Readonly<Record<string, MappedValue>> | undefined): unknown {
  if (map === undefined) return value;
  if (Array.isArray(value)) {
    const mapped = value.flatMap((one: unknown) => mapValues(one, map) as unknown);
    // Two values of the source may become one value.
    return [...new Set(mapped)].filter((one) => one !== null);
  }
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return value;
  const found = own(map, String(value));
  return found === undefined ? value : found;
}

/** Returns the name that the source has for a field of ours. */
export function sourceName(mapping: SourceMapping | undefined, name: RecordName, field: string): string {
  const renamed = Object.entries(mapping?.resources[name]?.rename ?? {}).find(([, ours]) => ours === field);
  return renamed?.[0] ?? field;
}

/**
 * Returns the entity set by whose types the cells of a CSV file are read: under the source's names, and without the fields that the
 * mapping reads as text.
 */
export function sourceEntitySet(mapping: SourceMapping, name: RecordName): EntitySet {
  const set = mapping.catalog.entitySet(name);
  const rules = mapping.resources[name];
  if (rules === undefined) return set;
  const isText = (field: string) =>
    [rules.split, rules.dates].some((one) => one !== undefined && Object.hasOwn(one, field));
  const properties = new Map(set.type.properties);
  for (const [source, field] of Object.entries(rules.rename ?? {})) {
    const property = set.type.properties.get(field);
    if (property !== undefined) properties.set(source, property);
    if (isText(field)) properties.delete(source);
  }
  for (const field of properties.keys()) if (isText(field)) properties.delete(field);
  return { ...set, type: { ...set.type, properties } };
}
