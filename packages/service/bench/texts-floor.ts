/*
 * Process of the benchmarks with the minimal cost of keeping records: their texts in one table of SQLite.
 *
 *   texts-floor.js market <file> <listings>        generates a sample market
 *   texts-floor.js parse <file> <Common Format>    parses a file
 */
import { readFileSync } from "node:fs";
import { generateMarket } from "@cadastre/sample";
import Database from "better-sqlite3";

const [source = "", file = "", given = ""] = process.argv.slice(2);

function* market(): Generator<unknown> {
  for (const { property, media } of generateMarket({
    seed: 1,
    listings: Number(given),
  }).listingsWithMedia()) {
    yield property;
    yield* media;
  }
}

const parsed = () =>
  (JSON.parse(readFileSync(given, "utf8")) as { readonly value: readonly unknown[] }).value;

const database = new Database(file);
database.pragma("journal_mode = wal");
database.exec("create table record (text text not null)");
const insert = database.prepare("insert into record values (?)");
database.transaction((records: Iterable<unknown>) => {
  for (const record of records) insert.run(JSON.stringify(record));
})(source === "market" ? market() : parsed());
database.close();
