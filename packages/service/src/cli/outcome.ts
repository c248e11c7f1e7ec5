import { EntitlementError } from "@cadastre/entitlement";
import { StoreError } from "@cadastre/store";
import { CommanderError } from "commander";
import { ConfigError } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import { PrepareError } from "../data/prepare-error.ts";
import { IngestError } from "../ingest/ingest-error.ts";
import { FeedError } from "../replicate/feed-error.ts";

/** How the program ends. */
export const exitCodes = { done: 0, refused: 1, usage: 2 } as const;

/** A command is understood and not carried out. The message says why, and what to do. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
}

/** Write the result of a command: nothing else goes to standard output. */
export const print = (result: string): void => void process.stdout.write(`${result}\n`);

/** Write words about the result, for a person: to standard error. */
export const say = (words: string): void => void process.stderr.write(`${words}\n`);

/** Errors that an operator can put right; everything else is a fault of ours, with its stack. */
const refusals = [
  CommandRefused,
  ConfigError,
  DataError,
  EntitlementError,
  FeedError,
  IngestError,
  PrepareError,
  StoreError,
];

/** True for an error that an operator can put right. */
export const isRefusal = (error: unknown): boolean => refusals.some((kind) => error instanceof kind);

/** Say what has gone wrong, and give the exit code for it. */
export function concede(error: unknown): number {
  // Commander has said it, or has shown the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (isRefusal(error)) say((error as Error).message);
  else console.error(error);
  return exitCodes.refused;
}
