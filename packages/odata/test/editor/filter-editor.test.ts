import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  filterCompletions,
  filterEditor,
  filterFault,
  filterLanguage,
  filterPosition,
} from "../../src/editor/index.ts";
import { bindFilter, type EntitySet, parseFilter } from "../../src/index.ts";
import { filterTexts } from "../support/arbitraries.ts";
import { houses } from "../support/estate.ts";
import { estateFilters } from "../support/estate-arbitraries.ts";
import { listing } from "../support/listing.ts";

/** `CASES=5000` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const runs = { numRuns: Number(CASES ?? 200), ...(SEED === undefined ? {} : { seed: Number(SEED) }) };

const cities = ["Austin", "Austintown", "O'Fallon"];

/** Returns what is offered at the end of a text: what each completion inserts, from where, and its label. */
async function offered(before: string, { type }: EntitySet = listing, explicit = true) {
  const suggestValues = async (_: unknown, text: string) => cities.filter((city) => city.startsWith(text));
  const context = new CompletionContext(EditorState.create({ doc: before }), before.length, explicit);
  const result = await filterCompletions(type, suggestValues)(context);
  const options = result?.options ?? [];
  return {
    from: result?.from,
    labels: options.map(({ label }) => label),
    inserted: options.map(({ apply, label }) => (typeof apply === "string" ? apply : label)),
  };
}

describe("completions", () => {
  test("at the start: properties, functions and `not`", async () => {
    const { labels, inserted } = await offered("");
    expect(labels.slice(0, 3)).toEqual(["ListingKey", "City", "StandardStatus"]);
    expect(labels).toContain("not");
    expect(inserted).toContain("contains(");
    expect(inserted).toContain("now()");
  });

  test.each<[before: string, some: readonly string[], none: readonly string[]]>([
    ["City ", ["eq", "in", "lt"], ["and", "add", "has"]],
    ["ListPrice ", ["eq", "add", "divby"], ["and"]],
    ["View ", ["has"], []],
    ["WaterfrontYN ", ["and", "or", "eq"], []],
    ["City eq 'Austin' ", ["and", "or"], ["eq", "lt"]],
    ["(City eq 'Austin' or ListPrice gt 5) ", ["and", "or"], ["add"]],
    ["contains(City,'a') ", ["and"], ["add"]],
    ["length(City) ", ["gt", "add"], ["and"]],
    ["City eq 'Austin' and ", ["ListPrice", "not"], ["eq"]],
    ["WaterfrontYN eq ", ["true", "false", "null"], []],
    ["View eq ", ["'Lake'", "'City'"], []],
    ["ModificationTimestamp gt ", ["now()"], []],
    ["Appliances/", ["any", "all", "$count"], ["City"]],
    ["Appliances/any(a:", ["a", "City"], []],
    ["ListPrice mul 2 ", ["gt"], []],
  ])("after `%s`", async (before, some, none) => {
    const { labels } = await offered(before);
    expect(labels).toEqual(expect.arrayContaining([...some]));
    for (const label of none) expect(labels).not.toContain(label);
  });

  test("between apostrophes: values that begin with what is typed, of the property that is compared", async () => {
    for (const before of ["City eq 'Aus", "City in ('York','Aus", "contains(City,'Aus", "not (City ne 'Aus"])
      expect(await offered(before), before).toEqual({
        from: before.length - 3,
        labels: ["Austin", "Austintown"],
        inserted: ["Austin", "Austintown"],
      });
    expect((await offered("City eq 'O''F")).inserted).toEqual(["O''Fallon"]);
    expect((await offered("View has 'm")).labels).toEqual(["Mountain"]);
    expect((await offered("'")).labels).toEqual([]);
  });

  test("names of range variables are the user's own", async () => {
    expect((await offered("Appliances/any(")).labels).toEqual([]);
    expect(filterPosition("Appliances/any(", listing.type).expects).toBe("name");
  });

  test("opens by itself where something may begin, and not within what is complete", async () => {
    expect((await offered("City ", listing, false)).labels).toContain("eq");
    expect((await offered("", listing, false)).labels).toEqual([]);
    expect((await offered("ListPrice gt 5", listing, false)).labels).toEqual([]);
  });
});

