import { ManifestError } from "@cadastre/manifest";
import { CommanderError } from "commander";
import { ClientError, exitCodeOf, exitCodes } from "../errors.ts";

/** Write the result of a command: nothing else goes to standard output. */
export const print = (result: string): void => void process.stdout.write(`${result}\n`);

/** Write words about the result, for a person: to standard error. */
export const say = (words: string): void => void process.stderr.write(`${words}\n`);

/** Say what has gone wrong, and give the exit code for it. */
export function concede(error: unknown): number {
  // Commander has said it, or has shown the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof ClientError || error instanceof ManifestError) {
    const place = error instanceof ManifestError && error.path !== undefined ? ` at ${error.path}` : "";
    say(`${error.code}${place}: ${error.message}`);
  } else console.error(error);
  return exitCodeOf(error);
}
