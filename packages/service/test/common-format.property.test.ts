import { sampleCatalog } from "@cadastre/sample/catalog";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry } from "../src/ingest/entry.ts";
import { readCommonFormat } from "../src/ingest/read-common-format.ts";

const { entitySet } = sampleCatalog;

const context = '"@reso.context":"urn:reso:metadata:2.0:resource:office"';

/** Yields the bytes in chunks of these sizes, again and again. */
async function* chunksOf(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let start = 0, i = 0; start < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

/** Returns the entries, or the message of the error. */
async function outcomeOf(bytes: Uint8Array, sizes: readonly number[]): Promise<readonly Entry[] | string> {
  const entries: Entry[] = [];
  try {
    for await (const entry of readCommonFormat(chunksOf(bytes, sizes), entitySet("Office")))
      entries.push(entry);
  } catch (error) {
    return (error as Error).message;
  }
  return entries;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const records = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { maxLength: 4 });
const document = fc
  .tuple(records, fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 1 }), fc.nat(2))
  .map(
    ([value, head, tail, spaces]) =>
      `{${context},"head":${JSON.stringify(head, null, spaces)},"value":${JSON.stringify(value, null, spaces)},"tail":${JSON.stringify(tail)}}`,
  );

/** Texts that change what a document means when they are put into it. */
const splices = ["", '"', "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "\u0001", "1", "-", ".", "e", "x"];
const more = [...splices, "true", "null", "é", '\\"', "[]", "{}", "//", "\u00a0", "\ufeff", '"a":1', ",,"];

/** True if the text is JSON, by the parser of the language. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("a mutant of a document is read if it is JSON, and refused or read alike wherever its bytes are cut", async () => {
  let [valid, invalid] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      document,
      fc.nat(),
      fc.nat(3),
      fc.constantFrom(...more),
      sizes,
      async (text, at, removed, added, cuts) => {
        const place = at % (text.length + 1);
        const bytes = Buffer.from(text.slice(0, place) + added + text.slice(place + removed));
        // Half of a surrogate pair is a replacement character in UTF-8.
        const mutant = bytes.toString();
        const whole = await outcomeOf(bytes, [bytes.length + 1]);
        expect(await outcomeOf(bytes, cuts)).toEqual(whole);
        // A byte order mark is not part of the document.
        if (isJson(mutant.replace(/^\uFEFF/, ""))) {
          valid++;
          if (typeof whole === "string") expect(whole).not.toContain("no JSON");
        } else {
          invalid++;
          expect(whole, mutant).toBeTypeOf("string");
        }
      },
    ),
    { numRuns: 2500 },
  );
  expect(Math.min(valid, invalid)).toBeGreaterThan(300);
});

test("members named like those of every object are members", async () => {
  const text = `{${context},"__proto__":{"OfficeKey":"x"},"constructor":1}`;
  const [entry] = await outcomeOf(Buffer.from(text), [3]);
  const record = entry !== undefined && typeof entry !== "string" && "record" in entry ? entry.record : {};
  expect(Object.keys(record)).toEqual(["__proto__", "constructor"]);
  expect(record["OfficeKey"]).toBeUndefined();
});

test("a second list is refused", async () => {
  const text = `{${context},"value":[{}],"value":[{}]}`;
  expect(await outcomeOf(Buffer.from(text), [7])).toContain("two lists `value`: leave one of them out");
});
