import { afterAll, describe, expect, test } from "vitest";
import { bindQuery, parseFilter, parseSearch } from "../../src/index.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import { type Homes, homes, openPostgresHomes, openSqliteHomes, searchable } from "../support/homes.ts";

const sqlite = openSqliteHomes();
const postgres = hasPostgres ? await openPostgresHomes() : undefined;

afterAll(async () => {
  await sqlite.close();
  await postgres?.close();
});

const engines: readonly (readonly [
  name: string,
  engine: Homes | undefined,
  served: (index: string) => RegExp,
])[] = [
  ["SQLite", sqlite, (index) => new RegExp(`SEARCH home USING (COVERING )?INDEX ${index} \\(`)],
  // A range or an equality of the index, not a scan of all of it.
  [
    "PostgreSQL",
    postgres,
    (index) => new RegExp(`(Index Scan using|Bitmap Index Scan on) "?${index}"?.*\\n +Index Cond:`),
  ],
];

describe.each(engines)("%s is served by an index", (name, engine, served) => {
  if (engine === undefined) return test.skip("no server is installed");

  test.each([
    ["startswith(Title,'Sea')", false, "title"],
    ["Title eq 'SEA'", true, "folded title"],
    ["Title in ('SEA','View')", true, "folded title"],
    ["startswith(Title,'SeA')", true, "folded title"],
    ["Remarks eq 'SEA'", true, "folded remarks"],
    ["Remarks in ('SEA','View')", true, "folded remarks"],
    ["startswith(Remarks,'SeA')", true, "folded remarks"],
  ])("for %s, ignoring case: %s", async (text, ignoreCase, index) => {
    const query = bindQuery({ filter: parseFilter(text), top: 5 }, homes, [], { ignoreCase });
    expect(await engine.plan(query, "indexed")).toMatch(served(index));
  });

  test.each(["sea", '"sea view"', "sea NOT view", "sea (pool OR blue)"])("for `$search=%s`", async (text) => {
    const query = bindQuery({ search: parseSearch(text), top: 5 }, homes, [], { searchable });
    const plan = await engine.plan(query, "indexed");
    expect(plan).toMatch(
      name === "SQLite"
        ? /SEARCH home USING INTEGER PRIMARY KEY[\s\S]*SCAN home words VIRTUAL TABLE INDEX/
        : /Bitmap Index Scan on "home words".*\n +Index Cond/,
    );
  });
});
