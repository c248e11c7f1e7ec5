import { once } from "node:events";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databasesOf } from "../src/data/databases.ts";
import type { Demo } from "../src/demo/demo-file.ts";
import { ask, query, toCollection } from "./support/ask.ts";
import { end, type Program, says, startProgram } from "./support/program.ts";
import { newDataFolder, onFiles } from "./support/test-database.ts";

let data: string;
/** Name of the listings in messages. */
let place: string;
beforeAll(async () => {
  const folder = await newDataFolder();
  data = folder.path;
  place = onFiles ? data : databasesOf(folder).listingsName;
});
afterAll(() => rm(data, { recursive: true, force: true }));

const start = (environment: Readonly<Record<string, string>>): Promise<Program> =>
  startProgram("start.ts", [], {
    CADASTRE_DATA: data,
    CADASTRE_LISTINGS: "300",
    PORT: "0",
    ...environment,
  });

const readDemo = async () => JSON.parse(await readFile(join(data, "demo.json"), "utf8")) as Demo;

describe("the program", () => {
  test("prepares, serves what it prints, keeps its keys, and stops on SIGTERM", async () => {
    const first = await start({});
    await says(first, "Stop with Ctrl-C.");
    const demo = await readDemo();
    expect(first.output()).toMatch(/Prepared 300 sample listings in \d+\.\d s\./);
    expect(demo.keys.map(({ name }) => name)).toEqual(["national", "market", "state", "coarse"]);
    expect((await stat(join(data, "demo.json"))).mode & 0o777).toBe(0o600);

    const [, page = "", code = ""] = /^Open (\S+)#sign-in=(\S+)$/m.exec(first.output()) ?? [];
    expect(page).toBe(`${demo.baseUrl}/`);
    const signIn = (text: string) => {
      const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
      return ask(demo.baseUrl, "/demo-keys", headers, "POST", JSON.stringify({ code: text }));
    };
    expect(JSON.parse((await signIn(code)).text)).toEqual({ data: demo.keys });
    expect((await signIn(code)).status).toBe(403);

    const requests = [...first.output().matchAll(/curl -H '(\S+): (\S+)' '(\S+)'/g)];
    expect(requests).toHaveLength(4);
    for (const [, header = "", key = "", url = ""] of requests) {
      const reply = await ask(demo.baseUrl, url.slice(demo.baseUrl.length), { [header]: key });
      expect(reply.status).toBe(200);
      expect(reply.text).toMatch(/ListingKey|listing_key/);
    }
    const counts = [];
    for (const { apiKey } of demo.keys) {
      const target = `/reso/odata/Property${query({ $top: 0, $count: true })}`;
      counts.push(toCollection(await ask(demo.baseUrl, target, { "x-api-key": apiKey }))["@odata.count"]);
    }
    expect(counts[0]).toBe(300);
    expect(new Set(counts).size).toBe(4);
    expect(first.output()).not.toContain("listings.sqlite");
    expect(first.output()).not.toMatch(/Warning|Serving the 300|Migrating/);
    expect(await end(first, "SIGTERM")).toBe(0);
    for (const { apiKey } of demo.keys) {
      const logged = first
        .output()
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .join("\n");
      expect(logged).not.toContain(apiKey);
    }

    const second = await start({ CADASTRE_LISTINGS: "20000", HOST: "0.0.0.0" });
    await says(second, "Warning: links repeat the Host of each request; set CADASTRE_BASE_URL");
    expect(second.output()).not.toContain("Preparing");
    expect(second.output()).toMatch(/^Open http:\S+\d\/$/m);
    expect(second.output()).toContain(
      `Serving the 300 sample listings of ${place}, not 20,000: for others, set CADASTRE_DATA to an empty folder\n`,
    );
    expect((await readDemo()).keys).toEqual(demo.keys);
    expect(await end(second, "SIGINT")).toBe(0);
  });

  test.runIf(onFiles)(
    "recovers from a start that was killed in the middle of preparing a database file",
    { timeout: 120_000 },
    async () => {
      const folder = join(data, "killed");
      const killed = await start({ CADASTRE_DATA: folder, CADASTRE_LISTINGS: "20000" });
      await says(killed, "2,000 of 20,000");
      await end(killed, "SIGKILL");
      expect(await readdir(folder)).not.toContain("listings.sqlite");

      const next = await start({ CADASTRE_DATA: folder });
      await says(next, "Stop with Ctrl-C.");
      expect((await readdir(folder)).filter((name) => name.includes("preparing"))).toEqual([]);
      expect(await end(next, "SIGTERM")).toBe(0);
    },
  );

  test("stops in order as soon as it has answered", async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const isAnswered = () =>
      ask(baseUrl, "/health/live").then(
        () => true,
        () => false,
      );
    const program = await start({ PORT: String(port) });
    while (!(await isAnswered())) await setTimeout(5);
    expect(await end(program, "SIGTERM")).toBe(0);
    expect(program.output()).toContain("Stopping …");
  });

  test("starts without listings, with an issuer that `customer add` signs by", async () => {
    const { path } = await newDataFolder();
    const empty = await start({ CADASTRE_DATA: path, CADASTRE_LISTINGS: "0" });
    await says(empty, "Stop with Ctrl-C.");
    expect(await end(empty, "SIGTERM")).toBe(0);
    const again = await start({ CADASTRE_DATA: path, CADASTRE_LISTINGS: "0" });
    await says(again, "Stop with Ctrl-C.");
    expect(await end(again, "SIGTERM")).toBe(0);
    await rm(path, { recursive: true });
  });

  test("says which setting is wrong, and ends with 1", async () => {
    const started = await start({ PORT: "http" });
    const [code] = (await once(started.child, "close")) as [number];
    expect(code).toBe(1);
    expect(started.output()).toBe(
      "PORT must be a whole number from 0 to 65535 (0: any free port), not `http`\n",
    );
  });

  test("says what is wrong with the data folder, without a stack, and ends with 1", async () => {
    const file = join(data, "a-file");
    await writeFile(file, "");
    const started = await start({ CADASTRE_DATA: file });
    const [code] = (await once(started.child, "close")) as [number];
    expect(code).toBe(1);
    expect(started.output()).toBe(
      `${file} is not a folder: set CADASTRE_DATA to the path of a folder (EEXIST)\n`,
    );
  });

  test("stops if it cannot tell that it has started, and ends with 1", async () => {
    const folder = join(data, "untold");
    await mkdir(join(folder, "demo.json"), { recursive: true });
    const program = await start({ CADASTRE_DATA: folder, CADASTRE_LISTINGS: "0", CADASTRE_DATABASE_URL: "" });
    const [code] = (await once(program.child, "close")) as [number];
    expect(code).toBe(1);
    expect(program.output()).toContain(`${folder} cannot be read and written`);
  });

  test("says that the port is in use, and ends with 1", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const { port } = holder.address() as { port: number };
    const started = await start({ PORT: String(port), CADASTRE_DATA: join(data, "unused") });
    const [code] = (await once(started.child, "close")) as [number];
    holder.close();
    expect(code).toBe(1);
    expect(started.output()).toContain(`cannot listen on port ${port} of 127.0.0.1: the port is in use`);
    expect(await readdir(data)).not.toContain("unused");
  });
});
