import { describe, expect, test } from "vitest";
import {
  bindExpand,
  bindQuery,
  compilePage,
  defaultLimits,
  parseExpand,
  parseFilter,
  parseQueryOptions,
  QueryError,
  readAliases,
  readOption,
  sqlite,
} from "../../src/index.ts";
import { mapChildren, parseExpression, type SyntaxNode } from "../../src/tree/index.ts";
import { houses } from "../support/estate.ts";
import { listing } from "../support/listing.ts";
import { mapping, openListings } from "../support/sqlite.ts";

const times = (count: number, text: (i: number) => string, separator: string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(separator);

/** Binds the `$filter` and `$orderby` of a query string, with its aliases. */
function bind(query: string) {
  const options = parseQueryOptions(query);
  const parts = {
    filter: readOption(options, "$filter"),
    orderBy: readOption(options, "$orderby"),
    top: 10,
  };
  return bindQuery(parts, listing, [], { aliases: readAliases(options) });
}

function refusal(work: () => unknown): QueryError {
  try {
    work();
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

const doubling = (count: number) =>
  `$filter=@p0 gt 0&${times(count, (i) => `@p${i}=@p${i + 1} add @p${i + 1}`, "&")}&@p${count}=ListPrice`;

const nots = (count: number) => "not ".repeat(count);
const any = (variable: string, inner: string) => `Appliances/any(${variable}:${inner})`;

describe("aliases are held to the limits of text that has their values", () => {
  test.each([
    ["256 names", doubling(8)],
    ["64 nots and their parentheses", `$filter=${nots(31)}@p&@p=${nots(32)}true`],
    ["an alias that is used twice", "$filter=@p or not @p&@p=City eq 'York'"],
    ["a lambda in a lambda", `$filter=${any("x", "@p")}&@p=${any("y", "y eq 'a'")}`],
    ["63 aliases in each other", `$filter=@p0&${times(63, (i) => `@p${i}=@p${i + 1}`, "&")}&@p63=true`],
  ])("%s are read", (_, query) => {
    expect(compilePage(bind(query), sqlite, mapping).text).toContain("select");
  });

  test.each([
    ["nodes, doubled", doubling(20), "the number of expressions", 2000],
    ["nodes, doubled without end", doubling(600), "the nesting depth", 64],
    ["nots", `$filter=${nots(32)}@p&@p=${nots(33)}true`, "the nesting depth", 64],
    [
      "nots without end",
      `$filter=@p0&${times(30, (i) => `@p${i}=${nots(50)}@p${i + 1}`, "&")}&@p30=true`,
      "the nesting depth",
      64,
    ],
    [
      "aliases in each other",
      `$filter=@p0&${times(900, (i) => `@p${i}=@p${i + 1}`, "&")}&@p900=true`,
      "the nesting depth",
      64,
    ],
    [
      "lambdas",
      `$filter=${any("x", "@p")}&@p=${any("y", any("z", "true"))}`,
      "the depth of lambda operators",
      2,
    ],
    [
      "text",
      `$filter=@p eq @q&${times(5, (i) => `@p${i}=concat(@p${i + 1},@p${i + 1})`, "&")}&@p=@p0&@q=@p0&@p5='${"x".repeat(2000)}'`,
      "the length of the text",
      32_768,
    ],
    [
      "the items of one order together",
      `$orderby=${times(8, () => "@p", ",")}&@p=${times(150, () => "ListPrice", " add ")}`,
      "the number of expressions",
      2000,
    ],
  ])("%s are refused", (_, query, measure, limit) => {
    const error = refusal(() => bind(query));
    expect(error.code).toBe("query_too_complex");
    expect(error.details).toEqual({ measure, limit });
    expect(error.use).toBeNull();
    const start = query.includes("$orderby") ? error.span?.start : query.indexOf("@p") - "$filter=".length;
    expect([error.option, error.span?.start]).toEqual([query.slice(0, query.indexOf("=")), start]);
  });

  test("at a cost that is bounded by the limit", () => {
    let reads = 0;
    const values = readAliases(parseQueryOptions(doubling(300).slice("$filter=@p0 gt 0&".length)));
    const aliases = new Proxy(values, {
      get: (target, name: string) => {
        reads += 1;
        return target[name];
      },
    });
    const bindCounted = () =>
      bindQuery({ filter: parseFilter("@p0 gt 0"), top: 1 }, listing, [], { aliases });
    expect(refusal(bindCounted).code).toBe("query_too_complex");
    expect(reads).toBeLessThanOrEqual(2000);
  });

  test("limits of the caller's own hold as well", () => {
    const aliases = { "@p": parseExpression(times(30, () => "ListPrice", " add ")) };
    const filter = parseFilter("@p gt 1");
    const limits = { ...defaultLimits, nodes: 50 };
    expect(refusal(() => bindQuery({ filter, top: 1 }, listing, [], { aliases, limits })).details).toEqual({
      measure: "the number of expressions",
      limit: 50,
    });
  });

  test("the values of all aliases together are as large as one option", () => {
    const measured = (query: string) =>
      refusal(() => readAliases(parseQueryOptions(query))).details["measure"];
    expect(measured(times(50, (i) => `@p${i}=[${times(300, () => "[1]", ",")}]`, "&"))).toBe(
      "the number of expressions",
    );
    expect(measured(times(5, (i) => `@p${i}='${"x".repeat(8000)}'`, "&"))).toBe("the length of the text");
  });

  test("names of what every object has are no aliases", () => {
    const filter = { kind: "Alias", name: "toString", start: 0, end: 1 } as const satisfies SyntaxNode;
    const aliases = { "@p": parseExpression("1") };
    expect(refusal(() => bindQuery({ filter, top: 1 }, listing, [], { aliases })).code).toBe("unknown_alias");
  });
});

describe("an error in the value of an alias has its place there, and that of its use", () => {
  test.each([
    [
      "$filter=City eq 'a' and @p&@p=Citty eq 'b'",
      ["unknown_property", "@p", 0, 5],
      { option: "$filter", span: { start: 16, end: 18 } },
    ],
    [
      "$filter=@p&@p=City eq @q&@q=1",
      ["type_mismatch", "@p", 0, 10],
      { option: "$filter", span: { start: 0, end: 2 } },
    ],
    [
      "$filter=@p&@p=not @q&@q=true and Citty",
      ["unknown_property", "@q", 9, 14],
      { option: "@p", span: { start: 4, end: 6 } },
    ],
    ["$filter=@p and Citty&@p=true", ["unknown_property", "$filter", 7, 12], null],
    [
      "$orderby=City,@p&@p=Citty",
      ["unknown_property", "@p", 0, 5],
      { option: "$orderby", span: { start: 5, end: 7 } },
    ],
    ["$filter=@p&@p=@p", ["unknown_alias", "@p", 0, 2], { option: "$filter", span: { start: 0, end: 2 } }],
  ])("%s", (query, [code, option, start, end], use) => {
    const error = refusal(() => bind(query));
    expect([error.code, error.option, error.span]).toEqual([code, option, { start, end }]);
    expect(error.use).toEqual(use);
  });
});

describe("what is written once and repeated is counted as often as it is repeated", () => {
  const prices = (count: number) => times(count, () => "ListPrice", " add ");

  test("the operand of tuples", () => {
    const rows = (count: number) => times(count, (i) => `[${i},'a']`, ",");
    const error = refusal(() => bind(`$filter=[${prices(200)},City] in [${rows(300)}]`));
    expect(error.details).toEqual({ measure: "the number of expressions", limit: 2000 });
    expect(bind(`$filter=[ListPrice,City] in [${rows(600)}]`).filter.kind).toBe("Logical");
    expect(bind(`$filter=[${prices(3)},City] in [${rows(100)}]`).filter.kind).toBe("Logical");
  });

  test("levels of levels", () => {
    const nested = (count: number) =>
      `${"Children($levels=16;$expand=".repeat(count)}Rooms${")".repeat(count)}`;
    const error = refusal(() => bindExpand(parseExpand(nested(12)), houses));
    expect([error.code, error.option, error.details["limit"]]).toEqual(["query_too_complex", "$expand", 100]);
    expect(bindExpand(parseExpand(nested(1)), houses)).toHaveLength(1);
  });
});

test("a chain of operators is as deep as it is long, and no deeper than a database takes", () => {
  for (const chain of [" add 1", " div 1.5", " mul ListPrice", " mod 2"]) {
    const error = refusal(() => bind(`$filter=ListPrice${chain.repeat(900)} gt 1`));
    expect([error.code, error.details["limit"]]).toEqual(["query_too_complex", 600]);
    const { filter } = bind(`$filter=ListPrice${chain.repeat(590)} gt 1`);
    const listings = openListings();
    expect(listings.keys({ ...bind("$filter=true"), filter })).toBeInstanceOf(Array);
    listings.close();
  }
});

test("products of long constants are left to the database", () => {
  const { filter } = bind(`$filter=ListPrice lt ${times(400, () => "9".repeat(70), " mul ")}`);
  const { values } = compilePage({ ...bind("$filter=true"), filter }, sqlite, mapping);
  for (const value of values) expect(String(value).length).toBeLessThan(200);
  let constants = 0;
  const count = (node: typeof filter): typeof filter => {
    if (node.kind === "Constant") constants += 1;
    return mapChildren(node, count);
  };
  count(filter);
  expect(constants).toBe(400);
});
