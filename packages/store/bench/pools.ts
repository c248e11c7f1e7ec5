// Times of look-ups by key and of pages by an index beside 12 scans, with connections for all and with connections of their own.
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/store/bench/pools.ts [rows] [seconds]
import { startPostgres } from "@cadastre/odata/testing";
import { createConnectionPool, readSettings } from "../src/database/postgres-connections.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { PostgresReaders } from "../src/postgres/read/reader-pool.ts";
import { ReadingPlace } from "../src/postgres/read/reading-place.ts";
import type { ExpectedCost } from "../src/read/expected-cost.ts";
import { type CostClass, type CustomerShare, QueryScheduler } from "../src/read/scheduler.ts";
import { recordsOf, resource } from "./listings.ts";

const count = Number(process.argv[2] ?? 40_000);
const seconds = Number(process.argv[3] ?? 15);
const connections = 8;
const [scanning, looking] = [12, 4];
const timeout = 60_000;

type Kind = {
  readonly expected: ExpectedCost;
  readonly text: string;
  readonly value: (i: number) => string;
};

const columns = `"cadastre_record", "cadastre_members", "cadastre_crc32"`;
const scan: Kind = {
  expected: "unbounded",
  text: `select ${columns} from "Listing" where strpos("cadastre_record" ->> 'Remark3', $1::text) > 0
  order by "ListingKey" limit 20`,
  value: (i) => `nowhere ${i}`,
};
const lookUps: Readonly<Record<string, Kind>> = {
  "by key": {
    expected: "bounded",
    text: `select ${columns} from "Listing" where "ListingKey" = $1::text`,
    value: (i) => `key-${(i * 7919) % count}`,
  },
  "page by city": {
    expected: "unknown",
    text: `select ${columns} from "Listing" where "City" = $1::text order by "ListPrice", "ListingKey" limit 20`,
    value: (i) => `City ${(i * 31) % 4001}`,
  },
};

/** One customer asks for all, so that its queries wait for each other; queries of several customers take turns. */
const share: CustomerShare = {
  customer: "one",
  weight: 1,
  queries: 100,
  scanSeconds: Number.POSITIVE_INFINITY,
};

type Sizes = Readonly<Record<CostClass, number>>;
const arrangements: readonly { readonly name: string; readonly most: Sizes; readonly isShared: boolean }[] = [
  { name: "8 for all", most: { page: connections, scan: connections }, isShared: true },
  { name: "8 for all, 4 of them at most for scans", most: { page: connections, scan: 4 }, isShared: true },
  { name: "6 for look-ups, 2 for scans", most: { page: 6, scan: 2 }, isShared: false },
];

const server = await startPostgres();
const store = await openPostgresStore({ connection: server.url, resources: [resource] });
await store.commit(recordsOf(count));
await store.close();

function openReaders(most: Sizes, isShared: boolean): PostgresReaders {
  const poolOf = (size: number) =>
    createConnectionPool(
      { connection: server.url, schemas: ["cadastre"] },
      { connections: size, wait: timeout, settings: readSettings(timeout, false) },
    );
  const page = poolOf(most.page);
  const scheduler = new QueryScheduler({ readers: connections, most, queue: 256 });
  const primary = new ReadingPlace({ page, scan: isShared ? page : poolOf(most.scan) }, timeout);
  return new PostgresReaders({ primary, replicas: [], connections, sizes: most, scheduler, timeout });
}

const at = (times: readonly number[], part: number): string =>
  (times[Math.floor((times.length - 1) * part)] ?? Number.NaN).toFixed(1);

console.log("| connections | look-up | p50, ms | p99, ms | look-ups | scans |\n|---|---|--:|--:|--:|--:|");
for (const { name, most, isShared } of arrangements)
  for (const [kind, lookUp] of Object.entries(lookUps)) {
    const readers = openReaders(most, isShared);
    const ask = ({ expected, text, value }: Kind, i: number) =>
      readers.use(expected, (run) => run([{ text, values: [value(i)] }]), { share });
    const end = performance.now() + seconds * 1000;
    const times: number[] = [];
    let scans = 0;
    const clients = [
      ...Array.from({ length: scanning }, async (_, nth) => {
        for (let i = nth; performance.now() < end; i += scanning) {
          await ask(scan, i);
          scans += 1;
        }
      }),
      ...Array.from({ length: looking }, async (_, nth) => {
        for (let i = nth; performance.now() < end; i += looking) {
          const start = performance.now();
          await ask(lookUp, i);
          times.push(performance.now() - start);
        }
      }),
    ];
    await Promise.all(clients);
    await readers.close();
    times.sort((a, b) => a - b);
    console.log(
      `| ${name} | ${kind} | ${at(times, 0.5)} | ${at(times, 0.99)} | ${times.length} | ${scans} |`,
    );
  }
await server.stop();
