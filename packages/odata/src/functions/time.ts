import Big from "big.js";
import {
  picosecondsPerHour as hourLength,
  picosecondsPerMinute as minuteLength,
  picosecondsPerSecond as secondLength,
} from "../model/temporal.ts";
import { sql } from "../sql/fragment.ts";
import { defineFunction, type FunctionEntry } from "./define.ts";
import { local } from "./instant.ts";

/** Converts picoseconds to seconds. */
const seconds = (picoseconds: bigint): Big => new Big(`${picoseconds}e-12`);

const hours = (time: bigint): bigint => time / hourLength;
const minutes = (time: bigint): bigint => (time / minuteLength) % 60n;
const wholeSeconds = (time: bigint): bigint => (time / secondLength) % 60n;

export const fractionalseconds: FunctionEntry = defineFunction({
  name: "fractionalseconds",
  source: "OData 4.01 URL Conventions 5.1.1.8.3",
  params: ["Edm.DateTimeOffset"],
  returns: "Edm.Decimal",
  postgres: ([instant]) => sql`mod(cadastre_time(${instant}), 1000000000000) * 0.000000000001`,
  evaluate: ([instant]) => seconds(local(instant).time % secondLength),
  examples: [
    ["fractionalseconds(2024-01-15T08:30:59.123Z)", 0.123],
    ["fractionalseconds(1969-12-31T23:59:59.25Z)", 0.25],
    ["fractionalseconds(2024-01-15T08:30Z)", 0],
    ["fractionalseconds(null)", null],
  ],
});

export const fractionalsecondsOfTime: FunctionEntry = defineFunction({
  name: "fractionalseconds",
  source: "OData 4.01 URL Conventions 5.1.1.8.3",
  params: ["Edm.TimeOfDay"],
  returns: "Edm.Decimal",
  postgres: ([time]) => sql`mod(${time}, 1000000000000) * 0.000000000001`,
  evaluate: ([time]) => seconds(time % secondLength),
  examples: [
    ["fractionalseconds(08:30:59.000001)", 0.000001],
    ["fractionalseconds(23:59:59.999)", 0.999],
    ["fractionalseconds(08:30)", 0],
  ],
});

export const hour: FunctionEntry = defineFunction({
  name: "hour",
  source: "OData 4.01 URL Conventions 5.1.1.8.4",
  params: ["Edm.DateTimeOffset"],
  returns: "Edm.Int32",
  sqlite: ([instant]) => sql`cast(substr(${instant}, 12, 2) as integer)`,
  postgres: ([instant]) => sql`div(cadastre_time(${instant}), 3600000000000000)::bigint`,
  evaluate: ([instant]) => hours(local(instant).time),
  examples: [
    ["hour(2024-01-15T08:30:59Z)", 8],
    ["hour(1969-12-31T23:59:59.999Z)", 23],
    ["hour(2024-01-15T00:00:00Z)", 0],
    ["hour(null)", null],
  ],
});

export const hourOfTime: FunctionEntry = defineFunction({
  name: "hour",
  source: "OData 4.01 URL Conventions 5.1.1.8.4",
  params: ["Edm.TimeOfDay"],
  returns: "Edm.Int32",
  postgres: ([time]) => sql`div(${time}, 3600000000000000)::bigint`,
  evaluate: ([time]) => hours(time),
  examples: [
    ["hour(08:30:59)", 8],
    ["hour(23:59:59.999)", 23],
    ["hour(00:00)", 0],
  ],
});

export const minute: FunctionEntry = defineFunction({
  name: "minute",
  source: "OData 4.01 URL Conventions 5.1.1.8.7",
  params: ["Edm.DateTimeOffset"],
  returns: "Edm.Int32",
  sqlite: ([instant]) => sql`cast(substr(${instant}, 15, 2) as integer)`,
  postgres: ([instant]) => sql`mod(div(cadastre_time(${instant}), 60000000000000), 60)::bigint`,
  evaluate: ([instant]) => minutes(local(instant).time),
  examples: [
    ["minute(2024-01-15T08:30:59Z)", 30],
    ["minute(1969-12-31T23:59:59.999Z)", 59],
    ["minute(2024-01-15T08:00:00Z)", 0],
    ["minute(null)", null],
  ],
});

