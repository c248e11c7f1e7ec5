import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compilePackages } from "@cadastre/odata/testing";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Collection } from "../support/ask.ts";
import { customerOf } from "../support/deliveries.ts";
import { type Running, run } from "../support/running.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "cadastre-consumers-"));

let running: Running;
beforeAll(async () => {
  await compilePackages();
  running = await run({ CADASTRE_LISTINGS: "150" });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await running.stop();
});

type Outcome = { readonly code: number | null; readonly said: string };

function start(command: string, args: readonly string[], cwd: string, env: object): Promise<Outcome> {
  const child = spawn(command, args, { cwd, env: { PATH: process.env["PATH"], ...env } });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => said.push(text.toString()));
  return new Promise((resolve) => void child.once("close", (code) => resolve({ code, said: said.join("") })));
}

describe("the client", () => {
  const client = (args: readonly string[], customer = "national") =>
    start(
      process.execPath,
      ["packages/client/dist/cli/main.js", ...args, "--url", running.service.baseUrl],
      root,
      { CADASTRE_API_KEY: running.key(customer) },
    );

  test("pulls a domain into a database", async () => {
    const file = join(folder, "market.sqlite");
    const staging = join(folder, "staging");
    const args = ["pull", "--domain", "listing", "--into", `sqlite:${file}`, "--staging", staging];
    const { code, said } = await client(args, "market");
    expect([code, said]).toEqual([0, expect.any(String)]);
    const database = new Database(file, { readonly: true });
    const systems = database.prepare('select distinct "OriginatingSystemName" as name from listing').all();
    expect(systems).toEqual([{ name: "Lone Star MLS" }]);
    database.close();
  });

  test("pulls Parquet into a folder", async () => {
    const into = join(folder, "parquet");
    const args = ["pull", "--domain", "public_record", "--profile", "public_record-parquet", "--into", into];
    const { code, said } = await client([...args, "--staging", join(folder, "staging")]);
    expect([code, said]).toEqual([0, expect.any(String)]);
    const files = readdirSync(into, { recursive: true }).map(String);
    expect(files.some((file) => file.endsWith(".parquet"))).toBe(true);
  });

  test("replicates what a walk by OData has, and nothing twice", async () => {
    const file = join(folder, "replica.sqlite");
    const replicated = async () => {
      const { code, said } = await client(["replicate", "Property", "--into", `sqlite:${file}`], "market");
      expect([code, said]).toEqual([0, expect.any(String)]);
      const database = new Database(file, { readonly: true });
      const rows = database
        .prepare<[], { key: string; record: string }>('select key, record from "Property" order by key')
        .all();
      database.close();
      return rows.map(({ key, record }) => [key, JSON.parse(record) as unknown]);
    };
    const walked: [unknown, unknown][] = [];
    const { get } = customerOf(running, "market");
    for (let next: string | undefined = "/reso/odata/Property?$orderby=ListingKey"; next !== undefined; ) {
      const { value, "@odata.nextLink": link } = JSON.parse((await get(next)).text) as Collection;
      walked.push(...value.map((row): [unknown, unknown] => [row["ListingKey"], row]));
      next = link?.slice(running.service.baseUrl.length);
    }
    expect(walked.length).toBeGreaterThan(0);
    expect(await replicated()).toEqual(walked);
    expect(await replicated()).toEqual(walked);
  });
});

const tools = ["curl", "jq", "sha256sum", "openssl"];
const areInstalled = tools.every((tool) => spawnSync(tool, ["--version"]).error === undefined);

test.runIf(areInstalled)("who follows the page proves a delivery by hand", async () => {
  const page = readFileSync(join(root, "docs/verify-a-delivery.md"), "utf8");
  const script = [...page.matchAll(/^```sh step\n([\s\S]*?)^```$/gm)]
    .map(([, block = ""]) => block)
    .join("\n");
  const place = mkdtempSync(join(folder, "hand-"));
  const { code, said } = await start("bash", ["--norc", "-c", script], place, {
    URL: running.service.baseUrl,
    KEY: running.key("national"),
  });
  expect(said).toContain("Signature Verified Successfully");
  expect(said).toMatch(/listing-00010\.jsonl\.gz: OK/);
  expect(code).toBe(0);
});
