import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { readManifest } from "@cadastre/manifest";
import { expect, test } from "vitest";
import { folderOf, sealedPublication } from "../../src/index.ts";
import { objectsInOrder } from "../../src/publication/publication.ts";

const fixture = new URL("../../../manifest/fixtures/valid/delta.json", import.meta.url);

const newObject = (name: string) => ({
  name,
  byteLength: 0,
  sha256: "0".repeat(64),
  mediaType: "text/csv",
  open: () => Readable.from([]),
});

test("a sealed delivery is published as its manifest lists it", async () => {
  const manifest = readFileSync(fixture, "utf8");
  const { parts } = readManifest(Buffer.from(manifest));
  const publication = sealedPublication(
    { text: manifest, signature: '{"signature":"c2ln"}' },
    {
      open: async ({ sha256, byteLength }) => ({
        byteLength,
        stream: () => Readable.from([sha256]),
        sendTo: async () => {},
      }),
    },
  );
  expect(publication.parts.map(({ name }) => name)).toEqual(parts.map(({ name }) => name));
  for (const { sha256, open } of publication.parts) expect(await text(await open())).toBe(sha256);
  expect(Buffer.from(publication.manifest).toString()).toBe(manifest);
  const names = objectsInOrder(publication).map(({ name }) => name);
  expect(names.slice(parts.length)).toEqual(["manifest.json", "manifest.jws.json", "_COMPLETE"]);
});

test("documents are published after the parts, by the names of the manifest", async () => {
  const file = new URL("documented.json", fixture);
  const manifest = readFileSync(file, "utf8");
  const { parts } = readManifest(Buffer.from(manifest));
  const publication = sealedPublication(
    { text: manifest, signature: "{}" },
    {
      open: () => Promise.reject(new Error("no part is opened")),
      readDocument: async ({ sha256 }) => `document ${sha256}`,
    },
  );
  const names = objectsInOrder(publication).map(({ name }) => name);
  expect(names.slice(parts.length)).toEqual([
    "schema.json",
    "later.json",
    "manifest.json",
    "manifest.jws.json",
    "_COMPLETE",
  ]);
  const [document] = publication.documents ?? [];
  if (document === undefined) throw new Error("there is a document");
  expect(await text(await document.open())).toBe(`document ${document.sha256}`);
});

test.each([
  [["a", "a"]],
  [["a", "A"]],
  [["manifest.json"]],
  [["_complete"]],
  [["manifest.jws.json"]],
  [["../a"]],
  [["a/b"]],
  [[".probe-a"]],
  [[""]],
])("no parts are called %j", (names) => {
  const signature = Buffer.from("{}");
  const publication = { parts: names.map(newObject), manifest: Buffer.from("{}"), signature };
  expect(() => objectsInOrder(publication)).toThrow(RangeError);
});

test("folders of a subscription sort in the order of its deliveries", () => {
  const folders = [
    [1, 0],
    [1, 9],
    [1, 10],
    [2, 0],
    [10, 0],
  ].map(([generation = 0, sequence = 0], i) =>
    folderOf({ id: `d${9 - i}`, subscription: "s", generation, sequence }),
  );
  expect(folders.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(folders);
  expect(folders[0]).toBe("subscriptions/s/00000001/00000000-d9");
  expect(folderOf({ id: "d1", subscription: null, generation: 1, sequence: 0 })).toBe("exports/d1");
});
