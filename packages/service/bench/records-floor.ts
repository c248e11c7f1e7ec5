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
const tail = "from record order by position limit 200";

/** Returns a function that reads the texts of the page, as bytes where the driver has no need to decode them. */
function readerOf(): () => readonly (Buffer | string)[] | Promise<readonly string[]> {
  if (!database.startsWith("postgres:")) {
    const file = new Database(database, { readonly: true });
    const prepared = file.prepare<[], Buffer>(`select cast(text as blob) ${tail}`).pluck();
    return () => prepared.all();
  }
  const pool = new pg.Pool({ connectionString: database, max: 4 });
  return async () => {
    const { rows } = await pool.query<{ text: string }>({ name: "page", text: `select text ${tail}` });
    return rows.map(({ text }) => text);
  };
}

/** Joins texts to a page. */
function pageOf(texts: readonly (Buffer | string)[]): Buffer {
  const parts = texts.flatMap((text, i) => [
    Buffer.from(i === 0 ? "" : ","),
    typeof text === "string" ? Buffer.from(text) : text,
  ]);
  return Buffer.concat([Buffer.from('{"value":['), ...parts, Buffer.from("]}")]);
}

const read = readerOf();
serveFloor({
  "/records": async () => {
    const texts = await read();
    if (kind === "json") return pageOf(texts);
    return JSON.stringify({ value: texts.map((text) => JSON.parse(text.toString()) as unknown) });
  },
});
