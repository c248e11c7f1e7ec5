/*
 * Server process of the benchmarks that gives the minimal cost of the queries ("floor"): one prepared better-sqlite3 statement per query
 * behind node:http, without parsing, entitlements or error handling.
 *
 *   floor.js objects|json <file>
 */
import Database from "better-sqlite3";
import { byTime, collection, type Found, pageSize, serveFloor, walked } from "./floor-server.ts";
import { columns, isBoolean } from "./listing-columns.ts";

const [kind = "", file = ""] = process.argv.slice(2);
const database = new Database(file, { readonly: true });

type Row = Record<string, unknown>;

const quoted = (name: string) => `"${name}"`;
const member = (column: string) =>
  isBoolean(column)
    ? `json(case ${quoted(column)} when 1 then 'true' when 0 then 'false' end)`
    : quoted(column);
const booleans = columns.filter(isBoolean);

/** Prepares a statement. `tail` is its text from `from` on. */
type Reader = (tail: string) => (...values: readonly unknown[]) => Found;

const lastOf = <T>(records: readonly T[]) => (records.length < pageSize ? undefined : records.at(-1));

/** Reads rows as objects, and writes them with `JSON.stringify`. */
const objects: Reader = (tail) => {
  const statement = database.prepare<unknown[], Row>(`select ${columns.map(quoted).join(", ")} ${tail}`);
  return (...values) => {
    const rows = statement.all(...values);
    for (const row of rows) {
      for (const column of booleans) if (row[column] !== null) row[column] = row[column] === 1;
    }
    return { text: JSON.stringify(rows), last: lastOf(rows) };
  };
};

/** Lets SQLite build the JSON text. */
const json: Reader = (tail) => {
  const members = columns.map((column) => `'${column}', ${member(column)}`);
  const statement = database
    .prepare<unknown[], string>(`select json_object(${members.join(", ")}) ${tail}`)
    .pluck();
  return (...values) => {
    const texts = statement.all(...values);
    const last = lastOf(texts);
    return { text: `[${texts.join(",")}]`, last: last === undefined ? last : (JSON.parse(last) as Row) };
  };
};

const reader = kind === "json" ? json : objects;
const read = {
  key: reader(`from listing where "ListingKey" = ?`),
  search: reader(
    `from listing indexed by listing_0 where "StandardStatus" = 'Active' and "ListPrice" >= ? and "ListPrice" <= ?
     and "BedroomsTotal" >= 3 order by "ModificationTimestamp" desc, "ListingKey" limit 100`,
  ),
  page: reader(`from listing ${byTime} limit ${pageSize}`),
  next: reader(
    `from listing where ("ModificationTimestamp", "ListingKey") > (?, ?) ${byTime} limit ${pageSize}`,
  ),
  first: reader(
    `from listing indexed by listing_0 where "StandardStatus" = 'Active' and "ListPrice" >= ? ${byTime} limit 20`,
  ),
  city: reader(`from listing indexed by listing_3 where "City" = ? and "ListPrice" >= ? ${byTime} limit 20`),
};
const count = database
  .prepare<unknown[], number>(
    `select count(*) from listing where "StandardStatus" = 'Active' and "ListPrice" >= ?`,
  )
  .pluck();

serveFloor({
  "/key": (key) => read.key(key).text.slice(1, -1),
  "/search": (least, most) => collection(read.search(Number(least), Number(most))),
  "/page": () => collection(read.page()),
  "/count": (least) => collection(read.first(Number(least)), `,"@odata.count":${count.get(Number(least))}`),
  "/city": (city, least) => collection(read.city(city, Number(least))),
  "/walk": () => walked(read.page()),
  "/next": (time, key) => walked(read.next(time, key)),
});
