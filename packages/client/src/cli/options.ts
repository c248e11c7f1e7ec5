import { hostname } from "node:os";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type ApiKeySource, keyPlaceText, readApiKey } from "../api-key.ts";
import { readKeyFile } from "../fetch/keys.ts";
import type { TrustedKeys } from "../fetch/manifest.ts";
import { type Connection, type ConnectionOptions, connect } from "../http/connection.ts";
import type { RetryContext } from "../http/request.ts";
import { defaultRetryPolicy, longestRetries } from "../http/retry-policy.ts";
import { printMessage } from "../terminal/output.ts";
import { shortDuration } from "../terminal/times.ts";

/** Options that say where the API key is. */
export type KeyFlags = { readonly keyEnv: string; readonly keyFile?: string; readonly keyStdin?: true };

/** Options for retries and timeouts. */
export type PatienceFlags = { readonly tries: number; readonly timeout: number };

/** Options for the connection to a service. */
export type ConnectionFlags = KeyFlags & PatienceFlags & { readonly url: string };

export const withConnection = (command: Command): Command =>
  withPatience(
    withKey(
      command.requiredOption("--url <origin>", "address of the service, such as https://listings.example"),
    ),
  );

/** Adds the options that say where the API key is. */
export const withKey = (command: Command): Command =>
  command
    .option("--key-env <name>", "variable that holds the API key", "CADASTRE_API_KEY")
    .option("--key-file <file>", "file that holds the API key")
    .addOption(new Option("--key-stdin", "read the API key from standard input").conflicts("keyFile"));

export const withPatience = (command: Command): Command =>
  command
    .option("--tries <count>", "times that one thing is asked for", parseCount, defaultRetryPolicy.tries)
    .option(
      "--timeout <seconds>",
      "how long the server may be silent",
      parseCount,
      defaultRetryPolicy.timeout / 1000,
    );

/** Runs `work` with a connection that is aborted by the first SIGINT or SIGTERM. */
export async function connected<T>(
  flags: ConnectionFlags,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  // Read before the signals are taken over, so that Ctrl-C ends the reading of standard input.
  const key = await keyOptions(flags);
  return stoppable(flags, (means) => work(connect({ url: flags.url, ...key, ...means })));
}

/** Reads the API key. Returns the options of a connection that depend on it. */
export async function keyOptions(
  flags: KeyFlags,
): Promise<Required<Pick<ConnectionOptions, "apiKey" | "keyPlace">>> {
  const place = keyPlaceOf(flags);
  return { apiKey: await readApiKey(place), keyPlace: keyPlaceText(place) };
}

/** Runs `work` with retry settings and a signal that aborts at the first SIGINT or SIGTERM. */
export async function stoppable<T>(
  { tries, timeout }: PatienceFlags,
  work: (means: RetryContext) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const retryPolicy = { ...defaultRetryPolicy, tries, timeout: timeout * 1000 };
  let isFirst = true;
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  try {
    return await work({
      retryPolicy,
      signal: controller.signal,
      onRetry: (reason, pause) => {
        const limit = `, ${tries} times within about ${shortDuration(longestRetries(retryPolicy) / 1000)}`;
        printMessage(
          `  the server: ${reason}; again in ${(pause / 1000).toFixed(1)} s${isFirst ? limit : ""}`,
        );
        isFirst = false;
      },
    });
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.removeListener(signal, stop);
  }
}

function keyPlaceOf({ keyEnv, keyFile, keyStdin }: KeyFlags): ApiKeySource {
  if (keyStdin) return { stdin: process.stdin };
  return keyFile === undefined ? { env: keyEnv } : { file: keyFile };
}

const countUpTo =
  (digits: number) =>
  (text: string): number => {
    if (text.length <= digits && /^[1-9]\d*$/.test(text)) return Number(text);
    throw new InvalidArgumentError("It must be a whole number above zero.");
  };

export const parseCount = countUpTo(9);

/** Parses a number of bytes, up to a petabyte. */
const parseBytes = countUpTo(15);

export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export const jsonOption = (): Option => new Option("--json", "write the result for machines");

/** Options for schema and prefix of tables in a database. */
export type TableFlags = { readonly schema?: string; readonly prefix?: string };

export const withTables = (command: Command): Command =>
  command
    .option("--schema <name>", "schema of the tables, in PostgreSQL and DuckDB")
    .option("--prefix <text>", "prefix of the names of all tables");

/** Options for loading deliveries and for acknowledging them. */
export type LoadFlags = TableFlags & {
  readonly into: string;
  readonly staging?: string;
  readonly parallel: number;
  readonly maxBytes?: number;
  readonly reference: string;
  readonly acknowledge: boolean;
  readonly replaceCopy?: true;
};

export const withLoad = (command: Command): Command =>
  withTables(
    command.requiredOption(
      "--into <target>",
      "a folder, parquet:<folder>, sqlite:<file>, duckdb:<file>, postgres: or postgres://…",
    ),
  )
    .option(
      "--staging <folder>",
      "where parts wait until they are loaded (default: a folder of the target in .cadastre, or .staging in the folder of --into)",
    )
    .option("--parallel <count>", "parts that are fetched at a time", parseCount, 4)
    .option("--max-bytes <bytes>", "refuse a delivery for which more bytes would be fetched", parseBytes)
    .option(
      "--reference <text>",
      "what the acknowledgement says",
      `cadastre-client on ${hostname()}`.slice(0, 256),
    )
    .option("--no-acknowledge", "do not tell the server what is loaded")
    .option(
      "--replace-copy",
      "end the copy that `follow` keeps in these tables for another subscription, or has lost",
    );

/** Options for signatures and pins. */
export type TrustFlags = {
  readonly keys?: string;
  readonly unsigned?: true;
  readonly pin?: readonly string[];
};

export const withTrust = (command: Command, keys: string): Command =>
  command
    .option("--keys <file>", keys)
    .addOption(new Option("--unsigned", "do not ask for a signature").conflicts("keys"))
    .option("--pin <pin>", "refuse another schema=…, profile=… or entitlement=… (repeatable)", collect);

/** Returns the keys that may sign: those in the file of `--keys`, by default those that the server publishes, none with `--unsigned`. */
export async function trustOf({ keys, unsigned }: TrustFlags): Promise<TrustedKeys> {
  if (unsigned) return "unsigned";
  return keys === undefined ? "published" : readKeyFile(keys);
}
