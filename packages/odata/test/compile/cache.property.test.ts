import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allOf,
  type BoundNode,
  type BoundQuery,
  bindQuery,
  cachedCompiler,
  compileCount,
  compilePage,
  mapChildren,
  parseFilter,
  parseOrderBy,
  parseSelect,
  postgres,
  propertyNode,
  sqlite,
} from "../../src/index.ts";
import { filterTexts, orderByTexts } from "../support/arbitraries.ts";
import { listing } from "../support/listing.ts";
import { postgresMapping } from "../support/postgres-listings.ts";
import { mapping } from "../support/sqlite.ts";

const dialects = [
  [sqlite, mapping],
  [postgres, postgresMapping],
] as const;

const select = parseSelect("ListingKey,City");
const numRuns = Number(process.env["CASES"] ?? 500);

type Parts = { readonly orderBy?: string; readonly after?: readonly unknown[]; readonly top?: number };

const queryOf = (filter: string, { orderBy, after = [], top = 10 }: Parts = {}): BoundQuery => {
  const bound = bindQuery(
    {
      filter: parseFilter(filter),
      orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
      select,
      top,
    },
    listing,
  );
  return after.length === 0 ? bound : { ...bound, after: bound.orderBy.map((_, i) => after[i] ?? null) };
};

/** The query with every other constant of a type in the place of each constant of that type. */
function withConstants(query: BoundQuery, others: ReadonlyMap<unknown, readonly unknown[]>): BoundQuery {
  let next = 0;
  const replaced = (node: BoundNode): BoundNode => {
    if (node.kind !== "Constant") return mapChildren(node, replaced);
    const values = others.get(node.type) ?? [node.value];
    next += 1;
    return { ...node, value: values[next % values.length] };
  };
  return { ...query, filter: replaced(query.filter) };
}

/** Constants of every type, those among them that compile to another statement. */
function constantsOf(queries: readonly BoundQuery[]): ReadonlyMap<unknown, readonly unknown[]> {
  const values = new Map<unknown, unknown[]>();
  const collect = (node: BoundNode): BoundNode => {
    if (node.kind === "Constant") values.set(node.type, [...(values.get(node.type) ?? []), node.value]);
    return mapChildren(node, collect);
  };
  for (const { filter } of queries) collect(filter);
  return values;
}

