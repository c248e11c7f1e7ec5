/*
 * Whether the service still answers while it scans: `/health/live` at rest, during a deliberately slow query, and
 * how long the processor is busy after the query's client has gone.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/health.ts [--listings 200000] [--seconds 20]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { build } from "./build.ts";
import { type Client, connect } from "./client.ts";
import { cpuOf } from "./cpu.ts";
import { load, type Running, start } from "./processes.ts";
import { collection, options } from "./queries.ts";
import { settingsOf } from "./settings.ts";
import { head, line, number } from "./table.ts";

const given = settingsOf({ listings: "200000", seconds: "20", terms: "200" });

/** Every record is read to its end, and none matches. */
const slow =
  collection +
  options({
    $filter: Array.from(
      { length: Number(given.terms) },
      (_, i) => `contains(PublicRemarks,'no such words ${i}')`,
    ).join(" or "),
    $top: "1",
  });

/** Milliseconds between two questions. */
const pause = 5;

/** Time of each answer of `/health/live`, in milliseconds, until `over`; at least one. */
async function latencies(client: Client, over: () => boolean): Promise<readonly number[]> {
  const times: number[] = [];
  do {
    const asked = performance.now();
    const { status } = await client.get("/health/live");
    if (status !== 200) throw new Error(`/health/live gave ${status}`);
    times.push(performance.now() - asked);
    await setTimeout(pause);
  } while (!over());
  return times;
}

/** Runs the slow query while `/health/live` is asked; at most for the set time, then its client goes away. */
async function duringSlowQuery(running: Running): Promise<{ times: readonly number[]; end: string }> {
  const [health, query] = [connect(running, 1), connect(running, 1, running.keys.all)];
  const started = performance.now();
  const cancel = new AbortController();
  let end = "";
  const ended = query.get(slow, cancel.signal).then(
    ({ status }) => {
      end = `answered ${status} after ${number((performance.now() - started) / 1000)} s`;
    },
    () => {
      end = `cancelled after ${number((performance.now() - started) / 1000)} s`;
    },
  );
  await setTimeout(50);
  const limit = started + Number(given.seconds) * 1000;
  const times = await latencies(health, () => end !== "" || performance.now() > limit);
  cancel.abort();
  await ended;
  health.close();
  query.close();
  return { times, end };
}

/** Milliseconds until a query whose client goes away after half a second costs no more processor time. */
async function untilFree(running: Running): Promise<number> {
  const query = connect(running, 1, running.keys.all);
  const cancel = new AbortController();
  const cancelled = query.get(slow, cancel.signal).catch(() => undefined);
  await setTimeout(500);
  cancel.abort();
  await cancelled;
  query.close();
  const gone = performance.now();
  const step = 100;
  const patience = 60_000;
  for (let busy = gone; ; ) {
    const before = cpuOf(running.pid);
    await setTimeout(step);
    // A tick of /proc is 10 ms: one of them may be anything.
    if (cpuOf(running.pid) - before > step / 4) busy = performance.now();
    else if (performance.now() - busy > 3 * step) return busy - gone;
    if (performance.now() - gone > patience) return Number.POSITIVE_INFINITY;
  }
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;

const cells = (times: readonly number[]) => [
  String(times.length),
  ...[percentile(times, 0.5), percentile(times, 0.99), Math.max(...times)].map(number),
];

async function report(name: string, file: string, cores: string): Promise<void> {
  const running = await start("serve", ["listings", file], cores);
  try {
    const health = connect(running, 1);
    const until = performance.now() + 2000;
    const rest = await latencies(health, () => performance.now() > until);
    health.close();
    console.log(line(`${name}, at rest`, ...cells(rest), "", ""));
    const { times, end } = await duringSlowQuery(running);
    console.log(line(`${name}, slow query`, ...cells(times), end, number(await untilFree(running))));
  } finally {
    await running.stop();
  }
}

build();
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
try {
  const file = join(folder, "service.sqlite");
  await load("listings", file, Number(given.listings));
  console.log(
    head("/health/live", "answers", "p50 ms", "p99 ms", "slowest ms", "the query", "busy after cancel, ms"),
  );
  await report("two cores", file, "0,1");
  await report("one core", file, "0");
} finally {
  await rm(folder, { recursive: true, force: true });
}
