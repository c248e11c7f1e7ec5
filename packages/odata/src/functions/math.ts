import Big from "big.js";
import { sql } from "../sql/fragment.ts";
import { defineFunction, type FunctionEntry } from "./define.ts";

const [down, halfUp, up]: readonly [0, 1, 3] = [0, 1, 3];

/** Removes the sign of zero, which JSON does not have. */
const decimal = (value: Big): Big => (value.eq(0) ? new Big(0) : value);
const double = (value: number): number => value + 0;

export const ceiling: FunctionEntry = defineFunction({
  name: "ceiling",
  source: "OData 4.01 URL Conventions 5.1.1.9.1",
  params: ["Edm.Decimal"],
  returns: "Edm.Decimal",
  postgres: ([x]) => sql`ceil(${x})`,
  evaluate: ([x]) => decimal(x.round(0, x.lt(0) ? down : up)),
  examples: [
    ["ceiling(31.2)", 32],
    ["ceiling(-31.8)", -31],
    ["ceiling(-0.5)", 0],
    ["ceiling(7)", 7],
    ["ceiling(0.000000000000000000000000000001)", 1],
    ["ceiling(null)", null],
  ],
});

export const ceilingOfDouble: FunctionEntry = defineFunction({
  name: "ceiling",
  source: "OData 4.01 URL Conventions 5.1.1.9.1",
  params: ["Edm.Double"],
  returns: "Edm.Double",
  sqlite: ([x]) => sql`ceil(${x}) + 0.0`,
  postgres: ([x]) => sql`ceil(${x}) + 0.0::float8`,
  evaluate: ([x]) => double(Math.ceil(x)),
  examples: [
    ["ceiling(3.12e1)", 32],
    ["ceiling(-5e-1)", 0],
    ["ceiling(1e300)", 1e300],
    ["ceiling(5e-324)", 1],
    ["ceiling(-INF)", "-INF"],
  ],
});

export const floor: FunctionEntry = defineFunction({
  name: "floor",
  source: "OData 4.01 URL Conventions 5.1.1.9.2",
  params: ["Edm.Decimal"],
  returns: "Edm.Decimal",
  postgres: ([x]) => sql`floor(${x})`,
  evaluate: ([x]) => decimal(x.round(0, x.lt(0) ? up : down)),
  examples: [
    ["floor(32.9)", 32],
    ["floor(-32.1)", -33],
    ["floor(0.5)", 0],
    ["floor(-7)", -7],
    ["floor(-0.000000000000000000000000000001)", -1],
    ["floor(null)", null],
  ],
});

export const floorOfDouble: FunctionEntry = defineFunction({
  name: "floor",
  source: "OData 4.01 URL Conventions 5.1.1.9.2",
  params: ["Edm.Double"],
  returns: "Edm.Double",
  sqlite: ([x]) => sql`floor(${x}) + 0.0`,
  postgres: ([x]) => sql`floor(${x}) + 0.0::float8`,
  evaluate: ([x]) => double(Math.floor(x)),
  examples: [
    ["floor(3.29e1)", 32],
    ["floor(-5e-1)", -1],
    ["floor(-1e300)", -1e300],
    ["floor(-5e-324)", -1],
    ["floor(INF)", "INF"],
  ],
});

/** Rounds half away from zero. */
export const round: FunctionEntry = defineFunction({
  name: "round",
  source: "OData 4.01 URL Conventions 5.1.1.9.3",
  params: ["Edm.Decimal"],
  returns: "Edm.Decimal",
  postgres: ([x]) => sql`round(${x})`,
  evaluate: ([x]) => decimal(x.round(0, halfUp)),
  examples: [
    ["round(31.5)", 32],
    ["round(2.5)", 3],
    ["round(-2.5)", -3],
    ["round(0.49999999999999994)", 0],
    ["round(-0.4)", 0],
    ["round(null)", null],
  ],
});

/**
 * Rounds half away from zero. SQLite's own `round` rounds 0.49999999999999994 to 1, PostgreSQL's rounds half to
 * even.
 */
export const roundOfDouble: FunctionEntry = defineFunction({
  name: "round",
  source: "OData 4.01 URL Conventions 5.1.1.9.3",
  params: ["Edm.Double"],
  returns: "Edm.Double",
  postgres: ([x]) => sql`cadastre_round(${x})`,
  evaluate: ([x]) => {
    const whole = Math.trunc(x);
    return double(Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole);
  },
  examples: [
    ["round(2.5e0)", 3],
    ["round(-2.5e0)", -3],
    ["round(0.49999999999999994e0)", 0],
    ["round(-4e-1)", 0],
    ["round(4503599627370497.5e0)", 4503599627370498],
    ["round(1e300)", 1e300],
    ["round(INF)", "INF"],
  ],
});
