import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDelivery } from "./support/deliveries.ts";
import { emptyFolder, filesIn } from "./support/folders.ts";
import { run, runHere } from "./support/program.ts";
import { json, startServer, type TestServer } from "./support/server.ts";

const delivery = await makeDelivery();
let server: TestServer;
beforeEach(async () => {
  server = await startServer(delivery);
});
afterEach(() => server.close());

const keys = () =>
  server.requests
    .filter(({ method, url }) => method === "POST" && url === "/v1/file-exports")
    .map(({ body }) => (JSON.parse(body) as { readonly idempotencyKey: string }).idempotencyKey);
const keyCount = () => [keys().length, new Set(keys()).size];

const pulled = (...flags: readonly string[]) => [
  "pull",
  "--url",
  server.url,
  "--domain",
  "listing",
  "--tries",
  "1",
  ...flags,
];

/** Cuts off runs at their first part. */
const cutOff: TestServer["trick"] = ({ url }, response) =>
  url.includes("/download") && json(response, 503, {});

test("a request is continued for the same target and options alone", async () => {
  const [folder, staging] = [emptyFolder(), emptyFolder()];
  const into = (name: string, ...flags: readonly string[]) =>
    runHere(pulled("--staging", staging, "--into", `sqlite:${join(folder, name)}`, ...flags));
  server.trick = cutOff;
  expect(await into("a")).toMatchObject({ code: 4 });
  expect(await into("a")).toMatchObject({ code: 4 });
  expect(keyCount()).toEqual([2, 1]);
  expect(await into("b")).toMatchObject({ code: 4 });
  expect(keyCount()).toEqual([3, 2]);
  expect(await into("b", "--prefix", "x_")).toMatchObject({ code: 4 });
  expect(keyCount()).toEqual([4, 3]);
  server.trick = () => false;
  expect(await into("b", "--prefix", "x_")).toMatchObject({ code: 0 });
  expect(keyCount()).toEqual([5, 3]);
});

test("a request that is older than an hour is not continued", async () => {
  const folder = emptyFolder();
  server.trick = cutOff;
  await runHere(pulled("--into", folder));
  const file = join(folder, ".staging", "request-listing-default.json");
  const request = JSON.parse(readFileSync(file, "utf8")) as object;
  const age = (minutes: number) =>
    writeFileSync(
      file,
      JSON.stringify({ ...request, askedAt: new Date(Date.now() - minutes * 60_000).toISOString() }),
    );
  age(59);
  await runHere(pulled("--into", folder));
  expect(keyCount()).toEqual([2, 1]);
  age(61);
  await runHere(pulled("--into", folder));
  expect(keyCount()).toEqual([3, 2]);
});

test.each([
  ["is not what is pinned", ["--pin", "schema=listing@9"], 5],
  ["has no place", [], 8],
])("an export that %s is forgotten", async (_, flags, code) => {
  const folder = emptyFolder();
  const { deliveryId } = delivery.manifest;
  if (code === 8) mkdirSync(join(folder, deliveryId));
  expect(await runHere(pulled("--into", folder, ...flags))).toMatchObject({ code });
  expect(filesIn(folder)).toEqual([]);
  expect(await runHere(pulled("--into", folder, ...flags))).toMatchObject({ code });
  expect(keyCount()).toEqual([2, 2]);
});

test("a wrong pin or file of keys is told before an export is asked for", async () => {
  for (const flags of [
    ["--pin", "colour=red"],
    ["--keys", "/none"],
  ])
    expect(await runHere(pulled("--into", emptyFolder(), ...flags))).toMatchObject({ code: 2 });
  expect(server.requests).toEqual([]);
});

test("what an earlier version has asked for, for whatever database, is not continued", async () => {
  const cwd = emptyFolder();
  mkdirSync(join(cwd, ".cadastre"));
  const request = { origin: server.url, idempotencyKey: "0198f3a2-0000-7000-8000-000000000000" };
  writeFileSync(join(cwd, ".cadastre", "request-listing-default.json"), JSON.stringify(request));
  expect(await run(pulled("--into", "sqlite:copy.sqlite"), { cwd })).toMatchObject({ code: 0 });
  expect(keys()).not.toContain(request.idempotencyKey);
  expect(filesIn(join(cwd, ".cadastre"))).toEqual([]);
});

test("a pull says of when its data is, in words and for machines", async () => {
  const { asOf } = delivery.manifest.window;
  const folder = emptyFolder();
  const first = await runHere(pulled("--into", folder));
  expect(first.stderr).toMatch(`as of ${asOf}, 250 rows, and acknowledged it.`);
  const { deliveryId } = delivery.manifest;
  const again = ["pull", deliveryId, "--url", server.url, "--into", folder];
  expect((await runHere(again)).stderr).toMatch(`as of ${asOf} had been loaded`);
  expect(JSON.parse((await runHere([...again, "--json"])).stdout)).toMatchObject({ asOf });
});
