import { parentPort, workerData } from "node:worker_threads";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { EncodedChange } from "@cadastre/store";
import { openSqliteEncoder } from "@cadastre/store/sqlite";
import { storedResources } from "../catalog.ts";
import { ExampleFinder, type Examples } from "./examples.ts";
import { sampleRecords } from "./sample-records.ts";

/** Task of the thread. `taken` holds one 32-bit integer: the number of batches that were committed. */
export type SampleTask = {
  readonly file: string;
  readonly seed: number;
  readonly listings: number;
  readonly taken: SharedArrayBuffer;
};

/** A batch of records; in the last message there are none, but the examples. */
export type SampleMessage =
  | { readonly changes: readonly EncodedChange[] }
  | { readonly examples: Examples | undefined };

/** Number of records in a batch. */
const batchSize = 500;

/** Number of batches that may wait, which bounds the memory. */
const ahead = 8;

/** Generates a sample market and encodes its records, while the thread that started this one writes them. */
function fill(
  { file, seed, listings, taken: shared }: SampleTask,
  send: (message: SampleMessage) => void,
): void {
  const encode = openSqliteEncoder(file, storedResources(sampleCatalog));
  const taken = new Int32Array(shared);
  const finder = new ExampleFinder();
  let sent = 0;
  let changes: EncodedChange[] = [];
  const flush = () => {
    for (let done = Atomics.load(taken, 0); sent - done >= ahead; done = Atomics.load(taken, 0))
      Atomics.wait(taken, 0, done);
    send({ changes });
    sent++;
    changes = [];
  };
  for (const stored of sampleRecords(generateMarket({ seed, listings }))) {
    if (stored.resource === "Property") finder.see(stored.record);
    if (changes.push(encode(stored)) === batchSize) flush();
  }
  flush();
  send({ examples: finder.found() });
}

fill(workerData as SampleTask, (message) => parentPort?.postMessage(message));
