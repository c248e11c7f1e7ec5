#!/usr/bin/env node
import { tolerateClosedOutput } from "../terminal/output.ts";
import { runProgram } from "./program.ts";

// Stops what runs on, such as `follow` and `listen`, as a signal does. Other commands end by themselves.
tolerateClosedOutput(() => void process.emit("SIGTERM"));
process.exitCode = await runProgram(process.argv.slice(2));
