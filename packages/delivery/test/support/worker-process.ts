// Runs a worker in a process of its own, which may die at a crash point. The argument is a task as JSON.
import { setTimeout } from "node:timers/promises";
import type { CrashPoint } from "../../src/build/crash-point.ts";
import { createRebuilder, createWorker } from "../../src/index.ts";
import { endlessSource, meansOf, openRegistry, type Place } from "./workshop.ts";

export type WorkerTask = {
  readonly place: Place;
  /** In milliseconds. */
  readonly lease: number;
  /** Dies at the point, when it is met for the `time`th time. */
  readonly crash?: { readonly point: CrashPoint; readonly time: number };
  /** Stops itself at the point, where it holds no lock, and goes on at SIGCONT. A signal from outside may stop it within a transaction. */
  readonly stop?: CrashPoint;
  /** Wait at each point, in milliseconds. */
  readonly pace?: number;
  /** Number of attempts at a delivery; practically unlimited by default. */
  readonly attempts?: number;
  /** Factor for the number of records. */
  readonly times?: number;
  /** Deliveries to build: works until each has its manifest, so that it waits for leases of workers that died. */
  readonly builds?: readonly string[];
  /** Hash of a damaged part to rebuild instead of building deliveries: works until it is no longer marked. */
  readonly rebuilds?: string;
  /** True to work until SIGTERM, not only until nothing waits. */
  readonly stays?: boolean;
};

const task = JSON.parse(process.argv[2] ?? "") as WorkerTask;
const registry = await openRegistry(task.place);
async function isDone(): Promise<boolean> {
  const { builds = [], rebuilds } = task;
  if (rebuilds !== undefined) return !(await registry.deliveries.damage.isMarked(rebuilds));
  const manifests = await Promise.all(builds.map((id) => registry.deliveries.manifest(id)));
  return !manifests.includes(undefined);
}

const met = new Map<CrashPoint, number>();
// Every process uses another batch size, which must not change the parts.
const source = endlessSource(20 + (process.pid % 200), task.times);
const worker = (task.rebuilds === undefined ? createWorker : createRebuilder)({
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
    if (task.stop === point && met.get(point) === 1) process.kill(process.pid, "SIGSTOP");
    if (task.pace !== undefined) await setTimeout(task.pace);
  },
});
if (task.stays === true) {
  const stopping = new AbortController();
  process.once("SIGTERM", () => stopping.abort());
  await worker.run(stopping.signal);
} else
  for (;;) {
    if ((await worker.work()) !== undefined) continue;
    if (await isDone()) break;
    await setTimeout(20);
  }
await registry.close();
