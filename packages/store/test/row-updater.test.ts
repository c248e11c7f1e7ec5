import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { checkSqlite, openSqliteStore } from "../src/sqlite/index.ts";
import { homeRecord, homesResource } from "./support/homes.ts";

const towns = [null, "Austin", "Dallas"] as const;
const places = [null, [-97.7, 30.2], [-96.8, 32.7]] as const;

/** One home for each combination of values, in an order that differs by round. */
const homes = (round: number) =>
  Array.from({ length: 36 }, (_, i) => {
    const chosen = (i + round * 7) % 36;
    return homeRecord({
      key: `h${i}`,
      rank: [0, 1, -5, 2][chosen % 4] ?? 0,
      town: towns[Math.trunc(chosen / 4) % 3] ?? null,
      place: places[Math.trunc(chosen / 12)] ?? null,
    });
  });

test("rows that were updated column by column are those that were written whole", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-updates-"));
  const resources = [homesResource];
  /** Commits the rounds, and returns the columns of all rows. */
  const rowsAfter = async (name: string, rounds: readonly number[]) => {
    const file = join(folder, `${name}.sqlite`);
    const store = await openSqliteStore({ file, resources, threads: 0 });
    for (const round of rounds) await store.commit(homes(round));
    await store.close();
    expect(checkSqlite(file, resources)).toEqual([]);
    const database = new Database(file, { readonly: true });
    const rows = database.prepare(`select * from "Home" order by "HomeKey"`).all() as Record<
      string,
      unknown
    >[];
    database.close();
    return rows.map((row) => ({ ...row, cadastre_from: undefined }));
  };
  try {
    expect(await rowsAfter("updated", [0, 1, 2, 3])).toEqual(await rowsAfter("written", [3]));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
