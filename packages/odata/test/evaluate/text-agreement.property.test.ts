import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import {
  type BoundNode,
  type BoundQuery,
  bindQuery,
  matches,
  parseFilter,
  parseSearch,
} from "../../src/index.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import { equals, mapChildren, printSearch, propertyNode, type SearchNode } from "../../src/tree/index.ts";
import { type Homes, homes, openPostgresHomes, openSqliteHomes, rows, searchable } from "../support/homes.ts";

const sqlite = openSqliteHomes();
const postgres = hasPostgres ? await openPostgresHomes() : undefined;
if (postgres === undefined) console.warn("PostgreSQL is left out: no server is installed");
const engines: Readonly<Record<string, Homes | undefined>> = { SQLite: sqlite, PostgreSQL: postgres };

afterAll(async () => {
  await sqlite.close();
  await postgres?.close();
});

/** `CASES=5000` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 25);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };
const options = { timeout: 120_000 + numRuns * 200 };

const pieces = [
  "sea",
  "SEA",
  "view",
  "View",
  "pool",
  "house",
  "a",
  "o",
  "fallon",
  "straße",
  "STRASSE",
  "ΟΔΌΣ",
  "οδός",
  "σίσυφοσ",
  "ecole",
  "école",
  "e\u0301cole",
  "K",
  "k",
  "ſea",
  "😀",
  "10½",
  "ⅷ",
  "𐐨",
  "नगर",
  "東京都",
  "\u{10ffff}",
  "near",
  "not",
  "AND",
  "*",
  "\\",
  "'",
  "{",
  "%_",
  "x".repeat(300),
  "é".repeat(255),
];
const piece = fc.constantFrom(...pieces);
const word = fc
  .tuple(piece, fc.constantFrom("", "-", ".", "*", "😀"), fc.option(piece, { nil: "" }))
  .map((parts) => parts.join(""));

const span = { start: 0, end: 0 };
const hasLetter = (value: string) => /[\p{L}\p{N}\p{M}]/u.test(value);

const searches: fc.Arbitrary<SearchNode> = fc.letrec<{ search: SearchNode }>((tie) => ({
  search: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    word.filter(hasLetter).map((value): SearchNode => ({ kind: "Term", value, phrase: true, ...span })),
    fc
      .array(word, { minLength: 1, maxLength: 3 })
      .map((words) => words.join(" "))
      .filter(hasLetter)
      .map((value): SearchNode => ({ kind: "Term", value, phrase: true, ...span })),
    tie("search").map((operand): SearchNode => ({ kind: "SearchNot", operand, ...span })),
    fc
      .tuple(fc.constantFrom("and", "or"), fc.array(tie("search"), { minLength: 2, maxLength: 4 }))
      .map(([operator, operands]): SearchNode => ({ kind: "SearchLogical", operator, operands, ...span })),
  ),
})).search;

/** A text of the rows, in part and in other letter case, or a piece. */
const part = fc
  .oneof(
    piece,
    fc
      .tuple(
        fc.constantFrom(...rows.flatMap(({ Title, Remarks }) => [String(Title), String(Remarks)])),
        fc.nat(8),
        fc.nat(8),
        fc.constantFrom("toLowerCase", "toUpperCase", "trim"),
      )
      .map(([text, from, length, change]) =>
        Array.from(text)
          .slice(from, from + length)
          .join("")
          [change](),
      ),
  )
  .map((text) => `'${text.replaceAll("'", "''")}'`);
const property = fc.constantFrom("Title", "Remarks");

const filters = fc
  .tuple(
    fc.constantFrom("", "not "),
    fc.oneof(
      fc
        .tuple(fc.constantFrom("contains", "startswith", "endswith"), property, part)
        .map(([name, text, sought]) => `${name}(${text},${sought})`),
      fc
        .tuple(property, fc.constantFrom("eq", "ne"), fc.oneof(part, property))
        .map((parts) => parts.join(" ")),
      fc.tuple(property, part, part).map(([text, a, b]) => `${text} in (${a},null,${b})`),
      fc.tuple(property, fc.constantFrom("gt", "le"), part).map((parts) => parts.join(" ")),
    ),
  )
  .map(([not, condition]) => `${not}(${condition})`);

/** The query as it is where `Remarks` is shown of one source alone. */
function partlyHidden(query: BoundQuery): BoundQuery {
  const source = propertyNode({ name: "Source", type: "Edm.String", collection: false, nullable: true });
  const when = equals(source, { kind: "Constant", type: "Edm.String", value: "a" });
  const hide = (node: BoundNode): BoundNode =>
    node.kind === "Property" && node.property.name === "Remarks"
      ? { kind: "Choice", type: node.type, when, value: node }
      : mapChildren(node, hide);
  return { ...query, filter: hide(query.filter) };
}

async function expectAgreement(query: BoundQuery, engine: Homes, text: string): Promise<void> {
  for (const asked of [query, partlyHidden(query)]) {
    const expected = rows.filter((row) => matches(asked.filter, row)).map(({ Key }) => Key);
    for (const kind of ["plain", "indexed"] as const) {
      expect(await engine.keys(asked, kind), `${kind}: ${text}`).toEqual(expected);
    }
  }
}

const nested = (levels: number, wrap: (inner: string) => string): string =>
  levels === 0 ? "sea" : wrap(nested(levels - 1, wrap));

describe.each(Object.entries(engines))("%s agrees with memory", (_, engine) => {
  if (engine === undefined) return test.skip("no server is installed");

  test("on every `$search`, with an index and without, hidden texts or not", options, async () => {
    await fc.assert(
      fc.asyncProperty(searches, async (search) => {
        const text = printSearch(search);
        const query = bindQuery({ search: parseSearch(text), top: 100 }, homes, [], { searchable });
        await expectAgreement(query, engine, text);
      }),
      parameters,
    );
  });

  test.each([
    ["what is nested as deep as may be", nested(60, (inner) => `(sea view OR pool NOT house ${inner})`)],
    ["what is nested otherwise", nested(20, (inner) => `NOT (sea OR NOT pool (house OR ${inner}))`)],
    ["as many terms as may be", Array.from({ length: 990 }, (_unused, i) => `NOT w${i}`).join(" OR ")],
    ["a phrase as long as may be", `"${"pool ".repeat(400)}sea" OR "${"a ".repeat(14_000)}"`],
    ["a conjunction of many", Array.from({ length: 1900 }, () => "sea").join(" ")],
  ])("on a search with %s", async (_name, text) => {
    const query = bindQuery({ search: parseSearch(text), top: 100 }, homes, [], { searchable });
    await expectAgreement(query, engine, text);
  });

  test("on every comparison of texts, letter case ignored or not", options, async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.boolean(), async (text, ignoreCase) => {
        const query = bindQuery({ filter: parseFilter(text), top: 100 }, homes, [], { ignoreCase });
        await expectAgreement(query, engine, `${text} ${ignoreCase}`);
      }),
      parameters,
    );
  });
});
