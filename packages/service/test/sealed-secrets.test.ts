import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { readIssuer } from "../src/access/demo-issuer.ts";
import { readConfig } from "../src/config.ts";
import { DataError } from "../src/data/data-error.ts";
import { type DataFolder, openDataFolder } from "../src/data/data-folder.ts";
import { withRegistry } from "../src/data/registry.ts";
import { readSecretsOf } from "../src/data/secrets.ts";
import { openSigningKeys } from "../src/delivery/signing-keys.ts";
import { prepareDemoAccess } from "../src/demo/demo-access.ts";
import type { RunningService } from "../src/running-service.ts";
import { startService } from "../src/service.ts";
import { ask } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { prepareSample } from "./support/sample-database.ts";

const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"));
const masterKey = { CADASTRE_MASTER_KEY: String(first) };

let scratch: string;
/** A folder with files of secrets, and a key of a demo customer. */
let filed: string;
let apiKey: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "cadastre-sealed-"));
  filed = join(scratch, "filed");
  const folder = await openDataFolder(filed);
  await prepareSample(folder, 20);
  const keys = await withRegistry(folder, async (registry) => {
    await openSigningKeys(folder, registry);
    return prepareDemoAccess(folder, registry, await readSecretsOf(folder, registry), Date.now());
  });
  apiKey = keys[0]?.apiKey ?? "";
}, 60_000);
afterAll(() => rm(scratch, { recursive: true, force: true }));

const running: RunningService[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

type Environment = Readonly<Record<string, string>>;

const environmentOf = (path: string, settings: Environment): Environment => ({
  PORT: "0",
  CADASTRE_DATA: path,
  CADASTRE_LOG_LEVEL: "silent",
  CADASTRE_CHECK_HOURS: "0",
  ...settings,
});

let copies = 0;
async function copyOfFiled(): Promise<string> {
  const path = join(scratch, `copy-${++copies}`);
  await cp(filed, path, { recursive: true });
  return path;
}

const folderOf = (path: string, settings: Environment): Promise<DataFolder> =>
  openDataFolder(path, undefined, readConfig(environmentOf(path, settings)).secretSources);

async function start(path: string, settings: Environment): Promise<RunningService> {
  const service = await startService(
    readConfig(environmentOf(path, settings)),
    await folderOf(path, settings),
  );
  running.push(service);
  return service;
}

/** Returns the message with which a start is refused. */
async function refusal(path: string, settings: Environment): Promise<string> {
  const error: unknown = await start(path, settings).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DataError);
  return (error as DataError).message;
}

const run = (path: string, settings: Environment, ...args: readonly string[]) =>
  cadastre(args, { environment: environmentOf(path, settings) });

const status = async ({ baseUrl }: RunningService) =>
  (await ask(baseUrl, "/reso/odata/Property?$top=1", { "x-api-key": apiKey })).status;

const kids = async ({ baseUrl }: RunningService) =>
  (JSON.parse((await ask(baseUrl, "/.well-known/jwks.json")).text) as { keys: { kid: string }[] }).keys.map(
    ({ kid }) => kid,
  );

const secretFiles = ["secrets.json", "signing-keys.json", "issuer.json", "public-keys.json"];

async function seal(path: string): Promise<void> {
  const { code, stderr } = await run(path, masterKey, "secrets", "seal", "--delete-files", "--yes");
  expect([code, stderr]).toEqual([0, expect.stringContaining("Sealed `signing-keys` in the registry.")]);
}

test("processes that start at once create one set of secrets in the registry, and no file", async () => {
  const one = await folderOf(join(scratch, "new"), masterKey);
  const two = { ...(await folderOf(join(scratch, "other"), masterKey)), registry: one.registry };
  await withRegistry(one, async () => {});
  const read = (folder: DataFolder) =>
    withRegistry(folder, async (registry) => {
      const secrets = await readSecretsOf(folder, registry);
      const keys = await (await openSigningKeys(folder, registry))();
      return { secrets, keys, issuer: await readIssuer(folder, registry) };
    });
  const found = await Promise.all([read(one), read(two), read(one)]);
  expect(found[1]).toEqual(found[0]);
  expect(found[2]).toEqual(found[0]);
  for (const { path } of [one, two])
    expect((await readdir(path)).filter((name) => secretFiles.includes(name))).toEqual([]);
  const stored = (await readFile(one.registry)).toString("latin1");
  const [pepper] = found[0].secrets.peppers;
  for (const secret of [pepper.secret, found[0].secrets.skipTokenKey])
    expect(stored).not.toContain(Buffer.from(secret).toString("base64url"));
  expect(stored).not.toContain('"d":');
});

