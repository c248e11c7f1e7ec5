import { afterAll, describe, expect, test } from "vitest";
import { toCollection } from "../support/ask.ts";
import { checkAnswer, checkRows, quoted } from "./checks.ts";
import { laterComparisons } from "./comparisons.ts";
import { laterLookupScenarios } from "./lookup-scenarios.ts";
import { replayComparison, replayFilter } from "./replay.ts";
import { countValues, lookupFields, sampleLookup, sampleNumbers } from "./sampling.ts";
import { serve } from "./served.ts";
import { summarize } from "./summary.ts";

/*
 * The scenarios that RESO Web API Core 2.1.0 certification adds, or sends in another form, for every set of the service
 * document. It takes its values from rows that it reads first, and sends filters without `$top`.
 */

summarize("RESO Web API Core 2.1.0");

const served = await serve();
const { sets, get, rowsOf } = served;
afterAll(served.stop);

const version401 = { "odata-maxversion": "4.01" };

test("service-document", async () => {
  const reply = await get("");
  checkAnswer(reply);
  expect(toCollection(reply)["@odata.context"]).toMatch(/\/\$metadata$/);
  expect(toCollection(reply).value.length).toBeGreaterThan(0);
});

describe.each(sets)("$name", (set) => {
  const { name, rows } = set;
  const key = set.key[0] ?? "";
  const keysOf = (list: readonly Readonly<Record<string, unknown>>[]) => list.map((row) => row[key]);

  test("a sample of 1,000", async () => {
    const reply = await get(`/${name}?$top=1000`);
    checkAnswer(reply);
    expect(await rowsOf(`/${name}?$top=1000`)).toHaveLength(Math.min(1000, rows.length));
  });

  test.each(laterComparisons.filter(({ kind }) => sampleNumbers(set, kind)))("$tag", (comparison) =>
    replayComparison(served, set, comparison),
  );

  test.each(laterLookupScenarios.filter(({ collection }) => sampleLookup(set, collection)))(
    "$tag",
    async ({ collection, filterOf }) => {
      const sampled = sampleLookup(set, collection);
      if (sampled === undefined) return;
      const inVersion = { ...served, get: (target: string) => get(target, version401) };
      await replayFilter(inVersion, set, { ...filterOf(sampled), fields: [sampled.field] });
    },
  );

  test("timestamps sort as texts", () => {
    const instants = [...set.properties.values()].filter(({ type }) => type === "Edm.DateTimeOffset");
    const texts = instants.flatMap((field) => rows.map((row) => row[field.name])).filter((v) => v !== null);
    for (const text of texts) expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test("server-driven-paging: `$top` is the number of all rows", async () => {
    const one = await get(`/${name}?$top=1&$select=${key}`);
    expect(checkRows(one, set, [key])).toHaveLength(1);
    expect(toCollection(one)["@odata.nextLink"]).toBeUndefined();
    expect(keysOf(await rowsOf(`/${name}?$top=2&$select=${key}`))).toEqual(keysOf(rows).slice(0, 2));
    const small = { prefer: "odata.maxpagesize=1" };
    expect(keysOf(await rowsOf(`/${name}?$top=2&$select=${key}`, small))).toEqual(keysOf(rows).slice(0, 2));
  });

  test.each([
    ["every row", "", () => true],
    ["rows since a year", "gt", (value: string, than: string) => value > than],
    ["rows before now", "lt", (value: string, than: string) => value < than],
  ] as const)("server-driven-paging: no page repeats a row, %s", async (_, operator, holds) => {
    const instants = rows.map((row) => String(row["ModificationTimestamp"]));
    const latest = Date.parse(instants.toSorted().at(-1) ?? "");
    const than = new Date(operator === "lt" ? Date.now() : latest - 365 * 86_400_000).toISOString();
    const filter = operator === "" ? "" : `&$filter=ModificationTimestamp ${operator} ${than}`;
    const size = Math.max(1, Math.floor(rows.length / 12));
    const pages = await rowsOf(`/${name}?$select=${key}${filter}`, { prefer: `odata.maxpagesize=${size}` });
    const expected = rows.filter((row) => holds(String(row["ModificationTimestamp"]), than));
    expect(expected.length).toBeGreaterThan(size);
    expect(pages).toHaveLength(expected.length);
    expect(new Set(keysOf(pages))).toEqual(new Set(keysOf(expected)));
  });

  test("expand: each declared collection is an array, valid or empty", async () => {
    const { text } = await get("/$metadata?$format=json");
    const { "org.reso.metadata": types } = JSON.parse(text) as Record<string, Record<string, object>>;
    for (const [own, facts] of Object.entries(types?.[name] ?? {})) {
      if ((facts as Record<string, unknown> | null)?.["$Kind"] !== "NavigationProperty") continue;
      const isCollection = "$Collection" in (facts as object);
      for (const row of await rowsOf(`/${name}?$expand=${own}&$top=5`)) {
        if (isCollection) expect(row[own]).toEqual(expect.any(Array));
        else expect(row[own] === null || typeof row[own] === "object").toBe(true);
      }
    }
  });

  test("lookup-resource-validation", async () => {
    for (const { name: field, lookupName = "" } of lookupFields(set)) {
      const found = await rowsOf(`/Lookup?$filter=LookupName eq ${quoted(lookupName)}`, {
        prefer: "odata.maxpagesize=1000",
      });
      for (const row of found) expect(row["LookupName"]).toBe(lookupName);
      const known = new Set(
        found.flatMap((row) => [row["LookupValue"], row["StandardLookupValue"], row["LegacyODataValue"]]),
      );
      for (const value of countValues(set, field).keys()) expect(known, `${field} ${value}`).toContain(value);
    }
  });
});

test.each([
  ["response-code-400", "/Property?$filter=INVALIDFIELD eq 'bad'", 400],
  ["response-code-404", "/ResourceNotFound", 404],
])("%s", async (_, target, status) => {
  expect((await get(target)).status).toBe(status);
});
