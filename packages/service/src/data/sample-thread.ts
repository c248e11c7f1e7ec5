import { parentPort, workerData } from "node:worker_threads";
import type { OwnLookupValue } from "@cadastre/reso";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { EncodedChange } from "@cadastre/store";
import { openSqliteEncoder } from "@cadastre/store/sqlite";
import { storedResources } from "../catalog.ts";
import { type ExampleSource, exampleSourceOf } from "./examples.ts";
import { OwnLookups } from "./own-lookups.ts";
import { marketParts, recordsOfPart } from "./sample-records.ts";

/** Task of one of several threads, which take the parts of a market in turns. */
export type SampleTask = {
  readonly file: string;
  readonly seed: number;
  readonly listings: number;
  /** Number of this thread, from 0, and number of threads. */
  readonly turn: number;
  readonly threads: number;
  /** For each thread a 32-bit integer: the number of its batches that were committed. */
  readonly taken: SharedArrayBuffer;
};

/** A batch of records of a part, with what examples are found in; after all parts the values of the systems' own lookups. */
export type SampleMessage =
  | {
      readonly changes: readonly EncodedChange[];
      readonly properties: readonly ExampleSource[];
      /** True for the last batch of a part. */
      readonly isLast: boolean;
    }
  | { readonly lookups: readonly OwnLookupValue[] };

/** Number of records in a batch. */
const batchSize = 500;

/** Number of batches that may wait, which bounds the memory. */
const ahead = 4;

/** Generates parts of a sample market and encodes their records, while the thread that started this one writes them. */
function fill(
  { file, seed, listings, turn, threads, taken: shared }: SampleTask,
  send: (message: SampleMessage) => void,
): void {
  const encode = openSqliteEncoder(file, storedResources(sampleCatalog));
  const taken = new Int32Array(shared);
  const market = generateMarket({ seed, listings });
  const lookups = new OwnLookups(sampleCatalog);
  let sent = 0;
  let [changes, properties]: [EncodedChange[], ExampleSource[]] = [[], []];
  const flush = (isLast: boolean) => {
    for (let done = Atomics.load(taken, turn); sent - done >= ahead; done = Atomics.load(taken, turn))
      Atomics.wait(taken, turn, done);
    send({ changes, properties, isLast });
    sent++;
    [changes, properties] = [[], []];
  };
  const parts = marketParts(listings);
  for (let part = turn; part < parts.length; part += threads) {
    for (const stored of recordsOfPart(market, parts[part] as (typeof parts)[number])) {
      lookups.see(stored);
      if (stored.resource === "Property") properties.push(exampleSourceOf(stored.record));
      if (changes.push(encode(stored)) === batchSize) flush(false);
    }
    flush(true);
  }
  send({ lookups: [...lookups.found()] });
}

fill(workerData as SampleTask, (message) => parentPort?.postMessage(message));
