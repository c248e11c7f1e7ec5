import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cadastre } from "./support/cli.ts";

if (!hasPostgres) console.warn("no PostgreSQL server is installed: cadastre doctor is not tested on one");

type Finding = {
  readonly check: string;
  readonly state: string;
  readonly says: string;
  readonly remedy?: string;
};

describe.skipIf(!hasPostgres)("cadastre doctor on PostgreSQL", () => {
  const password = "Hidden-9d41";
  let server: PostgresServer;
  let scratch: string;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    scratch = await mkdtemp(join(tmpdir(), "cadastre-doctor-"));
    url = await server.createDatabase();
    const key = join(scratch, "elsewhere", "key.json");
    const place = ["--data", join(scratch, "data"), "--issuer-key", key, "--database-url", url];
    const systems = ["--systems", "mymls:My MLS:TX"];
    const { code, stderr } = await cadastre(["init", ...config(), "--yes", ...place, ...systems]);
    expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
    await sql(
      `create role stranger login password '${password}'; create role cadastre_owner;
      create role cadastre_service login; create role cadastre_worker login; create role cadastre_reader login`,
    );
    const rolesFile = join(scratch, "roles.sql");
    await writeFile(rolesFile, (await cadastre(["init", "roles"])).stdout);
    server.run("psql", "-X", "-q", "-d", url, "-f", rolesFile);
    // Only this role has a password to be wrong.
    const [{ file }] = (await sql("select current_setting('hba_file') as file")) as [{ file: string }];
    const rules = await readFile(file, "utf8");
    await writeFile(file, `host all locked all scram-sha-256\n${rules}`);
    await sql(`create role locked login password '${password}'; select pg_reload_conf()`);
  });
  afterAll(async () => {
    await server.stop();
    await rm(scratch, { recursive: true, force: true });
  });

  const config = () => ["--config", join(scratch, "cadastre.yaml")];
  async function sql(text: string): Promise<readonly unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Readonly<Record<string, unknown>>>(text)).rows;
    } finally {
      await client.end();
    }
  }
  const addressOf = (change: (address: URL) => void): string => {
    const address = new URL(url);
    change(address);
    return address.href;
  };
  const as = (user: string, secret = "") =>
    addressOf((address) => Object.assign(address, { username: user, password: secret }));

  async function doctor(address?: string) {
    const environment = address === undefined ? {} : { CADASTRE_DATABASE_URL: address };
    const { code, stdout, stderr } = await cadastre(["doctor", ...config(), "--json"], { environment });
    expect(stdout + stderr).not.toContain(password);
    const findings = JSON.parse(stdout) as readonly Finding[];
    return { code, findings, toMend: findings.filter(({ state }) => state === "mend") };
  }
  const matching = (says: RegExp, remedy: RegExp) => ({
    says: expect.stringMatching(says) as string,
    remedy: expect.stringMatching(remedy) as string,
  });

  test("finds nothing to mend for an owner, and warns of its rights", async () => {
    const { code, findings, toMend } = await doctor();
    expect([code, toMend]).toEqual([0, []]);
    expect(findings).toContainEqual({
      check: "roles",
      state: "warn",
      ...matching(/may change tables, and is a superuser/, /cadastre init roles/),
    });
  });

  test("finds nothing to mend, and nothing to warn of, as cadastre_service", async () => {
    const { code, findings, toMend } = await doctor(as("cadastre_service"));
    expect([code, toMend]).toEqual([0, []]);
    const says = "cadastre_service may read and write rows alone";
    expect(findings).toContainEqual({ check: "roles", state: "ok", says });
  });

  test("finds nothing to mend as cadastre_worker, and says what it may not see", async () => {
    const { code, findings, toMend } = await doctor(as("cadastre_worker"));
    expect([code, toMend]).toEqual([0, []]);
    expect(findings).toContainEqual({
      check: "keys",
      state: "warn",
      ...matching(/may not read the API keys/, /cadastre_service/),
    });
    expect(findings.filter(({ says }) => says.includes("may not read the API keys"))).toHaveLength(1);
  });

  test("tells which tables a role may not write, as after an upgrade without new grants", async () => {
    await sql("revoke insert, update, delete on cadastre_registry.cadastre_worker from cadastre_worker");
    try {
      const { toMend } = await doctor(as("cadastre_worker"));
      const found = matching(/^cadastre_worker may not write cadastre_worker$/, /init roles/);
      expect(toMend).toEqual([{ check: "roles", state: "mend", ...found }]);
    } finally {
      await sql("grant insert, update, delete on cadastre_registry.cadastre_worker to cadastre_worker");
    }
  });

  test.each<[string, () => string, RegExp, RegExp?]>([
    [
      "a server that cannot be reached",
      () => addressOf((address) => Object.assign(address, { port: "1", username: "locked", password })),
      /cannot be reached: .*\(ECONNREFUSED\)/,
    ],
    [
      "a wrong password",
      () => as("locked", `${password}-wrong`),
      /refuses the password: correct CADASTRE_DATABASE_URL \(28P01\)/,
    ],
    [
      "a database that does not exist",
      () => addressOf((address) => Object.assign(address, { pathname: "/nowhere" })),
      /does not exist: create it/,
    ],
    ["a user without rights", () => as("stranger", password), /does not give its user the rights/],
    ["the role of readers", () => as("cadastre_reader"), /does not give its user the rights/],
  ])("tells of %s, and prints no password", async (_, address, says, remedy = /./) => {
    const { code, toMend } = await doctor(address());
    expect(code).toBe(1);
    expect(toMend).toContainEqual({ check: "registry", state: "mend", ...matching(says, remedy) });
  });

  test.each([
    [
      "an older registry",
      "registry",
      "delete from cadastre_registry.cadastre_registry_migration where name = '016_workers'",
      "insert into cadastre_registry.cadastre_registry_migration (name) values ('016_workers')",
      /is of an earlier version: .*cadastre migrate/,
    ],
    [
      "a newer registry",
      "registry",
      "insert into cadastre_registry.cadastre_registry_migration (name) values ('999_next')",
      "delete from cadastre_registry.cadastre_registry_migration where name = '999_next'",
      /was migrated by a later version/,
    ],
    [
      "newer listings",
      "listings",
      "insert into cadastre.cadastre_migration (name) values ('999_next')",
      "delete from cadastre.cadastre_migration where name = '999_next'",
      /was migrated by a later version/,
    ],
  ] as const)("tells of %s", async (_, check, spoil, mend, says) => {
    await sql(spoil);
    try {
      const { code, toMend } = await doctor(as("cadastre_service"));
      expect(code).toBe(1);
      expect(toMend).toContainEqual({ check, state: "mend", ...matching(says, /./) });
    } finally {
      await sql(mend);
    }
  });
});
