import { describe, expect, test } from "vitest";
import {
  bindFilter,
  bindQuery,
  parseFilter,
  parseOrderBy,
  parseSelect,
  QueryError,
} from "../../src/index.ts";
import { listing } from "../support/listing.ts";

function refusal(bind: () => unknown): QueryError {
  try {
    bind();
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

describe("a filter is refused with the position of what does not fit", () => {
  test.each([
    ["Town eq 'York'", "unknown_property", 0, 4, "unknown property `Town`"],
    ["ListPrise gt 1", "unknown_property", 0, 9, "unknown property `ListPrise`, did you mean `ListPrice`?"],
    ["listprice gt 1", "unknown_property", 0, 9, "unknown property `listprice`, did you mean `ListPrice`?"],
    ["City eq 'York' and Lat eq 1", "unknown_property", 19, 22, "unknown property `Lat`"],
    ["ListPrice eq 'abc'", "type_mismatch", 0, 18, "`eq` cannot be applied to Edm.Decimal and Edm.String"],
    ["City eq 5", "type_mismatch", 0, 9, "`eq` cannot be applied to Edm.String and Edm.Int32 (write `'5'`)"],
    [
      "City in ('a',5)",
      "type_mismatch",
      13,
      14,
      "`in` cannot be applied to Edm.String and Edm.Int32 (write `'5'`)",
    ],
    [
      "Appliances eq 'Oven'",
      "type_mismatch",
      0,
      20,
      "`eq` cannot be applied to Collection(Edm.String) and Edm.String (compare its items, such as `Names/any(name:name eq 'x')`, or use `has`)",
    ],
    [
      "Appliances eq null",
      "type_mismatch",
      0,
      18,
      "`eq` cannot be applied to Collection(Edm.String) and Null",
    ],
    ["City/any(c:c eq 'a')", "not_a_collection", 0, 4, "`any` needs a collection, got Edm.String"],
    ["City in ListPrice", "not_a_collection", 8, 17, "`in` needs a collection, got Edm.Decimal"],
    ["City", "not_boolean", 0, 4, "expected a boolean expression, got Edm.String"],
    ["City and WaterfrontYN", "not_boolean", 0, 4, "expected a boolean expression, got Edm.String"],
    ["not City", "not_boolean", 4, 8, "expected a boolean expression, got Edm.String"],
    ["Appliances/any(a:a)", "not_boolean", 17, 18, "expected a boolean expression, got Edm.String"],
    ["contain(City,'x')", "unknown_function", 0, 7, "unknown function `contain`, did you mean `contains`?"],
    [
      "contains(City)",
      "wrong_arguments",
      0,
      14,
      "`contains` expects (Edm.String, Edm.String), got (Edm.String)",
    ],
    [
      "contains(ListPrice,'1')",
      "wrong_arguments",
      0,
      23,
      "`contains` expects (Edm.String, Edm.String), got (Edm.Decimal, Edm.String)",
    ],
    ["City has 'York'", "type_mismatch", 0, 15, "`has` cannot be applied to Edm.String and Edm.String"],
    ["ListOffice/OfficeName eq 'x'", "unknown_property", 0, 10, "unknown property `ListOffice`"],
    ["City/Name eq 'x'", "type_mismatch", 0, 9, "`/` cannot be applied to Edm.String"],
    ["Appliances/any(a:b eq 'x')", "unknown_property", 17, 18, "unknown property `b`"],
    [
      "ModificationTimestamp gt 2024-01-01",
      "type_mismatch",
      0,
      35,
      "`gt` cannot be applied to Edm.DateTimeOffset and Edm.Date (write `2024-01-01T00:00:00Z`)",
    ],
    [
      "CloseDate eq 2023-02-30",
      "invalid_literal",
      13,
      23,
      "`2023-02-30` is not a valid Edm.Date: there is no such value",
    ],
    [
      "CloseDate eq 100000000-01-01",
      "invalid_literal",
      13,
      28,
      "`100000000-01-01` is not a valid Edm.Date: there is no such value",
    ],
  ])("%s", (text, code, start, end, message) => {
    const error = refusal(() => bindFilter(parseFilter(text), listing));
    expect(error).toMatchObject({ code, span: { start, end }, message });
  });
});

describe("a query is refused with the option at fault", () => {
  test.each([
    [{ filter: parseFilter("Town eq 1") }, "$filter", "unknown_property"],
    [{ orderBy: parseOrderBy("City,Town desc") }, "$orderby", "unknown_property"],
    [{ orderBy: parseOrderBy("Appliances") }, "$orderby", "not_sortable"],
    [{ select: parseSelect("City,Town") }, "$select", "unknown_property"],
    [{ select: parseSelect("City/Name") }, "$select", "unknown_property"],
  ])("%o in %s", (parts, option, code) => {
    expect(refusal(() => bindQuery({ top: 1, ...parts }, listing))).toMatchObject({ code, option });
  });
});

describe("a query gets a total order", () => {
  const order = (text: string | undefined, defaultOrder: readonly string[] = []) =>
    bindQuery(
      { orderBy: text === undefined ? undefined : parseOrderBy(text), top: 1 },
      listing,
      defaultOrder,
    ).orderBy.map(({ expression, direction }) =>
      expression.kind === "Property" ? [expression.property.name, direction] : [],
    );

  test("with the key last", () => {
    expect(order("City desc")).toEqual([
      ["City", "desc"],
      ["ListingKey", "asc"],
    ]);
  });

  test("with the key where it was asked for", () => {
    expect(order("ListingKey desc,City")).toEqual([
      ["ListingKey", "desc"],
      ["City", "asc"],
    ]);
  });

  test("from the default order when none was asked for", () => {
    expect(order(undefined, ["ModificationTimestamp"])).toEqual([
      ["ModificationTimestamp", "asc"],
      ["ListingKey", "asc"],
    ]);
  });
});

test("a selection comes in the order of the model, each property once", () => {
  const { select } = bindQuery({ select: parseSelect("ListPrice,City,ListPrice"), top: 1 }, listing);
  expect(select.map(({ property }) => property.name)).toEqual(["City", "ListPrice"]);
});
