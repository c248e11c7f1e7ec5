import { printMessage } from "@cadastre/client/terminal";
import { EntitlementError } from "@cadastre/entitlement";
import { StoreError } from "@cadastre/store";
import { CommanderError } from "commander";
import { withoutKeys } from "../access/key-text.ts";
import { ConfigError } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import { PrepareError } from "../data/prepare-error.ts";
import { IngestError } from "../ingest/ingest-error.ts";
import { LearnError } from "../learn/learn-error.ts";
import { FeedError } from "../replicate/feed-error.ts";

export { printMessage, printResult } from "@cadastre/client/terminal";

/** Exit codes of the program. */
export const operatorExitCodes = { done: 0, refused: 1, usage: 2 } as const;

/** Meanings of the exit codes, in the words of the help and of the README. */
export const operatorExitCodeMeanings = {
  done: "done",
  refused: "refused or failed: the message says why, and what to do",
  usage: "the command line is wrong",
} as const satisfies Record<keyof typeof operatorExitCodes, string>;

/** A valid command that was refused. The message says why and what to do. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}

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
  if (isRefusal(error)) printMessage(withoutKeys((error as Error).message));
  else console.error(error);
  return operatorExitCodes.refused;
}
