import { join } from "node:path";
import { type Client, connect } from "./client.ts";
import { startBenchPostgres } from "./postgres-server.ts";
import { load, type Running, start } from "./processes.ts";
import type { Query } from "./queries.ts";

/** A server under test, and a function that returns the path of each query on it. */
export type Subject = {
  readonly name: string;
  readonly pid: number;
  /** Main process of its database server, whose CPU time is counted with it. */
  readonly database?: number;
  readonly client: Client;
  readonly pathOf: (query: Query, turn: number) => string;
  readonly stop: () => Promise<void>;
};

/** Number of parallel requests, enough to keep one core busy. */
export const concurrency = 4;

const subject = (
  name: string,
  running: Running,
  apiKey: string | undefined,
  pathOf: Subject["pathOf"],
): Subject => {
  const client = connect(running, concurrency, apiKey);
  const stop = async () => {
    client.close();
    await running.stop();
  };
  return { name, pid: running.pid, client, pathOf, stop };
};

/** Starts both floors and the service, on two databases with the same listings. */
export async function startSubjects(folder: string, listings: number): Promise<readonly Subject[]> {
  const [floor, service] = [join(folder, "floor.sqlite"), join(folder, "service.sqlite")];
  await load("floor", floor, listings);
  await load("listings", service, listings);
  const floorPath: Subject["pathOf"] = (query, turn) => query.floor(turn, listings);
  const running = await start("serve", ["listings", service]);
  return [
    subject("floor-objects", await start("floor", ["objects", floor]), undefined, floorPath),
    subject("floor-json", await start("floor", ["json", floor]), undefined, floorPath),
    subject("service", running, running.keys.all, (query, turn) => query.service(turn, listings)),
  ];
}

/** Starts a floor and the service, on two databases of one PostgreSQL server with the same listings. */
export async function startPostgresSubjects(folder: string, listings: number): Promise<readonly Subject[]> {
  const server = await startBenchPostgres();
  const floor = await server.createDatabase();
  await load("floor", floor, listings);
  await load("listings", server.url, listings);
  for (const url of [floor, server.url]) await server.settle(url);
  const running = await start("serve", ["listings", server.url, folder]);
  const subjects = [
    subject("floor-json", await start("postgres-floor", [floor]), undefined, (query, turn) =>
      query.floor(turn, listings),
    ),
    subject("service", running, running.keys.all, (query, turn) => query.service(turn, listings)),
  ];
  return subjects.map((one, i) => ({
    ...one,
    database: server.pid,
    stop: async () => {
      await one.stop();
      if (i === subjects.length - 1) await server.stop();
    },
  }));
}

/** Starts the service with all fields of Property and a sample market. Returns one subject for each customer. */
export async function startDictionary(folder: string, listings: number): Promise<readonly Subject[]> {
  const file = join(folder, "dictionary.sqlite");
  await load("dictionary", file, listings);
  const running = await start("serve", ["dictionary", file]);
  return (["all", "partial"] as const).map((customer) =>
    subject(customer, running, running.keys[customer], (query, turn) => query.service(turn, listings)),
  );
}
