import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { bucketRegion, makeCustomer, startFakeObjectServer } from "@cadastre/delivery/testing";
import { generateKeyPair, signEntitlement } from "@cadastre/entitlement";
import {
  hasPgbouncer,
  hasPostgres,
  type PostgresServer,
  startPgbouncer,
  startPostgres,
} from "@cadastre/odata/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { audience, issuer, readIssuer } from "../src/access/demo-issuer.ts";
import { issueApiKey } from "../src/access/issue-key.ts";
import { readConfig } from "../src/config.ts";
import { type DataFolder, openDataFolder } from "../src/data/data-folder.ts";
import { withRegistry } from "../src/data/registry.ts";
import { readSecretsOf } from "../src/data/secrets.ts";
import { demoCustomers } from "../src/demo/customers.ts";
import { type Demo, readDemo } from "../src/demo/demo-file.ts";
import type { RunningService } from "../src/running-service.ts";
import { startService } from "../src/service.ts";
import { takesEffectWithin } from "../src/takes-effect.ts";
import { ask } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { prepareDemo } from "./support/prepare-demo.ts";
import { end, says, startProgram } from "./support/program.ts";
import { addSampleSystems } from "./support/sample-systems.ts";

if (!hasPostgres) console.warn("no PostgreSQL server is installed: several nodes are not tested");

type Environment = Readonly<Record<string, string>>;

const customer = "demo-national";

