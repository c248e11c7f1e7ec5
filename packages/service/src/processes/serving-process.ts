import cluster from "node:cluster";
import { nextSignal } from "../cli/next-signal.ts";
import type { Config } from "../config.ts";
import { withDataFolder } from "../data/data-error.ts";
import { configuredFolder } from "../data/data-folder.ts";
import { configOfProcess } from "../http/memory-limits.ts";
import { createLog } from "../log.ts";
import type { RunningService } from "../running-service.ts";
import { startService } from "../service.ts";
import { type FromServing, machineId, processNumber, type ToServing } from "./messages.ts";
import { usageBetweenProcesses } from "./usage-between-processes.ts";

/** True in a process that {@link serve} is meant for. */
export const isServingProcess = (): boolean => cluster.isWorker && process.env[processNumber] !== undefined;

/**
 * Answers requests in a process that the primary has started, until a signal or the primary stops it. The first process also works in the
 * background.
 *
 * @param messageOf returns the message of an error of the start, for the primary to print
 */
export async function serve(config: Config, messageOf: (error: unknown) => string): Promise<void> {
  const number = Number(process.env[processNumber]);
  const siblings = usageBetweenProcesses((report) => send({ kind: "usage", report }));
  let service: RunningService | undefined;
  const told = new Promise<void>((resolve) => {
    const act: { readonly [Kind in ToServing["kind"]]: (message: ToServing & { kind: Kind }) => void } = {
      stop: () => resolve(),
      metrics: () => void sendMetrics(service),
      usage: ({ from, report }) => siblings.receive(from, report),
      ended: ({ from }) => siblings.forget(from),
      damaged: () => service?.noteDamage(),
    };
    process.on("message", <Kind extends ToServing["kind"]>(message: ToServing & { kind: Kind }) =>
      act[message.kind](message),
    );
  });
  const stopped = Promise.race([told, nextSignal(["SIGINT", "SIGTERM"])]);
  try {
    const folder = configuredFolder(config);
    service = await withDataFolder(config.dataFolder, () =>
      startService(configOfProcess(config), folder, createLog(config.logLevel, number), {
        worksInBackground: number === 0,
        supervises: false,
        onDamage: () => send({ kind: "damaged" }),
        machine: process.env[machineId] ?? "",
        siblings,
      }),
    );
    const { baseUrl, port, isServing, examples } = service;
    send({ kind: "started", started: { baseUrl, port, adminPort: undefined, isServing, examples } });
    await stopped;
    await service.stop();
    process.exitCode = 0;
  } catch (error) {
    send({ kind: "failed", message: messageOf(error) });
    process.exitCode = 1;
  }
  cluster.worker?.disconnect();
}

async function sendMetrics(service: RunningService | undefined): Promise<void> {
  send({ kind: "metrics", values: (await service?.metrics?.values()) ?? [] });
}

function send(message: FromServing): void {
  if (process.connected) process.send?.(message);
}
