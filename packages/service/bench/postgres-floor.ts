/*
 * Server process of the benchmarks that gives the minimal cost of the queries on PostgreSQL: one named statement of `pg` per query behind
 * node:http. With `json` the database builds the answer as JSON text; with `objects` rows are read as objects and written with
 * `JSON.stringify`.
 *
 *   postgres-floor.js objects|json <url>
 */
import pg from "pg";
import { byTime, collection, type Found, pageSize, serveFloor, walked } from "./floor-server.ts";

const [kind = "", url = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 4 });

type Row = Readonly<Record<string, unknown>>;
type Named = { readonly name: string; readonly text: string };
type Reader = (statement: Named, values: readonly string[]) => Promise<Found>;

const lastOf = (rows: readonly Row[]) => (rows.length < pageSize ? undefined : rows.at(-1));

/** Reads rows as objects. Decimals are numbers, as in the answers. */
const objects: Reader = async ({ name, text }, values) => {
  const { rows } = await pool.query<Row>({ name, text, values: [...values] });
  return { text: JSON.stringify(rows), last: lastOf(rows) };
};

/** Lets PostgreSQL build the JSON text. */
const json: Reader = async ({ name, text }, values) => {
  const page = `select json_agg(page)::text as text, (array_agg("ModificationTimestamp"))[${pageSize}] as "ModificationTimestamp",
    (array_agg("ListingKey"))[${pageSize}] as "ListingKey" from (${text}) as page`;
  const { rows } = await pool.query<Row>({ name, text: page, values: [...values] });
  const { text: found, ...last } = rows[0] ?? {};
  return {
    text: typeof found === "string" ? found : "[]",
    last: (last["ListingKey"] ?? null) === null ? undefined : last,
  };
};

if (kind === "objects") pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
const read = kind === "objects" ? objects : json;

const isActive = `"StandardStatus" = 'Active' and "ListPrice" >= $1::numeric`;
const statements = {
  key: `select * from listing where "ListingKey" = $1`,
  search: `select * from listing where ${isActive} and "ListPrice" <= $2::numeric and "BedroomsTotal" >= 3
     order by "ModificationTimestamp" desc, "ListingKey" limit 100`,
  page: `select * from listing ${byTime} limit ${pageSize}`,
  next: `select * from listing where ("ModificationTimestamp", "ListingKey") > ($1, $2) ${byTime} limit ${pageSize}`,
  first: `select * from listing where ${isActive} ${byTime} limit 20`,
  city: `select * from listing where "City" = $1 and "ListPrice" >= $2::numeric ${byTime} limit 20`,
};
const ask = (name: keyof typeof statements, ...values: readonly string[]) =>
  read({ name, text: statements[name] }, values);
const count = async (least: string) => {
  const text = `select count(*)::text as count from listing where ${isActive}`;
  const { rows } = await pool.query<{ count: string }>({ name: "count", text, values: [least] });
  return rows[0]?.count ?? "";
};
/** One statement without aggregation is the least that a record costs. */
const keyAsJson = async (key: string) => {
  const text = `select row_to_json(listing)::text as text from listing where "ListingKey" = $1`;
  const { rows } = await pool.query<{ text: string }>({ name: "key", text, values: [key] });
  return rows[0]?.text ?? "";
};

serveFloor({
  "/key": async (key) => (kind === "objects" ? (await ask("key", key)).text.slice(1, -1) : keyAsJson(key)),
  "/search": async (least, most) => collection(await ask("search", least, most)),
  "/page": async () => collection(await ask("page")),
  "/count": async (least) => {
    const [page, counted] = await Promise.all([ask("first", least), count(least)]);
    return collection(page, `,"@odata.count":${counted}`);
  },
  "/city": async (city, least) => collection(await ask("city", city, least)),
  "/walk": async () => walked(await ask("page")),
  "/next": async (time, key) => walked(await ask("next", time, key)),
});
