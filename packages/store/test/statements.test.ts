import { expect, test } from "vitest";
import { Statements } from "../src/postgres/connection/statements.ts";

const where = (condition: string) => `select "cadastre_record" from "Property" where ${condition}`;
const isPrepared = (condition: string) => new Statements("named").prepare(where(condition)).name !== "";

test("a statement is prepared unless its best plan depends on the values", () => {
  expect(isPrepared(`"ListingKey" = $1::text and "ListPrice" in ($2::numeric, $3::numeric)`)).toBe(true);
  expect(isPrepared(`"ModificationTimestamp" > $1::timestamptz and "cadastre_from" <= $2::bigint`)).toBe(
    true,
  );
  expect(isPrepared(`"City" = $1::text and "ListPrice" >= $2::numeric`)).toBe(false);
  expect(isPrepared(`"CloseDate" < $1::date`)).toBe(false);
  expect(isPrepared(`"PublicRemarks" like $1::text`)).toBe(false);
});
