import { describe, expect, test } from "vitest";
import {
  type PathSegment,
  parseQueryOptions,
  parseRelativeUri,
  parseResourcePath,
  readAlias,
  readOption,
} from "../../src/options/index.ts";
import { printExpression, printFilter, type SyntaxNode } from "../../src/syntax/index.ts";
import { errorOf } from "../syntax/error-of.ts";

const system = (query: string) =>
  Object.fromEntries([...parseQueryOptions(query).system].map(([name, { text }]) => [name, text]));

describe("a query string is split and decoded", () => {
  test.each([
    ["", {}],
    ["$top=5", { $top: "5" }],
    ["top=5", { $top: "5" }],
    ["$TOP=5", { $top: "5" }],
    ["ToP=5", { $top: "5" }],
    ["%24top=5", { $top: "5" }],
    ["$top=5&$skip=1", { $top: "5", $skip: "1" }],
    ["&$top=5&&", { $top: "5" }],
    ["$filter=City%20eq%20'Bend'", { $filter: "City eq 'Bend'" }],
    ["$filter=City+eq+'Bend'", { $filter: "City eq 'Bend'" }],
    ["$filter=a%20eq%201%2B1", { $filter: "a eq 1+1" }],
    ["$filter=City%20eq%20%27A%26B%27", { $filter: "City eq 'A&B'" }],
    ["$filter=a%20eq%20'x=y'", { $filter: "a eq 'x=y'" }],
    ["$filter=a eq '%C3%A9'", { $filter: "a eq 'é'" }],
    ["$filter=%20City eq 'Bend'", { $filter: "City eq 'Bend'" }],
    ["$filter=+%09 City eq 'Bend' %09+", { $filter: "City eq 'Bend'" }],
    ["$filter=City eq ' x '", { $filter: "City eq ' x '" }],
    ["$filter=%20", { $filter: "" }],
    ["$filter=", { $filter: "" }],
    ["$filter=City eq 'a'%20%20&$select=%20City,%20Zip%20", { $filter: "City eq 'a'", $select: "City, Zip" }],
    ["$orderby=+City desc+", { $orderby: "City desc" }],
    ["$top=%205", { $top: "5" }],
    ["$search=%2520", { $search: "%20" }],
    ["$filter=%0ACity", { $filter: "\nCity" }],
    ["$toinclusive=2024-01-01", { $toInclusive: "2024-01-01" }],
  ])("%s", (query, options) => {
    expect(system(query)).toEqual(options);
  });

  test("custom options keep their order and repeats", () => {
    expect(parseQueryOptions("b=2&a=1&b=%33&flag&from=x").custom).toEqual([
      { name: "b", value: "2" },
      { name: "a", value: "1" },
      { name: "b", value: "3" },
      { name: "flag", value: null },
      { name: "from", value: "x" },
    ]);
  });

  test("the value of an option is found in the query string by its offset", () => {
    const query = "$top=5&&@p=+%201&%24filter=%20a%20eq%20@p";
    const { system, aliases } = parseQueryOptions(query);
    const offsets = [system.get("$top"), aliases.get("@p"), system.get("$filter")].map(
      (text) => text?.offset,
    );
    expect(offsets.map((offset) => query.slice(offset).split("&")[0])).toEqual(["5", "1", "a%20eq%20@p"]);
  });

  test("percent-encoded semicolons are found in the value without the blanks before it", () => {
    expect(parseQueryOptions("$search=%20a%3Bb;c").system.get("$search")?.encoded).toEqual(new Set([1]));
  });

  test("blanks around a value are left off in time that grows with their number", () => {
    const blanks = "%20+".repeat(100_000);
    const started = performance.now();
    expect(system(`$filter=${blanks}a${blanks}b${blanks}`)["$filter"]).toMatch(/^a +b$/);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test("blanks around the value of a custom option are its own", () => {
    expect(parseQueryOptions("note=%20x%20").custom).toEqual([{ name: "note", value: " x " }]);
  });

  test("aliases are found by their name", () => {
    const options = parseQueryOptions('$filter=a eq @p&@p=[1,"x"]');
    expect(printExpression(readAlias(options, "@p") as SyntaxNode)).toBe("[1,'x']");
    expect(readAlias(options, "@q")).toBeUndefined();
  });

  test("an extension with a dollar sign is a custom option", () => {
    expect(parseQueryOptions("$ignorecase=true", { extensions: ["$ignoreCase"] }).custom).toEqual([
      { name: "$ignorecase", value: "true" },
    ]);
  });

  test.each([
    ["$top=1&$top=2", "duplicate_option"],
    ["$top=1&top=2", "duplicate_option"],
    ["$top=1&TOP=2", "duplicate_option"],
    ["@p=1&@p=2", "duplicate_option"],
    ["$fliter=a", "unknown_option"],
    ["$filter%20=a", "unknown_option"],
    ["@=1", "unknown_option"],
    ["$count", "syntax_error"],
    ["$search=#1", "syntax_error"],
    ["$filter=%", "invalid_encoding"],
    ["$filter=%G1", "invalid_encoding"],
    ["$filter=%C3", "invalid_encoding"],
    ["$filter=%00%FF", "invalid_encoding"],
  ])("%s is refused: %s", (query, code) => {
    expect(errorOf(() => parseQueryOptions(query)).code).toBe(code);
  });

  test("a misspelled option is told its likely name", () => {
    expect(errorOf(() => parseQueryOptions("$fliter=a")).message).toBe(
      "unknown query option `$fliter`, did you mean `$filter`?",
    );
  });
});

describe("the value of an option is read on demand", () => {
  test.each([
    ["$top=5", "$top", 5],
    ["$skip=0", "$skip", 0],
    ["$skip=999999999999999", "$skip", 999_999_999_999_999],
    ["$count=true", "$count", true],
    ["$count=FALSE", "$count", false],
    ["$index=-3", "$index", -3],
    ["$format=json", "$format", "json"],
    ["$format=application/json;odata.metadata=full", "$format", "application/json;odata.metadata=full"],
    ["$schemaversion=*", "$schemaversion", "*"],
    ["$skiptoken=a:b?c", "$skiptoken", "a:b?c"],
    ["$deltatoken=x", "$deltatoken", "x"],
    ["$id=Products(1)", "$id", "Products(1)"],
    ["$levels=max", "$levels", "max"],
  ] as const)("%s", (query, name, value) => {
    expect(readOption(parseQueryOptions(query), name)).toBe(value);
  });

  test("an option that nobody reads is not parsed", () => {
    const options = parseQueryOptions("$filter=)(&$top=5");
    expect(readOption(options, "$top")).toBe(5);
    expect(readOption(options, "$orderby")).toBeUndefined();
  });

  test("a percent-encoded semicolon is part of a word of a search", () => {
    expect(readOption(parseQueryOptions("$search=a%3Bb"), "$search")).toMatchObject({ value: "a;b" });
    const nested = readOption(parseQueryOptions("$expand=Rooms($search=a%3Bb;$top=1)"), "$expand");
    expect(nested?.[0]?.options).toMatchObject({ search: { value: "a;b" }, top: 1 });
  });

  test.each([
    ["$top=-1", "$top", "invalid_option"],
    ["$top=1000000000000000", "$top", "invalid_option"],
    ["$top=1.5", "$top", "invalid_option"],
    ["$top=", "$top", "invalid_option"],
    ["$count=1", "$count", "invalid_option"],
    ["$index=x", "$index", "invalid_option"],
    ["$levels=0", "$levels", "invalid_option"],
    ["$format=a%20b", "$format", "invalid_option"],
    ["$skiptoken=", "$skiptoken", "invalid_option"],
    ["$filter=a eq", "$filter", "syntax_error"],
    ["$search=a;b", "$search", "syntax_error"],
  ] as const)("%s is refused, and the error names %s", (query, name, code) => {
    const error = errorOf(() => readOption(parseQueryOptions(query), name));
    expect([error.code, error.option]).toEqual([code, name]);
  });
});

/** A segment as short text. */
function brief(segment: PathSegment): string {
  switch (segment.kind) {
    case "System":
      return segment.name;
    case "Crossjoin":
      return `crossjoin:${segment.entitySets.join("+")}`;
    case "Filter":
      return `filter:${printFilter(segment.predicate)}`;
    case "Resource": {
      const list = (args: typeof segment.args) =>
        args === null
          ? ""
          : `[${args.map(({ name, value }) => `${name ?? ""}=${printExpression(value)}`).join(" ")}]`;
      return segment.name + list(segment.args) + list(segment.key);
    }
  }
}

describe("a resource path is split into segments", () => {
  test.each([
    ["", []],
    ["/", []],
    ["Property", ["Property"]],
    ["/Property", ["Property"]],
    ["Property('k')", ["Property[='k']"]],
    ["Property(%27k%27)", ["Property[='k']"]],
    ["Property%28'k'%29", ["Property[='k']"]],
    ["Property('O''Brien')", ["Property[='O''Brien']"]],
    ["Property('O%27%27Brien')", ["Property[='O''Brien']"]],
    ["Property('a%2Fb')", ["Property[='a/b']"]],
    ["Property('a+b')", ["Property[='a+b']"]],
    ["Property('a+b%20c')", ["Property[='a+b c']"]],
    ["Property('a)b(')", ["Property[='a)b(']"]],
    ["Property(ListingKey='k')", ["Property[ListingKey='k']"]],
    ["Property(a=1,b='x')", ["Property[a=1 b='x']"]],
    ["Property(1)", ["Property[=1]"]],
    ["Property(2024-01-01T10%3A00%3A00Z)", ["Property[=2024-01-01T10:00:00Z]"]],
    ["Property(@k)", ["Property[=@k]"]],
    ["Property/$count", ["Property", "$count"]],
    ["Property('k')/Photo/$value", ["Property[='k']", "Photo", "$value"]],
    ["Property('k')/Office/$ref", ["Property[='k']", "Office", "$ref"]],
    ["Property/Ns.Condo", ["Property", "Ns.Condo"]],
    ["Property('k')/Ns.Score(of=@x)", ["Property[='k']", "Ns.Score[of=@x]"]],
    ["Best()", ["Best[]"]],
    ["ByCity(city='Bend')('k')", ["ByCity[city='Bend'][='k']"]],
    ["Employees/A1245", ["Employees", "A1245"]],
    ["People/O'Neil", ["People", "O'Neil"]],
    ["Orders/1/Items/-1", ["Orders", "1", "Items", "-1"]],
    ["Products/$filter(@f)/$count", ["Products", "filter:@f", "$count"]],
    ["Products/$filter(a/b eq '/)')/$each", ["Products", "filter:a/b eq '/)'", "$each"]],
    ["$crossjoin(A,B)", ["crossjoin:A+B"]],
    ["$metadata", ["$metadata"]],
    ["$batch", ["$batch"]],
    ["$all/Ns.Type", ["$all", "Ns.Type"]],
    ["Ns.Container/$all", ["Ns.Container", "$all"]],
    ["$entity/Ns.Type", ["$entity", "Ns.Type"]],
    ["Property/$query", ["Property", "$query"]],
  ])("%s", (path, segments) => {
    expect(parseResourcePath(path).map(brief)).toEqual(segments);
  });

  test.each([
    ["Property//x", 9],
    ["Property/", 9],
    ["Property('O'Brien')", 12],
    ["Property(%27O%27Brien%27)", 16],
    ["Property('a/b')", 11],
    ["Property(x)", 9],
    ["Property(a=x)", 11],
    ["Property('k'", 12],
    ["Property.('k')", 8],
    [".Property('k')", 0],
    ["Ns.Property", 2],
    ["Property/$count/x", 15],
    ["Property/$ref/$count", 13],
    ["Property/$metadata", 9],
    ["$count", 0],
    ["$nothing", 0],
    ["Property?x", 8],
    ["Property#x", 8],
  ])("%s is refused at %i", (path, at) => {
    const error = errorOf(() => parseResourcePath(path));
    expect([error.code, error.span?.start]).toEqual(["syntax_error", at]);
  });
});

describe("an entity is found by its id", () => {
  test.each([
    "$entity?$id=Offices('x')",
    "$entity?$id=x&$format=json",
    "$entity/Ns.Office?$id=x&$select=Name",
  ])("%s", (uri) => {
    expect(parseRelativeUri(uri).path[0]).toMatchObject({ kind: "System", name: "$entity" });
  });

  test.each([
    ["$entity", "invalid_option", "$id"],
    ["$entity?$id=x&$select=Name", "conflicting_options", "$select"],
  ])("%s is refused: %s", (uri, code, option) => {
    const error = errorOf(() => parseRelativeUri(uri));
    expect([error.code, error.option]).toEqual([code, option]);
  });
});

test("blanks around a value are kept on demand, and then refused", () => {
  const options = parseQueryOptions("$filter=%20true&$orderby=City", { keepBlanks: true });
  expect(errorOf(() => readOption(options, "$filter"))).toMatchObject({
    span: { start: 1, end: 2 },
    message: "expected a value without white space before it, found `t`",
  });
});

test("an offset whose plus sign was not encoded is refused with the way to write it", () => {
  const options = parseQueryOptions("$filter=Changed%20gt%202026-01-01T00:00:00+02:00");
  expect(errorOf(() => readOption(options, "$filter")).message).toBe(
    "expected `T00:00:00%2B02:00` (in a URL, `+` means a space; write `%2B` for a plus sign), found `T00`",
  );
});
