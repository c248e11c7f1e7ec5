import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoCustomers } from "../src/demo/customers.ts";
import { ask, query } from "./support/ask.ts";
import { hiddenMark, marked, requireNoCanaryFile } from "./support/canaries.ts";
import { type Running, run } from "./support/running.ts";
import { storedText } from "./support/sql.ts";

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "200" });
});
afterAll(() => running.stop());

const property = "/reso/odata/Property";
const get = (target: string, name: string) =>
  ask(running.service.baseUrl, target, { "x-api-key": running.key(name) });

test("the marks are in the database", async () => {
  const text = await storedText(running.folder, "listings");
  for (const mark of [hiddenMark, ...Object.values(marked).map((one) => one.mark)])
    expect(text).toContain(mark);
});

test.each(Object.entries(marked))(
  "%s: who may see the mark finds it, and no page of any customer has another",
  async (_, { mark, fields }) => {
    const [field] = fields;
    const found = await get(property + query({ $filter: `${field} eq '${mark}'` }), "national");
    expect(found.text).toContain(mark);
    for (const { name } of demoCustomers) {
      expect((await get(property + query({ $top: 1000 }), name)).status).toBe(200);
      await get(property + query({ $filter: `contains(${field},'canary')` }), name);
    }
  },
);

test("an answer and a file with a mark are found out", async () => {
  const echoed = property + query({ $select: hiddenMark });
  await expect(get(echoed, "national")).rejects.toThrow("a canary in the answer");
  const file = join(running.folder.path, "leaked.txt");
  await writeFile(file, marked.fields.mark);
  await expect(requireNoCanaryFile(running.folder)).rejects.toThrow("a canary in");
  await writeFile(file, "");
});

test("the log tells of requests", () => {
  expect(running.log()).toContain('"answered"');
});
