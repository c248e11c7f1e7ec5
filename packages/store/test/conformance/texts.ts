import { setTimeout } from "node:timers/promises";
import { compareRows, matches, type Row } from "@cadastre/odata";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bookmark, Change, Page, WritableStore } from "../../src/index.ts";
import {
  type AskedCottages,
  askCottages,
  type Cottage,
  cottageRecord,
  cottageRemoval,
  cottageScopes,
  cottagesResource,
} from "../support/cottages.ts";
import { type Harness, rowsOf, withEmpty } from "./harness.ts";

const remarks: readonly (string | null)[] = [
  null,
  "",
  "ab",
  "Sea view",
  "SEA-VIEW, a pool and a POOL",
  "100% of_it \\ 'quoted'",
  "e\u0301cole École ÉCOLE",
  "İstanbul ıstanbul K Kelvin ſea Straße",
  "😀sea😀 𐐀𐐨",
  `${"long ".repeat(60)}pool`,
];
const parts = [
  "sea",
  "SEA",
  "Sea view",
  "pool",
  "%",
  "0% o",
  "_it",
  "\\ '",
  "ab",
  "",
  "éco",
  "İst",
  "kel",
  "😀sea",
  "straße",
  "x".repeat(99),
];
/** Keys, each of which belongs to one dataset. */
const keys = Array.from({ length: 16 }, (_, i) => ({
  key: `k${String(i).padStart(2, "0")}`,
  dataset: i % 3,
}));

const cottage: fc.Arbitrary<Cottage> = fc
  .record({
    at: fc.constantFrom(...keys),
    rank: fc.nat(2),
    remarks: fc.constantFrom(...remarks),
    street: fc.constantFrom(...remarks),
  })
  .map(({ at, ...rest }) => ({ ...at, ...rest }));
const cottages = fc.uniqueArray(cottage, { selector: ({ key }) => key, minLength: 4, maxLength: 16 });

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const condition = fc
  .tuple(
    fc.constantFrom("contains", "startswith", "endswith", "eq"),
    fc.constantFrom("Remarks", "tolower(Remarks)", "toupper(Street)", "Street"),
    fc.constantFrom(...parts),
  )
  .map(([name, text, part]) =>
    name === "eq" ? `${text} eq ${quoted(part)}` : `${name}(${text},${quoted(part)})`,
  );
const asked: fc.Arbitrary<AskedCottages> = fc.record({
  filter: fc.oneof(
    condition,
    fc
      .tuple(condition, fc.constantFrom("and", "or", "and not"), condition)
      .map(([left, operator, right]) => `${left} ${operator} (${right})`),
  ),
  orderBy: fc.constantFrom(undefined, "Rank", "Rank desc,CottageKey", "Street"),
  ignoreCase: fc.boolean(),
});
const scopeName = fc.constantFrom(...(Object.keys(cottageScopes) as (keyof typeof cottageScopes)[]));

/** Returns the row as restriction reads it. */
const rowOf = (one: Cottage): Row => {
  const { datasetId, record } = cottageRecord(one);
  return { ...record, DatasetId: datasetId };
};

const keysOf = (page: Page) => rowsOf(page).map((row) => row["CottageKey"]);

function expected(
  made: readonly Cottage[],
  one: AskedCottages,
  scope: keyof typeof cottageScopes,
): readonly unknown[] {
  const { filter, orderBy } = askCottages(one, cottageScopes[scope]);
  return made
    .map(rowOf)
    .filter((row) => matches(filter, row))
    .toSorted((a, b) => compareRows(orderBy, a, b))
    .map((row) => row["CottageKey"]);
}

const changesTo = (made: readonly Cottage[]): readonly Change[] => {
  const kept = new Set(made.map(({ key }) => key));
  return [...made.map(cottageRecord), ...keys.filter(({ key }) => !kept.has(key)).map(cottageRemoval)];
};

/** Reads all pages, and changes the records after the first one. */
async function walk(
  store: WritableStore,
  query: ReturnType<typeof askCottages>,
  change: () => Promise<unknown>,
) {
  const found: unknown[] = [];
  let from: Bookmark | undefined;
  do {
    const page = await store.page(query, { from });
    found.push(...keysOf(page));
    if (from === undefined) await change();
    from = page.next ?? undefined;
  } while (from !== undefined);
  return found;
}

const numRuns = Number(process.env["CASES"] ?? 4);

