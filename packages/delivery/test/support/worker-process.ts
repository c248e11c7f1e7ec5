// A worker in a process of its own, which may die at a point: its place, and what is to happen, as JSON.
import { setTimeout } from "node:timers/promises";
import { type CrashPoint, createRebuilder, createWorker } from "../../src/index.ts";
import { endlessSource, meansOf, openRegistry, type Place } from "./workshop.ts";

export type WorkerTask = {
  readonly place: Place;
  /** In milliseconds. */
  readonly lease: number;
  /** Dies there, the time of that number. */
  readonly crash?: { readonly point: CrashPoint; readonly time: number };
  /** How long to wait at each point, in milliseconds. */
  readonly pace?: number;
  /** How often a delivery is tried; as often as need be unless it is said. */
  readonly attempts?: number;
  /** How many times as many records there are. */
  readonly times?: number;
  /** Rebuilds damaged parts, and builds nothing. */
  readonly rebuilds?: boolean;
  /** Works until it is told to stop, not until nothing waits. */
  readonly stays?: boolean;
};

const task = JSON.parse(process.argv[2] ?? "") as WorkerTask;
const registry = await openRegistry(task.place);
const met = new Map<CrashPoint, number>();
// Batches of a size of its own: the parts are the same.
const source = endlessSource(20 + (process.pid % 200), task.times);
const worker = (task.rebuilds === true ? createRebuilder : createWorker)({
  ...meansOf(registry, task.place, { source, name: String(process.pid) }),
  clock: () => Date.UTC(2026, 10, 21, 5),
  lease: task.lease,
  attempts: task.attempts ?? 1000,
  backoff: 0,
  poll: 20,
  report: ({ outcome, code }) => console.log(code === undefined ? outcome : `${outcome} ${code}`),
  at: async (point) => {
    console.log(point);
    met.set(point, (met.get(point) ?? 0) + 1);
    if (task.crash?.point === point && task.crash.time === met.get(point))
      process.kill(process.pid, "SIGKILL");
    if (task.pace !== undefined) await setTimeout(task.pace);
  },
});
if (task.stays === true) {
  const stopping = new AbortController();
  process.once("SIGTERM", () => stopping.abort());
  await worker.run(stopping.signal);
} else while ((await worker.work()) !== undefined);
await registry.close();
