import { ManifestError } from "@cadastre/manifest";
import { CommanderError } from "commander";
import { ClientError, exitCodeOf, exitCodes } from "../errors.ts";

/** Writes the result of a command, the only text on standard output. */
export const print = (result: string): void => void process.stdout.write(`${result}\n`);

/** Writes a message for the user to standard error. */
export const say = (words: string): void => void process.stderr.write(`${words}\n`);

/** Reports an error on standard error, and returns its exit code. */
export function reportError(error: unknown): number {
  // Commander has printed the error, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof ClientError || error instanceof ManifestError) {
    const place = error instanceof ManifestError && error.path !== undefined ? ` at ${error.path}` : "";
    say(`${error.code}${place}: ${error.message}`);
  } else console.error(error);
  return exitCodeOf(error);
}
