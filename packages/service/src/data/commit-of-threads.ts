import { on } from "node:events";
import { Worker } from "node:worker_threads";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { Change, EncodedChange, WritableStore } from "@cadastre/store";
import { ExampleFinder, type Examples } from "./examples.ts";
import { OwnLookups } from "./own-lookups.ts";
import { lookupRecords, marketParts } from "./sample-records.ts";
import type { SampleMessage, SampleTask } from "./sample-thread.ts";

const program = new URL("./sample-thread.js", import.meta.url);

/** Heap of a thread, in megabytes: generated records are short-lived. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 };

/** Number of threads: to write records takes about half as long as to generate and encode them. */
const threads = 2;

/**
 * Commits a sample market that threads generate and encode, in the order of `sampleRecords`. Returns the examples that are found in it.
 *
 * @param see called with each record before it is written
 */
export async function commitOfThreads(
  task: Pick<SampleTask, "file" | "seed" | "listings">,
  commit: NonNullable<WritableStore["commitEncoded"]>,
  see: (change: Change | EncodedChange) => void,
): Promise<Examples | undefined> {
  const taken = new Int32Array(new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT));
  const started = Array.from({ length: threads }, (_, turn) => {
    const workerData: SampleTask = { ...task, turn, threads, taken: taken.buffer as SharedArrayBuffer };
    const thread = new Worker(program, { workerData, name: `cadastre-sample-${turn}`, resourceLimits });
    // Listens from now on: a thread that fails may do so before it is its turn.
    return { thread, messages: on(thread, "message") as AsyncIterableIterator<[SampleMessage], undefined> };
  });
  const finder = new ExampleFinder();
  try {
    await commit(changes());
    return finder.found();
  } finally {
    await Promise.all(started.map(({ thread }) => thread.terminate()));
  }

  async function* changes(): AsyncGenerator<Change | EncodedChange> {
    const lookups = new OwnLookups(sampleCatalog);
    for (const part of marketParts(task.listings).keys()) yield* changesOfPart(part % threads);
    for (const { messages } of started)
      for await (const [message] of messages) {
        if (!("lookups" in message)) continue;
        lookups.add(message.lookups);
        break;
      }
    for (const record of lookupRecords(lookups.found())) {
      see(record);
      yield record;
    }
  }

  async function* changesOfPart(turn: number): AsyncGenerator<EncodedChange> {
    for (let isLast = false; !isLast; ) {
      const { value: [message] = [] } = (await started[turn]?.messages.next()) ?? {};
      if (message === undefined || "lookups" in message) return;
      for (const property of message.properties) finder.see(property);
      for (const change of message.changes) {
        see(change);
        yield change;
      }
      Atomics.add(taken, turn, 1);
      Atomics.notify(taken, turn);
      ({ isLast } = message);
    }
  }
}
