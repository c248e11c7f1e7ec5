// Two programs that commit or stage records of a dataset each on PostgreSQL: first one after the other, then both at once. Shows how many times
// faster it is at once, and how many of the programs were at work on average, that is, not waiting for a lock: the first figure depends on the
// cores that are free, the second does not.
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/store/bench/parallel.ts [commit or stage] [changes of each] [number of each]
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startPostgres } from "@cadastre/odata/testing";
import type { StoredRecord } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { serverCpuTime } from "../src/testing/bench-databases.ts";
import { recordsOf, resource } from "./listings.ts";

const [kind = "commit", changes = "4000", commits = "3", url, schema, system] = process.argv.slice(2);
const programs = 2;
const rounds = 3;
/** Time between two looks at who waits for a lock, in milliseconds. */
const step = 5;

/** A program that commits or stages when it is told to, and then says how much CPU time it took, in milliseconds. */
async function writeWhenTold(address: string, into: string, name: string): Promise<void> {
  const datasetId = `dataset ${name}`;
  const ofRound = (round: number): readonly StoredRecord[] =>
    recordsOf(Number(changes)).map(({ record, ...one }) => ({
      ...one,
      datasetId,
      record: { ...record, ListingKey: `${name}-${String(record["ListingKey"])}`, BedroomsTotal: round },
    }));
  const all = Array.from({ length: Number(commits) }, (_, i) => ofRound(i));
  const store = await openPostgresStore({ connection: address, schema: into, resources: [resource] });
  process.on("message", () => void run());
  process.on("disconnect", () => void store.close());
  process.send?.("ready");

  async function run(): Promise<void> {
    const before = process.cpuUsage();
    for (const [i, records] of all.entries())
      if (kind === "stage") await store.builds.stage("Listing", name, records, { cursor: String(i) });
      else await store.commit(records, { datasetId });
    const { user, system: kernel } = process.cpuUsage(before);
    process.send?.((user + kernel) / 1000);
  }
}

type Cost = {
  readonly seconds: number;
  readonly node: number;
  readonly server: number;
  readonly waited: number;
};

async function measure(): Promise<void> {
  const server = await startPostgres();
  const pool = server.connect(1);
  const median = (numbers: readonly number[]) =>
    numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

  const start = async (into: string, name: string): Promise<ChildProcess> => {
    const child = fork(fileURLToPath(import.meta.url), [kind, changes, commits, server.url, into, name]);
    await once(child, "message");
    return child;
  };

  /** Tells programs to write, all at once, and waits until they have. */
  const run = async (told: readonly ChildProcess[]): Promise<Cost> => {
    const watch = new AbortController();
    const waiting = waits(watch.signal);
    const [before, since] = [await serverCpuTime(pool), performance.now()];
    const done = told.map((program) => once(program, "message"));
    for (const program of told) program.send("write");
    const node = (await Promise.all(done)).reduce((sum, [cpu]) => sum + Number(cpu), 0);
    const seconds = (performance.now() - since) / 1000;
    watch.abort();
    return {
      seconds,
      node: node / 1000,
      server: ((await serverCpuTime(pool)) - before) / 1000,
      waited: await waiting,
    };
  };

  /** Returns the seconds that connections have waited for locks until the signal. */
  const waits = async (signal: AbortSignal): Promise<number> => {
    const watching = server.connect(1);
    let [waited, last] = [0, performance.now()];
    while (!signal.aborted) {
      const text = "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock'";
      const { rows } = await watching.query<{ n: number }>(text);
      const now = performance.now();
      waited += ((rows[0]?.n ?? 0) * (now - last)) / 1000;
      last = now;
      await setTimeout(step);
    }
    await watching.end();
    return waited;
  };

  const ratios: (readonly [times: number, atWork: number])[] = [];
  for (let round = 0; round < rounds; round++) {
    const [apart, together] = [`apart_${round}`, `together_${round}`];
    // Opened beforehand, so that the measured time is that of the writing.
    const one = [await start(apart, "a"), await start(apart, "b")];
    const both = [await start(together, "a"), await start(together, "b")];
    const alone: Cost[] = [];
    const first = async () => {
      for (const program of one) alone.push(await run([program]));
    };
    // Each comes first in every other round.
    if (round % 2 === 0) await first();
    const { seconds, node, server: cpu, waited } = await run(both);
    if (round % 2 === 1) await first();
    const sum = (of: (cost: Cost) => number) => alone.reduce((total, cost) => total + of(cost), 0);
    const apartSeconds = sum((cost) => cost.seconds);
    const atWork = programs - waited / seconds;
    ratios.push([apartSeconds / seconds, atWork]);
    console.log(
      `one after the other ${apartSeconds.toFixed(2)} s (CPU: programs ${sum((cost) => cost.node).toFixed(2)}, server ${sum((cost) => cost.server).toFixed(2)}), ` +
        `at once ${seconds.toFixed(2)} s (CPU: ${node.toFixed(2)}, ${cpu.toFixed(2)}; waiting for locks ${waited.toFixed(2)}): ` +
        `${(apartSeconds / seconds).toFixed(2)} times, ${atWork.toFixed(2)} programs at work`,
    );
    for (const program of [...one, ...both]) {
      program.disconnect();
      await once(program, "exit");
    }
  }
  console.log(
    `${kind}: ${commits} times ${changes} changes each: median ${median(ratios.map(([times]) => times)).toFixed(2)} times, ` +
      `${median(ratios.map(([, atWork]) => atWork)).toFixed(2)} programs at work`,
  );
  await pool.end();
  await server.stop();
}

if (url === undefined || schema === undefined || system === undefined) await measure();
else await writeWhenTold(url, schema, system);
