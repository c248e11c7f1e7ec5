// Loaded before the program: kills it before its n-th change of a file below a folder, and writes down how many there were.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { KILL_AT, KILL_BELOW = "", KILL_COUNT = "" } = process.env;
let changes = 0;
/** @type {unknown} */
const promises = fs.promises;
const methods = /** @type {Record<string, (...input: unknown[]) => unknown>} */ (promises);
for (const name of ["rename", "link", "mkdir", "rm", "open", "copyFile"]) {
  const method = methods[name];
  methods[name] = (...input) => {
    if (String(input[0]).startsWith(KILL_BELOW)) {
      changes++;
      if (changes === Number(KILL_AT)) process.kill(process.pid, "SIGKILL");
    }
    return method?.(...input);
  };
}
syncBuiltinESMExports();
process.on("exit", () => fs.writeFileSync(KILL_COUNT, String(changes)));
