import { sql } from "../sql/fragment.ts";
import { defineFunction, type FunctionEntry } from "./define.ts";

/** Rounds a decimal to a number of digits after the point, half away from zero, like `round`. */
export const roundTo: FunctionEntry = defineFunction({
  name: "roundto",
  source: "OData 4.01 URL Conventions 5.1.1.9.3, to a digit after the point",
  params: ["Edm.Decimal", "Edm.Int64"],
  returns: "Edm.Decimal",
  postgres: ([x, digits]) => sql`round(${x}, least(${digits}, 16383)::int)`,
  evaluate: ([x, digits]) => {
    const rounded = x.round(Number(digits), 1);
    // Removes the sign of zero, which JSON does not have.
    return rounded.eq(0) ? rounded.abs() : rounded;
  },
  examples: [],
});
