import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exitCodes } from "@cadastre/client";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { jwks, listings, makeDelivery } from "./support/deliveries.ts";
import { emptyFolder, filesIn, textIn } from "./support/folders.ts";
import { run, runHere, start } from "./support/program.ts";
import { apiKey, json, startServer, type TestServer } from "./support/server.ts";

const delivery = await makeDelivery();
const id = delivery.manifest.deliveryId;
let server: TestServer;
beforeEach(async () => {
  server = await startServer(delivery);
});
afterEach(() => server.close());

const posts = () =>
  server.requests.filter(({ method, url }) => method === "POST" && url === "/v1/file-exports");
const keysOf = () =>
  posts().map(({ body }) => (JSON.parse(body) as { idempotencyKey: string }).idempotencyKey);

test("a new snapshot is asked for, waited for, loaded and acknowledged", async () => {
  const folder = emptyFolder();
  const states = ["queued", "building", "building", "complete"];
  server.trick = ({ url }, response) =>
    url === `/v1/file-exports/${id}` &&
    json(response, 200, { data: { id, status: states.shift() }, meta: {} });
  const database = join(folder, "listings.sqlite");
  const flags = ["--url", server.url, "--into", `sqlite:${database}`, "--staging", join(folder, "staging")];
  const asked = ["--domain", "listing", "--profile", "listing-jsonl", "--pin", "schema=listing@2.0.3"];
  const { code, stdout, stderr } = await runHere(["pull", ...asked, ...flags, "--json"]);
  expect(stderr).toContain("the export is building");
  expect(code).toBe(exitCodes.done);
  expect(JSON.parse(stdout)).toEqual({
    deliveryId: id,
    domain: "listing",
    generation: 1,
    sequence: 0,
    manifestSha256: delivery.sha256,
    asOf: delivery.manifest.window.asOf,
    signed: true,
    rows: 250,
    bytes: delivery.manifest.totals.byteLength,
    loaded: true,
    acknowledged: true,
  });
  const [post] = posts();
  expect(JSON.parse(post?.body ?? "")).toEqual({
    domain: "listing",
    deliveryMode: "pull",
    profileId: "listing-jsonl",
    idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
  });
  expect(new Database(database).prepare("select count(*) from listing").pluck().get()).toBe(250);
  expect(filesIn(join(folder, "staging"))).toEqual([]);
});

test("an interrupted pull of a new snapshot goes on with the same export", async () => {
  const folder = emptyFolder();
  const arguments_ = [
    "pull",
    "--domain",
    "listing",
    "--url",
    server.url,
    "--into",
    folder,
    "--parallel",
    "1",
  ];
  const [first] = delivery.manifest.parts;
  const stopped = start(arguments_);
  server.trick = ({ url }, response) => {
    if (!url.includes("/download") || url.endsWith(`part=${first?.number}`)) return false;
    stopped.kill("SIGINT");
    response.writeHead(200).write(" ");
    return true;
  };
  expect(await stopped.outcome).toMatchObject({ code: exitCodes.later, stdout: "" });
  expect((await stopped.outcome).stderr).toContain("interrupted: ");
  server.trick = () => false;
  const before = server.requests.length;
  expect(await run(arguments_)).toMatchObject({ code: exitCodes.done });
  expect(new Set(keysOf()).size).toBe(1);
  const granted = server.requests.slice(before).filter(({ url }) => url.includes("/download"));
  expect(granted).toHaveLength(delivery.manifest.parts.length - 1);
  await run(arguments_);
  expect(new Set(keysOf()).size).toBe(2);
});

test("an export that fails is told, and not waited for again", async () => {
  const folder = emptyFolder();
  const arguments_ = ["pull", "--domain", "listing", "--url", server.url, "--into", folder];
  server.trick = ({ url }, response) =>
    url === `/v1/file-exports/${id}` &&
    json(response, 200, { data: { id, status: "failed", failure: { code: "disk_full" } }, meta: {} });
  const { code, stderr } = await runHere(arguments_);
  expect(stderr).toContain("delivery_failed: the delivery ended as `failed` (`disk_full`)");
  expect(code).toBe(exitCodes.refused);
  expect(filesIn(folder)).toEqual([]);
});

test("the key comes from a variable, a file or standard input", async () => {
  const folder = emptyFolder();
  const file = join(folder, "key");
  writeFileSync(file, `${apiKey}\n`);
  const flags = (into: string) => ["pull", id, "--url", server.url, "--into", join(folder, into)];
  expect(await runHere(flags("a"))).toMatchObject({ code: 0 });
  expect(await runHere([...flags("b"), "--key-file", file], "")).toMatchObject({ code: 0 });
  const rest = { env: {}, input: `${apiKey}\n` };
  expect(await run([...flags("c"), "--key-stdin"], rest)).toMatchObject({ code: 0 });
});

