import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { DataFolder } from "../data/data-folder.ts";
import { checkDatabases } from "./check-databases.ts";

// On Linux this sets the priority of the thread; elsewhere it would set that of the whole process.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);
for (const finding of checkDatabases(workerData as Pick<DataFolder, "database" | "registry">))
  parentPort?.postMessage(finding);