/** Texts that a trigram index finds. */
export function texts(harness: Harness): void {
  const resources = [cottagesResource];

  describe("texts", () => {
    test("that a filter finds are those of memory, whatever is written, changed and removed", () =>
      withEmpty(
        harness,
        (store) =>
          fc.assert(
            fc.asyncProperty(
              cottages,
              fc.array(asked, { minLength: 6, maxLength: 6 }),
              scopeName,
              async (made, all, scope) => {
                await store.commit(changesTo(made));
                for (const one of all) {
                  const query = askCottages(one, cottageScopes[scope]);
                  expect(keysOf(await store.page(query)), JSON.stringify(one)).toEqual(
                    expected(made, one, scope),
                  );
                  expect(await store.count(query)).toBe(expected(made, one, scope).length);
                }
              },
            ),
            { numRuns: numRuns * 4 },
          ),
        { resources },
      ));

    test("are walked over as they were at the first page", () =>
      withEmpty(
        harness,
        (store) =>
          fc.assert(
            fc.asyncProperty(cottages, cottages, asked, scopeName, async (made, then, one, scope) => {
              await store.commit(changesTo(made));
              // Records that are removed meanwhile are met no more.
              const changed = made.map((before) => ({
                ...(then.find(({ key }) => key === before.key) ?? before),
              }));
              const found = await walk(store, askCottages({ ...one, top: 3 }, cottageScopes[scope]), () =>
                store.commit(changed.map(cottageRecord)),
              );
              expect(found).toEqual(expected(made, one, scope));
            }),
            { numRuns: numRuns * 2 },
          ),
        { resources },
      ));

    test("are those of a build that was rolled back to", () =>
      withEmpty(
        harness,
        async (store) => {
          const sea = { key: "a", dataset: 0, rank: 0, remarks: "Sea view", street: null };
          const gone = { ...sea, key: "b" };
          const publish = async (...made: readonly Change[]) => {
            await store.builds.stage("Cottage", "mls", made, { cursor: String(made.length) });
            return store.builds.publish(["Cottage"]);
          };
          await publish(cottageRecord(sea), cottageRecord(gone));
          const [first] = await store.builds.list("Cottage");
          await publish(
            cottageRecord({ ...sea, remarks: "A pool" }),
            cottageRemoval(gone),
            cottageRecord({ ...sea, key: "c" }),
          );
          const read = async (part: string) =>
            keysOf(await store.page(askCottages({ filter: `contains(Remarks,${quoted(part)})` })));
          expect([await read("view"), await read("pool")]).toEqual([["c"], ["a"]]);
          await store.builds.rollback("Cottage", first?.id ?? "");
          expect([await read("view"), await read("pool")]).toEqual([["a", "b"], []]);
        },
        { resources },
      ));

    test("are written however long ago a publication has read", async () => {
      const timeout = 300;
      const folded = { ...cottagesResource, folded: [["Street", "CottageKey"]] };
      const store = await harness.open("after_check", { resources: [folded], timeout });
      const cottage = (i: number) => ({ key: `w${i}`, dataset: 0, rank: i % 9, street: `Lane ${i}` });
      const all = (remark: string) =>
        Array.from({ length: 100 }, (_, i) => cottageRecord({ ...cottage(i), remarks: `${remark} ${i}` }));
      const publish = async (changes: readonly Change[], cursor: string) => {
        await store.builds.stage("Cottage", "mls", changes, { cursor });
        const publication = await store.builds.publish(["Cottage"], async (candidate) => {
          await candidate.count(askCottages({ filter: "contains(Remarks,'view 12')" }));
          return { passed: true, evidence: {} };
        });
        expect(publication.published).toBe(true);
        await setTimeout(timeout + 100);
      };
      await publish(all("sea view"), "1");
      await publish(all("lake view"), "2");
      await publish(
        Array.from({ length: 90 }, (_, i) => cottageRemoval(cottage(i))),
        "3",
      );
      const found = await store.page(askCottages({ filter: "contains(Remarks,'lake view')" }));
      expect(keysOf(found)).toHaveLength(10);
      await store.close();
    });

    test("are found in a store whose index is new", async () => {
      const before = await harness.open("without_texts", { resources: [{ ...cottagesResource, texts: [] }] });
      const many = Array.from({ length: 1500 }, (_, i) =>
        cottageRecord({
          key: `p${i}`,
          dataset: i % 3,
          rank: i % 9,
          remarks: `remark number ${i}.`,
          street: null,
        }),
      );
      await before.commit(many);
      await before.close();
      const after = await harness.open("without_texts", { resources });
      const read = async (filter: string) => keysOf(await after.page(askCottages({ filter })));
      expect(await read("contains(Remarks,'1234')")).toEqual(["p1234"]);
      expect(await read("tolower(Remarks) eq 'remark number 1499.'")).toEqual([]);
      expect(await read("endswith(Remarks,' 1498.')")).toEqual(["p1498"]);
      await after.close();
    });
  });
}
