/*
 * Growth of the cost of each query with the number of listings: prints a table, and writes a plot for the docs.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/growth.ts [--sizes 10000,100000,1000000] [--plot docs/growth.svg] [--database SQLite|PostgreSQL]
 *
 * Measures the CPU time per request of the whole service over HTTP, pinned to one core, and that of the PostgreSQL server with it.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.ts";
import { connect } from "./client.ts";
import { drive, walk } from "./drive.ts";
import { lookUps } from "./look-ups.ts";
import { plotSvg } from "./plot.ts";
import { startBenchPostgres } from "./postgres-server.ts";
import { load, moveToClientCore, start } from "./processes.ts";
import { settingsOf } from "./settings.ts";
import { concurrency } from "./subjects.ts";
import { head, line, median, number } from "./table.ts";

const given = settingsOf({
  sizes: "10000,100000,1000000",
  seconds: "1",
  rounds: "3",
  plot: "",
  database: "SQLite",
});
const sizes = given.sizes.split(",").map(Number);
const rounds = Number(given.rounds);

/** Number of pages of a walk. In the smallest set, the last one is in the middle of the set. */
const pages = 5;

/** Returns the CPU time of each lookup with this number of listings, in milliseconds per request. */
async function costsAt(folder: string, listings: number): Promise<readonly number[]> {
  const { url, database, settle, remove } = await createDatabase(folder, listings);
  await load("located", url, listings);
  await settle();
  const running = await start("serve", ["located", url, folder]);
  const client = connect(running, concurrency, running.keys.all);
  const asked = { client, pid: running.pid, database };
  const costs: number[][] = lookUps.map(() => []);
  try {
    for (let round = -1; round < rounds; round++) {
      for (const [i, query] of lookUps.entries()) {
        const pathOf = (turn: number) => query.service(turn, listings);
        const seconds = round < 0 ? 0.2 : Number(given.seconds);
        const { cpu } = query.walk
          ? await walk(asked, pathOf(0), pages)
          : await drive(asked, pathOf, { seconds, concurrency });
        if (round >= 0) costs[i]?.push(cpu);
      }
    }
  } finally {
    client.close();
    await running.stop();
  }
  await remove();
  return costs.map(median);
}

/** A database to measure: the file or URL, and the main process of its server. */
type GrowingDatabase = {
  readonly url: string;
  readonly database: number | undefined;
  /** See `BenchPostgres.settle`. */
  readonly settle: () => Promise<void>;
  readonly remove: () => Promise<void>;
};

async function createDatabase(folder: string, listings: number): Promise<GrowingDatabase> {
  if (given.database === "SQLite") {
    const url = join(folder, `${listings}.sqlite`);
    return { url, database: undefined, settle: async () => {}, remove: () => rm(url, { force: true }) };
  }
  const { url, pid, settle, stop } = await startBenchPostgres();
  return { url, database: pid, settle, remove: stop };
}

build();
moveToClientCore();
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
try {
  const bySize: (readonly number[])[] = [];
  for (const size of sizes) bySize.push(await costsAt(folder, size));
  const steps = sizes.map((size) => size.toLocaleString("en-US"));
  const series = lookUps.map(({ name }, i) => ({
    name,
    values: bySize.map((costs) => costs[i] ?? Number.NaN),
  }));
  console.log(head("CPU ms a request, listings", ...steps, "last ÷ first"));
  for (const { name, values } of series) {
    const growth = (values.at(-1) ?? Number.NaN) / (values[0] ?? Number.NaN);
    console.log(line(name, ...values.map(number), number(growth)));
  }
  const plotted = series.map(({ name, values }) => ({
    name,
    values: values.map((cpu) => Math.max(cpu, 0.01)),
  }));
  if (given.plot !== "")
    await writeFile(given.plot, plotSvg({ title: "CPU ms a request, by listings", steps, series: plotted }));
} finally {
  await rm(folder, { recursive: true, force: true });
}
