import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  comparingReader,
  type DatasetReader,
  type ExportBatch,
  type ExportChanges,
} from "../../src/index.ts";
import { removalColumns } from "../../src/source/delta.ts";
import { linesOfBatches } from "../support/keyed-lines.ts";
import { anyScope } from "../support/scope.ts";

/** `CASES=5000` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 75);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };

type State = Readonly<Record<string, string>>;

/** In UTF-16 some come in another order than by code point, which is that of databases. */
const keys = ["", "a", "B", "é", "\ue000", "\uffff", "😀", "🏠", "z"];

const state: fc.Arbitrary<State> = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom("0", "1"));

const inOrder = (keysOf: Iterable<string>): readonly string[] =>
  [...keysOf].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

const linesOf = (state: State, columns: readonly string[]): readonly string[] =>
  inOrder(Object.keys(state)).map((key) => JSON.stringify({ Key: key, Value: state[key] }, [...columns]));

/** Reads the states by their number, in batches of a size. */
const readerOf = (states: readonly State[], size: number): DatasetReader => ({
  columns: () => undefined,
  read: async function* ({ checkpoint, columns, from }): AsyncGenerator<ExportBatch> {
    const lines = linesOf(states[checkpoint] ?? {}, columns);
    for (let at = Number(from ?? 0); at < lines.length; at += size) {
      const some = lines.slice(at, at + size);
      yield { lines: Buffer.from(`${some.join("\n")}\n`), length: some.length, end: String(at + size) };
    }
  },
});

type Line = { readonly Key: string; readonly Value?: string; readonly removalReason?: string };

async function read(
  states: readonly State[],
  content: ExportChanges["content"],
  { from = null, size = 2 }: { readonly from?: string | null; readonly size?: number } = {},
): Promise<readonly Line[]> {
  const columns = content === "rows" ? ["Key", "Value"] : ["Key", "removalReason"];
  const request = { dataset: "d", scope: anyScope, columns, checkpoint: 1, from };
  const records: Line[] = [];
  const full = readerOf(states, size);
  const reader = comparingReader(full, "Key", (all) => linesOfBatches(full.read(all), "Key"));
  for await (const { lines, length, end } of reader.read({ ...request, changes: { since: 0, content } })) {
    const some = Buffer.from(lines).toString().split("\n").slice(0, -1);
    expect(some).toHaveLength(length);
    records.push(...some.map((line) => JSON.parse(line) as Line));
    expect(end).toBe(records.at(-1)?.Key);
  }
  return records;
}

describe("what lies between two states", () => {
  test("rows are those that came or are other ones, removals those that are gone, in order, from any key on", () =>
    fc.assert(
      fc.asyncProperty(
        state,
        state,
        fc.option(fc.constantFrom(...keys)),
        fc.integer({ min: 1, max: 4 }),
        async (was, is, from, size) => {
          const beyond = (key: string) =>
            from === null || Buffer.compare(Buffer.from(key), Buffer.from(from)) > 0;
          const came = inOrder(Object.keys(is)).filter((key) => is[key] !== was[key] && beyond(key));
          const gone = inOrder(Object.keys(was)).filter((key) => !(key in is) && beyond(key));
          expect(await read([was, is], "rows", { from, size })).toEqual(
            came.map((Key) => ({ Key, Value: is[Key] })),
          );
          expect(await read([was, is], "removals", { from, size })).toEqual(
            gone.map((Key) => ({ Key, removalReason: "deleted" })),
          );
        },
      ),
      parameters,
    ));

  test("removals are found without reading the states again after the rows of the same delta, and of no other", async () => {
    const full = readerOf([{ a: "0", b: "0" }, { b: "1" }, {}], 2);
    let reads = 0;
    const reader = comparingReader(full, "Key", (all) => {
      reads++;
      return linesOfBatches(full.read(all), "Key");
    });
    const scope = anyScope;
    const ask = async (content: ExportChanges["content"], checkpoint: number, from: string | null = null) => {
      const columns = content === "rows" ? ["Key", "Value"] : ["Key"];
      const request = { dataset: "d", scope, columns, checkpoint, from, changes: { since: 0, content } };
      const keys: string[] = [];
      for await (const { lines } of reader.read(request))
        keys.push(...Buffer.from(lines).toString().split("\n").slice(0, -1));
      return keys;
    };
    expect(await ask("rows", 1, "b")).toEqual([]);
    expect(await ask("removals", 1)).toEqual(['{"Key":"a"}']);
    expect(reads).toBe(2);
    expect(await ask("removals", 1)).toEqual(['{"Key":"a"}']);
    expect(reads).toBe(4);
    await ask("rows", 1);
    expect(await ask("removals", 2)).toEqual(['{"Key":"a"}', '{"Key":"b"}']);
    expect(reads).toBe(8);
  });

  test("more than a batch is several, each with where it ends", async () => {
    const is = Object.fromEntries(Array.from({ length: 2500 }, (_, i) => [String(i), "0"]));
    expect(await read([{}, is], "rows", { size: 999 })).toHaveLength(2500);
  });

  test("a removal has the key, and the reason where it is asked for", () => {
    const column = { type: "string", collection: false, nullable: false } as const;
    const columns = [
      { ...column, name: "Value" },
      { ...column, name: "Key" },
    ];
    expect(removalColumns("Key", columns, false).map(({ name }) => name)).toEqual(["Key"]);
    expect(removalColumns("Key", columns, true).map(({ name }) => name)).toEqual(["Key", "removalReason"]);
  });
});
