import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { compileProgram } from "@cadastre/odata/testing";
import { onTestFinished } from "vitest";
import type { WorkerTask } from "./worker-process.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const program = await compileProgram(fileURLToPath(new URL("worker-process.ts", import.meta.url)));

export type WorkerProcess = {
  readonly child: ChildProcess;
  /** Lines of output so far: crash points that were passed, and outcomes of deliveries. */
  readonly said: readonly string[];
  /** Waits for a line of output. Returns false if the process ends without it. */
  readonly says: (line: string) => Promise<boolean>;
  /** Resolves when the process has ended, with the signal that ended it, or null. */
  readonly ended: Promise<NodeJS.Signals | null>;
};

/**
 * Starts a worker that ends with the test: a stopped one that a failed test leaves would never end.
 *
 * @param limit longest file that the process may write, in KiB
 */
export function spawnWorker(task: WorkerTask, limit: number | "unlimited" = "unlimited"): WorkerProcess {
  const limited = ["-c", `ulimit -f ${limit}; exec "$0" "$@"`, process.execPath];
  const child = spawn("bash", [...limited, program, JSON.stringify(task)], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => said.push(line));
  const ended = once(child, "close").then(() => child.signalCode);
  const says = async (wanted: string) => {
    let over = false;
    const end = ended.then(() => {
      over = true;
    });
    while (!said.includes(wanted) && !over) await Promise.race([once(lines, "line"), end]);
    return said.includes(wanted);
  };
  return { child, said, says, ended };
}
