// Cost of reading 20 records that lie anywhere in the file, by a unique key, with one bare statement of SQLite, as the table grows: what
// no store above it can do without. Pages and their cache have the sizes of the service. Prints the CPU time of this process in milliseconds
// per statement, as the median of rounds that alternate between the sizes.
//   node --conditions=@cadastre/source --import tsx packages/store/bench/random-records.ts [rows rows]
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sqlitePageSize } from "../src/sqlite/migrate.ts";
import { ownCpuTime } from "../src/testing/index.ts";

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 1_000_000];
const rounds = 5;
const statements = 5000;
const keys = 20;
/** Page cache of a reader of the service with its usual memory, in megabytes. */
const pageCache = 27;
/** Records of 64 fields, as the service stores them. */
const record = "x".repeat(2600);

/** Keys in no order, like those of most systems. */
const keyOf = (i: number): string => createHash("md5").update(String(i)).digest("hex");

function fill(file: string, size: number): void {
  const database = new Database(file);
  database.pragma(`page_size = ${sqlitePageSize}`);
  database.pragma("journal_mode = off");
  database.pragma("synchronous = off");
  database.exec("create table record (id integer primary key, key text not null, text text not null)");
  const insert = database.prepare("insert into record (key, text) values (?, ?)");
  database.transaction(() => {
    for (let i = 0; i < size; i++) insert.run(keyOf(i), record);
  })();
  database.exec("create unique index record_key on record (key)");
  database.close();
}

/** Returns a function that reads so many times, and returns the milliseconds of each. */
function reader(file: string, size: number): (times: number) => number {
  const database = new Database(file, { readonly: true });
  database.pragma(`cache_size = ${-pageCache * 1024}`);
  const places = Array.from({ length: keys }, () => "?").join(", ");
  const read = database.prepare(`select text from record where key in (${places})`).raw();
  const randomKeys = () => Array.from({ length: keys }, () => keyOf(Math.floor(Math.random() * size)));
  return (times) => {
    const asked = Array.from({ length: times }, randomKeys);
    const before = ownCpuTime();
    for (const one of asked) read.all(...one);
    return (ownCpuTime() - before) / times;
  };
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[rounds >> 1] ?? 0;

const folder = mkdtempSync(join(tmpdir(), "cadastre-bench-"));
try {
  const readers = sizes.map((size) => {
    const file = join(folder, `${size}.sqlite`);
    fill(file, size);
    return reader(file, size);
  });
  for (const read of readers) read(4 * statements);
  const taken = readers.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, read] of readers.entries()) taken[i]?.push(read(statements));
  const medians = taken.map(median);
  for (const [i, size] of sizes.entries()) console.log(`${size} records: ${medians[i]?.toFixed(3)} ms`);
  console.log(`last ÷ first: ${((medians.at(-1) ?? 0) / (medians[0] ?? 1)).toFixed(2)}`);
} finally {
  rmSync(folder, { recursive: true });
}
