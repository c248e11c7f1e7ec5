import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteRegistryAudit } from "@cadastre/store/registry";
import { checkSqlite } from "@cadastre/store/sqlite";
import { afterAll, expect, test } from "vitest";
import { auditDeliveries } from "../../src/index.ts";
import { openSqliteTestRegistry } from "../../src/testing/registry.ts";
import { conformance } from "./conformance.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-deliveries-"));
afterAll(() => rmSync(folder, { recursive: true }));

conformance("SQLite", (name) => openSqliteTestRegistry({ file: join(folder, `${name}.sqlite`) }));

test("an audit of a registry without deliveries is empty", async () => {
  const file = join(folder, "empty.sqlite");
  await openSqliteTestRegistry({ file }).then(({ close }) => close());
  const registry = openSqliteRegistryAudit(file);
  const audit = auditDeliveries(registry);
  for (const items of [audit.parts(), audit.manifests(), audit.encryptedTexts()])
    expect(await items[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
  expect(await audit.knowsBytes("00")).toBe(false);
  await registry.close();
});

// The last test: it reads what those before it have left.
test("every database of these tests passes the check: each statement keeps the checksums", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".sqlite"));
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) expect([file, checkSqlite(join(folder, file))]).toEqual([file, []]);
});
