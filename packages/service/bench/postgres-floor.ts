/*
 * Server process of the benchmarks that gives the minimal cost of the queries on PostgreSQL: one named statement of `pg` per query behind
 * node:http, whose answer the database builds as JSON text.
 *
 *   postgres-floor.js <url>
 */
import pg from "pg";
import { byTime, collection, type Found, pageSize, serveFloor, walked } from "./floor-server.ts";

const [url = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 4 });

type Row = Readonly<Record<string, string | null>>;

async function read(name: string, text: string, ...values: readonly string[]): Promise<Row> {
  const { rows } = await pool.query<Row>({ name, text, values: [...values] });
  return rows[0] ?? {};
}

/** Returns a statement for a page. `tail` is its text from `from` on. */
const pageOf = (tail: string) => `select json_agg(page)::text as text,
  (array_agg("ModificationTimestamp"))[${pageSize}] as "ModificationTimestamp", (array_agg("ListingKey"))[${pageSize}] as "ListingKey"
  from (select * ${tail}) as page`;
const found = ({ text, ...last }: Row): Found => ({
  text: text ?? "[]",
  last: last["ListingKey"] === null ? undefined : last,
});

const isActive = `"StandardStatus" = 'Active' and "ListPrice" >= $1::numeric`;
const statements = {
  key: `select row_to_json(listing)::text as text from listing where "ListingKey" = $1`,
  search: pageOf(
    `from listing where ${isActive} and "ListPrice" <= $2::numeric and "BedroomsTotal" >= 3
     order by "ModificationTimestamp" desc, "ListingKey" limit 100`,
  ),
  page: pageOf(`from listing ${byTime} limit ${pageSize}`),
  next: pageOf(
    `from listing where ("ModificationTimestamp", "ListingKey") > ($1, $2) ${byTime} limit ${pageSize}`,
  ),
  first: pageOf(`from listing where ${isActive} ${byTime} limit 20`),
  count: `select count(*)::text as text from listing where ${isActive}`,
};
const ask = (name: keyof typeof statements, ...values: readonly string[]) =>
  read(name, statements[name], ...values);

serveFloor({
  "/key": async (key) => (await ask("key", key))["text"] ?? "",
  "/search": async (least, most) => collection(found(await ask("search", least, most))),
  "/page": async () => collection(found(await ask("page"))),
  "/count": async (least) => {
    const [page, count] = await Promise.all([ask("first", least), ask("count", least)]);
    return collection(found(page), `,"@odata.count":${count["text"]}`);
  },
  "/walk": async () => walked(found(await ask("page"))),
  "/next": async (time, key) => walked(found(await ask("next", time, key))),
});
