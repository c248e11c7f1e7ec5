import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { generateKeyPair } from "@cadastre/entitlement";
import { isInForce } from "@cadastre/store/registry";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { issueApiKey } from "../src/access/issue-key.ts";
import { checkFolder } from "../src/check/check.ts";
import { readConfig } from "../src/config.ts";
import { DataError } from "../src/data/data-error.ts";
import type { DataFolder } from "../src/data/data-folder.ts";
import { withRegistry } from "../src/data/registry.ts";
import { readSecrets } from "../src/data/secrets.ts";
import { prepareDemoAccess } from "../src/demo/demo-access.ts";
import { type DemoKey, readDemo, writeDemo } from "../src/demo/demo-file.ts";
import { end, says, startProgram } from "./support/program.ts";
import { newSampleFolder } from "./support/sample-database.ts";
import { withDatabase } from "./support/test-database.ts";

let folder: DataFolder;
let keys: readonly DemoKey[];
beforeEach(async () => {
  folder = await newSampleFolder(10);
  keys = await prepare();
});
afterEach(() => rm(folder.path, { recursive: true, force: true }));

async function prepare(): Promise<readonly DemoKey[]> {
  const secrets = await readSecrets(folder);
  return withRegistry(folder, (registry) => prepareDemoAccess(folder, registry, secrets, Date.now()));
}

const keysInForce = () =>
  withRegistry(folder, async (registry) =>
    (await registry.keys.list()).filter((key) => isInForce(key, Date.now())).map(({ id }) => id),
  );

const findings = async () => {
  const found: string[] = [];
  const config = readConfig(withDatabase({ CADASTRE_DATA: folder.path }));
  for await (const { code, subject, detail } of checkFolder(folder, config))
    found.push(`${code} ${subject}: ${detail}`);
  return found;
};

const revoke = (customer: string) =>
  withRegistry(folder, async (registry) => {
    for (const { id } of await registry.keys.list(customer)) await registry.keys.revoke(id, Date.now());
  });

describe("the demo's keys", () => {
  test("are in the file before the registry has them, and outlive starts", async () => {
    expect(keys).toHaveLength(4);
    expect((await readDemo(folder))?.keys).toEqual(keys);
    const before = await keysInForce();
    expect(await prepare()).toEqual(keys);
    expect(await keysInForce()).toEqual(before);
    expect((await stat(folder.demo)).mode & 0o777).toBe(0o600);
  });

  test("of a start that was killed before the registry had them are added", async () => {
    await revoke("demo-state");
    const { peppers } = await readSecrets(folder);
    const { apiKey } = issueApiKey(peppers, null);
    await writeDemo(folder, {
      baseUrl: "",
      keys: keys.map((key) => (key.name === "state" ? { ...key, apiKey } : key)),
    });
    expect((await prepare()).find(({ name }) => name === "state")?.apiKey).toBe(apiKey);
    expect(await findings()).toEqual([]);
  });

  test("that are lost stay valid, are told, and are not made again by any start", async () => {
    const { peppers } = await readSecrets(folder);
    const own = issueApiKey(peppers, null);
    await withRegistry(folder, (registry) =>
      registry.keys.add({ customer: "demo-national", ...own.kept }, Date.now()),
    );
    await rm(folder.demo);
    const before = await keysInForce();
    for (let start = 0; start < 3; start++) {
      const program = await startProgram("start.ts", [], { CADASTRE_DATA: folder.path, PORT: "0" });
      await says(program, "Stop with Ctrl-C.");
      expect(program.output()).toContain(
        "lacks the keys of demo-national, demo-market, demo-state, demo-coarse",
      );
      expect(program.output()).toContain("  cadastre key create demo-market\n");
      expect(await end(program, "SIGTERM")).toBe(0);
      expect(await keysInForce()).toEqual(before);
    }
    await writeDemo(folder, { baseUrl: "", keys: [...keys] });
    expect(await prepare()).toEqual(keys);
  }, 60_000);

  test("in a file that is damaged are not overwritten", async () => {
    const text = (await readFile(folder.demo, "utf8")).slice(0, -20);
    await writeFile(folder.demo, text);
    await expect(prepare()).rejects.toThrow(DataError);
    expect(await readFile(folder.demo, "utf8")).toBe(text);
    expect(await findings()).toEqual(["file_damaged demo.json: it cannot be read"]);
  });

  test("are kept by a start with another issuer", async () => {
    const program = await startProgram("start.ts", [], {
      CADASTRE_DATA: folder.path,
      CADASTRE_KEY_SET: folder.publicKeys,
      CADASTRE_ISSUER: "https://issuer.example",
      CADASTRE_AUDIENCE: "listings",
      PORT: "0",
    });
    await says(program, "Stop with Ctrl-C.");
    expect(await end(program, "SIGTERM")).toBe(0);
    expect((await readDemo(folder))?.keys).toEqual(keys);
  }, 30_000);
});

describe("`cadastre check` finds", () => {
  test("nothing in a new folder", async () => {
    expect(await findings()).toEqual([]);
  });

  test("a key of `demo.json` that is revoked, unknown or another customer's", async () => {
    await revoke("demo-state");
    const { peppers } = await readSecrets(folder);
    const [national, market] = keys;
    const replaced = keys.map((key) => {
      if (key.name === "national") return { ...key, apiKey: market?.apiKey ?? "" };
      return key.name === "market" ? { ...key, apiKey: issueApiKey(peppers, null).apiKey } : key;
    });
    await writeDemo(folder, { baseUrl: "", keys: replaced });
    expect(national?.name).toBe("national");
    expect(await findings()).toEqual(
      ["national", "market", "state"].map(
        (name) => `demo_key_invalid demo.json: the registry has no valid key \`${name}\` of this text`,
      ),
    );
  });

  test("an issuer whose private key belongs to another public key, which a start refuses", async () => {
    const pair = JSON.parse(await readFile(folder.issuer, "utf8")) as object;
    const { privateKey } = await generateKeyPair();
    await writeFile(folder.issuer, JSON.stringify({ ...pair, privateKey }));
    expect(await findings()).toEqual([
      "file_damaged issuer.json: it does not hold a private key and its public key",
    ]);
    await expect(prepare()).rejects.toThrow(/issuer\.json does not hold what the service keeps in it/);
  });

  test("an issuer whose public key is not trusted", async () => {
    const { kid, publicKey } = await generateKeyPair();
    await writeFile(folder.publicKeys, JSON.stringify({ keys: [{ ...publicKey, kid }] }));
    expect(await findings()).toContain(
      "issuer_untrusted issuer.json: public-keys.json does not have its public key",
    );
  });

  test("an issuer that is lost", async () => {
    await rm(folder.issuer);
    expect(await findings()).toEqual([
      "file_missing issuer.json: it does not exist, and the registry has entitlements",
    ]);
  });
});
