import { createHash } from "node:crypto";
import { datasetProperty } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import type { Counted, Place } from "./coverage.ts";
import type { PopulationText } from "./population.ts";

/** What tells the records of one atom from those of another. */
export type AtomKey = readonly [
  datasetId: string | null,
  source: string | null,
  system: string | null,
  ...places: (string | null)[],
];

/** The finest group of records that is counted: no scope and no market divides it. */
export type Atom = {
  readonly key: AtomKey;
  readonly records: number;
  readonly populated: PopulationText;
};

/** What of a column's value tells the place. */
export const placeOf = ({ characters }: Place, value: string | null): string | null =>
  value === null || characters === undefined || value.length <= characters
    ? value
    : Array.from(value).slice(0, characters).join("");

/** The row that stands for all records of an atom, for filters that read nothing else. */
export const atomRow = ([datasetId, , system, ...places]: AtomKey, counted: Counted): Row => ({
  [datasetProperty.name]: datasetId,
  [counted.system]: system,
  ...Object.fromEntries(counted.places.map(({ column }, i) => [column, places[i] ?? null])),
});

/** Short whatever the texts are, so that an index holds it. */
export const atomId = (key: AtomKey): string =>
  createHash("sha256").update(JSON.stringify(key)).digest("hex");
