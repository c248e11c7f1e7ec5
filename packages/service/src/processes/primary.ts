import cluster, { type Worker } from "node:cluster";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { scheduleChecks } from "../check/scheduled-check.ts";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { heapOption, isHeapSet } from "../heap-limit.ts";
import { listenForOperator } from "../http/admin.ts";
import { configOfProcess, memoryLimitsOf } from "../http/memory-limits.ts";
import { createLog } from "../log.ts";
import type { StartedService } from "../running-service.ts";
import { type FromServing, machineId, processNumber, type ToServing } from "./messages.ts";
import { metricsOfProcesses } from "./metrics-of-processes.ts";
import { ProcessGroup, type StartedProcess } from "./process-group.ts";

/** A serving process could not start. The message is that of its error. */
export class ProcessError extends Error {
  override readonly name = "ProcessError";
}

/** Milliseconds that a process may take to stop, beyond those for the requests that it answers. */
const grace = 10_000;

/** Processes that serve one folder on one port. */
export type ServingProcesses = StartedService & {
  /** Finishes the requests in progress in all processes, and ends them. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts the processes that answer requests, and does what is done once for all of them: checks of the databases, metrics, and
 * replacement of a process that ends. This process accepts the connections and hands them to the others in turn.
 *
 * @param lastCheck time of the last check of the databases, if they are as they were then: see `takeWholeStop`
 * @throws {ProcessError} if one of them cannot start
 */
export async function startProcesses(
  config: Config,
  folder: DataFolder,
  lastCheck: number | undefined,
): Promise<ServingProcesses> {
  const log = createLog(config.logLevel);
  const { heap, threadHeap } = memoryLimitsOf(configOfProcess(config));
  cluster.setupPrimary({
    execArgv: [...process.execArgv, ...(isHeapSet() ? [] : [heapOption(heap)])],
    args: process.argv.slice(2),
  });
  const machine = randomUUID();
  const workers = new Map<number, Worker>();
  let succeed: (started: StartedService) => void = () => {};
  let fail: (error: ProcessError) => void = () => {};
  const startup = new Promise<StartedService>((resolve, reject) => {
    succeed = resolve;
    fail = reject;
  });
  let startedProcesses = 0;
  let isDamaged = false;
  const send = (number: number, message: ToServing) => {
    const worker = workers.get(number);
    if (worker?.isConnected()) worker.send(message, () => {});
  };
  const tellOthers = (from: number, message: ToServing) => {
    for (const number of workers.keys()) if (number !== from) send(number, message);
  };
  const noteDamage = () => {
    isDamaged = true;
    tellOthers(-1, { kind: "damaged" });
  };
  const metrics = metricsOfProcesses(() => group);
  const handlers: {
    readonly [Kind in FromServing["kind"]]: (message: FromServing & { kind: Kind }, number: number) => void;
  } = {
    started: ({ started }, number) => {
      if (isDamaged) send(number, { kind: "damaged" });
      startedProcesses++;
      if (startedProcesses === config.processes) succeed(started);
    },
    failed: ({ message }) => {
      if (startedProcesses < config.processes) fail(new ProcessError(message));
      else log.error({ reason: message }, "a process could not start");
    },
    metrics: ({ values }, number) => metrics.receive(number, values),
    usage: ({ report }, number) => tellOthers(number, { kind: "usage", from: number, report }),
    damaged: noteDamage,
  };
  const start = (number: number): StartedProcess => {
    const worker = cluster.fork({ [processNumber]: String(number), [machineId]: machine });
    workers.set(number, worker);
    metrics.add(number, () => send(number, { kind: "metrics" }));
    worker.on("message", <Kind extends FromServing["kind"]>(message: FromServing & { kind: Kind }) =>
      handlers[message.kind](message, number),
    );
    // An error of a message to a process that ends is followed by its end.
    worker.on("error", () => {});
    return {
      pid: worker.process.pid,
      ended: endOf(worker),
      stop: () => send(number, { kind: "stop" }),
      kill: () => void worker.process.kill("SIGKILL"),
    };
  };
  const checks = scheduleChecks(folder, {
    hours: config.checkHours,
    heap: threadHeap,
    log,
    onFinding: noteDamage,
    lastCheck,
  });
  let group: ProcessGroup | undefined;
  const stop = async () => {
    await group?.stop((config.drainWaitSeconds + config.drainSeconds) * 1000 + grace);
    await admin?.stop(0);
    await checks.stop();
    if (!isDamaged) await checks.noteWhole();
  };
  const admin = await listenForOperator(config, metrics, log);
  try {
    await checks.waitForFirst();
    group = new ProcessGroup({
      count: config.processes,
      start,
      log,
      onEnd: (number) => {
        workers.delete(number);
        metrics.remove(number);
        // Without effect after the start, or if the process has said why.
        fail(new ProcessError("a process ended before it had started: its last messages say why"));
        tellOthers(number, { kind: "ended", from: number });
      },
    });
    const started = await startup;
    return { ...started, adminPort: admin?.port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function endOf(worker: Worker): StartedProcess["ended"] {
  const [code, signal] = (await once(worker, "exit")) as [number | null, NodeJS.Signals | null];
  return { code, signal };
}
