import {
  ClientError,
  type CommandFailure,
  CommandLineError,
  failureOf,
  printFailure,
  printMessage,
  usageFailure,
} from "@cadastre/client/terminal";
import { DeliveryError } from "@cadastre/delivery";
import { EntitlementError } from "@cadastre/entitlement";
import { ManifestError } from "@cadastre/manifest";
import { StoreError, type StoreErrorCode } from "@cadastre/store";
import { CommanderError } from "commander";
import { withoutKeys } from "../access/key-text.ts";
import { ConfigError, withSettingPlaces } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import { PrepareError } from "../data/prepare-error.ts";
import { type FileError, fileReason, isFileError } from "../file-error.ts";
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
  override readonly name: string = "CommandRefused";
  /** Code of the error that the refusal stands for; undefined if it stands for none. */
  readonly failureCode: string | undefined;

  constructor(message: string, options: ErrorOptions & { readonly failureCode?: string } = {}) {
    super(message, options);
    this.failureCode = options.failureCode;
  }
}

/** A command line whose options or arguments do not fit together, or have a wrong form. The message names them. */
export class WrongUsage extends CommandRefused {
  override readonly name = "WrongUsage";
}

/** Errors that an operator can fix. Any other error is a bug and is printed with its stack. The code is of errors without one of their own. */
const refusals = [
  { kind: ClientError },
  { kind: WrongUsage, code: "wrong_usage" },
  { kind: CommandRefused, code: "command_refused" },
  { kind: ConfigError, code: "invalid_settings" },
  { kind: DataError, code: "data_unavailable" },
  { kind: DeliveryError },
  { kind: EntitlementError },
  { kind: FeedError, code: "feed_failed" },
  { kind: IngestError, code: "invalid_input" },
  { kind: LearnError, code: "invalid_description" },
  { kind: ManifestError },
  { kind: PrepareError, code: "database_missing" },
  { kind: StoreError },
] as const;

/** True for an error that an operator can fix. A file that cannot be used is one, wherever that was noticed. */
export const isRefusal = (error: unknown): error is Error =>
  refusals.some(({ kind }) => error instanceof kind) || isPathError(error);

const isPathError = (error: unknown): error is FileError & { readonly path: string } =>
  isFileError(error) && error.path !== undefined;

/** Prints an error, as JSON if `asJson`, and returns its exit code. */
export function reportCommandError(error: unknown, asJson: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return operatorExitCodes.done;
  if (asJson) printFailure(commandFailure(error));
  else if (isRefusal(error)) printMessage(messageOf(error));
  else if (!(error instanceof CommanderError)) console.error(error);
  // Commander has printed a wrong command line.
  return error instanceof CommanderError || error instanceof WrongUsage
    ? operatorExitCodes.usage
    : operatorExitCodes.refused;
}

function commandFailure(error: unknown): CommandFailure {
  if (error instanceof CommandLineError) return usageFailure(error);
  return failureOf(codeOf(error), error instanceof Error ? messageOf(error) : withoutKeys(String(error)));
}

/** Errors with a code of their own. */
const coded = [ClientError, DeliveryError, EntitlementError, ManifestError, StoreError];

function codeOf(error: unknown): string {
  if (coded.some((kind) => error instanceof kind) && error instanceof Error && "code" in error)
    return String(error.code);
  if (error instanceof CommandRefused && error.failureCode !== undefined) return error.failureCode;
  if (isPathError(error)) return "file_unusable";
  const known = refusals.find(({ kind }) => error instanceof kind);
  return known !== undefined && "code" in known ? known.code : "internal_error";
}

/** Messages in place of those of the store, which knows no commands, by the error's code. */
const storeMessages: Partial<Record<StoreErrorCode, (named: string) => string>> = {
  unknown_build: (id) =>
    `there is no build \`${id}\`: \`cadastre builds <resource>\` lists those of a resource`,
  unknown_customer: (name) =>
    `no entitlement is installed for ${name}: \`cadastre customer list\` lists all customers, and \`cadastre customer add\` adds one`,
  unknown_key: (id) => `no API key has the id \`${id}\`: \`cadastre key list\` shows the ids`,
};

/** Returns the message for the operator, with API keys shortened. */
function messageOf(error: Error): string {
  if (isPathError(error)) return `${error.path} cannot be used: ${fileReason(error)}`;
  const named = error instanceof StoreError ? error.details : undefined;
  if (error instanceof DataError || error instanceof PrepareError)
    return withoutKeys(withSettingPlaces(error.message, process.env));
  const message = error instanceof StoreError ? storeMessages[error.code] : undefined;
  return withoutKeys(named === undefined ? error.message : (message?.(named) ?? error.message));
}
