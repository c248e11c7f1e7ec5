import { EntitlementError } from "@cadastre/entitlement";
import { StoreError } from "@cadastre/store";
import { CommanderError } from "commander";
import { ConfigError } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import { PrepareError } from "../data/prepare-error.ts";
import { IngestError } from "../ingest/ingest-error.ts";
import { LearnError } from "../learn/learn-error.ts";
import { FeedError } from "../replicate/feed-error.ts";

/** Exit codes of the program. */
export const operatorExitCodes = { done: 0, refused: 1, usage: 2 } as const;

/** A valid command that was refused. The message says why and what to do. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}

/** Writes the result of a command to standard output. Nothing else is written there. */
export const printResult = (result: string): void => void process.stdout.write(`${result}\n`);

/** Writes a message for a person to standard error. */
export const printMessage = (words: string): void => void process.stderr.write(`${words}\n`);

/** Errors that an operator can fix. Any other error is a bug and is printed with its stack. */
const refusals = [
  CommandRefused,
  ConfigError,
  DataError,
  EntitlementError,
  FeedError,
  IngestError,
  LearnError,
  PrepareError,
  StoreError,
];

/** True for an error that an operator can fix. */
export const isRefusal = (error: unknown): boolean => refusals.some((kind) => error instanceof kind);

/** Prints an error and returns its exit code. */
export function reportCommandError(error: unknown): number {
  // Commander has already printed its error, or the requested help.
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? operatorExitCodes.done : operatorExitCodes.usage;
  if (isRefusal(error)) printMessage((error as Error).message);
  else console.error(error);
  return operatorExitCodes.refused;
}