test.each<readonly [string, readonly string[], string]>([
  ["no key", ["pull", "x", "--url", "http://localhost", "--into", "x"], "api_key_invalid"],
  [
    "no file of a key",
    ["pull", "x", "--url", "http://localhost", "--into", "x", "--key-file", "/none"],
    "file_unreadable: /none cannot be read: there is no such file or folder (ENOENT)",
  ],
  [
    "a folder as the file of a key",
    ["pull", "x", "--url", "http://localhost", "--into", "x", "--key-file", tmpdir()],
    `file_unreadable: ${tmpdir()} cannot be read: it is a folder (EISDIR)`,
  ],
  ["no target", ["pull", "x", "--url", "http://localhost"], "--into"],
  ["no number", ["pull", "x", "--url", "http://localhost", "--into", "x", "--parallel", "0"], "whole number"],
  [
    "an unknown domain",
    ["pull", "--domain", "x", "--url", "http://localhost", "--into", "x"],
    "Allowed choices",
  ],
  ["an unknown command", ["push"], "unknown command"],
  ["a folder without trust", ["verify", "x"], "keys_or_unsigned"],
])("with %s the command line is wrong", async (_, arguments_, words) => {
  const { code, stderr, stdout } = await runHere(arguments_, "");
  expect({ code, stdout }).toEqual({ code: exitCodes.usage, stdout: "" });
  expect(stderr).toContain(words);
});

test.each<readonly [string, readonly string[], string]>([
  ["neither delivery nor domain", [], "delivery_or_domain"],
  ["both", [id, "--domain", "listing"], "delivery_or_domain"],
  ["no delivery's id", ["../../x"], "delivery_id_invalid"],
  ["a pin of nothing", [id, "--pin", "colour=red"], "pin_invalid"],
  ["a password in a target", [id, "--into", "postgres://u:p@h/d"], "target_invalid"],
  ["keys that are none", [id, "--keys", "package.json"], "keys_invalid"],
])("with %s the command line is wrong", async (_, arguments_, words) => {
  const { code, stderr } = await runHere([
    "pull",
    "--url",
    server.url,
    "--into",
    emptyFolder(),
    ...arguments_,
  ]);
  expect(stderr).toContain(words);
  expect(code).toBe(exitCodes.usage);
});

test("a full disk is told, keeps what is whole, and is gone on from", async () => {
  const folder = emptyFolder();
  const large = await makeDelivery({
    id: "large",
    rowsPerPart: 1500,
    datasets: { listing: listings(1520).map((row) => ({ ...row, Noise: Math.random().toString() })) },
  });
  const [whole, small] = large.manifest.parts;
  expect(whole?.byteLength).toBeGreaterThan(16 * 1024);
  server.deliveries.set("large", large);
  const arguments_ = ["pull", "large", "--url", server.url, "--into", folder, "--parallel", "2"];
  const { code, stderr } = await run(arguments_, { limit: 16 });
  expect(stderr).toContain("disk_failed");
  expect(code).toBe(exitCodes.local);
  expect(filesIn(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
  expect(filesIn(folder).some((name) => name.startsWith("large"))).toBe(false);
  expect(small).toBeDefined();
  expect(await run(arguments_)).toMatchObject({ code: 0 });
});

test("a place that is no folder is told", async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, "file"), "");
  const { code, stderr } = await runHere(["pull", id, "--url", server.url, "--into", join(folder, "file")]);
  expect(stderr).toContain("target_invalid: a target is a folder, parquet:<folder>, sqlite:<file>");
  expect(stderr).toContain(`${join(folder, "file")} is a file`);
  expect(code).toBe(exitCodes.usage);
});

test("a server that is out of reach is told after the tries", async () => {
  await server.close();
  const flags = ["--url", server.url, "--into", emptyFolder(), "--tries", "2"];
  const { code, stderr } = await runHere(["pull", id, ...flags]);
  expect(stderr).toContain("again in");
  expect(stderr).toContain("ECONNREFUSED");
  expect(code).toBe(exitCodes.later);
});

test("a pulled folder is verified without a network", async () => {
  const folder = emptyFolder();
  const keys = join(folder, "keys.json");
  mkdirSync(join(folder, "data"));
  writeFileSync(keys, JSON.stringify(jwks));
  const pulled = ["pull", id, "--url", server.url, "--into", join(folder, "data"), "--keys", keys];
  expect(await runHere(pulled)).toMatchObject({ code: 0 });
  const { code, stdout } = await runHere(["verify", join(folder, "data", id), "--keys", keys, "--json"], "");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    deliveryId: id,
    manifestSha256: delivery.sha256,
    signed: true,
    parts: 3,
    rows: 250,
    counted: true,
  });
  writeFileSync(join(folder, "data", id, "extra"), "");
  expect(await runHere(["verify", join(folder, "data", id), "--unsigned"])).toMatchObject({
    code: exitCodes.untrusted,
  });
  expect(textIn(folder)).not.toContain("ldsg_");
});
