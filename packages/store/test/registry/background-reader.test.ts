import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { openSqliteRegistry } from "../../src/registry/index.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-registry-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Counts to a number, row by row. */
const counting = `with recursive n (i) as (select 1 union all select i + 1 from n where i < :v1) select count(*) as "a:b" from n`;

test("what reads much does not block the event loop, sees what was committed, and tells its faults", async () => {
  const registry = await openSqliteRegistry({ file: join(folder, "registry.sqlite") });
  const { background } = registry.database;
  await registry.entitlements.install({ customer: "acme", version: 1, jws: "a", installed: 0 });
  const customers = 'select "name" from "cadastre_customer" where "name" = :v1';
  expect(await background.raw(customers, { v1: "acme" })).toEqual([{ name: "acme" }]);

  let isDone = false;
  let turns = 0;
  const counted = Promise.resolve(background.raw(counting.replace("a:b", "a\\:b"), { v1: 1_000_000 }));
  const ended = counted.finally(() => {
    isDone = true;
  });
  for (; !isDone; turns++) await setImmediate();
  expect(await ended).toEqual([{ "a:b": 1_000_000 }]);
  expect(turns).toBeGreaterThan(10);

  await expect(background.raw("select", {})).rejects.toMatchObject({ code: "SQLITE_ERROR" });
  await expect(background.raw("delete from cadastre_customer", {})).rejects.toThrow();
  expect(await background.raw(customers, { v1: "acme" })).toHaveLength(1);

  const lost = Promise.resolve(background.raw(counting, { v1: 3_000_000 }));
  const failed = expect(lost).rejects.toThrow("has ended");
  await registry.close();
  await failed;
});
