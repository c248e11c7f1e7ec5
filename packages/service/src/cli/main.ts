#!/usr/bin/env node
import { useSettingsFile } from "../settings/find-settings-file.ts";
import { runOperatorProgram } from "./program.ts";

const args = useSettingsFile(process.argv.slice(2));
const run = async () => {
  process.exitCode = await runOperatorProgram(args);
};

// The only long-running command.
if (args[0] === "worker") await (await import("../heap-limit.ts")).withHeapLimit(run);
else await run();
