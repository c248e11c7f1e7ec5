import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { PointIndex, SearchIndex } from "../../src/compile/index.ts";
import {
  type BoundNode,
  type BoundQuery,
  bindQuery,
  cachedCompiler,
  compileCount,
  compilePage,
  defaultLimits,
  degreesIndex,
  fts5Index,
  type Mapping,
  parseCompute,
  parseFilter,
  parseOrderBy,
  parseSearch,
  parseSelect,
  postgres,
  rtreeIndex,
  sql,
  sqlite,
  wordsIndex,
} from "../../src/index.ts";
import type { Dialect } from "../../src/run/index.ts";
import { allOf, mapChildren, propertyNode } from "../../src/tree/index.ts";
import { filterTexts, orderByTexts } from "../support/arbitraries.ts";
import { houses } from "../support/estate.ts";
import { estateFilters, estateOrders } from "../support/estate-arbitraries.ts";
import { housesMapping } from "../support/estate-tables.ts";
import { listing } from "../support/listing.ts";
import { postgresMapping } from "../support/postgres-listings.ts";
import { codedMapping, mapping } from "../support/sqlite.ts";

/** A mapping with all that can serve a query. */
const served = (plain: Mapping, index: PointIndex, search: SearchIndex): Mapping => ({
  ...plain,
  where: sql`"Stories" is not null`,
  column: (property) => ({
    ...plain.column(property),
    ...(property.name === "Place" ? { index } : {}),
  }),
  folded: ({ name }) => (name === "City" ? { sql: sql`"folded"` } : undefined),
  search,
});

const knownCities: Readonly<Record<string, number>> = { York: 1, "": 2 };

const mappings: readonly (readonly [string, Dialect, Mapping])[] = [
  ["SQLite", sqlite, mapping],
  ["SQLite with a column of codes", sqlite, codedMapping((city) => knownCities[String(city)])],
  ["PostgreSQL", postgres, postgresMapping],
  [
    "SQLite with indexes",
    sqlite,
    served(
      mapping,
      rtreeIndex("places", sql`"property"."rowid"`, sql`"Place"`),
      fts5Index("words", sql`"property"."rowid"`, { City: "city" }),
    ),
  ],
  [
    "PostgreSQL with indexes",
    postgres,
    served(postgresMapping, degreesIndex(sql`"east"`, sql`"north"`), wordsIndex(sql`"words"`, ["City"])),
  ],
];

const related: readonly (readonly [string, Dialect])[] = [
  ["SQLite", sqlite],
  ["PostgreSQL", postgres],
];

const select = parseSelect("ListingKey,City");
const numRuns = Number(process.env["CASES"] ?? 13);

type Parts = {
  readonly orderBy?: string;
  readonly search?: string;
  readonly after?: readonly unknown[];
  readonly top?: number;
  readonly ignoreCase?: boolean;
};

