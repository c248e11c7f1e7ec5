import { describe, expect, test } from "vitest";
import {
  noRejectLimit,
  type RejectLimit,
  rejectLimit,
  requireFewRejects,
} from "../../src/ingest/reject-limit.ts";
import { RejectReasons } from "../../src/ingest/reject-reasons.ts";

describe("rejected records end a run", () => {
  test.each<[string, RejectLimit, number, number, RegExp | undefined]>([
    ["half of them are too few to end it", rejectLimit(undefined), 200, 100, undefined],
    [
      "more than half do",
      rejectLimit(undefined),
      199,
      100,
      /^100 of the first 199 .* allow a number of them/,
    ],
    ["fewer than a hundred never do", rejectLimit(undefined), 99, 99, undefined],
    ["the greatest number", rejectLimit(undefined, 1000), 10_000, 1000, undefined],
    ["one more than it", rejectLimit(undefined, 1000), 10_000, 1001, /^1001 .*, more than 1000/],
    ["a given number replaces the share", rejectLimit(500), 500, 500, undefined],
    ["and the greatest number", rejectLimit(2000, 1000), 2000, 1500, undefined],
    ["one more than given", rejectLimit(500), 9999, 501, /^501 .*, more than 500, .*--max-rejects/],
    ["without a limit", noRejectLimit, 1_000_000, 1_000_000, undefined],
  ])("%s", (_, limit, read, rejected, told) => {
    const run = () =>
      requireFewRejects({ read, rejected }, limit, { file: "x.jsonl", reasons: new RejectReasons() });
    if (told === undefined) expect(run).not.toThrow();
    else expect(run).toThrow(told);
  });
});
