import { Readable } from "node:stream";
import type { ManifestPart } from "@cadastre/manifest";
import { expect, test } from "vitest";
import { jsonLines } from "../src/content/json-lines.ts";

async function lines(...chunks: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  const bytes = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const found: string[] = [];
  for await (const batch of jsonLines(bytes, { number: 1 } as ManifestPart)) found.push(...batch);
  return found;
}

test("lines and characters may be divided between chunks", async () => {
  expect(await lines('{"a":"', Uint8Array.of(0xc3), Uint8Array.of(0xa9), '"}\n{}', "\n")).toEqual([
    '{"a":"é"}',
    "{}",
  ]);
});

test.each<[string, readonly (string | Uint8Array)[]]>([
  ["without a line feed at the end", ["{}\n{}"]],
  ["with half a character at the end", ["{}\n", Uint8Array.of(0xc3)]],
  ["with bytes that are no UTF-8", ["{}\n", Uint8Array.of(0xff), "\n"]],
])("a text %s is malformed", async (_, chunks) => {
  await expect(lines(...chunks)).rejects.toThrow(/record 2 of part 1/);
});
