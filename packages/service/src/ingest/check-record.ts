import type { Row } from "@cadastre/odata";
import type { Catalog, Field, ResoResource } from "@cadastre/reso";
import { deviationOf } from "./check-value.ts";
import { listedValuesOf } from "./listed-values.ts";
import type { RecordFault } from "./record-faults.ts";
import type { Rounding } from "./rounding.ts";
import type { Source } from "./sources.ts";

export type RecordCheck = {
  readonly catalog: Catalog;
  readonly resource: ResoResource;
  readonly source: Source;
  readonly rounding: Rounding;
};

export type CheckedRecord = {
  /** The record with rounded values, and without the empty lists of other systems' local fields. Computed fields still have the source's values. */
  readonly record: Row;
  readonly faults: readonly RecordFault[];
  /** Fields whose values were rounded. */
  readonly rounded: readonly string[];
  /** Computed fields for which the source gave a value. */
  readonly computed: readonly string[];
};

const none: readonly never[] = [];

/** Checks a record without the store or other records, and returns all of its faults. */
export function checkRecord(given: Row, { catalog, resource, source, rounding }: RecordCheck): CheckedRecord {
  const { byName, required } = fieldsOf(resource);
  const rules = { rounding, isListed: listedValuesOf(catalog, source) };
  const faults: RecordFault[] = [];
  const [rounded, computed]: [string[], string[]] = [[], []];
  let record: Record<string, unknown> | undefined;
  for (const name of Object.keys(given)) {
    const value = given[name];
    const field = byName.get(name);
    if (field === undefined) {
      faults.push({ field: name, code: "unknown_field" });
      continue;
    }
    if (value === null) continue;
    if (field.source !== null && field.source !== source.name) {
      // Exports and answers of another Cadastre have an empty list for each field of the other systems.
      if (Array.isArray(value) && value.length === 0) {
        record ??= { ...given };
        delete record[name];
        continue;
      }
      faults.push({ field: name, code: "foreign_field" });
      continue;
    }
    if (field.computed) {
      computed.push(name);
      continue;
    }
    const found = deviationOf(value, field, rules);
    if (found === undefined) continue;
    if ("fault" in found) {
      faults.push({ field: name, code: found.fault });
      continue;
    }
    record ??= { ...given };
    record[name] = found.stored;
    if (found.isRounded) rounded.push(name);
  }
  for (const name of required)
    if (given[name] === undefined || given[name] === null || given[name] === "")
      faults.push({ field: name, code: "missing_field" });
  const system = given["OriginatingSystemName"];
  if (typeof system === "string" && system !== source.systemName) faults.push(wrongSystem);
  return {
    record: record ?? given,
    faults: faults.length === 0 ? none : faults,
    rounded,
    computed,
  };
}

const wrongSystem: RecordFault = { field: "OriginatingSystemName", code: "wrong_system" };

type Fields = {
  readonly byName: ReadonlyMap<string, Field>;
  /** Names of the fields that must have a value. */
  readonly required: readonly string[];
};

const known = new WeakMap<ResoResource, Fields>();

function fieldsOf(resource: ResoResource): Fields {
  const { fields, key } = resource;
  const found = known.get(resource) ?? {
    byName: new Map(fields.map((field) => [field.name, field])),
    required: fields
      .filter(({ nullable, collection, name }) => (!nullable || name === key) && !collection)
      .map(({ name }) => name),
  };
  known.set(resource, found);
  return found;
}
