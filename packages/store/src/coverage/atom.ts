import { createHash } from "node:crypto";
import { datasetProperty } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import type { Counted } from "./coverage.ts";
import type { PopulationText } from "./population.ts";

/** What tells the records of one atom from those of another: texts as columns hold them. */
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

/** Columns of the places, each once. */
export const placeColumns = ({ places }: Counted): readonly string[] => [
  ...new Set(places.map(({ column }) => column)),
];

/** The row that stands for all records of an atom, for filters that read nothing else. */
export const atomRow = ([datasetId, , system, ...places]: AtomKey, counted: Counted): Row => ({
  [datasetProperty.name]: datasetId,
  [counted.system]: system,
  ...Object.fromEntries(placeColumns(counted).map((column, i) => [column, places[i] ?? null])),
});

/** Short whatever the texts are, so that an index holds it. */
export const atomId = (key: AtomKey): string =>
  createHash("sha256").update(JSON.stringify(key)).digest("hex");
