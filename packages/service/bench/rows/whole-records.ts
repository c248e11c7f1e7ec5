import Database from "better-sqlite3";
import pg from "pg";
import type { Bench } from "../bench.ts";
import { bodyOf } from "../client.ts";
import { start } from "../processes.ts";
import { wholeRecords } from "../queries.ts";
import { type Servers, type Subject, startDictionary, subjectOf, untilStop } from "../subjects.ts";
import { requests } from "./requests.ts";
import { atMost, type Row } from "./row.ts";

/** Writes the texts of the service's records into the floor's table. */
async function fillTexts(database: string, texts: readonly string[]): Promise<void> {
  const create = "create table record (position integer primary key, text text not null)";
  if (!database.startsWith("postgres:")) {
    const file = new Database(database);
    file.exec(create);
    const insert = file.prepare("insert into record values (?, ?)");
    for (const [position, text] of texts.entries()) insert.run(position, text);
    file.close();
    return;
  }
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await client.query(create);
  for (const [position, text] of texts.entries())
    await client.query("insert into record values ($1, $2)", [position, text]);
  await client.end();
}

/** Starts a service of all fields and floors of its records. The service has two customers: one sees all fields, one half of them. */
const startCustomers = (bench: Bench): Promise<Readonly<Record<"all" | "partial", Servers>>> =>
  bench.shared("whole records", async () => {
    const { postgres } = bench;
    const database = await bench.createDatabase("dictionary");
    const customers = await startDictionary(database, bench.sizes.dictionary, {
      pid: postgres?.pid,
      folder: bench.folder,
    });
    await postgres?.settle(database);
    const serversOf = async (service: Subject): Promise<Servers> => {
      const body = await bodyOf(service.client, service.pathOf(wholeRecords, 0));
      const { value } = JSON.parse(body.toString()) as { readonly value: readonly unknown[] };
      const texts = await bench.createDatabase(`texts of ${service.name}`);
      await fillTexts(
        texts,
        value.map((record) => JSON.stringify(record)),
      );
      const floor = async (name: string, kind: string) =>
        subjectOf(
          name,
          untilStop(bench, await start("records-floor", [kind, texts])),
          (query, turn) => query.floor(turn, value.length),
          {
            database: postgres?.pid,
          },
        );
      return {
        service,
        floor: await floor("floor", "json"),
        "naive code": await floor("naive code", "objects"),
        "SAP CAP": "not set up",
        "reso-tools": "not set up",
      };
    };
    for (const customer of customers) untilStop(bench, customer);
    const [all, partial] = customers;
    if (all === undefined || partial === undefined) throw new RangeError("there are two customers");
    return { all: await serversOf(all), partial: await serversOf(partial) };
  });

const servers = (customer: "all" | "partial") => async (bench: Bench) =>
  (await startCustomers(bench))[customer];

export const wholeRecordRows: readonly Row[] = [
  { name: "200 of 946 fields", goals: { SQLite: atMost(6.5) }, ...requests(wholeRecords, servers("all")) },
  { name: "200, half of the fields masked", goals: {}, ...requests(wholeRecords, servers("partial")) },
];