describe.skipIf(!hasPostgres)("several nodes on one database", () => {
  let server: PostgresServer;
  let scratch: string;
  let url: string;
  let nodes: readonly RunningService[];
  let apiKey: string;

  const environmentOf = (name: string): Environment => ({
    PORT: "0",
    CADASTRE_DATA: join(scratch, name),
    CADASTRE_DATABASE_URL: url,
    CADASTRE_MASTER_KEY: Buffer.alloc(32, 3).toString("base64"),
    CADASTRE_PARTS: join(scratch, "parts"),
    CADASTRE_LISTINGS: "0",
    CADASTRE_LOG_LEVEL: "silent",
    CADASTRE_REFUSALS_PER_SECOND: "0",
    CADASTRE_REQUESTS_PER_SECOND: "0",
  });
  const open = (name: string): Promise<DataFolder> => {
    const { dataFolder, postgres, secretSources } = readConfig(environmentOf(name));
    return openDataFolder(dataFolder, postgres, secretSources);
  };
  const startNode = async (name: string) => startService(readConfig(environmentOf(name)), await open(name));
  /** Runs a command on a machine of its own, which has no data folder. */
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await cadastre(args, { environment: environmentOf("operator") });
    expect([args, code, code === 0 ? "" : stderr]).toEqual([args, 0, ""]);
    return stdout;
  };
  /** Answers of every node to a request. */
  const everywhere = <T>(read: (node: RunningService) => Promise<T>): Promise<readonly T[]> =>
    Promise.all(nodes.map(read));
  const onBoth = <T>(value: T): readonly T[] => [value, value];
  const settled = () => pause(takesEffectWithin);
  const statusOf =
    (key: string) =>
    async ({ baseUrl }: RunningService) =>
      (await ask(baseUrl, "/reso/odata", { "x-api-key": key })).status;
  const version = async ({ baseUrl }: RunningService) =>
    (await ask(baseUrl, "/reso/odata", { "x-api-key": apiKey })).headers["entitlement-version"];
  const entitySets = async ({ baseUrl }: RunningService) => {
    const { text } = await ask(baseUrl, "/reso/odata", { "x-api-key": apiKey });
    return (JSON.parse(text) as { value: { name: string }[] }).value.map(({ name }) => name);
  };
  const kids = async ({ baseUrl }: RunningService) => {
    const { text } = await ask(baseUrl, "/.well-known/jwks.json");
    return (JSON.parse(text) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  const profiles = async ({ baseUrl }: RunningService) =>
    (await ask(baseUrl, "/v1/mls-profiles", { "x-api-key": apiKey })).text;
  const install = async (ver: number) => {
    const folder = await open("operator");
    const now = Math.floor(Date.now() / 1000);
    const names = { iss: issuer, aud: audience, sub: customer, ver, jti: String(ver) };
    const document = { ...names, iat: now, nbf: now - 60, exp: now + 3600, ...demoCustomers[0]?.grants };
    await withRegistry(folder, async (registry) => {
      const jws = await signEntitlement(document as never, await readIssuer(folder, registry));
      await registry.entitlements.install({ customer, version: ver, jws, installed: Date.now() });
    });
  };
  /** Ends every connection to the database but its own. */
  const cutConnections = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    await client.end();
  };

  beforeAll(async () => {
    server = await startPostgres();
    scratch = await mkdtemp(join(tmpdir(), "cadastre-nodes-"));
    url = await server.createDatabase();
    const folder = await open("first");
    const keys = await prepareDemo(folder, 0);
    await addSampleSystems(folder);
    apiKey = keys[0]?.apiKey ?? "";
    nodes = await Promise.all([startNode("first"), startNode("second")]);
  }, 120_000);
  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await server.stop();
    await rm(scratch, { recursive: true, force: true });
  });

  test("start at once, each with a folder without secrets, and publish the same keys", async () => {
    expect(await everywhere(statusOf(apiKey))).toEqual(onBoth(200));
    const [first, second] = await everywhere(kids);
    expect(second).toEqual(first);
    for (const name of ["first", "second"])
      expect((await readdir(join(scratch, name))).filter((file) => file.endsWith("s.json"))).toEqual([]);
  });

  test("a key that is made works, and stops working on every node within two seconds of its end", async () => {
    const made = await run("key", "create", customer);
    expect(await everywhere(statusOf(made))).toEqual(onBoth(200));
    const listed = JSON.parse(await run("key", "list", customer, "--json")) as {
      id: string;
      prefix: string;
    }[];
    const id = listed.find(({ prefix }) => made.startsWith(prefix))?.id ?? "";
    await run("key", "revoke", id, "--yes");
    await settled();
    expect(await everywhere(statusOf(made))).toEqual(onBoth(401));
  });

  test("a revocation is announced: every node refuses the key while it would still remember it", async () => {
    const folder = await open("operator");
    await withRegistry(folder, async (registry) => {
      const { peppers } = await readSecretsOf(folder, registry);
      const refusedAfter = async () => {
        const { apiKey: made, kept } = issueApiKey(peppers, null);
        const { id } = await registry.keys.add({ customer, ...kept }, Date.now());
        const asked = performance.now();
        expect(await everywhere(statusOf(made))).toEqual(onBoth(200));
        await registry.keys.revoke(id, Date.now());
        while ((await everywhere(statusOf(made))).includes(200)) await pause(5);
        return performance.now() - asked;
      };
      // On a busy machine a single revocation may take longer for other reasons.
      let fastest = Infinity;
      for (let i = 0; i < 5; i++) fastest = Math.min(fastest, await refusedAfter());
      expect(fastest).toBeLessThan(takesEffectWithin);
    });
  });

  test("an entitlement takes effect on every node", async () => {
    expect(await everywhere(version)).toEqual(onBoth("1"));
    await install(2);
    await settled();
    expect(await everywhere(version)).toEqual(onBoth("2"));
  });

  test("a publication activates its entity set on every node, and a profile reaches them, also past cut connections", async () => {
    expect(await everywhere(entitySets)).toEqual(onBoth(["Lookup"]));
    expect(await everywhere(profiles)).toEqual(onBoth(expect.not.stringContaining("Another name")));
    const file = join(scratch, "listings.jsonl");
    const record = {
      ListingKey: "own-1",
      OriginatingSystemName: "Lone Star MLS",
      ModificationTimestamp: "2026-01-02T03:04:05Z",
      StandardStatus: "Active",
      City: "Austin",
      StateOrProvince: "TX",
      ListPrice: 350_000,
    };
    await writeFile(file, `${JSON.stringify(record)}\n`);
    await run("ingest", "--resource", "Property", "--source", "lonestar", file);
    await cutConnections();
    await run("publish", "Property");
    await settled();
    expect(await everywhere(entitySets)).toEqual(onBoth(["Property", "Lookup"]));
    await cutConnections();
    await run("profile", "set", "lonestar", "--full-name", "Another name");
    await install(3);
    await settled();
    expect(await everywhere(version)).toEqual(onBoth("3"));
    expect(await everywhere(profiles)).toEqual(onBoth(expect.stringContaining("Another name")));
  });

  test("a new pepper is known to every node, and a new signing key is published by every node before it signs", async () => {
    await run("key", "rotate-pepper");
    const made = await run("key", "create", customer);
    expect(await everywhere(statusOf(made))).toEqual(onBoth(200));
    expect(await everywhere(statusOf(apiKey))).toEqual(onBoth(200));
    const [before] = await everywhere(kids);
    const rotating = run("secrets", "rotate-signing-key");
    await expect
      .poll(() => everywhere(kids), { timeout: 2 * takesEffectWithin })
      .toEqual(onBoth([...(before ?? []), expect.any(String)]));
    await rotating;
    await settled();
    expect(await everywhere(kids)).toEqual(onBoth([expect.any(String), ...(before ?? [])]));
  });

  test.skipIf(!hasPgbouncer)(
    "behind a pooler, which lets no notification through, a revocation takes two seconds",
    async () => {
      const pooler = await startPgbouncer(url, 20);
      const pooled = { ...environmentOf("pooled"), CADASTRE_DATABASE_URL: pooler.url };
      const config = readConfig({ ...pooled, CADASTRE_DATABASE_STATEMENTS: "unnamed" });
      const node = await startService(
        config,
        await openDataFolder(config.dataFolder, config.postgres, config.secretSources),
      );
      try {
        await withRegistry(await open("operator"), async (registry) => {
          const { id } = (await registry.keys.list(customer)).find(({ revoked }) => revoked === null) ?? {
            id: "",
          };
          expect(await statusOf(apiKey)(node)).toBe(200);
          await registry.keys.revoke(id, Date.now());
        });
        await settled();
        expect(await statusOf(apiKey)(node)).toBe(401);
      } finally {
        await node.stop();
        await pooler.stop();
      }
    },
  );

  test("a node without the master key, with another one, or with other files of secrets is refused", async () => {
    const starting = async (change: Environment) => {
      const config = readConfig({ ...environmentOf("third"), ...change });
      return startService(
        config,
        await openDataFolder(config.dataFolder, config.postgres, config.secretSources),
      );
    };
    await expect(starting({ CADASTRE_MASTER_KEY: "" })).rejects.toThrow(
      /holds `secrets` sealed, and this process has no master key: set CADASTRE_MASTER_KEY_FILE/,
    );
    await expect(starting({ CADASTRE_MASTER_KEY: Buffer.alloc(32, 4).toString("base64") })).rejects.toThrow(
      /sealed `secrets` of postgres:\/\/.* needs the master key [\da-f]{12}/,
    );
    await expect(starting({ CADASTRE_PARTS: join(scratch, "other-parts") })).rejects.toThrow(
      /other-parts is not the folder of this registry's parts/,
    );
    const text = (bytes: number) => Buffer.alloc(32, bytes).toString("base64url");
    const secrets = JSON.stringify({ peppers: [{ version: 1, secret: text(5) }], skipTokenKey: text(6) });
    await expect(starting({ CADASTRE_SECRETS: secrets })).rejects.toThrow(
      /^CADASTRE_SECRETS does not belong to this registry: /,
    );
  });
});

