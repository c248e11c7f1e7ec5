/*
 * Tests that the service stays responsive during a scan. Measures the latency of `/health/live` at rest and during a deliberately slow
 * query, how that query ends, and how long (in ms) the CPU stays busy after its end and after its client has disconnected. Settings of the
 * service are read from the environment, so a scan deadline can be tested.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/health.ts [--listings 200000] [--seconds 20]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { build } from "./build.ts";
import { bodyOf, type Client, connect } from "./client.ts";
import { cpuOf } from "./cpu.ts";
import { load, type Running, start } from "./processes.ts";
import { collection, options } from "./queries.ts";
import { settingsOf } from "./settings.ts";
import { head, line, number, percentile } from "./table.ts";

const given = settingsOf({ listings: "200000", seconds: "20", terms: "200" });

/** Query that scans the long text of every record, and matches none. */
const slow =
  collection +
  options({
    $filter: Array.from(
      { length: Number(given.terms) },
      (_, i) => `contains(PublicRemarks,'no such words ${i}')`,
    ).join(" or "),
    $top: "1",
  });

/** Interval of the health requests, in milliseconds. They do not wait for earlier answers, like requests of independent clients. */
const pause = 5;
/** Number of connections for the health requests. */
const connections = 8;

/** Requests `/health/live` until `over` returns true, at least once. Returns the latencies in milliseconds. */
async function latencies(running: Running, over: () => boolean): Promise<readonly number[]> {
  const client = connect(running, connections);
  const asked: Promise<number>[] = [];
  do {
    asked.push(latency(client));
    await setTimeout(pause);
  } while (!over());
  const times = await Promise.all(asked);
  client.close();
  return times;
}

async function latency(client: Client): Promise<number> {
  const asked = performance.now();
  await bodyOf(client, "/health/live");
  return performance.now() - asked;
}

/** Runs the slow query until it ends or `cancel` aborts it. Returns a text about its end. */
async function slowQuery(running: Running, cancel: AbortSignal): Promise<string> {
  const client = connect(running, 1, running.keys.all);
  const started = performance.now();
  const how = await client.get(slow, cancel).then(
    ({ status }) => `answered ${status}`,
    () => "cancelled",
  );
  client.close();
  return `${how} after ${number((performance.now() - started) / 1000)} s`;
}

/** Measures for how long from now the server uses the CPU, in milliseconds. Infinity after a minute. */
async function busy({ pid }: Running): Promise<number> {
  const started = performance.now();
  const step = 100;
  for (let last = started; last - started < 60_000; ) {
    const before = cpuOf(pid);
    await setTimeout(step);
    // A clock tick of /proc is 10 ms, so one or two ticks are noise.
    if (cpuOf(pid) - before > step / 4) last = performance.now();
    else if (performance.now() - last > 3 * step) return last - started;
  }
  return Number.POSITIVE_INFINITY;
}

/** Measures `/health/live` during a slow query: until it ends, but at most for the configured time. */
async function duringSlowQuery(running: Running) {
  const cancel = new AbortController();
  let ended: string | undefined;
  const query = slowQuery(running, cancel.signal).then((how) => {
    ended = how;
  });
  const limit = performance.now() + Number(given.seconds) * 1000;
  const times = await latencies(running, () => ended !== undefined || performance.now() > limit);
  cancel.abort();
  await query;
  return { times, ended: ended ?? "", busy: await busy(running) };
}

/** Cancels a slow query after half a second, then measures as {@link busy}. */
async function busyAfterCancel(running: Running): Promise<number> {
  await slowQuery(running, AbortSignal.timeout(500));
  return busy(running);
}

function cells(times: readonly number[]): readonly string[] {
  const sorted = times.toSorted((a, b) => a - b);
  return [String(times.length), ...[0.5, 0.99, 1].map((share) => number(percentile(sorted, share)))];
}

async function report(name: string, file: string, cores: string): Promise<void> {
  const running = await start("serve", ["listings", file], cores);
  try {
    const end = performance.now() + 2000;
    const rest = await latencies(running, () => performance.now() > end);
    console.log(line(`${name}, at rest`, ...cells(rest), "", "", ""));
    const { times, ended, busy: after } = await duringSlowQuery(running);
    const cancelled = await busyAfterCancel(running);
    console.log(line(`${name}, slow query`, ...cells(times), ended, number(after), number(cancelled)));
  } finally {
    await running.stop();
  }
}

build();
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
try {
  const file = join(folder, "service.sqlite");
  await load("listings", file, Number(given.listings));
  const columns = [
    "answers",
    "p50 ms",
    "p99 ms",
    "slowest ms",
    "the query",
    "busy after it",
    "busy after a cancel",
  ];
  console.log(head("/health/live", ...columns));
  await report("two cores", file, "0,1");
  await report("one core", file, "0");
} finally {
  await rm(folder, { recursive: true, force: true });
}
