import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Entitlement, generateKeyPair, type KeyPair, signEntitlement } from "@cadastre/entitlement";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoCustomers } from "../src/demo/customers.ts";
import { ask } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { end, type Program, says, startProgram } from "./support/program.ts";
import { newDataFolder } from "./support/test-database.ts";

const [issuer, audience, customer] = ["https://issuer.example", "https://listings.example", "acme"];
const grants = demoCustomers[0]?.grants;

/** Programs are slow to start while others run. */
const retryPolicy = { timeout: 20_000, interval: 200 };

let folder: string;
let environment: Readonly<Record<string, string>>;
let signer: KeyPair;
let service: Program;
let baseUrl: string;
let apiKey: string;

const publish = (...pairs: readonly KeyPair[]) =>
  writeFile(join(folder, "keys.json"), JSON.stringify({ keys: pairs.map(({ publicKey }) => publicKey) }));

const operator = (args: readonly string[], input?: string) =>
  cadastre(args, { environment, ...(input !== undefined && { input }) });

async function install(changes: Partial<Entitlement> = {}, by: KeyPair = signer) {
  const now = Math.floor(Date.now() / 1000);
  const times = { iat: now, nbf: now - 60, exp: now + 3600 };
  const names = { iss: issuer, aud: audience, sub: customer, ver: 1, jti: "one" };
  const document = { ...names, ...times, ...grants, ...changes } as Entitlement;
  return operator(["entitlement", "install", "-"], await signEntitlement(document, by));
}

const status = async () =>
  (await ask(baseUrl, "/reso/odata/Property?$top=1", { "x-api-key": apiKey })).status;

beforeAll(async () => {
  ({ path: folder } = await newDataFolder());
  environment = {
    CADASTRE_DATA: folder,
    CADASTRE_LISTINGS: "50",
    PORT: "0",
    CADASTRE_KEY_SET: join(folder, "keys.json"),
    CADASTRE_ISSUER: issuer,
    CADASTRE_AUDIENCE: audience,
  };
  signer = await generateKeyPair();
  await publish(signer);
  service = await startProgram("start.ts", [], environment);
  await says(service, "Stop with Ctrl-C.");
  baseUrl = /serving (\S+)\/reso\/odata/.exec(service.output())?.[1] ?? "";
});
afterAll(async () => {
  await end(service, "SIGTERM");
  await rm(folder, { recursive: true });
});

test("a service that trusts another issuer has no demo keys, and says how to let a customer in", () => {
  expect(service.output()).toMatch(
    /To let a customer in, and get its key:\n.* customer add <customer> .*--issuer-key <file>\n/,
  );
  expect(service.output()).not.toContain("x-api-key");
});

test("an installed entitlement lets its customer in", async () => {
  const installed = await install();
  expect(installed).toMatchObject({ code: 0, stdout: "" });
  expect(installed.stderr).toMatch(/^Version 1 for acme is in force until \d{4}-/);
  apiKey = (await operator(["key", "create", customer])).stdout;
  expect(await status()).toBe(200);
  const listed = JSON.parse((await operator(["entitlement", "list", "--json"])).stdout) as unknown;
  expect(listed).toEqual([
    { customer, version: 1, installed: expect.any(String) as string, expires: expect.any(String) as string },
  ]);
  expect((await operator(["entitlement", "list"])).stdout).toMatch(
    /^CUSTOMER +VERSION +INSTALLED +ENDS\nacme +1 /,
  );
});

test("nothing is installed that the service would refuse", async () => {
  const unknown = "00000000-0000-4000-8000-000000000000";
  const { datasets = [] } = grants ?? {};
  const refusals = [
    [await install({ ver: 1, jti: "other" }), /version/],
    [await install({ ver: 2, iss: "https://other.example" }), /issuer/],
    [await install({ ver: 2, aud: "other" }), /audience|service/],
    [await install({ ver: 2, exp: Math.floor(Date.now() / 1000) - 1 }), /expired/],
    [await install({ ver: 2 }, await generateKeyPair()), /key/],
    [
      await install({ ver: 2, datasets: [{ ...datasets[0], dataset_id: unknown }] as never }),
      /unknown dataset/,
    ],
    [await operator(["entitlement", "install", "-"], "a.b.c"), /entitlement/],
  ] as const;
  for (const [{ code, stdout, stderr }, sentence] of refusals) {
    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 1, stdout: "", lines: 1 });
    expect(stderr).toMatch(sentence);
  }
  expect(await status()).toBe(200);
});

test("a later version takes over within five seconds", async () => {
  expect((await install({ ver: 2, channels: { api: true, odata: false, file_delivery: false } })).code).toBe(
    0,
  );
  await expect.poll(status, { timeout: 5000, interval: 100 }).toBe(403);
  expect((await install({ ver: 3 })).code).toBe(0);
  await expect.poll(status, { timeout: 5000, interval: 100 }).toBe(200);
});

test("a key that the issuer takes away proves nothing from then on, without a restart", async () => {
  const next = await generateKeyPair();
  await publish(signer, next);
  expect((await install({ ver: 4 }, next)).code).toBe(0);
  await publish(signer);
  await expect.poll(status, retryPolicy).toBe(503);
  await publish(signer, next);
  await expect.poll(status, retryPolicy).toBe(200);
});
