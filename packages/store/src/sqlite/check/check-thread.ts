import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { FoundFault, ThreadData } from "./check.ts";
import { checkFile } from "./check-file.ts";

// On Linux this sets the priority of the thread; elsewhere it would set that of the whole process.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);
for (const { file, tables } of workerData as ThreadData)
  for (const fault of checkFile(file, tables)) parentPort?.postMessage({ file, fault } satisfies FoundFault);