test("files are moved into the registry by a command, and every key goes on working", async () => {
  const path = await copyOfFiled();
  const before = await start(path, {});
  const published = await kids(before);
  expect(await refusal(path, masterKey)).toMatch(
    /sealed `secrets` of .*registry\.sqlite does not exist, and .*secrets\.json does: run `cadastre secrets seal`/,
  );
  expect(await run(path, {}, "secrets", "seal")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Set CADASTRE_MASTER_KEY_FILE") as string,
  });
  const sealed = await run(path, masterKey, "secrets", "seal");
  expect([sealed.code, sealed.stderr]).toEqual([0, expect.stringContaining("No longer read")]);
  // A service that still reads the files goes on until it is started again.
  expect(await status(before)).toBe(200);
  expect(await refusal(path, {})).toMatch(/holds `secrets` sealed, and this process has no master key/);
  const again = await run(path, masterKey, "secrets", "seal", "--delete-files", "--yes");
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("Everything is sealed")]);
  expect(secretFiles.map((name) => existsSync(join(path, name)))).toEqual([false, false, false, false]);
  const after = await start(path, masterKey);
  expect([await status(after), await kids(after)]).toEqual([200, published]);
  expect(await run(path, masterKey, "check")).toMatchObject({ code: 0 });
  const { stdout } = await run(path, masterKey, "secrets", "list", "--json");
  expect(JSON.parse(stdout)).toEqual(
    ["secrets", "signing-keys", "issuer", "public-keys"].map((document) => ({
      document,
      place: "registry",
      label: expect.stringContaining("registry.sqlite") as string,
    })),
  );
});

test("a backup of sealed secrets names the master key, and is restored with it", async () => {
  const path = await copyOfFiled();
  await seal(path);
  const [backup, restored] = [join(scratch, "backup"), join(scratch, "restored")];
  const made = await run(path, masterKey, "backup", backup);
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining("The master key")]);
  expect(await run(restored, masterKey, "restore", backup)).toMatchObject({ code: 0 });
  expect(await status(await start(restored, masterKey))).toBe(200);
});

test("another master key, and a damaged or exchanged text, are told", async () => {
  const path = await copyOfFiled();
  await seal(path);
  const wrong = await refusal(path, { CADASTRE_MASTER_KEY: String(second) });
  expect(wrong).toMatch(
    /needs the master key [\da-f]{12}, and this process has [\da-f]{12}: set CADASTRE_MASTER_KEY_FILE/,
  );
  const database = new Database(join(path, "registry.sqlite"));
  // Called by triggers that keep the checksums, which are of no interest here.
  database.function("cadastre_crc32", { varargs: true }, () => 0);
  database.exec(
    "update cadastre_sealed_document set sealed = (select sealed from cadastre_sealed_document where name = 'issuer') where name = 'secrets'",
  );
  expect(await refusal(path, masterKey)).toMatch(/sealed `secrets` of .* is damaged: restore the registry/);
  database.exec("update cadastre_sealed_document set sealed = '2.x.y' where name = 'secrets'");
  expect(await refusal(path, masterKey)).toMatch(/was written by a later version/);
  database.close();
});

test("the master key is changed while a service runs", async () => {
  const path = await copyOfFiled();
  await seal(path);
  const both = { CADASTRE_MASTER_KEY: `${second}\n${first}` };
  const service = await start(path, both);
  const resealed = await run(path, both, "secrets", "seal");
  expect([resealed.code, resealed.stderr]).toEqual([
    0,
    expect.stringContaining("Sealed `secrets` under the first master key."),
  ]);
  expect(await status(service)).toBe(200);
  expect(await refusal(path, masterKey)).toMatch(/needs the master key/);
  expect(await status(await start(path, { CADASTRE_MASTER_KEY: String(second) }))).toBe(200);
});

