import { describe, expect, test } from "vitest";
import {
  bindQuery,
  evaluate,
  parseCompute,
  parseFilter,
  parseOrderBy,
  parseSelect,
} from "../../src/index.ts";
import { house, houses } from "../support/house.ts";

const bind = (compute: string, parts: object = {}) =>
  bindQuery({ compute: parseCompute(compute), top: 1, ...parts }, houses);

const names = (query: ReturnType<typeof bindQuery>) => query.select.map(({ property }) => property.name);

describe("a computed property", () => {
  test("is a property in `$filter`, `$orderby` and `$compute` after it", () => {
    const query = bind("Price div 2 as Half,Half add 1 as More", {
      filter: parseFilter("More gt 175001 and Rooms/any(r:r/RoomLength lt $it/Half)"),
      orderBy: parseOrderBy("More desc"),
      select: parseSelect("More"),
    });
    expect(evaluate(query.filter, house)).toBe(true);
    expect(String(query.orderBy.map(({ expression }) => evaluate(expression, house))[0])).toBe("175001.05");
    expect(query.select).toMatchObject([{ property: { name: "More", type: "Edm.Decimal", nullable: true } }]);
  });

  test("is in the answer unless `$select` names others", () => {
    const all = [...houses.type.properties.keys()];
    expect(names(bind("1 as One"))).toEqual([...all, "One"]);
    expect(names(bind("1 as One", { select: parseSelect("*") }))).toEqual([...all, "One"]);
    expect(names(bind("1 as One,2 as Two", { select: parseSelect("Two,Key") }))).toEqual(["Key", "Two"]);
    expect(names(bind("1 as One", { select: parseSelect("Key") }))).toEqual(["Key"]);
  });

  test("may be a collection, or null", () => {
    expect(bind("substring(Tags,1) as Rest,null as None").select.slice(-2)).toMatchObject([
      { property: { name: "Rest", type: "Edm.String", collection: true, nullable: false } },
      { property: { name: "None", type: "Edm.String", nullable: true } },
    ]);
  });

  test("means nothing inside a related entity", () => {
    const filter = parseFilter("Rooms/any(r:r/Half gt 1)");
    expect(() => bind("Price div 2 as Half", { filter })).toThrow("unknown property `Half`");
  });
});

describe("`$compute` is refused", () => {
  test.each([
    ["1 as Price", "invalid_option"],
    ["1 as Rooms", "invalid_option"],
    ["1 as One,2 as One", "invalid_option"],
    ["Two add 1 as One,1 as Two", "unknown_property"],
    ["ListOffice as Office", "type_mismatch"],
    ["Price add 'x' as Sum", "type_mismatch"],
  ])("%s: %s", (text, code) => {
    expect(() => bind(text)).toThrow(expect.objectContaining({ code, option: "$compute" }));
  });

  const doubling = (count: number) =>
    Array.from(
      { length: count },
      (_, i) => `${i === 0 ? "Count" : `X${i}`} add ${i === 0 ? 1 : `X${i}`} as X${i + 1}`,
    );

  test("where names stand for more than a query may hold", () => {
    expect(() => bind(doubling(8).join())).not.toThrow();
    expect(() => bind(doubling(60).join())).toThrow(expect.objectContaining({ code: "query_too_complex" }));
    const filter = parseFilter(Array(20).fill("X7 gt 1").join(" or "));
    expect(() => bind(doubling(7).join(), { filter })).toThrow(
      expect.objectContaining({ code: "query_too_complex", option: "$filter" }),
    );
  });

  test("where names stand for what is nested too deeply", () => {
    const nested = Array.from({ length: 300 }, (_, i) => `-${i === 0 ? "Count" : `X${i}`} as X${i + 1}`);
    expect(() => bind(nested.join())).toThrow(expect.objectContaining({ code: "query_too_complex" }));
  });
});
