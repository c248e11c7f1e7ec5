import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, deliveriesBehind, openTarget, pull, readCopyState } from "@cadastre/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { jwks, listings, makeDelivery } from "./support/deliveries.ts";
import { engines, load, withPostgres } from "./support/engines.ts";
import { emptyFolder, filesIn } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { apiKey, startServer, type TestServer } from "./support/server.ts";

let server: TestServer;
withPostgres();
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const seed = await seedAfter(undefined, { datasets: { listing: listings(4) } });
const delta = await deltaAfter(seed, { datasets: { listing: listings(1, 9) } });
const snapshot = await makeDelivery({ id: "once", datasets: { listing: listings(2) } });

const last = {
  stream: subscription,
  deliveryId: delta.manifest.deliveryId,
  domain: "listing",
  generation: 1,
  sequence: 1,
  asOf: delta.manifest.window.asOf,
  loadedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
};

describe.each(engines)("$name", ({ name, begin, isAbsent }) => {
  const has = test.skipIf(isAbsent);
  const place = name === "SQLite" ? { prefix: "cadastre_" } : { schema: "other", prefix: "cadastre_" };

  has.each([
    ["where it is by default", {}],
    ["beside tables of others", place],
  ])("tells what was loaded last, %s", async (_, where) => {
    const { target } = await begin();
    for (const one of [seed, delta]) await load(server, target, one, where);
    expect(await readCopyState(target, where)).toEqual([last]);
  });

  has("creates neither table nor schema", async () => {
    const { target, all, exec } = await begin();
    await exec("create table mine (a integer)");
    for (const where of [{}, place]) expect(await readCopyState(target, where)).toEqual([]);
    const tables =
      name === "SQLite"
        ? "select name as n from sqlite_master where type = 'table'"
        : "select table_name as n from information_schema.tables where table_schema in ('public', 'main', 'other')";
    expect((await all(tables)).map(({ n }) => n)).toEqual(["mine"]);
    if (name !== "SQLite")
      expect(
        await all("select schema_name from information_schema.schemata where schema_name = 'other'"),
      ).toEqual([]);
  });
});

test("a folder tells the last delivery of each stream, and a foreign file in it does no harm", async () => {
  const folder = emptyFolder();
  for (const one of [seed, delta, snapshot]) {
    server.deliveries.set(one.manifest.deliveryId, one);
    const connection = connect({ url: server.url, apiKey });
    const target = await openTarget(folder);
    const staging = join(emptyFolder(), "staging");
    await pull(connection, one.manifest.deliveryId, { target, staging, trust: jwks, reference: null });
    await target.close();
  }
  await mkdir(join(folder, "mine"));
  await writeFile(join(folder, "mine", "manifest.json"), "{}");
  const found = await readCopyState(folder);
  expect(found).toHaveLength(2);
  expect(found).toEqual(expect.arrayContaining([last, expect.objectContaining({ stream: "once" })]));
  const { stdout } = await runHere(["status", "--into", folder, "--json"], "");
  expect(JSON.parse(stdout)).toMatchObject([{ subscriptionId: subscription, copy: { target: folder } }]);
  const table = await runHere(["status", "--into", folder], "");
  expect(table.stdout).toMatch(new RegExp(`${subscription} +– +– +${folder} +1\\.1 just now +data of`));
});

test.each(["sqlite:", "duckdb:", ""])(
  "%s of what does not exist is told, and creates nothing",
  async (scheme) => {
    const folder = emptyFolder();
    const { code, stderr } = await runHere(["status", "--into", `${scheme}${join(folder, "none")}`], "");
    expect([code, stderr]).toEqual([2, expect.stringContaining("copy_missing")]);
    expect(filesIn(folder)).toEqual([]);
    expect(existsSync(join(folder, "none"))).toBe(false);
  },
);

test("an empty folder has nothing of a subscription, and gets nothing", async () => {
  const folder = emptyFolder();
  expect(await runHere(["status", "--into", folder], "")).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "Nothing of a subscription was loaded here.\n",
  });
  expect(filesIn(folder)).toEqual([]);
});

test("without service and copy the command line is wrong", async () => {
  const { code, stderr } = await runHere(["status"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("url_or_copy")]);
});

test.each([
  [
    "nothing was loaded",
    [
      [1, 0],
      [1, 1],
    ],
    undefined,
    2,
  ],
  [
    "all was loaded",
    [
      [1, 0],
      [1, 1],
    ],
    [1, 1],
    0,
  ],
  [
    "two deltas follow",
    [
      [1, 0],
      [1, 1],
      [1, 2],
    ],
    [1, 0],
    2,
  ],
  [
    "a later seed takes the place of what was missed",
    [
      [1, 1],
      [1, 2],
      [2, 0],
      [2, 1],
    ],
    [1, 0],
    2,
  ],
  [
    "two generations have passed",
    [
      [1, 1],
      [2, 0],
      [2, 1],
      [3, 0],
    ],
    [1, 0],
    1,
  ],
] as const)("the lag is known where %s", (_, places, loaded, behind) => {
  const complete = places.map(([generation, sequence]) => ({
    id: `${generation}.${sequence}`,
    status: "complete",
    generation,
    sequence,
    noChange: false,
    failure: null,
    createdAt: "",
    completedAt: "",
    expiresAt: "",
  }));
  const open = { ...complete[0], id: "open", status: "building", generation: 9, sequence: 0 };
  const copy = loaded === undefined ? undefined : { generation: loaded[0], sequence: loaded[1] };
  expect(deliveriesBehind([...complete, open as (typeof complete)[number]], copy)).toBe(behind);
});