test("a new pepper and a new signing key reach a running service", async () => {
  const path = await copyOfFiled();
  await seal(path);
  const service = await start(path, masterKey);
  const [old] = await kids(service);
  expect(await run(path, masterKey, "key", "rotate-pepper")).toMatchObject({ code: 0 });
  const { stdout: created } = await run(path, masterKey, "key", "create", "demo-national");
  const target = "/reso/odata/Property?$top=1";
  await expect
    .poll(async () => (await ask(service.baseUrl, target, { "x-api-key": created })).status, {
      timeout: 2000,
    })
    .toBe(200);
  expect(await status(service)).toBe(200);
  const rotating = run(path, masterKey, "secrets", "rotate-signing-key");
  // Published before it signs.
  await expect.poll(() => kids(service), { timeout: 4000 }).toEqual([old, expect.any(String)]);
  const rotated = await rotating;
  expect([rotated.code, rotated.stderr]).toEqual([0, expect.stringContaining(`Still published: ${old}.`)]);
  await expect.poll(() => kids(service), { timeout: 2000 }).toEqual([expect.any(String), old]);
});

test("settings give secrets as a file or as text, and no command changes them", async () => {
  const path = await copyOfFiled();
  const given = join(scratch, "mounted-secrets.json");
  await writeFile(given, await readFile(join(path, "secrets.json")));
  const signing = await readFile(join(path, "signing-keys.json"), "utf8");
  for (const name of ["secrets.json", "signing-keys.json"]) await rm(join(path, name));
  const settings = { CADASTRE_SECRETS: given, CADASTRE_SIGNING_KEYS: signing };
  expect(await status(await start(path, settings))).toBe(200);
  expect(await run(path, settings, "key", "rotate-pepper")).toMatchObject({
    code: 1,
    stderr: "CADASTRE_SECRETS is set: change what it gives yourself, on every node",
  });
  const broken = { ...settings, CADASTRE_SIGNING_KEYS: "{dont-tell" };
  const message = await refusal(path, broken);
  expect(message).toBe("CADASTRE_SIGNING_KEYS is not JSON: correct what CADASTRE_SIGNING_KEYS gives");
  expect(await refusal(path, { ...settings, CADASTRE_SECRETS: "/nowhere" })).toBe(
    "/nowhere cannot be read, for it does not exist: correct what CADASTRE_SECRETS gives",
  );
});

test("a node with another key of skip tokens or another signing key refuses to start, until it is adopted", async () => {
  const path = await copyOfFiled();
  const [secrets, signing] = ["secrets.json", "signing-keys.json"].map((name) => join(path, name));
  await (await start(path, {})).stop();
  running.pop();
  const own = JSON.parse(await readFile(String(secrets), "utf8")) as Record<string, unknown>;
  const { sha256: _, ...content } = own;
  await writeFile(
    String(secrets),
    JSON.stringify({ ...content, skipTokenKey: Buffer.alloc(32, 9).toString("base64url") }),
  );
  expect(await refusal(path, {})).toMatch(
    /secrets\.json has another key of skip tokens than the nodes that this registry is used with: give every node the same.*cadastre secrets adopt/,
  );
  await writeFile(String(secrets), JSON.stringify(own));

  const [old, other] = await Promise.all(
    [path, join(scratch, "new-signing")].map(async (at) => {
      const folder = await folderOf(at, {});
      await withRegistry(folder, (registry) => openSigningKeys(folder, registry));
      return (JSON.parse(await readFile(folder.signingKeys, "utf8")) as { keys: { kid: string }[] }).keys[0];
    }),
  );
  const write = (...keys: readonly unknown[]) => writeFile(String(signing), JSON.stringify({ keys }));
  await write(other);
  expect(await refusal(path, {})).toMatch(
    new RegExp(`signing-keys\\.json lacks the key \`${old?.kid}\`, which signs manifests of this registry`),
  );
  // A planned change: published, then signing, then alone.
  for (const keys of [[old, other], [other, old], [other]]) {
    await write(...keys);
    expect(await kids(await start(path, {}))).toEqual(keys.map((key) => key?.kid));
  }
  await write(old);
  expect(await refusal(path, {})).toContain(`lacks the key \`${other?.kid}\``);
  expect(await run(path, {}, "secrets", "adopt")).toMatchObject({ code: 0 });
  expect(await status(await start(path, {}))).toBe(200);
});
