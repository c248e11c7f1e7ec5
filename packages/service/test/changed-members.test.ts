import fc from "fast-check";
import { expect, test } from "vitest";
import { changedMembers, recordDifference } from "../src/events/changed-members.ts";

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

const values = fc.oneof(
  fc.constantFrom<unknown>(1, 1.5, "", "a", 'a"b', "\\", "é,", true, null, [], ["a", "b"], {
    A: 1,
    B: ["}"],
  }),
  fc.string(),
);
const names = ["A", "B", 'C"', "D\\", "Ä", "F"];

/** Objects with the same order of members, of which each lacks some. */
const objects = fc
  .array(fc.option(values, { nil: undefined }), { minLength: names.length, maxLength: names.length })
  .map((list) => Object.fromEntries(names.map((name, i) => [name, list[i]])));

test("members that differ, or that one object lacks, are named", () => {
  fc.assert(
    fc.property(objects, objects, (was, is) => {
      const expected = names.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
      const found = changedMembers(bytes(was), bytes(is)).map((name) => JSON.parse(`"${name}"`) as string);
      expect(found.toSorted()).toEqual(expected.toSorted());
    }),
    { numRuns: 2000 },
  );
});

test("a difference tells the dataset that both versions have", () => {
  const record = (more: object) => bytes({ Text: '"DatasetId":"no"', ...more });
  expect(recordDifference(record({ DatasetId: "d" }), record({ DatasetId: "d" }))).toEqual({
    dataset: "d",
    fields: [],
  });
  expect(recordDifference(record({ A: 1, DatasetId: "d" }), record({ DatasetId: "d" }))).toEqual({
    dataset: "d",
    fields: ["A"],
  });
  expect(recordDifference(record({}), record({ A: 1 }))).toEqual({ dataset: null, fields: ["A"] });
  expect(recordDifference(record({ DatasetId: "d" }), record({ DatasetId: "e" }))).toEqual({
    dataset: undefined,
    fields: ["DatasetId"],
  });
  expect(recordDifference(record({}), record({ DatasetId: "e" }))).toEqual({
    dataset: undefined,
    fields: ["DatasetId"],
  });
});
