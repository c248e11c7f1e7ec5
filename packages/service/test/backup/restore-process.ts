import { restoreBackup } from "../../src/backup/restore.ts";

/** A restore that kills its own process when it comes to a point for the given time. */
export type RestoreTask = { readonly backup: string; readonly dataFolder: string; readonly killAt: number };

const { backup, dataFolder, killAt } = JSON.parse(process.argv[2] ?? "") as RestoreTask;
let points = 0;
await restoreBackup(
  backup,
  { dataFolder, partsFolder: undefined },
  {
    replace: true,
    at: () => {
      if (++points === killAt) process.kill(process.pid, "SIGKILL");
    },
  },
);
process.stdout.write(String(points));
