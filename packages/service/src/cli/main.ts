#!/usr/bin/env node
import { chooseSettingsFile } from "../settings/find-settings-file.ts";
import { runOperatorProgram } from "./program.ts";

const args = chooseSettingsFile(process.argv.slice(2));
const run = async () => {
  process.exitCode = await runOperatorProgram(args);
};

// Programs that run on look after their output themselves.
if (args[0] !== "worker" && args[0] !== "serve")
  (await import("@cadastre/client/terminal")).tolerateClosedOutput();

if (args[0] === "worker") await (await import("../heap-limit.ts")).withHeapLimit(run);
else await run();
