import { mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signEntitlement } from "@cadastre/entitlement";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { audience, issuer, readIssuer } from "../src/access/demo-issuer.ts";
import { createApiKey } from "../src/access/key-text.ts";
import type { DataFolder } from "../src/data/data-folder.ts";
import { withRegistry } from "../src/data/registry.ts";
import { demoCustomers } from "../src/demo/customers.ts";
import { type Demo, readDemo } from "../src/demo/demo-file.ts";
import { ask } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { end, type Outcome, type Program, says, startProgram } from "./support/program.ts";
import { runSql, storedText } from "./support/sql.ts";
import { newDataFolder, onFiles } from "./support/test-database.ts";

/** How long a change may take to be known to a process that runs, in milliseconds. */
const known = { timeout: 5000, interval: 100 };

/** Programs are slow to start while others run. */
const retryPolicy = { timeout: 60_000 };

let service: Program;
let folder: DataFolder;
let demo: Demo;
/** Every text of a key that the tests have seen. */
const seen: string[] = [];

beforeAll(async () => {
  folder = await newDataFolder();
  service = await startProgram("start.ts", [], {
    CADASTRE_DATA: folder.path,
    CADASTRE_LISTINGS: "50",
    CADASTRE_LOG_LEVEL: "debug",
    PORT: "0",
  });
  await says(service, "Stop with Ctrl-C.");
  demo = (await readDemo(folder)) as Demo;
  seen.push(...demo.keys.map(({ apiKey }) => apiKey));
  await install("acme", 1);
});
afterAll(async () => {
  await end(service, "SIGTERM");
  await rm(folder.path, { recursive: true });
});

const operator = (...args: readonly string[]): Promise<Outcome> =>
  cadastre(args, { environment: { CADASTRE_DATA: folder.path } });

/** Install an entitlement from this process, beside the one that serves. */
async function install(customer: string, version: number): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const document = {
    iss: issuer,
    aud: audience,
    sub: customer,
    ver: version,
    iat: now,
    nbf: now,
    exp: now + 600,
    jti: String(version),
    ...(demoCustomers[0] as (typeof demoCustomers)[number]).grants,
  };
  const jws = await signEntitlement(document, await readIssuer(folder));
  await withRegistry(folder, ({ entitlements }) =>
    entitlements.install({ customer, version, jws, installed: Date.now() }),
  );
}

const get = (apiKey: string) => ask(demo.baseUrl, "/reso/odata", { "x-api-key": apiKey });
const status = async (apiKey: string) => (await get(apiKey)).status;

/** The key that a command has shown. */
function shown({ code, stdout }: Outcome): string {
  expect(stdout).toMatch(/^cadastre_\w{49}$/);
  expect(code).toBe(0);
  seen.push(stdout.trim());
  return stdout.trim();
}

type Listed = {
  readonly id: string;
  readonly prefix: string;
  readonly state: string;
  readonly pepper: number;
};
const list = async (customer: string) =>
  JSON.parse((await operator("key", "list", customer, "--json")).stdout) as readonly Listed[];

describe("an API key", retryPolicy, () => {
  let first: string;
  let second: string;
  let ids: readonly string[];

  test("works when it is made, and is shown once", async () => {
    const created = await operator("key", "create", "acme");
    first = shown(created);
    expect(created.stderr).toMatch(
      /^The key \w{26} of acme does not expire. This is the only time that it is shown:$/,
    );
    expect(await status(first)).toBe(200);
    const listed = await operator("key", "list", "acme");
    expect(listed.stdout).toContain(`acme      ${first.slice(0, 14)}…`);
    expect(listed.stdout).not.toContain(first.slice(0, 15));
  });

  test("is rotated: both work, and a third is refused with what to do", async () => {
    const [{ id }] = (await list("acme")) as [Listed];
    const rotated = await operator("key", "rotate", id, "--overlap", "1h", "--expires", "30d");
    second = shown(rotated);
    expect(rotated.stderr).toMatch(
      new RegExp(`\nThe key ${id} works until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC`),
    );
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    ids = (await list("acme")).map((key) => key.id);
    const third = await operator("key", "create", "acme");
    expect(third).toMatchObject({ code: 1, stdout: "" });
    expect(third.stderr).toMatch(
      new RegExp(`^the customer has two live API keys.*revoke one of them first: ${ids[0]} .*${ids[1]}`),
    );
  });

  test("outlives a change of the pepper, and moves to the new one when it is used", async () => {
    const rotated = await operator("key", "rotate-pepper");
    expect(rotated).toMatchObject({ code: 0, stdout: "" });
    expect(rotated.stderr).toContain(
      `The pepper of version 2 is the current one.\nLive keys under version 1: ${demoCustomers.length + 2}.`,
    );
    const { apiKey } = JSON.parse((await operator("key", "create", "demo-market", "--json")).stdout) as {
      apiKey: string;
    };
    seen.push(apiKey);
    expect(await status(apiKey)).toBe(200);
    const peppers = async () => {
      expect(await status(first)).toBe(200);
      return (await list("acme")).map(({ pepper }) => pepper);
    };
    await expect.poll(peppers, retryPolicy).toEqual([2, 1]);
    const again = await operator("key", "rotate-pepper", "--json");
    expect(JSON.parse(again.stdout)).toEqual({
      current: 3,
      forgotten: [],
      waiting: [
        { version: 2, keys: 2 },
        { version: 1, keys: demoCustomers.length + 1 },
      ],
    });
    expect([await status(first), await status(second)]).toEqual([200, 200]);
  });

  test("is refused within five seconds of its end, as one that was never made", async () => {
    expect(await status(first)).toBe(200);
    const revoked = await operator("key", "revoke", ids[0] ?? "", "--yes");
    expect(revoked).toMatchObject({ code: 0, stdout: "" });
    await expect.poll(() => status(first), known).toBe(401);
    const third = shown(await operator("key", "rotate", ids[1] ?? "", "--overlap", "0m"));
    await expect.poll(() => status(second), known).toBe(401);
    expect(await status(third)).toBe(200);
    expect((await list("acme")).map(({ state }) => state)).toEqual(["revoked", "expired", "live"]);

    const bodies = new Set<string>();
    for (const apiKey of [first, second, createApiKey(), "x", ""]) {
      const { status: code, headers, text } = await get(apiKey);
      const same = { ...headers, date: "", "x-request-id": "" };
      bodies.add(JSON.stringify([code, same, text]));
    }
    expect([...bodies]).toHaveLength(1);
    const twice = await operator("key", "revoke", ids[0] ?? "", "--yes");
    expect(twice.code).toBe(0);
    expect(twice.stderr).toMatch(/is revoked since \d{4}/);
  });

  test("serves what a new entitlement grants within five seconds", async () => {
    const apiKey = demo.keys[0]?.apiKey ?? "";
    const version = async () => (await get(apiKey)).headers["entitlement-version"];
    expect(await version()).toBe("1");
    await install("demo-national", 2);
    await expect.poll(version, known).toBe("2");
  });

  test.each(["registry", "secrets"] as const)("lets nobody in while the %s cannot be read", async (name) => {
    const apiKey = demo.keys[0]?.apiKey ?? "";
    expect(await status(apiKey)).toBe(200);
    if (name === "registry") await hideKeys(true);
    else await rename(folder.secrets, `${folder.secrets}.away`);
    await expect.poll(() => status(apiKey), known).toBe(503);
    expect([await status(createApiKey()), await status("x")]).toEqual([503, 401]);
    if (name === "registry") await hideKeys(false);
    else await rename(`${folder.secrets}.away`, folder.secrets);
    expect(await status(apiKey)).toBe(200);
    await says(service, name === "registry" ? noTable : "secrets.json cannot be read");
  });
});

