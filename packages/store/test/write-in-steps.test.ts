import { writeRecords } from "@cadastre/odata/run";
import { expect, test } from "vitest";
import { writeInSteps } from "../src/postgres/read/write-in-steps.ts";

const form = { ieee754: true, types: { Price: "#Decimal" } };

test("pages are written in another form one after the other, and other work gets its turn meanwhile", async () => {
  const record = `{"Price":1.5,${Array.from({ length: 500 }, (_, i) => `"M${i}":null`).join()}}`;
  const records = Buffer.from(Array.from({ length: 2000 }, () => record).join());
  let turns = 0;
  let turn = setImmediate(function next() {
    turns += 1;
    turn = setImmediate(next);
  });
  const [first, second] = await Promise.all([writeInSteps(records, form), writeInSteps(records, form)]);
  clearImmediate(turn);
  expect(turns).toBeGreaterThanOrEqual(4);
  const expected = writeRecords(records, form);
  for (const written of [first, second]) expect(Buffer.compare(Buffer.from(written), expected)).toBe(0);
});
