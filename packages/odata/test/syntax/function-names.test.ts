import { expect, test } from "vitest";
import { functionTable } from "../../src/functions/table.ts";
import { isCanonicalFunction } from "../../src/syntax/function-names.ts";

/** Functions that the binder reads itself, and one of the aggregation extension that is not evaluated. */
const withoutEntry = ["cast", "isof", "isdefined"];

test("every function of the function table is told from a key by its name", () => {
  const names = [...functionTable.keys(), ...withoutEntry];
  expect(names.filter((name) => !isCanonicalFunction(name))).toEqual([]);
});
