import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import type { AccessRegistry } from "@cadastre/store/registry";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { issueApiKey } from "../src/access/issue-key.ts";
import { createKeyDirectory, type KeyDirectory } from "../src/access/key-directory.ts";
import { createApiKey } from "../src/access/key-text.ts";
import type { DataFolder } from "../src/data/data-folder.ts";
import type { Pepper, Peppers } from "../src/data/pepper.ts";
import { openRegistry } from "../src/data/registry.ts";
import { newDataFolder } from "./support/test-database.ts";

const at = Date.UTC(2026, 0, 1);
const pepperOf = (version: number): Pepper => ({ version, secret: randomBytes(32) });
const [first, second] = [pepperOf(1), pepperOf(2)];

let folder: DataFolder;
let registry: AccessRegistry;
let peppers: Peppers;
let time: number;
let faults: unknown[];
/** What the directory has asked for. */
let asked: string[];
let directory: KeyDirectory;

beforeEach(async () => {
  folder = await newDataFolder();
  registry = await openRegistry(folder);
  await registry.entitlements.install({ customer: "acme", version: 1, jws: "a", installed: at });
  [peppers, time, faults, asked] = [[first], 0, [], []];
  directory = createKeyDirectory({
    keys: {
      find: (digests) => {
        asked.push(`find ${digests.length}`);
        return registry.keys.find(digests);
      },
      noteUse: registry.keys.noteUse,
    },
    peppers: async () => {
      asked.push("peppers");
      return peppers;
    },
    onFault: (error) => faults.push(error),
    clock: () => time,
  });
});
afterEach(async () => {
  await registry.close();
  await rm(folder.path, { recursive: true });
});

async function add(expires: number | null = null) {
  const { apiKey, kept } = issueApiKey(peppers, expires);
  const { id } = await registry.keys.add({ customer: "acme", ...kept }, at);
  return { apiKey, id };
}

describe("every well-formed key that is refused costs the same", () => {
  const refused: readonly [string, () => Promise<string>][] = [
    ["unknown", async () => createApiKey()],
    ["expired", async () => (await add(at)).apiKey],
    [
      "revoked",
      async () => {
        const { apiKey, id } = await add();
        await registry.keys.revoke(id, at);
        return apiKey;
      },
    ],
  ];
  test.each(refused)("one that is %s", async (_name, make) => {
    const apiKey = await make();
    peppers = [second, first];
    expect(await directory.find(apiKey, at)).toBeUndefined();
    expect(await directory.find(apiKey, at)).toBeUndefined();
    expect(asked).toEqual(["peppers", "find 2"]);
    expect((await registry.keys.list()).every(({ lastUsed }) => lastUsed === null)).toBe(true);
  });

  test("one that is not well-formed costs nothing", async () => {
    const { apiKey } = await add();
    for (const text of ["", "x", `${apiKey} `, apiKey.slice(1)])
      expect(await directory.find(text, at)).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

test("a key is remembered for two seconds, and its end is kept to the millisecond", async () => {
  const { apiKey, id } = await add(at + 1000);
  expect(await directory.find(apiKey, at)).toMatchObject({ id, customer: "acme" });
  expect(await directory.find(apiKey, at + 999)).toMatchObject({ id });
  expect(await directory.find(apiKey, at + 1000)).toBeUndefined();
  expect(asked).toHaveLength(2);
});

test("a revocation takes effect within two seconds, and at once where a fresh answer is asked for", async () => {
  const { apiKey, id } = await add();
  expect(await directory.find(apiKey, at)).toBeDefined();
  await registry.keys.revoke(id, at);
  time = 1999;
  expect(await directory.find(apiKey, at)).toBeDefined();
  time = 2000;
  expect(await directory.find(apiKey, at)).toBeUndefined();

  const other = await add();
  expect(await directory.find(other.apiKey, at)).toBeDefined();
  await registry.keys.revoke(other.id, at);
  expect(await directory.find(other.apiKey, at, "fresh")).toBeUndefined();
  expect(await directory.find(other.apiKey, at)).toBeUndefined();
});

test("a key that has ended is found as such, at the cost of one look-up", async () => {
  const ended = [await add(at), await add()];
  await registry.keys.revoke(ended[1]?.id ?? "", at);
  for (const { apiKey, id } of ended) {
    expect(await directory.find(apiKey, at)).toBeUndefined();
    expect(await directory.findEnded(apiKey, at)).toMatchObject({ id, customer: "acme" });
  }
  const inForce = await add();
  expect(await directory.findEnded(inForce.apiKey, at)).toBeUndefined();
  const unknown = createApiKey();
  expect(await directory.find(unknown, at, "fresh")).toBeUndefined();
  expect(await directory.findEnded(unknown, at)).toBeUndefined();
  expect(await directory.findEnded("x", at)).toBeUndefined();
  expect(asked.filter((one) => one.startsWith("find"))).toHaveLength(4);
});

test("a key that is made after it was tried works within two seconds", async () => {
  const { apiKey, kept } = issueApiKey(peppers, null);
  expect(await directory.find(apiKey, at)).toBeUndefined();
  await registry.keys.add({ customer: "acme", ...kept }, at);
  expect(await directory.find(apiKey, at)).toBeUndefined();
  time = 2000;
  expect(await directory.find(apiKey, at)).toBeDefined();
});

test("a key moves to the current pepper when it is used, and the old one can go", async () => {
  const { apiKey, id } = await add();
  peppers = [second, first];
  expect(await directory.find(apiKey, at)).toMatchObject({ id, pepper: 1 });
  await expect.poll(() => registry.keys.list()).toMatchObject([{ id, pepper: 2, lastUsed: at }]);
  peppers = [second];
  expect(await directory.find(apiKey, at, "fresh")).toMatchObject({ id, pepper: 2 });
  peppers = [first];
  expect(await directory.find(apiKey, at, "fresh")).toBeUndefined();
});

test("a use is noted once a minute", async () => {
  const { apiKey } = await add();
  const lastUsed = async (time: number) => {
    await directory.find(apiKey, time, "fresh");
    await new Promise((resolve) => setTimeout(resolve, 20));
    return (await registry.keys.list())[0]?.lastUsed;
  };
  expect(await lastUsed(at + 1)).toBe(at + 1);
  expect(await lastUsed(at + 60_000)).toBe(at + 1);
  expect(await lastUsed(at + 60_001)).toBe(at + 60_001);
});

test("a digest under another pepper than its record says is none", async () => {
  const { apiKey, kept } = issueApiKey([first], null);
  await registry.keys.add({ customer: "acme", ...kept, pepper: 2 }, at);
  peppers = [second, first];
  expect(await directory.find(apiKey, at)).toBeUndefined();
});

test("nobody comes in while the registry or the peppers cannot be read", async () => {
  const { apiKey } = await add();
  expect(await directory.find(apiKey, at)).toBeDefined();
  await registry.close();
  time = 2000;
  await expect(directory.find(apiKey, at)).rejects.toMatchObject({ code: "registry_unavailable" });
  expect(faults).toEqual([]);
});
