import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, test } from "vitest";
import {
  backupSqlite,
  checkSqlite,
  compactSqlite,
  lockFile,
  openSqliteStore,
  pinSqlite,
} from "../src/sqlite/index.ts";
import { cottageRecord, cottageRemoval, cottagesResource } from "./support/cottages.ts";
import { askHomes, homeRecord, homeRemoval, homesResource } from "./support/homes.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-check-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (name: string) => join(folder, `${name}.sqlite`);
const resources = [homesResource];

const open = (name: string) => openSqliteStore({ file: fileOf(name), resources, threads: 0 });
const homes = (from: number, count: number, town: string) =>
  Array.from({ length: count }, (_, i) =>
    homeRecord({ key: `h${from + i}`, town, rank: i, place: i % 7 === 0 ? null : [i - 50.123, i / 3] }),
  );

/** A file with current, closed and removed records. */
async function fill(name: string): Promise<string> {
  const store = await open(name);
  await store.commit(homes(0, 120, "Austin"));
  await store.commit(homes(20, 50, "Waco"));
  await store.commit([homeRemoval("h3")]);
  await store.notes.set("note", "one");
  await store.notes.set("note", "another");
  await store.close();
  return fileOf(name);
}

/** Alters each occurrence of a text in a file by one bit: free space of a page may hold a copy of what was moved to another one. */
function flip(file: string, text: string): void {
  const bytes = readFileSync(file);
  let at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(0);
  for (; at >= 0; at = bytes.indexOf(text, at)) bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

describe("the check of a database", () => {
  test("finds nothing in what was written", async () => {
    expect(checkSqlite(await fill("whole"), resources)).toEqual([]);
  });

  test("finds nothing after commits of so many changes that they suspend the triggers", async () => {
    const store = await open("suspended");
    await store.commit([...homes(0, 1200, "Austin"), ...homes(0, 700, "Dallas")]);
    await store.commit([
      ...homes(100, 400, "Waco"),
      ...Array.from({ length: 300 }, (_, i) => homeRemoval(`h${300 + i}`)),
      ...homes(1190, 600, "Waco"),
      ...homes(1195, 20, "Tyler"),
      ...Array.from({ length: 5 }, (_, i) => homeRemoval(`h${1780 + i}`)),
    ]);
    await store.commit(homes(0, 10, "Tyler"));
    await store.close();
    const file = fileOf("suspended");
    expect(checkSqlite(file, resources)).toEqual([]);
    flip(file, '"Tyler"');
    expect(checkSqlite(file, resources)).not.toEqual([]);
  });

  test("finds nothing in a file that was rewritten, whose pages are larger and which has no free ones", async () => {
    const earlier = new Database(fileOf("compact"));
    earlier.pragma("page_size = 4096");
    earlier.exec("vacuum");
    earlier.close();
    const file = await fill("compact");
    const store = await open("compact");
    await store.commit([...homes(120, 2000, "Dallas"), ...homes(0, 100, "Tyler")]);
    await store.commit(Array.from({ length: 1500 }, (_, i) => homeRemoval(`h${50 + i}`)));
    expect(() => compactSqlite(file)).toThrow(expect.objectContaining({ code: "SQLITE_BUSY" }));
    const count = await store.count(askHomes({}));
    await store.close();
    compactSqlite(file);
    expect(checkSqlite(file, resources)).toEqual([]);
    const database = new Database(file, { readonly: true });
    const pragma = (name: string) => database.pragma(name, { simple: true });
    expect(["page_size", "freelist_count", "journal_mode"].map(pragma)).toEqual([16_384, 0, "wal"]);
    database.close();
    const again = await open("compact");
    expect(await again.count(askHomes({}))).toBe(count);
    await again.commit(homes(0, 30, "Waco"));
    await again.close();
    expect(checkSqlite(file, resources)).toEqual([]);
  });

  test("finds one bit of a value that no index holds", async () => {
    const file = await fill("bit");
    flip(file, "another");
    expect(checkSqlite(file, resources)).toEqual([
      {
        code: "altered",
        table: "cadastre_note",
        detail: "the rows of cadastre_note differ from what was written",
      },
    ]);
  });

  test("finds an altered schema", async () => {
    const file = await fill("schema");
    flip(file, 'Home_checksum_update" after');
    expect(checkSqlite(file, resources)).not.toEqual([]);
  });

  test("leaves tables of others alone, and finds nothing in what others make", async () => {
    const file = await fill("shared");
    const mine = (work: string) => {
      const database = new Database(file);
      database.exec(work);
      database.close();
    };
    const columns = Array.from({ length: 1200 }, (_, i) => `c${i}`).join(", ");
    mine(`create table remark (text); insert into remark values ('mine'); create table wide (${columns});
      create index mine on Home (Town)`);
    expect(checkSqlite(file, resources)).toEqual([]);
    await (await open("shared")).close();
    mine(
      "insert into remark values ('too'); update remark set text = 'ours'; drop index mine; drop table wide",
    );
    expect(checkSqlite(file, resources)).toEqual([]);
    mine("drop index Home_beginnings");
    expect(checkSqlite(file, resources)).toMatchObject([{ code: "altered", table: "sqlite_schema" }]);
  });

  test("finds a place that is elsewhere in the R*Tree", async () => {
    const file = await fill("misplaced");
    const database = new Database(file);
    database.exec("update Home_Place_place set west = 3, east = 3 where id = 5");
    database.close();
    expect(checkSqlite(file, resources)).toEqual([
      { code: "misplaced", table: "Home", detail: "1 rows of Home have another place in Home_Place_place" },
    ]);
  });

  const remove = "delete from Cottage_Remarks_grams where rowid = 3";
  const insert = "insert into Cottage_Remarks_grams (rowid, grams) values";
  test.each([
    ["a text without an entry in the trigram index", [remove]],
    ["an entry without a text", [`${insert} (9, '1abcd')`]],
    ["entries of another text", [remove, `${insert} (3, '1abcd')`]],
    ["an entry of another dataset", [remove, `${insert} (3, '2' || substr(?, 2))`]],
  ])("finds %s", async (name, statements) => {
    const cottages = [cottagesResource];
    const file = fileOf(`grams ${name}`);
    const store = await openSqliteStore({ file, resources: cottages, threads: 0 });
    const cottage = { dataset: 0, rank: 0, street: null };
    await store.commit(
      [null, "ab", "Sea", "A pool", "Pool"].map((remarks, i) =>
        cottageRecord({ ...cottage, key: `c${i}`, remarks }),
      ),
    );
    await store.commit([cottageRemoval({ key: "c4", dataset: 0 })]);
    await store.close();
    expect(checkSqlite(file, cottages)).toEqual([]);
    const database = new Database(file);
    database.exec("create virtual table temp.terms using fts5vocab(main, Cottage_Remarks_grams, instance)");
    const term = database.prepare("select term from temp.terms where doc = 3").pluck().get();
    database.exec("drop table temp.terms");
    for (const statement of statements)
      database.prepare(statement).run(...(statement.includes("?") ? [term] : []));
    database.close();
    expect(checkSqlite(file, cottages)).toMatchObject([
      { code: "misplaced", detail: "Cottage_Remarks_grams does not match the texts of Cottage" },
    ]);
  });

  test("finds a file that is none", () => {
    writeFileSync(fileOf("none"), "not a database ".repeat(1000));
    expect(checkSqlite(fileOf("none")).map(({ code }) => code)).toEqual(["damaged"]);
  });

  test("a file from before checksums has them once it is opened", async () => {
    const file = await fill("older");
    const database = new Database(file);
    const triggers = database
      .prepare(`select name from sqlite_schema where type = 'trigger'`)
      .pluck()
      .all() as string[];
    for (const name of triggers) database.exec(`drop trigger "${name}"`);
    database.exec("drop table cadastre_checksum");
    database.exec(`insert into cadastre_note ("key", "text") values ('remark', 'without')`);
    database.close();
    expect(checkSqlite(file, resources)).toEqual([]);
    await (await open("older")).close();
    expect(checkSqlite(file, resources)).toEqual([]);
    flip(file, "without");
    await (await open("older")).close();
    expect(checkSqlite(file, resources)).toHaveLength(1);
  });
});

describe("a backup of a database", () => {
  test("has what was there when it was pinned, whatever is written meanwhile", async () => {
    const file = await fill("source");
    const store = await open("source");
    const pinned = pinSqlite(file);
    await store.commit(homes(500, 40, "Reno"));
    const shares: number[] = [];
    await pinned.copyTo(fileOf("copy"), (share) => shares.push(share));
    pinned.close();
    await backupSqlite(file, fileOf("later"));
    await store.close();
    const count = (name: string) => {
      const database = new Database(fileOf(name), { readonly: true });
      const found = database.prepare("select count(*) from Home").pluck().get();
      database.close();
      return found;
    };
    expect([count("copy"), count("later")]).toEqual([119, 159]);
    for (const name of ["copy", "later"]) expect(checkSqlite(fileOf(name), resources)).toEqual([]);
    expect(shares.length).toBeGreaterThan(0);
  });
});

describe("a lock", () => {
  test("is shared by many, or held by one", () => {
    const file = join(folder, "lock");
    const [one, other] = [lockFile(file, "shared"), lockFile(file, "shared")];
    expect(lockFile(file, "exclusive")).toBeUndefined();
    one?.release();
    expect(lockFile(file, "exclusive")).toBeUndefined();
    other?.release();
    const alone = lockFile(file, "exclusive");
    expect(alone).toBeDefined();
    expect([lockFile(file, "shared"), lockFile(file, "exclusive")]).toEqual([undefined, undefined]);
    alone?.release();
    lockFile(file, "shared")?.release();
  });
});
