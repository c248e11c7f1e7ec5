// Rate of a commit of listings as the service stores them, against COPY of the same rows into the same tables with the same indexes, on PostgreSQL:
// elapsed time, and CPU time of this process and of the server's connections. Records are made before they are measured.
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/ingest.ts [listings] [rounds]
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@cadastre/odata/testing";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { StoredRecord } from "@cadastre/store";
import { openPostgresStore } from "@cadastre/store/postgres";
import { ownCpuTime, serverCpuTime } from "@cadastre/store/testing";
import pg from "pg";
import { storedResources } from "../src/catalog.ts";
import { sampleRecords } from "../src/data/sample-records.ts";

const listings = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 3);
/** Least ratio of the server's CPU time. Other programs on the machine make it vary by a fifth. */
const least = 0.6;
const name = "Property";

const records: readonly StoredRecord[] = [...sampleRecords(generateMarket({ seed: 1, listings }))].filter(
  ({ resource }) => resource === name,
);
const resources = storedResources(sampleCatalog).filter(({ entitySet }) => entitySet.name === name);
const server = await startPostgres();
const operator = server.connect(1);

/** CPU times of this process and of the server's connections, and elapsed time, in milliseconds. */
type Cost = { readonly own: number; readonly server: number; readonly elapsed: number };
const total = ({ own, server }: Cost) => own + server;

async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const [own, before, start] = [ownCpuTime(), await serverCpuTime(operator), performance.now()];
  await work();
  const elapsed = performance.now() - start;
  return { own: ownCpuTime() - own, server: (await serverCpuTime(operator)) - before, elapsed };
}

const best = new Map<string, Cost>();
async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const found = await cost(work);
  const known = best.get(what);
  if (known === undefined || total(found) < total(known)) best.set(what, found);
}

for (let round = 0; round < rounds; round++) {
  const committed = `committed_${round}`;
  const open = (schema: string) =>
    openPostgresStore({ connection: server.url, schema, resources, connections: 2, timeout: 60_000 });
  const store = await open(committed);
  await measure("commit", () => store.commit(records));
  await measure("commit again", () => store.commit(records));
  await store.close();

  const [copied, staged] = [`copied_${round}`, `staged_${round}`];
  for (const schema of [copied, staged]) await (await open(schema)).close();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  // The server reads the rows from a file: nobody spends time on encoding and sending them.
  const file = join(tmpdir(), `cadastre-ingest-${process.pid}`);
  const tableIn = (schema: string) => `"${schema}"."${name}"`;
  await client.query(`copy ${tableIn(committed)} to '${file}'`);
  // A commit of so many new rows updates the statistics too.
  const analyze = (schema: string) => client.query(`analyze ${tableIn(schema)}`);
  await measure("COPY", async () => {
    await client.query(`copy ${tableIn(copied)} from '${file}'`);
    await analyze(copied);
  });
  await measure("COPY to a staging table, then insert", async () => {
    await client.query(`begin; create temporary table "staging" (like ${tableIn(staged)}) on commit drop;
      alter table "staging" set (toast_tuple_target = 8160)`);
    await client.query(`copy "staging" from '${file}'`);
    await client.query(`insert into ${tableIn(staged)} select * from "staging"; commit`);
    await analyze(staged);
  });
  await client.end();
  rmSync(file);
}
await operator.end();
await server.stop();

for (const [what, { own, server: ofServer, elapsed }] of best)
  console.log(
    `${what}: ${Math.round((records.length * 1000) / elapsed)} rows/s; for 1,000 rows ${perThousand(own)} ms CPU here, ${perThousand(ofServer)} ms of the server`,
  );
const [commit, copy] = [best.get("commit"), best.get("COPY")];
if (commit === undefined || copy === undefined) throw new Error("nothing was measured");
const ratio = copy.server / commit.server;
console.log(
  `rate of a commit ÷ rate of COPY: ${ratio.toFixed(2)} by CPU of the server, ${(total(copy) / total(commit)).toFixed(2)} by CPU of both, ` +
    `${(copy.elapsed / commit.elapsed).toFixed(2)} by time`,
);
if (ratio < least) {
  console.error(`the server spends more on a commit than it should: the ratio is to be at least ${least}`);
  process.exitCode = 1;
}

function perThousand(ms: number): string {
  return ((ms * 1000) / records.length).toFixed(0);
}