describe.each(dialects)(
  "a cached compiler gives the statement that compiling gives: $name",
  (dialect, where) => {
    const expectSame = (compiler: ReturnType<typeof cachedCompiler>, query: BoundQuery) => {
      expect(compiler.page(query)).toEqual(compilePage(query, dialect, where, { order: true }));
      expect(compiler.count(query)).toEqual(compileCount(query, dialect, where));
    };

    test("for any queries, one after another", () => {
      const compiler = cachedCompiler(dialect, where, { order: true });
      fc.assert(
        fc.property(
          fc.array(filterTexts, { minLength: 2, maxLength: 4 }),
          orderByTexts,
          fc.array(fc.constantFrom(null, "York", 5n, 0.5), { maxLength: 3 }),
          fc.nat(3),
          (texts, orderBy, after, top) => {
            const queries = texts.map((text) => queryOf(text, { orderBy, after, top }));
            const constants = constantsOf(queries);
            for (const query of queries) {
              expectSame(compiler, query);
              expectSame(compiler, withConstants(query, constants));
              expectSame(compiler, { ...query, skip: top, after: null });
            }
          },
        ),
        { numRuns },
      );
    });

    test.each([
      ["ListPrice gt 1", "ListPrice gt 1.005"],
      ["ListPrice eq 1.5", "ListPrice eq 1.005"],
      ["ListPrice gt -1e30", "ListPrice gt 1e30"],
      ["Score gt 1.5e0", "Score gt NaN"],
      ["City eq 'a'", "City eq null"],
      ["City in ('a','b')", "City in ('a',null)"],
      ["City in ('a','b')", "City in ('a','b','c')"],
      ["ListPrice in (1.00,2.00)", "ListPrice in (1.00,2.001)"],
      ["CloseDate gt 2024-01-01", "CloseDate gt -99999-01-01"],
      ["true", "false"],
      ["case(WaterfrontYN:2024-01-01) eq CloseDate", "case(WaterfrontYN:99999-01-01) eq CloseDate"],
      ["WaterfrontYN eq true", "WaterfrontYN eq false"],
      ["hassubset(Counts,[1,2])", "hassubset(Counts,[2,3])"],
      ["View has Demo.Views'Lake'", "View has Demo.Views'City'"],
      ["BedroomsTotal gt 1 add 2", "BedroomsTotal gt 9223372036854775807 add 1"],
      ["contains(City,'a')", "contains(StandardStatus,'a')"],
      ["Appliances/any(a:a eq 'x')", "Appliances/all(a:a eq 'x')"],
      ["isof(Score,Edm.Int32)", "isof(Score,Edm.Int64)"],
      ["cast(City,Edm.Int32) eq 1", "cast(City,Edm.Byte) eq 1"],
      ["geo.distance(Place,geography'Point(1 2)') lt 5", "geo.distance(Place,geography'Point(3 4)') lt 6"],
    ])("for %s and %s in turn", (first, second) => {
      const compiler = cachedCompiler(dialect, where, { order: true });
      for (const text of [first, second, first, second]) expectSame(compiler, queryOf(text));
    });

    test("for one constant in two places of the tree", () => {
      const compiler = cachedCompiler(dialect, where, { order: true });
      const query = queryOf("City eq 'a'");
      const other = queryOf("City eq 'b'");
      expectSame(compiler, { ...query, filter: allOf(query.filter, query.filter) });
      expectSame(compiler, { ...query, filter: allOf(query.filter, other.filter) });
      expectSame(compiler, { ...query, filter: allOf(other.filter, query.filter) });
    });

    test("for values that a scope chooses", () => {
      const compiler = cachedCompiler(dialect, where);
      const city = listing.type.properties.get("City");
      if (city === undefined) throw new RangeError("City");
      for (const when of ["a", "b"].map((text) => queryOf(`StandardStatus eq '${text}'`).filter)) {
        const query = queryOf("true");
        const value = propertyNode(city);
        const expression: BoundNode = { kind: "Choice", type: value.type, when, value };
        const chosen = { ...query, select: [{ property: city, expression }] };
        expect(compiler.page(chosen)).toEqual(compilePage(chosen, dialect, where));
      }
    });

    test("at any capacity", () => {
      const compiler = cachedCompiler(dialect, where, { order: true, capacity: 2 });
      const texts = [
        "City eq 'a'",
        "ListPrice gt 1",
        "Score lt 2",
        "City eq 'b'",
        "City ne 'c'",
        "City ne 'd'",
      ];
      for (const text of [...texts, ...texts]) expectSame(compiler, queryOf(text));
    });
  },
);

test("a shape that is known is not compiled again", () => {
  let columns = 0;
  const counting = {
    ...mapping,
    column: (property: Parameters<typeof mapping.column>[0]) => {
      columns += 1;
      return mapping.column(property);
    },
  };
  const compiler = cachedCompiler(sqlite, counting);
  const query = (text: string) => queryOf(text, { orderBy: "City", after: ["x", text], top: text.length });
  compiler.page(query("City eq 'a' and ListPrice gt 5 and ModificationTimestamp gt now() sub duration'P1D'"));
  const before = columns;
  compiler.page(
    query("City eq 'bcd' and ListPrice gt 12345 and ModificationTimestamp gt now() sub duration'P2D'"),
  );
  expect(columns).toBe(before);
  compiler.page(
    query("City eq 'bcd' and ListPrice lt 12345 and ModificationTimestamp gt now() sub duration'P2D'"),
  );
  expect(columns).toBeGreaterThan(before);
});
