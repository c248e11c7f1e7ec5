import type { Row } from "@cadastre/odata";
import { quoted } from "./checks.ts";
import type { Filtered } from "./replay.ts";
import type { SampledLookup } from "./sampling.ts";

/** A scenario that compares a lookup field with values that its rows have. */
export type LookupScenario = {
  /** RESO's name of the scenario. */
  readonly tag: string;
  readonly collection: boolean;
  readonly filterOf: (sampled: SampledLookup) => Pick<Filtered, "filter" | "holds">;
};

const items = (row: Row, field: string): readonly unknown[] => {
  const value = row[field];
  if (!Array.isArray(value)) throw new Error(`${field} is no array but ${JSON.stringify(value)}`);
  return value;
};

/** Source: RESO Web API Core 2.0.0, certification scenarios of string lookups. */
export const lookupScenarios: readonly LookupScenario[] = [
  {
    tag: "filter-enum-single-eq",
    collection: false,
    filterOf: ({ field, values: [value] }) => ({
      filter: `${field} eq ${quoted(value)}`,
      holds: (row) => row[field] === value,
    }),
  },
  {
    tag: "filter-enum-ne",
    collection: false,
    filterOf: ({ field, values: [value] }) => ({
      filter: `${field} ne ${quoted(value)}`,
      holds: (row) => row[field] !== value,
    }),
  },
  {
    tag: "filter-coll-enum-any",
    collection: true,
    filterOf: ({ field, values: [value] }) => ({
      filter: `${field}/any(enum:enum eq ${quoted(value)})`,
      holds: (row) => items(row, field).includes(value),
    }),
  },
  {
    tag: "filter-coll-enum-all",
    collection: true,
    filterOf: ({ field, values: [value] }) => ({
      filter: `${field}/all(enum:enum eq ${quoted(value)})`,
      holds: (row) => items(row, field).every((item) => item === value),
    }),
  },
];

/** Source: RESO Web API Core 2.1.0, certification scenarios of string lookups. */
export const laterLookupScenarios: readonly LookupScenario[] = [
  {
    tag: "filter-string-enum-multi-any",
    collection: true,
    filterOf: ({ field, values: [a, b] }) => ({
      filter: `${field}/any(x:x eq ${quoted(a)} or x eq ${quoted(b)})`,
      holds: (row) => items(row, field).some((item) => item === a || item === b),
    }),
  },
  {
    tag: "filter-string-enum-multi-all",
    collection: true,
    filterOf: ({ field, values: [a, b] }) => ({
      filter: `${field}/all(x:x eq ${quoted(a)} or x eq ${quoted(b)})`,
      holds: (row) => items(row, field).every((item) => item === a || item === b),
    }),
  },
  {
    tag: "filter-string-enum-single-in",
    collection: false,
    filterOf: ({ field, values: [a, b] }) => ({
      filter: `${field} in (${quoted(a)},${quoted(b)})`,
      holds: (row) => row[field] === a || row[field] === b,
    }),
  },
];
