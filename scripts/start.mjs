// Installs and builds what is missing, and starts the service: compiled, if the packages are compiled from the current sources, which takes
// half the time; else from source.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isCompiled } from "./compiled.mjs";

await import("./install.mjs");
await import("./build-explorer.mjs");

const service = fileURLToPath(new URL("../packages/service", import.meta.url));
const program = `${service}/dist/start.js`;

if (isCompiled()) {
  // The program starts itself again, with a limit of its heap.
  process.argv[1] = program;
  await import("../packages/service/dist/start.js");
} else {
  const source = ["--conditions=@cadastre/source", "--import", new URL("source.mjs", import.meta.url).href];
  // In a process group of its own, so that it gets a signal of the terminal only once: forwarded from here.
  const child = spawn(process.execPath, [...source, `${service}/src/start.ts`, ...process.argv.slice(2)], {
    stdio: "inherit",
    detached: true,
  });
  const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    for (const handled of forwarded) process.removeAllListeners(handled);
    if (signal !== null) process.kill(process.pid, signal);
    process.exitCode = code ?? 1;
  });
}
