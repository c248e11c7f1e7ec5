import { expect, test } from "vitest";
import { transitions } from "../../src/ledger/delivery.ts";

test("a delivery that has ended goes nowhere, and no other state is a dead end", () => {
  const ends = Object.entries(transitions).filter(([, next]) => next.length === 0);
  expect(ends.map(([state]) => state)).toEqual(["canceled", "purged"]);
});
