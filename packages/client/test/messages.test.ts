import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ClientError, openTarget, verifyFolder } from "@cadastre/client";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeDelivery } from "./support/deliveries.ts";
import { engines, withPostgres } from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { apiKey, json, startServer, type TestServer } from "./support/server.ts";
import { remoteSubscription, subscriptionTrick } from "./support/subscriptions.ts";

const delivery = await makeDelivery();
const { deliveryId } = delivery.manifest;
withPostgres();
let server: TestServer;
beforeEach(async () => {
  server = await startServer(delivery);
});
afterEach(() => {
  vi.unstubAllEnvs();
  return server.close();
});

const pull = (flags: readonly string[], key?: string) =>
  runHere(["pull", "--url", server.url, "--into", emptyFolder(), ...flags], key);

test("a wrong key is told with where it came from", async () => {
  const [file, wrong] = [join(emptyFolder(), "key"), `${apiKey}x`];
  writeFileSync(file, wrong);
  expect((await pull([deliveryId], wrong)).stderr).toContain(
    "does not know the API key in the variable CADASTRE_API_KEY: ",
  );
  expect((await pull([deliveryId, "--key-file", file])).stderr).toContain(`the API key in ${file}: `);
});

test.each([
  ["none", "", "there is none: set it, or give `--key-file` or `--key-stdin`"],
  ["with a space", "two words", "it has spaces"],
  ["that is too long", "x".repeat(5000), "it is too long"],
])("a key that is wrong is told with its fault: %s", async (_, key, words) => {
  const { code, stderr } = await pull([deliveryId], key);
  expect(stderr).toContain(
    `api_key_invalid: the variable CADASTRE_API_KEY must hold an API key, printable ASCII on one line: ${words}`,
  );
  expect(code).toBe(2);
});

test("a full disk is told with the path, and what to do", () => {
  const { message } = new ClientError("disk_failed", { place: "/data/x", code: "ENOSPC" });
  expect(message).toContain("/data/x");
  expect(message).toContain("the disk is full (ENOSPC): free space there, and run this again");
});

test("a database that cannot be opened or is full is named", async () => {
  const folder = emptyFolder();
  const nowhere = join(folder, "none", "copy.sqlite");
  await expect(openTarget(`sqlite:${nowhere}`)).rejects.toThrow(`sqlite:${nowhere} cannot be opened`);
  const text = join(folder, "text");
  writeFileSync(text, "this is no database. ".repeat(100));
  await expect(openTarget(`sqlite:${text}`)).rejects.toThrow(
    `sqlite:${text} cannot be opened or loaded (\`SQLITE_NOTADB\`): file is not a database. It is not a database of SQLite: name another file`,
  );
  const full = new ClientError("target_failed", { target: "sqlite:x", code: "SQLITE_FULL", reason: "full" });
  expect(full.message).toContain("Free space there, and run this again");
});

test("a replica reports errors of its database as a target does", async () => {
  const file = join(emptyFolder(), "copy.sqlite");
  new Database(file).exec("create table cadastre_replicas (resource text, modified text)").close();
  server.trick = ({ url }, response) =>
    url.startsWith("/reso/odata/Property") &&
    json(response, 200, { value: [{ ListingKey: "1", ModificationTimestamp: "2026-01-01T00:00:00Z" }] });
  // Without its primary key, the ledger cannot take the entry.
  const { code, stderr } = await runHere([
    "replicate",
    "Property",
    "--url",
    server.url,
    "--into",
    `sqlite:${file}`,
  ]);
  expect(stderr).toMatch(`target_failed: sqlite:${file} `);
  expect(code).toBe(7);
});

test.each([
  ["unknown_profile", 400, "--profile"],
  ["entitlement_denied", 403, "--domain"],
])("an export that is refused with %s and %i names the option", async (error, status, option) => {
  server.trick = ({ method }, response) => method === "POST" && json(response, status, { error });
  const { stderr } = await pull(["--domain", "listing", "--profile", "x", "--tries", "1"]);
  expect(stderr).toContain(`option_refused: the server refuses \`${option}\` (\`${error}\`): `);
});

