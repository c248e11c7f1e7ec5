import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { type DataFolder, dataFolderAt, openDataFolder } from "../src/data/data-folder.ts";
import { databasesOf } from "../src/data/databases.ts";
import { withRegistry } from "../src/data/registry.ts";
import { readSecretsOf } from "../src/data/secrets.ts";
import { prepareDemoAccess } from "../src/demo/demo-access.ts";
import { startService } from "../src/service.ts";
import { cadastre } from "./support/cli.ts";
import { customerOf } from "./support/deliveries.ts";
import { end, says, startProgram } from "./support/program.ts";

const roles = ["owner", "service", "worker", "reader"] as const;
type Role = (typeof roles)[number];

/** Names with characters that must be quoted. */
const names: Readonly<Record<Role, string>> = {
  owner: "cadastre_owner",
  service: "the service",
  worker: 'wor"ker',
  reader: "reader'; drop schema cadastre; --",
};

describe.skipIf(!hasPostgres)("the roles of a database", () => {
  let server: PostgresServer;
  let scratch: string;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    scratch = await mkdtemp(join(tmpdir(), "cadastre-roles-"));
    url = await server.createDatabase();
  });
  afterAll(async () => {
    await server.stop();
    await rm(scratch, { recursive: true, force: true });
  });

  const as = (role: Role): string => {
    const address = new URL(url);
    address.username = encodeURIComponent(names[role]);
    return address.href;
  };
  const folderOf = (role: Role): DataFolder => dataFolderAt(join(scratch, "data"), { url: as(role) });
  const environmentOf = (role: Role) => ({
    CADASTRE_DATA: join(scratch, "data"),
    CADASTRE_DATABASE_URL: as(role),
    CADASTRE_LOG_LEVEL: "info",
    CADASTRE_CHECK_HOURS: "0",
    CADASTRE_WORKER: "false",
    PORT: "0",
  });
  const run = async (role: Role, ...args: readonly string[]) => {
    const { code, stdout, stderr } = await cadastre(args, { environment: environmentOf(role) });
    return { code, stdout, stderr };
  };
  /** Runs the SQL that `cadastre init roles` writes. */
  const applyRoles = async (user: string) => {
    const { code, stdout } = await cadastre(["init", "roles"]);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/\bpassword '/);
    const file = join(scratch, "roles.sql");
    await writeFile(file, stdout);
    const given = roles
      .filter((role) => role !== "owner")
      .flatMap((role) => ["-v", `${role}=${names[role]}`]);
    server.run("psql", "-X", "-q", "-d", user, ...given, "-f", file);
  };
  const query = async (role: Role, text: string): Promise<string | undefined> => {
    const client = new pg.Client({ connectionString: as(role) });
    await client.connect();
    try {
      await client.query("begin");
      await client.query(text);
      return undefined;
    } catch (error) {
      return (error as { readonly code?: string }).code;
    } finally {
      await client.end();
    }
  };

  test("the owner migrates an empty database; before, the service is told who does", async () => {
    await applyRoles(url);
    await applyRoles(url);
    await openDataFolder(join(scratch, "data"));
    await expect(databasesOf(folderOf("service")).openRegistry("refuse")).rejects.toThrow(
      /the service|does not give its user the rights: .*cadastre migrate.*cadastre init.* \(42501\)$/,
    );
    const filled = url;
    for (const [database, commands] of [
      [await server.createDatabase(), [["migrate"]]],
      [filled, [["sample", "--listings", "60"], ["migrate"]]],
    ] as const) {
      url = database;
      await applyRoles(database);
      for (const command of commands)
        expect([command, await run("owner", ...command)]).toEqual([
          command,
          expect.objectContaining({ code: 0 }),
        ]);
    }
    // The owner of the tables runs the grants of single tables, and changes nothing else.
    await applyRoles(as("owner"));
  });

  test("the service serves, ingests and publishes, and a worker builds deliveries", async () => {
    const folder = folderOf("service");
    const file = join(scratch, "records.jsonl");
    const record = { OfficeKey: "own", OfficeName: "Own" };
    await writeFile(file, `${JSON.stringify(record)}\n`);
    for (const command of [
      ["ingest", "--resource", "Office", "--source", "lonestar", file],
      ["publish", "Office"],
      ["rollback", "Office", "--yes"],
      ["check", "--builds"],
    ])
      expect([command, await run("service", ...command)]).toEqual([
        command,
        expect.objectContaining({ code: 0 }),
      ]);
    const keys = await withRegistry(folder, async (registry) =>
      prepareDemoAccess(folder, registry, await readSecretsOf(folder, registry), Date.now()),
    );
    const config = readConfig(environmentOf("service"));
    const service = await startService(config, folder, pino({ level: "silent" }));
    const worker = await startProgram("cli/main.ts", ["worker"], environmentOf("worker"));
    try {
      await says(worker, "Building deliveries");
      const key = (name: string) => keys.find((one) => one.name === name)?.apiKey ?? "";
      const customer = customerOf({ service, key } as Parameters<typeof customerOf>[0]);
      const id = await customer.complete();
      expect((await customer.manifest(id)).data.parts.length).toBeGreaterThan(0);
    } finally {
      expect(await end(worker, "SIGTERM")).toBe(0);
      await service.stop();
    }
    expect(worker.output()).not.toMatch(/42501|permission denied/);
  });

  test("what changes tables is refused to the service, which is told to run it as their owner", async () => {
    const sample = join(scratch, "learned.csv");
    await writeFile(
      sample,
      "ListingKey,OriginatingSystemName,ModificationTimestamp,Slip Length\nA-1,Own MLS,2024-05-01T10:00:00Z,12.5\n",
    );
    const learn = ["system", "learn", "own", "--sample", sample, "--resource", "Property"];
    // What changes rows alone is for the service to do.
    const add = ["system", "add", "own", "--name", "Own MLS", "--states", "TX"];
    expect(await run("service", ...add)).toMatchObject({ code: 0 });
    for (const command of [
      ["field", "add", "own", "OWN_Dock", "--type", "string"],
      [...learn, "--prefix-names", "--apply", "--yes"],
    ]) {
      const versions = async () => (await run("service", "system", "export")).stdout;
      const before = await versions();
      const refused = await run("service", ...command);
      expect([command, refused.code, refused.stderr]).toEqual([
        command,
        1,
        expect.stringMatching(
          /changes tables, which only their owner may do: run this command again with the owner's address in CADASTRE_DATABASE_URL.*\(42501\)$/m,
        ),
      ]);
      expect(await versions()).toBe(before);
      expect([command, await run("owner", ...command)]).toEqual([
        command,
        expect.objectContaining({ code: 0 }),
      ]);
      expect(await versions()).not.toBe(before);
    }
  });

  test("a worker whose role may not write records leaves feeds to others, and says so once", async () => {
    const file = join(scratch, "feed.jsonl");
    const record = { OfficeKey: "fed", OfficeName: "Fed", ModificationTimestamp: "2024-05-01T10:00:00Z" };
    await writeFile(file, `${JSON.stringify(record)}\n`);
    const place = ["--source", "lonestar", "--resource", "Office", "--files", file];
    expect(await run("service", "feed", "add", "office", ...place)).toMatchObject({ code: 0 });
    const shown = async () => JSON.parse((await run("service", "feed", "show", "office")).stdout) as object;
    const told = "feeds do not run in this process";
    const leaving = await startProgram("cli/main.ts", ["worker"], environmentOf("worker"));
    try {
      await says(leaving, told);
      await says(leaving, "Building deliveries");
      // Longer than the interval in which a worker looks for due feeds.
      await new Promise((resolve) => setTimeout(resolve, 2500));
      expect(await shown()).toMatchObject({ state: "waiting", lastRun: null, failures: 0 });
      const doctor = await run("worker", "doctor", "--json");
      expect(doctor.stdout).toContain("may not write records, so feeds do not run in its processes");
      expect(doctor.stdout).not.toMatch(/permission denied|transaction is aborted/);
      const running = await startProgram("cli/main.ts", ["worker"], environmentOf("service"));
      await says(running, "ran a feed");
      expect(await end(running, "SIGTERM")).toBe(0);
      expect(running.output()).not.toContain(told);
      expect(await shown()).toMatchObject({ lastError: null, read: 1 });
    } finally {
      expect(await end(leaving, "SIGTERM")).toBe(0);
    }
    expect(leaving.output().split(told).length).toBe(2);
    expect(leaving.output()).not.toMatch(/42501|permission denied/);
  });

  const denied = "42501";
  const readOnly = "25006";
  const listings = `cadastre."Property"`;
  const key = "cadastre_registry.cadastre_api_key";
  test.each<readonly [statement: string, allowed: Readonly<Partial<Record<Role, true>>>]>([
    [`select from ${listings}`, { owner: true, service: true, worker: true, reader: true }],
    [`delete from ${listings}`, { owner: true, service: true }],
    [`truncate cadastre."Property_staged"`, { owner: true, service: true }],
    [`update cadastre.cadastre_note set text = ''`, { owner: true, service: true }],
    [`delete from cadastre.cadastre_migration`, { owner: true }],
    [`delete from cadastre.cadastre_schema`, { owner: true }],
    [`delete from cadastre_registry.cadastre_registry_migration`, { owner: true }],
    [`alter table ${listings} add x int`, { owner: true }],
    [`create index on ${listings} ("ListPrice")`, { owner: true }],
    ["create table cadastre.another (a int)", { owner: true }],
    ["create schema another", { owner: true }],
    ["create temporary table another (a int)", {}],
    ["create role another", {}],
    [`select digest from ${key}`, { owner: true, service: true }],
    [`select pepper from ${key}`, { owner: true, service: true, worker: true }],
    [`update ${key} set revoked = 1`, { owner: true, service: true }],
    ["select from cadastre_registry.cadastre_customer", { owner: true, service: true, worker: true }],
    [
      "update cadastre_registry.cadastre_customer set name = name",
      { owner: true, service: true, worker: true },
    ],
    ["update cadastre_registry.cadastre_customer set entitlement = ''", { owner: true, service: true }],
    ["delete from cadastre_registry.cadastre_customer where false", { owner: true, service: true }],
    ["delete from cadastre_registry.cadastre_part_grant", { owner: true, service: true, worker: true }],
    ["select from cadastre_registry.cadastre_destination", { owner: true, service: true, worker: true }],
    ["set transaction_read_only = off; delete from cadastre.cadastre_note", { owner: true, service: true }],
  ])("%s", async (statement, allowed) => {
    for (const role of roles) {
      const code = await query(role, statement);
      if (allowed[role]) expect([role, code]).toEqual([role, undefined]);
      else expect([role, [denied, readOnly]]).toEqual([role, expect.arrayContaining([code])]);
    }
  });

  test("a table that a later migration makes is granted as well", async () => {
    const client = new pg.Client({ connectionString: as("owner") });
    await client.connect();
    await client.query("create table cadastre.later (a bigserial)");
    await client.query("create table cadastre_registry.later (a bigserial)");
    await client.end();
    for (const [role, statement, code] of [
      ["service", "insert into cadastre.later default values", undefined],
      ["service", "insert into cadastre_registry.later default values", undefined],
      ["worker", "select from cadastre_registry.later", undefined],
      ["worker", "delete from cadastre_registry.later", denied],
      ["reader", "select from cadastre.later", undefined],
      ["reader", "select from cadastre_registry.later", denied],
    ] as const)
      expect([role, statement, await query(role, statement)]).toEqual([role, statement, code]);
  });

  test("a dump is restored for the same roles, as docs/deployment.md says", async () => {
    const dump = join(scratch, "cadastre.dump");
    server.run("pg_dump", "--format=custom", `--file=${dump}`, as("owner"));
    const restored = await server.createDatabase();
    const database = new URL(restored).pathname.slice(1);
    server.run(
      "psql",
      "-X",
      "-q",
      "-d",
      restored,
      "-c",
      `alter database ${database} owner to cadastre_owner`,
    );
    server.run("pg_restore", "--no-owner", "--role=cadastre_owner", `--dbname=${restored}`, dump);
    url = restored;
    await applyRoles(restored);
    expect(await run("owner", "migrate")).toMatchObject({ code: 0 });
    expect(await run("service", "check")).toMatchObject({ code: 0 });
    for (const role of ["worker", "reader"] as const)
      expect([role, await query(role, `select from ${listings}`)]).toEqual([role, undefined]);
    expect(await query("worker", `update ${key} set revoked = 1`)).toBe(denied);
  });

  test("dropping partitions is refused to the service before anything is deleted", async () => {
    expect(await run("owner", "migrate", "--partition", "list")).toMatchObject({ code: 0 });
    const retire = ["system", "retire", "lonestar", "--yes"];
    expect(await run("service", ...retire)).toMatchObject({ code: 0 });
    const refused = await run("service", ...retire, "--drop");
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("which only their owner may do"),
    ]);
    // The tables are the owner's: what it is told is of the records.
    const recent = await run("owner", ...retire, "--drop");
    expect(recent.stderr).toContain("try again when a later state was pruned");
  });

  test("init creates the tables as the owner that the environment names, and writes the address of the service", async () => {
    url = await server.createDatabase();
    await applyRoles(url);
    const config = join(scratch, "own", "cadastre.yaml");
    await mkdir(join(scratch, "own"));
    const place = [
      "--data",
      join(scratch, "own", "data"),
      "--issuer-key",
      join(scratch, "issuer", "key.json"),
    ];
    const init = ["init", "--config", config, "--yes", ...place, "--systems", "own:Own MLS:TX"];
    const asOwner = { environment: { CADASTRE_DATABASE_URL: as("owner") } };
    const without = await cadastre(init, asOwner);
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining("--database-url is missing")]);
    const asService = await cadastre([...init, "--database-url", as("service")]);
    expect([asService.code, asService.stderr]).toEqual([
      1,
      expect.stringContaining("with the owner's address in CADASTRE_DATABASE_URL"),
    ]);
    const { code, stderr } = await cadastre([...init, "--database-url", as("service")], asOwner);
    expect([code, stderr]).toEqual([0, expect.stringContaining("Added Own MLS")]);
    expect(stderr).not.toContain("owner of the tables");
    expect(readConfig({ CADASTRE_CONFIG: config }).postgres?.url).toBe(as("service"));
    await applyRoles(as("owner"));
    const doctor = await cadastre(["doctor", "--config", config, "--json"]);
    expect(JSON.parse(doctor.stdout)).toContainEqual(
      expect.objectContaining({
        check: "roles",
        state: "ok",
        says: "the service may read and write rows alone",
      }),
    );
    const ofOwner = join(scratch, "own", "owner.yaml");
    const second = [
      "init",
      "--config",
      ofOwner,
      "--yes",
      "--data",
      join(scratch, "own", "data"),
      "--issuer-key",
      "",
    ];
    const told = await cadastre([...second, "--database-url", as("owner")]);
    expect([told.code, told.stderr]).toEqual([
      0,
      expect.stringMatching(/cadastre_owner may change tables.*address of cadastre_service/),
    ]);
  });

  test("nobody else may connect", async () => {
    server.run("psql", "-X", "-q", "-d", url, "-c", "create role stranger login");
    const client = new pg.Client({ connectionString: url.replace("//postgres@", "//stranger@") });
    await expect(client.connect()).rejects.toMatchObject({ code: denied });
  });
});
