import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, openTarget, pull } from "@cadastre/client";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { jwks, makeDelivery } from "./support/deliveries.ts";
import { emptyFolder, filesIn } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { apiKey, json, startServer, type TestServer } from "./support/server.ts";

const delivery = await makeDelivery();
const { deliveryId: id, parts } = delivery.manifest;
let server: TestServer;
beforeEach(async () => {
  server = await startServer(delivery);
});
afterEach(() => server.close());

const pullInto = (into: string, ...flags: readonly string[]) =>
  runHere(["pull", id, "--url", server.url, "--into", into, "--parallel", "1", ...flags]);
const wholeIn = (folder: string) => {
  expect(filesIn(folder)).toEqual(
    ["manifest.json", "signature.json", ...parts.map(({ name }) => name)]
      .map((name) => join(id, name))
      .concat("latest-listing.json")
      .toSorted(),
  );
  for (const { name, number } of parts)
    expect(readFileSync(join(folder, id, name))).toEqual(delivery.parts.get(number));
};

test("parts for a folder wait where --staging says", async () => {
  const [folder, staging] = [emptyFolder(), emptyFolder()];
  const last = parts.at(-1);
  server.trick = ({ url }, response) => url.endsWith(`part=${last?.number}`) && json(response, 500, {});
  expect(await pullInto(folder, "--staging", staging)).toMatchObject({ code: 3 });
  expect(filesIn(folder)).toEqual([]);
  expect(filesIn(staging).filter((name) => name.endsWith(".gz"))).toHaveLength(parts.length - 1);
  server.trick = () => false;
  expect(await pullInto(folder, "--staging", staging)).toMatchObject({ code: 0 });
  wholeIn(folder);
  expect(filesIn(staging)).toEqual([]);
});

test.skipIf(!existsSync("/dev/shm"))("the staging folder may be of another file system", async () => {
  const folder = emptyFolder();
  const staging = mkdtempSync("/dev/shm/client-");
  onTestFinished(() => rmSync(staging, { recursive: true }));
  expect(await pullInto(folder, "--staging", staging)).toMatchObject({ code: 0 });
  wholeIn(folder);
  expect(filesIn(staging)).toEqual([]);
  expect(await pullInto(folder, "--staging", staging)).toMatchObject({ code: 0 });
});

test.each(["itself", "another copy"])("a folder of deliveries is no staging folder (%s)", async (which) => {
  const folder = emptyFolder();
  expect(await pullInto(folder)).toMatchObject({ code: 0 });
  const into = which === "itself" ? folder : `sqlite:${join(emptyFolder(), "copy.sqlite")}`;
  const { code, stderr } = await pullInto(into, "--staging", folder);
  expect(stderr).toContain("staging_is_target");
  expect(code).toBe(2);
  wholeIn(folder);
});

test("a folder of the user's own that is named as a delivery keeps its files", async () => {
  const staging = emptyFolder();
  mkdirSync(join(staging, id));
  writeFileSync(join(staging, id, "mine.txt"), "mine");
  const { code, stderr } = await pullInto(emptyFolder(), "--staging", staging);
  expect(stderr).toContain("file_occupied");
  expect(code).toBe(8);
  expect(filesIn(staging)).toEqual([join(id, "mine.txt")]);
});

test("a folder of the user's own in the place of a delivery is refused before a part is asked for", async () => {
  const folder = emptyFolder();
  mkdirSync(join(folder, id));
  writeFileSync(join(folder, id, "mine.txt"), "mine");
  const { code, stderr } = await pullInto(folder);
  expect(stderr).toContain("file_occupied");
  expect(code).toBe(8);
  expect(server.requests.some(({ url }) => url.includes("/download"))).toBe(false);
  expect(filesIn(folder)).toEqual([join(id, "mine.txt")]);
});

test("what is put beside the parts while they are loaded is not removed", async () => {
  const staging = emptyFolder();
  const file = join(emptyFolder(), "copy.sqlite");
  const target = await openTarget(`sqlite:${file}`);
  const connection = connect({ url: server.url, apiKey });
  const onLoad = () => writeFileSync(join(staging, id, "mine.txt"), "mine");
  await pull(connection, id, { target, staging, trust: jwks, reference: null, onLoad });
  await target.close();
  expect(filesIn(staging)).toEqual([join(id, "mine.txt")]);
});
