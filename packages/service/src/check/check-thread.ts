import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { DataFolder } from "../data/data-folder.ts";
import { checkDatabases } from "./check-databases.ts";

// On Linux the priority is that of a thread; elsewhere it would be that of the whole service.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);
for (const finding of checkDatabases(workerData as Pick<DataFolder, "database" | "registry">))
  parentPort?.postMessage(finding);
