// Rate of a commit compared with bare prepared inserts of the same rows into the same indexed tables, by CPU time of this process and of the
// database's. The bare table keeps no checksum.
//   node --conditions=@cadastre/source --import tsx packages/store/bench/ingest.ts [rows]
import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import pg from "pg";
import { type BenchDatabase, openBenchDatabases } from "../src/testing/bench-databases.ts";
import { recordsOf, resource } from "./listings.ts";

const count = Number(process.argv[2] ?? 20_000);
const rounds = 3;
const records = recordsOf(count);

async function seconds(work: () => unknown, { cpuTime }: BenchDatabase): Promise<number> {
  const start = await cpuTime();
  await work();
  return ((await cpuTime()) - start) / 1000;
}

/** Inserts the rows of `from` into `to` in one transaction, one statement per row. Returns the seconds of CPU time. */
type BareInsert = (from: string, to: string, database: BenchDatabase) => Promise<number>;

const insertSqlite: BareInsert = async (from, to, database) => {
  const { place } = database;
  const source = new Database(place(from), { readonly: true });
  const rows = source.prepare(`select * from "Listing"`).raw().all() as unknown[][];
  source.close();
  const target = new Database(place(to));
  registerFunctions(target);
  target.exec(`drop trigger "Listing_checksum_insert"`);
  target.pragma("synchronous = normal");
  const insert = target.prepare(`insert into "Listing" values (${rows[0]?.map(() => "?").join(", ")})`);
  const all = target.transaction(() => {
    for (const row of rows) insert.run(...row);
  });
  const taken = await seconds(all, database);
  target.close();
  return taken;
};

const insertPostgres: BareInsert = async (from, to, database) => {
  const { place } = database;
  const client = new pg.Client({
    connectionString: place(to),
    types: { getTypeParser: () => (text: string) => text },
  });
  await client.connect();
  const { rows } = await client.query<unknown[]>({
    text: `select * from "${from}"."Listing"`,
    rowMode: "array",
  });
  const places = rows[0]?.map((_, i) => `$${i + 1}`).join(", ");
  const text = `insert into "${to}"."Listing" values (${places})`;
  const taken = await seconds(async () => {
    await client.query("begin");
    for (const values of rows) await client.query({ name: "insert", text, values });
    await client.query("commit");
  }, database);
  await client.end();
  return taken;
};

const inserts: Readonly<Record<string, BareInsert>> = { SQLite: insertSqlite, PostgreSQL: insertPostgres };

for (const database of await openBenchDatabases()) {
  const insert = inserts[database.name];
  if (insert === undefined) throw new Error(`no inserts for ${database.name}`);
  const best = {
    commit: Number.POSITIVE_INFINITY,
    again: Number.POSITIVE_INFINITY,
    bare: Number.POSITIVE_INFINITY,
  };
  for (let round = 0; round < rounds; round++) {
    const [committed, bare] = [`commit_${round}`, `bare_${round}`];
    const store = await database.open(committed, resource);
    best.commit = Math.min(best.commit, await seconds(() => store.commit(records), database));
    best.again = Math.min(best.again, await seconds(() => store.commit(records), database));
    await store.close();
    await (await database.open(bare, resource)).close();
    best.bare = Math.min(best.bare, await insert(committed, bare, database));
  }
  const rate = (taken: number) => `${Math.round(count / taken)} rows/s`;
  console.log(
    `${database.name}: commit ${rate(best.commit)}, unchanged ${rate(best.again)}, bare inserts ${rate(best.bare)}, ` +
      `commit / bare = ${(best.bare / best.commit).toFixed(2)}`,
  );
  await database.close();
}
