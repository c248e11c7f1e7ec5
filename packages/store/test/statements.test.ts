import { expect, test } from "vitest";
import { hasOnePlan, Statements } from "../src/postgres/connection/statements.ts";

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

test("a page of a dataset from a time on has one plan, and no other page has", () => {
  const since = `"DatasetId" = $1::text and "ModificationTimestamp" > $2::timestamptz`;
  const sorted = `order by "ModificationTimestamp" asc, "ListingKey" collate "C" asc limit $3`;
  const page = (condition: string) => `${where(condition)} ${sorted}`;
  const next = `("cadastre_from" <= $1::bigint and "DatasetId" = $2::text and "ModificationTimestamp" > $3::timestamptz) and ("ModificationTimestamp", "ListingKey" collate "C") > ($4::timestamptz, $5::text)`;
  expect(hasOnePlan(page(`(${since})`))).toBe(true);
  expect(hasOnePlan(page(next))).toBe(true);
  expect(
    hasOnePlan(`(${page(`(${since})`)}) union all (${page(`(${since})`)}) order by "sort0" asc limit $7`),
  ).toBe(true);
  expect(hasOnePlan(page(`(${since} and "City" = $4::text)`))).toBe(false);
  expect(hasOnePlan(`(${page(`(${since})`)}) union all (${page(`(${since} and "City" = $6::text)`)})`)).toBe(
    false,
  );
  expect(hasOnePlan(`${where(`(${since})`)} order by "ListPrice" asc limit $3`)).toBe(false);
  expect(hasOnePlan(`select count(*) as "count" from "Property" where (${since})`)).toBe(false);
});
