import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeBackup } from "../../src/backup/backup.ts";
import { restoreBackup, verifyBackup } from "../../src/backup/restore.ts";
import { checkFolder } from "../../src/check/check.ts";
import { type Config, readConfig } from "../../src/config.ts";
import { DataError } from "../../src/data/data-error.ts";
import { type DataFolder, dataFolderAt } from "../../src/data/data-folder.ts";
import { startService } from "../../src/service.ts";
import { ask } from "../support/ask.ts";
import { customerOf } from "../support/deliveries.ts";
import { flipBit } from "../support/flip-bit.ts";
import { run } from "../support/running.ts";

/*
 * Flips single bits of a data folder. Every one that changes a value, the schema or a part is found. The others lie in bytes that hold
 * nothing, which SQLite leaves in its pages: the test compares all values with those before.
 */

const flips = Number(process.env["CASES"] ?? 6);
/** Flips over which a service is started. */
const starts = Math.ceil(flips / 4);
const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** Numbers from 0 to 1, always the same for a seed (mulberry32). */
function randomOf(state: number): () => number {
  let at = state;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let t = Math.imul(at ^ (at >>> 15), 1 | at);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
const random = randomOf(seed);
const below = (end: number) => Math.floor(random() * end);

let scratch: string;
let apiKey: string;
let folder: DataFolder;
let config: Config;
let parts: readonly string[];
let backup: string;

const filesIn = async (path: string): Promise<readonly string[]> =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "cadastre-rot-"));
  backup = join(scratch, "backup");
  const running = await run({ CADASTRE_LISTINGS: "20" });
  apiKey = running.key("national");
  const customer = customerOf(running);
  for (const domain of ["listing", "property"]) await customer.created({ domain }).then(customer.finished);
  await makeBackup(running, backup);
  await running.stop();
  config = readConfig({ CADASTRE_DATA: join(scratch, "data"), PORT: "0" });
  folder = dataFolderAt(config.dataFolder);
  await restoreBackup(backup, config);
  parts = await filesIn(join(folder.exports, "parts"));
  expect(parts.length).toBeGreaterThan(2);
}, 120_000);
afterAll(() => rm(scratch, { recursive: true, force: true }));

async function isFound(): Promise<boolean> {
  for await (const _ of checkFolder(folder, config)) return true;
  return false;
}

/** Hash of every value in a database, of its schema and of what its virtual tables answer. */
function contentOf(file: string): string {
  const database = new Database(file, { readonly: true });
  const contentsOf = (table: string) => {
    const rows = database.prepare(`select * from "${table}"`).raw().safeIntegers().all() as unknown[][];
    const texts = rows.map((row) => row.map((value) => `${typeof value} ${String(value)}`).join("\0"));
    return texts.toSorted().join("\n");
  };
  const hash = createHash("sha256");
  try {
    registerFunctions(database);
    const tables = database
      .prepare(`select name, type, sql from sqlite_schema where name not like 'sqlite_stat%' order by name`)
      .all() as { name: string; type: string; sql: string | null }[];
    hash.update(JSON.stringify(tables));
    for (const { name, type } of tables) {
      if (type !== "table" || /_(node|parent|rowid)$|_grams_\w+$/.test(name)) continue;
      hash.update(`${name} ${contentsOf(name)}`);
      if (!name.endsWith("_grams")) continue;
      database.exec(`create virtual table temp.entries using fts5vocab(main, "${name}", instance)`);
      hash.update(contentsOf("entries"));
      database.exec("drop table temp.entries");
    }
  } finally {
    database.close();
  }
  return hash.digest("hex");
}

/** Does `work` while one bit of a file is another one. */
async function withFlip<T>(file: string, work: () => Promise<T>): Promise<T> {
  const at = below((await stat(file)).size);
  const bit = below(8);
  await flipBit(file, at, bit);
  try {
    return await work();
  } finally {
    await flipBit(file, at, bit);
  }
}

test("a folder that was restored has no finding", async () => {
  expect(await isFound()).toBe(false);
});

const sets = ["Property", "Member", "Office", "OpenHouse", "Media", "Lookup", "PublicRecord"];

const targetOf = (set: string) => `${set}?$top=1000`;

const log = pino({ level: "silent" });

/**
 * Answers of a service over the folder that does not check its databases: each set, its count, listings by their keys, and more. Undefined
 * if it does not start.
 */
