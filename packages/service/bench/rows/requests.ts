import type { Bench } from "../bench.ts";
import { compare } from "../compare.ts";
import { drive, walk as walkPages } from "../drive.ts";
import { byKey, cityAndPrice, count, page, type Query, search, walk } from "../queries.ts";
import { concurrency, type Servers, type Subject, startListings } from "../subjects.ts";
import { atMost, atMostOfFloor, type Measure, type Row } from "./row.ts";

/** Number of pages of the first walk, which is not measured. */
const pagesToWarm = 10;

async function costOf({ sizes }: Bench, subject: Subject, query: Query, isWarm: boolean): Promise<number> {
  const { cpu } = query.walk
    ? await walkPages(subject, subject.pathOf(query, 0), isWarm ? sizes.pages : pagesToWarm)
    : await drive(subject, (turn) => subject.pathOf(query, turn), {
        seconds: isWarm ? sizes.seconds : sizes.warm,
        concurrency,
      });
  return cpu;
}

/**
 * Measures the CPU time of a request, and that of a PostgreSQL server with it. The first time, the records of an answer are compared with those of
 * the service, and the server is asked for some seconds until the code that it runs is compiled.
 */
const asked = (server: keyof Servers, query: Query, servers: (bench: Bench) => Promise<Servers>): Measure => {
  const warm = new WeakSet<Subject>();
  return async (bench) => {
    const { [server]: subject, service } = await servers(bench);
    if (typeof subject === "string") return subject;
    if (typeof service === "string") return service;
    if (!warm.has(subject)) {
      await compare(query, service, subject);
      await costOf(bench, subject, query, false);
      warm.add(subject);
    }
    return costOf(bench, subject, query, true);
  };
};

/** Returns a row's measurements: the CPU time of a request to each server. */
export const requests = (
  query: Query,
  servers: (bench: Bench) => Promise<Servers> = startListings,
): Pick<Row, "floor" | "ours" | "peers" | "unit"> => ({
  unit: "CPU ms",
  ours: asked("service", query, servers),
  floor: asked("floor", query, servers),
  peers: {
    "naive code": asked("naive code", query, servers),
    "SAP CAP": asked("SAP CAP", query, servers),
    "reso-tools": asked("reso-tools", query, servers),
  },
});

const walked = requests(walk);

export const requestRows: readonly Row[] = [
  { name: "key", goals: { SQLite: atMost(0.13), PostgreSQL: atMostOfFloor(1.5) }, ...requests(byKey) },
  { name: "filter, sort, top 100", goals: { SQLite: atMostOfFloor(1.2) }, ...requests(search) },
  {
    name: "1,000 records",
    goals: { SQLite: atMost(5.5), PostgreSQL: atMostOfFloor(1.5) },
    ...requests(page),
  },
  { name: "count and 20", goals: { SQLite: atMost(1) }, ...requests(count) },
  { name: "city and price", goals: {}, ...requests(cityAndPrice) },
  {
    name: "page of 1,000 in a walk",
    goals: {},
    ...walked,
    // They end with `$top`; without it their pages have other sizes.
    peers: { ...walked.peers, "SAP CAP": "no next link", "reso-tools": "no next link" },
  },
];
