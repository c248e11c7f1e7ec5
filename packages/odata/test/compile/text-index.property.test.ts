import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lowerCase, upperCase } from "../../src/functions/case-mapping.ts";
import { foldCase, gramsOf } from "../../src/functions/index.ts";
import {
  bindQuery,
  cachedCompiler,
  compileCount,
  compilePage,
  type EntitySet,
  fts5GramIndex,
  identifier,
  type Mapping,
  matches,
  parseFilter,
  type Row,
  sql,
  tableMapping,
  trigramIndex,
  trigramText,
} from "../../src/index.ts";
import { render } from "../../src/run/index.ts";
import { openDatabases, type TestDatabase } from "../support/databases.ts";

const text = (name: string, nullable = false) =>
  ({ name, type: "Edm.String", collection: false, nullable }) as const;
const source = text("Source");
const notes: EntitySet = {
  name: "notes",
  type: {
    name: "Note",
    key: ["Key"],
    properties: new Map([text("Key"), source, text("Text", true)].map((one) => [one.name, one])),
  },
};

const texts: readonly (string | null)[] = [
  null,
  "",
  "a",
  "Sea view",
  "SEA-VIEW!",
  "blue house with a pool, a POOL, and a view of the sea",
  "100% of_it \\ 'quoted' \"twice\"",
  "%%%___\\\\\\",
  "e\u0301cole École ÉCOLE e\u0301\u0323\u0301",
  "İstanbul ISTANBUL ıstanbul istanbul",
  "ΟΔΌΣ οδός Σίσυφος σςΣ",
  "Straße STRASSE STRAẞE",
  "K Kelvin ſea SEA",
  "😀😀😀 𐐀𐐨𐐀 sea😀view",
  "हिन्दी नगर 東京都の家",
  "AND OR NOT NEAR(sea view) * ^ : {a} 1abcd",
  "\t\n  \u00a0\u200b\u2028 \ufeff",
  "\u{10ffff}\ud7ff\ue000\u{10000}",
  "a\u0001b\u007fc",
  `${"long ".repeat(80)}needle ${"é".repeat(200)}`,
  "ǅ ǆ Ǆ ᾳ ᾼ ŉ ﬁ FI",
];
const rows: readonly Row[] = texts.flatMap((Text, i) =>
  ["s1", "s2", "s'3"].map((Source, j) => ({ Key: `${i}-${j}`, Source, Text })),
);

const plain = tableMapping("notes");
const withTexts = (texts: NonNullable<ReturnType<Mapping["column"]>["texts"]>): Mapping => ({
  ...plain,
  column: (property) => ({ ...plain.column(property), ...(property.name === "Text" ? { texts } : {}) }),
});
const rowid = sql`"notes".rowid`;
const indexes: Readonly<Record<TestDatabase["dialect"]["name"], Readonly<Record<string, Mapping>>>> = {
  sqlite: {
    whole: withTexts(fts5GramIndex("note grams", rowid)),
    divided: withTexts(
      fts5GramIndex("divided grams", rowid, {
        property: source,
        numbers: (values) => sql`select "number" from "sources" where "name" in (${values})`,
      }),
    ),
  },
  postgres: {
    whole: withTexts(trigramIndex(identifier("Text"))),
    divided: withTexts(trigramIndex(identifier("Text"), { property: source, column: identifier("Source") })),
  },
};

const fts5 = "content='', contentless_delete=1, detail=none, tokenize='ascii'";
const makeIndexes: Readonly<
  Record<TestDatabase["dialect"]["name"], (database: TestDatabase) => Promise<void>>
