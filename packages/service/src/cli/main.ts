#!/usr/bin/env node
import { runOperatorProgram } from "./program.ts";

const args = process.argv.slice(2);
const run = async () => {
  process.exitCode = await runOperatorProgram(args);
};

// The only long-running command.
if (args[0] === "worker") await (await import("../heap-limit.ts")).withHeapLimit(run);
else await run();
