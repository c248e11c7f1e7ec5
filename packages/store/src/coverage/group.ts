import { createHash } from "node:crypto";
import { datasetProperty } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import type { Counted, LocationColumn } from "../stored-resource.ts";
import type { PopulationText } from "./population.ts";

/** Values that all records of a group share. */
export type GroupKey = readonly [
  datasetId: string | null,
  source: string | null,
  system: string | null,
  ...places: (string | null)[],
];

/**
 * The smallest group of records that is counted. A scope grants either all records of a group or none, and so does a market.
 */
export type CoverageGroup = {
  readonly key: GroupKey;
  readonly records: number;
  readonly populated: PopulationText;
};

/** Returns the part of a column's value that identifies the place: its first `characters` characters, or all of it. */
export const groupedValue = ({ characters }: LocationColumn, value: string | null): string | null =>
  value === null || characters === undefined || value.length <= characters
    ? value
    : Array.from(value).slice(0, characters).join("");

/** Returns a row that represents all records of a group, for filters that read only the properties they are counted by. */
export const groupRow = ([datasetId, , system, ...places]: GroupKey, counted: Counted): Row => ({
  [datasetProperty.name]: datasetId,
  [counted.system]: system,
  ...Object.fromEntries(counted.places.map(({ column }, i) => [column, places[i] ?? null])),
});

/** Returns a hash of the key. It has a fixed length, so that an index can hold it. */
export const groupId = (key: GroupKey): string =>
  createHash("sha256").update(JSON.stringify(key)).digest("hex");
