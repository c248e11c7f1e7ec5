/*
 * Cost of the set EntityEvent: the first events of a customer, those of a publication beside its ingest, for one and for several customers, a
 * request when nothing has changed, a page of 1,000 events beside one of 1,000 Lookup records, and the count of all events.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/events.ts [--database SQLite|PostgreSQL]
 *     [--listings 2000] [--changes 1000] [--customers 20] [--rounds 30] [--events 0]
 *
 * With `--events`, the page and the count are of a log that is filled up to so many events, of records that there are not.
 * Readers of SQLite are in this process. CPU time is that of this process and of the server's connections. Of the publications, the one with
 * the least is told.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Scope, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, type EntitySet } from "@cadastre/odata";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { PageRead, RecordSource } from "@cadastre/server/parts";
import { identitiesOf } from "@cadastre/store/property";
import { sampleRecords } from "../src/data/sample-records.ts";
import { entityEventSet } from "../src/events/entity-event-set.ts";
import { createEntityEvents } from "../src/events/entity-events.ts";
import { eventViewOf } from "../src/events/event-view.ts";
import { MemoryBudget } from "../src/http/memory-budget.ts";
import { memoryLimits } from "../src/http/memory-limits.ts";
import { listingSource } from "../src/odata/listing-source.ts";
import { createStages } from "../src/telemetry/stages.ts";
import { customerScope, hideableFields } from "./event-customers.ts";
import { openDatabase } from "./event-database.ts";
import { priceChanges } from "./event-ingest.ts";
import { settingsOf } from "./settings.ts";

const settings = settingsOf({
  database: "SQLite",
  listings: "2000",
  changes: "1000",
  customers: "20",
  rounds: "30",
  events: "0",
});
const [listings, changes, customers, rounds, filled] = (
  ["listings", "changes", "customers", "rounds", "events"] as const
).map((name) => Number(settings[name])) as [number, number, number, number, number];
/** Publications that are measured. */
const publications = 5;
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

const print = (what: string, milliseconds: number) =>
  console.log(`${milliseconds.toFixed(1).padStart(9)} ms  ${what}`);

const database = await openDatabase(settings.database, folder);
const { store, registry } = database;

/** Returns the CPU milliseconds that `work` takes. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const start = await database.cpuTime();
  await work();
  return (await database.cpuTime()) - start;
}

/** Adds events of records that there are not to the log of a customer. */
async function fillLog(customer: string, count: number): Promise<void> {
  const log = await registry.events.find(customer);
  if (log === undefined) throw new RangeError("the customer has no events");
  const { revision, last: _, ...progress } = log;
  const size = 1000;
  for (let i = 0; i * size < count; i++)
    await registry.events.append(customer, {
      entitlementVersion: 1,
      revision: revision + i,
      floor: 0,
      progress,
      states: Array.from({ length: size }, (_state, j) => ({
        resource: "Property",
        key: `no-record-${i * size + j}`,
        keyInAddress: null,
        hash: "1234567890123456789012",
      })),
    });
}

try {
  const market = generateMarket({ seed: 1, listings });
  await store.commit(sampleRecords(market));
  await database.settle();
  const active = ["Property", "Media", "Member", "Office", "OpenHouse", "Lookup"].map((name) =>
    sampleCatalog.entitySet(name as "Property"),
  );
  const openEvents = () =>
    createEntityEvents({
      store,
      catalog: sampleCatalog,
      logs: registry.events,
      database: registry.database,
      catalogVersion: 1,
      baseUrl: undefined,
      wait: 3_600_000,
      now: Date.now,
    });
  const events = openEvents();
  const read: PageRead = {
    count: false,
    nulls: true,
    form: undefined,
    expand: [],
    own: new Map(),
    signal: new AbortController().signal,
  };
  const admit = async (scope: Scope) => {
    const { customer, version } = scope;
    await registry.entitlements.install({ customer, version, jws: customer, installed: 0 });
    return scope;
  };
  const makeFor = (scope: Scope) => events.makeFor(eventViewOf(active, scope));
  /** Each time by events of their own, which have read nothing for others before. */
  const makeForAll = async (scopes: readonly Scope[]) => {
    const own = openEvents();
    for (const scope of scopes) await own.makeFor(eventViewOf(active, scope));
    await own.stop();
  };

  const scope = await admit(customerScope("one"));
  const { customer } = scope;
  const first = await cpuOf(() => makeFor(scope));
  const every = bindQuery({ top: 0 }, entityEventSet);
  const counted = await events.sourceOf(customer).count(every, read);
  print(`CPU, the first ${counted} events`, first);
  print("a request when nothing has changed", await medianOf(() => makeFor(scope)));

  const change = priceChanges(store, market, changes, folder);
  const groups: [string, readonly Scope[]][] = [["1 customer", [scope]]];
  if (customers > 1) {
    const named = (kind: string, hidden: (i: number) => string | undefined) =>
      Promise.all(
        Array.from({ length: customers }, (_, i) => admit(customerScope(`${kind}${i}`, hidden(i)))),
      );
    groups.push([
      `${customers} customers who are granted the same`,
      await named("same", () => hideableFields.at(-1)),
    ]);
    groups.push([
      `${customers} customers who are granted different fields`,
      await named("other", (i) => hideableFields[i]),
    ]);
  }
  for (const [, scopes] of groups) await makeForAll(scopes);
  await change();
  for (const [, scopes] of groups) await makeForAll(scopes);
  await database.settle();
  let ingested = Number.POSITIVE_INFINITY;
  const made = new Map<string, number>();
  for (let round = 0; round < publications; round++) {
    ingested = Math.min(ingested, await cpuOf(change));
    for (const [name, scopes] of groups)
      made.set(
        name,
        Math.min(made.get(name) ?? Number.POSITIVE_INFINITY, await cpuOf(() => makeForAll(scopes))),
      );
  }
  print(`CPU, ingest and publication of ${changes} changes`, ingested);
  for (const [name, cpu] of made)
    print(`CPU, their events for ${name}: ${((100 * cpu) / ingested).toFixed(0)} %`, cpu);

  await fillLog(customer, filled - counted);
  await database.settle();
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
  print(`a page of 1,000 events: ${(ofEvents / ofLookups).toFixed(2)} times that`, ofEvents);
  const all = await events.sourceOf(customer).count(every, read);
  const before = performance.eventLoopUtilization();
  print(`the count of all ${all} events`, await medianOf(() => events.sourceOf(customer).count(every, read)));
  const used = performance.eventLoopUtilization(before);
  print("for which the event loop is busy, on average", used.active / rounds);
  await events.stop();
} finally {
  await database.close();
  await rm(folder, { recursive: true });
}
