/*
 * The whole service under a mix of typical lookups: errors, latency and memory.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/mix.ts [--listings 20000] [--connections 64] [--seconds 60] [--warm 15]
 *
 * It warms up for `warm` seconds. The exit code is 1 if an answer is wrong, or if the server's memory grows: if its median in the last
 * quarter of the time is more than 1.1 times that in the second quarter.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, programOf } from "./build.ts";
import { cpuOf } from "./cpu.ts";
import { type Fired, fire } from "./discarding-client.ts";
import { lookUpsOf, type MixedRequest, type Sample } from "./mixed-look-ups.ts";
import { moveToClientCore } from "./processes.ts";
import { settingsOf } from "./settings.ts";
import { head, line, median, number, percentile } from "./table.ts";
import { mappedMemoryOf, memoryOf, startWhole, type WholeService } from "./whole-service.ts";

const given = settingsOf({ listings: "20000", connections: "64", seconds: "60", warm: "15" });
const [connections, seconds] = [Number(given.connections), Number(given.seconds)];

/** Maximum ratio of the median memory in the last quarter to that in the second quarter. */
const growth = 1.1;

type Measured = {
  readonly fired: Fired;
  /** CPU time of the server in milliseconds, all threads. */
  readonly cpu: number;
  /** Memory of the server in megabytes, sampled twice per second. */
  readonly memory: readonly number[];
  /** Memory-mapped files in that memory at the end, in megabytes. */
  readonly mapped: number;
};

/** Sends all lookups in turn, each time with other values, over connections that stay open. */
async function measure(
  service: WholeService,
  lookUps: readonly MixedRequest[],
  duration: number,
): Promise<Measured> {
  const memory: number[] = [];
  const before = cpuOf(service.pid);
  const sampling = setInterval(() => memory.push(memoryOf(service.pid)), 500);
  const fired = await fire(service, lookUps, connections, duration);
  clearInterval(sampling);
  return { fired, cpu: cpuOf(service.pid) - before, memory, mapped: mappedMemoryOf(service.pid) };
}

async function ask({ baseUrl, apiKey }: WholeService, path: string): Promise<Response> {
  const response = await fetch(baseUrl + path, { headers: { "x-api-key": apiKey } });
  if (response.status !== 200) throw new Error(`${path} gave ${response.status}`);
  return response;
}

async function sampleOf(service: WholeService): Promise<Sample> {
  const fields = "ListingKey,City,ListPrice,Coordinates";
  const filter = encodeURIComponent("Coordinates ne null and ListPrice ne null");
  const page = await ask(service, `/reso/odata/Property?$top=1000&$select=${fields}&$filter=${filter}`);
  const { value } = (await page.json()) as { readonly value: Sample["listings"] };
  const metadata = await ask(service, "/reso/odata/$metadata");
  await metadata.text();
  return { listings: value, etag: metadata.headers.get("etag") ?? "" };
}

/** Returns the samples of a quarter, numbered from 0. */
const quarter = (samples: readonly number[], which: number): readonly number[] =>
  samples.slice(Math.floor((samples.length * which) / 4), Math.floor((samples.length * (which + 1)) / 4));

function report({ fired, cpu, memory, mapped }: Measured, atRest: number): boolean {
  const { statuses, lost, latencies } = fired;
  const asMeant = (statuses.get(200) ?? 0) + (statuses.get(304) ?? 0);
  const failed = [...statuses.values()].reduce((sum, count) => sum + count, lost) - asMeant;
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  const [middle, end] = [median(quarter(memory, 1)), median(quarter(memory, 3))];
  console.log(
    head(
      "connections",
      "s",
      "requests",
      "errors",
      "requests/s",
      "CPU ms a request",
      "p50 ms",
      "p99 ms",
      "MB at rest",
      "MB",
      "MB at the end",
      "of it mapped files",
    ),
  );
  console.log(
    line(
      ...[connections, seconds, asMeant, failed].map(String),
      ...[asMeant / fired.seconds, cpu / asMeant, p50, p99, atRest, middle, end, mapped].map(number),
    ),
  );
  console.log(`\nstatuses ${JSON.stringify(Object.fromEntries(statuses))}`);
  const isFlat = end <= middle * growth;
  if (!isFlat)
    console.log(`memory is not flat: it may grow by ${growth} from the second quarter to the last`);
  return failed === 0 && (statuses.get(304) ?? 0) > 0 && isFlat;
}

build();
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
try {
  const service = await startWhole(programOf("../src/main"), folder, Number(given.listings), "0");
  try {
    moveToClientCore();
    const lookUps = lookUpsOf(await sampleOf(service));
    const atRest = memoryOf(service.pid);
    await measure(service, lookUps, Number(given.warm));
    if (!report(await measure(service, lookUps, seconds), atRest)) process.exitCode = 1;
  } finally {
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
