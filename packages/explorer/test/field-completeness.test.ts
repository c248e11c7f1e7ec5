import { expect, test } from "vitest";
import { readCompleteness } from "../src/coverage/field-completeness.ts";

const cell = (source_id: string, total_count: number, populated_count: number, suppressed = false) => ({
  source_id,
  originating_system_name: "Lone Star MLS",
  wire_field: "City",
  total_count,
  populated_count,
  populated_ratio: suppressed ? null : populated_count / total_count,
  suppressed,
});

const ratioOf = (...cells: readonly unknown[]) =>
  readCompleteness({ data: { minimum_cell_size: 10, reso_dd_version: "2.0", cells } })
    .byField.get("City")
    ?.get("Lone Star MLS")?.ratio;

test("sources of one system are added up", () => {
  expect(ratioOf(cell("a", 100, 50), cell("b", 300, 300))).toBe(0.875);
});

test("what is suppressed has no share, and adds nothing", () => {
  expect(ratioOf(cell("a", 0, 0, true))).toBeNull();
  expect(ratioOf(cell("a", 0, 0, true), cell("b", 20, 10))).toBe(0.5);
  expect(ratioOf(cell("b", 20, 10), cell("a", 0, 0, true))).toBe(0.5);
});
