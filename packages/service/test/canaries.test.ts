import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, query } from "./support/ask.ts";
import { fieldMark, hiddenMark, requireNoCanaryFile } from "./support/canaries.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "200" });
});
afterAll(() => running.stop());

const property = "/reso/odata/Property";
const get = (target: string, name: string) =>
  ask(running.service.baseUrl, target, { "x-api-key": running.key(name) });

test("the marks are in the database", async () => {
  const files = [running.folder.database, `${running.folder.database}-wal`];
  const bytes = await Promise.all(files.map((file) => readFile(file, "latin1").catch(() => "")));
  expect(bytes.join("")).toContain(hiddenMark);
  expect(bytes.join("")).toContain(fieldMark);
});

test("a customer with the marked fields finds them, and no page of any customer has others", async () => {
  const options = query({ $filter: `ListAgentKey eq '${fieldMark}'`, $select: "PrivateRemarks" });
  expect((await get(property + options, "national")).text).toContain(fieldMark);
  for (const name of ["national", "market", "state"]) {
    expect((await get(property + query({ $top: 1000 }), name)).status).toBe(200);
  }
});

test("an answer and a file with a mark are found out", async () => {
  const echoed = property + query({ $select: hiddenMark });
  await expect(get(echoed, "national")).rejects.toThrow("a canary in the answer");
  const file = join(running.folder.path, "leaked.txt");
  await writeFile(file, fieldMark);
  await expect(requireNoCanaryFile(running.folder)).rejects.toThrow("a canary in");
  await writeFile(file, "");
});

test("the log tells of requests", () => {
  expect(running.log()).toContain('"answered"');
});