> = {
  sqlite: async ({ execute, run }) => {
    await execute(`create table "sources" ("number" integer primary key, "name" text)`);
    await execute(
      `insert into "sources" ("name") select distinct "Source" from "notes" where "Source" <> 's2'`,
    );
    await execute(`insert into "sources" values (17, 's2')`);
    await execute(`create virtual table "note grams" using fts5(grams, ${fts5})`);
    await execute(`create virtual table "divided grams" using fts5(grams, ${fts5})`);
    const found = `select "notes".rowid, "Text", "number" from "notes" join "sources" on "name" = "Source"`;
    for (const [id, content, number] of (await run({ text: found, values: [] })) as [
      bigint,
      string | null,
      bigint,
    ][]) {
      const grams = gramsOf(content ?? "");
      const add = (table: string, all: readonly string[]) =>
        execute(`insert into "${table}" (rowid, grams) values (?, ?)`, [id, all.join(" ")]);
      await add("note grams", grams);
      await add(
        "divided grams",
        grams.map((gram) => `${number}${gram}`),
      );
    }
  },
  postgres: async ({ execute }) => {
    await execute("create extension if not exists pg_trgm");
    await execute("create extension if not exists btree_gin");
    await execute(`create index "grams" on "notes" using gin ("Source", ${trigramExpression} gin_trgm_ops)`);
    await execute("set enable_seqscan to off");
  },
};

const { text: trigramExpression } = render(trigramText(identifier("Text")), () => "");

const quoted = (one: string) => `'${one.replaceAll("'", "''")}'`;
const changed = fc.constantFrom(
  (one: string) => one,
  lowerCase,
  upperCase,
  (one: string) => Array.from(one, (c, i) => (i % 2 === 0 ? lowerCase(c) : upperCase(c))).join(""),
);
/** A part of one of the texts, most often; its letter case may be changed. */
const part = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...texts), fc.nat(40), fc.nat(12)).map(([one, start, length]) =>
      Array.from(one ?? "")
        .slice(start % (Array.from(one ?? "").length + 1))
        .slice(0, length)
        .join(""),
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom(...texts).map((one) => one ?? "") },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.constantFrom("%", "_", "\\", "a", "s", "e", " ", "😀", "\u0301", "İ", "K"),
    }),
  },
);
const searched = fc.tuple(part, changed).map(([one, change]) => change(one));
const argument = fc.constantFrom("Text", "tolower(Text)", "toupper(Text)", "tolower(toupper(Text))");
const condition = fc
  .tuple(fc.constantFrom("contains", "startswith", "endswith", "eq"), argument, searched)
  .map(([name, one, other]) =>
    name === "eq" ? `${one} eq ${quoted(other)}` : `${name}(${one},${quoted(other)})`,
  );
const among = fc.constantFrom(
  "",
  "Source eq 's1' and ",
  "Source in ('s2','s''3') and ",
  "Source in ('none') and ",
  "Source ne 's1' and ",
);
const filter = fc.oneof(
  fc.tuple(among, condition).map(([sources, one]) => sources + one),
  fc.tuple(among, condition, condition).map(([sources, one, other]) => `${sources}(${one} or ${other})`),
  fc.tuple(condition, condition).map(([one, other]) => `Source eq 's2' and not (${one}) and ${other}`),
  fc.tuple(among, condition).map(([sources, one]) => `${sources}(${one}) ne true`),
);

test("changing the letter case of a character does not change its folded case", () => {
  const differs: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const character = String.fromCodePoint(code);
    const folded = foldCase(character);
    if ([lowerCase, upperCase, foldCase].some((change) => foldCase(change(character)) !== folded))
      differs.push(character);
  }
  expect(differs).toEqual([]);
});

test("four characters beyond ASCII fold to an ASCII letter", () => {
  const found = Array.from({ length: 0x10ffff }, (_, code) => code)
    .slice(0x80)
    .filter((code) => foldCase(String.fromCodePoint(code)).charCodeAt(0) < 0x80)
    .map((code) => [String.fromCodePoint(code), foldCase(String.fromCodePoint(code))]);
  const { text: expression } = render(trigramText(identifier("Text")), () => "");
  const [, from = "", to = ""] = /'(.*)', '(.*)'/.exec(expression) ?? [];
  expect(found).toEqual(Array.from(from, (one, i) => [one, to[i]]));
});

