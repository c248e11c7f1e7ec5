import fc from "fast-check";
import { expect, test } from "vitest";
import { CellCounter } from "../src/read/cell-counter.ts";

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const near = fc.integer({ min: -3, max: 3 });
const counted = fc.tuple(fc.oneof(near, int32), fc.oneof(near, int32), fc.constantFrom(1, 2, -1));

const namesOf = (cells: Int32Array) =>
  new Map(
    Array.from({ length: cells.length / 3 }, (_, i) => [
      cells.slice(3 * i, 3 * i + 2).join(),
      cells[3 * i + 2],
    ]),
  );

test("counts are the sums by cell, without those that are 0, however many cells there are", () => {
  fc.assert(
    fc.property(fc.array(counted, { maxLength: 3000, size: "max" }), (records) => {
      const expected = new Map<string, number>();
      const [counter, removed] = [new CellCounter(), new CellCounter()];
      for (const [first, second, count] of records) {
        const name = `${first},${second}`;
        expected.set(name, (expected.get(name) ?? 0) + count);
        if (count > 0) counter.add(first, second, count);
        else removed.add(first, second, -count);
      }
      counter.addAll(removed.finish(), -1);
      const cells = counter.finish();
      expect(cells.length).toBe(3 * namesOf(cells).size);
      expect(namesOf(cells)).toEqual(new Map([...expected].filter(([, count]) => count !== 0)));
    }),
    { numRuns: 50 },
  );
});
