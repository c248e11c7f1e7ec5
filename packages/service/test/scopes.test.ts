import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  generateKeyPair,
  type KeyPair,
  type KeySource,
  openKeySource,
  signEntitlement,
} from "@cadastre/entitlement";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { AccessRegistry } from "@cadastre/store/registry";
import express from "express";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { requireApiKey } from "../src/access/api-key.ts";
import { issueApiKey } from "../src/access/issue-key.ts";
import { createKeyDirectory } from "../src/access/key-directory.ts";
import { createRates } from "../src/access/rates.ts";
import { createScopes, type Scopes } from "../src/access/scopes.ts";
import { scopeOptionsOf } from "../src/catalog.ts";
import type { DataFolder } from "../src/data/data-folder.ts";
import type { Peppers } from "../src/data/pepper.ts";
import { openRegistry } from "../src/data/registry.ts";
import { demoCustomers } from "../src/demo/customers.ts";
import { onError } from "../src/http/on-error.ts";
import { callerOf } from "../src/http/request-context.ts";
import { requestIds } from "../src/http/request-ids.ts";
import { chain } from "../src/http/routes.ts";
import { listen } from "../src/http/server.ts";
import { ask } from "./support/ask.ts";
import { newDataFolder } from "./support/test-database.ts";

const [issuer, audience, customer] = ["https://issuer.example", "cadastre", "acme"];
const at = Date.UTC(2026, 0, 1);
const life = 600;

let folder: DataFolder;
let registry: AccessRegistry;
let signer: KeyPair;
let keySet: string;
let keys: KeySource;
let time: number;
let scopes: Scopes;

beforeEach(async () => {
  folder = await newDataFolder();
  registry = await openRegistry(folder);
  signer = await generateKeyPair();
  time = 0;
  keySet = join(folder.path, "keys.json");
  await publish(signer);
  keys = await openKeySource(keySet, { maxAge: 0.05, minInterval: 0 });
  scopes = createScopes(
    registry.entitlements,
    { keys, issuer, audience },
    scopeOptionsOf(sampleCatalog),
    () => time,
  );
  await install(1);
});
afterEach(async () => {
  keys.close();
  await registry.close();
  await rm(folder.path, { recursive: true });
});

const publish = (...pairs: readonly KeyPair[]) =>
  writeFile(keySet, JSON.stringify({ keys: pairs.map(({ publicKey }) => publicKey) }));

async function install(version: number): Promise<void> {
  const now = at / 1000;
  const document = {
    iss: issuer,
    aud: audience,
    sub: customer,
    ver: version,
    iat: now,
    nbf: now,
    exp: now + life,
    jti: String(version),
    ...(demoCustomers[0] as (typeof demoCustomers)[number]).grants,
  };
  const jws = await signEntitlement(document, signer);
  await registry.entitlements.install({ customer, version, jws, installed: at });
}

test("a document is compiled once, however often it is read", async () => {
  const scope = await scopes.of(customer, at);
  time = 2000;
  expect(await scopes.of(customer, at + 2000)).toBe(scope);
  expect(await scopes.of(customer, at + 2000, "fresh")).toBe(scope);
});

test("a later one takes over within two seconds, and at once where a fresh answer is asked for", async () => {
  const versions = async (...freshness: Parameters<Scopes["of"]>[2][]) => {
    const found: number[] = [];
    for (const one of freshness) found.push((await scopes.of(customer, at, one)).version);
    return found;
  };
  expect(await versions("recent")).toEqual([1]);
  await install(2);
  time = 1999;
  expect(await versions("recent")).toEqual([1]);
  time = 2000;
  expect(await versions("recent")).toEqual([2]);
  await install(3);
  expect(await versions("recent", "fresh", "recent")).toEqual([2, 3, 3]);
});

test("a document ends to the second, though it was verified before", async () => {
  await scopes.of(customer, at);
  await scopes.of(customer, at + life * 1000 - 1);
  await expect(scopes.of(customer, at + life * 1000)).rejects.toMatchObject({ code: "entitlement_expired" });
});

test("what was proved with a key ends when the issuer takes the key away, and comes back with it", async () => {
  await scopes.of(customer, at);
  const next = await generateKeyPair();
  await publish(next);
  const code = () =>
    scopes.of(customer, at).then(
      () => "proved",
      (error: { code: string }) => error.code,
    );
  await expect.poll(code).toBe("entitlement_unknown_key");
  await publish(next, signer);
  await expect.poll(code).toBe("proved");
});

test("nothing is proved of a customer without a document, nor without the registry", async () => {
  await expect(scopes.of("nobody", at)).rejects.toMatchObject({ kind: "unavailable" });
  await scopes.of(customer, at);
  await registry.close();
  time = 2000;
  await expect(scopes.of(customer, at)).rejects.toMatchObject({ code: "registry_unavailable" });
});

test("a document that was removed grants nothing, and that is known", async () => {
  await registry.entitlements.remove(customer, at);
  await expect(scopes.of(customer, at)).rejects.toMatchObject({
    code: "entitlement_removed",
    kind: "forbidden",
  });
});

test("an edge that asks for fresh answers refuses a key at once", async () => {
  const peppers: Peppers = [{ version: 1, secret: new Uint8Array(32) }];
  const { apiKey, kept } = issueApiKey(peppers, null);
  const { id } = await registry.keys.add({ customer, ...kept }, at);
  const keys = createKeyDirectory({ keys: registry.keys, peppers: async () => peppers, onFault: () => {} });
  const rates = createRates({ requestsPerSecond: 0, refusalsPerSecond: 0 });
  const edge = { keys, scopes, rates, now: () => at };
  const log = pino({ level: "silent" });
  const app = express();
  app.use(chain(requestIds(log)));
  app.get("/recent", requireApiKey(edge));
  app.get("/fresh", requireApiKey(edge, "fresh"));
  app.use((req, res) => res.json(callerOf(req).scope.version));
  app.use(onError(log));
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const status = async (path: string) =>
    (await ask(`http://127.0.0.1:${server.port}`, path, { "x-api-key": apiKey })).status;

  expect([await status("/recent"), await status("/fresh")]).toEqual([200, 200]);
  await registry.keys.revoke(id, at);
  expect([await status("/recent"), await status("/fresh"), await status("/recent")]).toEqual([200, 401, 401]);
  await server.stop(0);
});
