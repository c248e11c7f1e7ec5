import { civilFromDays, parseInstant } from "../model/temporal.ts";
import { sql } from "../sql/fragment.ts";
import { defineFunction, type FunctionEntry } from "./define.ts";
import { local } from "./instant.ts";

export const dateOfInstant: FunctionEntry = defineFunction({
  name: "date",
  source: "OData 4.01 URL Conventions 5.1.1.8.1",
  params: ["Edm.DateTimeOffset"],
  returns: "Edm.Date",
  sqlite: ([instant]) => sql`substr(${instant}, 1, 10)`,
  postgres: ([instant]) => sql`cadastre_date(${instant})`,
  evaluate: ([instant]) => local(instant).days,
  examples: [
    ["date(2024-02-29T23:59:59.999Z)", "2024-02-29"],
    ["date(1969-12-31T23:59:59Z)", "1969-12-31"],
    ["date(9999-12-31T00:00:00Z)", "9999-12-31"],
    ["date(null)", null],
  ],
});

export const day: FunctionEntry = defineFunction({
  name: "day",
  source: "OData 4.01 URL Conventions 5.1.1.8.2",
  params: ["Edm.Date"],
  returns: "Edm.Int32",
  sqlite: ([date]) => sql`cast(substr(${date}, 9, 2) as integer)`,
  postgres: ([date]) => sql`extract(day from ${date})::bigint`,
  evaluate: ([date]) => BigInt(civilFromDays(date).day),
  examples: [
    ["day(2024-02-29)", 29],
    ["day(1969-12-31)", 31],
    ["day(0001-01-08)", 8],
    ["day(null)", null],
  ],
});

export const dayOfInstant: FunctionEntry = defineFunction({
  name: "day",
  source: "OData 4.01 URL Conventions 5.1.1.8.2",
  params: ["Edm.DateTimeOffset"],
  returns: "Edm.Int32",
  sqlite: ([instant]) => sql`cast(substr(${instant}, 9, 2) as integer)`,
  postgres: ([instant]) => sql`extract(day from cadastre_date(${instant}))::bigint`,
  evaluate: ([instant]) => BigInt(civilFromDays(local(instant).days).day),
  examples: [
    ["day(2024-03-01T00:00:00Z)", 1],
    ["day(2024-02-29T23:59:59.999Z)", 29],
    ["day(1900-02-28T12:00:00Z)", 28],
  ],
});

/** The earliest instant that all engines can represent. */
export const mindatetime: FunctionEntry = defineFunction({
  name: "mindatetime",
  source: "OData 4.01 URL Conventions 5.1.1.8.6",
  params: [],
  returns: "Edm.DateTimeOffset",
  sqlite: () => sql`'0001-01-01T00:00:00.000Z'`,
  postgres: () => sql`(-62135596800000000000000)::numeric`,
  evaluate: () => parseInstant("0001-01-01T00:00:00Z") ?? null,
  examples: [
    ["mindatetime()", "0001-01-01T00:00:00.000Z"],
    ["year(mindatetime())", 1],
    ["hour(mindatetime())", 0],
  ],
});

/** The latest instant that all engines can represent: SQLite's text has milliseconds. */
export const maxdatetime: FunctionEntry = defineFunction({
  name: "maxdatetime",
  source: "OData 4.01 URL Conventions 5.1.1.8.5",
  params: [],
  returns: "Edm.DateTimeOffset",
  sqlite: () => sql`'9999-12-31T23:59:59.999Z'`,
  postgres: () => sql`253402300799999000000000::numeric`,
  evaluate: () => parseInstant("9999-12-31T23:59:59.999Z") ?? null,
  examples: [
    ["maxdatetime()", "9999-12-31T23:59:59.999Z"],
    ["year(maxdatetime())", 9999],
    ["second(maxdatetime())", 59],
  ],
});

export const month: FunctionEntry = defineFunction({
  name: "month",
  source: "OData 4.01 URL Conventions 5.1.1.8.8",
  params: ["Edm.Date"],
  returns: "Edm.Int32",
  sqlite: ([date]) => sql`cast(substr(${date}, 6, 2) as integer)`,
  postgres: ([date]) => sql`extract(month from ${date})::bigint`,
  evaluate: ([date]) => BigInt(civilFromDays(date).month),
  examples: [
    ["month(2024-02-29)", 2],
    ["month(1969-12-31)", 12],
    ["month(0001-01-08)", 1],
    ["month(null)", null],
  ],
});

export const monthOfInstant: FunctionEntry = defineFunction({
  name: "month",
  source: "OData 4.01 URL Conventions 5.1.1.8.8",
  params: ["Edm.DateTimeOffset"],
  returns: "Edm.Int32",
  sqlite: ([instant]) => sql`cast(substr(${instant}, 6, 2) as integer)`,
  postgres: ([instant]) => sql`extract(month from cadastre_date(${instant}))::bigint`,
  evaluate: ([instant]) => BigInt(civilFromDays(local(instant).days).month),
  examples: [
    ["month(2024-03-01T00:00:00Z)", 3],
    ["month(2024-02-29T23:59:59.999Z)", 2],
    ["month(1900-12-31T12:00:00Z)", 12],
  ],
});

export const year: FunctionEntry = defineFunction({
  name: "year",
  source: "OData 4.01 URL Conventions 5.1.1.8.14",
  params: ["Edm.Date"],
  returns: "Edm.Int32",
  sqlite: ([date]) => sql`cast(substr(${date}, 1, 4) as integer)`,
  postgres: ([date]) => sql`cadastre_year(${date})`,
  evaluate: ([date]) => BigInt(civilFromDays(date).year),
  examples: [
    ["year(2024-02-29)", 2024],
    ["year(0001-01-01)", 1],
    ["year(9999-12-31)", 9999],
    ["year(null)", null],
  ],
});

export const yearOfInstant: FunctionEntry = defineFunction({
  name: "year",
  source: "OData 4.01 URL Conventions 5.1.1.8.14",
  params: ["Edm.DateTimeOffset"],
  returns: "Edm.Int32",
  sqlite: ([instant]) => sql`cast(substr(${instant}, 1, 4) as integer)`,
  postgres: ([instant]) => sql`cadastre_year(cadastre_date(${instant}))`,
  evaluate: ([instant]) => BigInt(civilFromDays(local(instant).days).year),
  examples: [
    ["year(2024-01-01T00:00:00Z)", 2024],
    ["year(2023-12-31T23:59:59.999Z)", 2023],
    ["year(0001-01-01T00:00:00Z)", 1],
  ],
});
