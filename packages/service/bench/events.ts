/*
 * Cost of the set EntityEvent: the first events of a customer, those after a commit, a request when nothing has changed, and a page of 1,000
 * events beside one of 1,000 Lookup records.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/events.ts [--listings 2000] [--rounds 30]
 *
 * The store and the registry are in SQLite and run in this process, so CPU time is that of all.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, type EntitySet } from "@cadastre/odata";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { PageRead, RecordSource } from "@cadastre/server/parts";
import { identitiesOf } from "@cadastre/store/property";
import { openSqliteRegistry } from "@cadastre/store/registry";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { storedResources } from "../src/catalog.ts";
import { sampleRecords } from "../src/data/sample-records.ts";
import { entityEventSet } from "../src/events/entity-event-set.ts";
import { createEntityEvents } from "../src/events/entity-events.ts";
import { eventViewOf } from "../src/events/event-view.ts";
import { MemoryBudget } from "../src/http/memory-budget.ts";
import { memoryLimits } from "../src/http/memory-limits.ts";
import { systemScope } from "../src/identity/system-scope.ts";
import { listingSource } from "../src/odata/listing-source.ts";
import { createStages } from "../src/telemetry/stages.ts";
import { settingsOf } from "./settings.ts";

const settings = settingsOf({ listings: "2000", rounds: "30" });
const [listings, rounds] = [Number(settings.listings), Number(settings.rounds)];
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));

/** Returns the milliseconds that `work` takes. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await timeOf(work));
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

const print = (what: string, milliseconds: number) =>
  console.log(`${milliseconds.toFixed(1).padStart(9)} ms  ${what}`);

const resources = storedResources(sampleCatalog);
const store = await openSqliteStore({ file: join(folder, "listings.sqlite"), resources, threads: 0 });
const registry = await openSqliteRegistry({ file: join(folder, "registry.sqlite") });
try {
  const records = [...sampleRecords(generateMarket({ seed: 1, listings }))];
  await store.commit(records);
  const scope = systemScope(sampleCatalog);
  const { customer, version } = scope;
  await registry.entitlements.install({ customer, version, jws: "", installed: 0 });
  const active = ["Property", "Media", "Member", "Office", "OpenHouse", "Lookup"].map((name) =>
    sampleCatalog.entitySet(name as "Property"),
  );
  const events = createEntityEvents({
    store,
    logs: registry.events,
    database: registry.database,
    catalogVersion: 1,
    baseUrl: undefined,
    wait: 3_600_000,
    now: Date.now,
  });
  const read: PageRead = {
    count: false,
    nulls: true,
    form: undefined,
    expand: [],
    own: new Map(),
    signal: new AbortController().signal,
  };
  const make = () => events.makeFor(eventViewOf(active, scope));
  const first = await timeOf(make);
  const every = bindQuery({ top: 0 }, entityEventSet);
  print(`the first ${await events.sourceOf(customer).count(every, read)} events`, first);
  print("a request when nothing has changed", await medianOf(make));
  const properties = records.filter(({ resource }) => resource === "Property").slice(0, 100);
  let price = 100_000;
  const change = () =>
    store.commit(properties.map((one) => ({ ...one, record: { ...one.record, ListPrice: price++ } })));
  await change();
  print("a commit of 100 changes", await timeOf(change));
  print("the events of two commits of 100 changes", await timeOf(make));

  const services = {
    store,
    memory: new MemoryBudget(memoryLimits(1024, 2)),
    identities: async () => identitiesOf([]),
    config: { minimumCellSize: 10 },
  };
  const pageOf = (source: Pick<RecordSource, "page">, entitySet: EntitySet) => async () => {
    const page = await source.page(bindQuery({ top: 1000 }, entitySet), read);
    if (page.length !== 1000) throw new RangeError(`the page has ${page.length} records`);
    page.release?.();
  };
  const lookups = visibleEntitySet(sampleCatalog.entitySet("Lookup"), scope);
  const source = listingSource(services, { scope, stages: createStages() }, undefined);
  const ofLookups = await medianOf(pageOf(source, lookups));
  const ofEvents = await medianOf(pageOf(events.sourceOf(customer), entityEventSet));
  print("a page of 1,000 Lookup records", ofLookups);
  print("a page of 1,000 events", ofEvents);
  console.log(`ratio: ${(ofEvents / ofLookups).toFixed(2)}`);
  await events.stop();
} finally {
  await registry.close();
  await store.close();
  await rm(folder, { recursive: true });
}