async function answersOf(
  keys: readonly string[],
  more: readonly string[] = [],
): Promise<ReadonlyMap<string, string> | undefined> {
  const service = await startService({ ...config, checkHours: 0 }, folder, log).catch(() => undefined);
  if (service === undefined) return undefined;
  try {
    const answers = new Map<string, string>();
    const targets = [
      ...sets.flatMap((set) => [targetOf(set), `${set}/$count`]),
      ...keys.map((key) => `Property('${key}')`),
      ...more,
    ];
    for (const target of targets) {
      const { status, text } = await ask(service.baseUrl, `/reso/odata/${target}`, { "x-api-key": apiKey });
      const plain = text.replaceAll(service.baseUrl, "").replace(/(skiptoken=)[^"]*/, "$1");
      answers.set(target, `${status} ${plain}`);
    }
    return answers;
  } finally {
    await service.stop();
  }
}

/** The records of an answer by their keys. */
function recordsIn(answer = ""): ReadonlyMap<string, object> {
  if (!answer.startsWith("200 {")) return new Map();
  const body = JSON.parse(answer.slice(4)) as { readonly value?: readonly object[] };
  const keyOf = (record: object) =>
    String(Object.entries(record).find(([name]) => name.endsWith("Key"))?.[1]);
  return new Map((body.value ?? [body]).map((record) => [keyOf(record), record]));
}

describe(`of ${flips} random flips each (SEED=${seed})`, () => {
  test.each(["database", "registry"] as const)(
    "every one in the %s that changes anything is found",
    async (name) => {
      const file = folder[name];
      const before = contentOf(file);
      let unused = 0;
      for (let i = 0; i < flips; i++)
        await withFlip(file, async () => {
          if (await isFound()) return;
          unused++;
          expect(contentOf(file)).toBe(before);
        });
      expect(await isFound()).toBe(false);
      console.info(
        `${name}: ${flips - unused} of ${flips} flips found, ${unused} in bytes that hold nothing`,
      );
    },
    3_600_000,
  );

  test("a service that one in the database has reached does not start, and without a check serves no changed record", async () => {
    const keys = recordsIn((await answersOf([]))?.get(targetOf("Property"))).keys();
    const good = (await answersOf([...keys])) ?? new Map<string, string>();
    // Where a page lacks a record, one of the next page follows.
    const nextPages = sets.flatMap((set) =>
      [1000, 2000, 3000, 4000].map((skip) => `${targetOf(set)}&$skip=${skip}`),
    );
    const nameOf = (target: string, key: string) => `${target.replace(/[?].*/, "")} ${key}`;
    const records = new Map(
      [...good, ...((await answersOf([], nextPages)) ?? [])].flatMap(([target, answer]) =>
        [...recordsIn(answer)].map(([key, record]) => [nameOf(target, key), record] as const),
      ),
    );
    const counts = { refused: 0, failed: 0, incomplete: 0, same: 0 };
    for (let i = 0; i < starts; i++)
      await withFlip(folder.database, async () => {
        const answers = await answersOf([...keys]);
        if (answers === undefined) return void counts.refused++;
        const others = [...answers].filter(([target, answer]) => answer !== good.get(target));
        const wrong = others.filter(([, answer]) => !answer.startsWith("500 "));
        for (const [target, answer] of wrong)
          for (const [key, record] of recordsIn(answer))
            expect([target, record]).toEqual([target, records.get(nameOf(target, key))]);
        if (others.length === 0) counts.same++;
        else if (wrong.length === 0) counts.failed++;
        else {
          // An index has lost a record, or holds one at a wrong place.
          counts.incomplete++;
        }
        if (others.length > 0) await expect(startService(config, folder, log)).rejects.toThrow(DataError);
      });
    console.info(`answers over ${starts} flips: ${JSON.stringify(counts)}`);
  }, 3_600_000);

  test("every one in a part is found", async () => {
    for (let i = 0; i < flips; i++) {
      const found = await withFlip(parts[below(parts.length)] ?? "", isFound);
      expect(found).toBe(true);
    }
  }, 3_600_000);

  test("every one in a backup is found", async () => {
    const files = await filesIn(backup);
    for (let i = 0; i < flips; i++) {
      const file = files[below(files.length)] ?? "";
      const verified = await withFlip(file, () =>
        verifyBackup(backup).then(
          () => file,
          () => undefined,
        ),
      );
      expect(verified).toBeUndefined();
    }
  }, 3_600_000);
});
