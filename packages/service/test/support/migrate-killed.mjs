// A process that migrates a data folder and dies at one of the steps: the folder, then the number of the step.
// It runs what is compiled, which starts in a fraction of the time.
import { openDataFolder } from "../../dist/data/data-folder.js";
import { migrateFolder } from "../../dist/data/migrate-folder.js";

const [path, last] = process.argv.slice(2);
let steps = 0;
const step = () => {
  if (++steps === Number(last)) process.kill(process.pid, "SIGKILL");
};
await migrateFolder(await openDataFolder(path), step, [{ name: "none", run: async () => step() }]);
