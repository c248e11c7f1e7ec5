import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { sampleSystems } from "@cadastre/sample/catalog";
import type { WritableStore } from "@cadastre/store";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { withDataFolder } from "../src/data/data-error.ts";
import { type DataFolder, openDataFolder } from "../src/data/data-folder.ts";
import { databasesOf } from "../src/data/databases.ts";
import { createDatabases } from "../src/data/migrate-folder.ts";
import { notes } from "../src/data/notes.ts";
import { prepareListings } from "../src/data/prepare-listings.ts";
import type { Demo } from "../src/demo/demo-file.ts";
import { startService } from "../src/service.ts";
import { ask, query, toCollection } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { noProgress, prepareDemo } from "./support/prepare-demo.ts";
import { end, says, startProgram } from "./support/program.ts";
import { addSampleSystems } from "./support/sample-systems.ts";

if (!hasPostgres) console.warn("no PostgreSQL server is installed: the service is not tested on one");

const listings = 300;

describe.skipIf(!hasPostgres)("a service on PostgreSQL", () => {
  let server: PostgresServer;
  let scratch: string;
  /** A database with sample listings, and the data folder that belongs to it. */
  let prepared: DataFolder;
  beforeAll(async () => {
    server = await startPostgres();
    scratch = await mkdtemp(join(tmpdir(), "cadastre-postgres-"));
  });
  afterAll(async () => {
    await server.stop();
    await rm(scratch, { recursive: true, force: true });
  });

  let folders = 0;
  const newFolder = async (url: string) => openDataFolder(join(scratch, `folder_${++folders}`), { url });
  const environmentOf = ({ path, postgres }: DataFolder) => ({
    CADASTRE_DATA: path,
    CADASTRE_DATABASE_URL: postgres?.url ?? "",
    CADASTRE_LISTINGS: String(listings),
    CADASTRE_LOG_LEVEL: "silent",
    PORT: "0",
  });
  const starting = (folder: DataFolder) =>
    withDataFolder(folder.path, () => startService(readConfig(environmentOf(folder)), folder));
  const runSql = async (url: string, ...statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const withUser = (url: string, user: string) => url.replace("//postgres@", `//${user}@`);
  const stored = async (folder: DataFolder) => {
    const store = await databasesOf(folder).openListings({ threads: 0 });
    try {
      return { checkpoint: await store.checkpoint(), listings: await store.notes.get(notes.listings) };
    } finally {
      await store.close();
    }
  };

  test("prepares an empty database, serves it, and keeps it; no output has the password", {
    timeout: 120_000,
  }, async () => {
    prepared = await newFolder(withUser(await server.createDatabase(), "postgres:dont-tell"));
    const environment = environmentOf(prepared);
    const first = await startProgram("start.ts", [], { ...environment, CADASTRE_LOG_LEVEL: "debug" });
    await says(first, "Stop with Ctrl-C.");
    expect(first.output()).toMatch(/Prepared 300 sample listings in/);
    const demo = JSON.parse(await readFile(prepared.demo, "utf8")) as Demo;
    const target = `/reso/odata/Property${query({ $top: 0, $count: true })}`;
    const counted = await ask(demo.baseUrl, target, { "x-api-key": demo.keys[0]?.apiKey ?? "" });
    expect(toCollection(counted)["@odata.count"]).toBe(listings);
    expect(await readdir(prepared.path)).not.toEqual(expect.arrayContaining(["listings.sqlite"]));
    expect(existsSync(prepared.registry)).toBe(false);
    expect(await end(first, "SIGTERM")).toBe(0);

    const second = await startProgram("start.ts", [], { ...environment, CADASTRE_LISTINGS: "5000" });
    await says(second, "Stop with Ctrl-C.");
    expect(second.output()).not.toContain("Preparing");
    expect(second.output()).toMatch(
      /Serving the 300 sample listings of postgres:\/\/127\.0\.0\.1:\d+\/database_1,/,
    );
    expect(await end(second, "SIGTERM")).toBe(0);
    expect(first.output() + second.output()).not.toContain("dont-tell");
  });

  test("is not started with the secrets of another folder, nor by a folder that belongs to another registry", async () => {
    const other = await newFolder(prepared.postgres?.url ?? "");
    await expect(starting(other)).rejects.toThrow(
      /secrets\.json does not exist, and postgres:\/\/127\.0\.0\.1:\d+\/database_1 holds API keys or secrets that depend on it/,
    );
    const foreign = await newFolder(await server.createDatabase());
    await prepareDemo(foreign, 0);
    await expect(starting({ ...foreign, postgres: prepared.postgres })).rejects.toThrow(
      /secrets\.json does not belong to this registry: its pepper of version 1 is not the one/,
    );
    await expect(starting({ ...prepared, postgres: { url: await server.createDatabase() } })).rejects.toThrow(
      /does not exist, and .*secrets\.json belongs to it/,
    );
    // A copy of the secrets is as good as the folder.
    const copy = await newFolder(prepared.postgres?.url ?? "");
    for (const file of ["secrets", "signingKeys", "publicKeys", "issuer"] as const)
      await cp(prepared[file], copy[file]);
    const service = await starting({ ...copy, exports: prepared.exports });
    expect(service.isServing).toBe(true);
    await service.stop();
  });

  test("completes what an interrupted start has begun, and fills no database that was created empty", async () => {
    const begun = await newFolder(await server.createDatabase());
    await (await databasesOf(begun).openListings({ threads: 0 }, true)).close();
    await Promise.all([
      prepareListings(begun, listings, noProgress),
      prepareListings(begun, listings, noProgress),
    ]);
    expect(await stored(begun)).toEqual({ checkpoint: 1, listings: String(listings) });

    const empty = await newFolder(await server.createDatabase());
    const migrated = await cadastre(["migrate"], { environment: environmentOf(empty) });
    expect([migrated.code, migrated.stderr]).toEqual([0, "The databases have the schema of this version."]);
    await prepareListings(empty, listings, noProgress);
    expect(await stored(empty)).toEqual({ checkpoint: 0, listings: undefined });
  });

  test("records that an earlier version has stored are still to be checked after `init`", async () => {
    const folder = await newFolder(await server.createDatabase());
    await prepareListings(folder, listings, noProgress);
    await runSql(
      folder.postgres?.url ?? "",
      `delete from cadastre.cadastre_note where key = '${notes.checked}'`,
    );
    await createDatabases(folder);
    const store = await databasesOf(folder).openListings({ threads: 0 });
    expect(await store.notes.get(notes.checked)).toBeUndefined();
    await store.close();
  });

  test("its tables are divided by a migration, and a system gets its partitions", async () => {
    const divided = await newFolder(await server.createDatabase());
    const environment = environmentOf(divided);
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await cadastre(args, { environment });
      expect([args, code, code === 0 ? "" : stderr]).toEqual([args, 0, ""]);
      return stdout + stderr;
    };
    await run("migrate");
    const [system] = sampleSystems;
    const told = ["--name", system.name, "--states", "TX", "--prefix", system.prefix];
    expect(await run("system", "add", system.id, ...told, "--dataset", system.datasetId)).toContain(
      "version 2 of the catalog",
    );
    expect(await run("system", "list")).toMatch(/lonestar .* none$/m);
    expect(await run("system", "add", "lonestar")).toContain("needs no partitions");
    expect(await run("migrate", "--partition", "list")).toContain("dividing the tables into partitions");
    await run("migrate");
    expect(await run("system", "list")).toMatch(/lonestar .* attached$/m);
    expect(await run("system", "add", "lonestar")).toContain("has its partitions");
    const audit = (await readFile(divided.audit, "utf8")).trimEnd().split("\n");
    expect(JSON.parse(audit.at(-1) ?? "")).toMatchObject({
      action: "system.add",
      object: { id: "lonestar" },
      outcome: "done",
    });
    const unknown = await cadastre(["system", "add", "nobody"], { environment });
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining("no system is called `nobody`: there are lonestar"),
    ]);
  });

  test("the partitions of a retired system are dropped when nothing can read its records any more", async () => {
    const divided = await newFolder(await server.createDatabase());
    const environment = environmentOf(divided);
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await cadastre(args, { environment });
      return [code, stdout + stderr] as const;
    };
    await run("migrate");
    await addSampleSystems(divided);
    await run("migrate", "--partition", "list");
    const office = (datasetId: string) => ({
      resource: "Office",
      datasetId,
      record: { OfficeKey: datasetId, ModificationTimestamp: "2026-01-01T00:00:00Z" },
    });
    const [first, second] = sampleSystems;
    const withStore = async <T>(work: (store: WritableStore) => Promise<T>): Promise<T> => {
      const store = await databasesOf(divided).openListings({ threads: 0 });
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    };
    await withStore((store) => store.commit([first, second].map(({ datasetId }) => office(datasetId))));
    const retire = (...more: readonly string[]) => run("system", "retire", first.id, "--yes", ...more);
    expect(await retire("--drop")).toEqual([1, expect.stringContaining("is not retired")]);
    expect(await retire()).toEqual([0, expect.stringMatching(`^Removed \\d+ records of ${first.name}`)]);
    expect(await retire("--drop")).toEqual([1, expect.stringContaining("may still read its records")]);
    expect((await run("system", "list"))[1]).toMatch(/lonestar .* retired .* attached$/m);
    await withStore((store) => store.prune(Date.now() + 60_000));
    expect(await run("system", "retire", first.id, "--drop")).toEqual([
      1,
      expect.stringContaining("give `--yes`"),
    ]);
    expect(await retire("--drop")).toEqual([0, expect.stringContaining("Nothing is kept")]);
    expect((await run("system", "list"))[1]).toMatch(/lonestar .* retired .* absent$/m);
    expect(await retire("--drop")).toEqual([0, expect.stringContaining("Nothing is kept")]);
    expect(await run("system", "restore", first.id)).toEqual([
      1,
      expect.stringContaining("not kept any more"),
    ]);
    expect(await run("system", "restore", first.id, "--empty")).toEqual([
      0,
      expect.stringContaining("served again, with 0 records"),
    ]);
    expect((await run("system", "list"))[1]).toMatch(/lonestar .* served +attached$/m);
    expect(await withStore((store) => store.commit([office(first.datasetId)]))).toMatchObject({ written: 1 });
    expect(await withStore((store) => store.commit([office(second.datasetId)]))).toMatchObject({
      unchanged: 1,
    });
  });

  test("a user without the rights to create tables serves what the owner has created", async () => {
    const refused = await newFolder(withUser(await server.createDatabase(), "service"));
    await runSql(server.url, "create role service login", "create database owned template database_1");
    await expect(
      withDataFolder(refused.path, () => prepareListings(refused, listings, noProgress)),
    ).rejects.toThrow(/database_\d+ does not give its user the rights: .*cadastre migrate.* \(42501\)$/);
    const owned = server.url.replace(/[^/]*$/, "owned");
    const schemas = "schema cadastre, cadastre_registry";
    await runSql(
      owned,
      `grant usage on ${schemas} to service`,
      `grant select, insert, update, delete, truncate on all tables in ${schemas} to service`,
    );
    const restricted = { ...prepared, postgres: { url: withUser(owned, "service") } };
    const service = await starting(restricted);
    expect(service.isServing).toBe(true);
    await service.stop();
    const file = join(scratch, "records.jsonl");
    await writeFile(file, `${JSON.stringify({ OfficeKey: "own", OfficeName: "Own" })}\n`);
    const environment = environmentOf(restricted);
    for (const command of [
      ["ingest", "--resource", "Office", "--source", "lonestar", file],
      ["publish", "Office"],
    ]) {
      const { code, stderr } = await cadastre(command, { environment });
      expect([command, code, stderr]).toEqual([command, 0, expect.any(String)]);
    }
  });

  test.each<[string, (url: string) => string, RegExp]>([
    [
      "no server",
      (url) => url.replace(/:\d+\//, ":1/"),
      /:1\/postgres cannot be reached: .* \(ECONNREFUSED\)$/,
    ],
    [
      "no database",
      (url) => url.replace(/postgres$/, "none"),
      /\/none does not exist: create it.* \(3D000\)$/,
    ],
    ["an unknown user", (url) => withUser(url, "nobody:dont-tell"), /refuses the user: .* \(28000\)$/],
  ])("%s: the start says what to do, without the password", async (_, change, message) => {
    const folder = await newFolder(change(server.url));
    const outcome = withDataFolder(folder.path, () => prepareListings(folder, listings, noProgress));
    await expect(outcome).rejects.toThrow(message);
    await expect(outcome).rejects.not.toThrow("dont-tell");
  });

  test("a database of an earlier version is refused, and says who migrates it", async () => {
    const client = new pg.Client({ connectionString: prepared.postgres?.url });
    await client.connect();
    await client.query("begin");
    const { rows } = await client.query<{ name: string }>(
      "delete from cadastre_registry.cadastre_registry_migration where ctid in (select max(ctid) from cadastre_registry.cadastre_registry_migration) returning name",
    );
    await client.query("commit");
    try {
      await expect(starting(prepared)).rejects.toThrow(
        /database_1 is of an earlier version: make a dump, and run `cadastre migrate`/,
      );
    } finally {
      await client.query("insert into cadastre_registry.cadastre_registry_migration (name) values ($1)", [
        rows[0]?.name,
      ]);
      await client.end();
    }
  });

  test("commands work on it", async () => {
    const environment = environmentOf(prepared);
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await cadastre(args, { environment });
      expect([args, code, code === 0 ? "" : stderr]).toEqual([args, 0, ""]);
      return stdout;
    };
    expect(await run("key", "list")).toContain("national");
    expect(await run("builds", "Property")).toMatch(/\S/);
    expect(await run("gates", "Property", "--json")).toContain("evidence");
    await run("check");
    await run("migrate");
    const backup = await cadastre(["backup", join(scratch, "backup")], { environment });
    expect([backup.code, backup.stderr]).toEqual([1, expect.stringContaining("pg_dump")]);
    const sample = await cadastre(["sample"], { environment });
    expect([sample.code, sample.stderr]).toEqual([
      1,
      expect.stringContaining("has listings and was not changed"),
    ]);
  });
});