/** Take the keys from the running service, as a file that is damaged would. */
async function hideKeys(hidden: boolean): Promise<void> {
  const [from, to] = hidden ? ["cadastre_api_key", "hidden"] : ["hidden", "cadastre_api_key"];
  await runSql(folder, "registry", `alter table ${from} rename to ${to}`);
}

/** Code with which the database refuses a query of a table that does not exist. */
const noTable = onFiles ? "SQLITE_ERROR" : "42P01";

describe("the program refuses", retryPolicy, () => {
  test.concurrent.each<[string, readonly string[], number, RegExp]>([
    [
      "an unknown customer",
      ["create", "nobody"],
      1,
      /^no entitlement is installed for nobody: `cadastre customer list`/,
    ],
    [
      "an unknown id",
      ["revoke", "01X", "--yes"],
      1,
      /^no API key has the id `01X`: `cadastre key list` shows the ids$/,
    ],
    [
      "to end a key that nobody confirms",
      ["revoke", "01X"],
      1,
      /^This ends the API key 01X for good\. Nothing was changed: confirm it with `y` on a terminal, or give `--yes`$/,
    ],
    ["an unknown id to rotate", ["rotate", "01X"], 1, /^no API key has the id `01X`/],
    ["a time that is over", ["create", "acme", "--expires", "2020-01-01"], 2, /It must be in the future\./],
    ["a day that is none", ["create", "acme", "--expires", "2030-02-30"], 2, /It must be a date, such as/],
    ["an overlap without a unit", ["rotate", "01X", "--overlap", "7"], 2, /such as 30m, 12h or 7d\./],
    ["a missing argument", ["create"], 2, /missing required argument 'customer'/],
    ["an unknown command", ["destroy"], 2, /unknown command 'destroy'/],
  ])("%s", async (_what, args, code, says) => {
    const outcome = await operator("key", ...args);
    expect(outcome).toMatchObject({ code, stdout: "" });
    expect(outcome.stderr).toMatch(says);
    expect(outcome.stderr).not.toMatch(/^ {4}at /m);
  });

  test("a folder without a registry, and makes none", async () => {
    const empty = await mkdtemp(join(tmpdir(), "cadastre-empty-"));
    const outcome = await cadastre(["key", "list"], { environment: { CADASTRE_DATA: empty } });
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(outcome.stderr).toBe(
      `${join(empty, "registry.sqlite")} does not exist: set CADASTRE_DATA to the folder of a service that was started once`,
    );
    expect(await readdir(empty)).toEqual([]);
    await rm(empty, { recursive: true });
  });
});

test.each([
  ["key", "create"],
  ["key", "list"],
  ["key", "rotate"],
  ["key", "revoke", "--yes"],
])("`%s %s` shows no API key that is typed in the place of a name", async (...command) => {
  const typed = createApiKey();
  for (const text of [typed, typed.slice(0, -1)]) {
    const { stdout, stderr } = await operator(...command, text);
    expect(stderr).not.toBe("");
    expect(stdout + stderr).not.toContain(text.slice(14, 40));
  }
});

test("the text of a key is in no file but the demo's own, and in no log", async () => {
  expect(seen).toHaveLength(demoCustomers.length + 4);
  const log = service
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"));
  const texts = [log.join("\n")];
  for (const entry of await readdir(folder.path, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && entry.name !== "demo.json")
      texts.push(await readFile(join(entry.parentPath, entry.name), "latin1"));
  texts.push(await storedText(folder, "registry"));
  expect(texts.length).toBeGreaterThan(6);
  for (const text of texts) for (const apiKey of seen) expect(text).not.toContain(apiKey.slice(14));
});
