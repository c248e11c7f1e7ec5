import { ManifestError } from "@cadastre/manifest";
import { CommanderError } from "commander";
import { ClientError, exitCodeOf, exitCodes } from "../errors.ts";
import { printMessage } from "../terminal/output.ts";

/** Reports an error on standard error, and returns its exit code. */
export function reportError(error: unknown): number {
  // Commander has printed the error, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof ClientError || error instanceof ManifestError) {
    const place = error instanceof ManifestError && error.path !== undefined ? ` at ${error.path}` : "";
    printMessage(`${error.code}${place}: ${error.message}`);
  } else console.error(error);
  return exitCodeOf(error);
}