test("a text has all grams of its parts", () => {
  const parts = fc.tuple(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), fc.string());
  fc.assert(
    fc.property(parts, ([before, middle, after]) => {
      const all = new Set(gramsOf(upperCase(before + middle + after)));
      expect(gramsOf(middle).every((gram) => all.has(gram))).toBe(true);
    }),
  );
});

describe("texts are found by a trigram index", () => {
  let databases: readonly TestDatabase[];
  beforeAll(async () => {
    databases = await openDatabases();
    for (const database of databases) {
      await database.fill(notes, rows);
      await makeIndexes[database.dialect.name](database);
    }
  });
  afterAll(() => Promise.all(databases.map((database) => database.close())));

  test("the same as without it, on every database", async () => {
    const compilers = databases.flatMap((database) =>
      Object.entries(indexes[database.dialect.name]).map(
        ([, mapping]) => [database, mapping, cachedCompiler(database.dialect, mapping)] as const,
      ),
    );
    await fc.assert(
      fc.asyncProperty(filter, fc.boolean(), async (asked, ignoreCase) => {
        const query = bindQuery({ filter: parseFilter(asked), top: 1000 }, notes, [], { ignoreCase });
        const expected = rows
          .filter((row) => matches(query.filter, row))
          .map(({ Key }) => String(Key))
          .toSorted((a, b) => (a < b ? -1 : 1));
        for (const [{ dialect, run }, mapping, compiler] of compilers) {
          const keysOf = async (compiled: Parameters<typeof run>[0]) =>
            (await run(compiled)).map(([key]) => String(key)).toSorted((a, b) => (a < b ? -1 : 1));
          const options = { columns: [identifier("Key")] };
          expect(await keysOf(compilePage(query, dialect, mapping, options))).toEqual(expected);
          expect(await keysOf(compilePage(query, dialect, plain, options))).toEqual(expected);
          expect(compiler.page(query)).toEqual(compilePage(query, dialect, mapping));
          const [[count] = []] = await run(compileCount(query, dialect, mapping));
          expect(Number(count)).toBe(expected.length);
        }
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    "contains(Text,'sea')",
    "startswith(Text,'Sea')",
    "endswith(Text,'sea')",
    "tolower(Text) eq 'sea view'",
    "contains(toupper(Text),'POOL')",
    "contains(Text,'sea') or startswith(tolower(Text),'blue')",
  ])("%s is searched for in the index", async (asked) => {
    const query = bindQuery({ filter: parseFilter(`Source eq 's1' and (${asked})`), top: 9 }, notes);
    for (const { dialect, run } of databases)
      for (const mapping of Object.values(indexes[dialect.name])) {
        const { text: statement, values } = compileCount(query, dialect, mapping);
        const explain = dialect.name === "sqlite" ? "explain query plan" : "explain";
        const plan = (await run({ text: `${explain} ${statement}`, values })).flat().join("\n");
        expect(plan).toMatch(
          /(SCAN (note|divided) grams VIRTUAL TABLE INDEX|Bitmap Index Scan on "?grams"?)/,
        );
        expect(plan).not.toMatch(/SCAN notes|Seq Scan/);
      }
  });

  test.each([
    "contains(Text,'se')",
    "contains(Text,'')",
    "contains(Text,null)",
    "contains(Text,Source)",
    "Text eq 'sea'",
  ])("%s is not", (asked) => {
    const query = bindQuery({ filter: parseFilter(`Source eq 's1' and ${asked}`), top: 9 }, notes);
    for (const { dialect } of databases)
      for (const mapping of Object.values(indexes[dialect.name]))
        expect(compileCount(query, dialect, mapping)).toEqual(compileCount(query, dialect, plain));
  });
});