export const minuteOfTime: FunctionEntry = defineFunction({
  name: "minute",
  source: "OData 4.01 URL Conventions 5.1.1.8.7",
  params: ["Edm.TimeOfDay"],
  returns: "Edm.Int32",
  postgres: ([time]) => sql`mod(div(${time}, 60000000000000), 60)::bigint`,
  evaluate: ([time]) => minutes(time),
  examples: [
    ["minute(08:30:59)", 30],
    ["minute(23:59:59.999)", 59],
    ["minute(00:00)", 0],
  ],
});

export const second: FunctionEntry = defineFunction({
  name: "second",
  source: "OData 4.01 URL Conventions 5.1.1.8.10",
  params: ["Edm.DateTimeOffset"],
  returns: "Edm.Int32",
  sqlite: ([instant]) => sql`cast(substr(${instant}, 18, 2) as integer)`,
  postgres: ([instant]) => sql`mod(div(cadastre_time(${instant}), 1000000000000), 60)::bigint`,
  evaluate: ([instant]) => wholeSeconds(local(instant).time),
  examples: [
    ["second(2024-01-15T08:30:41.999Z)", 41],
    ["second(1969-12-31T23:59:59.999Z)", 59],
    ["second(2024-01-15T08:30Z)", 0],
    ["second(null)", null],
  ],
});

export const secondOfTime: FunctionEntry = defineFunction({
  name: "second",
  source: "OData 4.01 URL Conventions 5.1.1.8.10",
  params: ["Edm.TimeOfDay"],
  returns: "Edm.Int32",
  postgres: ([time]) => sql`mod(div(${time}, 1000000000000), 60)::bigint`,
  evaluate: ([time]) => wholeSeconds(time),
  examples: [
    ["second(08:30:41)", 41],
    ["second(23:59:59.999)", 59],
    ["second(08:30)", 0],
  ],
});

export const timeOfInstant: FunctionEntry = defineFunction({
  name: "time",
  source: "OData 4.01 URL Conventions 5.1.1.8.11",
  params: ["Edm.DateTimeOffset"],
  returns: "Edm.TimeOfDay",
  postgres: ([instant]) => sql`cadastre_time(${instant})`,
  evaluate: ([instant]) => local(instant).time,
  examples: [
    ["time(2024-01-15T08:30:59.125Z)", "08:30:59.125"],
    ["time(1969-12-31T23:59:59.999Z)", "23:59:59.999"],
    ["time(2024-01-15T00:00:00Z)", "00:00:00"],
    ["time(null)", null],
  ],
});

/** Always zero in a database, which stores instants without the offsets they were written with. */
export const totaloffsetminutes: FunctionEntry = defineFunction({
  name: "totaloffsetminutes",
  source: "OData 4.01 URL Conventions 5.1.1.8.12",
  params: ["Edm.DateTimeOffset"],
  returns: "Edm.Int32",
  sqlite: ([instant]) => sql`iif(${instant} is null, null, 0)`,
  postgres: ([instant]) => sql`case when ${instant} is not null then 0::bigint end`,
  evaluate: ([{ offset }]) => BigInt(offset),
  examples: [
    ["totaloffsetminutes(2024-01-15T08:30:00Z)", 0],
    ["totaloffsetminutes(1900-01-15T08:30:00+00:00)", 0],
    ["totaloffsetminutes(null)", null],
  ],
});

export const totalseconds: FunctionEntry = defineFunction({
  name: "totalseconds",
  source: "OData 4.01 URL Conventions 5.1.1.8.13",
  params: ["Edm.Duration"],
  returns: "Edm.Decimal",
  // Multiplies instead of dividing: a product of decimals is exact.
  postgres: ([duration]) => sql`${duration} * 0.000000000001`,
  evaluate: ([duration]) => seconds(duration),
  examples: [
    ["totalseconds(duration'P1DT2H')", 93_600],
    ["totalseconds(duration'-PT0.5S')", -0.5],
    ["totalseconds(duration'PT0.000000000001S')", 1e-12],
    ["totalseconds(duration'PT0S')", 0],
    ["totalseconds(null)", null],
  ],
});
