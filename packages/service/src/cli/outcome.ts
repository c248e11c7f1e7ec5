import {
  type CommandFailure,
  CommandLineError,
  failureOf,
  printFailure,
  printMessage,
  usageFailure,
} from "@cadastre/client/terminal";
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

/** Errors that an operator can fix. Any other error is a bug and is printed with its stack. The code is of errors without one of their own. */
const refusals = [
  { kind: CommandRefused, code: "command_refused" },
  { kind: ConfigError, code: "invalid_settings" },
  { kind: DataError, code: "data_unavailable" },
  { kind: EntitlementError },
  { kind: FeedError, code: "feed_failed" },
  { kind: IngestError, code: "invalid_input" },
  { kind: LearnError, code: "invalid_description" },
  { kind: PrepareError, code: "database_missing" },
  { kind: StoreError },
] as const;

/** True for an error that an operator can fix. */
export const isRefusal = (error: unknown): error is Error =>
  refusals.some(({ kind }) => error instanceof kind);

/** Prints an error, as JSON if `asJson`, and returns its exit code. */
export function reportCommandError(error: unknown, asJson: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return operatorExitCodes.done;
  if (asJson) printFailure(commandFailure(error));
  else if (isRefusal(error)) printMessage(withoutKeys(error.message));
  else if (!(error instanceof CommanderError)) console.error(error);
  // Commander has printed a wrong command line.
  return error instanceof CommanderError ? operatorExitCodes.usage : operatorExitCodes.refused;
}

function commandFailure(error: unknown): CommandFailure {
  if (error instanceof CommandLineError) return usageFailure(error);
  const known = refusals.find(({ kind }) => error instanceof kind);
  const own = error instanceof StoreError || error instanceof EntitlementError ? error.code : undefined;
  const code = known !== undefined && "code" in known ? known.code : own;
  return failureOf(
    code ?? "internal_error",
    withoutKeys(error instanceof Error ? error.message : String(error)),
  );
}
