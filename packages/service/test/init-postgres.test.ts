import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { cadastre } from "./support/cli.ts";

const addressFiles = ["database-url", "database-url-owner", "database-url-worker"] as const;

describe.skipIf(!hasPostgres)("cadastre init --admin-url", () => {
  let server: PostgresServer;
  let serverFolder: string;
  let folder: string;
  let control: pg.Pool;
  beforeAll(async () => {
    serverFolder = await mkdtemp(join(tmpdir(), "cadastre-init-server-"));
    await chmod(serverFolder, 0o777);
    const rules = join(serverFolder, "pg_hba.conf");
    await writeFile(rules, "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
    const logs = { logging_collector: "on", log_directory: join(serverFolder, "log"), log_statement: "all" };
    server = await startPostgres(undefined, { hba_file: rules, ...logs });
    control = server.connect();
    await control.query("create role administrator login createdb createrole password 'dont-tell'");
    await control.query("create role guest login password 'guest'");
  });
  afterAll(async () => {
    await control.end();
    await server.stop();
    await rm(serverFolder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "cadastre-init-postgres-"));
  });
  afterEach(async () => {
    const { rows } = await control.query<{ name: string }>(
      "select datname as name from pg_database where datname not like 'template_' and datname <> 'postgres'",
    );
    for (const { name } of rows) await control.query(`drop database ${pg.escapeIdentifier(name)}`);
    for (const role of ["owner", "service", "worker", "reader"])
      await control.query(`drop role if exists cadastre_${role}`);
    await rm(folder, { recursive: true, force: true });
  });

  const address = (user: string, database: string): string => {
    const url = new URL(server.url);
    [url.username = "", url.password = ""] = user.split(":");
    url.pathname = database;
    return url.href;
  };
  const config = () => join(folder, "cadastre.yaml");
  const init = (admin: string, ...more: readonly string[]) =>
    cadastre([
      "init",
      "--config",
      config(),
      "--yes",
      "--data",
      join(folder, "data"),
      "--admin-url",
      admin,
      ...more,
    ]);
  const addressIn = async (file: (typeof addressFiles)[number]) =>
    (await readFile(join(folder, file), "utf8")).trim();
  const asOwner = async () => ({
    environment: { CADASTRE_DATABASE_URL: await addressIn("database-url-owner") },
  });

  test.each([
    ["a superuser", "postgres", "cadastre"],
    ["who may create databases and roles", "administrator", 'list"ings drop'],
  ])("creates database, roles and tables as %s", { timeout: 60_000 }, async (_, user, database) => {
    const admin = address(user, encodeURI(database));
    process.env["PGPASSWORD"] = "dont-tell";
    const { code, stdout, stderr } = await init(admin, "--systems", "own:Own MLS:TX:OMLS_");
    delete process.env["PGPASSWORD"];
    expect([code, stderr]).toEqual([0, expect.stringContaining("Added Own MLS")]);
    expect(stderr).toContain(`CADASTRE_DATABASE_URL="$(cat ${join(folder, "database-url-owner")})"`);
    expect(`${stdout}${stderr}`).not.toContain("dont-tell");
    const logs = await readdir(join(serverFolder, "log"));
    for (const file of addressFiles) {
      const url = new URL(await addressIn(file));
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
      expect(url.password.length).toBeGreaterThan(30);
      for (const text of [stdout, stderr, await readFile(config(), "utf8")])
        expect(text).not.toContain(url.password);
      for (const log of logs)
        expect(await readFile(join(serverFolder, "log", log), "utf8")).not.toContain(url.password);
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      await client.end();
    }
    expect(readConfig({ CADASTRE_CONFIG: config() }).postgres?.url).toBe(await addressIn("database-url"));
    expect(
      await control.query("select from pg_database where datname = $1 and encoding = 6", [database]),
    ).toMatchObject({
      rowCount: 1,
    });

    const field = ["field", "add", "own", "OMLS_Dock", "--type", "string", "--config", config()];
    const refused = await cadastre(field);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("owner's address")]);
    const added = await cadastre(field, await asOwner());
    expect([added.code, added.stderr]).toEqual([0, expect.stringContaining("OMLS_Dock")]);
    const file = join(folder, "records.jsonl");
    const record = {
      OfficeKey: "own",
      OfficeName: "Own",
      OriginatingSystemName: "Own MLS",
      ModificationTimestamp: "2026-01-02T03:04:05Z",
    };
    await writeFile(file, `${JSON.stringify(record)}\n`);
    for (const command of [
      ["ingest", "--resource", "Office", "--source", "own", file],
      ["publish", "Office"],
    ])
      expect(await cadastre([...command, "--config", config()])).toMatchObject({ code: 0 });
    const doctor = await cadastre(["doctor", "--config", config(), "--json"]);
    expect(JSON.parse(doctor.stdout)).toContainEqual(
      expect.objectContaining({
        check: "roles",
        state: "ok",
        says: "cadastre_service may read and write rows alone",
      }),
    );
  });

  test("goes on where an earlier run has failed", { timeout: 60_000 }, async () => {
    const admin = address("postgres", "cadastre");
    // The settings cannot be written: everything before them was made.
    await mkdir(join(folder, "issuer"));
    await writeFile(join(folder, "key-set.json"), "{}");
    const failed = await init(admin);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("key-set.json")]);
    const made = await Promise.all(addressFiles.map(addressIn));
    await rm(join(folder, "key-set.json"));
    await rm(join(folder, "database-url-worker"));
    await control.query("drop owned by cadastre_worker");
    const lost = await init(admin);
    expect([lost.code, lost.stderr]).toEqual([
      1,
      expect.stringContaining("has a role cadastre_worker already, whose password is not replaced"),
    ]);
    await writeFile(join(folder, "database-url-worker"), made[2] ?? "");
    const again = await init(admin);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("Settings: ")]);
    expect(await Promise.all(addressFiles.map(addressIn))).toEqual(made);
  });

  test("refuses what another service uses, and changes nothing of it", { timeout: 60_000 }, async () => {
    expect(await init(address("postgres", "cadastre"))).toMatchObject({ code: 0 });
    const passwords = () => control.query<object>("select rolname, rolpassword from pg_authid order by 1");
    const before = (await passwords()).rows;
    const first = folder;
    for (const [file, database, says] of [
      ["elsewhere", "cadastre", "has a role cadastre_owner already, whose password is not replaced"],
      ["elsewhere", "second", "has a role cadastre_owner already, whose password is not replaced"],
      ["", "second", "database-url exists, and is the address of another database"],
    ] as const) {
      folder = join(first, file);
      await mkdir(folder, { recursive: true });
      await rm(config(), { force: true });
      const { code, stderr } = await init(address("postgres", database), "--issuer-key", "");
      expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
      if (file !== "") expect(await readdir(folder)).toEqual([]);
    }
    folder = first;
    expect((await passwords()).rows).toEqual(before);
    expect(await control.query("select from pg_database where datname = 'second'")).toMatchObject({
      rowCount: 0,
    });
  });

  test("refuses tables of another owner", async () => {
    await control.query("create database older template template0");
    const client = new pg.Client({ connectionString: address("postgres", "older") });
    await client.connect();
    await client.query("create schema cadastre");
    await client.end();
    const { code, stderr } = await init(address("postgres", "older"));
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("has tables of Cadastre, which belong to postgres"),
    ]);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ["guest:guest", "cadastre", 1, / refuses this to its user: .* as --admin-url \(42501\)$/],
    ["guest:wrong", "cadastre", 1, /refuses the password: correct --admin-url \(28P01\)$/],
    ["guest", "cadastre", 1, /asks for a password: write it in --admin-url, or in PGPASSWORD$/],
    ["postgres", "postgres", 2, /--admin-url must be an address with the name of the database to create/],
    ["postgres", "", 2, /--admin-url must be an address with the name of the database to create/],
  ])("says what is wrong with the address of %s in %s", async (user, database, exit, says) => {
    const { code, stderr } = await init(address(user, database));
    expect([code, stderr]).toEqual([exit, expect.stringMatching(says)]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("takes one address alone", async () => {
    const admin = address("postgres", "cadastre");
    const both = await init(admin, "--database-url", address("guest", "cadastre"));
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining("give no --database-url beside it"),
    ]);
    const variable = { environment: { CADASTRE_DATABASE_URL: admin } };
    const owner = await cadastre(["init", "--config", config(), "--yes", "--admin-url", admin], variable);
    expect([owner.code, owner.stderr]).toEqual([2, expect.stringContaining("unset CADASTRE_DATABASE_URL")]);
  });
});
