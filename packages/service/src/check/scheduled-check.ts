import { Worker } from "node:worker_threads";
import type { DataFolder } from "../data/data-folder.ts";
import { describe, type Log } from "../log.ts";
import type { Finding } from "./findings.ts";

const program = new URL("./check-thread.js", import.meta.url);

export type ScheduledCheckOptions = {
  /** Hours between two checks; 0: none is made. */
  readonly hours: number;
  /** Heap of the thread, in megabytes. */
  readonly heap: number;
  readonly log: Pick<Log, "info" | "error">;
  /** Called with each fault that is found. */
  readonly onFinding: (finding: Finding) => void;
};

/** Checks the databases of a folder now and at an interval, on a thread of low priority. Returns a function that ends it. */
export function scheduleChecks(
  { database, registry }: DataFolder,
  { hours, heap, log, onFinding }: ScheduledCheckOptions,
): () => Promise<void> {
  if (hours === 0) return async () => {};
  let thread: Worker | undefined;
  const check = () => {
    if (thread !== undefined) return;
    thread = new Worker(program, {
      workerData: { database, registry },
      name: "cadastre-check",
      resourceLimits: { maxOldGenerationSizeMb: heap },
    });
    thread.unref();
    thread.on("message", (finding: Finding) => {
      log.error({ ...finding }, "the check of the databases found damage");
      onFinding(finding);
    });
    thread.once("error", (error) => log.error(describe(error), "the databases could not be checked"));
    thread.once("exit", (code) => {
      thread = undefined;
      if (code === 0) log.info("the databases were checked");
    });
  };
  check();
  const timer = setInterval(check, hours * 3_600_000);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await thread?.terminate();
  };
}