const queryOf = (
  filter: string,
  { orderBy, search, after = [], top = 10, ignoreCase = false }: Parts = {},
): BoundQuery => {
  const bound = bindQuery(
    {
      filter: parseFilter(filter),
      search: search === undefined ? undefined : parseSearch(search),
      orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
      select,
      top,
    },
    listing,
    [],
    { searchable: ["City"], ignoreCase },
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

describe.each(mappings)(
  "a cached compiler gives the statement that compiling gives: %s",
  (_, dialect, where) => {
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
          fc.boolean(),
          (texts, orderBy, after, top, ignoreCase) => {
            const queries = texts.map((text) => queryOf(text, { orderBy, after, top, ignoreCase }));
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
      [
        "geo.distance(Place,geography'Point(1 2)') lt 5e0",
        "geo.distance(Place,geography'Point(1 2)') lt 5e6",
      ],
      ["geo.distance(Place,geography'Point(1 2)') le 5", "geo.distance(Place,geography'Point(180 2)') le 5"],
      ["geo.distance(Place,geography'Point(1 2)') lt 5", "geo.distance(Place,geography'Point(1 2)') lt -5"],
      ["geo.distance(Place,geography'Point(1 2)') le 5", "geo.distance(Place,geography'Point(1 2)') le null"],
      [
        "geo.distance(Place,geography'Point(1 2)') eq null",
        "geo.distance(Place,geography'Point(1 91)') eq null",
      ],
      [
        "geo.intersects(Place,geography'Polygon((0 0,1 0,1 1,0 0))')",
        "geo.intersects(Place,geography'Polygon((2 2,3 2,3 3,2 2))')",
      ],
      ["startswith(City,'a')", "startswith(City,'bcd')"],
      ["startswith(City,'a')", "startswith(City,'')"],
      ["startswith(City,'a')", "startswith(City,'\u{10ffff}')"],
      ["startswith(City,'a')", "startswith(City,null)"],
    ])("for %s and %s in turn", (first, second) => {
      for (const ignoreCase of [false, true]) {
        const compiler = cachedCompiler(dialect, where, { order: true });
        for (const text of [first, second, first, second])
          expectSame(compiler, queryOf(text, { ignoreCase }));
      }
    });

    test("for the radius and the place of any circle", () => {
      const compiler = cachedCompiler(dialect, where, { order: true });
      const degrees = (most: number) => fc.integer({ min: -10 * most, max: 10 * most }).map((n) => n / 10);
      const radius = fc.constantFrom("0e0", "1e3", "1e5", "2.1e7", "-1e0", "INF");
      fc.assert(
        fc.property(degrees(181), degrees(91), radius, (longitude, latitude, metres) => {
          const place = `geography'Point(${longitude} ${latitude})'`;
          for (const text of [
            `geo.distance(Place,${place}) le ${metres}`,
            `${metres} gt geo.distance(Place,${place})`,
          ]) {
            const query = queryOf(text);
            expectSame(compiler, query);
            // The very place, with another radius.
            expectSame(compiler, withConstants(query, new Map([["Edm.Double", [5e4]]])));
          }
        }),
        { numRuns },
      );
    });

    test("for another circle without compiling it", () => {
      const column = vi.fn(where.column);
      const compiler = cachedCompiler(dialect, { ...where, column }, { order: true });
      const within = (place: string, metres: string) =>
        queryOf(`geo.distance(Place,geography'Point(${place})') le ${metres}`);
      compiler.page(within("1 2", "1e3"));
      column.mockClear();
      compiler.page(within("-97.7 30.3", "5e3"));
      expect(column).not.toHaveBeenCalled();
    });

    test("for any words, one after another", () => {
      const compiler = cachedCompiler(dialect, where, { order: true });
      const searches = ["a", "b", '"a b"', "a b", "a NOT b", "NOT a", "a OR (b NOT c)", "a OR (b NOT d)"];
      fc.assert(
        fc.property(fc.constantFrom(...searches), fc.constantFrom("x", "y"), (search, city) => {
          expectSame(compiler, queryOf(`City ne '${city}'`, { search }));
        }),
        { numRuns },
      );
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

const estateQuery = (filter: string, orderBy: string | undefined, compute: string): BoundQuery =>
  bindQuery(
    {
      filter: parseFilter(filter, { ...defaultLimits, lambdaDepth: 6 }),
      orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
      compute: parseCompute(compute),
      top: 10,
    },
    houses,
  );

describe.each(related)("a cached compiler knows paths from each other: %s", (_, dialect) => {
  const options = { order: true, key: true };
  const expectSame = (compiler: ReturnType<typeof cachedCompiler>, query: BoundQuery) => {
    expect(compiler.page(query)).toEqual(compilePage(query, dialect, housesMapping, options));
    expect(compiler.count(query)).toEqual(compileCount(query, dialect, housesMapping));
  };

  test("in any queries, one after another", () => {
    const compiler = cachedCompiler(dialect, housesMapping, options);
    const computes = fc.constantFrom("Key add 1 as New", "Key add 2 as New", "Key add (1 add 1) as Other");
    fc.assert(
      fc.property(
        fc.array(estateFilters, { minLength: 2, maxLength: 4 }),
        estateOrders,
        computes,
        (texts, orderBy, compute) => {
          const queries = texts.map((text) => estateQuery(text, orderBy, compute));
          const constants = constantsOf(queries);
          for (const query of queries) {
            expectSame(compiler, query);
            expectSame(compiler, withConstants(query, constants));
            expectSame(compiler, { ...query, skip: 1 });
          }
        },
      ),
      { numRuns },
    );
  });

  test.each([
    ["Office/Name eq 'a'", "Office/Name eq 'b'"],
    ["Office/Name eq 'a'", "Parent/Name eq 'a'"],
    ["Office/Name eq 'a'", "Office/Broker/Name eq 'a'"],
    ["Rooms/any(r:r/Area gt 1)", "Rooms/any(r:r/Area gt 2)"],
    ["Rooms/any(r:r/Area gt 1)", "Rooms/any(r:r/Area gt 1.5)"],
    ["Rooms/any(r:r/Name eq Name)", "Rooms/any(r:r/House/Name eq Name)"],
    ["Rooms/any(r:r/Name eq 'a')", "Children/any(r:r/Name eq 'a')"],
    ["Rooms/$count($filter=Area gt 1) gt 2", "Rooms/$count($filter=Area gt 2) gt 1"],
    ["Office eq null", "Parent eq null"],
    ["Detail/Inner/Name eq 'a'", "Detail/Name eq 'a'"],
  ])("in %s and %s in turn", (first, second) => {
    const compiler = cachedCompiler(dialect, housesMapping, options);
    for (const text of [first, second, first, second])
      expectSame(compiler, estateQuery(text, undefined, "Key add 1 as New"));
  });

  test("and in what is computed", () => {
    const compiler = cachedCompiler(dialect, housesMapping, options);
    const computes = ["Key add 1 as A", "Key add 2 as A", "Fee add 1 as A", "Key add 1 as B", "1 add 1 as A"];
    for (const compute of [...computes, ...computes])
      expectSame(compiler, estateQuery("Area gt 1", "Name", compute));
  });
});

test("a shape with paths and computed properties is not compiled again", () => {
  let columns = 0;
  const counting: Mapping = {
    ...housesMapping,
    column: (property) => {
      columns += 1;
      return housesMapping.column(property);
    },
  };
  const compiler = cachedCompiler(sqlite, counting);
  const page = (name: string, one: number) =>
    compiler.page(
      estateQuery(
        `Office/Name eq '${name}' and Rooms/any(r:r/Area gt ${one})`,
        undefined,
        `Key add ${one} as A`,
      ),
    );
  page("a", 1);
  const before = columns;
  expect(page("b", 2).values).toContain("b");
  expect(columns).toBe(before);
});

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
