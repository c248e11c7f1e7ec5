/*
 * Cost of reading a delta with the same number of changes in a small and a large sample market.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/deltas.ts [--changes 1000] [--few 10000] [--many 200000] [--rounds 5] [--domains property,listing,public_record]
 *
 * `--changes` is the number of changed records of each resource, spread over the market. The domain `market_report` is measured on request
 * only, because a report is always computed completely at both checkpoints. CPU time is that of the whole process for the larger market.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { domainTable, type ExportSource } from "@cadastre/delivery";
import type { Row } from "@cadastre/odata";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { StoredRecord } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { storedResources } from "../src/catalog.ts";
import { sampleRecords } from "../src/data/sample-records.ts";
import { exportSource } from "../src/delivery/export-source.ts";
import { systemScope } from "../src/identity/system-scope.ts";
import { settingsOf } from "./settings.ts";
import { head, line, median, number } from "./table.ts";

const given = settingsOf({
  changes: "1000",
  few: "10000",
  many: "200000",
  rounds: "5",
  domains: "property,listing,public_record",
});
const [changes, rounds] = [Number(given.changes), Number(given.rounds)];

/** Changes to a record, by delivered resource. */
const changed: Readonly<Record<string, Row>> = {
  Property: { ListPrice: 123_456 },
  Media: { ImageWidth: 1234 },
  MediaAsset: { Width: 1234 },
  PublicRecord: { MarketValue: 123_456 },
};
const domains = given.domains.split(",");
const datasets = Object.entries(domainTable).flatMap(([domain, { datasets: some }]) =>
  domains.includes(domain) ? some : [],
);

const noResolutions = { resolutions: async () => [], revision: async () => 0 };

function* marketOf(listings: number): Generator<StoredRecord> {
  for (const one of sampleRecords(generateMarket({ seed: 1, listings })))
    if (one.resource in changed) yield one;
}

/** Yields `changes` changed records of each resource, evenly spaced. */
function* edits(listings: number): Generator<StoredRecord> {
  const counts = new Map<string, number>();
  for (const { resource } of marketOf(listings)) counts.set(resource, (counts.get(resource) ?? 0) + 1);
  const met = new Map<string, number>();
  for (const one of marketOf(listings)) {
    const nth = met.get(one.resource) ?? 0;
    met.set(one.resource, nth + 1);
    const step = Math.floor((counts.get(one.resource) ?? 0) / changes);
    if (nth % step === 0 && nth < changes * step)
      yield { ...one, record: { ...one.record, ...changed[one.resource] } };
  }
}

/** Creates a store whose last commit has changed records, and its export source. */
async function open(folder: string, listings: number) {
  const file = join(folder, `${listings}.sqlite`);
  const store = await openSqliteStore({
    file,
    resources: storedResources(sampleCatalog),
    threads: 1,
    timeout: 60_000,
  });
  await store.commit(marketOf(listings));
  await store.commit(edits(listings));
  const source = exportSource({
    store: Object.assign(store, { catalog: sampleCatalog }),
    identities: noResolutions,
    activation: { has: () => true },
    config: { minimumCellSize: 10 },
  });
  return { source, checkpoint: await store.checkpoint(), close: () => store.close() };
}

/** Reads the whole delta of a dataset, and returns its number of records. */
async function readDelta(source: ExportSource, dataset: string, checkpoint: number): Promise<number> {
  const columns = source.columns(dataset, systemScope(sampleCatalog))?.map(({ name }) => name) ?? [];
  let records = 0;
  for (const content of ["rows", "removals"] as const) {
    const read = { dataset, scope: systemScope(sampleCatalog), columns, checkpoint, from: null };
    for await (const { length } of source.read({ ...read, changes: { since: checkpoint - 1, content } }))
      records += length;
  }
  return records;
}

const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
try {
  const few = await open(folder, Number(given.few));
  const many = await open(folder, Number(given.many));
  console.log(
    head("dataset", "records", `among ${given.few}, ms`, `among ${given.many}, ms`, "ratio", "CPU, ms"),
  );
  for (const { name } of datasets) {
    const times: [number[], number[]] = [[], []];
    const cpu: number[] = [];
    let records = 0;
    // Round -1 warms up.
    for (let round = -1; round < rounds; round++)
      for (const [k, { source, checkpoint }] of [few, many].entries()) {
        const [begun, used] = [performance.now(), process.cpuUsage()];
        records = await readDelta(source, name, checkpoint);
        if (round < 0) continue;
        times[k]?.push(performance.now() - begun);
        const { user, system } = process.cpuUsage(used);
        if (k === 1) cpu.push((user + system) / 1000);
      }
    const [small, large] = [median(times[0]), median(times[1])];
    console.log(
      line(name, String(records), number(small), number(large), number(large / small), number(median(cpu))),
    );
  }
  await few.close();
  await many.close();
} finally {
  await rm(folder, { recursive: true });
}
