/*
 * Cost of field completeness over 946 fields: counting from scratch, counting after changes, and answering.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/coverage.ts [--listings 20000] [--zips 0]
 *
 * `--zips` is a number of ZIP codes to spread the listings over, instead of those of the sample market.
 *
 * A publication hashes all records whatever has changed, so the time for counting is the CPU time of a publication minus that of one with
 * nothing to count. The store runs in this process. CPU time is used so that a busy disk does not distort the figures.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { StoredRecord } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { storedResources } from "../src/catalog.ts";
import { readConfig } from "../src/config.ts";
import { sampleRecords } from "../src/data/sample-records.ts";
import { replyOf } from "../src/endpoint/routes.ts";
import { systemScope } from "../src/identity/system-scope.ts";
import { fieldCompleteness } from "../src/v1/field-completeness.ts";
import { endpointRequest } from "./endpoint-request.ts";
import { settingsOf } from "./settings.ts";

const { entitySet } = sampleCatalog;

const settings = settingsOf({ listings: "20000", zips: "0" });
const [listings, zips] = [Number(settings.listings), Number(settings.zips)];
const changes = [0.001, 0.01, 0.1].map((share) => Math.round(listings * share));
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
const options = { file: join(folder, "listings.sqlite"), threads: 0, timeout: 60_000 };

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

const zipOf = (i: number) => String(i).padStart(5, "0");

function* properties(): Generator<StoredRecord> {
  let i = 0;
  for (const one of sampleRecords(generateMarket({ seed: 1, listings })))
    if (one.resource === "Property") {
      const place = zips === 0 ? {} : { PostalCode: zipOf(i++ % zips) };
      yield { ...one, record: { ...one.record, ...place } };
    }
}

/** Yields the first `count` listings with changes. */
function* changed(count: number): Generator<StoredRecord> {
  let i = 0;
  for (const one of properties()) {
    if (i++ === count) return;
    yield { ...one, record: { ...one.record, City: null, PublicRemarks: `Change ${count}` } };
  }
}

const peak = () => `${Math.round(process.resourceUsage().maxRSS / 1024)} MB`;
const say = (what: string, taken: number, unit = "s") => console.log(`${what}: ${taken.toFixed(3)} ${unit}`);

try {
  // First without counting.
  const plain = await openSqliteStore({
    ...options,
    resources: storedResources(sampleCatalog).map(({ counted: _counted, ...resource }) => resource),
  });
  say(`commit ${listings} listings`, await seconds(() => plain.commit(properties())));
  await plain.builds.publish(["Property"]);
  await plain.close();

  const store = await openSqliteStore({ ...options, resources: storedResources(sampleCatalog) });
  const publish = () => cpuSeconds(() => store.builds.publish(["Property"]));
  console.log(`peak before counting: ${peak()}`);
  /**
   * Measures a publication with something to count, and right after it the median of three with nothing, because the speed of the machine
   * varies.
   */
  const counting = async () => {
    const taken = await publish();
    const [, idle = 0] = [await publish(), await publish(), await publish()].toSorted((a, b) => a - b);
    return { idle, counted: taken - idle };
  };
  const first = await counting();
  say("publish, nothing to count", first.idle);
  say("count from scratch", first.counted);
  console.log(`peak after counting: ${peak()}`);
  for (const count of changes) {
    const commit = await seconds(() => store.commit(changed(count)));
    say(`count ${count} changes (commit ${commit.toFixed(3)} s)`, (await counting()).counted);
  }

  const services = {
    catalog: sampleCatalog,
    store,
    activeEntitySets: [entitySet("Property")],
    identities: () => Promise.reject(new Error("not asked")),
    profiles: () => Promise.reject(new Error("not asked")),
    config: { ...readConfig({}), minimumCellSize: 10 },
  };
  const scope = systemScope(sampleCatalog);
  const answer = (geography: string) =>
    fieldCompleteness.handle(
      {
        ...endpointRequest(scope),
        query: { geography },
        reply: replyOf(fieldCompleteness, { scope, apiKey: "" }),
      },
      services,
    );
  for (const geography of [
    "national:US",
    "state:TX",
    "state:WA",
    ...(zips > 1 ? ["zip:00000", "zip:00001"] : []),
  ]) {
    say(`first answer of ${geography}`, 1000 * (await seconds(() => answer(geography))), "ms");
    const rounds = 200;
    const again = await seconds(async () => {
      for (let i = 0; i < rounds; i++) await answer(geography);
    });
    say(`answer again`, (1000 * again) / rounds, "ms");
  }
  await store.close();
} finally {
  await rm(folder, { recursive: true });
}