test("exports that wait for others are told so", async () => {
  server.trick = ({ method }, response) =>
    method === "POST" && json(response, 429, { error: "too_many_exports" });
  const { code, stderr } = await pull(["--domain", "listing", "--tries", "1"]);
  expect(stderr).toContain("as many exports of yours as are allowed are in progress");
  expect(code).toBe(4);
});

test("a canceled subscription that is to be changed is told in words", async () => {
  const answer = subscriptionTrick(remoteSubscription);
  server.trick = (request, response, own) =>
    request.url.endsWith("/pause")
      ? json(response, 409, { error: "subscription_canceled" })
      : answer(request, response, own);
  const { code, stderr } = await runHere(["subscriptions", "pause", "nightly", "--url", server.url]);
  expect(stderr).toContain("subscription_canceled: the subscription is canceled for good: create another");
  expect(code).toBe(3);
});

test("a folder without a delivery is told with what it is", async () => {
  const folder = emptyFolder();
  expect(await pull([deliveryId, "--into", folder])).toMatchObject({ code: 0 });
  const verified = (path: string) => verifyFolder(path, { keys: "unsigned" });
  await expect(verified(join(folder, "none"))).rejects.toThrow("there is no such file or folder (ENOENT)");
  await expect(verified(join(folder, deliveryId, "manifest.json"))).rejects.toThrow("it is a file");
  await expect(verified(folder)).rejects.toMatchObject({
    code: "folder_invalid",
    exitCode: 2,
    message: `${folder} is not a folder with a delivery: it holds folders of deliveries: name one of them, such as ${join(folder, deliveryId)}`,
  });
  mkdirSync(join(folder, "empty"));
  await expect(verified(join(folder, "empty"))).rejects.toMatchObject({ code: "file_missing" });
});

test("a pin that differs is told with what is served", async () => {
  const { stderr } = await pull([deliveryId, "--pin", "schema=listing@9"]);
  expect(stderr).toContain("the schema of the delivery is `listing@2.0.3`, and `listing@9` is pinned");
  const hash = "0".repeat(64);
  expect((await pull([deliveryId, "--pin", `schema=${hash}`])).stderr).toContain(
    `is \`${delivery.manifest.schema.sha256}\`, and \`${hash}\` is pinned`,
  );
});

test("a table that is occupied in a schema is named with the schema", async () => {
  for (const engine of engines.filter(({ name, isAbsent }) => name !== "SQLite" && !isAbsent)) {
    const place = await engine.begin();
    await place.exec(
      'create schema other; create table other.listing ("A" text); insert into other.listing values (1)',
    );
    const target = await openTarget(place.target, { schema: "other" });
    await expect(target.requireFree(["listing"])).rejects.toThrow("`other.listing` exists");
    await target.close();
  }
});

test("a minute of the day needs a cadence of days", async () => {
  const subscribe = [
    "subscribe",
    "--url",
    server.url,
    "--name",
    "x",
    "--domain",
    "listing",
    "--minute",
    "04:00",
  ];
  for (const cadence of ["6h", "36h"]) {
    const { code, stderr } = await runHere([...subscribe, "--cadence", cadence]);
    expect(stderr).toContain("minute_unused: `--minute` is a time of the day, which deliveries every ");
    expect(code).toBe(2);
  }
  expect(server.requests).toEqual([]);
});

test.each([
  ["npx", "", "npx @cadastre/client"],
  ["client", "cadastre", "npm run --silent client --"],
])(
  "a new subscription is told with the next command as it can be typed: %s",
  async (event, name, program) => {
    vi.stubEnv("npm_lifecycle_event", event);
    vi.stubEnv("npm_package_name", name);
    server.trick = subscriptionTrick(remoteSubscription, {
      "GET ?limit=500": [],
      "POST ": remoteSubscription,
    });
    const flags = ["--name", "nightly", "--domain", "listing", "--cadence", "1d", "--url", server.url];
    const { stderr } = await runHere(["subscribe", ...flags]);
    expect(stderr).toContain(
      `current: \`${program} follow --subscription ${remoteSubscription.id} --url ${server.url}`,
    );
  },
);
