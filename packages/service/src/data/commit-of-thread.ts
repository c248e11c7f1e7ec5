import { on } from "node:events";
import { Worker } from "node:worker_threads";
import type { EncodedChange, WritableStore } from "@cadastre/store";
import type { Examples } from "./examples.ts";
import type { SampleMessage, SampleTask } from "./sample-thread.ts";

const program = new URL("./sample-thread.js", import.meta.url);

/** Heap of the thread, in megabytes: generated records are short-lived. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 };

/**
 * Commits a sample market that a thread generates and encodes, so that two cores work. Returns the examples that it has found.
 *
 * @param see called with each record before it is written
 */
export async function commitOfThread(
  task: Omit<SampleTask, "taken">,
  commit: NonNullable<WritableStore["commitEncoded"]>,
  see: (change: EncodedChange) => void,
): Promise<Examples | undefined> {
  const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: SampleTask = { ...task, taken: taken.buffer as SharedArrayBuffer };
  const thread = new Worker(program, { workerData, name: "cadastre-sample", resourceLimits });
  let examples: Examples | undefined;
  try {
    await commit(changes());
    return examples;
  } finally {
    await thread.terminate();
  }

  async function* changes(): AsyncGenerator<EncodedChange> {
    for await (const [message] of on(thread, "message") as AsyncIterable<[SampleMessage]>) {
      if ("examples" in message) {
        examples = message.examples;
        return;
      }
      for (const change of message.changes) {
        see(change);
        yield change;
      }
      Atomics.add(taken, 0, 1);
      Atomics.notify(taken, 0);
    }
  }
}
