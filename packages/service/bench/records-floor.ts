/*
 * Server process of the benchmarks that gives the minimal cost of a page of whole records, whose texts are in a table as they are sent. With
 * `objects` each text is parsed, and the page is written with `JSON.stringify`.
 *
 *   records-floor.js objects|json <database>
 */
import Database from "better-sqlite3";
import pg from "pg";
import { serveFloor } from "./floor-server.ts";

const [kind = "", database = ""] = process.argv.slice(2);
const statement = "select text from record order by position limit 200";

/** Returns a function that reads the texts of the page. */
function readerOf(): () => readonly string[] | Promise<readonly string[]> {
  if (!database.startsWith("postgres:")) {
    const prepared = new Database(database, { readonly: true }).prepare<[], string>(statement).pluck();
    return () => prepared.all();
  }
  const pool = new pg.Pool({ connectionString: database, max: 4 });
  return async () => {
    const { rows } = await pool.query<{ text: string }>({ name: "page", text: statement });
    return rows.map(({ text }) => text);
  };
}

const read = readerOf();
serveFloor({
  "/records": async () => {
    const texts = await read();
    if (kind === "json") return `{"value":[${texts.join(",")}]}`;
    return JSON.stringify({ value: texts.map((text) => JSON.parse(text) as unknown) });
  },
});
