import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { registerChecksum } from "../../src/checksum/checksums.ts";
import { openSqliteRegistry, openSqliteRegistryAudit } from "../../src/registry/index.ts";
import { registrySteps } from "../../src/registry/registry-tables.ts";
import { checkSqlite } from "../../src/sqlite/index.ts";
import { conformance } from "./conformance.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-registry-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (name: string) => join(folder, `${name}.sqlite`);

conformance(
  "SQLite",
  (name) => openSqliteRegistry({ file: fileOf(name) }),
  async (name) => openSqliteRegistryAudit(fileOf(name)),
);

test("the file is its owner's alone", async () => {
  const registry = await openSqliteRegistry({ file: fileOf("own") });
  await registry.entitlements.install({ customer: "acme", version: 1, jws: "a", installed: 0 });
  for (const suffix of ["", "-wal"]) expect(statSync(fileOf("own") + suffix).mode & 0o777).toBe(0o600);
  await registry.close();
});

test("a file that is none is unavailable", async () => {
  writeFileSync(fileOf("none"), "not a database ".repeat(1000));
  const opening = openSqliteRegistry({ file: fileOf("none") });
  await expect(opening).rejects.toMatchObject({ code: "registry_unavailable" });
  await expect(opening).rejects.toThrow("SQLITE_NOTADB");
});

test("what another process locks is read, and is unavailable for writing after the wait", async () => {
  const registry = await openSqliteRegistry({ file: fileOf("locked"), wait: 20 });
  const other = new Database(fileOf("locked"));
  other.exec("begin immediate");
  expect(await registry.keys.list()).toEqual([]);
  const writing = registry.entitlements.install({ customer: "acme", version: 1, jws: "a", installed: 0 });
  await expect(writing).rejects.toMatchObject({ code: "registry_unavailable" });
  await expect(writing).rejects.toThrow(/: SQLITE_BUSY$/);
  other.exec("rollback");
  expect(await registry.entitlements.list()).toEqual([]);
  other.close();
  await registry.close();
});

test("an error of the caller's copy before a migration is thrown as it is, and nothing is migrated", async () => {
  const file = fileOf("older");
  await (await openSqliteRegistry({ file })).close();
  const database = new Database(file);
  registerChecksum(database);
  const { listedIn } = registrySteps;
  const steps = database.prepare(`select name from ${listedIn} order by name`).pluck().all();
  database.prepare(`delete from ${listedIn} where name = ?`).run(steps.at(-1));
  const left = () => database.prepare(`select count(*) from ${listedIn}`).pluck().get();
  const full = new TypeError("the disk is full");
  const before = () => Promise.reject(full);
  await expect(openSqliteRegistry({ file, migration: { before } })).rejects.toBe(full);
  expect(left()).toBe(steps.length - 1);
  database.close();
  rmSync(file);
});

// The last test: it reads what those before it have left.
test("every database of these tests passes the check: each statement keeps the checksums", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".sqlite") && name !== "none.sqlite");
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) expect([file, checkSqlite(join(folder, file))]).toEqual([file, []]);
});