describe.skipIf(!hasPostgres)("programs on an empty database", () => {
  let server: PostgresServer;
  let scratch: string;
  beforeAll(async () => {
    server = await startPostgres();
    scratch = await mkdtemp(join(tmpdir(), "cadastre-nodes-"));
  });
  afterAll(async () => {
    await server.stop();
    await rm(scratch, { recursive: true, force: true });
  });

  test("that start at once prepare one demo", { timeout: 120_000 }, async () => {
    const url = await server.createDatabase();
    const programs = await Promise.all(
      ["a", "b"].map((name) =>
        startProgram("main.ts", [], {
          PORT: "0",
          CADASTRE_DATA: join(scratch, name),
          CADASTRE_DATABASE_URL: url,
          CADASTRE_MASTER_KEY: Buffer.alloc(32, 3).toString("hex"),
          CADASTRE_PARTS: join(scratch, "parts"),
          CADASTRE_LISTINGS: "50",
        }),
      ),
    );
    for (const program of programs) await says(program, "Stop with Ctrl-C.");
    const demos = await Promise.all(
      ["a", "b"].map(async (name) => {
        return (await readDemo({ demo: join(scratch, name, "demo.json") })) as Demo;
      }),
    );
    // One of them has made the keys. They work on both.
    const [made] = demos.filter(({ keys }) => keys.length > 0);
    expect(demos.filter(({ keys }) => keys.length > 0)).toHaveLength(1);
    for (const { baseUrl } of demos)
      for (const { apiKey } of made?.keys ?? [])
        expect((await ask(baseUrl, "/reso/odata", { "x-api-key": apiKey })).status).toBe(200);
    for (const program of programs) expect(await end(program, "SIGTERM")).toBe(0);
  });

  test("a node writes nothing into a folder that it cannot create", { timeout: 120_000 }, async () => {
    const objects = await startFakeObjectServer();
    const owner = await makeCustomer(objects);
    const keySet = join(scratch, "keys.json");
    const pair = await generateKeyPair();
    await writeFile(keySet, JSON.stringify({ keys: [pair.publicKey] }));
    const masterKey = join(scratch, "master-key");
    await writeFile(masterKey, `${Buffer.alloc(32, 3).toString("base64")}\n`);
    // Nobody can create a folder there, root included.
    const folder = "/sys/cadastre";
    const environment = {
      PORT: "0",
      CADASTRE_DATA: folder,
      CADASTRE_DATABASE_URL: await server.createDatabase(),
      CADASTRE_MASTER_KEY_FILE: masterKey,
      CADASTRE_LISTINGS: "50",
      CADASTRE_AUDIT: "stdout",
      CADASTRE_KEY_SET: keySet,
      CADASTRE_ISSUER: "https://issuer.example",
      CADASTRE_AUDIENCE: "cadastre",
      CADASTRE_PARTS: join(scratch, "staging"),
      CADASTRE_PARTS_BUCKET: `s3://${owner.bucket}/parts`,
      CADASTRE_PARTS_REGION: bucketRegion,
      CADASTRE_PARTS_ENDPOINT: objects.endpoint,
      AWS_ACCESS_KEY_ID: objects.owner.accessKeyId,
      AWS_SECRET_ACCESS_KEY: objects.owner.secretAccessKey,
    };
    const program = await startProgram("main.ts", [], environment);
    await says(program, "Stop with Ctrl-C.");
    const baseUrl = /serving (\S+)\/reso\/odata/.exec(program.output())?.[1] ?? "";
    const ready = async () => (await ask(baseUrl, "/health/ready")).text;
    await expect.poll(ready, { timeout: 20_000 }).toBe('{"status":"ready"}');
    for (const args of [["key", "list"], ["secrets", "list"], ["key", "rotate-pepper"], ["check"]]) {
      const { code, stderr } = await cadastre(args, { environment });
      expect([args, code, stderr]).toEqual([args, 0, expect.any(String)]);
    }
    const worker = await startProgram("cli/main.ts", ["worker"], environment);
    await says(worker, "Building deliveries.");
    expect(await end(worker, "SIGTERM")).toBe(0);
    expect(await end(program, "SIGTERM")).toBe(0);
    expect(existsSync(folder)).toBe(false);
    await owner.close();
    await objects.stop();
  });
});
