import { expect, test } from "vitest";
import { bindFilter, parseFilter, QueryError } from "../../src/index.ts";
import { parseExpression } from "../../src/tree/index.ts";
import { houses } from "../support/house.ts";

const aliases = { "@day": parseExpression("2026-01-01") };

/** Returns the code and the message of the error of a filter; `accepted` if there is none. */
function refusal(filter: string): string {
  try {
    bindFilter(parseFilter(filter), houses, { aliases });
    return "accepted";
  } catch (error) {
    if (error instanceof QueryError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const hintOf = (filter: string) => /\(((?:write|if|a missing|compare).*)\)$/.exec(refusal(filter))?.[1];

test.each([
  ["Changed gt 2026-01-01", "write `2026-01-01T00:00:00Z`"],
  ["2026-01-01 lt Changed", "write `2026-01-01T00:00:00Z`"],
  ["Changed gt @day", "write `2026-01-01T00:00:00Z`"],
  ["Changed gt '2026-01-01'", "write `2026-01-01T00:00:00Z`"],
  ["Changed gt '2026-01-01T08:30:00Z'", "write `2026-01-01T08:30:00Z`"],
  ["Changed in (2026-01-01)", "write `2026-01-01T00:00:00Z`"],
  ["Built eq 2026-01-01T00:00:00Z", "write `2026-01-01`"],
  ["Built eq '2026-01-01'", "write `2026-01-01`"],
  ["Price gt '100'", "write `100`"],
  ["Open eq 'true'", "write `true`"],
  ["year(Changed) eq '2026'", "write `2026`"],
  ["Name eq 5", "write `'5'`"],
  ["Name eq York", "if it is a text, write `'York'`"],
  ["Name in (York)", "if it is a text, write `'York'`"],
  ["contains(Name,York)", "if it is a text, write `'York'`"],
  ["Price eq ''", "a missing value is `null`"],
  ["Changed ne ''", "a missing value is `null`"],
  ["Tags eq 'Pool'", "compare its items, such as `Names/any(name:name eq 'x')`, or use `has`"],
  ["geo.distance(Place,'POINT(1 2)') lt 5", "write `geography'POINT(1 2)'`"],
  [`geo.intersects(Place,'POLYGON((${"1 2,".repeat(20)}1 2))')`, "write `geography` before its quotes"],
])("the error of %s says what to write", (filter, hint) => {
  expect(hintOf(filter)).toBe(hint);
});

test.each([
  ["Name eq ''", "accepted"],
  ["Name ne ''", "accepted"],
  ["Price eq abc", "unknown_property: unknown property `abc`"],
  ["Price eq 'abc'", "type_mismatch: `eq` cannot be applied to Edm.Decimal and Edm.String"],
  ["Built gt now()", "type_mismatch: `gt` cannot be applied to Edm.Date and Edm.DateTimeOffset"],
  ["contains(Nome,'x')", "unknown_property: unknown property `Nome`, did you mean `Name`?"],
])("%s is %s: there is nothing to suggest", (filter, expected) => {
  expect(refusal(filter)).toBe(expected);
});