/** Places of a filter where a name, an operator or a function begins, with the word there. */
const words = (filter: string): readonly (readonly [at: number, word: string])[] =>
  [...filter.matchAll(/'(?:[^']|'')*'|"[^"]*"|[\dA-F]{8}(?:-[\dA-F]{4,12}){4}|\$?[A-Za-z_][\w.]*/gi)].flatMap(
    ({ 0: word, index }) =>
      /^['"]|-/.test(word) || filter[index - 1] === "'" || /[\d.:+-]$/.test(filter.slice(0, index))
        ? []
        : [[index, word] as const],
  );

const variable = /\/(?:any|all)\($/i;

/** Words that a completion cannot offer: literals with a prefix, types, and what few queries have. */
const isLeftOut = (filter: string, at: number, word: string): boolean =>
  filter[at + word.length] === "'" ||
  variable.test(filter.slice(0, at)) ||
  /^(?:INF|NaN|null|true|false|case|cast|isof|now|\$it|\$this|Edm\..*)$/i.test(word);

test.each([
  ["listings", filterTexts, listing],
  ["houses, with their rooms and agents", estateFilters, houses],
] as const)("each word of a valid filter on %s is offered where it stands", async (_, texts, entitySet) => {
  await fc.assert(
    fc.asyncProperty(texts, async (filter) => {
      try {
        bindFilter(parseFilter(filter), entitySet);
      } catch {
        fc.pre(false);
      }
      expect(await filterFault(filter, entitySet)).toBeUndefined();
      for (const [at, word] of words(filter)) {
        if (isLeftOut(filter, at, word)) continue;
        const { labels, from } = await offered(filter.slice(0, at), entitySet);
        expect(
          { at, from, isOffered: labels.some((label) => label.toLowerCase() === word.toLowerCase()) },
          word,
        ).toEqual({
          at,
          from: at,
          isOffered: true,
        });
      }
    }),
    runs,
  );
});

test("any text has a position, tokens and at most one fault, whose range lies in it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.tuple(filterTexts, fc.nat(200)).map(([filter, end]) => filter.slice(0, end)),
        fc
          .array(
            fc.constantFrom("City", "/", "(", ")", "'", ",", "any(", "x:", "eq", " ", "[", "{", "@a", "5"),
          )
          .map((all) => all.join("")),
      ),
      async (text) => {
        const { from, typed } = filterPosition(text, listing.type);
        expect(from).toBeLessThanOrEqual(text.length);
        expect(text.slice(from).replaceAll("''", "'")).toBe(typed);
        await offered(text);
        const fault = await filterFault(text, listing);
        if (fault !== undefined) {
          expect(fault.from).toBeGreaterThanOrEqual(0);
          expect(fault.to).toBeLessThanOrEqual(text.length);
        }
        filterLanguage.parser.parse(text);
      },
    ),
    runs,
  );
});

test("a fault is that of the service, and offers the name that was meant", async () => {
  expect(await filterFault("Citi eq 'Austin'", listing)).toEqual({
    code: "unknown_property",
    message: "unknown property `Citi`, did you mean `City`?",
    from: 0,
    to: 4,
    suggestion: "City",
  });
  expect(await filterFault("City eq", listing)).toMatchObject({ code: "syntax_error", from: 7, to: 7 });
  expect(await filterFault("  ", listing)).toBeUndefined();
});

test("text is coloured by what it is", () => {
  const text = "not contains(City,'a') and ListPrice gt 5";
  const tree = filterLanguage.parser.parse(text);
  const colored: string[] = [];
  tree.iterate({
    enter: ({ name, from, to, node }) => {
      if (node.firstChild === null) colored.push(`${text.slice(from, to)} ${name}`);
    },
  });
  expect(colored).toMatchInlineSnapshot(`
    [
      "not operatorKeyword",
      "contains variableName.function",
      "( paren",
      "City propertyName",
      ", separator",
      "'a' string",
      ") paren",
      "and operatorKeyword",
      "ListPrice propertyName",
      "gt operatorKeyword",
      "5 number",
    ]
  `);
});

test("the extension is one that an editor accepts", () => {
  expect(EditorState.create({ doc: "City eq 'a'", extensions: [filterEditor(listing)] }).doc.toString()).toBe(
    "City eq 'a'",
  );
});
